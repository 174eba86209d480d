"""Laws of pricing, for whatever catalogue, currency and discount."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cpq.model import Tier
from cpq.pricing.books import Buyer, PriceBookEntry, TaxRule, tier_for
from cpq.pricing.engine import Order, OrderItem, Priced
from cpq.pricing.trace import Trace, trace_of
from quarry.money import minor_units
from tests.unit.cpq.pricing.orders import SMB, approver, order, priced
from tests.unit.cpq.pricing.replaying import replay

PRICES = st.decimals(min_value=0, max_value=1_000_000, places=4)
PERCENTS = st.decimals(min_value=0, max_value=100, places=4)
UNITS = st.sampled_from(["per_unit", "per_seat_per_month", "per_unit_per_year"])
CURRENCIES = st.sampled_from(("JPY", "USD", "KWD"))
QUANTITIES = st.integers(1, 5000)


@st.composite
def tiers(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[Tier, ...]:
    starts = sorted(draw(st.sets(st.integers(1, 400), max_size=4)))
    ends = [start - 1 for start in starts[1:]] + [None]
    return tuple(Tier(min=low, max=high, price=draw(PRICES)) for low, high in zip(starts, ends, strict=False))


@st.composite
def cases(
    draw: Callable[[st.SearchStrategy[Any]], Any],
) -> tuple[Order, tuple[PriceBookEntry, ...], tuple[TaxRule, ...]]:
    count = draw(st.integers(1, 6))
    entries = tuple(
        PriceBookEntry(price_book_id="pb", product_id=f"p{n}", version=1, price=draw(PRICES), unit=draw(UNITS),
              tiers=draw(tiers()), net=draw(st.booleans()))
        for n in range(count)
    )  # fmt: skip
    items = tuple(
        OrderItem(line_id=f"ql_{n:03}", product_id=f"p{n}", product_name="P", quantity=draw(QUANTITIES),
             line_discount_pct=draw(PERCENTS), tax_category=draw(st.sampled_from([None, "saas"])))
        for n in range(count)
    )  # fmt: skip
    rules = tuple(
        TaxRule(id=f"t{category}", name="T", tax_category=category, rate_pct=draw(PERCENTS))
        for category in draw(st.sets(st.sampled_from([None, "saas"])))
    )
    exempt = Buyer(segment="smb", country="US", tax_exempt=draw(st.booleans()))
    asked = order(*items, currency=draw(CURRENCIES), buyer=exempt, term_months=draw(st.integers(1, 60)))
    return replace(asked, requested_discount_pct=draw(PERCENTS)), entries, rules


def run(case: tuple[Order, tuple[PriceBookEntry, ...], tuple[TaxRule, ...]]) -> Priced:
    asked, entries, rules = case
    return priced(asked, entries=entries, tax_rules=rules)


@given(cases())
def test_lines_sum_to_the_totals_to_the_minor_unit(case: Any) -> None:
    quote = run(case)
    amounts = [line.amounts for line in quote.lines]
    totals = quote.totals
    assert totals.gross == sum(line.gross for line in amounts)
    assert totals.discount == sum(line.discount for line in amounts)
    assert totals.tax == sum(line.tax for line in amounts)
    assert totals.total == totals.gross - totals.discount + totals.tax == sum(line.total for line in amounts)


@given(cases())
def test_every_amount_has_just_the_currencys_digits_and_is_not_negative(case: Any) -> None:
    quote = run(case)
    for amounts in (*(line.amounts for line in quote.lines), quote.totals):
        for amount in (amounts.gross, amounts.discount, amounts.net, amounts.tax, amounts.total):
            assert amount.as_tuple().exponent == -minor_units(quote.order.currency)
            assert amount >= 0


@given(cases())
def test_integers_alone_come_to_the_same_amounts(case: Any) -> None:
    """A second way to compute a line: numerator, denominator and floor division, no Decimal and no Fraction."""
    quote = run(case)
    scale = 10 ** minor_units(quote.order.currency)
    months = quote.order.term_months
    assert months is not None
    for line in quote.lines:
        tier = tier_for(line.entry.tiers, line.item.quantity)
        price_e4 = int((tier.price if tier else line.list_price) * 10_000)
        count, per = {"per_unit": (1, 1), "per_seat_per_month": (months, 1), "per_unit_per_year": (months, 12)}[
            line.entry.unit
        ]
        gross = half_up(price_e4 * line.item.quantity * count * scale, per * 10_000)
        own, quotes = (int(pct * 10_000) for pct in (line.item.line_discount_pct, quote.order.requested_discount_pct))
        kept = (1_000_000 - own) * (1_000_000 - (0 if line.entry.net else quotes))
        net = half_up(gross * kept, 10**12)
        amounts = (line.amounts.gross, line.amounts.discount, line.amounts.net)
        assert [int(amount * scale) for amount in amounts] == [gross, gross - net, net]
        if line.tax_rule:
            taxed = (each for each in quote.lines if each.tax_rule == line.tax_rule)
            together = [(int(each.amounts.net * scale), int(each.amounts.tax * scale)) for each in taxed]
            base, tax = map(sum, zip(*together, strict=True))
            assert tax == half_up(base * int(line.tax_rule.rate_pct * 10_000), 1_000_000)


def half_up(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


@given(cases(), st.randoms())
def test_the_order_of_the_lines_changes_nothing(case: Any, random: Any) -> None:
    asked, entries, rules = case
    shuffled = random.sample(asked.items, len(asked.items))
    first, second = run(case), run((replace(asked, items=tuple(shuffled)), entries, rules))
    assert first.totals == second.totals
    assert first.evaluation.outcome == second.evaluation.outcome
    assert approver(first.evaluation) == approver(second.evaluation)
    assert {line.item: line.amounts for line in first.lines} == {line.item: line.amounts for line in second.lines}


@given(cases())
def test_a_line_costs_the_same_alone_as_among_others(case: Any) -> None:
    asked, entries, rules = case
    together = run(case)
    for line in together.lines:
        alone = run((replace(asked, items=(line.item,)), entries, rules))
        # Of the tax a minor unit may be the other lines' share.
        assert replace(alone.totals, tax=line.amounts.tax) == line.amounts
        assert abs(alone.totals.tax - line.amounts.tax) <= Decimal(1).scaleb(-minor_units(asked.currency))


@given(cases(), QUANTITIES)
def test_more_of_a_product_never_costs_less_within_a_tier(case: Any, other: int) -> None:
    asked, entries, rules = case
    item = asked.items[0]
    low, high = sorted((item.quantity, other))
    if tier_for(entries[0].tiers, low) != tier_for(entries[0].tiers, high):
        high = low
    cheap, dear = (
        run((replace(asked, items=(replace(item, quantity=n),)), entries, rules)).totals for n in (low, high)
    )
    assert cheap.gross <= dear.gross
    assert cheap.net <= dear.net
    assert cheap.total <= dear.total


@given(cases())
def test_no_amount_is_further_than_half_a_minor_unit_from_its_percentage(case: Any) -> None:
    half = Fraction(1, 2 * 10 ** minor_units(case[0].currency))
    for line in run(case).lines:
        amounts = line.amounts
        assert (
            abs(Fraction(amounts.discount) - Fraction(amounts.gross) * Fraction(line.effective_discount_pct) / 100)
            <= half
        )
        assert amounts.discount <= amounts.gross


@given(cases())
def test_without_approval_no_discount_is_over_the_cap_and_with_it_none_over_the_hard_one(case: Any) -> None:
    quote = run(case)
    deepest = max(line.effective_discount_pct for line in quote.lines)
    assert quote.overall_discount_pct <= deepest
    cap = {"AUTO_APPROVED": SMB.auto_approve_pct, "APPROVAL_REQUIRED": SMB.hard_max_pct, "BLOCKED": Decimal(100)}
    assert deepest <= cap[quote.evaluation.outcome]
    assert (quote.evaluation.outcome == "BLOCKED") == (deepest > SMB.hard_max_pct)


@given(cases(), PERCENTS)
def test_a_deeper_discount_never_makes_a_quote_dearer_or_its_approval_easier(case: Any, other: Decimal) -> None:
    asked, entries, rules = case
    order_of = ("AUTO_APPROVED", "APPROVAL_REQUIRED", "BLOCKED")
    low, high = sorted((asked.requested_discount_pct, other))
    less, more = (run((replace(asked, requested_discount_pct=pct), entries, rules)) for pct in (low, high))
    assert more.totals.total <= less.totals.total
    assert order_of.index(more.evaluation.outcome) >= order_of.index(less.evaluation.outcome)


@given(cases())
def test_a_trace_sent_through_json_computes_to_its_own_totals(case: Any) -> None:
    quote = run(case)
    trace = Trace.model_validate_json(trace_of(quote).model_dump_json())
    again = replay(trace)
    assert again.totals == quote.totals
    assert again.lines == tuple(line.amounts for line in quote.lines)
    assert again.outcome == quote.evaluation.outcome
    assert again.confirms(trace)
