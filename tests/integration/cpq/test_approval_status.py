"""approval_status: the verdict on a quote in every state it can be in."""

import pytest

from cpq import quote_get
from tests.deployment import Deployment, invoke
from tests.integration.cpq.approving import ask, asked, let_expire, price, priced, status
from tests.integration.cpq.drafts import draft, rows
from tests.integration.cpq.printing import approve

pytestmark = pytest.mark.usefixtures("served")


def test_a_draft_cannot_proceed(deployment: Deployment) -> None:
    seen = status(draft(deployment))
    assert (seen["current_status"], seen["can_proceed"]) == ("draft", False)
    assert "quote_price" in seen["reason"]


def test_what_policy_approves_can_proceed_without_anybody(deployment: Deployment) -> None:
    seen = status(priced(deployment, discount=0))
    assert (seen["current_status"], seen["can_proceed"]) == ("priced", True)
    assert "needs no approval" in seen["reason"]
    assert (seen["pending_requests"], seen["history"]) == ([], [])


def test_what_needs_approval_says_how_to_ask_for_it(deployment: Deployment) -> None:
    seen = status(priced(deployment))
    assert (seen["can_proceed"], "approval_request" in seen["reason"]) == (False, True)


def test_a_pending_request_is_shown_with_whom_it_waits_for(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    request = asked(quote_id)
    seen = status(quote_id)
    assert (seen["current_status"], seen["can_proceed"]) == ("pending_approval", False)
    (shown,) = seen["pending_requests"]
    assert shown == {
        "id": request["id"],
        "version": 1,
        "status": "pending",
        "approver_role": "sales_manager",
        "approver_name": None,
        "justification": "A customer for two years.",
        "created_at": request["created_at"],
        "expires_at": request["expires_at"],
    }
    assert "waits for sales_manager" in seen["reason"]


def test_a_request_counts_as_expired_from_that_second_on(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    let_expire(deployment, asked(quote_id)["id"])
    seen = status(quote_id)
    assert (seen["pending_requests"], seen["can_proceed"]) == ([], False)
    assert [item["status"] for item in seen["history"]] == ["expired"]
    assert "expired unanswered" in seen["reason"]


def test_an_approval_does_not_cover_what_was_changed_behind_its_back(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    request = asked(quote_id)
    as_if_approved(deployment, quote_id, request["id"])
    assert status(quote_id)["can_proceed"] is True
    rows(deployment, "UPDATE cpq.quote_lines SET line_total = 1 WHERE quote_id = %s RETURNING id", quote_id)
    seen = status(quote_id)
    assert seen["can_proceed"] is False
    assert seen["reason"].startswith("It is not what was approved: its rows were changed")


def test_an_approved_quote_that_is_priced_again_has_lost_its_approval(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    as_if_approved(deployment, quote_id, asked(quote_id)["id"])
    price(quote_id, discount=11)
    seen = status(quote_id)
    assert (seen["version"], seen["current_status"], seen["can_proceed"]) == (2, "priced", False)
    assert [(item["version"], item["status"]) for item in seen["history"]] == [(1, "void")]
    assert seen["history"][0]["note"] == "The quote was priced again."


def test_history_can_be_left_out(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    asked(quote_id)
    asked(quote_id, escalation=True)
    assert len(status(quote_id)["history"]) == 1
    assert status(quote_id, include_history=False)["history"] == []


def test_an_offer_that_ran_out_cannot_proceed_and_is_expired_here_as_in_quote_get(deployment: Deployment) -> None:
    quote_id = priced(deployment, discount=0)
    ended = "UPDATE cpq.quote_versions SET valid_until = '2021-01-01' WHERE quote_id = %s RETURNING 1 AS done"
    rows(deployment, ended, quote_id)
    found, seen = status(quote_id), invoke(quote_get.handler, {"quote_id": quote_id})
    assert "valid until 2021-01-01" in found["reason"]
    assert found["current_status"] == seen["quote"]["status"] == "expired"


def test_what_people_have_approved_no_longer_reads_as_if_it_needed_approval(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    approve(deployment, quote_id)
    evaluation = invoke(quote_get.handler, {"quote_id": quote_id})["policy_evaluation"]
    assert (evaluation["status"], len(evaluation["violations"])) == ("APPROVED", 1)


def test_a_replayed_answer_says_how_the_request_stands_now(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    first = ask(quote_id, idempotency_key="asked once")
    price(quote_id, discount=12)
    again = ask(quote_id, idempotency_key="asked once")
    assert again["approval_request"]["id"] == first["approval_request"]["id"]
    assert (first["approval_request"]["status"], again["approval_request"]["status"]) == ("pending", "void")


def test_pricing_a_rejected_quote_says_that_it_makes_another_version(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    rows(deployment, "UPDATE cpq.quote_versions SET status = 'rejected' WHERE quote_id = %s RETURNING 1", quote_id)
    answer = price(quote_id, discount=5)
    assert answer["version"] == 2
    assert answer["notice"].endswith("Version 1 was rejected and stays readable; this is version 2.")


def test_case_of_the_id_does_not_matter(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    assert status(quote_id.lower())["quote_id"] == quote_id


def as_if_approved(deployment: Deployment, quote_id: str, request_id: str) -> None:
    rows(
        deployment,
        "UPDATE cpq.approval_requests SET status = 'approved', decided_at = now(), approver_name = 'John Smith' "
        "WHERE id = %s RETURNING id",
        request_id,
    )
    rows(
        deployment,
        "UPDATE cpq.quote_versions SET status = 'approved' WHERE quote_id = %s AND version = 1 RETURNING 1 AS done",
        quote_id,
    )
