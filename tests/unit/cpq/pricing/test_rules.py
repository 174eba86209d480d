"""Rules beside the discount: what margins, terms and amounts need, and what cannot be known."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from pydantic import ValidationError

from cpq.approvals.model import broken
from cpq.approvals.wording import in_language
from cpq.payment import UNREAD
from cpq.pricing.arithmetic import Rate, conversion
from cpq.pricing.engine import Priced, Terms
from cpq.pricing.policies import limits, worded
from cpq.pricing.rules import Rule, RuleBand, check
from cpq.pricing.trace import Trace, trace_of
from local.files import ROOT
from tests.deployment import fresh_environment
from tests.unit.cpq.pricing.orders import JPY, SEATS, SINGLE_SIGN_ON, SMB, order, priced
from tests.unit.cpq.pricing.replaying import replay

FLOOR = Rule(
    measure="margin_pct",
    at_least=Decimal(30),
    bands=(
        RuleBand(limit=Decimal(20), approver_role="sales_manager"),
        RuleBand(limit=Decimal(0), approver_role="cfo"),
    ),
)
TERM = Rule(
    measure="term_months",
    at_most=Decimal(36),
    bands=(RuleBand(limit=Decimal(60), approver_role="sales_manager"), RuleBand(limit=None, approver_role="cfo")),
)


NO_TERMS = Terms()


def deal(
    *rules: Rule, cost: str = "2", terms: Terms = NO_TERMS, rates: tuple[Rate, ...] = (), **more: object
) -> Priced:
    """150 seats at 6.00 for a year without discount, 10,800 USD, unless ``more`` says otherwise."""
    seats = replace(SEATS, cost=Decimal(cost), cost_currency="USD", category="saas")
    asked = replace(order(seats), terms=terms, rates=rates, **more)  # type: ignore[arg-type]
    return priced(asked, policy=replace(SMB, rules=rules))


def violations(quote: Priced) -> list[tuple[str, str | None, str]]:
    """(severity, role, words), those of costs last: approvers alone read these."""
    names = {line.item.line_id: line.item.product_name for line in quote.lines}
    found = worded(quote.evaluation, quote.policy, product_names=names).violations
    trace = trace_of(quote)
    with pytest.MonkeyPatch.context() as patch, fresh_environment():
        patch.setenv("TEMPLATES_DIR", str(ROOT / "templates"))
        of_costs = zip(broken(trace), in_language("en").cost_reasons(trace), strict=True)
    return [
        *((item.severity, item.required_approver_role, item.description) for item in found),
        *((check.outcome.lower(), check.approver_role, reason) for check, reason in of_costs),
    ]


@pytest.mark.parametrize(
    ("actual", "outcome", "role"),
    [
        ("30", "AUTO_APPROVED", None),
        ("29.9999", "APPROVAL_REQUIRED", "sales_manager"),
        ("20", "APPROVAL_REQUIRED", "sales_manager"),
        ("19.9999", "APPROVAL_REQUIRED", "cfo"),
        ("0", "APPROVAL_REQUIRED", "cfo"),
        ("-0.0001", "BLOCKED", None),
    ],
)
def test_a_floor_and_its_bands_admit_their_own_values(actual: str, outcome: str, role: str | None) -> None:
    found = check(FLOOR, subject="quote", actual=Fraction(actual))
    assert (found.outcome, found.approver_role) == (outcome, role)


@pytest.mark.parametrize(("months", "role"), [(36, None), (37, "sales_manager"), (60, "sales_manager"), (600, "cfo")])
def test_a_limit_and_its_bands_admit_their_own_values_and_the_last_may_have_no_end(months: int, role: str) -> None:
    assert check(TERM, subject="quote", actual=Fraction(months)).approver_role == role


@pytest.mark.parametrize(
    ("rule", "terms", "words"),
    [
        ({"measure": "payment_days", "at_most": 30}, Terms(payment_days=90), "payment term of 90 days exceeds"),
        ({"measure": "validity_days", "at_most": 60}, Terms(validity_days=3700), "validity of 3,700 days exceeds"),
        (
            {"measure": "start_days", "at_least": -30},
            Terms(start_days=-2500),
            "start from today of -2,500 days is below",
        ),
        ({"measure": "start_days", "at_most": 365}, Terms(start_days=500), "start from today of 500 days exceeds"),
        (
            {"measure": "invoices_per_year", "at_most": 4},
            Terms(invoices_per_year=12),
            "billing of 12 invoices a year",
        ),
        (
            {"measure": "term_months", "at_most": 6},
            Terms(),
            "contract term of 12 months exceeds the limit of 6 months",
        ),
        ({"measure": "term_months", "at_least": 24}, Terms(), "contract term of 12 months is below the floor of 24"),
        (
            {"measure": "net_amount", "at_most": 10_000, "currency": "USD"},
            Terms(),
            "net amount of 10,800 USD exceeds",
        ),
    ],
)
def test_each_measure_is_held_against_its_rule(rule: Mapping[str, object], terms: Terms, words: str) -> None:
    asked = Rule.model_validate({**rule, "bands": [{"approver_role": "cfo"}]})
    [(severity, role, said)] = violations(deal(asked, terms=terms))
    assert (severity, role) == ("approval_required", "cfo")
    assert said.startswith(words)
    assert deal(asked, terms=terms).evaluation.outcome == "APPROVAL_REQUIRED"


def test_an_absolute_discount_is_measured_in_the_rules_currency() -> None:
    rule = Rule(measure="discount_amount", at_most=Decimal(1000), currency="USD")
    within = priced(order(SEATS, discount="9"), policy=replace(SMB, rules=(rule,)))
    above = priced(order(SEATS, discount="9.5"), policy=replace(SMB, rules=(rule,)))
    assert (within.evaluation.outcome, above.evaluation.outcome) == ("AUTO_APPROVED", "BLOCKED")
    assert violations(above)[0][2].endswith(
        "exceeds the limit of 1,000 USD for SMB segment, which nobody can approve"
    )


def test_a_sale_below_cost_is_found_in_the_line_that_a_good_quote_hides() -> None:
    loss = Rule(
        measure="loss_pct", scope="line", at_most=Decimal(0), bands=(RuleBand(limit=None, approver_role="cfo"),)
    )
    dear, cheap = replace(SEATS, cost=Decimal(1)), replace(SINGLE_SIGN_ON, cost=Decimal("2.50"))
    quote = priced(order(dear, cheap), policy=replace(SMB, rules=(FLOOR, loss)))
    assert quote.margin_pct == Decimal("56.25")
    assert violations(quote) == [
        (
            "approval_required",
            "cfo",
            "SSO Add-on: loss below cost of 20% exceeds the limit of 0% for SMB segment",
        )
    ]


@pytest.mark.parametrize("cost", ["0.01", "5.99", "6.01", "9999", None])
def test_a_rule_over_costs_asks_for_a_person_whatever_the_cost_and_says_no_floor(cost: str | None) -> None:
    only = FLOOR.model_copy(update={"scope": "line", "category": "saas"})
    other = FLOOR.model_copy(update={"scope": "line", "category": "hardware"})
    quote = deal(FLOOR, only, other, cost=cost or "1")
    if cost is None:
        unknown = replace(quote.order, items=tuple(replace(item, cost=None) for item in quote.order.items))
        quote = priced(unknown, policy=quote.policy)
    told = worded(quote.evaluation, quote.policy, product_names={})
    assert (told.status, told.violations) == ("APPROVAL_REQUIRED", [])
    assert told.reviewed == ["margin of the quote", "margin of each line (saas)"]
    assert limits(quote.evaluation, quote.policy, currency="USD") == limits(
        deal().evaluation, deal().policy, currency="USD"
    )


@pytest.mark.parametrize("cost", ["0.01", "9999", None])
def test_a_house_may_trust_its_own_list_whatever_the_cost_and_still_has_discounts_looked_at(cost: str | None) -> None:
    trusting = replace(SMB, rules=(FLOOR.model_copy(update={"below_list_only": True}),))
    listed = replace(SEATS, cost=None if cost is None else Decimal(cost))
    assert priced(order(listed), policy=trusting).evaluation.outcome == "AUTO_APPROVED"
    less = priced(order(replace(listed, line_discount_pct=Decimal("0.01"))), policy=trusting)
    assert (less.evaluation.outcome, len(less.evaluation.reviewed)) == ("APPROVAL_REQUIRED", 1)
    with pytest.raises(ValidationError, match="only margin_pct and loss_pct can be below_list_only"):
        Rule(measure="payment_days", at_most=Decimal(30), below_list_only=True)


def test_a_margin_floor_holds_for_each_category_or_for_the_one_it_names() -> None:
    every = FLOOR.model_copy(update={"scope": "category"})
    other = every.model_copy(update={"category": "hardware"})
    assert violations(deal(every, cost="5"))[0][2].startswith("saas: margin of 16.6667% is below the floor of 30%")
    assert violations(deal(other, cost="5")) == []


def test_what_is_given_away_has_no_margin_that_a_floor_admits() -> None:
    free = replace(SEATS, cost=Decimal(1), line_discount_pct=Decimal(100))
    policy = replace(SMB, auto_approve_pct=Decimal(100), hard_max_pct=Decimal(100), bands=(), rules=(FLOOR,))
    [(_, role, words)] = violations(priced(order(free), policy=policy))
    assert role == "cfo"
    assert "nothing is charged" in words


def test_all_rules_are_evaluated_all_violations_listed_and_the_strictest_decides() -> None:
    hard = Rule(measure="payment_days", at_most=Decimal(60))
    quote = deal(FLOOR, TERM, hard, cost="5", terms=Terms(payment_days=90), term_months=48)
    assert [(severity, role) for severity, role, _ in violations(quote)] == [
        ("approval_required", "sales_manager"),
        ("blocked", None),
        ("approval_required", "cfo"),
    ]
    assert quote.evaluation.outcome == "BLOCKED"


RATE = Rate(from_currency="USD", to_currency="JPY", rate=Decimal(150), as_of=date(2026, 2, 1), source="Bank of Japan")


def in_yen(*rates: Rate) -> Priced:
    return deal(FLOOR, cost="0.03", rates=rates, currency=JPY)


def test_a_margin_in_another_currency_has_its_rate_date_and_source_in_the_trace() -> None:
    quote = in_yen(RATE)
    # 6 yen a seat and month; cost 0.03 USD = 4.5 yen
    assert quote.margin_pct == Decimal("25.00")
    trace = Trace.model_validate_json(trace_of(quote).model_dump_json())
    [rate] = trace.cost_rates
    assert (rate.from_currency, rate.rate, rate.as_of, rate.source) == (
        "USD",
        Decimal(150),
        date(2026, 2, 1),
        "Bank of Japan",
    )
    assert replay(trace).confirms(trace)


def test_without_a_rate_the_policy_asks_for_approval_and_says_why() -> None:
    quote = in_yen()
    assert quote.margin_pct is None
    assert quote.margin_note == "no exchange rate from USD to JPY is on record"
    assert violations(quote) == [
        (
            "approval_required",
            "cfo",
            "margin is unknown, because no exchange rate from USD to JPY is on record, and the policy does not "
            "pass it unseen for SMB segment",
        )
    ]


def test_a_cost_that_nobody_knows_is_no_reason_to_pass_a_floor() -> None:
    quote = priced(order(SEATS), policy=replace(SMB, rules=(FLOOR,)))
    assert quote.evaluation.outcome == "APPROVAL_REQUIRED"
    assert "no cost of Pro Plan is on record" in violations(quote)[0][2]


def test_a_policy_without_rules_is_as_it_was() -> None:
    assert deal(cost="500").evaluation.outcome == "AUTO_APPROVED"


def test_the_newest_rate_holds_in_either_direction_and_two_foreign_currencies_meet_in_a_third() -> None:
    def rate(source: str, target: str, value: str, day: int) -> Rate:
        return Rate(
            from_currency=source, to_currency=target, rate=Decimal(value), as_of=date(2026, 1, day), source="ECB"
        )

    rates = (rate("EUR", "USD", "1.25", 1), rate("EUR", "USD", "1.20", 3), rate("EUR", "JPY", "180", 2))
    found = {pair: conversion(rates, source=pair[0], target=pair[1]) for pair in (("USD", "EUR"), ("USD", "JPY"))}
    assert {pair: made and made.factor for pair, made in found.items()} == {
        ("USD", "EUR"): Fraction(5, 6),
        ("USD", "JPY"): Fraction(150),
    }
    assert conversion(rates, source="USD", target="KWD") is None


def test_proposed_terms_of_payment_need_a_person_whether_or_not_a_rule_looks_at_them() -> None:
    looked = Rule(measure="payment_days", at_most=Decimal(30), bands=(RuleBand(approver_role="cfo"),))
    for quote in (deal(terms=Terms(proposed="half now")), deal(looked, terms=Terms(proposed="half now"))):
        [(severity, _, said)] = violations(quote)
        assert severity == "approval_required"
        assert f"because 'half now' {UNREAD}" in said


def test_what_comes_off_for_paying_early_is_no_margin() -> None:
    # Of 6.00 there are 5.82 with 3 % off for paying early: 28.5 % are left of them and not 30.7.
    assert deal(FLOOR, cost="4.16").evaluation.cost_checks[0].outcome == "AUTO_APPROVED"
    early = deal(FLOOR, cost="4.16", terms=Terms(early_pct=Decimal(3)))
    assert early.evaluation.cost_checks[0].outcome == "APPROVAL_REQUIRED"
    trace = trace_of(early)  # the approver reads the figure that decides
    assert (trace.margin_pct, trace.lines[0].margin_pct) == (Decimal("28.52"), Decimal("28.52"))
