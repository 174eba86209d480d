"""quote_what_if on the sample catalogue: nothing is written, and each answer is what quote_price then comes to."""

from typing import Any

import pytest

from cpq import quote_price, quote_what_if
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import draft, rows

pytestmark = pytest.mark.usefixtures("reading")

AMOUNTS = ("subtotal", "discount_total", "tax_total", "total", "discount_pct", "price_book_id")


def what_if(quote_id: str, *variants: dict[str, Any]) -> dict[str, Any]:
    return invoke(quote_what_if.handler, {"quote_id": quote_id, "variants": list(variants)})


def test_each_answer_reprices_exactly(deployment: Deployment) -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"requested_discount_pct": 12.5},
        {"lines": [{"line_id": "ql_001", "quantity": 49, "discount_pct": 3}]},
        {"term_months": 36, "requested_discount_pct": 7.7777},
        {"price_book_id": "pb_list_usd"},
    ]
    for asked, answer in zip(variants, what_if(draft(deployment), *variants)["variants"], strict=True):
        change = next(iter(asked.get("lines", ())), asked)
        seats = ("prod_pro_v2", change.get("quantity", 150), {"discount_pct": change.get("discount_pct", 0)})
        same = draft(deployment, seats, ("prod_sso", 150), term_months=asked.get("term_months", 12))
        with deployment.serving("quarry_write"):
            options: dict[str, Any] = {
                name: asked[name] for name in ("requested_discount_pct", "price_book_id") if name in asked
            }
            priced = invoke(quote_price.handler, {"quote_id": same, **options})
        assert {name: answer[name] for name in AMOUNTS} == {name: priced["pricing"][name] for name in AMOUNTS}
        assert answer["policy"] == priced["policy_evaluation"]["status"]
        descriptions = [violation["description"] for violation in priced["policy_evaluation"]["violations"]]
        assert answer.get("violations", []) == descriptions


def test_nothing_is_written(deployment: Deployment) -> None:
    quote_id = draft(deployment)
    before = rows(deployment, "SELECT *, xmin::text FROM cpq.quote_versions WHERE quote_id = %s", quote_id)
    audited = rows(deployment, "SELECT count(*) FROM cpq.audit")
    what_if(quote_id, {"requested_discount_pct": 40}, {"requested_discount_pct": 10})
    assert rows(deployment, "SELECT *, xmin::text FROM cpq.quote_versions WHERE quote_id = %s", quote_id) == before
    assert rows(deployment, "SELECT count(*) FROM cpq.audit") == audited


def test_a_blocked_variant_says_so_and_another_who_would_approve(deployment: Deployment) -> None:
    quote_id = draft(deployment, ("prod_sso", 10), account="acct_birch_002")
    [blocked, asking] = what_if(quote_id, {"requested_discount_pct": 90}, {"requested_discount_pct": 15})["variants"]
    assert (blocked["policy"], "approvers" in blocked) == ("BLOCKED", False)
    assert (asking["policy"], asking["approvers"]) == ("APPROVAL_REQUIRED", ["sales_manager"])


def test_a_variant_that_cannot_be_priced_does_not_spoil_the_others(deployment: Deployment) -> None:
    quote_id = draft(deployment, term_months=None)
    lame, sound = what_if(quote_id, {}, {"term_months": 12})["variants"]
    assert "term_months" in lame["problems"][0]
    assert "total" not in lame
    assert sound["total"] == "14400.00"


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ({"lines": [{"line_id": "ql_009", "quantity": 1}]}, "has no line ql_009; it has ql_001, ql_002"),
        ({"price_book_id": "pb_lits_usd"}, "Did you mean pb_list_usd"),
    ],
)
def test_what_is_unknown_is_named_with_what_is_there(
    deployment: Deployment, variant: dict[str, Any], message: str
) -> None:
    answer = what_if(draft(deployment), variant)
    assert (answer["code"], message in answer["message"]) == ("NOT_FOUND", True)
