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


REMEMBERED = SQL("""
    SELECT mapping FROM quarry.ingest_mappings
    WHERE tenant = %(tenant)s AND kind = %(kind)s ORDER BY updated_at DESC, shape
""")

MAPPINGS = Kind(
    name="mappings",
    row=MappingRow,
    key=("kind", "shape"),
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
