"""Subsegments of the database in X-Ray's trace, as the daemon beside a function gets them."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier, Literal

from quarry.data import database
from quarry.observation import MOST_CHARACTERS
from tests.deployment import TENANT, Deployment
from tests.xray import Daemon, new_daemon

ROOT, PARENT = "1-0af76519-16cd43dd8448eb211c80319c", "b7ad6b7169203331"
READ = SQL("SELECT %(secret)s AS said")


@pytest.fixture
def daemon(deployment: Deployment) -> Iterator[Daemon]:
    with new_daemon() as daemon, deployment.serving(AWS_XRAY_DAEMON_ADDRESS=daemon.address):
        yield daemon


@pytest.fixture
def _sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", f"Root={ROOT};Parent={PARENT};Sampled=1;Lineage=a:0")


def texts(segments: list[dict[str, Any]]) -> list[str]:
    return [segment["sql"]["sanitized_query"] for segment in segments]


@pytest.mark.usefixtures("_sampled")
def test_statements_of_one_round_trip_are_one_child_of_the_functions_segment(
    deployment: Deployment, daemon: Daemon
) -> None:
    database.fetch_each(TENANT, [(READ, {"secret": "hunter2"}), (SQL("SELECT 1 AS one"), {})])
    (segment,) = daemon.arrived()
    assert segment["name"] == f"{deployment.name}@{deployment.host}"
    assert (segment["trace_id"], segment["parent_id"], segment["type"]) == (ROOT, PARENT, "subsegment")
    assert segment["start_time"] < segment["end_time"]
    assert segment["fault"] is False
    assert segment["sql"] == {
        "database_type": "PostgreSQL",
        "user": "quarry_read",
        "sanitized_query": "SELECT %(secret)s AS said; SELECT 1 AS one",
    }


@pytest.mark.usefixtures("_sampled")
def test_each_statement_of_a_transaction_is_one(daemon: Daemon) -> None:
    with database.transaction(TENANT) as connection:
        connection.execute(READ, {"secret": "hunter2"})
        connection.execute(SQL("SELECT 2"))
    database.session().connection.execute(SQL("SELECT 3"))
    assert texts(daemon.arrived()) == ["SELECT %(secret)s AS said", "SELECT 2"]


@pytest.mark.usefixtures("_sampled")
def test_a_statement_that_fails_is_a_fault(daemon: Daemon) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        database.fetch(TENANT, SQL("SELECT 1 / %(zero)s::integer"), {"zero": 0})
    (segment,) = daemon.arrived()
    assert segment["fault"] is True


@pytest.mark.usefixtures("_sampled")
def test_values_never_show_and_long_statements_are_cut(daemon: Daemon) -> None:
    composed = SQL("SELECT {}, {value} AS {name}").format(
        Literal("hunter2"), value=Literal(3), name=Identifier("said")
    )
    database.fetch(TENANT, composed, {})
    database.fetch(TENANT, SQL("SELECT 1 -- " + "x" * MOST_CHARACTERS), {})
    said, long = texts(daemon.arrived())
    assert said == 'SELECT ?, ? AS "said"'
    assert len(long) == MOST_CHARACTERS


@pytest.mark.parametrize("position", ["", f"Root={ROOT};Parent={PARENT};Sampled=0", f"Root={ROOT}", "hunter2"])
def test_nothing_is_sent_of_a_trace_that_is_not_sampled(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, position: str
) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", position)
    database.fetch(TENANT, READ, {"secret": "hunter2"})
    with database.transaction(TENANT) as connection:
        connection.execute(READ, {"secret": "hunter2"})
    assert daemon.arrived() == []
