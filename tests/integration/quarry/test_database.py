"""A function's connection: who it may be, where its password comes from, and what it does when it breaks."""

import json
import os
import socket
import time
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL
from pydantic import Field

from cpq.house import next_number
from equipment import get_product
from local.files import ROOT
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.template import read_functions
from local.ports import free_port
from operations import embed_pending
from quarry.data import database
from quarry.data.credentials import database_password, openai_key
from quarry.data.settings import Settings, settings
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from tests.aws import client
from tests.deployment import TENANT, Deployment, end_sessions, invoke
from tests.sample_rows import PRODUCTS


@pytest.fixture(scope="module", autouse=True)
def catalogue(deployment: Deployment) -> None:
    deployment.put_products(*PRODUCTS)


def model() -> object:
    answer = invoke(get_product.handler, {"model": "QMB30"})
    return answer.get("code") or answer["product"]["model"]


def test_a_superuser_is_refused_by_name(deployment: Deployment) -> None:
    superuser = conninfo_to_dict(deployment.superuser_dsn)
    with deployment.serving(str(superuser["user"]), DB_PASSWORD=str(superuser["password"])):
        answer = invoke(get_product.handler, {"model": "QMB30"})
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", False)
    assert f"Refusing to serve as {superuser['user']}" in answer["message"]


def test_a_role_that_bypasses_row_level_security_is_refused(deployment: Deployment) -> None:
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE bypassing LOGIN BYPASSRLS PASSWORD 'x' IN ROLE quarry_read")
        try:
            with deployment.serving("bypassing", DB_PASSWORD="x"):
                assert model() == "UNAVAILABLE"
        finally:
            connection.execute("DROP ROLE bypassing")


def test_one_session_serves_call_after_call(deployment: Deployment) -> None:
    with deployment.serving():
        model()
        session = database.session()
        model()
        assert database.session() is session


def test_a_read_whose_session_was_ended_is_answered_on_a_new_one(deployment: Deployment) -> None:
    with deployment.serving():
        assert model() == "QMB30"
        end_sessions(deployment.superuser_dsn)
        assert model() == "QMB30"


def counted() -> int:
    """A write of one row."""
    with database.transaction(TENANT) as connection:
        return next_number(connection, kind="test", year=0)


def test_a_write_whose_session_was_ended_before_it_began_is_done_on_a_new_one(deployment: Deployment) -> None:
    with deployment.serving("quarry_write"):
        before = counted()
        end_sessions(deployment.superuser_dsn)
        assert counted() == before + 1


def test_a_read_before_a_write_is_done_on_a_new_session_too(deployment: Deployment) -> None:
    with deployment.serving("quarry_write"):
        database.every_tenant()
        end_sessions(deployment.superuser_dsn)
        assert TENANT in database.every_tenant()
        end_sessions(deployment.superuser_dsn)
        assert database.fetch(TENANT, SQL("SELECT 1 AS one"), {}) == [{"one": 1}]


def test_a_read_within_a_transaction_that_was_lost_is_not_done_without_it(deployment: Deployment) -> None:
    def write() -> None:
        with database.transaction(TENANT):
            end_sessions(deployment.superuser_dsn)
            database.fetch(TENANT, SQL("SELECT 1 AS one"), {})

    with deployment.serving("quarry_write"), pytest.raises(psycopg.OperationalError):
        write()


def test_a_write_whose_session_was_ended_in_its_midst_is_not_repeated(deployment: Deployment) -> None:
    begun = []

    def write() -> None:
        with database.transaction(TENANT) as connection:
            begun.append(connection)
            end_sessions(deployment.superuser_dsn)
            connection.execute("SELECT 1")

    with deployment.serving("quarry_write"):
        with pytest.raises(psycopg.OperationalError):
            write()
        counted()
    assert len(begun) == 1


def test_a_session_that_rested_is_replaced_before_it_is_used(deployment: Deployment) -> None:
    with deployment.serving():
        session = database.session()
        database._place().used_at -= database.REST_S + 1
        with database.transaction(TENANT) as connection:
            assert connection is not session.connection
            # Nobody asks for the session within a transaction that takes long, but who does must not end it.
            database._place().used_at -= database.REST_S + 1
            assert database.session().connection is connection


def test_a_server_that_answers_nothing_any_more_is_given_up_before_the_function_is(deployment: Deployment) -> None:
    with deployment.serving():
        held = socket.socket(fileno=os.dup(database.session().connection.fileno()))
    with held:
        unanswered = held.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) / 1000
        tries = held.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
        idle, interval = (
            held.getsockopt(socket.IPPROTO_TCP, option) for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL)
        )
        assert held.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    functions = read_functions(ROOT / "template.yaml", stack=StackValues(), built=False).values()
    shortest = min(spec.timeout for spec in functions if "DB_USER" in spec.variables)
    assert 0 < unanswered < shortest - database.CONNECT_FOR_S
    assert 0 < idle + interval * tries < 30


def test_an_operation_whose_session_was_ended_is_not_repeated_by_itself(deployment: Deployment) -> None:
    with deployment.serving("quarry_ingest"):
        invoke(embed_pending.handler, {})
        end_sessions(deployment.superuser_dsn)
        assert invoke(embed_pending.handler, {})["code"] == "UNAVAILABLE"
        assert invoke(embed_pending.handler, {})["pending"] == 0


def test_a_database_that_is_down_is_unavailable_and_retryable(deployment: Deployment) -> None:
    with deployment.serving(DB_PORT=str(free_port())):
        answer = invoke(get_product.handler, {"model": "QMB30"})
        # An outage costs one call its patience, and those that follow none.
        known = time.monotonic()
        assert invoke(get_product.handler, {"model": "QMB30"})["code"] == "UNAVAILABLE"
        assert time.monotonic() - known < database.CONNECT_FOR_S / 2
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "database cannot be reached" in answer["message"]


class SleepArgs(Args):
    seconds: float = Field(description="How long.")


class SleepResult(Result):
    done: bool = Field(description="Always.")


def sleep(args: SleepArgs, caller: Caller) -> SleepResult:
    database.fetch(caller.tenant, SQL("SELECT pg_sleep(%(seconds)s)"), {"seconds": args.seconds})
    return SleepResult(done=True)


def test_a_query_that_takes_too_long_is_stopped_and_the_session_goes_on(deployment: Deployment) -> None:
    handler = serve(retrieval_tool("nap", title="Nap", description="Sleeps.", toolset="t"), SleepArgs, sleep)
    with deployment.serving(PGOPTIONS="-c statement_timeout=100ms"):
        answer = invoke(handler, {"seconds": 5})
        assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
        assert "took too long" in answer["message"]
        assert invoke(handler, {"seconds": 0}) == {"done": True}


def test_a_full_disk_is_unavailable_at_once_and_the_session_goes_on(deployment: Deployment) -> None:
    def write(args: SleepArgs, caller: Caller) -> SleepResult:
        if args.seconds:
            full = SQL("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$")
            with database.transaction(caller.tenant) as connection:
                connection.execute(full)
        return SleepResult(done=True)

    handler = serve(retrieval_tool("fill", title="Fill", description="Fills.", toolset="t"), SleepArgs, write)
    with deployment.serving():
        invoke(handler, {"seconds": 0})
        began = time.monotonic()
        answer = invoke(handler, {"seconds": 1})
        assert time.monotonic() - began < database.CONNECT_FOR_S / 2
        assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
        assert invoke(handler, {"seconds": 0}) == {"done": True}


@pytest.mark.parametrize(
    ("role", "limit"), [("quarry_read", "25s"), ("quarry_write", "25s"), ("quarry_ingest", "10min")]
)
def test_a_tools_role_stops_a_query_before_the_function_times_out(
    deployment: Deployment, role: str, limit: str
) -> None:
    with deployment.connect(role) as connection:
        assert connection.execute("SHOW statement_timeout").fetchone() == {"statement_timeout": limit}


@pytest.fixture
def rotating(deployment: Deployment) -> Iterator[str]:
    """A role of its own, so that its password can be rotated."""
    role = f"rotating_{uuid4().hex[:8]}"
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'first' IN ROLE quarry_read".encode())
        yield role
        connection.execute(f"DROP ROLE {role}".encode())


def test_the_password_comes_from_secrets_manager_and_a_rotated_one_is_picked_up(
    deployment: Deployment, rotating: str, aws_url: str, aws_variables: dict[str, str]
) -> None:
    secrets = client("secretsmanager", aws_url)
    secrets.create_secret(Name=rotating, SecretString=json.dumps({"username": rotating, "password": "first"}))
    variables = {**aws_variables, "DB_AUTH": "secret", "DB_SECRET_ID": rotating, "DB_PASSWORD": ""}
    with deployment.serving(rotating, **variables):
        assert model() == "QMB30"
        with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {rotating} PASSWORD 'second'".encode())
        secrets.put_secret_value(SecretId=rotating, SecretString=json.dumps({"password": "second"}))
        end_sessions(deployment.superuser_dsn)
        assert model() == "QMB30"


def test_the_providers_key_comes_from_its_secret_unless_it_is_given(
    deployment: Deployment, aws_url: str, aws_variables: dict[str, str]
) -> None:
    name = f"openai-{uuid4().hex[:8]}"
    client("secretsmanager", aws_url).create_secret(Name=name, SecretString="sk-secret")
    with deployment.serving(**aws_variables, OPENAI_SECRET_ID=name, OPENAI_API_KEY=""):
        assert openai_key(settings()) == "sk-secret"
        assert openai_key(Settings.from_environment({**os.environ, "OPENAI_API_KEY": "sk-given"})) == "sk-given"


def test_a_secret_that_has_no_name_is_asked_for_by_its_variable() -> None:
    with pytest.raises(ValueError, match="DB_SECRET_ID"):
        database_password(Settings.from_environment({"DB_AUTH": "secret"}))


def test_rows_without_columns_are_rows_and_a_statement_without_rows_has_none(deployment: Deployment) -> None:
    with deployment.serving():
        queries: list[database.Query] = [
            (SQL("SELECT FROM generate_series(1, 2)"), {}),
            (SQL("SET LOCAL work_mem = '8MB'"), {}),
        ]
        assert database.fetch_each("acme", queries) == [[{}, {}], []]
