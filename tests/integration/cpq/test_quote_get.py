"""quote_get: what a draft shows before it is priced, its history, and who may see it."""

from typing import Any

import pytest

from cpq import quote_create, quote_get, quote_price
from tests.deployment import Deployment, invoke

LINES = [
    {"product_id": "prod_pro_v2", "quantity": 150, "attributes": {"billing": "annual"}},
    {"product_id": "prod_sso", "quantity": 150},
]


pytestmark = pytest.mark.usefixtures("writing")


@pytest.fixture(scope="module")
def draft(writing: None) -> str:
    event = {"account_id": "acct_acme_001", "term_months": 12, "line_items": LINES}
    quote_id: str = invoke(quote_create.handler, event)["quote"]["id"]
    return quote_id


@pytest.fixture(scope="module")
def priced(writing: None) -> str:
    event = {"account_id": "acct_acme_001", "term_months": 12, "line_items": LINES}
    quote_id: str = invoke(quote_create.handler, event)["quote"]["id"]
    answer = invoke(quote_price.handler, {"quote_id": quote_id, "requested_discount_pct": 10})
    assert "error" not in answer, answer
    return quote_id


def get(quote_id: str, **arguments: object) -> dict[str, Any]:
    return invoke(quote_get.handler, {"quote_id": quote_id, **arguments})


def test_a_draft_has_no_pricing(draft: str) -> None:
    answer = get(draft)
    assert (answer["quote"]["status"], "finalized_at" in answer["quote"]) == ("draft", False)
    assert not {"pricing", "policy_evaluation", "pricing_trace"} & answer.keys()
    assert not any("unit_price" in line for line in answer["line_items"])


def test_a_priced_quote_has_the_seeds_numbers(priced: str) -> None:
    answer = get(priced)
    assert answer["quote"]["status"] == "priced"
    pricing = answer["pricing"]
    assert (pricing["subtotal"], pricing["discount_total"], pricing["tax_total"], pricing["total"]) == (
        "14400.00",
        "1440.00",
        "0.00",
        "12960.00",
    )
    assert (pricing["price_book_name"], pricing["requested_discount_pct"]) == ("Enterprise US 2026", 10)
    assert [(line["unit_price"], line["subtotal"]) for line in answer["line_items"]] == [
        ("6.00", "10800.00"),
        ("2.00", "3600.00"),
    ]
    assert answer["policy_evaluation"]["status"] == "APPROVAL_REQUIRED"


def test_pricing_is_left_out_on_request(priced: str) -> None:
    answer = get(priced, include_pricing=False)
    assert not {"pricing", "policy_evaluation"} & answer.keys()


def test_the_trace_comes_when_asked_for(priced: str) -> None:
    assert "pricing_trace" not in get(priced)
    assert get(priced, include_trace=True)["pricing_trace"]


def test_the_audit_tells_who_did_what_in_order(priced: str) -> None:
    assert "audit" not in get(priced)
    actions = [entry["action"] for entry in get(priced, include_audit=True)["audit"]]
    assert actions == ["quote.created", "quote.priced"]


def test_an_offer_that_has_ended_reads_expired(draft: str, deployment: Deployment) -> None:
    event = {"account_id": "acct_acme_001", "term_months": 12, "line_items": LINES}
    quote_id = invoke(quote_create.handler, event)["quote"]["id"]
    with deployment.connect("quarry_write") as connection:
        connection.execute("SELECT set_config('quarry.tenant', 'acme', false)")
        connection.execute("UPDATE cpq.quote_versions SET valid_until = '2026-01-01' WHERE quote_id = %s", [quote_id])
    assert get(quote_id)["quote"]["status"] == "expired"
    assert get(draft)["quote"]["status"] == "draft"


def test_a_version_that_does_not_exist_is_not_found(draft: str) -> None:
    answer = get(draft, version=7)
    assert (answer["code"], answer["details"]) == ("NOT_FOUND", {"versions": [1]})


@pytest.mark.parametrize("quote_id", ["Q-2026-9999", "q-1999-0001", "OF/2026/9999", "Q 2026"])
def test_an_unknown_quote_is_not_found(quote_id: str) -> None:
    answer = get(quote_id)
    assert (answer["code"], "get_quote" in answer["message"]) == ("NOT_FOUND", True)


def test_what_is_no_quote_id_is_refused() -> None:
    for text in ("", "-1", "/1", "Q;1", "Q" * 41):
        assert get(text)["code"] == "VALIDATION_ERROR"
