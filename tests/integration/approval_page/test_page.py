"""The approval page: what it shows to whom, and how it stands up to hostile text and to what is down."""

import pytest

from quarry.data import database
from tests.deployment import Deployment
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import (
    priced,
    variables,
)
from tests.sample_rows import LINES, PRODUCTS, QUOTES

pytestmark = pytest.mark.usefixtures("served")


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
