"""A breach in words: the number is never kinder than the discount."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from cpq.policy_wording import evaluation_of, largest_discount
from tests.unit.cpq.pricing.orders import SEATS, SINGLE_SIGN_ON, order, priced


def test_what_is_just_above_a_cap_does_not_read_as_on_it() -> None:
    dear = replace(SEATS, quantity=50_000, discount_pct=Decimal(10))
    evaluation = evaluation_of(priced(order(dear, replace(SINGLE_SIGN_ON, quantity=1, discount_pct=Decimal(11)))))
    assert evaluation.violations[0].description == "10.0001% discount exceeds 10% auto-approval cap for SMB segment"


def test_a_breach_of_a_line_names_the_line() -> None:
    evaluation = evaluation_of(priced(order(SEATS, replace(SINGLE_SIGN_ON, discount_pct=Decimal("12.5")))))
    [violation] = evaluation.violations
    assert (violation.line_id, violation.required_approver_role) == ("ql_002", "sales_manager")
    assert violation.description.startswith("SSO Add-on (ql_002): 12.5% discount exceeds 10%")


@pytest.mark.parametrize(
    ("own", "largest"), [("0", "40"), ("20", "25"), ("15", "29.4117"), ("40", "0"), ("41", None), ("100", None)]
)
def test_the_largest_discount_leaves_the_deepest_line_on_the_cap(own: str, largest: str | None) -> None:
    quote = priced(order(SEATS, replace(SINGLE_SIGN_ON, discount_pct=Decimal(own))))
    assert largest_discount(quote, cap=Fraction(40)) == largest
