"""expire_approvals: passing on, closing, telling newcomers, and trying again what could not be sent."""

from collections.abc import Iterator
from typing import Any

import pytest

from operations import expire_approvals
from tests.deployment import Context, Deployment, as_tenant
from tests.inbox import Inbox, open_inbox
from tests.integration.cpq.approving import actions, ask, asked, let_expire, priced, status, variables
from tests.integration.cpq.drafts import rows
from tests.sample_catalogue import put_catalogue


@pytest.fixture(scope="module")
def inbox(deployment: Deployment, aws_url: str) -> Iterator[Inbox]:
    for tenant in ("acme", "rival"):
        put_catalogue(deployment, tenant=tenant)
    with open_inbox(aws_url) as inbox:
        yield inbox


@pytest.fixture(autouse=True)
def served(deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]) -> Iterator[None]:
    with deployment.serving("quarry_write", **variables(inbox, aws_variables)):
        expire_approvals.handler({}, Context())
        inbox.empty()
        yield


def run(*, remaining_ms: int = 60_000) -> dict[str, Any]:
    return expire_approvals.handler({}, Context(remaining_ms=remaining_ms))


def make_due(deployment: Deployment, request_id: str) -> None:
    rows(
        deployment,
        "UPDATE cpq.approval_notices SET next_attempt_at = now() WHERE request_id = %s RETURNING recipient",
        request_id,
    )


def test_an_unanswered_request_goes_up_the_chain_and_at_its_end_back_to_the_writer(
    deployment: Deployment, inbox: Inbox
) -> None:
    quote_id = priced(deployment)
    roles = []
    request_id = asked(quote_id)["id"]
    while True:
        roles.append(rows(deployment, "SELECT approver_role FROM cpq.approval_requests WHERE id = %s", request_id)[0])
        let_expire(deployment, request_id)
        run()
        waiting = status(quote_id)["pending_requests"]
        if not waiting:
            break
        request_id = waiting[0]["id"]
    assert [row["approver_role"] for row in roles] == ["sales_manager", "vp_sales", "chief_revenue_officer"]
    seen = status(quote_id)
    assert (seen["current_status"], seen["can_proceed"]) == ("priced", False)
    assert [item["status"] for item in seen["history"]] == ["expired", "escalated", "escalated"]
    told = [message["Message"].split(":")[0] for message in inbox.mail]
    assert told == ["To Amara Diallo", "To John Smith", "To Helen Okafor", "To Tomáš Varga"]
    assert actions(deployment, quote_id)[2:] == ["approval.escalated", "approval.escalated", "approval.expired"]
    assert asked(quote_id)["status"] == "pending", "the writer can ask again"


def test_what_is_not_overdue_is_left_alone(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    request = asked(quote_id)
    assert run() == {"escalated": 0, "expired": 0, "notices_sent": 0, "keys_forgotten": 0, "stopped": False}
    assert [item["id"] for item in status(quote_id)["pending_requests"]] == [request["id"]]


def test_every_tenant_is_served_and_none_sees_the_other(deployment: Deployment) -> None:
    quote_id = priced(deployment, discount=35, tenant="rival")
    request = asked(quote_id, tenant="rival")
    rows(
        deployment,
        "UPDATE cpq.approval_requests SET expires_at = now() - interval '1 s' WHERE id = %s RETURNING id",
        request["id"],
        tenant="rival",
    )
    assert run()["expired"] == 1
    assert status(quote_id, tenant="rival")["current_status"] == "priced"
    assert status(quote_id)["code"] == "NOT_FOUND"


def test_what_could_not_be_sent_is_sent_later_once(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]
) -> None:
    quote_id = priced(deployment)
    down = variables(inbox, {**aws_variables, "AWS_ENDPOINT_URL_SNS": "http://127.0.0.1:9"})
    with deployment.serving("quarry_write", **down):
        answer = ask(quote_id)
    assert (answer["notification_sent"], inbox.mail) == (False, [])
    request_id = answer["approval_request"]["id"]
    with deployment.serving("quarry_write", **variables(inbox, aws_variables)):
        assert run()["notices_sent"] == 0, "not at once again: the topic needs a minute"
        make_due(deployment, request_id)
        assert run()["notices_sent"] == 2
        make_due(deployment, request_id)
        assert run()["notices_sent"] == 0
    assert len(inbox.mail) == 2


def test_an_approver_who_joins_while_a_request_is_open_gets_a_link(deployment: Deployment, inbox: Inbox) -> None:
    asked(priced(deployment))
    inbox.empty()
    deployment.rows("UPDATE cpq.approvers SET role = 'sales_manager', active = true WHERE id = 'apr_ruth_lindgren'")
    run()
    deployment.rows("UPDATE cpq.approvers SET role = 'vp_sales', active = false WHERE id = 'apr_ruth_lindgren'")
    assert inbox.mail
    assert {message["Message"].split(":")[0] for message in inbox.mail} == {"To Ruth Lindgren"}


def test_it_stops_in_time_and_says_so() -> None:
    assert run(remaining_ms=1000)["stopped"] is True


def keys(deployment: Deployment) -> list[str]:
    return [row["key"] for row in rows(deployment, "SELECT key FROM cpq.idempotency_keys ORDER BY key")]


def test_idempotency_keys_are_forgotten_after_a_month_some_at_a_time(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expire_approvals, "MOST_KEYS", 2)
    made = """
        INSERT INTO cpq.idempotency_keys (tenant, tool, key, arguments_sha256, created_at)
        SELECT 'acme', 'quote_create', 'age ' || days, '', now() - days * interval '1 day'
        FROM unnest(ARRAY[1, 29, 31, 32, 33]) AS days RETURNING key
    """
    rows(deployment, made)
    assert run()["keys_forgotten"] == 2
    assert keys(deployment) == ["age 1", "age 29", "age 31"]
    assert run()["keys_forgotten"] == 1
    assert run()["keys_forgotten"] == 0
    assert keys(deployment) == ["age 1", "age 29"]


def test_a_younger_key_stays_whatever_a_tool_asks_for(deployment: Deployment) -> None:
    with deployment.connect("quarry_write") as connection, as_tenant(connection, "acme"):
        assert connection.execute("DELETE FROM cpq.idempotency_keys WHERE key = 'age 29'").rowcount == 0
