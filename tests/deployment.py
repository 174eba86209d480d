"""The functions as they are deployed, on a database of their own: environment, invocation, rows."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from jsonschema_rs import Draft202012Validator
from pgvector.psycopg import register_vector
from psycopg.conninfo import make_conninfo
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from equipment import ingestion as equipment
from local.database import DATABASE, OWNER
from local.files import ROOT
from local.stack import Database
from operations.own_words import AttributeRow
from proxy.manifest import Manifest
from proxy.outcome import RESERVED
from proxy.questions import asks
from quarry.data import database
from quarry.data import settings as environments
from quarry.data.database import SET_TENANT, Connection
from quarry.embedding import queue as embedding_queue
from quarry.ingestion import Kind
from quarry.tool import identity
from quotes import ingestion as quotes
from tests.sample_rows import ATTRIBUTES, FAMILIES, declared

MODEL = "all-MiniLM-L6-v2"
DIMENSIONS = 384
TENANT = "acme"
ROLES = ("quarry_owner", "quarry_read", "quarry_write", "quarry_approve", "quarry_ingest", "quarry_keys")
PASSWORD = "of the tests"

DECLARE_FAMILIES = """
    INSERT INTO search.families (tenant, family)
    SELECT %(tenant)s, unnest(%(families)s::text[]) ON CONFLICT DO NOTHING
"""
DECLARE = """
    INSERT INTO search.attributes (tenant, name, kind, families, unit, sense, met, close, absolute, ordered, adds,
        also, low, high, words, labels, position, point)
    SELECT %(tenant)s, r.name, r.kind, r.families, r.unit, r.sense, r.met, r.close, r.absolute, r.ordered, r.adds,
        r.also, r.low, r.high, r.words, r.labels, r.position, r.point
    FROM jsonb_populate_recordset(NULL::search.attributes, %(rows)s) AS r ON CONFLICT DO NOTHING
"""

MANIFEST = Manifest.model_validate_json((ROOT / "proxy/manifest.json").read_text("utf-8"))
RESULTS = {tool.name: Draft202012Validator(tool.output_schema) for tool in MANIFEST.tools}

Handler = Callable[[dict[str, Any], identity.LambdaContext], dict[str, Any]]


@contextmanager
def fresh_environment() -> Iterator[environments.Environment]:
    """Within it nothing is kept from before; afterwards what was kept before is back."""
    before, environments._current = environments._current, environments.Environment()
    try:
        yield environments._current
    finally:
        environments._current.close()
        environments._current = before


@dataclass
class ClientContext:
    custom: dict[str, object] | None


@dataclass
class Context:
    """What AWS hands to a handler, as far as Quarry reads it."""

    client_context: identity.ClientContext | None = None
    aws_request_id: str = "aws-request"
    remaining_ms: int = 60_000

    def get_remaining_time_in_millis(self) -> int:
        return self.remaining_ms


def invoke(handler: Handler, event: object, *, tenant: str = TENANT, **custom: object) -> dict[str, Any]:
    """The handler's answer, both sent through JSON as Lambda sends them; ``custom`` is told as by a proxy.

    A tool's result is held to its own output schema.
    """
    context = Context(ClientContext({"tenant": tenant, **custom}))
    answer = handler(json.loads(json.dumps(event)), context)
    result: dict[str, Any] = json.loads(json.dumps(answer, allow_nan=False, ensure_ascii=False).encode())
    tool = getattr(handler, "__name__", "")
    if tool in RESULTS and "error" not in result and not asks(result):
        RESULTS[tool].validate({name: value for name, value in result.items() if name != RESERVED})
    return result


@dataclass(frozen=True, slots=True)
class Deployment:
    """A migrated database and what the functions' environment says of it and of the other servers."""

    host: str
    port: int
    name: str
    superuser_dsn: str
    endpoints: Mapping[str, str] = field(default_factory=dict)
    idle: list[Connection] = field(default_factory=list, repr=False, compare=False)
    """Of quarry_ingest, for the next rows: opening a session costs more than most of their statements."""

    def variables(self, role: str) -> dict[str, str]:
        return {
            "DB_HOST": self.host,
            "DB_PORT": str(self.port),
            "DB_NAME": self.name,
            "DB_USER": role,
            "DB_AUTH": "password",
            "DB_PASSWORD": PASSWORD,
            "DB_SSLMODE": "disable",
            "EMBEDDING_MODEL": MODEL,
            "EMBEDDING_DIMENSIONS": str(DIMENSIONS),
            "OPENAI_API_KEY": "local",
            "DEFAULT_TENANT": TENANT,
            "TEMPLATES_DIR": str(ROOT / "templates"),
            **self.endpoints,
        }

    @property
    def owner_dsn(self) -> str:
        return make_conninfo(self.superuser_dsn, user=OWNER, password=PASSWORD)

    @contextmanager
    def serving(self, role: str = "quarry_read", **variables: str) -> Iterator[None]:
        """An execution environment of its own, of a function with that role."""
        with fresh_environment(), pytest.MonkeyPatch.context() as patch:
            for name, value in {**self.variables(role), **variables}.items():
                patch.setenv(name, value)
            yield

    def connect(self, role: str) -> Connection:
        """A connection of ``role``'s own; without a tenant until `as_tenant`."""
        connection = psycopg.connect(
            host=self.host,
            port=self.port,
            dbname=self.name,
            user=role,
            password=PASSWORD,
            sslmode="disable",
            autocommit=True,
            row_factory=dict_row,
        )
        register_vector(connection)
        return connection

    @contextmanager
    def _ingesting(self, tenant: str) -> Iterator[Connection]:
        """A transaction of quarry_ingest; in each thread on another connection."""
        connection = None
        with suppress(IndexError):
            connection = self.idle.pop()
        if connection is None or not answers(connection):
            connection = self.connect("quarry_ingest")
            connection.prepare_threshold = None  # tests change tables under it
        try:
            with as_tenant(connection, tenant):
                yield connection
        except BaseException:
            connection.close()
            raise
        self.idle.append(connection)

    def close(self) -> None:
        """Ends the idle sessions: a database that others copy has none."""
        while self.idle:
            self.idle.pop().close()

    def rows(
        self, query: str, parameters: Mapping[str, object] | None = None, *, tenant: str = TENANT
    ) -> list[DictRow]:
        """All rows of a query or a RETURNING statement of quarry_ingest under ``tenant``."""
        with self._ingesting(tenant) as connection:
            cursor = connection.execute(query.encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    def put(
        self, kind: Kind, rows: Sequence[Mapping[str, object]], *, tenant: str = TENANT, known: object = None
    ) -> None:
        """Upserts rows as an ingest does; absent fields take their defaults.

        Attributes may stand among the fields; what rows have of them and of families is declared beforehand.
        ``known`` are the tenant's own attributes and units.
        """
        given = [_attributed(row, kind) for row in rows]
        valid = [kind.row.model_validate(row, context=known).model_dump(mode="json") for row in given]
        if "family" in kind.row.model_fields:
            self._declare_for(valid, tenant=tenant)
        with self._ingesting(tenant) as connection:
            connection.execute("INSERT INTO quarry.tenants (tenant) VALUES (%s) ON CONFLICT DO NOTHING", [tenant])
            connection.execute(kind.writing, {"tenant": tenant, "rows": Jsonb(valid)})

    def declare(self, *attributes: Mapping[str, object], families: Sequence[str] = (), tenant: str = TENANT) -> None:
        """Declares families and attributes that the tenant has not declared yet."""
        wanted = [AttributeRow.model_validate(row).model_dump(mode="json") for row in attributes]
        with self._ingesting(tenant) as connection:
            connection.execute("INSERT INTO quarry.tenants (tenant) VALUES (%s) ON CONFLICT DO NOTHING", [tenant])
            connection.execute(DECLARE_FAMILIES, {"tenant": tenant, "families": list(families)})
            connection.execute(DECLARE, {"tenant": tenant, "rows": Jsonb(wanted)})

    def declare_sample(self, *, tenant: str = TENANT) -> None:
        """Declares what the rows of tests have."""
        self.declare(*ATTRIBUTES, families=FAMILIES, tenant=tenant)

    def _declare_for(self, rows: Sequence[Mapping[str, Any]], *, tenant: str) -> None:
        stated = {name: value for row in rows for name, value in (row.get("attributes") or {}).items()}
        families = {row["family"] for row in rows if row["family"]}
        families |= {row["value"] for row in rows if row.get("attribute") == "family"}
        self.declare(*(declared(*each) for each in stated.items()), families=sorted(families), tenant=tenant)

    def put_products(self, *rows: Mapping[str, object], tenant: str = TENANT) -> None:
        self.put(equipment.PRODUCTS, rows, tenant=tenant)

    def put_quotes(self, *rows: Mapping[str, object], tenant: str = TENANT) -> None:
        self.put(quotes.PAST_QUOTES, rows, tenant=tenant)

    def put_lines(self, *rows: Mapping[str, object], tenant: str = TENANT) -> None:
        self.put(quotes.LINE_ITEMS, rows, tenant=tenant)

    def embed(self) -> embedding_queue.Progress:
        with self.serving("quarry_ingest"):
            return embedding_queue.drain(database.session().connection, may_go_on=lambda: True)


def _attributed(row: Mapping[str, object], kind: Kind) -> Mapping[str, object]:
    fields = kind.row.model_fields
    own = {name: value for name, value in row.items() if name not in fields}
    if not kind.attributed or not own:
        return row
    within = row.get("attributes") or {}
    assert isinstance(within, dict)
    stated = {name: value for name, value in {**own, **within}.items() if value is not None}
    return {**{name: value for name, value in row.items() if name in fields}, "attributes": stated}


@contextmanager
def new_deployment(postgres: Database, embeddings_url: str, *, template: str = DATABASE) -> Iterator[Deployment]:
    """A database of the server's, empty or a copy of ``template``; it is dropped afterwards."""
    name = f"quarry_{uuid4().hex[:12]}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        # Copying its few files takes half the time of writing each page into the log.
        create = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy OWNER {}")
        connection.execute(create.format(Identifier(name), Identifier(template), Identifier(OWNER)))
        # Deadlocks are among what is tested; a second is long to wait for one.
        connection.execute(SQL("ALTER DATABASE {} SET deadlock_timeout = '20ms'").format(Identifier(name)))
        deployment = Deployment(
            host=postgres.host,
            port=postgres.port,
            name=name,
            superuser_dsn=postgres.named(name).dsn,
            endpoints={"OPENAI_BASE_URL": embeddings_url},
        )
        yield deployment
        deployment.close()
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def answers(connection: Connection) -> bool:
    """Whether no test and no time limit has ended its session."""
    try:
        connection.execute("SELECT")
    except psycopg.OperationalError:
        connection.close()
        return False
    return True


@contextmanager
def as_tenant(connection: Connection, tenant: str) -> Iterator[None]:
    with connection.transaction():
        connection.execute(SET_TENANT, {"tenant": tenant})
        yield


def end_sessions(superuser_dsn: str) -> None:
    """Ends those of the functions, as a failover does."""
    with psycopg.connect(superuser_dsn, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename LIKE 'quarry_%' AND pid <> pg_backend_pid()"
        )
