"""Which tax rule holds for a line."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpq.documents.composition import taxes
from cpq.documents.wording import DocumentLabels
from cpq.pricing.arithmetic import rounded, shared_tax
from cpq.pricing.books import Buyer, PriceBookEntry, TaxRule, tax_notice, tax_rule_for, taxes_of
from cpq.pricing.engine import OrderItem
from cpq.pricing.trace import trace_of
from tests.unit.cpq.documents.printed_quotes import LAYOUTS
from tests.unit.cpq.pricing.orders import TODAY, order, priced

TEXAN = Buyer(segment="smb", country="US", region="TX")
COUNTRY = TaxRule(id="tax_us", name="US", rate_pct=Decimal(0))
SOFTWARE = replace(COUNTRY, id="tax_us_saas", tax_category="saas", rate_pct=Decimal(5))
STATE = replace(COUNTRY, id="tax_tx", region="TX", rate_pct=Decimal("8.25"))
STATE_SOFTWARE = replace(STATE, id="tax_tx_saas", tax_category="saas", rate_pct=Decimal("6.6"))


def rule(*rules: TaxRule, category: str | None = "saas", buyer: Buyer = TEXAN) -> TaxRule | None:
    return tax_rule_for(rules, buyer=buyer, tax_category=category, on=TODAY)


def test_the_closest_rule_holds_alone_region_before_category() -> None:
    for rules in permutations([COUNTRY, SOFTWARE, STATE, STATE_SOFTWARE]):
        assert rule(*rules) == STATE_SOFTWARE
        assert rule(*rules, category="hardware") == STATE
        assert rule(*rules, category=None) == STATE
        assert rule(*rules, buyer=replace(TEXAN, region="DE")) == SOFTWARE
    assert rule(STATE, SOFTWARE) == STATE


def test_an_exempt_account_pays_none() -> None:
    assert rule(STATE, buyer=replace(TEXAN, tax_exempt=True)) is None


def test_of_two_rates_the_newer_valid_one_holds() -> None:
    old = replace(STATE, id="tax_a", valid_to=date(2026, 2, 25))
    now = replace(STATE, id="tax_b", valid_from=TODAY)
    later = replace(STATE, id="tax_c", valid_from=date(2026, 2, 27))
    assert rule(old, STATE, now, later) == now
    assert rule(old, later) is None


@pytest.mark.parametrize(
    ("ruled", "region", "found", "doubted"),
    [
        ("Île-de-France", "ile de france", "tax_tx", False),
        ("Île-de-France", "IDF", "tax_us", True),
        ("TX", "Texas", "tax_us", True),
        ("TX", "OH", "tax_us", False),
        ("TX", None, "tax_us", False),
    ],
)
def test_a_region_is_its_rules_in_any_spelling_or_is_told(
    ruled: str, region: str | None, found: str, doubted: bool
) -> None:
    rules, buyer = [COUNTRY, replace(STATE, region=ruled)], replace(TEXAN, region=region)
    said = tax_notice(rules, buyer=buyer, on=TODAY) or ""
    held = rule(*rules, buyer=buyer)
    assert (held and held.id, f"'{region}' (they have {ruled})" in said) == (found, doubted)


@pytest.mark.parametrize(
    ("name", "rate", "taxes"),
    [
        ("GST 5 % + QST 9.975 %", "14.975", [("GST 5 %", "5"), ("QST 9.975 %", "9.975")]),
        ("CGST 9% + SGST 9%", "18", [("CGST 9%", "9"), ("SGST 9%", "9")]),
        ("GST 5 % + QST 9.975 %", "15", [("GST 5 % + QST 9.975 %", "15")]),
        ("Zoll + MwSt. 19 %", "19", [("Zoll + MwSt. 19 %", "19")]),
    ],
)
def test_a_rule_stands_for_the_taxes_whose_rates_make_up_its_own(
    name: str, rate: str, taxes: list[tuple[str, str]]
) -> None:
    assert [(each, f"{own:f}") for each, own in taxes_of(name, Decimal(rate))] == taxes


@given(st.lists(st.decimals(0, 10_000, places=2), min_size=1, max_size=8),
       st.lists(st.decimals(0, 30, places=3), min_size=1, max_size=3))  # fmt: skip
def test_the_taxes_of_lines_come_to_each_rate_of_their_sum(nets: list[Decimal], rates: list[Decimal]) -> None:
    shared = shared_tax(nets, rates, currency="USD")
    assert sum(shared) == sum(rounded(Fraction(sum(nets)) * Fraction(rate) / 100, "USD") for rate in rates)
    for net, tax in zip(nets, shared, strict=True):
        assert tax >= 0
        assert net or not tax


def test_a_document_prints_each_tax_as_its_rate_of_the_sum() -> None:
    vat = replace(COUNTRY, name="GST 5 % + QST 9.975 %", rate_pct=Decimal("14.975"))
    items = [OrderItem(line_id=f"ql_{place}", product_id="a", product_name="A", quantity=1) for place in range(3)]
    price = PriceBookEntry(price_book_id="pb", product_id="a", version=1, price=Decimal("1.10"), unit="per_unit")
    quote = priced(order(*items, term_months=None), entries=(price,), tax_rules=(vat,))
    # 3.30: GST .165 is .17, QST .329175 is .33; one by one each line had .16, together .48.
    assert [line.amounts.tax for line in quote.lines] == [Decimal(".17"), Decimal(".17"), Decimal(".16")]
    told = [line.steps[-1] for line in trace_of(quote).lines]
    assert told[0].endswith("14.975% of 1.10: 0.17, its share of the tax of all lines.")
    assert told[2].endswith("14.975% of 1.10: 0.16.")
    printed = taxes(trace_of(quote).lines, labels=DocumentLabels.read(LAYOUTS, "en"))
    assert [(tax.name, tax.amount) for tax in printed] == [
        ("GST 5 %", Decimal(".17")),
        ("QST 9.975 %", Decimal(".33")),
    ]
    # Priced before, its lines were rounded one by one: the first is its rate, the last what is left.
    before = [line.model_copy(update={"tax_amount": Decimal(".16")}) for line in trace_of(quote).lines]
    printed = taxes(before, labels=DocumentLabels.read(LAYOUTS, "en"))
    assert [tax.amount for tax in printed] == [Decimal(".17"), Decimal(".31")]
