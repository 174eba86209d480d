"""A Postgres of the benchmark's own, migrated as the product's is, and connections in the product's roles."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from pgvector.psycopg import register_vector

from local.database import DATABASE, OWNER, prepare
from local.postgres import Database, EmbeddedPostgres
from local.settings import LOCAL_DIMENSIONS, LOCAL_MODEL

ROLES = (OWNER, "quarry_read", "quarry_write", "quarry_ingest")
PASSWORD = "of the benchmark"  # noqa: S105 - of a server that ends with it
SETTINGS: Mapping[str, str] = {
    # A database server gives a quarter of its memory to this; the default of the local stack is for laptops.
    "shared_buffers": "4GB",
    "max_wal_size": "8GB",
    "autovacuum": "off",
    # Parallel builds share memory through files where containers keep /dev/shm small.
    "dynamic_shared_memory_type": "mmap",
    "max_parallel_maintenance_workers": "2",
    "synchronous_commit": "off",
    "fsync": "off",
    "full_page_writes": "off",
}


@dataclass(frozen=True, slots=True)
class Scratch:
    server: Database

    @property
    def dsn(self) -> str:
        """The superuser's connection string, for loading and looking; nothing is measured through it."""
        return self.server.dsn(DATABASE)

    def connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self.dsn, autocommit=True)
        register_vector(connection)
        return connection

    def serve(self, role: str) -> None:
        """Makes this process an execution environment that connects as ``role`` to this database."""
        # Only here: their import roots are known by now.
        from quarry.data.environment import environment

        environment().close()
        os.environ.update(
            {
                "DB_HOST": self.server.host,
                "DB_PORT": str(self.server.port),
                "DB_NAME": DATABASE,
                "DB_USER": role,
                "DB_AUTH": "password",
                "DB_PASSWORD": PASSWORD,
                "DB_SSLMODE": "disable",
                "EMBEDDING_MODEL": LOCAL_MODEL,
                "EMBEDDING_DIMENSIONS": str(LOCAL_DIMENSIONS),
                "OPENAI_API_KEY": "none is needed: every query's vector is in the cache",
                "LOG_LEVEL": "ERROR",
            }
        )


@contextmanager
def scratch(folder: Path) -> Iterator[Scratch]:
    """The server of ``folder``, with all migrations; what an earlier run loaded is still there."""
    folder.mkdir(parents=True, exist_ok=True)
    with EmbeddedPostgres(folder, settings=SETTINGS) as server:
        prepare(
            server.dsn(), model=LOCAL_MODEL, dimensions=LOCAL_DIMENSIONS, passwords=dict.fromkeys(ROLES, PASSWORD)
        )
        yield Scratch(server)
