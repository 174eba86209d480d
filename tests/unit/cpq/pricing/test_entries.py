"""Volume tiers and the periods that a price is charged for."""

from decimal import Decimal
from fractions import Fraction

import pytest

from cpq.model import Tier
from cpq.pricing.books import periods, tier_for
from tests.unit.cpq.pricing.orders import PRO_TIERS


@pytest.mark.parametrize(
    ("quantity", "price"),
    [(Decimal("0.5"), 10), (1, 10), (49, 10), (Decimal("49.5"), 10), (50, 8), (99, 8), (100, 6), (1_000_000, 6)],
)
def test_both_ends_belong_to_a_tier_and_what_is_between_to_the_lower(quantity: Decimal | int, price: int) -> None:
    tier = tier_for(PRO_TIERS, quantity)
    assert tier is not None
    assert tier.price == price


def test_a_quantity_outside_of_all_tiers_has_none() -> None:
    tiers = (Tier(min=10, max=19, price=Decimal(9)), Tier(min=30, max=None, price=Decimal(7)))
    assert [tier_for(tiers, quantity) for quantity in (9, 20, 29)] == [None, None, None]


def test_of_overlapping_tiers_the_higher_one_holds() -> None:
    low, high = Tier(min=1, max=None, price=Decimal(9)), Tier(min=10, max=None, price=Decimal(7))
    assert tier_for((high, low), 10) == tier_for((low, high), 10) == high


def test_a_year_is_twelve_twelfths() -> None:
    assert periods("per_unit_per_year", term_months=7) == Fraction(7, 12)


@pytest.mark.parametrize("unit", ["per_seat_per_month", "per_unit_per_year"])
def test_a_recurring_price_needs_a_term(unit: str) -> None:
    with pytest.raises(ValueError, match=unit):
        periods(unit, term_months=None)
