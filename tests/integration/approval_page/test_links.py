"""The links to the approval page: what opens it, and what it says when a link is of no use any more."""

import pytest

from cpq.approvals import links
from tests.deployment import Deployment
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import (
    KEY,
    PAGE,
    actions,
    asked,
    let_expire,
    price,
    priced,
    status,
)
from tests.integration.cpq.drafts import rows

pytestmark = pytest.mark.usefixtures("served")


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


def test_opening_a_link_changes_nothing_however_often_robots_do_it(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    before = actions(deployment, quote_id)
    assert [Browser().open(link, method=method).status for method in ("GET", "HEAD", "GET")] == [200, 200, 200]
    assert Browser().open(link, method="PUT").status == 405
    assert (status(quote_id)["current_status"], actions(deployment, quote_id)) == ("pending_approval", before)


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


def test_the_link_is_never_logged(deployment: Deployment, inbox: Inbox, capfd: pytest.CaptureFixture[str]) -> None:
    link = link_for(priced(deployment), inbox)
    Browser().decide(link, "approve")
    said = capfd.readouterr()
    assert link.rpartition("/")[2] not in said.out + said.err


def test_behind_cloudfront_a_link_opens_for_whoever_comes_through_it(deployment: Deployment, inbox: Inbox) -> None:
    link, key = link_for(priced(deployment), inbox), "o" * 32
    shown: list[dict[str, str]] = [{}, {"x-origin-key": key[1:]}, {"x-origin-key": key}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ORIGIN_KEY", key)
        assert [Browser().open(link, **headers).status for headers in shown] == [403, 403, 200]
