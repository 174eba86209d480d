"""The mappings that a tenant has used, which read its next file of the same columns."""

from psycopg.sql import SQL
from pydantic import Field

from operations.tables.mapping import Mapping
from quarry.data import database
from quarry.ingestion import Kind, Row


class MappingRow(Row):
    """A mapping as the TOML file has it, with what it is found by."""

    kind: str = Field(min_length=1, max_length=100)
    shape: str = Field(min_length=1, max_length=20_000)
    mapping: str = Field(min_length=1, max_length=500_000)


UPSERT = SQL("""
    INSERT INTO quarry.ingest_mappings AS t (tenant, kind, shape, mapping)
    SELECT %(tenant)s, r.kind, r.shape, r.mapping
    FROM jsonb_to_recordset(%(rows)s) AS r (kind text, shape text, mapping text)
    ON CONFLICT (tenant, kind, shape) DO UPDATE SET mapping = excluded.mapping, updated_at = now()
    WHERE t.mapping <> excluded.mapping
    RETURNING (t.xmax = 0) AS inserted
""")
REMEMBERED = SQL("""
    SELECT mapping FROM quarry.ingest_mappings
    WHERE tenant = %(tenant)s AND kind = %(kind)s ORDER BY updated_at DESC, shape
""")

MAPPINGS = Kind(
    name="mappings",
    row=MappingRow,
    key=("kind", "shape"),
    upsert=UPSERT,
    table="quarry.ingest_mappings",
    replaceable=False,
    primary_key=("kind", "shape"),
)


def mappings_of(tenant: str, *, kind: str) -> list[Mapping]:
    """The newest first."""
    with database.transaction(tenant) as connection:
        rows = connection.execute(REMEMBERED, {"tenant": tenant, "kind": kind}).fetchall()
    return [Mapping.parse(row["mapping"], source=f"remembered for {kind}") for row in rows]


def as_record(text: str) -> dict[str, str]:
    """Raises ValidationFailed."""
    mapping = Mapping.parse(text, source="file")
    return {"kind": mapping.kind, "shape": mapping.shape, "mapping": text}
