"""What Postgres' catalogue says of this system's tables: columns, keys, policies and rights."""

from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier

SCHEMAS = ("quarry", "search", "equipment", "quotes", "stories", "highlights", "knowledge", "cpq")

TENANT_TABLES = SQL("""
    SELECT n.nspname AS schema, c.relname AS name, (
        SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped)
    ORDER BY 1, 2
""")

GRANTED = SQL("""
    SELECT column_name AS name FROM unnest(%(columns)s::text[]) AS column_name
    WHERE has_column_privilege(%(table)s, column_name, %(right)s)
""")


@dataclass(frozen=True, slots=True)
class Table:
    """``columns`` are those that are not computed."""

    schema: str
    name: str
    columns: list[str]

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def name_in_sql(self) -> Composed:
        return SQL("{}").format(Identifier(self.schema, self.name))

    def granted(self, connection: Connection[Any], right: str) -> list[str]:
        """Columns on which the connection's role has it; none where it does not even reach the schema."""
        with connection.transaction():
            reached = connection.execute("SELECT has_schema_privilege(%s, 'USAGE') AS yes", [self.schema]).fetchone()
            if not reached or not reached["yes"]:
                return []
            named = {"columns": self.columns, "table": str(self), "right": right}
            return [row["name"] for row in connection.execute(GRANTED, named)]
