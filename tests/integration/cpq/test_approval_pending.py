"""approval_pending: what is on whose table, page by page, the most urgent first."""

from typing import Any

import pytest

from tests.deployment import Deployment
from tests.integration.cpq.approving import asked, let_expire, pending, priced

pytestmark = pytest.mark.usefixtures("served")


def test_a_request_is_shown_with_the_figures_at_a_glance(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    request = asked(quote_id)
    (item,) = pending(quote_id=quote_id.lower())["items"]
    assert (item["id"], item["quote_id"], item["status"]) == (request["id"], quote_id, "pending")
    assert (item["quote_total"], item["currency"], item["account_name"]) == ("12960.00", "USD", "Acme Corp")
    told = {"discount_pct": 10.0, "deal_size": "12960.00"}
    assert item["context_summary"] == {**told, "margin_pct": None, "cost_findings": None}
    (item,) = pending(quote_id=quote_id, subject="John.Smith@quarry.example")["items"]
    assert item["context_summary"] == {**told, "margin_pct": 62.0, "cost_findings": []}


def test_filters_choose_by_role_and_by_quote(deployment: Deployment) -> None:
    low, high = priced(deployment), priced(deployment, discount=20)
    asked(low)
    asked(high)
    of_vp = [item["quote_id"] for item in pending(approver_role="vp_sales", limit=100)["items"]]
    assert high in of_vp
    assert low not in of_vp
    assert pending(approver_role="vp_sales", quote_id=low)["items"] == []
    assert pending(approver_role="nobody")["pagination"] == {"total": 0, "page": 1, "per_page": 20, "has_more": False}


def test_pages_hold_everything_once_the_most_urgent_first(deployment: Deployment) -> None:
    for _ in range(3):
        asked(priced(deployment))
    whole = [item["id"] for item in pending(limit=100)["items"]]
    pages = [pending(limit=2, page=number) for number in range(1, len(whole) // 2 + 2)]
    assert [item["id"] for page in pages for item in page["items"]] == whole
    assert [page["pagination"]["has_more"] for page in pages[:-1]][:1] == [True]
    assert pages[-1]["pagination"]["has_more"] is False
    assert pages[0]["pagination"]["total"] == len(whole)
    deadlines = [item["expires_at"] for item in pending(limit=100)["items"]]
    assert deadlines == sorted(deadlines)


def test_what_expired_or_was_passed_on_is_not_pending(deployment: Deployment) -> None:
    expired, passed_on = priced(deployment), priced(deployment)
    let_expire(deployment, asked(expired)["id"])
    asked(passed_on)
    successor = asked(passed_on, escalation=True)
    assert pending(quote_id=expired)["items"] == []
    assert [item["id"] for item in pending(quote_id=passed_on)["items"]] == [successor["id"]]


@pytest.mark.parametrize(
    "arguments", [{"limit": 0}, {"limit": 101}, {"page": 0}, {"approver_role": "Sales Manager!"}]
)
def test_bounds_are_kept(arguments: dict[str, Any]) -> None:
    assert pending(**arguments)["code"] == "VALIDATION_ERROR"
