"""Rules over costs are for approvers: the page and its notices tell them, and who asked is told nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from cpq.approvals import notices
from tests.deployment import TENANT, Deployment
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import pending, priced, status
from tests.integration.cpq.drafts import rows

pytestmark = pytest.mark.usefixtures("served")

RULED = "UPDATE cpq.discount_policies SET rules = rules || %s::jsonb WHERE segment = 'enterprise' RETURNING id"
UNRULED = "UPDATE cpq.discount_policies SET rules = rules - -1 WHERE segment = 'enterprise' RETURNING id"


@pytest.fixture
def floor(deployment: Deployment, request: pytest.FixtureRequest) -> Iterator[None]:
    """A margin that every quote here misses, and who may approve it nevertheless."""
    bands = [{"limit": None, "approver_role": each} for each in request.param if isinstance(each, str)]
    least = next((str(each) for each in request.param if isinstance(each, float)), "99")
    rows(deployment, RULED, Jsonb([{"measure": "margin_pct", "scope": "quote", "at_least": least, "bands": bands}]))
    yield
    rows(deployment, UNRULED)


def told(quote_id: str) -> list[Any]:
    """What whoever asked reads of the request."""
    answer = status(quote_id)
    return [answer["current_status"], answer["reason"], answer["pending_requests"], answer["history"]]


@pytest.mark.parametrize("floor", [["vp_sales"]], indirect=True)
def test_a_margin_below_the_floor_is_approved_by_the_role_that_it_needs(
    deployment: Deployment, inbox: Inbox, floor: None
) -> None:
    quote_id = priced(deployment)
    asked = link_for(quote_id, inbox)
    finding = "margin of 62% is below the floor of 99% for Enterprise segment"
    assert all(finding in mail["Message"] for mail in inbox.mail)
    assert len(inbox.mail) == 2
    before = told(quote_id)
    page = Browser().open(asked)
    assert finding in page.text
    assert "At this margin VP sales has to approve it and is told" in page.text
    assert 'value="approve"' not in page.body
    assert Browser().decide(asked, "approve").status == 422
    inbox.empty()
    notices.plan_for_newcomers(TENANT)
    notices.send(TENANT)
    [above] = inbox.links()
    assert told(quote_id) == before
    assert pending(quote_id=quote_id)["items"][0]["context_summary"]["cost_findings"] is None
    own = pending(quote_id=quote_id, subject="apr_helen_okafor")["items"][0]
    assert own["context_summary"]["cost_findings"] == [finding]
    browser = Browser()
    assert "Helen Okafor (VP sales)" in browser.open(above).text
    browser.decide(above, "approve")
    assert status(quote_id)["can_proceed"] is True


@pytest.mark.parametrize("floor", [[]], indirect=True)
def test_what_nobody_may_approve_can_only_be_rejected(deployment: Deployment, inbox: Inbox, floor: None) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    assert "At this margin nobody may approve it" in Browser().open(link).text
    assert Browser().decide(link, "approve").status == 422
    Browser().decide(link, "reject", comment="Too cheap.")
    assert status(quote_id)["current_status"] == "rejected"


@pytest.mark.parametrize(
    ("floor", "says"), [([], "at any discount"), ([65.0], "At 9% nobody may")], indirect=["floor"]
)
def test_a_smaller_discount_that_nobody_may_approve_either_is_not_taken(
    deployment: Deployment, inbox: Inbox, floor: None, says: str
) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    before = told(quote_id)
    refused = browser.send(link, form_token=token, decision="limit", limit="9")
    assert (refused.status, says in refused.text) == (422, True)
    assert told(quote_id) == before
    if says == "At 9% nobody may":
        assert browser.send(link, form_token=token, decision="limit", limit="2").status == 303


@pytest.mark.parametrize("floor", [["sales_manager"]], indirect=True)
def test_without_a_discount_the_first_of_the_chain_looks_at_the_costs(
    deployment: Deployment, inbox: Inbox, floor: None
) -> None:
    quote_id = priced(deployment, discount=0)
    link = link_for(quote_id, inbox)
    assert status(quote_id)["pending_requests"][0]["approver_role"] == "sales_manager"
    assert "to approve the quote for" in Browser().open(link).text
    assert "Discount" not in inbox.mail[0]["Message"]
    Browser().decide(link, "approve")
    assert status(quote_id)["can_proceed"] is True


def test_the_real_link_stands_first_in_a_mail_and_no_other_is_one(deployment: Deployment, inbox: Inbox) -> None:
    foreign = "Decide here: http://evil.example/approve or www.evil.example, boss@evil.example"
    link = link_for(priced(deployment), inbox, justification=foreign)
    for mail in inbox.mail:
        assert mail["Message"].index("https://approve.example/approve/") < mail["Message"].index("asks for approval")
        assert "evil" not in mail["Message"]
    assert foreign in Browser().open(link).text


@pytest.mark.parametrize("limit", ["٧٫٥", "۷٫۵٪", "7,5 %"])
def test_a_limit_is_read_in_the_digits_of_any_script(deployment: Deployment, inbox: Inbox, limit: str) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    browser.send(link, form_token=token, decision="limit", limit=limit, comment="\u202eNot \u2066so\x1bmuch.")
    [past] = status(quote_id)["history"]
    assert past["approved_up_to_pct"] == 7.5
    assert past["decision_comment"] == "Not so much."
