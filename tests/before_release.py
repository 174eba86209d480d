"""A database as the migrations left it that one set by subject replaced before the first release."""

import psycopg
from psycopg.sql import SQL

from operations.migrations import FIRST_BEFORE_RELEASE, RECORD

ON_RECORD = SQL("""
    INSERT INTO quarry.migrations (version, name, sha256)
    SELECT version, 'of then', CASE version WHEN 1 THEN %s ELSE repeat('0', 64) END
    FROM generate_series(1, 18) AS version
""")


def migrate_as_before_release(owner_dsn: str) -> None:
    """The record alone: it is what a later release goes by."""
    with psycopg.connect(owner_dsn) as connection:
        connection.execute(RECORD)
        connection.execute(ON_RECORD, [FIRST_BEFORE_RELEASE])
