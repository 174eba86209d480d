"""Writes one file under a tenant, chunk by chunk; its account advances in the transaction of each chunk."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import psycopg
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from operations import undo
from operations.bounds import MOST_KEPT_REJECTS
from operations.completion import completed, refused
from operations.tables.leftover import RowsSeen
from quarry.data import database
from quarry.ingestion import Accepted, Kind, Rejected, Row, chunks
from quarry.tool.errors import Conflict

SHOWN = 20
OWN = ("etag", "shape", "seen")
"""Fields of a report that are nobody else's."""

START = SQL("""
    INSERT INTO quarry.ingests (tenant, kind, source, etag, request_id, replaces)
    VALUES (%(tenant)s, %(kind)s, %(source)s, %(etag)s, %(request_id)s, %(replaces)s) RETURNING id
""")
ACCOUNT = SQL("""
    SELECT id AS ingest_id, kind, tenant, source, etag, rows_read, inserted, updated, unchanged, rejected, merged,
        repaired, encoding, separator, replaces
    FROM quarry.ingests WHERE finished_at IS NULL
""")
REPEATED = ACCOUNT + SQL("""
    AND tenant = %(tenant)s AND request_id = %(request_id)s AND source = %(source)s AND kind = %(kind)s
    AND etag = %(etag)s ORDER BY id DESC LIMIT 1
""")
UNFINISHED = ACCOUNT + SQL("AND id = %(ingest_id)s")
REJECT = SQL("""
    INSERT INTO quarry.ingest_rejects (ingest_id, tenant, line, reason, raw)
    VALUES (%(ingest_id)s, %(tenant)s, %(line)s, %(reason)s, %(raw)s) ON CONFLICT (ingest_id, line) DO NOTHING
""")
REJECTS = SQL("""
    SELECT line, reason FROM quarry.ingest_rejects WHERE ingest_id = %(ingest_id)s ORDER BY line LIMIT %(most)s
""")
# Only from where this run stood: had another run gone on with the file, the chunk would count twice.
ADVANCE = SQL("""
    UPDATE quarry.ingests SET rows_read = rows_read + %(rows_read)s, inserted = inserted + %(inserted)s,
        updated = updated + %(updated)s, unchanged = unchanged + %(unchanged)s, rejected = rejected + %(rejected)s,
        merged = merged + %(merged)s, repaired = repaired + %(repaired)s
    WHERE id = %(ingest_id)s AND rows_read = %(position)s AND finished_at IS NULL
""")
FINISH = SQL("""
    UPDATE quarry.ingests SET finished_at = now(), content_sha256 = %(sha256)s, encoding = %(encoding)s,
        separator = %(separator)s, removed = %(removed)s, stopped = %(stopped)s, shape = %(shape)s
    WHERE id = %(ingest_id)s AND rows_read = %(position)s AND finished_at IS NULL
""")
# Lambda keeps an event for six hours and repeats it twice; a run of a large file begins the next one at once.
ABANDONED = SQL("""
    UPDATE quarry.ingests SET finished_at = now(), stopped = 'Its last run ended before the file did; put it again.'
    WHERE tenant = %(tenant)s AND finished_at IS NULL AND started_at < now() - interval '1 day'
""")


@dataclass(slots=True)
class IngestReport:
    """Counts of rows; ``rejects`` has the first ones as {line, reason} and, of whole rows of sheets, their place; the
    table ingest_rejects has up to MOST_KEPT_REJECTS.

    Every row read is inserted, updated, unchanged, rejected or merged; a merged one has the key of a row before it in
    the file. ``encoding`` and ``separator`` say how the file was read; ``seen`` has what its rows showed.
    ``awaiting_embedding`` counts the corpus's rows that have no vector of their text yet; None without a corpus.
    ``replaces``: the file is the whole truth of its kind; ``removed`` counts the rows that went, because it, or the
    newest state of their document, does not have them; ``kept`` has the keys of those among them that quotes rely on,
    which were deactivated.
    ``leftover`` has what the file says and no row stores, column by column; ``doubts`` what somebody should look at.
    ``finished`` is False while the rest of the file is left to another run; ``stopped`` says why the file was not
    read to its end.
    """

    ingest_id: int
    kind: str
    tenant: str
    source: str
    etag: str = ""
    rows_read: int = 0
    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    rejects: list[dict[str, Any]] = field(default_factory=list)
    merged: int = 0
    repaired: int = 0
    awaiting_embedding: int | None = None
    encoding: str | None = None
    separator: str | None = None
    shape: str | None = None
    replaces: bool = False
    removed: int = 0
    kept: list[dict[str, Any]] = field(default_factory=list)
    leftover: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    seen: RowsSeen = field(default_factory=RowsSeen)
    finished: bool = False
    stopped: str | None = None

    @property
    def whose(self) -> dict[str, Any]:
        return {"tenant": self.tenant, "ingest_id": self.ingest_id}

    def as_result(self) -> dict[str, Any]:
        told = {name: value for name, value in _accounted(self).items() if name not in OWN}
        of_rows = {"causes": self.seen.causes(), "first_rows": self.seen.rows(), "gaps": self.seen.gaps()}
        return {**told, **of_rows, "doubts": [*self.doubts, *self.seen.doubts()]}


def begin(
    kind: str, *, tenant: str, source: str, etag: str = "", request_id: str | None = None, replaces: bool = False
) -> IngestReport:
    """A new account, or the one this very request began before it was cut short and repeated."""
    report = IngestReport(0, kind, tenant, source, etag=etag, replaces=replaces)
    account = {**_accounted(report), "request_id": request_id}
    with database.transaction(tenant) as connection:
        connection.execute(database.ADD_TENANT, {"tenant": tenant})
        connection.execute(ABANDONED, {"tenant": tenant})
        begun = connection.execute(REPEATED, account).fetchone()
        if begun is not None:
            return _restored(connection, begun)
        [started] = connection.execute(START, account)
        kept = {"tenant": tenant, "days": undo.DAYS_KEPT, "most": undo.INGESTS_KEPT}
        connection.execute(undo.FORGET_OLD, kept)
    return replace(report, ingest_id=started["id"])


def unfinished(ingest_id: int, *, tenant: str) -> IngestReport | None:
    """None where there is no such account, or it is closed."""
    with database.transaction(tenant) as connection:
        begun = connection.execute(UNFINISHED, {"ingest_id": ingest_id}).fetchone()
        return None if begun is None else _restored(connection, begun)


def advance(
    connection: database.Connection, report: IngestReport, counted: Mapping[str, int], *, rejects: list[Rejected]
) -> None:
    """In the chunk's transaction; ``add`` follows when that has committed. Raises Conflict."""
    if room := max(MOST_KEPT_REJECTS - report.rejected, 0):
        kept = [{**asdict(item), **report.whose} for item in rejects[:room]]
        with connection.cursor() as cursor:
            cursor.executemany(REJECT, kept)
    step = {**counted, "ingest_id": report.ingest_id, "position": report.rows_read}
    _insist(connection.execute(ADVANCE, step).rowcount, report)


def add(
    report: IngestReport, counted: Mapping[str, int], *, rejects: list[Rejected], accepted: list[Accepted[Row]]
) -> None:
    for name, count in counted.items():
        setattr(report, name, getattr(report, name) + count)
    for reject in rejects[: SHOWN - len(report.rejects)]:
        place = {"place": reject.place} if reject.place and not reject.faults else {}
        report.rejects.append({"line": reject.line, "reason": reject.reason, **place})
    refused = {item.line for item in rejects}
    seen: list[Accepted[Row] | Rejected] = [*(item for item in accepted if item.line not in refused), *rejects]
    for item in seen:
        report.seen(item)


def stop(report: IngestReport, *, reason: str) -> None:
    """Closes an account whose file cannot be read any further; without effect where another run went on with it."""
    report.stopped = reason
    with suppress(Conflict), database.transaction(report.tenant) as connection:
        finish(connection, report, sha256=None)


def finish(connection: database.Connection, report: IngestReport, *, sha256: str | None) -> None:
    """Raises Conflict."""
    closing = {**_accounted(report), "position": report.rows_read, "sha256": sha256}
    _insist(connection.execute(FINISH, closing).rowcount, report)
    report.finished = True


def _accounted(report: IngestReport) -> dict[str, Any]:
    """The report's fields by name, of which a statement takes those that it names."""
    return {each.name: getattr(report, each.name) for each in fields(report)}


def _insist(changed: int, report: IngestReport) -> None:
    if not changed:
        raise Conflict(f"Another run has gone on with ingest {report.ingest_id}; this one stops without a trace.")


def _restored(connection: database.Connection, account: dict[str, Any]) -> IngestReport:
    rejects = connection.execute(REJECTS, {"ingest_id": account["ingest_id"], "most": SHOWN}).fetchall()
    return IngestReport(**account, rejects=[dict(reject) for reject in rejects])


CHUNK = 500
"""Rows per transaction: a crash leaves whole chunks, counted, and the next run goes on after them."""

TRIES = 3

AWAITING = SQL("""
    SELECT count(*) AS rows FROM quarry.embedding_queue WHERE tenant = %(tenant)s AND corpus = %(corpus)s
""")


def write(
    rows: Iterator[Accepted[Row] | Rejected],
    kind: Kind,
    report: IngestReport,
    *,
    may_go_on: Callable[[], bool] = lambda: True,
    ended: Callable[[], str] = lambda: "",
) -> IngestReport:
    """Adds ``rows``, those after ``report.rows_read``, to the account, and closes it after the last one; then
    ``ended`` notes in the report what reading showed, and gives the file's checksum.

    Raises Conflict when another run has gone on with the same account.
    """
    for chunk in chunks(rows, identity_of=kind.identity, size=CHUNK):
        if not may_go_on():
            return report
        _write_chunk(chunk, kind, report)
    if not may_go_on():
        return report
    digest = ended()
    with database.transaction(report.tenant) as connection:
        connection.execute(undo.NOTE, {"ingest": str(report.ingest_id)})
        if report.replaces and not report.rejected and report.stopped is None:
            report.removed, kept = undo.take_out_unnamed(connection, kind, **report.whose)
            report.kept = kept[:SHOWN]
        if kind.outdated is not None:
            report.removed += connection.execute(kind.outdated, {"tenant": report.tenant}).rowcount
        if kind.after is not None:
            connection.execute(kind.after, {"tenant": report.tenant})
        connection.execute(undo.NOTE, {"ingest": ""})
        for link in kind.links:
            connection.execute(link, {"tenant": report.tenant})
        if kind.doubts is not None:
            report.doubts += [row["told"] for row in connection.execute(kind.doubts, report.whose)]
        if kind.corpus is not None:
            [awaiting] = connection.execute(AWAITING, {"tenant": report.tenant, "corpus": kind.corpus})
            report.awaiting_embedding = awaiting["rows"]
        finish(connection, report, sha256=digest)
    return report


def _write_chunk(chunk: list[Accepted[Row] | Rejected], kind: Kind, report: IngestReport) -> None:
    accepted = [item for item in chunk if isinstance(item, Accepted)]
    rejects = [item for item in chunk if isinstance(item, Rejected)]
    for attempt in range(1, TRIES + 1):
        try:
            with database.transaction(report.tenant) as connection:
                connection.execute(undo.NOTE, {"ingest": str(report.ingest_id)})
                # A file that is the whole truth says by silence that there is nothing.
                whole, unfit = (
                    (accepted, []) if report.replaces else completed(connection, accepted, kind, tenant=report.tenant)
                )
                whole = [_derived(item, kind) for item in whole]
                good, orphans = _split(connection, whole, kind, tenant=report.tenant)
                orphans += unfit
                inserted, updated, refused = _upsert(connection, good, kind, tenant=report.tenant)
                written = len(good) - len(refused)
                if report.replaces:
                    undo.name_rows(connection, [item.row for item in good], kind, **report.whose)
                repeated = any(item.repeats is not None for item in good)
                counted = {
                    "rows_read": len(chunk),
                    "inserted": 0 if repeated else inserted,
                    "updated": 0 if repeated else updated,
                    "unchanged": 0 if repeated else written - inserted - updated,
                    "rejected": len(rejects) + len(orphans) + len(refused),
                    "merged": written if repeated else 0,
                    "repaired": sum(1 for item in whole if item.repair is not None),
                }
                rejected = sorted(rejects + orphans + refused, key=lambda item: item.line)
                advance(connection, report, counted, rejects=rejected)
            break
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            if attempt == TRIES:
                raise
    add(report, counted, rejects=rejected, accepted=whole)


def _derived(item: Accepted[Row], kind: Kind) -> Accepted[Row]:
    found = kind.derived(item.row) if kind.derived is not None else None
    if found is None:
        return item
    row, said = found
    return replace(item, row=row, repair="; ".join(filter(None, (item.repair, said))))


def _split(
    connection: database.Connection, chunk: list[Accepted[Row]], kind: Kind, *, tenant: str
) -> tuple[list[Accepted[Row]], list[Rejected]]:
    """(rows to write, rows that refer to something absent)."""
    if kind.missing is None or not chunk:
        return chunk, []
    found = connection.execute(kind.missing, {"tenant": tenant, "rows": _json(chunk)}).fetchall()
    reasons = {row["index"]: row["reason"] for row in found}
    orphans = [refused(chunk[index], reason) for index, reason in sorted(reasons.items())]
    return [item for index, item in enumerate(chunk) if index not in reasons], orphans


# What only the database finds out about a row: a key too long for an index, a number too large for its column.
UNFIT = (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded)


def _upsert(
    connection: database.Connection, rows: list[Accepted[Row]], kind: Kind, *, tenant: str
) -> tuple[int, int, list[Rejected]]:
    """(inserted, updated, rows that the database refuses): halves are tried until each of those stands alone."""
    if not rows:
        return 0, 0, []
    try:
        with connection.transaction():
            changed = connection.execute(kind.writing, {"tenant": tenant, "rows": _json(rows)}).fetchall()
    except UNFIT as error:
        if len(rows) == 1:
            return 0, 0, [refused(rows[0], f"the database refuses the row: {error.diag.message_primary}")]
        half = len(rows) // 2
        first = _upsert(connection, rows[:half], kind, tenant=tenant)
        second = _upsert(connection, rows[half:], kind, tenant=tenant)
        return first[0] + second[0], first[1] + second[1], first[2] + second[2]
    inserted = sum(row["inserted"] for row in changed)
    return inserted, len(changed) - inserted, []


def _json(items: list[Accepted[Row]]) -> Jsonb:
    return Jsonb([item.row.model_dump(mode="json") for item in items])
