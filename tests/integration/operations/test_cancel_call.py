"""cancel_call: the note that nobody waits for a call any more, and who sees it."""

from collections.abc import Iterator

import pytest

from operations.cancel_call import handler
from quarry.tool import cancellation
from tests.deployment import ClientContext, Context, Deployment, as_tenant


def asking(request_id: str) -> Context:
    """A call of acme's with the request id that the proxy gave it."""
    return Context(ClientContext({"request_id": request_id, "tenant": "acme"}))


@pytest.fixture(autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    with deployment.serving("quarry_write"):
        yield


def test_a_cancelled_call_is_seen_by_its_own_tenant_only() -> None:
    assert handler({}, asking("r-1")) == {"cancelled": "r-1"}
    assert cancellation.noted("acme", request_id="r-1")
    assert not cancellation.noted("acme", request_id="r-2")
    assert not cancellation.noted("rival", request_id="r-1")


def test_cancelling_twice_is_the_same_as_once() -> None:
    for _ in range(2):
        assert handler({}, asking("r-3")) == {"cancelled": "r-3"}


def test_notes_of_yesterday_are_forgotten(deployment: Deployment) -> None:
    handler({}, asking("r-new"))
    with deployment.connect("quarry_write") as connection, as_tenant(connection, "acme"):
        connection.execute("INSERT INTO quarry.cancelled_calls VALUES ('acme', 'r-old', now() - interval '25 hours')")
    with deployment.connect("quarry_ingest") as connection:
        assert cancellation.prune(connection) == 1
    assert cancellation.noted("acme", request_id="r-new")
    assert not cancellation.noted("acme", request_id="r-old")


def test_an_unreachable_database_cancels_nothing(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", DB_PORT="1"):
        assert not cancellation.noted("acme", request_id="r-1")
