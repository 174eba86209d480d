"""SQL of printed quotes; every statement runs in a tenant's transaction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from cpq.documents.composition import StoredQuote
from cpq.model import Language, QuoteVersion
from cpq.quotes import queries as quotes
from cpq.quotes.queries import SELECT_VERSION
from quarry.data.database import Connection, row_of

# Pricing and deciding lock this row for writing, so header, lines and approvals are read as one state.
HOLD = SQL("SELECT id FROM cpq.quotes WHERE tenant = quarry.current_tenant() AND id = %(quote_id)s FOR SHARE")
HOUSE = SQL("SELECT language, country, facts FROM quarry.house WHERE tenant = quarry.current_tenant()")
# The role that decides reads of its house how it writes, and no more.
LANGUAGE_OF_HOUSE = SQL("SELECT language, country FROM quarry.house WHERE tenant = quarry.current_tenant()")
PRODUCT_NAMES = SQL("""
    SELECT id, names ->> %(language)s AS name FROM cpq.products
    WHERE tenant = quarry.current_tenant() AND id = ANY(%(product_ids)s) AND names ->> %(language)s IS NOT NULL
""")
AGREED_BEFORE = SQL("""
    {select}
    WHERE q.tenant = quarry.current_tenant() AND v.priced_at < %(priced_at)s AND (
        q.id = %(quote_id)s AND v.version < %(version)s
        OR q.id <> %(quote_id)s AND q.account_id = %(account_id)s AND v.status IN ('approved', 'sent') AND EXISTS (
            SELECT 1 FROM cpq.quote_lines l
            WHERE l.tenant = v.tenant AND l.quote_id = v.quote_id AND l.version = v.version
                AND l.product_id = ANY(%(product_ids)s)))
    ORDER BY q.id = %(quote_id)s, v.priced_at DESC, q.id DESC LIMIT 1
""").format(select=SELECT_VERSION)
STORED = SQL("""
    SELECT bucket, key, sha256, bytes, generated_at FROM cpq.documents
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
        AND template = %(template)s AND (options_sha256 = %(options_sha256)s OR %(in_any_letterhead)s
            AND options - '{letterhead,language,product_names}'::text[]
                = %(options)s::jsonb - '{letterhead,language,product_names}'::text[])
    ORDER BY generated_at DESC LIMIT 1
""")
# Of two documents made at once the first stays; another object replaces it only when the first one's was lost.
STORE = SQL("""
    INSERT INTO cpq.documents AS d (tenant, quote_id, version, template, options_sha256, options, bucket, key, sha256,
        bytes, generated_by)
    VALUES (quarry.current_tenant(), %(quote_id)s, %(version)s, %(template)s, %(options_sha256)s, %(options)s,
        %(bucket)s, %(key)s, %(sha256)s, %(bytes)s, %(generated_by)s)
    ON CONFLICT (tenant, quote_id, version, template, options_sha256) DO UPDATE
    SET bucket = excluded.bucket, key = excluded.key, sha256 = excluded.sha256, bytes = excluded.bytes,
        generated_at = CASE WHEN d.key = excluded.key THEN d.generated_at ELSE excluded.generated_at END,
        generated_by = CASE WHEN d.key = excluded.key THEN d.generated_by ELSE excluded.generated_by END
    RETURNING bucket, key, sha256, bytes, generated_at, generated_at = now() AS is_new
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document in the bucket; ``generated_at`` is when it was first made."""

    bucket: str
    key: str
    sha256: str
    bytes: int
    generated_at: datetime


def current(connection: Connection, *, quote_id: str) -> QuoteVersion | None:
    """Returns the newest version with its trace, and keeps the quote from changing until the transaction ends."""
    if connection.execute(HOLD, {"quote_id": quote_id}).fetchone() is None:
        return None
    return quotes.version(connection, quote_id=quote_id)


def language_of_house(connection: Connection) -> tuple[Language, str]:
    """Returns the house's language, or English, because labels have to be in some language, and its country or ""."""
    row = connection.execute(LANGUAGE_OF_HOUSE).fetchone() or {}
    return row.get("language") or "en", row.get("country") or ""


def with_lines(connection: Connection, version: QuoteVersion) -> StoredQuote:
    lines = quotes.lines(connection, quote_id=version.quote_id, version=version.version)
    return StoredQuote(version=version, lines=lines)


def house(connection: Connection) -> Mapping[str, Any]:
    """Returns the house's language, country and facts; empty where nobody has entered a house."""
    return connection.execute(HOUSE).fetchone() or {}


def product_names(connection: Connection, *, product_ids: Iterable[str], language: Language) -> dict[str, str]:
    """Returns names of products in the language, by id; those without a name in it are left out."""
    named = {"product_ids": sorted(set(product_ids)), "language": language}
    return {row["id"]: row["name"] for row in connection.execute(PRODUCT_NAMES, named)}


def agreement_before(connection: Connection, version: QuoteVersion, *, product_ids: list[str]) -> QuoteVersion | None:
    """Returns the customer's newest approved quote with one of the products, else this quote's previous version."""
    named = {
        "quote_id": version.quote_id,
        "version": version.version,
        "account_id": version.account_id,
        "priced_at": version.priced_at,
        "product_ids": product_ids,
    }
    return row_of(connection, QuoteVersion, AGREED_BEFORE, named)


def stored(
    connection: Connection, *, options: dict[str, Any], in_any_letterhead: bool, **names: object
) -> StoredDocument | None:
    """Returns the newest document with these options on record; the bucket may no longer have it."""
    named = {**names, "options": Jsonb(options), "in_any_letterhead": in_any_letterhead}
    return row_of(connection, StoredDocument, STORED, named)


def store(connection: Connection, *, options: dict[str, Any], **fields: object) -> tuple[StoredDocument, bool]:
    """Returns the document that counts from now on, and whether it is new."""
    [row] = connection.execute(STORE, {**fields, "options": Jsonb(options)}).fetchall()
    is_new = row.pop("is_new")
    return StoredDocument(**row), is_new
