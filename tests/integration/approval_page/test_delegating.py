"""Somebody who decides in an approver's place: chosen on the page, until a day, with a trace."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from cpq.approvals import links, notices
from tests.deployment import TENANT, Deployment
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Answer, Browser, link_for
from tests.integration.cpq.approving import ask, let_expire, price, priced, status
from tests.integration.cpq.drafts import draft, rows

pytestmark = pytest.mark.usefixtures("served")

TODAY = datetime.now(UTC).date()
LAST_DAY = str(TODAY + timedelta(days=7))
STAND_IN = "apr_helen_okafor"


@pytest.fixture(autouse=True)
def undelegated(deployment: Deployment) -> Iterator[None]:
    yield
    rows(deployment, "DELETE FROM cpq.approval_delegations RETURNING until")


def delegate(link: str, *, colleague: str = STAND_IN, until: str = LAST_DAY) -> Answer:
    browser = Browser()
    page = browser.open(link)
    sent = browser.send(
        link, form_token=page.form_token, decision="delegate", colleague=colleague, until=until, comment=""
    )
    return browser.open(link) if sent.status == 303 else sent


def test_who_was_chosen_is_sent_the_request_and_decides_in_the_others_place(
    deployment: Deployment, inbox: Inbox
) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    page = delegate(link)
    assert "Helen Okafor decides in your place, too, until " in page.text
    assert "What do you decide?" in page.text
    inbox.empty()
    notices.plan_for_newcomers(TENANT)
    notices.send(TENANT)
    [theirs] = inbox.links()
    seen = Browser().open(theirs)
    assert "asks you, Helen Okafor (in the place of" in seen.text
    assert "Sales manager), to approve" in seen.text
    assert "is approved" in Browser().decide(theirs, "approve").text
    [past] = status(quote_id)["history"]
    assert past["approver_name"] == "Helen Okafor"
    assert past["note"] in ("Decided in the place of John Smith.", "Decided in the place of Amara Diallo.")
    [delegated, decided] = rows(
        deployment, "SELECT action, after FROM cpq.audit WHERE subject_id = %s ORDER BY seq DESC LIMIT 2", quote_id
    )[::-1]
    assert (delegated["action"], delegated["after"]["delegate"], delegated["after"]["until"]) == (
        "approval.delegated",
        STAND_IN,
        LAST_DAY,
    )
    assert decided["after"]["in_place_of"] in ("John Smith", "Amara Diallo")


def test_a_deputy_approves_one_step_of_two_and_another_person_the_next(deployment: Deployment, inbox: Inbox) -> None:
    noted = "UPDATE cpq.quote_versions SET payment_terms = 'net_60' WHERE quote_id = %s RETURNING quote_id"
    quote_id = draft(deployment, ("prod_starter", 20), account="acct_groeb_farms")
    rows(deployment, noted, quote_id)
    price(quote_id, discount=22)
    page = delegate(link_for(quote_id, inbox))
    assert "Also has to be approved by: VP sales. Nobody approves twice." in page.text
    for done in (False, True):
        inbox.empty()
        notices.plan_for_newcomers(TENANT)
        notices.send(TENANT)
        theirs = inbox.links()[-1]
        seen = Browser().open(theirs).text
        assert ("asks you, Helen Okafor" in seen, "You have approved APR-" in seen) == (True, done)
        assert ("You have approved APR-" in inbox.mail[-1]["Message"]) is done
        if done:
            assert Browser().decide(theirs, "approve").status == 422
            delegate(theirs, colleague="apr_john_smith")
            inbox.empty()
            notices.plan_for_newcomers(TENANT)
            notices.send(TENANT)
            theirs = inbox.links()[-1]
        Browser().decide(theirs, "approve")
        assert status(quote_id)["can_proceed"] is done


def test_after_the_last_day_the_link_decides_nothing_and_nobody_is_sent_one(
    deployment: Deployment, inbox: Inbox
) -> None:
    delegate(link_for(priced(deployment), inbox))
    later = link_for(priced(deployment), inbox)
    assert len(inbox.links()) == 3
    theirs = next(link for link in inbox.links() if "asks you, Helen Okafor" in Browser().open(link).text)
    rows(deployment, "UPDATE cpq.approval_delegations SET until = %s RETURNING until", TODAY - timedelta(days=2))
    page = Browser().open(theirs)
    assert (page.status, "You cannot decide this any more" in page.text) == (403, True)
    assert Browser().open(later).status == 200
    inbox.empty()
    ask(priced(deployment))
    assert len(inbox.links()) == 2


def test_whoever_asked_sends_nobody_to_decide(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    token_hash = links.hash_of(link.rpartition("/")[2])
    [asking] = rows(deployment, "SELECT approver_id FROM cpq.approval_links WHERE token_hash = %s", token_hash)
    delegate(link)
    rows(
        deployment,
        "UPDATE cpq.approval_requests SET requested_by = %s WHERE quote_id = %s RETURNING id",
        asking["approver_id"],
        quote_id,
    )
    inbox.empty()
    notices.plan_for_newcomers(TENANT)
    notices.send(TENANT)
    assert not [mail for mail in inbox.mail if quote_id in mail["Subject"]]


@pytest.mark.parametrize(
    ("colleague", "until", "says"),
    [
        ("", LAST_DAY, "Choose who decides in your place."),
        ("apr_nobody", LAST_DAY, "Choose who decides in your place."),
        ("apr_ruth_lindgren", LAST_DAY, "Choose who decides in your place."),
        (STAND_IN, "", "Write the last day: today or later"),
        (STAND_IN, "2020-01-01", "Write the last day: today or later"),
        (STAND_IN, str(TODAY + timedelta(days=200)), "Write the last day: today or later"),
    ],
)
def test_what_is_missing_for_it_is_said_beside_the_field(
    deployment: Deployment, inbox: Inbox, colleague: str, until: str, says: str
) -> None:
    refused = delegate(link_for(priced(deployment), inbox), colleague=colleague, until=until)
    assert (refused.status, says in refused.text) == (422, True)
    assert 'value="delegate" required checked' in refused.body


HOURS = """UPDATE cpq.approvers SET work_days = '{1,2,3,4,5}', work_from = '09:00', work_until = '17:00',
    days_off = '{2026-12-25}', time_zone = 'America/New_York' WHERE role = 'sales_manager' RETURNING id"""
NO_HOURS = (
    "UPDATE cpq.approvers SET work_days = NULL, work_from = NULL, work_until = NULL, days_off = '{}' RETURNING id"
)
AFTER = (
    """SELECT cpq.after_work(%s::timestamptz, %s, p) AS moment FROM cpq.approvers p WHERE p.id = 'apr_john_smith'"""
)


@pytest.fixture
def calendar(deployment: Deployment) -> Iterator[None]:
    rows(deployment, HOURS)
    yield
    rows(deployment, NO_HOURS)


@pytest.mark.parametrize(
    ("asked", "hours", "until"),
    [
        ("2026-11-23T14:00Z", 4, "2026-11-23T18:00Z"),  # Monday 9:00 there
        ("2026-11-23T20:00Z", 4, "2026-11-24T16:00Z"),  # 15:00: two hours today, two tomorrow
        ("2026-11-20T21:30Z", 4, "2026-11-23T17:30Z"),  # Friday 16:30
        ("2026-11-21T12:00Z", 8, "2026-11-23T22:00Z"),  # on a Saturday; to the very end of Monday
        ("2026-12-24T21:00Z", 2, "2026-12-28T15:00Z"),  # an hour before Christmas
        ("2026-10-30T20:00Z", 2, "2026-11-02T15:00Z"),  # over the end of summer time
    ],
)  # fmt: skip
@pytest.mark.usefixtures("calendar")
def test_hours_are_those_at_work(deployment: Deployment, asked: str, hours: int, until: str) -> None:
    [row] = rows(deployment, AFTER, asked, hours)
    assert row["moment"] == datetime.fromisoformat(until)


@pytest.mark.usefixtures("calendar")
def test_a_request_lasts_as_long_as_the_first_of_its_approvers_has_had_the_hours(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    request = ask(quote_id)["approval_request"]
    [row] = rows(
        deployment,
        "SELECT min(cpq.after_work(%s::timestamptz, 4, p)) AS moment FROM cpq.approvers p "
        "WHERE role = 'sales_manager' AND active",
        request["created_at"],
    )
    assert datetime.fromisoformat(request["expires_at"]) == row["moment"]
    let_expire(deployment, request["id"])
    assert status(quote_id)["history"][0]["status"] == "expired"
