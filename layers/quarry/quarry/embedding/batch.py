"""A batch of the embedding queue on its way: current texts read, vectors asked for, vectors stored."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from quarry.data.database import SET_TENANT, Connection
from quarry.embedding import provider

LONGEST_TEXT = 24_000
"""Characters: below the 8,191 tokens of OpenAI's models; the text leg still covers the rest of a longer row."""
TIMEOUT_S = 60.0

TEXTS = SQL("SELECT doc, content_hash, content FROM search.texts(%(corpus)s, %(docs)s)")
STORE = """
    INSERT INTO {vectors} AS v (doc, tenant, content_hash, embedding)
    SELECT d.doc, d.tenant, d.content_hash, %(embedding)s FROM {documents} d
    WHERE d.doc = %(doc)s AND d.content_hash = %(content_hash)s
    ON CONFLICT (doc) DO UPDATE SET content_hash = excluded.content_hash, embedding = excluded.embedding
"""


@dataclass(frozen=True, slots=True)
class QueuedText:
    queue_id: int
    tenant: str
    corpus: str
    doc: int
    content_hash: bytes
    content: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What the provider said to a batch; ``stopped`` is why it said nothing to the rest of it, or None."""

    vectors: list[tuple[QueuedText, Vector]]
    refusals: list[tuple[QueuedText, str]]
    stopped: str | None


def read(connection: Connection, claimed: Sequence[DictRow]) -> list[QueuedText]:
    """The current text of every claimed row that still exists."""
    groups: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for row in claimed:
        groups[row["tenant"], row["corpus"]][row["doc"]] = row["id"]
    pending = []
    with connection.transaction():
        for (tenant, corpus), ids in groups.items():
            connection.execute(SET_TENANT, {"tenant": tenant})
            for text in connection.execute(TEXTS, {"corpus": corpus, "docs": list(ids)}):
                queue_id, content = ids[text["doc"]], text["content"][:LONGEST_TEXT]
                pending.append(QueuedText(queue_id, tenant, corpus, text["doc"], text["content_hash"], content))
    return pending


def embed(pending: Sequence[QueuedText]) -> Answer:
    """All in one request, or one by one where a bad text spoils the batch."""
    try:
        return Answer(_vectors(pending), [], None)
    except provider.EmbeddingsDown as error:
        if not error.refused:
            return Answer([], [], error.reason)
    answer = Answer([], [], None)
    for item in pending:
        try:
            answer.vectors.extend(_vectors([item]))
        except provider.EmbeddingsDown as error:
            if not error.refused:
                return Answer(answer.vectors, answer.refusals, error.reason)
            answer.refusals.append((item, error.reason))
    return answer


def store(connection: Connection, vectors: Sequence[tuple[QueuedText, Vector]]) -> None:
    """In the running transaction, and only for rows whose text is still the embedded one."""
    groups: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for item, vector in vectors:
        groups[item.tenant, item.corpus].append(
            {"doc": item.doc, "content_hash": item.content_hash, "embedding": vector}
        )
    for (tenant, corpus), rows in groups.items():
        connection.execute(SET_TENANT, {"tenant": tenant})
        schema, table = corpus.split(".")
        statement = SQL(STORE).format(
            vectors=Identifier(schema, table + "_vectors"), documents=Identifier(schema, table + "_documents")
        )
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def _vectors(pending: Sequence[QueuedText]) -> list[tuple[QueuedText, Vector]]:
    if not pending:
        return []
    vectors = provider.embed([item.content for item in pending], timeout_s=TIMEOUT_S)
    return list(zip(pending, vectors, strict=True))
