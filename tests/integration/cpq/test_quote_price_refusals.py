"""What quote_price refuses, and that a refusal changes nothing."""

from typing import Any

import pytest

from cpq.quote_price import handler
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import draft, rows

STATE = """
    SELECT (SELECT jsonb_agg(to_jsonb(v) ORDER BY version) FROM cpq.quote_versions v WHERE quote_id = %s) AS versions,
        (SELECT jsonb_agg(to_jsonb(l) ORDER BY id) FROM cpq.quote_lines l WHERE quote_id = %s) AS lines,
        (SELECT count(*) FROM cpq.pricing_traces) AS traces, (SELECT count(*) FROM cpq.audit) AS audited,
        (SELECT count(*) FROM cpq.idempotency_keys) AS keys
"""


pytestmark = pytest.mark.usefixtures("writing")


def price(quote_id: str, **arguments: object) -> dict[str, Any]:
    return invoke(handler, {"quote_id": quote_id, **arguments})


def paths(answer: dict[str, Any]) -> list[tuple[str, str]]:
    assert answer["code"] == "VALIDATION_ERROR", answer
    return [(problem["code"], problem["path"]) for problem in answer["details"]["problems"]]


def test_above_the_hard_maximum_nothing_is_changed(deployment: Deployment) -> None:
    quote = draft(deployment)
    price(quote, requested_discount_pct=5)
    before = rows(deployment, STATE, quote, quote)
    answer = price(quote, requested_discount_pct=41, idempotency_key="too much")
    assert answer["code"] == "POLICY_VIOLATION"
    assert (
        "41% discount exceeds 40% hard maximum for Enterprise segment, which nobody can approve" in answer["message"]
    )
    assert answer["details"]["violations"][0]["required_approver_role"] is None
    assert answer["details"]["largest_requested_discount_pct"] == "40"
    assert rows(deployment, STATE, quote, quote) == before


def test_the_largest_discount_named_is_the_largest_that_passes(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_sso", 10, {"discount_pct": 15}))
    largest = float(price(quote, requested_discount_pct=50)["details"]["largest_requested_discount_pct"])
    assert price(quote, requested_discount_pct=round(largest + 0.0001, 4))["code"] == "POLICY_VIOLATION"
    assert price(quote, requested_discount_pct=largest)["policy_evaluation"]["status"] == "APPROVAL_REQUIRED"


def test_a_line_beyond_the_maximum_says_that_the_line_has_to_change(deployment: Deployment) -> None:
    answer = price(draft(deployment, ("prod_sso", 1, {"discount_pct": 60}), ("prod_quincy_qmb30", 40)))
    assert answer["code"] == "POLICY_VIOLATION"
    assert answer["details"]["violations"][0]["line_id"] == "ql_001"
    assert "discount_pct on its lines" in answer["message"]


def test_a_segment_without_a_policy_has_no_prices(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_sso", 1), account="acct_keystone_tool")
    deployment.rows("UPDATE cpq.accounts SET segment = 'unheard_of' WHERE id = 'acct_keystone_tool' RETURNING id")
    answer = price(quote)
    assert answer["code"] == "VALIDATION_ERROR"
    assert "no discount policy for segment unheard_of" in answer["message"]


def test_everything_that_is_wrong_is_said_at_once(deployment: Deployment) -> None:
    quote = draft(
        deployment,
        ("prod_pro_v1", 5),
        ("prod_enterprise", 100),
        ("prod_pro_v2", 10, {"attributes": {"billing": "weekly"}}),
        account="acct_defunct_99",
        term_months=None,
        valid_until="2021-01-01",
    )
    found = paths(price(quote))
    assert {
        ("INACTIVE", "account_id"),
        ("EXPIRED", "valid_until"),
        ("INACTIVE", "line_items[0].product_id"),
        ("MISSING", "line_items[1].attributes.region"),
        ("REQUIRES", "line_items[1].product_id"),
        ("NOT_ALLOWED", "line_items[2].attributes.billing"),
        ("EXCLUDES", "line_items[2].product_id"),
        ("MISSING", "term_months"),
    } <= set(found)


def test_what_is_bought_once_needs_no_term(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_quincy_qmb30", 1), term_months=None)
    assert price(quote)["pricing"]["subtotal"] == "23086.00"


def test_a_currency_without_a_price_book_is_refused_with_a_reason(deployment: Deployment) -> None:
    quote = draft(deployment, account="acct_birch_002")
    rows(deployment, "UPDATE cpq.quote_versions SET currency = 'CHF' WHERE quote_id = %s RETURNING 1", quote)
    assert ("NO_PRICE_BOOK", "price_book_id") in paths(price(quote))


def test_a_book_for_other_customers_is_refused_even_when_it_is_named(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_sso", 1), account="acct_birch_002")
    answer = price(quote, price_book_id="pb_enterprise_us")
    assert paths(answer) == [("NO_PRICE_BOOK", "price_book_id")]
    assert "it is for segment enterprise, the account is smb" in answer["message"]


def test_a_named_book_that_fits_is_taken_before_a_better_one(deployment: Deployment) -> None:
    answer = price(draft(deployment), price_book_id="pb_list_usd")
    assert answer["pricing"]["price_book_id"] == "pb_list_usd"


def test_an_unknown_book_is_not_found_with_the_nearest(deployment: Deployment) -> None:
    answer = price(draft(deployment), price_book_id="pb_enterprise_usa")
    assert answer["code"] == "NOT_FOUND"
    assert "pb_enterprise_us" in answer["details"]["nearest"]


@pytest.mark.parametrize("quote_id", ["Q-2026-9999", "q-1999-0001"])
def test_an_unknown_quote_is_not_found(quote_id: str) -> None:
    assert price(quote_id)["code"] == "NOT_FOUND"


@pytest.mark.parametrize("discount", [-1, 100.5, 5.00001, "NaN", "abc"])
def test_a_discount_that_is_no_percentage_is_refused(deployment: Deployment, discount: object) -> None:
    assert price(draft(deployment), requested_discount_pct=discount)["code"] == "VALIDATION_ERROR"
