"""Policies see the whole deal: terms, margins and amounts as they are stored, several roles, and other currencies."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from cpq import quote_create, quote_get, quote_price
from cpq.approvals import deciding, links, notices, requesting
from cpq.approvals.deciding import Decision, RequestStanding
from cpq.payment import UNREAD
from quarry.tool.identity import Caller
from tests.deployment import TENANT, Deployment, as_tenant, invoke
from tests.inbox import Inbox
from tests.integration.cpq.approving import KEY, ask, asked, let_expire, price, priced, status
from tests.integration.cpq.drafts import draft, rows
from tests.integration.cpq.printing import approve

pytestmark = pytest.mark.usefixtures("served")

MACHINE = ("prod_quincy_qmb30", 1)
ROUTED = "UPDATE cpq.discount_policies SET routing = %s WHERE segment = 'smb' RETURNING id"
NOTED = "UPDATE cpq.quote_versions SET payment_terms = 'net_60' WHERE quote_id = %s RETURNING quote_id"


@pytest.fixture
def routed(deployment: Deployment, request: pytest.FixtureRequest) -> Iterator[str]:
    """The small customers' policy asks several roles in the way that the test names."""
    rows(deployment, ROUTED, request.param)
    yield request.param
    rows(deployment, ROUTED, "highest")


def two_roles(deployment: Deployment) -> str:
    """A small customer's quote: its discount needs a vice president, its payment term a manager."""
    quote_id = draft(deployment, ("prod_starter", 20), account="acct_birch_002")
    rows(deployment, NOTED, quote_id)
    price(quote_id, discount=22)
    return quote_id


def decide(deployment: Deployment, link: str, decision: Decision = "approved") -> RequestStanding | None:
    token = link.rpartition("/")[2]
    claim = links.read(KEY.encode(), token)
    assert claim is not None
    with deployment.connect("quarry_approve") as connection, as_tenant(connection, TENANT):
        deciding.decide(connection, claim, decision=decision, comment="Seen.", request_id="r")
        return deciding.standing(connection, claim)


def stored_status(deployment: Deployment, quote_id: str) -> str:
    [row] = rows(deployment, "SELECT status FROM cpq.quote_versions WHERE quote_id = %s", quote_id)
    return str(row["status"])


def test_a_deal_that_is_odd_in_all_but_its_discount_needs_approval_and_says_why(deployment: Deployment) -> None:
    today = datetime.now(UTC).date()
    quote_id = invoke(
        quote_create.handler,
        {
            "account_id": "acct_birch_002",
            "term_months": 100,
            "payment_terms": "net_90",
            "start_date": str(today - timedelta(days=300)),
            "valid_until": str(today + timedelta(days=300)),
            "line_items": [{"product_id": "prod_starter", "quantity": 5, "attributes": {"billing": "annual"}}],
        },
    )["quote"]["id"]
    answer = price(quote_id, discount=10)
    found = {item["measure"]: item for item in answer["policy_evaluation"]["violations"]}
    assert found.keys() == {"payment_days", "term_months", "validity_days", "start_days"}
    assert (
        found["validity_days"]["description"] == "validity of 300 days exceeds the limit of 60 days for SMB segment"
    )
    assert {item["required_approver_role"] for item in found.values()} == {"vp_sales"}
    assert asked(quote_id)["approver_role"] == "vp_sales"


@pytest.mark.parametrize("terms", ["50% anticipo, 50% contra entrega", "30 days net, 20% rebate"])
def test_terms_of_payment_that_are_not_read_whole_are_a_proposal_that_a_person_decides_on(
    deployment: Deployment, terms: str
) -> None:
    lines = [{"product_id": MACHINE[0], "quantity": 1}]
    made = invoke(quote_create.handler, {"account_id": "acct_birch_002", "payment_terms": terms, "line_items": lines})
    assert f"'{terms}' {UNREAD}: a person has to approve it." in made["notice"]
    [found] = price(made["quote"]["id"])["policy_evaluation"]["violations"]
    assert (found["measure"], found["severity"]) == ("payment_days", "approval_required")
    assert f"because '{terms}' {UNREAD}" in found["description"]


def test_what_comes_off_for_paying_early_is_a_discount_unless_it_is_agreed(deployment: Deployment) -> None:
    lines = [{"product_id": MACHINE[0], "quantity": 1}]
    asked = {
        "account_id": "acct_birch_002",
        "payment_terms": "14 Tage 11 % Skonto, 30 Tage netto",
        "line_items": lines,
    }
    made = invoke(quote_create.handler, asked)
    assert "The 11 % for paying early count as discount: they are not agreed with" in made["notice"]
    [found] = price(made["quote"]["id"])["policy_evaluation"]["violations"]
    assert found["description"].startswith("19.9% discount exceeds")
    agree = "UPDATE cpq.accounts SET payment_terms = %(payment_terms)s WHERE id = %(account_id)s RETURNING id"
    deployment.rows(agree, asked)
    agreed = invoke(quote_create.handler, asked)
    assert "paying early" not in agreed.get("notice", "")
    assert price(agreed["quote"]["id"])["policy_evaluation"]["auto_approved"] is True


@pytest.mark.parametrize("routed", ["serial"], indirect=True)
def test_roles_in_a_row_are_asked_one_after_the_other_and_the_last_releases_the_quote(
    deployment: Deployment, inbox: Inbox, routed: str
) -> None:
    quote_id = two_roles(deployment)
    answer = ask(quote_id)
    assert (answer["approval_request"]["approver_role"], answer["approval_request"]["status"]) == (
        "sales_manager",
        "pending",
    )
    assert [(item["approver_role"], item["status"]) for item in answer["other_requests"]] == [("vp_sales", "waiting")]
    standing = decide(deployment, inbox.links()[0])
    assert standing is not None
    assert standing.others == ("vp_sales",)
    assert stored_status(deployment, quote_id) == "pending_approval"
    assert status(quote_id)["can_proceed"] is False
    [next_one] = status(quote_id)["pending_requests"]
    assert (next_one["approver_role"], next_one["status"]) == ("vp_sales", "pending")
    inbox.empty()
    notices.plan_for_newcomers(TENANT)
    notices.send(TENANT)
    decide(deployment, inbox.links()[0])
    assert status(quote_id)["can_proceed"] is True


@pytest.mark.parametrize("routed", ["parallel"], indirect=True)
def test_roles_side_by_side_are_asked_at_once_and_one_rejection_ends_it(
    deployment: Deployment, inbox: Inbox, routed: str
) -> None:
    quote_id = two_roles(deployment)
    answer = ask(quote_id)
    assert [item["status"] for item in answer["other_requests"]] == ["pending"]
    assert len(inbox.mail) == 3
    decide(deployment, inbox.links()[0], "rejected")
    assert stored_status(deployment, quote_id) == "rejected"
    assert {item["status"] for item in status(quote_id)["history"]} == {"rejected", "void"}
    late = decide(deployment, inbox.links()[-1])
    assert late is not None
    assert late.state == "void"


@pytest.mark.parametrize("routed", ["serial", "parallel"], indirect=True)
def test_passing_a_request_on_takes_no_other_role_out(deployment: Deployment, inbox: Inbox, routed: str) -> None:
    quote_id = two_roles(deployment)
    ask(quote_id)
    answer = ask(quote_id, escalation=True)
    assert answer["approval_request"]["approver_role"] == "chief_revenue_officer"
    assert [each["approver_role"] for each in answer["other_requests"]] == ["vp_sales"]
    refused = ask(quote_id, escalation=True)
    assert "nobody is above them who is not asked already" in refused["message"]
    decide(deployment, inbox.links()[-1])
    assert status(quote_id)["can_proceed"] is False
    at_once = ask(two_roles(deployment), escalation=True)
    assert at_once["approval_request"]["approver_role"] == "vp_sales"
    assert [each["approver_role"] for each in at_once["other_requests"]] == ["chief_revenue_officer"]


@pytest.mark.parametrize("routed", ["parallel"], indirect=True)
def test_whoever_approved_already_is_not_asked_again_after_another_let_it_expire(
    deployment: Deployment, inbox: Inbox, routed: str
) -> None:
    quote_id = two_roles(deployment)
    ask(quote_id)
    decide(deployment, inbox.links()[0])
    for role in ("vp_sales", "chief_revenue_officer"):
        [open_request] = status(quote_id)["pending_requests"]
        assert open_request["approver_role"] == role
        let_expire(deployment, open_request["id"])
        requesting.settle_overdue(Caller(tenant=TENANT, request_id="r", subject="schedule"))
    assert status(quote_id)["current_status"] == "priced"
    again = ask(quote_id)
    assert (again["approval_request"]["approver_role"], again["other_requests"]) == ("vp_sales", [])


@pytest.mark.parametrize("routed", ["highest"], indirect=True)
def test_by_default_the_highest_role_alone_is_asked(deployment: Deployment, routed: str) -> None:
    answer = ask(two_roles(deployment))
    assert (answer["approval_request"]["approver_role"], answer["other_requests"]) == ("vp_sales", [])


def test_a_margin_in_yen_is_known_to_approvers_alone_by_the_rate_that_its_trace_keeps(deployment: Deployment) -> None:
    quote_id = draft(deployment, ("prod_sso", 3), account="acct_midori")
    price(quote_id, discount=0)
    [row] = rows(deployment, "SELECT trace FROM cpq.pricing_traces WHERE quote_id = %s", quote_id)
    stored = row["trace"]
    assert stored["margin_pct"] == "63.20"
    assert stored["cost_rates"] == [
        {"from_currency": "USD", "to_currency": "JPY", "rate": "150", "as_of": "2026-01-02", "source": "sample"}
    ]
    shown = invoke(quote_get.handler, {"quote_id": quote_id, "include_trace": True})["pricing_trace"]
    assert not {"margin_pct", "list_margin_pct", "margin_note", "cost_rates"} & shown.keys()


def test_a_term_that_nobody_can_approve_is_refused_with_the_way_out_of_just_that(deployment: Deployment) -> None:
    quote_id = draft(deployment, ("prod_starter", 5), account="acct_birch_002", term_months=600)
    refused = invoke(quote_price.handler, {"quote_id": quote_id})
    assert refused["code"] == "POLICY_VIOLATION"
    assert refused["message"].endswith("; change its terms or amounts with quote_create.")
    assert refused["details"]["largest_requested_discount_pct"] is None


def test_a_machine_under_what_this_customer_paid_before_is_named_with_its_quote(deployment: Deployment) -> None:
    with deployment.connect("quarry_owner") as connection, as_tenant(connection, TENANT):
        connection.execute(
            """WITH sold AS (
                   INSERT INTO quotes.past_quotes (
                       tenant, quote_number, customer, quote_date, project, summary, status, currency)
                   VALUES ('acme', 'Q22-0518', 'Groeb farms', '2022-05-11', 'p', 's', 'won', 'USD')
                   RETURNING tenant, id)
               INSERT INTO quotes.line_items (tenant, quote_id, position, category, family, manufacturer, model,
                   description, quantity, unit_price, currency)
               SELECT tenant, id, 1, 'COMPRESSOR', 'compressor', 'Powerex', 'SEHX10008-100', 'd', 1, 250000, 'USD'
               FROM sold"""
        )
    quote_id = draft(deployment, ("prod_powerex_sehx10008_100", 1), account="acct_groeb_farms", term_months=None)
    [note] = price(quote_id, discount=10)["price_notes"]
    assert "under the 250,000.00" in note
    assert "(Q22-0518)" in note


def test_what_was_approved_for_another_customer_is_the_newest_sale(deployment: Deployment) -> None:
    dear = priced(deployment, ("prod_support_premium", 1), account="acct_st_brendans", discount=10)
    approve(deployment, dear)
    answer = price(draft(deployment, ("prod_support_premium", 1)), discount=15)
    [note] = answer["price_notes"]
    assert "340.00 USD per unit per month is under the 360.00 that another customer was quoted" in note
    assert note.endswith(f"({dear}).")


def test_a_competing_offer_is_kept_as_a_claim_with_its_name_price_and_scope(deployment: Deployment) -> None:
    offer = {"name": "Rival Air", "price": 9900.5, "scope": "the same without start-up"}
    context = asked(priced(deployment), competitor=offer)["context"]
    assert context["competitor_claim"] == {**offer, "price": "9900.5"}
    assert context["competitor_discount"] == "20%"


def test_who_priced_before_the_policy_changed_asks_by_todays(deployment: Deployment) -> None:
    quote_id = priced(deployment, MACHINE, discount=15, account="acct_birch_002")
    bands = "UPDATE cpq.discount_policies SET bands = %s::jsonb WHERE segment = 'smb' RETURNING id"
    [policy] = rows(deployment, "SELECT bands FROM cpq.discount_policies WHERE segment = 'smb'")
    lower = [{"max_pct": "12", "approver_role": "sales_manager"}, {"max_pct": "25", "approver_role": "vp_sales"}]
    rows(deployment, bands, json.dumps(lower))
    refused = ask(quote_id)
    price(quote_id, discount=15)
    anew = ask(quote_id)
    rows(deployment, bands, json.dumps(policy["bands"]))
    assert refused["code"] == "CONFLICT"
    assert "price it again with quote_price" in refused["message"]
    assert anew["approval_request"]["approver_role"] == "vp_sales", anew


def test_a_rule_over_costs_that_came_later_has_the_quote_priced_again(deployment: Deployment) -> None:
    quote_id = priced(deployment, MACHINE, discount=15, account="acct_birch_002")
    ruled = "UPDATE cpq.discount_policies SET rules = %s::jsonb WHERE segment = 'smb' RETURNING id"
    [policy] = rows(deployment, "SELECT rules FROM cpq.discount_policies WHERE segment = 'smb'")
    floor = {"measure": "margin_pct", "at_least": "30", "bands": [{"limit": "0", "approver_role": "sales_manager"}]}
    rows(deployment, ruled, json.dumps([*policy["rules"], floor]))
    refused = ask(quote_id)
    price(quote_id, discount=15)
    anew = ask(quote_id)
    rows(deployment, ruled, json.dumps(policy["rules"]))
    assert "price it again with quote_price" in refused["message"]
    assert "approval_request" in anew


@pytest.mark.parametrize("routed", ["serial"], indirect=True)
def test_more_roles_than_people_are_told_when_approval_is_asked_for(deployment: Deployment, routed: str) -> None:
    quote_id = two_roles(deployment)
    emails = rows(deployment, "SELECT id, email FROM cpq.approvers")
    rows(deployment, "UPDATE cpq.approvers SET email = 'owner@acme.example' RETURNING id")
    refused = ask(quote_id)
    for row in emails:
        rows(deployment, "UPDATE cpq.approvers SET email = %s WHERE id = %s RETURNING id", row["email"], row["id"])
    assert refused["code"] == "CONFLICT"
    assert "approval of sales_manager and vp_sales, each from another person" in refused["message"]
    assert "approvers on record: 1." in refused["message"]


def test_a_quote_of_a_book_that_ended_is_priced_again_before_it_goes_out(deployment: Deployment) -> None:
    quote_id, active = (
        draft(deployment, ("prod_sso", 10)),
        "UPDATE cpq.price_books SET active = %s WHERE id = %s RETURNING id",
    )
    book = {"quote_id": quote_id, "price_book_id": "pb_enterprise_us"}
    assert "error" not in invoke(quote_price.handler, book)
    rows(deployment, active, False, "pb_enterprise_us")
    seen = status(quote_id)
    rows(deployment, active, True, "pb_enterprise_us")
    assert seen["can_proceed"] is False
    assert "it could not be priced as it was: quote_price it again" in seen["reason"]
