"""The approval page: what it shows, what it takes, and what it says when a link is of no use any more."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from cpq.approvals import deciding, links
from cpq.approvals.deciding import Decision, Standing
from quarry import database
from tests.deployment import Deployment, as_tenant
from tests.inbox import Inbox, open_inbox
from tests.integration.approval_page.visiting import Browser
from tests.integration.cpq.approving import (
    KEY,
    PAGE,
    actions,
    asked,
    let_expire,
    price,
    priced,
    status,
    variables,
)
from tests.integration.cpq.drafts import rows
from tests.sample_catalogue import put_catalogue
from tests.sample_rows import LINES, PRODUCTS, QUOTES


@pytest.fixture(scope="module")
def inbox(deployment: Deployment, aws_url: str) -> Iterator[Inbox]:
    put_catalogue(deployment)
    with open_inbox(aws_url) as inbox:
        yield inbox


@pytest.fixture(autouse=True)
def served(deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]) -> Iterator[None]:
    inbox.empty()
    with deployment.serving("quarry_write", **variables(inbox, aws_variables)):
        yield


def link_for(quote_id: str, inbox: Inbox, *, justification: str = "A customer for two years.") -> str:
    inbox.empty()
    asked(quote_id, justification=justification)
    return inbox.links()[0]


def test_the_page_shows_what_an_approver_has_to_know(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment, discount=10)
    page = Browser().open(link_for(quote_id, inbox, justification="They pay early."))
    assert page.status == 200
    for shown in (
        f"Approve quote {quote_id}?",
        "12,960.00 USD",
        "10% (1,440.00 USD)",
        "10% discount exceeds 0% auto-approval cap for Enterprise segment",
        "They pay early. Written by anonymous. Nobody has checked it.",
        "100% on-time",
        "Pro Plan",
        "No past quote resembles this one.",
        "Record my decision",
    ):
        assert shown in page.text


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


def test_opening_a_link_changes_nothing_however_often_robots_do_it(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    before = actions(deployment, quote_id)
    assert [Browser().open(link, method=method).status for method in ("GET", "HEAD", "GET")] == [200, 200, 200]
    assert Browser().open(link, method="PUT").status == 405
    assert (status(quote_id)["current_status"], actions(deployment, quote_id)) == ("pending_approval", before)


def test_a_double_click_counts_once_and_a_change_of_mind_not_at_all(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    for decision in ("approve", "approve", "reject"):
        assert browser.send(link, form_token=token, decision=decision, comment="c").status == 303
    assert "Approved by you" in browser.open(link).text
    assert actions(deployment, quote_id).count("approval.approved") == 1
    assert "approval.rejected" not in actions(deployment, quote_id)


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

    def attempt(token: str, decision: Decision) -> Standing | None:
        claim = links.read(KEY.encode(), token)
        assert claim is not None
        with deployment.connect("quarry_approve") as connection, as_tenant(connection, claim.tenant):
            return deciding.take(connection, claim, token=token, decision=decision, comment="c", request_id="r")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(attempt, tokens, ["approved", "rejected"] * 4))
    for quote_id in quotes:
        taken = [
            action for action in actions(deployment, quote_id) if action in ("approval.approved", "approval.rejected")
        ]
        assert len(taken) == 1
        assert status(quote_id)["current_status"] == taken[0].removeprefix("approval.")


@pytest.mark.parametrize("spoil", ["cut", "altered", "other key", "nonsense", "empty", "signed but unknown"])
def test_a_link_that_was_not_issued_opens_nothing(deployment: Deployment, inbox: Inbox, spoil: str) -> None:
    link = link_for(priced(deployment), inbox)
    token = link.rpartition("/")[2]
    claim = links.read(KEY.encode(), token)
    assert claim is not None

    def minted(key: str) -> str:
        return links.mint(key.encode(), tenant="acme", request_id=claim.request_id, expires_at=claim.expires_at)

    spoiled = {
        "cut": token[:-1],
        "altered": ("B" if token[0] == "A" else "A") + token[1:],
        "other key": minted("another key, which is long enough as well"),
        "nonsense": "%2e%2e%2fetc",
        "empty": "",
        "signed but unknown": minted(KEY),
    }[spoil]
    answer = Browser().open(f"{PAGE}/{spoiled}")
    assert (answer.status, "This link is not valid" in answer.text) == (404, True)
    assert Browser().send(f"{PAGE}/{spoiled}", decision="approve").status == 404


def test_an_expired_link_says_so_and_takes_nothing(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    inbox.empty()
    request = asked(quote_id)
    link, browser = inbox.links()[0], Browser()
    token = browser.open(link).form_token
    let_expire(deployment, request["id"])
    assert browser.send(link, form_token=token, decision="approve").status == 303
    answer = browser.open(link)
    assert (answer.status, "This request has expired" in answer.text) == (410, True)
    assert status(quote_id)["can_proceed"] is False


def test_a_quote_that_was_priced_again_cannot_be_approved_through_the_old_link(
    deployment: Deployment, inbox: Inbox
) -> None:
    quote_id = priced(deployment)
    link, browser = link_for(quote_id, inbox), Browser()
    token = browser.open(link).form_token
    price(quote_id, discount=15)
    browser.send(link, form_token=token, decision="approve")
    answer = browser.open(link)
    assert (answer.status, "This request no longer counts" in answer.text) == (409, True)
    assert status(quote_id)["current_status"] == "priced"


def test_a_row_changed_behind_the_systems_back_is_noticed_by_its_hash(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    change = "UPDATE cpq.quote_lines SET quantity = quantity + 1 WHERE quote_id = %s RETURNING id"
    rows(deployment, change, quote_id)
    answer = Browser().open(link)
    assert (answer.status, "The quote has changed" in answer.text) == (409, True)


def test_who_is_no_approver_any_more_decides_nothing(deployment: Deployment, inbox: Inbox) -> None:
    link = link_for(priced(deployment, discount=35), inbox)
    deployment.rows("UPDATE cpq.approvers SET active = false WHERE role = 'chief_revenue_officer'")
    answer = Browser().open(link)
    deployment.rows("UPDATE cpq.approvers SET active = true WHERE role = 'chief_revenue_officer'")
    assert (answer.status, "You cannot decide this any more" in answer.text) == (403, True)


def test_precedents_are_what_retrieval_finds_for_the_lines(deployment: Deployment, inbox: Inbox) -> None:
    deployment.put_products(*PRODUCTS)
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(*LINES)
    deployment.embed()
    machine = ("prod_powerex_sehx10008_100", 1, {"attributes": {"voltage": "460/3/60"}})
    page = Browser().open(link_for(priced(deployment, machine, term_months=None), inbox))
    assert "Q-24-101 · Groeb Farms" in page.text
    assert "05 March 2024 · won · 98,500.00 USD each · List less 8%." in page.text


def test_earlier_decisions_about_the_customer_are_shown(deployment: Deployment, inbox: Inbox) -> None:
    starter = ("prod_starter", 5)
    earlier = priced(deployment, starter, account="acct_st_brendans")
    Browser().decide(link_for(earlier, inbox), "reject", comment="Not before the renewal.")
    page = Browser().open(link_for(priced(deployment, starter, account="acct_st_brendans"), inbox))
    assert f"{earlier}: 10% rejected" in page.text
    assert "Not before the renewal." in page.text


def test_hostile_text_stays_text(deployment: Deployment, inbox: Inbox) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><b>&amp;"
    page = Browser().open(link_for(priced(deployment), inbox, justification=attack))
    assert "<script" not in page.body
    assert "<img" not in page.body
    assert attack in page.text or "<script>alert(1)</script>" in page.text


def test_the_headers_keep_scripts_frames_caches_and_referrers_out(deployment: Deployment, inbox: Inbox) -> None:
    browser = Browser()
    page = browser.open(link_for(priced(deployment), inbox))
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"
    assert browser.cookies
    assert "<script" not in page.body


def test_the_page_works_without_embeddings(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]
) -> None:
    link = link_for(priced(deployment), inbox)
    deployment.rows("DELETE FROM quarry.embedding_cache")
    down = variables(inbox, aws_variables, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    with deployment.serving("quarry_write", **down):
        page = Browser().open(link)
    assert (page.status, "Past quotes cannot be searched right now" in page.text) == (200, True)
    assert page.form_token


def test_without_a_database_the_page_apologises(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    link = link_for(priced(deployment), inbox)
    monkeypatch.setattr(database, "CONNECT_FOR_S", 0.1)
    with deployment.serving("quarry_write", **variables(inbox, aws_variables, DB_PORT="9")):
        page = Browser().open(link)
    assert (page.status, "cannot be shown right now" in page.text) == (503, True)


def test_the_link_is_never_logged(deployment: Deployment, inbox: Inbox, capfd: pytest.CaptureFixture[str]) -> None:
    link = link_for(priced(deployment), inbox)
    Browser().decide(link, "approve")
    said = capfd.readouterr()
    assert link.rpartition("/")[2] not in said.out + said.err
