"""quote_withdraw: what was asked can be taken back, and what nobody relies on given up, with a trace of both."""

from typing import Any

import pytest

from cpq import quote_create, quote_price, quote_withdraw
from tests.deployment import Deployment, invoke
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import actions, ask, asked, priced, status
from tests.integration.cpq.drafts import draft, owner, rows
from tests.integration.cpq.printing import approve

pytestmark = pytest.mark.usefixtures("served")


def withdraw(quote_id: str, **arguments: object) -> dict[str, Any]:
    event = {"quote_id": quote_id, "reason": "They want another machine.", **arguments}
    return invoke(quote_withdraw.handler, event, subject="agent:ann")


def test_a_request_that_is_withdrawn_leaves_the_quote_priced_and_can_be_made_again(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    first = asked(quote_id)["id"]
    answer = withdraw(quote_id.lower(), expected_version=1)
    assert answer == {"quote_id": quote_id, "version": 1, "status": "priced", "withdrawn": [first]}
    [past] = status(quote_id)["history"]
    assert (past["status"], past["note"]) == ("void", "Withdrawn by agent:ann: They want another machine.")
    assert actions(deployment, quote_id)[-1] == "approval.withdrawn"
    assert withdraw(quote_id)["withdrawn"] == []
    assert asked(quote_id)["status"] == "pending"


def test_the_approvers_page_says_who_withdrew_it_when_and_why(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    withdraw(quote_id)
    page = Browser().open(link)
    assert (page.status, "This request no longer counts" in page.text) == (409, True)
    assert "Withdrawn by agent:ann: They want another machine." in page.text
    again = Browser().open(link_for(quote_id, inbox))
    assert "Asked before about this quote" in again.text
    assert "Withdrawn by agent:ann: They want another machine." in again.text


def test_the_approvers_page_says_what_an_amendment_changed(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    repriced = {"quote_id": quote_id, "requested_discount_pct": 15, "account_id": owner(quote_id)}
    invoke(quote_price.handler, repriced, subject="agent:ann")
    page = Browser().open(link)
    assert "Version 2 of the quote took its place: agent:ann made it." in page.text
    assert "Total: 12,960.00 → 12,240.00 (-5.56%)" in page.text
    again = Browser().open(link_for(quote_id, inbox))
    assert "What changed since version 1, which was asked about before" in again.text


def test_a_draft_that_is_discarded_stays_readable_and_comes_back_by_nothing(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    asked(quote_id)
    assert withdraw(quote_id, discard=True)["status"] == "discarded"
    assert actions(deployment, quote_id)[-2:] == ["approval.withdrawn", "quote.discarded"]
    assert withdraw(quote_id, discard=True)["status"] == "discarded"
    assert actions(deployment, quote_id).count("quote.discarded") == 1
    line = {"product_id": "prod_sso", "quantity": 1}
    revision = {"revises": quote_id, "expected_version": 1, "account_id": "acct_acme_001", "line_items": [line]}
    for handler, event in (
        (quote_price.handler, {"quote_id": quote_id}),
        (quote_create.handler, revision),
    ):
        refused = invoke(handler, event)
        assert "discarded" in refused["message"]
        assert "quote_create" in refused["message"]
    assert "discarded" in ask(quote_id)["message"]
    assert status(quote_id)["reason"] == "It was discarded: draft another with quote_create."


def test_what_somebody_may_rely_on_is_not_discarded(deployment: Deployment) -> None:
    approved = priced(deployment)
    approve(deployment, approved)
    printed = draft(deployment)
    rows(
        deployment,
        """INSERT INTO cpq.documents (tenant, quote_id, version, template, options_sha256, options, bucket, key,
               sha256, bytes, generated_by)
           SELECT 'acme', %s, 1, 'standard', repeat('0', 64), '{}', 'b', 'k', repeat('0', 64), 1, 'x'
           RETURNING key""",
        printed,
    )
    for quote_id, word in ((approved, "approved"), (printed, "printed")):
        refused = withdraw(quote_id, discard=True)
        assert (refused["code"], f"{quote_id} was {word}" in refused["message"]) == ("CONFLICT", True)


def test_a_version_that_was_not_read_is_not_discarded(deployment: Deployment) -> None:
    assert withdraw(draft(deployment), discard=True, expected_version=2)["code"] == "CONFLICT"
