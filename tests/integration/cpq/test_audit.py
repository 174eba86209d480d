"""The audit trail: who may append, what it keeps, and how every kind of tampering shows."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import psycopg
import pytest
from psycopg.sql import SQL

from cpq import audit
from quarry.data.database import Connection
from quarry.tool.identity import Caller
from tests.deployment import TENANT, Deployment, as_tenant

QUOTE = "Q-2026-0001"
ODD = {
    "note": 'a "quoted" \\ line\nbreak\tÄ 価格 \x7f\u2028 👍 \x01',
    "total": Decimal("12960.00"),
    "seats": 150,
    "x": None,
}


def caller(tenant: str = TENANT) -> Caller:
    return Caller(tenant=tenant, request_id="r-1", subject="agent:kimi")


@pytest.fixture(autouse=True)
def tenants(deployment: Deployment) -> None:
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("INSERT INTO quarry.tenants VALUES ('acme'), ('rival') ON CONFLICT DO NOTHING")
        connection.execute("TRUNCATE cpq.audit, cpq.audit_heads")


@pytest.fixture
def writer(deployment: Deployment) -> Iterator[Connection]:
    with deployment.connect("quarry_write") as connection:
        yield connection


def append(connection: Connection, *, times: int = 1, tenant: str = TENANT) -> None:
    for number in range(times):
        with as_tenant(connection, tenant):
            audit.record(
                connection,
                caller=caller(tenant),
                action="quote.priced",
                quote_id=QUOTE,
                before=None,
                after={"n": number},
            )


def verdict(connection: Connection, tenant: str = TENANT) -> audit.ChainVerdict:
    with as_tenant(connection, tenant):
        return audit.verify(connection)


def tamper(deployment: Deployment, statement: str) -> None:
    """As somebody would who owns the server."""
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(SQL(statement))


def test_an_empty_chain_and_a_long_one_are_intact(writer: Connection) -> None:
    assert verdict(writer) == audit.ChainVerdict(0)
    append(writer, times=5)
    assert verdict(writer) == audit.ChainVerdict(5)


def test_the_hash_computed_here_is_the_one_the_database_computed_for_any_text(writer: Connection) -> None:
    with as_tenant(writer, TENANT):
        audit.record(writer, caller=caller(), action="quote.created", quote_id=QUOTE, before=ODD, after=ODD)
        assert audit.verify(writer) == audit.ChainVerdict(1)
        (row,) = writer.execute("SELECT seq, actor, action, after FROM cpq.audit WHERE subject_id = 'Q-2026-0001'")
    assert row["after"] == {**ODD, "total": "12960.00"}
    assert (row["actor"], row["action"], row["seq"]) == ("agent:kimi", "quote.created", 1)


def test_chains_of_two_tenants_do_not_meet(writer: Connection) -> None:
    append(writer, times=2)
    append(writer, times=3, tenant="rival")
    assert (verdict(writer), verdict(writer, "rival")) == (audit.ChainVerdict(2), audit.ChainVerdict(3))


@pytest.mark.parametrize(
    ("statement", "broken", "reason"),
    [
        ("UPDATE cpq.audit SET after = '{\"n\": 9}' WHERE seq = 2", 2, "does not match its hash"),
        ("UPDATE cpq.audit SET actor = 'somebody else' WHERE seq = 3", 3, "does not match its hash"),
        ("UPDATE cpq.audit SET at = at - interval '1 second' WHERE seq = 1", 1, "does not match its hash"),
        ("DELETE FROM cpq.audit WHERE seq = 2", 2, "row 2 is missing"),
        ("DELETE FROM cpq.audit WHERE seq = 4", 4, "the end of the chain is missing"),
        ("DELETE FROM cpq.audit", 1, "the end of the chain is missing"),
        ("UPDATE cpq.audit SET hash = repeat('a', 64) WHERE seq = 4", 4, "does not match its hash"),
        ("UPDATE cpq.audit SET prev_hash = repeat('a', 64) WHERE seq = 3", 3, "does not follow"),
    ],
)
def test_tampering_is_found_at_its_first_row(
    deployment: Deployment, writer: Connection, statement: str, broken: int, reason: str
) -> None:
    append(writer, times=4)
    tamper(deployment, statement)
    found = verdict(writer)
    assert found.broken_seq == broken
    assert reason in (found.reason or "")


@pytest.mark.parametrize("role", ["quarry_write", "quarry_owner"])
@pytest.mark.parametrize(
    "statement", ["UPDATE cpq.audit SET actor = 'x'", "DELETE FROM cpq.audit", "TRUNCATE cpq.audit"]
)
def test_neither_the_writer_nor_the_owner_can_change_a_row(
    deployment: Deployment, writer: Connection, role: str, statement: str
) -> None:
    append(writer)
    with (
        deployment.connect(role) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        as_tenant(connection, TENANT),
    ):
        connection.execute(statement.encode())
    assert verdict(writer) == audit.ChainVerdict(1)


@pytest.mark.parametrize(
    "statement", ["DELETE FROM cpq.{}", "UPDATE cpq.{} SET tenant = 'x'", "TRUNCATE cpq.{} CASCADE"]
)
@pytest.mark.parametrize("table", ["audit", "pricing_traces"])
def test_the_record_cannot_be_rewritten_even_by_a_superuser(
    deployment: Deployment, table: str, statement: str
) -> None:
    with (
        psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"),
    ):
        connection.execute(statement.format(table).encode())


def test_the_writer_can_choose_neither_number_nor_hash_nor_time(writer: Connection) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), as_tenant(writer, TENANT):
        writer.execute(
            "INSERT INTO cpq.audit (tenant, seq, at, actor, request_id, action, subject_kind, subject_id, hash)"
            " VALUES ('acme', 7, now(), 'x', 'r', 'a', 'quote', 'q', '')"
        )
    with pytest.raises(psycopg.errors.InsufficientPrivilege), as_tenant(writer, TENANT):
        writer.execute("UPDATE cpq.audit_heads SET seq = 0")


def test_a_transaction_that_rolls_back_leaves_no_gap(writer: Connection) -> None:
    append(writer)
    with as_tenant(writer, TENANT):
        audit.record(writer, caller=caller(), action="quote.priced", quote_id=QUOTE, before=None, after=None)
        raise psycopg.Rollback
    append(writer)
    assert verdict(writer) == audit.ChainVerdict(2)


def test_writers_at_once_make_one_chain(deployment: Deployment, writer: Connection) -> None:
    def work(_: int) -> None:
        with deployment.connect("quarry_write") as connection:
            append(connection, times=25)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert verdict(writer) == audit.ChainVerdict(150)
