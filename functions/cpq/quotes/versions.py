"""Versions of a quote: locking for writers, the content hash that approvals are bound to, and giving a quote up."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from operator import attrgetter
from typing import Any

from psycopg.sql import SQL

from cpq import audit
from cpq.model import QuoteVersion, VersionLine
from cpq.quotes import queries
from cpq.quotes.queries import CurrentVersion, WholeQuote
from quarry.data.database import Connection
from quarry.money import plainly
from quarry.tool.errors import Conflict, NotFound
from quarry.tool.identity import Caller

HASHED_OF_VERSION = (
    "account",
    "currency",
    "term_months",
    "start_date",
    "end_date",
    "billing_frequency",
    "payment_terms",
    "valid_until",
    "notes",
    "subtotal",
    "discount_total",
    "tax_total",
    "total",
    "policy_evaluation",
)
HASHED_OF_LINE = (
    "id",
    "sort_order",
    "product_id",
    "sku",
    "product_name",
    "description",
    "quantity",
    "attributes",
    "notes",
    "unit",
    "allowance",
    "base_unit_price",
    "unit_price",
    "subtotal",
    "effective_discount_pct",
    "discount_amount",
    "tax_rate_pct",
    "tax_amount",
    "line_total",
)
HASHED_WITH_A_VALUE = ("allowance",)
"""Columns that came after versions had been hashed: without a value they stay out, so that those keep their hash."""


RELIED_ON = SQL("""
    SELECT
        EXISTS (
            SELECT FROM cpq.documents
            WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s) AS printed,
        EXISTS (
            SELECT FROM cpq.approval_requests
            WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND decided_at IS NOT NULL
                AND status <> 'rejected') AS approved,
        EXISTS (
            SELECT FROM cpq.quote_versions
            WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND sent_at IS NOT NULL) AS sent
""")


def lock(
    connection: Connection, *, quote_id: str, expected_version: int | None, account_id: str | None = None
) -> CurrentVersion:
    """Locks the quote, so that its writers go one after the other from here, and reads its newest version.

    Raises NotFound, and Conflict when the newest version is not the ``expected_version``, or the quote another's.
    """
    current = queries.locked(connection, quote_id=quote_id)
    if current is None:
        raise unknown(quote_id)
    if account_id not in (None, current.account_id):
        raise Conflict(
            f"{current.quote_id} is {current.account_id}'s, not {account_id}'s: nothing was done. Take the id that "
            "quote_create answered; account_search tells a customer's.",
            details={"account_id": current.account_id},
        )
    if expected_version not in (None, current.version):
        raise Conflict(
            f"{current.quote_id} is at version {current.version} ({current.status}), not {expected_version}: "
            "somebody changed it. Read it with quote_get, then try again.",
            details={"current_version": current.version, "status": current.status},
        )
    return current


def unknown(quote_id: str) -> NotFound:
    return NotFound(
        f"No quote '{quote_id}'. Take the id that quote_create answered; account_search tells a customer's. A past "
        "quote of the archive is get_quote's."
    )


def find(connection: Connection, *, quote_id: str, version: int | None = None) -> QuoteVersion:
    """Returns the version, or the newest. Raises NotFound."""
    found = queries.version(connection, quote_id=quote_id, version=version)
    if found is None:
        raise unknown(quote_id)
    return found


def whole(connection: Connection, *, quote_id: str, version: int | None = None) -> WholeQuote:
    """Returns the version, or the newest, with its lines. Raises NotFound, which names the versions there are."""
    found = queries.whole(connection, quote_id=quote_id, version=version)
    if found is not None:
        return found
    versions = [card.version for card in queries.history(connection, quote_id=quote_id)]
    if not versions:
        raise unknown(quote_id)
    raise NotFound(
        f"{quote_id} has no version {version}; it has {', '.join(map(str, versions))}.",
        details={"versions": versions},
    )


def hash_of_stored(connection: Connection, version: QuoteVersion) -> str:
    """Returns the content hash of the rows as they are now, which may differ from the hash on record."""
    return content_hash(version, queries.lines(connection, quote_id=version.quote_id, version=version.version))


def content_hash(version: QuoteVersion, lines: Sequence[VersionLine]) -> str:
    """Returns the SHA-256 in hex over all that the version says and asks for: what an approval is bound to.

    Ids of traces and times of runs stay out: the same content priced again has the same hash.
    """
    content = {
        "quote": _hashed(version, HASHED_OF_VERSION),
        "lines": [
            _hashed(line, HASHED_OF_LINE) | _whole(line) for line in sorted(lines, key=attrgetter("sort_order"))
        ],
    }
    return digest(content)


def digest(content: Mapping[str, Any]) -> str:
    """Returns the SHA-256 in hex of the content as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _hashed(row: QuoteVersion | VersionLine, columns: Sequence[str]) -> dict[str, Any]:
    values = {name: _plain(getattr(row, name)) for name in columns}
    return {name: value for name, value in values.items() if value is not None or name not in HASHED_WITH_A_VALUE}


def _whole(line: VersionLine) -> dict[str, int]:
    """A whole quantity, as it was written when there were no others, so that what was approved then stays so."""
    return {"quantity": int(line.quantity)} if line.quantity == int(line.quantity) else {}


def _plain(value: Any) -> Any:
    """Returns the value for JSON; equal numbers are written alike, whatever scale the database kept them with."""
    match value:
        case Decimal():
            return plainly(value)
        case date():
            return value.isoformat()
        case Mapping():
            return {key: _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case _:
            return value


def require_unused(connection: Connection, current: CurrentVersion) -> None:
    """Raises Conflict where the quote was sent, approved or printed, so that somebody may rely on it."""
    row = connection.execute(RELIED_ON, {"quote_id": current.quote_id}).fetchone() or {}
    relied_on = [word for word in ("sent", "approved", "printed") if row[word]]
    if relied_on:
        raise Conflict(
            f"{current.quote_id} was {relied_on[0]}, so somebody may rely on it, and it stays. Without discard its "
            "open requests are withdrawn; quote_create revises it.",
            details={"status": current.status},
        )


def discard(connection: Connection, current: CurrentVersion, *, reason: str, caller: Caller) -> None:
    """Gives the quote up for good; does nothing where it is discarded already."""
    if current.status == "discarded":
        return
    queries.set_status(connection, quote_id=current.quote_id, version=current.version, status="discarded")
    audit.record(
        connection,
        caller=caller,
        action="quote.discarded",
        quote_id=current.quote_id,
        before={"version": current.version, "status": current.status},
        after={"version": current.version, "status": "discarded", "reason": reason},
    )


def require_kept(current: CurrentVersion) -> None:
    """Raises Conflict for a quote that was discarded."""
    if current.status == "discarded":
        raise Conflict(
            f"{current.quote_id} was discarded and stays so. Draft another quote with quote_create.",
            details={"status": current.status},
        )
