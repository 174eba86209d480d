"""The audit trail: one append-only row per change of state, chained by hashes tenant by tenant."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from quarry.data.database import Connection
from quarry.tool.identity import Caller

START = "0" * 64
"""The hash that the first row of a chain names as its predecessor's."""

BATCH = 2000

RECORD = SQL("""
    INSERT INTO cpq.audit (tenant, actor, action, subject_kind, subject_id, request_id, before, after)
    VALUES (quarry.current_tenant(), %(actor)s, %(action)s, %(kind)s, %(subject_id)s, %(request_id)s, %(before)s,
        %(after)s)
""")
ROWS = SQL("""
    SELECT seq, prev_hash, hash, tenant, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
        actor, action, subject_kind, subject_id, request_id, before::text AS before, after::text AS after
    FROM cpq.audit WHERE tenant = quarry.current_tenant() AND seq > %(after)s AND seq <= %(last)s
    ORDER BY seq LIMIT %(batch)s
""")
HEAD = SQL("""
    SELECT coalesce(max(h.seq), 0) AS seq, max(h.hash) AS hash, coalesce(max(a.last), 0) AS last
    FROM (SELECT max(seq) AS last FROM cpq.audit WHERE tenant = quarry.current_tenant()) a
    LEFT JOIN cpq.audit_heads h ON h.tenant = quarry.current_tenant()
""")


@dataclass(frozen=True, slots=True)
class ChainVerdict:
    """How a verification ended: ``rows`` are intact; ``broken_seq`` is the first that is not, ``reason`` says why."""

    rows: int
    broken_seq: int | None = None
    reason: str | None = None


def record(
    connection: Connection,
    *,
    caller: Caller,
    action: str,
    quote_id: str | None = None,
    draft_id: str | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None,
) -> None:
    """Appends what was done to the quote, or to the draft of a letter, to the tenant's chain.

    Call it last in a transaction, when every other lock is held: until the commit, the chain waits for it.
    """
    connection.execute(
        RECORD,
        {
            "actor": caller.subject,
            "action": action,
            "kind": "draft" if draft_id else "quote",
            "subject_id": draft_id or quote_id,
            "request_id": caller.request_id,
            "before": _stored(before),
            "after": _stored(after),
        },
    )


def verify(connection: Connection) -> ChainVerdict:
    """Computes the chain of the transaction's tenant anew, up to where it ends at this moment."""
    end = connection.execute(HEAD).fetchone() or {}
    previous, last = START, 0
    for row in _rows(connection, last=end["last"]):
        if row["seq"] != last + 1:
            return ChainVerdict(last, last + 1, f"row {last + 1} is missing")
        if row["prev_hash"] != previous:
            return ChainVerdict(last, row["seq"], "it does not follow the row before it")
        if hash_of(row) != row["hash"]:
            return ChainVerdict(last, row["seq"], "its content does not match its hash")
        previous, last = row["hash"], row["seq"]
    if (end["seq"], end["hash"] or START) != (last, previous):
        return ChainVerdict(last, last + 1, "the end of the chain is missing")
    return ChainVerdict(last)


def hash_of(row: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of a JSON array of the row's fields as text, previous hash first, as the trigger does."""
    fields = (row["prev_hash"], row["tenant"], str(row["seq"]), row["at"], row["actor"], row["request_id"])
    rest = (row["action"], row["subject_kind"], row["subject_id"], row["before"], row["after"])
    return hashlib.sha256(json.dumps([*fields, *rest], ensure_ascii=False).encode()).hexdigest()


def _rows(connection: Connection, *, last: int) -> Iterator[DictRow]:
    after = 0
    while rows := connection.execute(ROWS, {"after": after, "last": last, "batch": BATCH}).fetchall():
        yield from rows
        after = rows[-1]["seq"]


def _stored(state: Mapping[str, Any] | None) -> Jsonb | None:
    """Returns the state as JSON; Decimals, dates and the like are text in it, as in the results of tools."""
    return None if state is None else Jsonb(dict(state), dumps=lambda value: json.dumps(value, default=str))
