"""A breach in words: the number is never kinder than the discount."""

from dataclasses import replace
from decimal import Decimal

import pytest

from cpq.model import PolicyEvaluation
from cpq.pricing.engine import Priced
from cpq.pricing.policies import largest_request, worded
from tests.unit.cpq.pricing.orders import SEATS, SINGLE_SIGN_ON, order, priced


def evaluation_of(quote: Priced) -> PolicyEvaluation:
    names = {line.item.line_id: line.item.product_name for line in quote.lines}
    return worded(quote.evaluation, quote.policy, product_names=names)


def test_what_is_just_above_a_cap_does_not_read_as_on_it() -> None:
    dear = replace(SEATS, quantity=50_000, line_discount_pct=Decimal(10))
    evaluation = evaluation_of(
        priced(order(dear, replace(SINGLE_SIGN_ON, quantity=1, line_discount_pct=Decimal(11))))
    )
    assert evaluation.violations[0].description == "10.0001% discount exceeds 10% auto-approval cap for SMB segment"


def test_a_breach_of_a_line_names_the_line() -> None:
    evaluation = evaluation_of(priced(order(SEATS, replace(SINGLE_SIGN_ON, line_discount_pct=Decimal("12.5")))))
    [violation] = evaluation.violations
    assert (violation.line_id, violation.required_approver_role) == ("ql_002", "sales_manager")
    assert violation.description.startswith("SSO Add-on (ql_002): 12.5% discount exceeds 10%")


@pytest.mark.parametrize(
    ("own", "largest"), [("0", "40"), ("20", "25"), ("15", "29.4117"), ("40", "0"), ("41", None), ("100", None)]
)
def test_the_largest_discount_leaves_the_deepest_line_on_the_cap(own: str, largest: str | None) -> None:
    quote = priced(order(SEATS, replace(SINGLE_SIGN_ON, line_discount_pct=Decimal(own))))
    own_discounts = [line.item.line_discount_pct for line in quote.lines]
    assert largest_request(own_discounts, cap=Decimal(40)) == largest
