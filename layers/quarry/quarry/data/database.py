"""The one connection of an execution environment, and tenant-scoped transactions on it."""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import psycopg
from pgvector.psycopg import register_vector
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, class_row, dict_row
from psycopg.sql import SQL, Composed

from quarry.data.credentials import database_password, secrets
from quarry.data.settings import Settings, kept, settings
from quarry.tool.errors import Unavailable

Connection = psycopg.Connection[DictRow]
Query = tuple[SQL | Composed, Mapping[str, Any]]
NONE: Mapping[str, Any] = MappingProxyType({})

CONNECT_FOR_S = 6.0
"""How long a call waits for a database that is starting or failing over before it gives up."""

DOWN_FOR_S = 10.0
"""After a call has waited in vain, those that follow within this time try once and do not wait."""

REST_S = 60.0
"""A connection that was idle for longer is replaced: the server ends idle ones after two minutes (migration 0037),
which a frozen environment does not notice. A monotonic clock may stop with it, the time of day does not.
"""

UNANSWERED_MS = 3_000
"""A connection counts as lost after this time: a server that failed over does not refuse what is sent to it."""

SET_TENANT = SQL("SELECT set_config('quarry.tenant', %(tenant)s, true)")
ADD_TENANT = SQL("INSERT INTO quarry.tenants (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING")

ENTER = SQL("""
    SELECT set_config('quarry.tenant', %(tenant)s, true), set_config('application_name', %(label)s, true)
""")
"""Labels a transaction by application_name; comments as labels would keep statements from being prepared."""

# For this transaction alone: roles plan each statement anew, because the best plan of some depends on the values.
KEEP_PLANS = SQL("SELECT set_config('plan_cache_mode', 'force_generic_plan', true)")

APPLICATION = "quarry"

RDS_AUTHORITIES = Path(__file__).with_name("rds_authorities.pem")
"""The certificate authorities of RDS in all regions, which no other trust store has."""

IDENTIFY = SQL("""
    SELECT r.rolsuper OR r.rolbypassrls AS exempt, m.model, m.dimensions
    FROM pg_roles r LEFT JOIN quarry.embedding_model m ON true
    WHERE r.rolname = current_user
""")


CURSOR_SECRET = SQL("SELECT secret FROM quarry.cursor_secret")

EVERY_TENANT = SQL("SELECT quarry.every_tenant() AS tenant")


class Session(NamedTuple):
    connection: Connection
    model: str
    dimensions: int


class _Place:
    """The database connection of an environment, with what is known of its state."""

    session: Session | None = None
    used_at: float = 0.0
    cursor_secret: bytes | None = None
    down_until: float = 0.0

    def close(self) -> None:
        if self.session is not None:
            self.session.connection.close()
            self.session = None


@kept
def _place() -> _Place:
    return _Place()


_label: ContextVar[str] = ContextVar("label", default=APPLICATION)


@contextmanager
def known_as(label: str) -> Iterator[None]:
    """Shows ``label`` (63 bytes of it) in pg_stat_activity and the database's log for statements in the block."""
    token = _label.set(re.sub(r"[^ -~]", "?", label))
    try:
        yield
    finally:
        _label.reset(token)


def session() -> Session:
    """Returns the environment's session, opened on first use, and again after it broke or was idle for REST_S.

    Raises psycopg.OperationalError when the database stays unreachable for CONNECT_FOR_S.
    """
    place = _place()
    now = time.time()
    if place.session is not None and now - place.used_at > REST_S and _rests(place.session.connection):
        place.close()
    if place.session is None or place.session.connection.closed:
        place.session = _open(settings())
    place.used_at = now
    return place.session


def _rests(connection: Connection) -> bool:
    return connection.info.transaction_status == TransactionStatus.IDLE


@contextmanager
def transaction(tenant: str) -> Iterator[Connection]:
    """Opens a transaction that sees and writes only rows of ``tenant``; it commits on a clean exit."""
    with begun(ENTER, {"tenant": tenant, "label": _label.get()}) as connection:
        yield connection


@contextmanager
def begun(enter: SQL, parameters: Mapping[str, object]) -> Iterator[Connection]:
    """Opens a transaction that begins with a statement which may run twice, such as a setting of its own. If its
    connection turns out to be lost by then, nothing else was sent, and it begins again on a new one.
    """
    with ExitStack() as held:

        def begin(connection: Connection) -> Connection:
            with ExitStack() as tried:
                tried.enter_context(connection.transaction())
                connection.execute(enter, parameters)
                held.push(tried.pop_all())
            return connection

        yield _asked(begin)


def rows_of[T](
    connection: Connection, kind: type[T], query: SQL | Composed, parameters: Mapping[str, object]
) -> list[T]:
    """Returns the rows of a statement as instances of ``kind``, whose fields are its columns."""
    with connection.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query, parameters).fetchall()


def row_of[T](
    connection: Connection, kind: type[T], query: SQL | Composed, parameters: Mapping[str, object]
) -> T | None:
    """Returns the first row that ``rows_of`` gives, or None."""
    return next(iter(rows_of(connection, kind, query, parameters)), None)


def fetch(tenant: str, query: SQL | Composed, parameters: Mapping[str, Any] = NONE) -> list[DictRow]:
    """Returns all rows of one statement under ``tenant``: begin, setting, query and commit in one round trip."""
    return fetch_each(tenant, [(query, parameters)])[0]


def fetch_first(tenant: str, query: SQL | Composed, parameters: Mapping[str, Any] = NONE) -> DictRow | None:
    """Returns the first row that ``fetch`` gives, or None."""
    return next(iter(fetch(tenant, query, parameters)), None)


def fetch_each(tenant: str, queries: Sequence[Query], *, keep_plans: bool = False) -> list[list[DictRow]]:
    """Returns the rows of several statements that run in one transaction and one round trip.

    Each has %(tenant)s beside its own parameters. None may depend on another's rows, and all may run twice. With
    ``keep_plans`` they are planned once per connection, without their values.
    """
    asks = [(KEEP_PLANS, NONE), *queries] if keep_plans else queries

    def ask(connection: Connection) -> list[list[DictRow]]:
        # What a pipeline sends up to its end is one transaction; BEGIN and COMMIT would be round trips of their own.
        with connection.pipeline():
            connection.execute(ENTER, {"tenant": tenant, "label": _label.get()}, prepare=True)
            cursors = [
                connection.execute(query, {"tenant": tenant, **given}, prepare=True, binary=True)
                for query, given in asks
            ]
        # Reading the rows inside would cut the transaction in two.
        asked = cursors[len(asks) - len(queries) :]
        return [cursor.fetchall() if cursor.rownumber is not None else [] for cursor in asked]

    return _asked(ask)


def _asked[T](ask: Callable[[Connection], T]) -> T:
    """Calls ``ask``, and again on a new connection where the first was lost outside a transaction."""
    connection = session().connection
    alone = _rests(connection)
    try:
        return ask(connection)
    except psycopg.OperationalError as error:
        if not alone or not lost(error):
            raise
    return ask(session().connection)


def cursor_secret() -> bytes:
    """Returns the key that seals this database's cursors; each environment reads it once."""
    place = _place()
    if place.cursor_secret is None:
        row = _asked(lambda connection: connection.execute(CURSOR_SECRET).fetchone())
        if row is None:
            raise Unavailable("The database has no secret for cursors: run the migrate function first.")
        place.cursor_secret = bytes(row["secret"])
    return place.cursor_secret


def every_tenant() -> list[str]:
    """Lists all tenants, shuffled so that an operation which stops early does not always omit the same ones."""
    tenants = [row["tenant"] for row in _asked(lambda connection: connection.execute(EVERY_TENANT).fetchall())]
    random.shuffle(tenants)
    return tenants


def lost(error: psycopg.OperationalError) -> bool:
    """Returns whether the connection, not the statement, failed; the next session() opens a new one."""
    held = _place().session
    broken = held is not None and (held.connection.closed or held.connection.broken)
    return broken and not isinstance(error, psycopg.errors.QueryCanceled)


def address(configuration: Settings) -> dict[str, Any]:
    """Returns psycopg's parameters of a connection; the password is looked up anew each time."""
    verifies = configuration.db_sslmode in ("verify-ca", "verify-full")
    return {
        "host": configuration.db_host,
        "port": configuration.db_port,
        "dbname": configuration.db_name,
        "user": configuration.db_user,
        "password": database_password(configuration),
        "sslmode": configuration.db_sslmode,
        **({"sslrootcert": str(RDS_AUTHORITIES)} if verifies else {}),
    }


def connect(configuration: Settings) -> Connection:
    """Opens a connection; waits for a database that is starting up. Raises psycopg.OperationalError."""
    place = _place()
    waits = CONNECT_FOR_S if time.monotonic() > place.down_until else 0.0
    deadline = time.monotonic() + waits
    pause = 0.05
    while True:
        try:
            return psycopg.connect(
                **address(configuration),
                connect_timeout=3,
                tcp_user_timeout=UNANSWERED_MS,
                # For a server that goes away while it works on a statement: nothing sent would stay unanswered then.
                keepalives_idle=10,
                keepalives_interval=3,
                keepalives_count=3,
                application_name=APPLICATION,
                autocommit=True,
                row_factory=dict_row,
            )
        except psycopg.OperationalError:
            if time.monotonic() + pause > deadline:
                place.down_until = time.monotonic() + DOWN_FOR_S
                raise
            secrets().forget()  # the password may have been rotated
            time.sleep(pause)
            pause = min(pause * 2, 1.0)


def _identify(connection: Connection) -> DictRow:
    not_set_up = Unavailable("The database is not set up: run the migrate function first.")
    try:
        register_vector(connection)
        identity = connection.execute(IDENTIFY).fetchone()
    except psycopg.ProgrammingError as error:
        raise not_set_up from error
    if identity is None or identity["model"] is None:
        raise not_set_up
    return identity


def _open(configuration: Settings) -> Session:
    connection = connect(configuration)
    try:
        identity = _identify(connection)
        if identity["exempt"]:
            raise Unavailable(
                f"Refusing to serve as {configuration.db_user}: it is exempt from row-level security. "
                "Set DB_USER to quarry_read, quarry_write, quarry_approve, quarry_ingest or quarry_keys."
            )
    except BaseException:
        connection.close()
        raise
    return Session(connection, identity["model"], identity["dimensions"])
