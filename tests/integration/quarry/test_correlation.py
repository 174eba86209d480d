"""One correlation id from the client's trace to the database, on a real one."""

from typing import Any

import pytest
from psycopg.sql import SQL

from quarry.data import database
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import CallFailed, operate
from tests.deployment import ClientContext, Context, Deployment

TRACE = "0af7651916cd43dd8448eb211c80319c"
ACTIVITY = SQL("""
    SELECT current_setting('application_name') AS name, application_name AS shown
    FROM pg_stat_activity WHERE pid = pg_backend_pid()
""")


def seen(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:
    """What the database knows a read, a transaction and the time after them by."""
    (read,) = database.fetch(caller.tenant, ACTIVITY, {})
    with database.transaction(caller.tenant) as connection:
        written = connection.execute(ACTIVITY).fetchone()
    after = database.session().connection.execute(ACTIVITY).fetchone()
    return {"read": read, "written": written, "after": after}


def context(**custom: str) -> Context:
    return Context(ClientContext({"tenant": "acme", **custom}))


def test_the_database_shows_the_clients_trace_and_the_tool_while_a_statement_runs(deployment: Deployment) -> None:
    with deployment.serving():
        told = operate("look", seen)({}, context(traceparent=f"00-{TRACE}-b7ad6b7169203331-01"))
    named = {"name": f"{TRACE} look", "shown": f"{TRACE} look"}
    assert (told["read"], told["written"]) == (named, named)
    assert told["after"] == {"name": "quarry", "shown": "quarry"}


def test_without_a_trace_it_shows_the_request(deployment: Deployment) -> None:
    with deployment.serving():
        told = operate("look", seen)({}, context(request_id="r-42"))
    assert told["read"]["shown"] == "r-42 look"


def test_a_request_id_that_no_log_could_print_does_not_fail_the_call(deployment: Deployment) -> None:
    with deployment.serving():
        told = operate("look", seen)({}, context(request_id="r\x00\n" + "ü" * 80))
    assert told["read"]["shown"] == "r??" + "?" * 60


def test_a_values_text_in_a_database_error_stays_out_of_the_log(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    def cast(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:
        database.fetch(caller.tenant, SQL("SELECT %(text)s::text::integer"), {"text": "Groeb's discount"})
        return {}

    with deployment.serving(), pytest.raises(CallFailed):
        operate("cast", cast)({}, context())
    said = capsys.readouterr().out
    assert '"sqlstate": "22P02"' in said
    assert "discount" not in said
    # A statement that is wrong in itself is of our own making, and says why.
    wrong = SQL("SELECT nothing FROM nowhere")
    with deployment.serving(), pytest.raises(CallFailed):
        operate("cast", lambda _, caller, __: {"rows": database.fetch(caller.tenant, wrong, {})})({}, context())
    assert "nowhere" in capsys.readouterr().out
