"""The embedding queue: batches taken on a lease, embedded, and written only for text that is still current."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from uuid import UUID, uuid4

import psycopg
from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from quarry.data.database import SET_TENANT, Connection
from quarry.embedding import provider

BATCH = 64
MOST_ATTEMPTS = 3
LEASE_S = 120.0
"""The worker's time-out in template.yaml: no worker lives longer, and the rows of one that died wait as long."""
TRIES = 3
LONGEST_TEXT = 24_000
"""Characters: below the 8,191 tokens of OpenAI's models; the text leg still covers the rest of a longer row."""
TIMEOUT_S = 60.0

CLAIM = SQL("""
    UPDATE quarry.embedding_queue q
    SET claim = %(claim)s, claimed_until = clock_timestamp() + %(lease_s)s * interval '1 second'
    FROM (
        SELECT id FROM quarry.embedding_queue
        WHERE dead_at IS NULL AND available_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
        ORDER BY available_at, id LIMIT %(batch)s FOR UPDATE SKIP LOCKED) AS free
    WHERE q.id = free.id
    RETURNING q.id, q.tenant, q.corpus, q.doc
""")
# A row that a write has locked is left to that write, which drops the claim: waiting for it could deadlock.
HELD = SQL("""
    WITH held AS (
        SELECT id FROM quarry.embedding_queue WHERE id = ANY (%(ids)s) AND claim = %(claim)s FOR UPDATE SKIP LOCKED)
""")
DONE = HELD + SQL("DELETE FROM quarry.embedding_queue q USING held WHERE q.id = held.id")
POSTPONE = HELD + SQL("""
    UPDATE quarry.embedding_queue q
    SET claim = NULL, claimed_until = NULL, last_error = %(reason)s, available_at = now() + interval '15 seconds'
    FROM held WHERE q.id = held.id
""")
REFUSE = HELD + SQL("""
    UPDATE quarry.embedding_queue q
    SET claim = NULL, claimed_until = NULL, attempts = attempts + 1, last_error = %(reason)s,
        available_at = now() + interval '10 seconds' * 2 ^ attempts,
        dead_at = CASE WHEN attempts + 1 >= %(most)s THEN now() END
    FROM held WHERE q.id = held.id
""")
BACKLOG = SQL("""
    SELECT count(*) FILTER (WHERE dead_at IS NULL) AS pending, count(*) FILTER (WHERE dead_at IS NOT NULL) AS dead
    FROM quarry.embedding_queue
""")
TEXTS = SQL("SELECT doc, content_hash, content FROM search.texts(%(corpus)s, %(docs)s)")
STORE = """
    INSERT INTO {vectors} AS v (doc, tenant, content_hash, embedding)
    SELECT d.doc, d.tenant, d.content_hash, %(embedding)s FROM {documents} d
    WHERE d.doc = %(doc)s AND d.content_hash = %(content_hash)s
        AND EXISTS (SELECT FROM quarry.embedding_queue q WHERE q.id = %(queue_id)s)
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
class EmbeddedBatch:
    """What the provider said to a batch; ``stopped`` is why it said nothing to the rest of it, or None."""

    vectors: list[tuple[QueuedText, Vector]]
    refusals: list[tuple[QueuedText, str]]
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """``refused`` counts texts the provider did not take; ``stopped`` is why the run ended early, or None."""

    embedded: int
    refused: int
    stopped: str | None


def drain(connection: Connection, *, may_go_on: Callable[[], bool], lease_s: float = LEASE_S) -> Progress:
    """Works batch by batch; no lock is held while the provider thinks. A crash costs a lease and no row."""
    embedded = refused = 0
    while may_go_on():
        claim = uuid4()
        claimed = connection.execute(CLAIM, {"batch": BATCH, "claim": claim, "lease_s": lease_s}).fetchall()
        if not claimed:
            return Progress(embedded, refused, None)
        batch = _work_on(connection, claimed, claim=claim)
        embedded += batch.embedded
        refused += batch.refused
        if batch.stopped is not None:
            return Progress(embedded, refused, batch.stopped)
    return Progress(embedded, refused, "out of time")


def _work_on(connection: Connection, claimed: Sequence[DictRow], *, claim: UUID) -> Progress:
    """What was embedded, or whose row is gone, leaves the queue; the rest stays with the reason."""
    ids = [row["id"] for row in claimed]
    pending = read(connection, claimed)
    answer = embed(pending)
    for _ in range(TRIES - 1):
        with suppress(psycopg.errors.DeadlockDetected), connection.transaction():
            return _settle(connection, ids, pending, answer, claim=claim)
    with connection.transaction():
        return _settle(connection, ids, pending, answer, claim=claim)


def _settle(
    connection: Connection, ids: Sequence[int], pending: Sequence[QueuedText], answer: EmbeddedBatch, *, claim: UUID
) -> Progress:
    store(connection, answer.vectors)
    for item, reason in answer.refusals:
        refusal = {"ids": [item.queue_id], "claim": claim, "reason": reason, "most": MOST_ATTEMPTS}
        connection.execute(REFUSE, refusal)
    refused = {item.queue_id for item, _ in answer.refusals}
    postponed = {item.queue_id for item in pending} - {item.queue_id for item, _ in answer.vectors} - refused
    connection.execute(POSTPONE, {"ids": list(postponed), "claim": claim, "reason": answer.stopped})
    done = [queue_id for queue_id in ids if queue_id not in refused | postponed]
    connection.execute(DONE, {"ids": done, "claim": claim})
    return Progress(len(answer.vectors), len(refused), answer.stopped)


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


def embed(pending: Sequence[QueuedText]) -> EmbeddedBatch:
    """All in one request, or one by one where a bad text spoils the batch."""
    answer = EmbeddedBatch([], [], None)
    waiting = [pending] if pending else []
    for batch in waiting:
        try:
            vectors = provider.embed([item.content for item in batch], timeout_s=TIMEOUT_S)
        except provider.EmbeddingsDown as error:
            if not error.refused:
                return replace(answer, stopped=error.reason)
            if len(batch) > 1:
                waiting += [[item] for item in batch]
            else:
                answer.refusals.append((batch[0], error.reason))
        else:
            answer.vectors.extend(zip(batch, vectors, strict=True))
    return answer


def store(connection: Connection, vectors: Sequence[tuple[QueuedText, Vector]]) -> None:
    """In the running transaction, and only for rows whose text is still the embedded one.

    A sentence that another replaced has left the queue: the other has its number, and a place of its own there.
    """
    groups: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for item, vector in vectors:
        groups[item.tenant, item.corpus].append({**asdict(item), "embedding": vector})
    for (tenant, corpus), rows in groups.items():
        connection.execute(SET_TENANT, {"tenant": tenant})
        schema, table = corpus.split(".")
        statement = SQL(STORE).format(
            vectors=Identifier(schema, table + "_vectors"), documents=Identifier(schema, table + "_documents")
        )
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def backlog(connection: Connection) -> DictRow:
    """``pending`` and ``dead`` over all tenants, as the worker's role may count them."""
    [row] = connection.execute(BACKLOG)
    return row
