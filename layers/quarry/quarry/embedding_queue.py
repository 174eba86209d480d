"""The embedding queue: batches claimed with SKIP LOCKED, vectors written only for text that is still current."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from quarry import embeddings
from quarry.database import SET_TENANT, Connection

BATCH = 64
MOST_ATTEMPTS = 3
LONGEST_TEXT = 24_000
"""Characters: below the 8,191 tokens of OpenAI's models; the text leg still covers the rest of a longer row."""
TIMEOUT_S = 60.0

CLAIM = SQL("""
    SELECT id, tenant, corpus, doc FROM quarry.embedding_queue
    WHERE dead_at IS NULL AND available_at <= now()
    ORDER BY available_at, id LIMIT %(batch)s FOR UPDATE SKIP LOCKED
""")
TEXTS = SQL("SELECT doc, content_hash, content FROM search.texts(%(corpus)s, %(docs)s)")
STORE = """
    INSERT INTO {vectors} AS v (doc, tenant, content_hash, embedding)
    SELECT d.doc, d.tenant, d.content_hash, %(embedding)s FROM {documents} d
    WHERE d.doc = %(doc)s AND d.content_hash = %(content_hash)s
    ON CONFLICT (doc) DO UPDATE SET content_hash = excluded.content_hash, embedding = excluded.embedding
"""
DONE = SQL("DELETE FROM quarry.embedding_queue WHERE id = ANY (%(ids)s)")
POSTPONE = SQL("""
    UPDATE quarry.embedding_queue SET last_error = %(reason)s, available_at = now() + interval '15 seconds'
    WHERE id = ANY (%(ids)s)
""")
REFUSE = SQL("""
    UPDATE quarry.embedding_queue
    SET attempts = attempts + 1, last_error = %(reason)s,
        available_at = now() + interval '10 seconds' * 2 ^ attempts,
        dead_at = CASE WHEN attempts + 1 >= %(most)s THEN now() END
    WHERE id = %(id)s
""")
BACKLOG = SQL("""
    SELECT count(*) FILTER (WHERE dead_at IS NULL) AS pending, count(*) FILTER (WHERE dead_at IS NOT NULL) AS dead
    FROM quarry.embedding_queue
""")


@dataclass(frozen=True, slots=True)
class Progress:
    """``refused`` counts texts the provider did not take; ``stopped`` is why the run ended early, or None."""

    embedded: int
    refused: int
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Pending:
    queue_id: int
    tenant: str
    corpus: str
    doc: int
    content_hash: bytes
    content: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The provider's; ``stopped`` is why it gave neither vector nor refusal for the rest, or None."""

    vectors: list[tuple[Pending, Vector]]
    refusals: list[tuple[Pending, str]]
    stopped: str | None


def drain(connection: Connection, *, may_go_on: Callable[[], bool]) -> Progress:
    """Works batch by batch, each in one transaction: a crash loses at most a batch's work and no row."""
    embedded = refused = 0
    while may_go_on():
        with connection.transaction():
            claimed = connection.execute(CLAIM, {"batch": BATCH}).fetchall()
            if not claimed:
                return Progress(embedded, refused, None)
            batch = _work_on(connection, claimed)
        embedded += batch.embedded
        refused += batch.refused
        if batch.stopped is not None:
            return Progress(embedded, refused, batch.stopped)
    return Progress(embedded, refused, "out of time")


def _work_on(connection: Connection, claimed: Sequence[DictRow]) -> Progress:
    """What was embedded, or whose row is gone, leaves the queue; the rest stays with the reason."""
    pending = _read(connection, claimed)
    answer = _embed(pending)
    _store(connection, answer.vectors)
    for item, reason in answer.refusals:
        connection.execute(REFUSE, {"id": item.queue_id, "reason": reason, "most": MOST_ATTEMPTS})
    refused = {item.queue_id for item, _ in answer.refusals}
    postponed = {item.queue_id for item in pending} - {item.queue_id for item, _ in answer.vectors} - refused
    connection.execute(POSTPONE, {"ids": list(postponed), "reason": answer.stopped})
    connection.execute(DONE, {"ids": [row["id"] for row in claimed if row["id"] not in refused | postponed]})
    return Progress(len(answer.vectors), len(refused), answer.stopped)


def backlog(connection: Connection) -> DictRow:
    """``pending`` and ``dead`` over all tenants, as the worker's role may count them."""
    row = connection.execute(BACKLOG).fetchone()
    return row if row is not None else {"pending": 0, "dead": 0}


def _read(connection: Connection, claimed: Sequence[DictRow]) -> list[Pending]:
    """The current text of every claimed row that still exists."""
    groups: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for row in claimed:
        groups[row["tenant"], row["corpus"]][row["doc"]] = row["id"]
    pending = []
    for (tenant, corpus), ids in groups.items():
        connection.execute(SET_TENANT, {"tenant": tenant})
        for text in connection.execute(TEXTS, {"corpus": corpus, "docs": list(ids)}):
            queue_id = ids[text["doc"]]
            pending.append(
                Pending(queue_id, tenant, corpus, text["doc"], text["content_hash"], text["content"][:LONGEST_TEXT])
            )
    return pending


def _embed(pending: Sequence[Pending]) -> Answer:
    """All in one request, or one by one where a bad text spoils the batch."""
    try:
        return Answer(_vectors(pending), [], None)
    except embeddings.EmbeddingsDown as error:
        if not error.refused:
            return Answer([], [], error.reason)
    answer = Answer([], [], None)
    for item in pending:
        try:
            answer.vectors.extend(_vectors([item]))
        except embeddings.EmbeddingsDown as error:
            if not error.refused:
                return Answer(answer.vectors, answer.refusals, error.reason)
            answer.refusals.append((item, error.reason))
    return answer


def _vectors(pending: Sequence[Pending]) -> list[tuple[Pending, Vector]]:
    if not pending:
        return []
    vectors = embeddings.embed([item.content for item in pending], timeout_s=TIMEOUT_S)
    return list(zip(pending, vectors, strict=True))


def _store(connection: Connection, vectors: Sequence[tuple[Pending, Vector]]) -> None:
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
