"""A Postgres of the benchmark's own, and bulk loading of the rows into the product's own tables."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from pgvector import Vector
from pgvector.psycopg import register_vector
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from bench.scale.catalogue import ATTRIBUTES, COLUMNS, FAMILIES, Catalogue
from bench.scale.vectors import VectorSource
from local.database import DATABASE, OWNER, prepare
from local.postgres import EmbeddedPostgres
from local.settings import LOCAL_DIMENSIONS, LOCAL_MODEL
from local.stack import Database
from quarry.data.database import ADD_TENANT
from quarry.data.settings import environment

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
        return self.server.named(DATABASE).dsn

    def connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self.dsn, autocommit=True)
        register_vector(connection)
        return connection

    def serve(self, role: str) -> None:
        """Makes this process an execution environment that connects as ``role`` to this database."""
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
        prepare(server.dsn, model=LOCAL_MODEL, dimensions=LOCAL_DIMENSIONS, passwords=dict.fromkeys(ROLES, PASSWORD))
        yield Scratch(server)


STEP, SWEPT = 10_000, 50_000
"""Rows per call of the indexing function, and between two sweeps."""

FAMILY = SQL("INSERT INTO search.families (tenant, family) VALUES (%s, %s) ON CONFLICT DO NOTHING")
ATTRIBUTE = SQL("""
    INSERT INTO search.attributes (tenant, name, kind, unit, sense, met, close) VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT DO NOTHING
""")
ROWS = SQL("COPY equipment.products ({columns}) FROM STDIN").format(columns=SQL(", ").join(map(Identifier, COLUMNS)))
STAGE = SQL("CREATE UNLOGGED TABLE public.staged (doc bigint, embedding vector)")
STAGED = SQL("COPY public.staged (doc, embedding) FROM STDIN WITH (FORMAT BINARY)")
VECTORS = SQL("""
    INSERT INTO equipment.products_vectors (doc, tenant, content_hash, embedding)
    SELECT s.doc, d.tenant, d.content_hash, s.embedding
    FROM public.staged s JOIN equipment.products_documents d USING (doc) ORDER BY s.doc
""")
VALUES = SQL("SELECT search.put_values('equipment.products', ARRAY(SELECT generate_series(%s::bigint, %s::bigint)))")
INDEX_TERMS = SQL("SELECT search.index('equipment.products', ARRAY(SELECT generate_series(%s::bigint, %s::bigint)))")
# Autovacuum is off: what each step leaves dead made the next ones of a million rows up to five times as slow.
SWEEP = "VACUUM equipment.products_pending, equipment.products_blocks, equipment.products_terms"
BUILT = (
    "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indexrelid = 'equipment.products_vectors_hnsw'::regclass"
)


@dataclass(frozen=True, slots=True)
class Portion:
    """The rows of the catalogue from ``start`` on that a tenant gets."""

    tenant: str
    rows: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class Load:
    """Seconds each step took; zero where an earlier run had done it."""

    copy_s: float
    terms_s: float
    vectors_s: float
    hnsw_s: float


def load(
    scratch: Scratch, catalogue: Catalogue, source: VectorSource, portions: list[Portion], *, memory: str
) -> Load | None:
    """Loads the portions; returns None when the rows are there already."""
    with scratch.connect() as connection:
        if _count(connection) == sum(portion.rows for portion in portions):
            return None
        if _one(connection, "SELECT to_regclass('equipment.products_vectors_hnsw')") is None:
            raise RuntimeError("an earlier load was cut short, without its index: remove its folder in .quarry/bench")
        _clear(connection)
        definition = _one(connection, BUILT)
        connection.execute("DROP INDEX equipment.products_vectors_hnsw")
        connection.execute(SQL("SET maintenance_work_mem = {}").format(memory))
        connection.execute("SET session_replication_role = replica")  # triggers would index row by row
        copy_s = _timed("rows", lambda: _copy(connection, catalogue, portions))
        terms_s = _timed("postings", lambda: _terms(connection, portions))
        vectors_s = _timed("vectors", lambda: _vectors(connection, catalogue, source, portions))
        hnsw_s = _timed("vector index", lambda: connection.execute(definition.encode()))
        _timed("vacuum", lambda: connection.execute("VACUUM ANALYZE"))
    return Load(copy_s, terms_s, vectors_s, hnsw_s)


def _copy(connection: psycopg.Connection[Any], catalogue: Catalogue, portions: list[Portion]) -> None:
    for portion in portions:
        _declare(connection, portion.tenant)
        with connection.cursor().copy(ROWS) as copy:
            for part in catalogue.slices(portion.rows, start=portion.start):
                for row in catalogue.rows(part, tenant=portion.tenant):
                    copy.write_row((*row[:-1], Jsonb(row[-1])))


def _declare(connection: psycopg.Connection[Any], tenant: str) -> None:
    connection.execute(ADD_TENANT, {"tenant": tenant})
    with connection.cursor() as cursor:
        cursor.executemany(FAMILY, [(tenant, name) for name in dict.fromkeys(family for family, *_ in FAMILIES)])
        cursor.executemany(ATTRIBUTE, [(tenant, *declared) for declared in ATTRIBUTES])


def _terms(connection: psycopg.Connection[Any], portions: list[Portion]) -> None:
    done, total = 0, sum(portion.rows for portion in portions)
    for portion in portions:
        last = portion.start + portion.rows
        for first in range(portion.start + 1, last + 1, STEP):
            with connection.transaction():
                connection.execute("SELECT set_config('quarry.tenant', %s, true)", [portion.tenant])
                connection.execute(INDEX_TERMS, [first, min(first + STEP - 1, last)])
                connection.execute(VALUES, [first, min(first + STEP - 1, last)])
            before, done = done, done + min(STEP, last - first + 1)
            if done // SWEPT > before // SWEPT:
                connection.execute(SWEEP)
                print(f"  {done} of {total}", file=sys.stderr)
    connection.execute("TRUNCATE quarry.embedding_queue")


def _vectors(
    connection: psycopg.Connection[Any], catalogue: Catalogue, source: VectorSource, portions: list[Portion]
) -> None:
    connection.execute(STAGE)
    with connection.cursor().copy(STAGED) as copy:
        copy.set_types(["int8", "vector"])
        for portion in portions:
            for part in catalogue.slices(portion.rows, start=portion.start):
                for doc, vector in enumerate(source.of(part), start=1 + part.first):
                    copy.write_row((doc, Vector(vector)))
    connection.execute(VECTORS)
    connection.execute("DROP TABLE public.staged")


def _clear(connection: psycopg.Connection[Any]) -> None:
    """Removes what a run that was cut short left."""
    connection.execute(
        "TRUNCATE equipment.products, search.attribute_values, equipment.products_terms, "
        "equipment.products_spellings, equipment.products_blocks, equipment.products_pending, "
        "equipment.products_documents, equipment.products_totals, equipment.products_vectors CASCADE"
    )
    connection.execute("DROP TABLE IF EXISTS public.staged")


def _count(connection: psycopg.Connection[Any]) -> int:
    return int(_one(connection, "SELECT count(*) FROM equipment.products_vectors"))


def _one(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _timed(what: str, work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    elapsed = time.perf_counter() - started
    print(f"{what}: {elapsed:.1f} s", file=sys.stderr)
    return elapsed
