"""Writes one file's rows and rejects under a tenant, chunk by chunk."""

from collections.abc import Callable, Iterator

import psycopg
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from operations import ingest_account
from operations.ingest_account import Report, Tally
from quarry.data import database
from quarry.ingestion import LONGEST_RAW, Accepted, Kind, Rejected, Row, chunks

CHUNK = 500
"""Rows per transaction: a crash leaves whole chunks, counted, and the next run goes on after them."""

TRIES = 3

AWAITING = SQL("""
    SELECT count(*) AS rows FROM quarry.embedding_queue WHERE tenant = %(tenant)s AND corpus = %(corpus)s
""")


def write(
    rows: Iterator[Accepted[Row] | Rejected],
    kind: Kind,
    report: Report,
    *,
    may_go_on: Callable[[], bool] = lambda: True,
    sha256: Callable[[], str] = lambda: "",
) -> Report:
    """Adds ``rows``, those after ``report.rows_read``, to the account, and closes it after the last one.

    Raises Conflict when another run has gone on with the same account.
    """
    for chunk in chunks(rows, key=kind.key, size=CHUNK):
        if not may_go_on():
            return report
        _write_chunk(chunk, kind, report)
    if not may_go_on():
        return report
    digest = sha256()
    with database.transaction(report.tenant) as connection:
        if kind.after is not None:
            connection.execute(kind.after, {"tenant": report.tenant})
        if kind.corpus is not None:
            awaiting = connection.execute(AWAITING, {"tenant": report.tenant, "corpus": kind.corpus}).fetchone()
            report.awaiting_embedding = awaiting["rows"] if awaiting else 0
        ingest_account.finish(connection, report, sha256=digest)
    return report


def _write_chunk(chunk: list[Accepted[Row] | Rejected], kind: Kind, report: Report) -> None:
    accepted = [item for item in chunk if isinstance(item, Accepted)]
    rejects = [item for item in chunk if isinstance(item, Rejected)]
    repairs = [{"line": item.line, "reason": item.repair} for item in accepted if item.repair is not None]
    for attempt in range(1, TRIES + 1):
        try:
            with database.transaction(report.tenant) as connection:
                good, orphans = _split(connection, accepted, kind, tenant=report.tenant)
                inserted, updated = _upsert(connection, good, kind, tenant=report.tenant)
                tally = Tally(
                    read=len(chunk),
                    inserted=inserted,
                    updated=updated,
                    unchanged=len(good) - inserted - updated,
                    rejected=len(rejects) + len(orphans),
                    repaired=len(repairs),
                )
                ingest_account.advance(connection, report, tally, rejects=rejects + orphans)
            break
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            if attempt == TRIES:
                raise
    ingest_account.add(report, tally, rejects=rejects + orphans, repairs=repairs)


def _split(
    connection: database.Connection, chunk: list[Accepted[Row]], kind: Kind, *, tenant: str
) -> tuple[list[Accepted[Row]], list[Rejected]]:
    """(rows to write, rows that refer to something absent)."""
    if kind.missing is None or not chunk:
        return chunk, []
    found = connection.execute(kind.missing, {"tenant": tenant, "rows": _json(chunk)}).fetchall()
    reasons = {row["index"]: row["reason"] for row in found}
    orphans = [
        Rejected(chunk[index].line, reason, chunk[index].row.model_dump_json()[:LONGEST_RAW])
        for index, reason in sorted(reasons.items())
    ]
    return [item for index, item in enumerate(chunk) if index not in reasons], orphans


def _upsert(
    connection: database.Connection, rows: list[Accepted[Row]], kind: Kind, *, tenant: str
) -> tuple[int, int]:
    """(inserted, updated)."""
    if not rows:
        return 0, 0
    changed = connection.execute(kind.upsert, {"tenant": tenant, "rows": _json(rows)}).fetchall()
    inserted = sum(row["inserted"] for row in changed)
    return inserted, len(changed) - inserted


def _json(items: list[Accepted[Row]]) -> Jsonb:
    return Jsonb([item.row.model_dump(mode="json") for item in items])
