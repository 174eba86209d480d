"""Writes one file's rows and rejects under a tenant, and keeps the account of it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import psycopg
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from quarry import database
from quarry.ingestion import LONGEST_RAW, Accepted, Kind, Rejected, Row, chunks

CHUNK = 500
"""Rows per transaction: a crash leaves whole chunks, and the same file again completes them."""

TRIES = 3
REJECTS_SHOWN = 20

TENANT = SQL("INSERT INTO quarry.tenants (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING")
START = SQL("""
    INSERT INTO quarry.ingests (tenant, kind, source, content_sha256)
    VALUES (%(tenant)s, %(kind)s, %(source)s, %(sha256)s) RETURNING id
""")
REJECT = SQL("""
    INSERT INTO quarry.ingest_rejects (ingest_id, tenant, line, reason, raw)
    VALUES (%(ingest_id)s, %(tenant)s, %(line)s, %(reason)s, %(raw)s) ON CONFLICT (ingest_id, line) DO NOTHING
""")
FINISH = SQL("""
    UPDATE quarry.ingests SET finished_at = now(), rows_read = %(rows_read)s, inserted = %(inserted)s,
        updated = %(updated)s, unchanged = %(unchanged)s, rejected = %(rejected)s
    WHERE id = %(ingest_id)s
""")
AWAITING = SQL("""
    SELECT count(*) AS rows FROM quarry.embedding_queue WHERE tenant = %(tenant)s AND corpus = %(corpus)s
""")


@dataclass(slots=True)
class Report:
    """Counts of rows; ``rejects`` has the first ones as {line, reason}, the table ingest_rejects all of them.

    ``repairs`` are those rows, as {line, reason}, that could only be read after mending: worth a look in the file.
    ``awaiting_embedding`` counts the corpus's rows that have no vector of their text yet; None without a corpus.
    """

    ingest_id: int
    kind: str
    tenant: str
    source: str
    rows_read: int = 0
    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    rejects: list[dict[str, Any]] = field(default_factory=list)
    repaired: int = 0
    repairs: list[dict[str, Any]] = field(default_factory=list)
    awaiting_embedding: int | None = None

    def as_result(self) -> dict[str, Any]:
        return asdict(self)


def write(rows: Iterator[Accepted[Row] | Rejected], kind: Kind, *, tenant: str, source: str, sha256: str) -> Report:
    with database.transaction(tenant) as connection:
        connection.execute(TENANT, {"tenant": tenant})
        started = connection.execute(
            START, {"tenant": tenant, "kind": kind.name, "source": source, "sha256": sha256}
        ).fetchone()
    report = Report(started["id"] if started else 0, kind.name, tenant, source)
    rejects: list[Rejected] = []

    def accepted() -> Iterator[Accepted[Row]]:
        for item in rows:
            report.rows_read += 1
            if isinstance(item, Rejected):
                rejects.append(item)
            else:
                _note_repair(item, report)
                yield item

    for chunk in chunks(accepted(), key=kind.key, size=CHUNK):
        _write_chunk(chunk, kind, report, rejects)
    _keep(rejects, report)
    with database.transaction(tenant) as connection:
        if kind.after is not None:
            connection.execute(kind.after, {"tenant": tenant})
        connection.execute(FINISH, asdict(report))
        if kind.corpus is not None:
            awaiting = connection.execute(AWAITING, {"tenant": tenant, "corpus": kind.corpus}).fetchone()
            report.awaiting_embedding = awaiting["rows"] if awaiting else 0
    return report


def _note_repair(item: Accepted[Row], report: Report) -> None:
    if item.repair is None:
        return
    report.repaired += 1
    if len(report.repairs) < REJECTS_SHOWN:
        report.repairs.append({"line": item.line, "reason": item.repair})


def _write_chunk(chunk: list[Accepted[Row]], kind: Kind, report: Report, rejects: list[Rejected]) -> None:
    for attempt in range(1, TRIES + 1):
        try:
            with database.transaction(report.tenant) as connection:
                good, orphans = _split(connection, chunk, kind, tenant=report.tenant)
                changed = connection.execute(kind.upsert, {"tenant": report.tenant, "rows": _json(good)}).fetchall()
            break
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            if attempt == TRIES:
                raise
    inserted = sum(row["inserted"] for row in changed)
    report.inserted += inserted
    report.updated += len(changed) - inserted
    report.unchanged += len(good) - len(changed)
    rejects += orphans
    _keep(rejects, report)


def _split(
    connection: database.Connection, chunk: list[Accepted[Row]], kind: Kind, *, tenant: str
) -> tuple[list[Accepted[Row]], list[Rejected]]:
    """(rows to write, rows that refer to something absent)."""
    if kind.missing is None:
        return chunk, []
    found = connection.execute(kind.missing, {"tenant": tenant, "rows": _json(chunk)}).fetchall()
    reasons = {row["index"]: row["reason"] for row in found}
    orphans = [
        Rejected(chunk[index].line, reason, chunk[index].row.model_dump_json()[:LONGEST_RAW])
        for index, reason in sorted(reasons.items())
    ]
    return [item for index, item in enumerate(chunk) if index not in reasons], orphans


def _keep(rejects: list[Rejected], report: Report) -> None:
    if not rejects:
        return
    with database.transaction(report.tenant) as connection, connection.cursor() as cursor:
        cursor.executemany(
            REJECT, [{**asdict(item), "ingest_id": report.ingest_id, "tenant": report.tenant} for item in rejects]
        )
    report.rejected += len(rejects)
    room = REJECTS_SHOWN - len(report.rejects)
    report.rejects += [{"line": item.line, "reason": item.reason} for item in rejects[: max(room, 0)]]
    rejects.clear()


def _json(items: list[Accepted[Row]]) -> Jsonb:
    return Jsonb([item.row.model_dump(mode="json") for item in items])
