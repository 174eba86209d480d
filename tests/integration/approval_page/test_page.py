"""The approval page: what it shows to whom, and how it stands up to hostile text and to what is down."""

import re

import pytest

from quarry.data import database
from tests.deployment import Deployment
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import price, priced, variables
from tests.integration.cpq.drafts import draft, rows
from tests.sample_rows import line, quote

pytestmark = pytest.mark.usefixtures("served")


def test_the_page_shows_what_an_approver_has_to_know(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment, discount=10)
    page = Browser().open(link_for(quote_id, inbox, justification="They pay early."))
    assert page.status == 200
    for shown in (
        f"Approve quote {quote_id}?",
        "USD 12,960.00",
        "10% (USD 1,440.00)",
        "10% discount exceeds 0% auto-approval cap for Enterprise segment",
        "They pay early. Written by anonymous. Nobody has checked it.",
        "100% on-time (24 of 24 invoices)",
        "Pro Plan",
        "No past quote has a price of these goods.",
        "Record my decision",
    ):
        assert shown in page.text


MACHINE = ("prod_powerex_sehx10008_100", 1, {"attributes": {"voltage": "460/3/60"}})


def test_a_total_before_tax_is_not_called_one_with_it(deployment: Deployment, inbox: Inbox) -> None:
    deployment.rows("UPDATE cpq.accounts SET country = 'KE' WHERE id = 'acct_keystone_tool'")
    quote_id = priced(deployment, MACHINE, discount=12, account="acct_keystone_tool", term_months=None)
    page = Browser().open(link_for(quote_id, inbox))
    total = re.search(r"Total with tax (USD [\d,.]+ \(Tax: Not on record\))", page.text)
    assert total is not None
    assert "Tax Not on record Total, USD" in page.text
    assert f"Total with tax: {total[1]}" in inbox.mail[-1]["Message"]


def test_past_prices_of_the_model_stand_beside_the_price_here(deployment: Deployment, inbox: Inbox) -> None:
    own = {"manufacturer": "Powerex", "model": "SEHX10008-100", "unit_price": "90000"}
    deployment.put_quotes(
        *(quote(f"P-{year}", quote_date=f"{year}-05-01", customer="Lakeside Foundry") for year in (2022, 2023)),
        quote("P-own", quote_date="2021-05-01", customer="Acme Corp"),
        quote("P-lost", quote_date="2025-05-01", status="lost"),
    )
    deployment.put_lines(
        line("P-2022", 1, "Oilless scroll.", **own),
        line("P-2023", 1, "Oilless scroll.", **{**own, "unit_price": "95000"}),
        line("P-own", 1, "Oilless scroll.", **{**own, "unit_price": "88000"}),
        line("P-lost", 1, "Oilless scroll.", **{**own, "unit_price": "99000"}),
    )
    page = Browser().open(link_for(priced(deployment, MACHINE, term_months=None), inbox))
    for shown in (
        "Prices of Powerex SEHX10008-100",
        "3×: 88,000.00–95,000.00 median 90,000.00; P-own–P-2023",
        "1×: 99,000.00 P-lost",
        "95,000.00 P-2023",
        "88,000.00 P-own, 2021; here",
    ):
        assert shown in page.text
    assert "style=" not in page.body


def test_a_price_by_the_month_says_so_beside_that_of_a_piece(deployment: Deployment, inbox: Inbox) -> None:
    deployment.put_quotes(quote("P-rent", quote_date="2025-05-01", status="lost"))
    rented = {"manufacturer": "Quincy", "model": "QMB25", "unit": "month", "unit_price": "2100"}
    deployment.put_lines(line("P-rent", 1, "Rotary screw, rented.", **rented))
    page = Browser().open(link_for(priced(deployment, ("prod_quincy_qmb25", 1, {}), term_months=None), inbox))
    assert "1×: 2,100.00/month P-rent" in page.text
    assert "here" not in page.text.partition("P-rent")[2].partition("Lines")[0]


def test_the_decision_stands_before_what_it_is_decided_by(deployment: Deployment, inbox: Inbox) -> None:
    page = Browser().open(link_for(priced(deployment), inbox))
    headings = re.findall(r'<h2 id="(\w+)"', page.body)
    assert headings == ["decision", "glance", "policies", "justification", "prices", "lines", "record"]
    assert page.body.index('class="reach" href="#decision"') > page.body.index('id="record"')


def test_margins_are_shown_at_the_price_at_list_and_per_line(deployment: Deployment, inbox: Inbox) -> None:
    page = Browser().open(link_for(priced(deployment), inbox))
    assert re.search(r"Margin before tax [\d.]+% at list [\d.]+%", page.text)
    assert len(re.findall(r"[\d.]+% of [\d.]+% at list", page.text)) == 2


def test_what_is_printed_below_a_line_is_seen_by_who_decides(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = draft(deployment)
    rows(deployment, "UPDATE cpq.quote_lines SET notes = 'Hinweis 7' WHERE quote_id = %s RETURNING id", quote_id)
    price(quote_id)
    assert Browser().open(link_for(quote_id, inbox)).text.count("Hinweis 7") == 2


def test_moments_are_those_of_the_approvers_own_clock(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    page = Browser().open(link_for(quote_id, inbox))
    [row] = rows(
        deployment,
        "SELECT expires_at AT TIME ZONE 'America/Detroit' AS local FROM cpq.approval_requests WHERE quote_id = %s",
        quote_id,
    )
    assert re.search(r"until \w+ \d+, \d{4}, \d\d:\d\d \(America/(Detroit|New_York)\)", page.text)
    assert f"{row['local']:%B %-d, %Y, %H:%M} (America/" in page.text


def test_what_changed_since_the_approved_version_is_listed(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    Browser().decide(link_for(quote_id, inbox), "approve")
    price(quote_id, discount=20)
    link = link_for(quote_id, inbox)
    page = Browser().open(link)
    assert "What changed since version 1, which was approved" in page.text
    assert "Total: 12,960.00 → 11,520.00 (-11.11%)" in page.text
    update = "UPDATE cpq.quote_versions SET currency = 'KWD' WHERE quote_id = %s AND version = 1 RETURNING currency"
    rows(deployment, update, quote_id)
    assert "Total: KWD 12,960.000 → USD 11,520.00" in Browser().open(link).text


def test_the_requester_is_called_by_name(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    for subject, name in (("helen.okafor@quarry.example", "Helen Okafor"), ("agent:nobody", None)):
        rows(
            deployment,
            "UPDATE cpq.approval_requests SET requested_by = %s WHERE quote_id = %s RETURNING id",
            subject,
            quote_id,
        )
        shown = f"{name} ({subject}) asks you" if name else f"{subject} asks you"
        assert shown in Browser().open(link).text


def test_a_printed_document_is_linked(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    assert "Not printed yet" in Browser().open(link).text
    rows(
        deployment,
        """INSERT INTO cpq.documents (tenant, quote_id, version, template, options_sha256, options, bucket, key,
               sha256, bytes, generated_by)
           VALUES ('acme', %s, 1, 'standard', 'x', '{}', 'documents', 'acme/q.pdf', 'y', 1, 'test') RETURNING key""",
        quote_id,
    )
    page = Browser().open(link)
    assert re.search(r'<a href="http[^"]+acme/q\.pdf[^"]+">Open the PDF</a>', page.body)


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


def test_without_a_database_the_page_apologises(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    link = link_for(priced(deployment), inbox)
    monkeypatch.setattr(database, "CONNECT_FOR_S", 0.1)
    with deployment.serving("quarry_write", **variables(inbox, aws_variables, DB_PORT="9")):
        page = Browser().open(link)
    assert (page.status, "cannot be shown right now" in page.text) == (503, True)
