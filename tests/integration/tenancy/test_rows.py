"""Of every table, as every role: nothing of another tenant's can be read, changed, removed, added or inferred."""

import re
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import dict_row
from psycopg.sql import SQL, Composed, Identifier, Literal

from tests.deployment import as_tenant
from tests.integration.tenancy.catalogue import TENANT_TABLES, Table
from tests.integration.tenancy.houses import NEIGHBOUR, TENANT, House

TOOL_ROLES = ("quarry_read", "quarry_write", "quarry_approve")
WRITES_ALONE = ("quarry_ingest", "quarry_keys")
ROLES = (*TOOL_ROLES, *WRITES_ALONE)

WORKERS = {
    ("SELECT", "quarry.embedding_queue"), ("UPDATE", "quarry.embedding_queue"), ("DELETE", "quarry.embedding_queue"),
    ("SELECT", "quarry.embedding_cache"), ("DELETE", "quarry.embedding_cache"),
}  # fmt: skip
"""What quarry_ingest does for all tenants: it drains the queue and prunes; it sees no text of anybody's."""

DRAWN = ("_terms", "_blocks", "_pending", "_spellings", "_documents", "_vectors", "story_entities",
    "story_code_assets", "quarry.api_keys", "quarry.embedding_queue", "quarry.ingests", "quarry.ingest_rejects",
    "highlights.chunks", "equipment.products")  # fmt: skip
"""Ends of names of tables whose keys the database draws for all tenants. quarry_ingest and
quarry_keys, which alone write them, could find one taken if they chose it; no file and no request does.
"""

WORDLESS = re.compile(r"_sentences_(terms|blocks|pending|spellings)$")
"""Tables that stay empty: sentences are found by meaning alone."""

Row = dict[str, Any]


@pytest.fixture(scope="module")
def tables(houses: tuple[House, House]) -> list[Table]:
    """Every table that has a tenant; each holds a row of the neighbour's, or the tests below would show nothing."""
    _, shared = houses
    with psycopg.connect(shared.deployment.superuser_dsn, row_factory=dict_row) as connection:
        found = [Table(**row) for row in connection.execute(TENANT_TABLES)]
        empty = {str(table) for table in found if row_of(connection, table) is None}
    assert len(found) > 60
    assert {name for name in empty if not WORDLESS.search(name)} == set()
    return [table for table in found if str(table) not in empty]


def row_of(connection: Connection[Row], table: Table) -> Row | None:
    """One of the neighbour's, past row-level security, its values as text."""
    columns = SQL(", ").join(SQL("{}::text").format(Identifier(name)) for name in table.columns)
    query = SQL("SELECT {} FROM {} WHERE tenant = {} LIMIT 1").format(columns, table.name_in_sql, Literal(NEIGHBOUR))
    return connection.execute(query).fetchone()


def insert(table: Table, row: Row, columns: list[str]) -> Composed:
    return SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({})").format(
        table.name_in_sql,
        SQL(", ").join(map(Identifier, columns)),
        SQL(", ").join(Literal(row[name]) for name in columns),
    )


def outcome(connection: Connection[Row], statement: Composed, *, tenant: str = TENANT) -> str:
    """How many rows it reached, or why it was refused; undone in any case."""
    try:
        with as_tenant(connection, tenant):
            reached = connection.execute(statement).rowcount
            connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            raise psycopg.Rollback
    except psycopg.errors.InsufficientPrivilege:
        return "refused"
    except psycopg.Error as error:
        return f"{error.sqlstate} {error.diag.constraint_name}"
    return str(reached)


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def attempts(connection: Connection[Row], table: Table) -> dict[str, Composed]:
    """Each aimed at all rows; an update writes a column that the role may write, if there is one."""
    writable = table.granted(connection, "UPDATE")
    column = Identifier((writable or table.columns)[-1])
    return {
        "SELECT": SQL("SELECT FROM {} WHERE tenant <> {}").format(table.name_in_sql, Literal(TENANT)),
        "UPDATE": SQL("UPDATE {} SET {} = {}").format(table.name_in_sql, column, column),
        "DELETE": SQL("DELETE FROM {}").format(table.name_in_sql),
        "TRUNCATE": SQL("TRUNCATE {} CASCADE").format(table.name_in_sql),
    }


def test_nothing_of_another_tenants_is_read_changed_or_removed(
    houses: tuple[House, House], tables: list[Table], role: str
) -> None:
    _, shared = houses
    reached = set()
    with shared.deployment.connect(role) as connection:
        for table in tables:
            for verb, statement in attempts(connection, table).items():
                # As a tenant without any row: whatever is reached is somebody else's.
                if outcome(connection, statement, tenant="nobody" if verb != "SELECT" else TENANT) not in (
                    "0",
                    "refused",
                ):
                    reached.add((verb, str(table)))
    assert reached == (WORKERS if role == "quarry_ingest" else set())


def test_no_row_is_added_for_another_tenant(houses: tuple[House, House], tables: list[Table], role: str) -> None:
    _, shared = houses
    with (
        psycopg.connect(shared.deployment.superuser_dsn, row_factory=dict_row) as superuser,
        shared.deployment.connect(role) as connection,
    ):
        for table in tables:
            row = row_of(superuser, table)
            assert row is not None
            columns = table.granted(connection, "INSERT") or ["tenant"]
            assert outcome(connection, insert(table, row, columns)) == "refused", table


def test_whether_another_tenant_has_a_key_shows_in_no_refusal(
    houses: tuple[House, House], tables: list[Table], role: str
) -> None:
    alone, shared = houses
    told = set()
    with (
        psycopg.connect(shared.deployment.superuser_dsn, row_factory=dict_row) as superuser,
        alone.deployment.connect(role) as here,
        shared.deployment.connect(role) as there,
    ):
        for table in tables:
            row = row_of(superuser, table)
            columns = table.granted(here, "INSERT")
            if not columns:
                continue
            own = insert(table, {**(row or {}), "tenant": TENANT}, columns)
            if outcome(here, own) != outcome(there, own):
                told.add(str(table))
    assert {name for name in told if role not in WRITES_ALONE or not name.endswith(DRAWN)} == set()
