"""How a quote comes to the smaller discount that an approver named."""

from dataclasses import replace
from decimal import Decimal

import pytest

from cpq.pricing.counter_offer import advice
from cpq.pricing.trace import trace_of
from tests.unit.cpq.pricing.orders import SEATS, order, priced


@pytest.mark.parametrize(
    ("up_to", "early_pct", "way"),
    [
        ("10", "0", "with a requested_discount_pct of 2.1739"),  # 8 % and 2.1739 % of the rest
        ("10", "3", "3% come off for paying early. Lower that with quote_create, a line's discount_pct to 7.2164"),
        ("3", "3", "take other payment_terms"),
    ],
)  # fmt: skip
def test_the_limit_holds_for_the_lines_own_and_for_paying_early_too(up_to: str, early_pct: str, way: str) -> None:
    trace = trace_of(priced(order(replace(SEATS, line_discount_pct=Decimal(8)))))
    assert way in advice(Decimal(up_to), trace, early_pct=Decimal(early_pct))
