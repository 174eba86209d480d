"""Numbers without gaps, one row per tenant, kind and year."""

from psycopg.sql import SQL

from quarry.data.database import Connection

TAKE = SQL("""
    INSERT INTO cpq.counters AS c (tenant, kind, year, last) VALUES (%(tenant)s, %(kind)s, %(year)s, 1)
    ON CONFLICT (tenant, kind, year) DO UPDATE SET last = c.last + 1
    RETURNING last
""")


def next_id(connection: Connection, tenant: str, *, prefix: str, year: int) -> str:
    """The next ``<prefix>-<year>-<number>``; others wait until this transaction ends, and a rollback gives it back.

    So take it late, right before the insert that uses it.
    """
    row = connection.execute(TAKE, {"tenant": tenant, "kind": prefix, "year": year}).fetchone()
    if row is None:
        raise AssertionError("an upsert returns its row")
    return f"{prefix}-{year}-{row['last']:04}"
