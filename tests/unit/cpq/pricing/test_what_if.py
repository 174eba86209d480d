"""What-if on small catalogues: the same as trying everything, and each answer prices again to the digit."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cpq.catalogue.configuration import ConfigurableProduct, Wanted
from cpq.pricing import what_if
from cpq.pricing.books import Account, PriceBook, PriceBookEntry, TaxRule, Tier
from cpq.pricing.engine import OrderItem
from cpq.pricing.policies import Policy
from cpq.pricing.queries import Quoted, QuotedLine
from cpq.pricing.rules import Rule, RuleBand
from cpq.pricing.run import PriceSources, evaluated
from cpq.pricing.what_if import STEP, Variant
from tests.unit.cpq.pricing.orders import ACME, PRO, SMB, SSO, TODAY, USD

UNTAXED = TaxRule(id="tax_none", name="None", country="US", rate_pct=Decimal(0))

QUOTE = Quoted(
    quote_id="Q-2026-0001",
    version=1,
    status="draft",
    settled=False,
    currency=USD,
    term_months=12,
    start_date=None,
    valid_until=TODAY,
    payment_terms="net_30",
    billing_frequency="monthly",
    today=TODAY,
    account=Account(id="acct_acme", name="Acme", active=True, currency="USD", buyer=ACME, owned=()),
    total=None,
    trace_id=None,
    priced_by=None,
)
LARGEST = 60
"""Tiers end here, and trying every quantity does too."""


def line(
    number: int, entry: PriceBookEntry, quantity: int, *, discount: str = "0", most: int | None = None
) -> QuotedLine:
    product = entry.product_id
    return QuotedLine(
        item=OrderItem(
            line_id=f"ql_{number:03}",
            product_id=product,
            product_name=product,
            quantity=quantity,
            line_discount_pct=Decimal(discount),
        ),
        wanted=Wanted(product_id=product, quantity=quantity, attributes={}),
        offer=ConfigurableProduct(
            id=product, name=product, active=True, attributes={}, min_quantity=1, max_quantity=most
        ),
    )


def market(*entries: PriceBookEntry, policy: Policy = SMB) -> PriceSources:
    books = [PriceBook(id=name, name=name, currency="USD") for name in {entry.price_book_id for entry in entries}]
    return PriceSources(books=books, entries=entries, tax_rules=(UNTAXED,), policy=policy, relations=())


def variant(*lines: QuotedLine, discount: str = "0") -> Variant:
    return Variant(quote=QUOTE, lines=lines, discount_pct=Decimal(discount))


def test_the_discount_on_the_whole_is_cut_just_to_the_cap() -> None:
    around = market(PRO, SSO)
    free = what_if.free_of_approval(variant(line(1, PRO, 150), line(2, SSO, 150), discount="15"), market=around)
    assert (free.variant.discount_pct, free.priced.totals.total) == (Decimal(10), Decimal("12960.00"))
    assert free.remaining == []


def test_a_lines_own_discount_is_cut_only_where_the_whole_has_none_left_to_cut() -> None:
    around = market(PRO, SSO)
    free = what_if.free_of_approval(
        variant(line(1, PRO, 150, discount="25"), line(2, SSO, 150, discount="4"), discount="5"), market=around
    )
    assert free.variant.discount_pct == 0
    assert [each.item.line_discount_pct for each in free.variant.lines] == [10, 4]
    assert free.remaining == []


def test_what_no_discount_mends_is_told() -> None:
    slow = Rule(measure="payment_days", at_most=Decimal(15), bands=(RuleBand(limit=None, approver_role="cfo"),))
    around = market(PRO, policy=replace(SMB, rules=(slow,)))
    free = what_if.free_of_approval(variant(line(1, PRO, 150), discount="15"), market=around)
    assert free.remaining == ["payment term of 30 days exceeds the limit of 15 days for SMB segment"]
    assert free.variant.discount_pct == 10


def test_costs_bound_no_discount_and_leave_a_person_to_look_at_them() -> None:
    floor = Rule(measure="margin_pct", at_least=Decimal(40), bands=(RuleBand(limit=None, approver_role="cfo"),))
    around = market(PRO, policy=replace(SMB, rules=(floor,)))
    costly = line(1, PRO, 150)
    costly = replace(costly, item=replace(costly.item, cost=Decimal("5.90")))
    free = what_if.free_of_approval(variant(costly, discount="30"), market=around)
    assert free.variant.discount_pct == 10
    assert free.remaining == ["a person looks at the margin of the quote"]


PRICES = st.decimals(min_value=0, max_value=1000, places=2)


@st.composite
def catalogues(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[PriceBookEntry, ...]:
    entries = []
    for number in range(draw(st.integers(1, 3))):
        starts = sorted(draw(st.sets(st.integers(1, LARGEST), max_size=3)))
        # Ranges of a price book may leave gaps.
        ends = [draw(st.integers(start, LARGEST)) for start in starts]
        tiers = tuple(Tier(min=low, max=high, price=draw(PRICES)) for low, high in zip(starts, ends, strict=True))
        entries.append(
            PriceBookEntry(
                price_book_id="pb",
                product_id=f"p{number}",
                version=1,
                price=draw(PRICES),
                unit="per_unit",
                tiers=tiers,
            )
        )
    return tuple(entries)


@st.composite
def asked(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[Variant, PriceSources]:
    entries = draw(catalogues())
    discounts = st.sampled_from(["0", "3.5", "10", "12.25", "40"])
    lines = [
        line(number, draw(st.sampled_from(entries)), draw(st.integers(1, LARGEST)), discount=draw(discounts))
        for number in range(1, draw(st.integers(1, 4)) + 1)
    ]
    cap = Decimal(draw(st.integers(0, 20)))
    return variant(*lines, discount=draw(discounts)), market(*entries, policy=replace(SMB, auto_approve_pct=cap))


@settings(max_examples=60)
@given(asked())
def test_the_least_cut_is_free_of_approval_and_no_smaller_one_is(case: tuple[Variant, PriceSources]) -> None:
    wanted, around = case
    free = what_if.free_of_approval(wanted, market=around)
    assert free.remaining == []  # without any discount nothing breaks a cap on discounts
    assert evaluated(free.variant.priced(around)).auto_approved
    assert free.variant.priced(around).totals == free.priced.totals

    def passes(pct: Decimal) -> bool:
        return evaluated(replace(wanted, discount_pct=pct).priced(around)).auto_approved

    tried = [pct for pct in map(Decimal, range(41)) if pct <= wanted.discount_pct and passes(pct)]
    if not tried:
        assert free.variant.discount_pct == 0
        assert any(new.item != old.item for new, old in zip(free.variant.lines, wanted.lines, strict=True))
        return
    assert free.variant.lines == wanted.lines
    assert max(tried) <= free.variant.discount_pct <= wanted.discount_pct
    assert free.variant.discount_pct == wanted.discount_pct or not passes(free.variant.discount_pct + STEP)
