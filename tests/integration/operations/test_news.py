"""news: how far a call is, as the front asks for a client that waits."""

from typing import Any

import pytest

from operations.news import handler
from quarry.tool import progress
from tests.deployment import ClientContext, Context, Deployment, as_tenant

pytestmark = pytest.mark.usefixtures("reading")


def said(request_id: str, *, tenant: str = "acme") -> Any:
    return handler({}, Context(ClientContext({"request_id": request_id, "tenant": tenant})))["said"]


def test_the_newest_progress_of_a_call_is_told_to_its_own_tenant_only() -> None:
    assert said("r-1") is None
    for text in ("turn 1", "turn 2", "turn 2"):
        progress.note("acme", request_id="r-1", said=text)
    assert (said("r-1"), said("r-2"), said("r-1", tenant="rival")) == ("turn 2", None, None)


def test_words_of_a_question_are_left_out_for_a_tenant_that_lets_none_be_stored(deployment: Deployment) -> None:
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "silent"):
        connection.execute("INSERT INTO quarry.tenants (tenant) VALUES ('silent')")
        connection.execute("INSERT INTO quarry.tenant_settings (tenant, store_queries) VALUES ('silent', false)")
    for tenant in ("acme", "silent"):
        progress.note(tenant, request_id="r-3", said="turn 1", words="searching: boilers")
    assert (said("r-3"), said("r-3", tenant="silent")) == ("turn 1; searching: boilers", "turn 1")
    progress.forget("acme", request_id="r-3")
    assert said("r-3") is None


def test_progress_of_yesterday_is_forgotten(deployment: Deployment) -> None:
    progress.note("acme", request_id="r-new", said="on")
    with deployment.connect("quarry_read") as connection, as_tenant(connection, "acme"):
        connection.execute(
            "INSERT INTO quarry.call_progress VALUES ('acme', 'r-old', 'x', now() - interval '25 hours')"
        )
    with deployment.connect("quarry_ingest") as connection:
        assert progress.prune(connection) == 1
    assert (said("r-old"), said("r-new")) == (None, "on")


def test_an_unreachable_database_keeps_no_call_from_its_work(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", DB_PORT="1"):
        progress.note("acme", request_id="r-1", said="on")
