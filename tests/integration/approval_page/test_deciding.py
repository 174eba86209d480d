"""The approval page's form: what it takes for a decision, from whom, and how often."""

import re
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex

import pytest

from cpq.approvals import deciding, links
from cpq.approvals.deciding import Decision
from tests.deployment import Deployment, as_tenant
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import (
    KEY,
    actions,
    ask,
    asked,
    price,
    priced,
    status,
)
from tests.integration.cpq.drafts import draft, rows

pytestmark = pytest.mark.usefixtures("served")


def test_approving_makes_the_quote_approved_under_the_approvers_name(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    result = Browser().decide(link_for(quote_id, inbox), "approve", comment="Good customer, approved")
    assert (result.status, f"Quote {quote_id} is approved" in result.text) == (200, True)
    seen = status(quote_id)
    assert (seen["current_status"], seen["can_proceed"]) == ("approved", True)
    (decided,) = seen["history"]
    assert (decided["status"], decided["decision_comment"]) == ("approved", "Good customer, approved")
    assert decided["approver_name"] in ("John Smith", "Amara Diallo")
    assert actions(deployment, quote_id)[-1] == "approval.approved"
    (record,) = rows(
        deployment, "SELECT actor FROM cpq.audit WHERE subject_id = %s AND action = 'approval.approved'", quote_id
    )
    assert record["actor"] in ("approver:apr_john_smith", "approver:apr_amara_diallo")


def test_rejecting_needs_a_reason_and_keeps_what_was_typed(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    refused = browser.decide(link, "reject", comment="   ")
    assert (refused.status, "Say why you reject it" in refused.text) == (422, True)
    assert 'id="reject" name="decision" value="reject" required checked' in refused.body
    assert "<title>Error: " in refused.body
    result = browser.decide(link, "reject", comment="Too low for <this> segment.")
    assert "Too low for &lt;this&gt; segment." in result.body
    seen = status(quote_id)
    assert (seen["current_status"], seen["can_proceed"]) == ("rejected", False)
    assert seen["history"][0]["decision_comment"] == "Too low for <this> segment."


@pytest.mark.parametrize(
    ("decision", "comment", "says"),
    [
        ("", "hm", "Choose whether you approve or reject."),
        ("launder", "", "Choose whether you approve or reject."),
        ("approve", "x" * 2001, "it has 2001"),
    ],
)
def test_a_form_that_says_nothing_clear_is_shown_again(
    deployment: Deployment, inbox: Inbox, decision: str, comment: str, says: str
) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    refused = browser.decide(link, decision, comment=comment)
    assert (refused.status, says in refused.text) == (422, True)
    assert status(quote_id)["current_status"] == "pending_approval"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"content-type": "text/plain"},
    ],
)
def test_a_form_from_elsewhere_decides_nothing(deployment: Deployment, inbox: Inbox, headers: dict[str, str]) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    assert browser.send(link, headers=headers, form_token=token, decision="approve").status == 403
    assert status(quote_id)["current_status"] == "pending_approval"


def test_a_form_needs_the_cookie_and_the_token_of_this_very_link(deployment: Deployment, inbox: Inbox) -> None:
    quote_id, other_id = priced(deployment), priced(deployment)
    link, other = link_for(quote_id, inbox), link_for(other_id, inbox)
    browser = Browser()
    token, foreign = browser.open(link).form_token, browser.open(other).form_token
    for sender, sent in ((Browser(), token), (browser, foreign), (browser, ""), (browser, "ü")):
        assert sender.send(link, form_token=sent, decision="approve").status == 403
    assert browser.send(link, form_token=token, decision="approve").status == 303, "a second tab locks nobody out"


@pytest.mark.parametrize("planted", ['"a\\073 Domain=evil.example"', "a b", "x" * 4000])
def test_a_cookie_that_did_not_come_from_the_page_is_replaced_and_never_given_back(
    deployment: Deployment, inbox: Inbox, planted: str
) -> None:
    link, browser = link_for(priced(deployment), inbox), Browser(cookies=[f"approval_visit={planted}"])
    token = browser.open(link).form_token
    [cookie] = browser.cookies
    assert re.fullmatch(r"approval_visit=[A-Za-z0-9_-]{32}", cookie)
    assert browser.send(link, form_token=token, decision="approve").status == 303


def test_a_decision_never_leads_to_another_host(deployment: Deployment, inbox: Inbox) -> None:
    link, browser = link_for(priced(deployment), inbox), Browser()
    crooked = link.replace("//approve.example/", "//approve.example//evil.example/")
    token = browser.open(crooked).form_token
    answer = browser.send(crooked, form_token=token, decision="approve")
    assert (answer.status, answer.headers["location"][:14]) == (303, "/evil.example/")


def test_a_double_click_counts_once_and_a_change_of_mind_not_at_all(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    for decision in ("approve", "approve", "reject"):
        assert browser.send(link, form_token=token, decision=decision, comment="c").status == 303
    assert "Approved by you" in browser.open(link).text
    assert actions(deployment, quote_id).count("approval.approved") == 1
    assert "approval.rejected" not in actions(deployment, quote_id)


@pytest.mark.parametrize("name", ["address", "id", "other id"])
def test_nobody_approves_what_he_asked_for_under_any_of_his_names(
    deployment: Deployment, inbox: Inbox, name: str
) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    rows(
        deployment,
        """WITH twice AS (
               INSERT INTO cpq.approvers (tenant, id, role, name, email, active)
               SELECT a.tenant, a.id || %s, a.role, a.name, upper(a.email), false
               FROM cpq.approvers a JOIN cpq.approval_links l ON l.tenant = a.tenant AND l.approver_id = a.id
               WHERE l.token_hash = %s RETURNING id)
           UPDATE cpq.approval_requests r SET requested_by = CASE %s
               WHEN 'id' THEN a.id WHEN 'other id' THEN (SELECT id FROM twice) ELSE upper(a.email) END
           FROM cpq.approval_links l JOIN cpq.approvers a ON a.tenant = l.tenant AND a.id = l.approver_id
           WHERE r.id = l.request_id AND r.quote_id = %s AND l.token_hash = %s RETURNING r.id""",
        token_hex(4),
        links.hash_of(link.rpartition("/")[2]),
        name,
        quote_id,
        links.hash_of(link.rpartition("/")[2]),
    )
    assert browser.send(link, form_token=token, decision="approve").status == 303
    page = browser.open(link)
    assert (page.status, "You asked for this yourself" in page.text) == (403, True)
    assert status(quote_id)["current_status"] == "pending_approval"


def test_whoever_comes_second_reads_what_the_first_decided(deployment: Deployment, inbox: Inbox) -> None:
    asked(priced(deployment))
    first, second = inbox.links()
    Browser().decide(first, "reject", comment="No.")
    seen = Browser().open(second)
    assert seen.status == 200
    assert "Rejected by" in seen.text
    assert "by you" not in seen.text
    assert "<form" not in seen.body


def test_of_two_approvers_at_once_one_decides(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]
) -> None:
    quotes = [priced(deployment) for _ in range(4)]
    for quote_id in quotes:
        asked(quote_id)
    tokens = [link.rpartition("/")[2] for link in inbox.links()]
    assert len(tokens) == 8

    def attempt(token: str, decision: Decision) -> None:
        claim = links.read(KEY.encode(), token)
        assert claim is not None
        with deployment.connect("quarry_approve") as connection, as_tenant(connection, claim.tenant):
            deciding.decide(connection, claim, decision=decision, comment="c", request_id="r")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(attempt, tokens, ["approved", "rejected"] * 4))
    for quote_id in quotes:
        taken = [
            action for action in actions(deployment, quote_id) if action in ("approval.approved", "approval.rejected")
        ]
        assert len(taken) == 1
        assert status(quote_id)["current_status"] == taken[0].removeprefix("approval.")


def test_a_question_reaches_who_asked_and_the_answer_the_approver(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    page = browser.decide(link, "ask", comment="Which renewal date?")
    assert "asked: " in page.text
    assert "Which renewal date? Not answered yet." in page.text
    seen = status(quote_id)
    assert (seen["current_status"], [each["question"] for each in seen["questions"]]) == (
        "pending_approval",
        ["Which renewal date?"],
    )
    assert "asks: 'Which renewal date?' Answer with approval_request" in seen["reason"]
    inbox.empty()
    answered = asked(quote_id, justification="The first of March.")
    [mail] = inbox.mail
    assert "Which renewal date?\nAnswer: The first of March." in mail["Message"]
    assert answered["id"] == seen["pending_requests"][0]["id"]
    assert status(quote_id)["questions"][0]["answer"] == "The first of March."
    assert "Which renewal date? Answer: The first of March." in browser.open(link).text
    assert {"approval.questioned", "approval.answered"} <= set(actions(deployment, quote_id))
    again = ask(quote_id, justification="And another thing.")
    assert (again["code"], "is pending with" in again["message"]) == ("CONFLICT", True)
    assert "Approved by you" in browser.decide(link, "approve").text


def test_a_question_needs_words(deployment: Deployment, inbox: Inbox) -> None:
    link = link_for(priced(deployment), inbox)
    page = Browser().decide(link, "ask")
    assert (page.status, "Write your question" in page.text) == (422, True)


def test_a_smaller_discount_is_offered_and_the_quote_as_it_is_rejected(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment, discount=10)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    browser.send(link, form_token=token, decision="limit", limit="7,5 %", comment="")
    assert "A discount of up to 7.5% would be approved." in browser.open(link).text
    seen = status(quote_id)
    assert (seen["current_status"], seen["can_proceed"]) == ("rejected", False)
    assert seen["history"][0]["approved_up_to_pct"] == 7.5
    assert "would be with a discount of 7.5% at most on the whole: quote_price it with a " in seen["reason"]
    price(quote_id, discount=7.5)
    page = Browser().open(link_for(quote_id, inbox))
    assert f"{quote_id}: 10% rejected, up to 7.5% agreed" in page.text


@pytest.mark.parametrize("limit", ["", "ten", "10", "-1", "NaN", "1e1", "0.00001"])
def test_a_limit_has_to_be_below_what_is_asked_for(deployment: Deployment, inbox: Inbox, limit: str) -> None:
    quote_id = priced(deployment, discount=10)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    page = browser.send(link, form_token=token, decision="limit", limit=limit, comment="")
    assert (page.status, "Write a discount below the 10%" in page.text) == (422, True)
    assert status(quote_id)["current_status"] == "pending_approval"


@pytest.mark.parametrize(("own", "asked"), [(4, 4.1666), (12, None)])
def test_a_smaller_discount_is_that_of_the_whole_and_the_lines_own_are_within_it(
    deployment: Deployment, inbox: Inbox, own: float, asked: float | None
) -> None:
    quote_id = draft(deployment, ("prod_starter", 20, {"discount_pct": own}))
    price(quote_id, discount=10)
    link, browser = link_for(quote_id, inbox), Browser()
    browser.send(link, form_token=browser.open(link).form_token, decision="limit", limit="8")
    reason = status(quote_id)["reason"]
    if asked is None:
        assert ") has 12%. Lower that with quote_create, a line's discount_pct to 8 at most" in reason
    else:
        assert f"quote_price it with a requested_discount_pct of {asked}" in reason
        [found] = price(quote_id, discount=asked)["policy_evaluation"]["violations"]
        assert found["description"].startswith("8% discount exceeds")
