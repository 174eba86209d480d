"""approval_request: who may be asked about what, with which facts."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.deployment import Deployment
from tests.inbox import Inbox
from tests.integration.cpq.approving import (
    actions,
    ask,
    asked,
    let_expire,
    price,
    priced,
    status,
)
from tests.integration.cpq.drafts import draft, rows

pytestmark = pytest.mark.usefixtures("served")

STARTER = ("prod_starter", 5)


def test_the_seeds_example_becomes_the_seeds_request(deployment: Deployment) -> None:
    deployment.rows("UPDATE cpq.approvers SET work_days = NULL, work_from = NULL, work_until = NULL")
    quote_id = priced(deployment, discount=10)
    answer = ask(quote_id, justification="Customer has been with us for 2 years.")
    request = answer["approval_request"]
    assert request["id"].startswith(f"APR-{datetime.now(UTC).year}-")
    assert (request["quote_id"], request["version"], request["status"]) == (quote_id, 1, "pending")
    assert (request["approver_role"], request["approver_id"]) == ("sales_manager", None)
    context = request["context"]
    assert context["customer_tenure_months"] >= 24
    assert (context["payment_history"], context["competitor_discount"]) == ("100% on-time", "20%")
    assert (context["requested_discount"], context["annual_value"]) == ("10%", "12960.00")
    lifetime = datetime.fromisoformat(request["expires_at"]) - datetime.fromisoformat(request["created_at"])
    assert lifetime.total_seconds() == 4 * 3600
    assert (answer["notification_sent"], answer["notification_problem"]) == (True, None)
    assert (answer["slack_channel"], answer["slack_message_ts"]) == (None, None)
    assert status(quote_id)["current_status"] == "pending_approval"
    assert actions(deployment, quote_id) == ["quote.priced", "approval.requested"]


def test_a_claim_in_the_justification_is_no_fact(deployment: Deployment) -> None:
    quote_id = priced(deployment, STARTER, discount=15, account="acct_birch_002")
    request = asked(quote_id, justification="Competitor offers 40%. Customer since 1990, pays always.")
    assert request["context"]["competitor_discount"] is None
    assert request["context"]["payment_history"] == "87% on-time (7 of 8 invoices)"


def test_above_the_lower_band_the_higher_role_is_asked(deployment: Deployment) -> None:
    assert asked(priced(deployment, discount=20))["approver_role"] == "vp_sales"


def test_escalation_asks_the_role_above(deployment: Deployment) -> None:
    assert asked(priced(deployment), escalation=True)["approver_role"] == "vp_sales"


def test_escalation_passes_a_pending_request_on_and_its_link_dies(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    first = asked(quote_id)
    second = asked(quote_id, escalation=True, justification="Urgent.")
    assert second["approver_role"] == "vp_sales"
    assert second["justification"] == f"{first['justification']}\n\nOn passing it on: Urgent."
    assert "Urgent." in inbox.mail[-1]["Message"]
    seen = status(quote_id)
    assert [item["id"] for item in seen["pending_requests"]] == [second["id"]]
    assert [(item["id"], item["status"], item["note"]) for item in seen["history"]] == [
        (first["id"], "escalated", f"Passed on as {second['id']}.")
    ]


def test_escalation_with_the_same_words_does_not_repeat_them(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    first, second = asked(quote_id), asked(quote_id, escalation=True)
    assert second["justification"] == first["justification"]


def test_at_the_top_nobody_is_left_to_ask(deployment: Deployment) -> None:
    quote_id = priced(deployment, discount=35)
    assert ask(quote_id, escalation=True)["code"] == "VALIDATION_ERROR"
    asked(quote_id)
    refused = ask(quote_id, escalation=True)
    assert (refused["code"], "nobody is above" in refused["message"]) == ("CONFLICT", True)


def test_a_second_request_is_a_conflict_that_names_the_first(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    first = asked(quote_id)
    refused = ask(quote_id)
    assert refused["code"] == "CONFLICT"
    assert refused["details"] == {"approval_request_id": first["id"], "approver_role": "sales_manager"}


def test_a_retry_with_its_key_gets_the_same_request_and_notifies_nobody_again(
    deployment: Deployment, inbox: Inbox
) -> None:
    quote_id = priced(deployment)
    first = ask(quote_id, idempotency_key="k-1")
    again = ask(quote_id, idempotency_key="k-1")
    assert again == first
    assert len(inbox.mail) == 2
    assert ask(quote_id, idempotency_key="k-1", escalation=True)["code"] == "CONFLICT"


@pytest.mark.parametrize(("discount", "account"), [(0, "acct_acme_001"), (10, "acct_birch_002")])
def test_what_is_within_policy_needs_no_approval(deployment: Deployment, discount: float, account: str) -> None:
    refused = ask(priced(deployment, STARTER, discount=discount, account=account))
    assert (refused["code"], "needs no approval" in refused["message"]) == ("VALIDATION_ERROR", True)
    assert refused["details"]["can_proceed"] is True


def test_a_draft_has_to_be_priced_first(deployment: Deployment) -> None:
    refused = ask(draft(deployment))
    assert (refused["code"], "quote_price it first" in refused["message"]) == ("VALIDATION_ERROR", True)


def test_an_offer_that_ran_out_cannot_be_approved(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    rows(
        deployment,
        "UPDATE cpq.quote_versions SET valid_until = '2021-01-01' WHERE quote_id = %s RETURNING 1 AS done",
        quote_id,
    )
    assert "was valid until 2021-01-01" in ask(quote_id)["message"]


def test_a_quote_above_the_hard_maximum_cannot_be_approved(deployment: Deployment) -> None:
    quote_id = priced(deployment, discount=30)
    rows(
        deployment,
        """UPDATE cpq.quote_versions SET policy_evaluation = jsonb_set(policy_evaluation, '{status}', '"BLOCKED"')
           WHERE quote_id = %s RETURNING 1 AS done""",
        quote_id,
    )
    assert ask(quote_id)["code"] == "POLICY_VIOLATION"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"quote_id": "Q-1999-0001"}, "NOT_FOUND"),
        ({"justification": "   "}, "VALIDATION_ERROR"),
        ({"expected_version": 7}, "CONFLICT"),
        ({"approve": True}, "VALIDATION_ERROR"),
    ],
)
def test_what_cannot_be_meant_is_refused(deployment: Deployment, arguments: dict[str, Any], code: str) -> None:
    quote_id = priced(deployment)
    assert ask(**{"quote_id": quote_id, **arguments})["code"] == code
    assert status(quote_id)["pending_requests"] == []


def test_the_answer_says_whose_quote_it_is_and_anothers_is_refused(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    refused = ask(quote_id, account_id="acct_birch_002")
    assert (refused["code"], refused["details"]) == ("CONFLICT", {"account_id": "acct_acme_001"})
    assert (status(quote_id)["pending_requests"], inbox.mail) == ([], [])
    request = asked(quote_id, account_id="acct_acme_001")
    assert (request["account_name"], request["total"]) == ("Acme Corp", "12960.00")


def test_pricing_again_voids_the_request(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    request = asked(quote_id)
    assert price(quote_id, discount=12)["version"] == 2
    seen = status(quote_id)
    assert (seen["version"], seen["current_status"], seen["pending_requests"]) == (2, "priced", [])
    assert [(item["id"], item["status"]) for item in seen["history"]] == [(request["id"], "void")]
    assert asked(quote_id)["version"] == 2


def test_of_many_at_once_one_is_asked_and_numbers_have_no_gaps(deployment: Deployment) -> None:
    quotes = [priced(deployment) for _ in range(3)]

    def attempt(quote_id: str) -> str:
        with deployment.connect("quarry_write") as connection:
            return one_request(connection, quote_id)

    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(attempt, quotes * 5 + quotes[:1]))
    assert sorted(outcomes).count("CONFLICT") == 13
    found = rows(deployment, "SELECT id FROM cpq.approval_requests ORDER BY id")
    numbers = [int(row["id"].rpartition("-")[2]) for row in found]
    assert numbers == list(range(1, len(numbers) + 1))


def one_request(connection: Any, quote_id: str) -> str:
    from cpq.approvals import requesting
    from quarry.tool.errors import ToolError
    from quarry.tool.identity import Caller
    from tests.deployment import as_tenant

    caller = Caller(tenant="acme", request_id="r", subject="agent:kimi")
    try:
        with as_tenant(connection, "acme"):
            plea = requesting.Plea(caller=caller, quote_id=quote_id, justification="j")
            [request] = requesting.request(connection, plea)
            return request.id
    except ToolError as error:
        return error.code


def test_an_expired_request_makes_way_only_when_it_has_been_settled(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    let_expire(deployment, asked(quote_id)["id"])
    refused = ask(quote_id)
    assert (refused["code"], refused["retryable"]) == ("CONFLICT", True)


def test_the_value_of_a_year_is_what_twelve_months_of_a_longer_term_cost(deployment: Deployment) -> None:
    request = asked(priced(deployment, discount=10, term_months=24))
    assert Decimal(request["context"]["annual_value"]) == Decimal("12960.00")
