"""Takes an ingest back, and takes out rows that a file does not name although it is the whole truth of its kind."""

from dataclasses import dataclass
from typing import Any

from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from operations.tables.leftover import few
from quarry.data import database
from quarry.ingestion import Kind, Row
from quarry.tool.errors import Conflict, NotFound, ValidationFailed
from quotes.ingestion import LINK_PRODUCTS

INGESTS_KEPT = 50
"""This many of a tenant's newest ingests that changed anything can be undone, for DAYS_KEPT."""

DAYS_KEPT = 90
LISTED = 50
SHOWN = 20

# While this is set, triggers keep what rows were before.
NOTE = SQL("SELECT set_config('quarry.ingest', %(ingest)s, true)")

# By the keys that are stored: a file may name goods by SKU.
NAME = SQL("""
    INSERT INTO quarry.ingest_keys (tenant, ingest_id, key)
    SELECT %(tenant)s, %(ingest_id)s, (
        SELECT jsonb_agg(h.content::jsonb -> c.name ORDER BY c.place)
        FROM unnest(%(key)s::text[]) WITH ORDINALITY AS c (name, place))
    FROM ({held}) h ON CONFLICT DO NOTHING
""")
UNNAMED = SQL("""
    WITH held AS ({stored}),
    named AS (SELECT key FROM quarry.ingest_keys WHERE tenant = %(tenant)s AND ingest_id = %(ingest_id)s)
    SELECT quarry.columns_of(h.content, %(primary_key)s) AS key
    FROM held h
    WHERE (SELECT jsonb_agg(h.content -> c.name ORDER BY c.place)
           FROM unnest(%(key)s::text[]) WITH ORDINALITY AS c (name, place)) NOT IN (SELECT key FROM named)
      AND (%(whole_of)s::integer IS NULL
           OR h.content -> (%(key)s::text[])[%(whole_of)s + 1] IN (SELECT n.key -> %(whole_of)s FROM named n))
""")
TAKE_OUT = SQL("SELECT quarry.take_out_unnamed(%(ingest_id)s, %(keys)s) AS kept")
FORGET_NAMES = SQL("DELETE FROM quarry.ingest_keys WHERE tenant = %(tenant)s AND ingest_id = %(ingest_id)s")
FORGET_OLD = SQL("""
    DELETE FROM quarry.ingest_changes c USING quarry.ingests i
    WHERE i.tenant = %(tenant)s AND c.tenant = i.tenant AND c.ingest_id = i.id
      AND (i.started_at < now() - make_interval(days => %(days)s)
           OR i.id <= (SELECT o.id FROM quarry.ingests o WHERE o.tenant = %(tenant)s AND EXISTS (
                           SELECT FROM quarry.ingest_changes k WHERE k.tenant = o.tenant AND k.ingest_id = o.id)
                       ORDER BY o.id DESC OFFSET %(most)s LIMIT 1))
""")
LIST = SQL("""
    SELECT i.id AS ingest_id, i.kind, i.source, regexp_replace(i.source, '^s3://([^/]+/){3}', '') AS file,
        i.started_at, i.finished_at, i.rows_read, i.inserted, i.updated, i.unchanged,
        i.rejected, i.merged, i.removed, i.replaces, i.undone_at, i.stopped,
        EXISTS (SELECT FROM quarry.ingest_changes c WHERE c.tenant = i.tenant AND c.ingest_id = i.id) AS can_be_undone
    FROM quarry.ingests i WHERE i.tenant = %(tenant)s AND (%(before)s::bigint IS NULL OR i.id < %(before)s)
    ORDER BY i.id DESC LIMIT %(most)s
""")
ONE = SQL("""
    SELECT kind, undone_at, inserted + updated + removed AS changed FROM quarry.ingests
    WHERE tenant = %(tenant)s AND id = %(ingest_id)s FOR UPDATE
""")
# A price that an ingest ended comes back only where no later one has put another in its place.
LATER = SQL("""
    SELECT ingest_id FROM quarry.in_the_way_of_undoing(%(ingest_id)s) AS ingest_id
    UNION
    SELECT l.ingest_id FROM quarry.ingest_changes c JOIN quarry.ingest_changes l
        ON l.tenant = c.tenant AND l.relation = c.relation AND l.ingest_id > c.ingest_id AND l.before IS NULL
        AND l.key - 'version' = c.key - 'version'
    WHERE c.tenant = %(tenant)s AND c.ingest_id = %(ingest_id)s AND c.relation = 'cpq.price_book_entries'
    ORDER BY ingest_id
""")
# Rows of later ingests may refer to what this one brought; those have to go first, and never silently.
HANGING = SQL("""
    WITH brought AS (
        SELECT relation, key FROM quarry.ingest_changes
        WHERE tenant = %(tenant)s AND ingest_id = %(ingest_id)s AND before IS NULL)
    SELECT 'line_items' AS kind, count(*) AS rows FROM brought b
    JOIN quotes.line_items l ON l.tenant = %(tenant)s AND l.quote_id = (b.key ->> 'id')::bigint
    WHERE b.relation = 'quotes.past_quotes' HAVING count(*) > 0
    UNION ALL
    SELECT 'product_relationships', count(*) FROM brought b
    JOIN cpq.product_relationships r ON r.tenant = %(tenant)s AND b.key ->> 'id' IN (r.product_id, r.related_id)
    WHERE b.relation = 'cpq.products' HAVING count(*) > 0
    UNION ALL
    SELECT 'prices', count(*) FROM brought b
    JOIN cpq.price_book_entries e ON e.tenant = %(tenant)s AND e.superseded_at IS NULL
        AND b.key ->> 'id' = CASE b.relation WHEN 'cpq.products' THEN e.product_id ELSE e.price_book_id END
    WHERE b.relation IN ('cpq.products', 'cpq.price_books') HAVING count(*) > 0
    UNION ALL
    SELECT 'accounts', count(*) FROM brought b
    JOIN cpq.discount_policies p ON p.tenant = %(tenant)s AND p.id = b.key ->> 'id'
    JOIN cpq.accounts a ON a.tenant = %(tenant)s AND a.segment = p.segment
    WHERE b.relation = 'cpq.discount_policies' HAVING count(*) > 0
    UNION ALL
    SELECT 'discounts', count(*) FROM brought b
    LEFT JOIN cpq.discount_policies p ON p.tenant = %(tenant)s AND p.id = b.key ->> 'id'
    JOIN cpq.discounts d ON d.tenant = %(tenant)s
        AND CASE b.relation WHEN 'cpq.accounts' THEN d.account_id = b.key ->> 'id' ELSE d.segment = p.segment END
    WHERE b.relation IN ('cpq.accounts', 'cpq.discount_policies') HAVING count(*) > 0
    UNION ALL
    SELECT split_part(v.corpus, '.', 2), count(DISTINCT v.doc) FROM brought b
    JOIN search.attribute_values v ON v.tenant = %(tenant)s AND v.attribute = b.key ->> 'name'
        AND v.corpus IN ('equipment.products', 'quotes.line_items')
    WHERE b.relation = 'search.attributes' GROUP BY v.corpus
    UNION ALL
    SELECT f.kind, count(*) FROM brought b
    JOIN (SELECT 'products' AS kind, p.family FROM equipment.products p WHERE p.tenant = %(tenant)s
          UNION ALL
          SELECT 'line_items', l.family FROM quotes.line_items l WHERE l.tenant = %(tenant)s) f
        ON f.family = b.key ->> 'family'
    WHERE b.relation = 'search.families' GROUP BY f.kind
""")
MOST_QUOTES = 10
QUOTES = SQL("SELECT quote_id FROM quarry.quotes_relying_on(%(relation)s, %(keys)s) AS quote_id")
UNDO = SQL("SELECT relation, removed, restored, kept FROM quarry.undo_ingest(%(ingest_id)s)")


@dataclass(frozen=True, slots=True)
class Undone:
    """``kept`` names rows that stay, deactivated, because quotes rely on them, as {table, key}; ``quotes`` has the
    numbers of such quotes, of prices those that were priced by them.
    """

    ingest_id: int
    removed: int
    restored: int
    kept: list[dict[str, Any]]
    kept_rows: int
    quotes: str


def name_rows(connection: database.Connection, rows: list[Row], kind: Kind, *, tenant: str, ingest_id: int) -> None:
    dumped = [row.model_dump(mode="json") for row in rows]
    keys = Jsonb([{name: row[name] for name in kind.key} for row in dumped])
    asked = {"tenant": tenant, "ingest_id": ingest_id, "key": list(kind.key), "keys": keys}
    connection.execute(NAME.format(held=kind.rows_of_keys), asked)


def take_out_unnamed(
    connection: database.Connection, kind: Kind, *, tenant: str, ingest_id: int
) -> tuple[int, list[dict[str, Any]]]:
    """Returns (how many rows were deleted or deactivated, the keys of those deactivated)."""
    asked = {
        "tenant": tenant,
        "ingest_id": ingest_id,
        "key": list(kind.key),
        "primary_key": list(kind.primary_key),
        "whole_of": None if kind.whole_of is None else kind.key.index(kind.whole_of),
    }
    keys = [row["key"] for row in connection.execute(UNNAMED.format(stored=kind.rows_held), asked)]
    connection.execute(FORGET_NAMES, asked)
    if not keys:
        return 0, []
    [kept] = connection.execute(TAKE_OUT, {**asked, "keys": Jsonb(keys)})
    return len(keys), kept["kept"]


def ingests(tenant: str, *, before: int | None = None, most: int = LISTED) -> list[dict[str, Any]]:
    """Returns the newest first, with ``before`` only those of lower numbers."""
    rows = database.fetch(tenant, LIST, {"tenant": tenant, "before": before, "most": most})
    return [
        {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()}
        for row in rows
    ]


def undo(ingest_id: int, *, tenant: str) -> Undone:
    """Brings every field that the ingest changed back to what it was; other fields of the same rows, which later
    ingests changed, stay as they are. Raises NotFound, ValidationFailed, Conflict.
    """
    asked = {"tenant": tenant, "ingest_id": ingest_id}
    with database.transaction(tenant) as connection:
        account = connection.execute(ONE, asked).fetchone()
        if account is None:
            raise NotFound(f"Tenant '{tenant}' has no ingest {ingest_id}.")
        if account["undone_at"] is not None:
            raise ValidationFailed(f"Ingest {ingest_id} was undone at {account['undone_at']:%Y-%m-%d %H:%M} UTC.")
        _refuse_what_others_built_on(connection, asked)
        parts = connection.execute(UNDO, asked).fetchall()
        if account["changed"] and not parts:
            raise ValidationFailed(
                f"What ingest {ingest_id} changed is no longer kept: the newest {INGESTS_KEPT} ingests of "
                f"{DAYS_KEPT} days can be undone. Restore a backup, or ingest the earlier file with REPLACE=1; "
                "make undo DOCUMENT=… takes out a document."
            )
        connection.execute(LINK_PRODUCTS, {"tenant": tenant})
        quotes = {
            row["quote_id"]
            for part in parts
            if part["kept"]
            for row in connection.execute(QUOTES, {"relation": part["relation"], "keys": Jsonb(part["kept"])})
        }
    kept = [{"table": part["relation"], "key": key} for part in parts for key in part["kept"]]
    return Undone(
        ingest_id=ingest_id,
        removed=sum(part["removed"] for part in parts),
        restored=sum(part["restored"] for part in parts),
        kept=kept[:SHOWN],
        kept_rows=len(kept),
        quotes=few(sorted(quotes), most=MOST_QUOTES),
    )


def _refuse_what_others_built_on(connection: database.Connection, asked: dict[str, Any]) -> None:
    ingest_id = asked["ingest_id"]
    later = [str(row["ingest_id"]) for row in connection.execute(LATER, asked)]
    if later:
        raise Conflict(
            f"Ingest {', '.join(later)} changed rows of ingest {ingest_id} again: undo the newer first, newest first."
        )
    hanging = [f"{row['rows']} {row['kind']}" for row in connection.execute(HANGING, asked)]
    if hanging:
        raise Conflict(
            f"{' and '.join(hanging)} refer to what ingest {ingest_id} brought: undo first what brought them."
        )
