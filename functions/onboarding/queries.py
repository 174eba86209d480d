"""SQL of the onboarding toolset: what a check changed before its rollback, which load it became, and stored rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from operations.tables.mapping import UPSERT, as_record
from quarry.data.database import ADD_TENANT, Connection, fetch, transaction
from quarry.ingestion import Kind

CHANGED_FIELDS = SQL("""
    SELECT f.field, count(*) AS rows
    FROM quarry.ingest_changes c
    CROSS JOIN LATERAL jsonb_populate_record(NULL::{table}, c.key) k
    JOIN {table} t ON t.tenant = c.tenant AND ({held}) = ({named})
    CROSS JOIN LATERAL unnest(quarry.changed_fields(c.relation, c.before, to_jsonb(t))) AS f (field)
    WHERE c.tenant = %(tenant)s AND c.ingest_id = %(ingest_id)s AND c.relation = %(relation)s AND c.before IS NOT NULL
    GROUP BY f.field ORDER BY rows DESC, f.field
""")
LOADED = SQL("""
    SELECT id AS ingest_id, kind, source, rows_read, inserted, updated, unchanged, merged, rejected, removed
    FROM quarry.ingests
    WHERE tenant = %(tenant)s AND request_id = %(check_id)s AND finished_at IS NOT NULL AND undone_at IS NULL
        AND stopped IS NULL
    ORDER BY id DESC LIMIT 1
""")
NEWEST_LOAD = SQL(
    "SELECT max(id) AS newest FROM quarry.ingests WHERE tenant = %(tenant)s AND finished_at IS NOT NULL"
)
ONE_LOAD = SQL("SELECT kind, undone_at FROM quarry.ingests WHERE tenant = %(tenant)s AND id = %(load_id)s")
GOODS = SQL("SELECT family, attributes FROM {} WHERE tenant = %(tenant)s ORDER BY id LIMIT %(most)s")

SUMS = SQL("""
    SELECT q.quote_number, q.total_price, sum(coalesce(l.extended_price, l.quantity * l.unit_price)) AS lines
    FROM quotes.past_quotes q JOIN quotes.line_items l ON l.tenant = q.tenant AND l.quote_id = q.id AND NOT l.optional
    WHERE q.tenant = %(tenant)s AND q.quote_number = ANY (%(numbers)s)
    GROUP BY q.id
    HAVING abs(sum(coalesce(l.extended_price, l.quantity * l.unit_price)) - q.total_price) >= 0.01
    ORDER BY q.quote_number
""")
COMPANIES = SQL("""
    SELECT customer AS name, company_key AS key FROM quotes.past_quotes WHERE tenant = %(tenant)s
    UNION SELECT name, company_key FROM cpq.accounts WHERE tenant = %(tenant)s
    UNION SELECT name, search.company_key(name) FROM unnest(%(names)s::text[]) AS said (name)
""")
SAME_MODELS = SQL("""
    SELECT said.model, string_agg(DISTINCT stored.model, ', ') AS others
    FROM unnest(%(models)s::text[]) AS said (model)
    CROSS JOIN LATERAL (
        SELECT model FROM equipment.products WHERE tenant = %(tenant)s AND model_key = equipment.model_key(said.model)
        UNION SELECT model FROM quotes.line_items
        WHERE tenant = %(tenant)s AND model_key = equipment.model_key(said.model)) stored
    WHERE stored.model <> said.model GROUP BY said.model
""")


def changes(connection: Connection, kind: Kind, *, tenant: str, ingest_id: int) -> list[str]:
    """Tells in how many stored rows the load changed which field."""
    asked = {"tenant": tenant, "ingest_id": ingest_id, "relation": kind.table}
    if kind.changes is not None:
        return [row["told"] for row in connection.execute(kind.changes, asked)]
    query = CHANGED_FIELDS.format(
        table=Identifier(*kind.table.split(".")),
        held=SQL(", ").join(SQL("t.{}").format(Identifier(name)) for name in kind.primary_key),
        named=SQL(", ").join(SQL("k.{}").format(Identifier(name)) for name in kind.primary_key),
    )
    return [f"{row['field']}: {row['rows']}" for row in connection.execute(query, asked)]


def loaded(tenant: str, check_id: str) -> Mapping[str, Any] | None:
    """Returns the finished load of a check, if it was neither stopped nor undone."""
    return next(iter(fetch(tenant, LOADED, {"tenant": tenant, "check_id": check_id})), None)


def newest_load(tenant: str) -> int | None:
    [row] = fetch(tenant, NEWEST_LOAD, {"tenant": tenant})
    return row["newest"]  # type: ignore[no-any-return]  # an id


def one_load(tenant: str, load_id: int) -> Mapping[str, Any] | None:
    return next(iter(fetch(tenant, ONE_LOAD, {"tenant": tenant, "load_id": load_id})), None)


def remember(tenant: str, mapping: str) -> None:
    """Stores the mapping, by which next year's file is read."""
    with transaction(tenant) as connection:
        connection.execute(ADD_TENANT, {"tenant": tenant})
        connection.execute(UPSERT, {"tenant": tenant, "rows": Jsonb([as_record(mapping)])})


def stored_goods(tenant: str, kind: Kind, *, most: int) -> list[dict[str, Any]]:
    return fetch(tenant, GOODS.format(Identifier(*kind.table.split("."))), {"tenant": tenant, "most": most})


def sums(connection: Connection, tenant: str, numbers: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the quotes whose lines, without options, do not add up to their total, with both figures."""
    return connection.execute(SUMS, {"tenant": tenant, "numbers": numbers}).fetchall()


def companies(connection: Connection, tenant: str, names: Sequence[str]) -> dict[str, str]:
    """Returns, by stored name and by each of ``names``, the key that all spellings of one company share."""
    return {
        row["name"]: row["key"] or "" for row in connection.execute(COMPANIES, {"tenant": tenant, "names": names})
    }


def same_models(connection: Connection, tenant: str, models: Sequence[str]) -> dict[str, str]:
    """Returns, by model, the different stored spellings of the same letters and digits."""
    found = connection.execute(SAME_MODELS, {"tenant": tenant, "models": models})
    return {row["model"]: row["others"] for row in found}
