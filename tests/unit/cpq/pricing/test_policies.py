"""What a discount needs: nobody, somebody, or more than anybody can give."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from cpq.pricing.policies import Check, Evaluation, Policy, evaluate
from tests.unit.cpq.pricing.orders import SEATS, SINGLE_SIGN_ON, SMB, approver, order, priced


def verdict(pct: str, policy: Policy = SMB) -> Evaluation:
    return evaluate(policy, quote_pct=Fraction(pct), line_pcts=[("ql_001", Decimal(pct))])


@pytest.mark.parametrize(
    ("pct", "outcome", "role"),
    [
        ("0", "AUTO_APPROVED", None),
        ("10", "AUTO_APPROVED", None),
        ("10.0001", "APPROVAL_REQUIRED", "sales_manager"),
        ("20", "APPROVAL_REQUIRED", "sales_manager"),
        ("20.01", "APPROVAL_REQUIRED", "vp_sales"),
        ("30", "APPROVAL_REQUIRED", "vp_sales"),
        ("40", "APPROVAL_REQUIRED", "cfo"),
        ("40.0001", "BLOCKED", None),
        ("100", "BLOCKED", None),
    ],
)
def test_each_cap_still_admits_its_own_value(pct: str, outcome: str, role: str | None) -> None:
    evaluation = verdict(pct)
    assert (evaluation.outcome, approver(evaluation)) == (outcome, role)


def test_a_breach_names_the_cap_it_was_measured_by() -> None:
    assert [check.threshold_pct for check in verdict("15").breaches] == [10]
    assert [check.threshold_pct for check in verdict("41").breaches] == [40]


@pytest.mark.parametrize(
    ("pct", "shown"), [("10.9238", "10.92"), ("7.8751", "7.88"), ("10.0004", "10.0004"), ("9.9996", "9.9996")]
)
def test_a_discount_reads_half_up_and_never_as_on_a_cap_that_it_is_not_on(pct: str, shown: str) -> None:
    assert verdict(pct).checks[0].actual_pct == Decimal(shown)


def test_the_same_discount_on_every_line_is_one_breach() -> None:
    evaluation = priced(order(SEATS, SINGLE_SIGN_ON, discount="15")).evaluation
    assert [(check.subject, check.actual_pct) for check in evaluation.breaches] == [("quote", Decimal(15))]


def test_a_deep_discount_cannot_hide_in_a_large_quote() -> None:
    evaluation = priced(order(SEATS, replace(SINGLE_SIGN_ON, line_discount_pct=Decimal(25)))).evaluation
    assert evaluation.breaches == (
        Check(subject="ql_002", actual_pct=Decimal(25), threshold_pct=Decimal(10), outcome="APPROVAL_REQUIRED",
              approver_role="vp_sales"),
    )  # fmt: skip


def test_a_line_above_the_quotes_breach_is_a_breach_of_its_own_and_picks_the_approver() -> None:
    items = (replace(SEATS, line_discount_pct=Decimal(12)), replace(SINGLE_SIGN_ON, line_discount_pct=Decimal(25)))
    evaluation = priced(order(*items)).evaluation
    assert [check.subject for check in evaluation.breaches] == ["quote", "ql_002"]
    assert approver(evaluation) == "vp_sales"


def test_discounts_that_pass_alone_are_held_against_the_caps_together() -> None:
    items = (replace(SEATS, line_discount_pct=Decimal(10)),)
    assert priced(order(*items)).evaluation.outcome == "AUTO_APPROVED"
    assert priced(order(*items, discount="10")).evaluation.outcome == "APPROVAL_REQUIRED"


def test_one_line_above_the_hard_cap_blocks_the_quote() -> None:
    items = (SEATS, replace(SINGLE_SIGN_ON, line_discount_pct=Decimal(41)))
    assert priced(order(*items)).evaluation.outcome == "BLOCKED"


def test_a_policy_without_bands_asks_nobody() -> None:
    alone = replace(SMB, bands=(), hard_max_pct=Decimal(10))
    assert verdict("11", alone).outcome == "BLOCKED"
    assert verdict("10", alone).outcome == "AUTO_APPROVED"


def test_rounding_never_pushes_a_quote_over_its_cap() -> None:
    cheap = replace(SINGLE_SIGN_ON, quantity=1)
    from_cents = priced(order(cheap, term_months=1, discount="10"), entries=(CENTS,))
    assert (from_cents.totals.gross, from_cents.totals.discount) == (Decimal("0.06"), Decimal("0.01"))
    assert from_cents.evaluation.outcome == "AUTO_APPROVED"


CENTS = replace(priced(order(SINGLE_SIGN_ON)).lines[0].entry, price=Decimal("0.06"))
