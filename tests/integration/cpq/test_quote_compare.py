"""quote_compare on the sample catalogue: versions and quotes, line by line, in money and in terms."""

from typing import Any

import pytest

from cpq import quote_compare, quote_create, quote_price
from tests.deployment import invoke

SEATS = {"product_id": "prod_pro_v2", "quantity": 150}
SSO = {"product_id": "prod_sso", "quantity": 150}
STARTER = {"product_id": "prod_starter", "quantity": 5}
SUPPORT = {"product_id": "prod_support_basic", "quantity": 1}


pytestmark = pytest.mark.usefixtures("writing")


def create(*lines: dict[str, Any], discount: float | None = None, **fields: object) -> str:
    event = {"account_id": "acct_acme_001", "term_months": 12, "line_items": list(lines), **fields}
    answer = invoke(quote_create.handler, event)
    assert "error" not in answer, answer
    quote_id: str = answer["quote"]["id"]
    if discount is not None:
        price = {"quote_id": quote_id, "requested_discount_pct": discount}
        assert "error" not in invoke(quote_price.handler, price)
    return quote_id


def compare(quote_id: str, **arguments: object) -> dict[str, Any]:
    return invoke(quote_compare.handler, {"quote_id": quote_id, **arguments})


def test_two_versions_differ_in_lines_money_and_terms() -> None:
    quote_id = create(SEATS, SSO, discount=0)
    changed = {**SEATS, "quantity": 99}
    create(SUPPORT, changed, discount=10, revises=quote_id, expected_version=1, payment_terms="net_60")
    answer = compare(quote_id)
    assert (answer["before"]["version"], answer["after"]["version"], answer["same_lines"]) == (1, 2, 0)
    added, seats, removed = answer["lines"]
    assert (added["change"], added["product_id"]) == ("added", "prod_support_basic")
    assert added["line_total_change"] == "540.00"
    assert (seats["change"], seats["line_before"], seats["line_after"]) == ("changed", "ql_001", "ql_002")
    assert {"field": "quantity", "before": "150", "after": "99"} in seats["differences"]
    assert {"field": "unit_price", "before": "6.00", "after": "8.00"} in seats["differences"]
    assert (removed["change"], removed["line_total_change"]) == ("removed", "-3600.00")
    assert {"field": "payment_terms", "before": "net_30", "after": "net_60"} in answer["terms"]
    total = next(change for change in answer["money"] if change["field"] == "total")
    assert (total["before"], total["after"], total["change"]) == ("14400.00", "9093.60", "-5306.40")
    assert sum(float(line["line_total_change"]) for line in answer["lines"]) == pytest.approx(float(total["change"]))
    assert total["change_pct"] == -36.85


def test_what_is_the_same_is_only_counted() -> None:
    quote_id = create(SEATS, SSO, discount=0)
    create(SSO, SEATS, discount=0, revises=quote_id, expected_version=1)
    answer = compare(quote_id)
    assert (answer["lines"], answer["money"], answer["same_lines"]) == ([], [], 2)
    assert [difference["field"] for difference in answer["terms"]] == ["status"]


def test_two_lines_of_a_product_are_paired_by_what_they_share() -> None:
    few = {**SSO, "quantity": 3}
    quote_id = create(few, SSO)
    create(SSO, {**few, "quantity": 4}, revises=quote_id, expected_version=1)
    [line] = compare(quote_id)["lines"]
    assert (line["line_before"], line["line_after"]) == ("ql_001", "ql_002")


def test_two_quotes_in_different_currencies_have_no_change_of_money() -> None:
    first = create(STARTER, discount=0)
    second = create(STARTER, discount=0, account_id="acct_fromagerie", currency="EUR")
    answer = compare(second, with_quote_id=first)
    assert answer["currencies"] == ["USD", "EUR"]
    assert all("change" not in amount for amount in answer["money"])
    assert all("line_total_change" not in line for line in answer["lines"])


def test_what_is_not_there_is_named() -> None:
    quote_id = create(STARTER)
    assert compare(quote_id)["code"] == "VALIDATION_ERROR"
    assert "has no version 7; it has 1" in compare(quote_id, with_version=7)["message"]
    assert compare("Q-1999-0001")["code"] == "NOT_FOUND"
