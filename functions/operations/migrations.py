"""Forward-only migrations: numbered SQL files, checksums, one at a time under an advisory lock."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.sql import SQL

from quarry.tool.errors import Conflict, ValidationFailed

LOCK = 7_246_177_001
"""Any number; all migrators of a database have to agree on it."""

LOCK_TIMEOUT_MS = 5_000
"""A migration that waits for a lock makes everybody queue behind it: it gives up, and the functions go on."""

LOCK_TRIES = 6

OUTSIDE = re.compile(r"^-- outside a transaction\b")
"""The first line of a migration whose one statement builds or drops an index CONCURRENTLY."""

SCHEMA = "schema.sql"
"""This file stands beside the migrations for people to read, and is not one of them."""

FILE_NAME = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")

RECORD = SQL("""
    CREATE SCHEMA IF NOT EXISTS quarry;
    CREATE TABLE IF NOT EXISTS quarry.migrations (
        version integer PRIMARY KEY,
        name text NOT NULL,
        sha256 text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now())
""")


END_APPROVERS_SESSIONS = SQL("""
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = 'quarry_approve'
""")

VERSIONS = SQL("""
    SELECT current_setting('server_version'), installed_version, default_version,
        to_regclass('quarry.migrations') IS NOT NULL
    FROM pg_available_extensions WHERE name = 'vector'
""")
LIMIT_CONNECTIONS = SQL("""
    DO $$
    DECLARE
        share record;
    BEGIN
        FOR share IN
            SELECT role, most FROM (
                SELECT role, current_setting('max_connections')::integer * tenths / 10 AS most
                FROM (VALUES ('quarry_read', 6), ('quarry_write', 6), ('quarry_ingest', 3), ('quarry_approve', 3),
                    ('quarry_keys', 1)) AS shares (role, tenths)) AS wanted
            JOIN pg_roles ON rolname = role AND rolconnlimit <> most
        LOOP
            EXECUTE format('ALTER ROLE %I CONNECTION LIMIT %s', share.role, share.most);
        END LOOP;
    END $$
""")
"""Sets each role's share of max_connections, which a larger instance changes: migration 0024 has the reasons."""

NOTE = SQL("INSERT INTO quarry.migrations (version, name, sha256) VALUES (%s, %s, %s)")


class Ahead(Conflict):
    """The database has migrations of a newer release."""


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read(directory: Path) -> list[Migration]:
    """All migrations, in order. Raises ValidationFailed on a gap, a wrong name or number, or an empty folder."""
    found = sorted(path for path in directory.glob("*.sql") if path.name != SCHEMA)
    numbers = [int(path.name[:4]) if FILE_NAME.match(path.name) else None for path in found]
    if numbers != list(range(1, len(found) + 1)) or not found:
        raise ValidationFailed(
            f"Migrations in {directory} have to be named 0001_name.sql and numbered 0001, 0002, … without gaps; "
            f"found {[path.name for path in found]}."
        )
    return [Migration(version, path.stem, path.read_text("utf-8")) for version, path in enumerate(found, start=1)]


def apply(
    connection: psycopg.Connection[Any], migrations: Sequence[Migration], *, model: str, dimensions: int
) -> list[str]:
    """Applies what is missing, each in its own transaction, and returns the names. Needs autocommit.

    ``model`` and ``dimensions`` go on record with the first migration; see ``model_on_record`` for later changes.
    Raises Conflict when a migration fails or gets no lock and when an applied one was edited, and Ahead when the
    database knows more than these files.
    """
    connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    try:
        connection.execute(RECORD)
        rows = connection.execute("SELECT version, sha256 FROM quarry.migrations ORDER BY version").fetchall()
        applied = {row[0]: row[1] for row in rows}
        _refuse_rewritten_history(applied, migrations)
        # A newer Postgres brings a newer pgvector, but a database keeps the objects of the version that made them.
        if connection.execute(
            "SELECT FROM pg_available_extensions WHERE name = 'vector' AND installed_version <> default_version"
        ).rowcount:
            connection.execute("ALTER EXTENSION vector UPDATE")
        # A session knows pgvector's settings once it has used it; only a superuser gives roles unknown settings.
        if connection.execute("SELECT FROM pg_extension WHERE extname = 'vector'").rowcount:
            connection.execute("SELECT '[1]'::vector")
        done = []
        for migration in migrations:
            if migration.version in applied:
                continue
            _apply_one(connection, migration, model=model, dimensions=dimensions)
            done.append(migration.name)
        connection.execute(LIMIT_CONNECTIONS)
        return done
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _apply_one(connection: psycopg.Connection[Any], migration: Migration, *, model: str, dimensions: int) -> None:
    try:
        connection.execute("SELECT set_config('lock_timeout', %s, false)", [str(LOCK_TIMEOUT_MS)])
        if OUTSIDE.match(migration.sql):
            # Recorded after it ran, because a half-built index must not count as done.
            connection.execute(SQL(migration.sql))
            connection.execute(NOTE, _as_row(migration))
            return
        _with_retries(connection, migration, model=model, dimensions=dimensions)
    except psycopg.errors.LockNotAvailable as error:
        raise Conflict(
            f"Migration {migration.name} waited {LOCK_TRIES} times for a lock and left nothing of itself: deploy "
            "again when long transactions are over (pg_stat_activity shows them)."
        ) from error
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        said = error.diag.message_primary or type(error).__name__
        raise Conflict(f"Migration {migration.name} failed and left nothing of itself: {said}.") from error
    finally:
        if not connection.closed:
            connection.execute("RESET lock_timeout")


def _with_retries(connection: psycopg.Connection[Any], migration: Migration, *, model: str, dimensions: int) -> None:
    for attempt in range(LOCK_TRIES):
        try:
            with connection.transaction():
                connection.execute("SELECT set_config('quarry.embedding_model', %s, true)", [model])
                connection.execute("SELECT set_config('quarry.embedding_dimensions', %s, true)", [str(dimensions)])
                connection.execute(SQL(migration.sql))
                connection.execute(NOTE, _as_row(migration))
            return
        except psycopg.errors.LockNotAvailable:
            if attempt == LOCK_TRIES - 1:
                raise


def _as_row(migration: Migration) -> list[object]:
    return [migration.version, migration.name, migration.sha256]


def model_on_record(connection: psycopg.Connection[Any]) -> tuple[str, int]:
    """Returns (model, dimensions) of the vectors that this database holds."""
    [(model, dimensions)] = connection.execute("SELECT model, dimensions FROM quarry.embedding_model").fetchall()
    return model, dimensions


def change_model(connection: psycopg.Connection[Any], *, model: str, dimensions: int) -> int:
    """Drops every vector and queues every row for the new model; returns how many were queued."""
    with connection.transaction():
        [(queued,)] = connection.execute("SELECT search.change_model(%s, %s)", [model, dimensions])
        # search.change_model ends the sessions of the other roles, which remember the old model as well.
        connection.execute(END_APPROVERS_SESSIONS)
    return int(queued)


def _refuse_rewritten_history(applied: dict[int, str], migrations: Sequence[Migration]) -> None:
    known = {migration.version: migration for migration in migrations}
    for version, sha256 in applied.items():
        if version not in known:
            raise Ahead(
                f"The database has migration {version:04}, these files stop at {len(known):04}: "
                "deploy a newer release."
            )
        if known[version].sha256 != sha256:
            raise Conflict(
                f"Migration {known[version].name} was edited after it was applied. Restore it, and put the "
                "change into a new migration."
            )


def state(connection: psycopg.Connection[Any], migrations: Sequence[Migration]) -> dict[str, Any]:
    """Returns the versions of server and pgvector and which ``migrations`` are pending; changes nothing."""
    [(server, vector, available, on_record)] = connection.execute(VERSIONS)
    applied = connection.execute("SELECT version FROM quarry.migrations").fetchall() if on_record else []
    numbers = {version for (version,) in applied}
    pending = [migration.name for migration in migrations if migration.version not in numbers]
    held = {"server": server, "vector": vector, "vector_available": available}
    return {**held, "applied": len(numbers), "pending": pending}
