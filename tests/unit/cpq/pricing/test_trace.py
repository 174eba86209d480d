"""What a trace says, and that a wrong one is caught."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from cpq.pricing.books import Buyer, PriceBook, TaxRule, rank
from cpq.pricing.engine import price
from cpq.pricing.trace import Trace, trace_of
from tests.unit.cpq.pricing.orders import ACME, PRO, SEATS, SINGLE_SIGN_ON, SMB, SSO, TODAY, order, priced
from tests.unit.cpq.pricing.replaying import replay

STATE_TAX = TaxRule(id="tax_de", name="State tax", region="DE", rate_pct=Decimal("8.25"))


def seeds_trace() -> Trace:
    seats = replace(SEATS, line_discount_pct=Decimal(10))
    return trace_of(priced(order(seats, SINGLE_SIGN_ON, discount="5"), tax_rules=(STATE_TAX,)))


def test_a_line_is_told_so_that_a_pocket_calculator_can_follow() -> None:
    assert seeds_trace().lines[0].steps == [
        "Book pb_us, version 3: 10.00 USD per seat per month.",
        "Quantity 150 is in the tier 100 and more: 6.00 for every unit.",
        "150 × 6.00 × 12 months = 10800.00.",
        "Less the line's 10%, then the quote's 5% of the rest: 14.5% of 10800.00: 9234.00.",
        "Discount: 10800.00 − 9234.00 = 1566.00.",
        "State tax, 8.25% of 9234.00: 761.81.",
    ]


def test_an_amount_that_was_rounded_is_not_called_equal() -> None:
    yearly = replace(SSO, unit="per_seat_per_year", price=Decimal("0.01"))
    line = trace_of(priced(order(SINGLE_SIGN_ON, term_months=7), entries=(yearly,))).lines[0]
    assert line.steps[1] == "150 × 0.01 × 7/12 years ≈ 0.88."


@pytest.mark.parametrize(
    ("buyer", "why"),
    [
        (replace(ACME, tax_exempt=True), "No tax: the account is exempt."),
        (Buyer(segment="smb", country="DE"), "No tax: no rule holds in DE on 2026-02-26."),
    ],
)
def test_a_line_without_tax_says_why(buyer: Buyer, why: str) -> None:
    trace = trace_of(priced(order(SEATS, buyer=buyer), tax_rules=(STATE_TAX,)))
    assert trace.lines[0].tax is None
    assert trace.lines[0].steps[-1] == why


def test_a_rule_that_is_missing_for_a_category_names_it() -> None:
    trace = trace_of(priced(order(replace(SEATS, tax_category="software"))))
    assert trace.lines[0].steps[-1] == "No tax: no rule holds for software in US, DE on 2026-02-26."


def test_a_trace_names_every_book_that_was_looked_at() -> None:
    ours = PriceBook(id="pb_us", name="US", currency="USD", segment="smb")
    theirs = PriceBook(id="pb_de", name="Germany", currency="EUR", valid_from=date(2026, 1, 1))
    ranking = rank([theirs, ours], buyer=ACME, currency="USD", on=TODAY)
    trace = trace_of(price(order(SEATS), ranking=ranking, entries=(PRO,), tax_rules=(), policy=SMB))
    assert [(book.id, book.fits, book.why) for book in trace.price_books] == [
        ("pb_us", True, "priority 0, segment smb, any country, USD"),
        ("pb_de", False, "it is in EUR, the quote in USD"),
    ]


def test_off_a_net_price_comes_only_what_was_typed_on_its_line() -> None:
    net = (PRO, replace(SSO, net=True))
    standing = replace(SINGLE_SIGN_ON, line_discount_pct=Decimal(20), standing_discount="customer's discount")
    typed = replace(standing, line_discount_pct=Decimal(5), standing_discount=None)
    for item, taken in ((standing, 0), (typed, 5)):
        trace = trace_of(priced(order(SEATS, item, discount="10"), entries=net))
        assert [line.discount_pct for line in trace.lines] == [10, taken]
        assert replay(trace).confirms(trace)
        assert "2.00 USD per seat per month, net of discounts." in trace.lines[1].steps[0]
        assert "the quote's" not in " ".join(trace.lines[1].steps)


@pytest.mark.parametrize(
    "forged",
    [
        {"total": Decimal("1.00")},
        {"subtotal": Decimal("14400.01")},
        {"quote_discount_pct": Decimal(0)},
        {"term_months": 11},
        {"currency": "JPY"},
        {"outcome": "AUTO_APPROVED"},
    ],
)
def test_a_forged_trace_does_not_replay(forged: dict[str, object]) -> None:
    trace = seeds_trace()
    assert replay(trace).confirms(trace)
    changed = trace.model_copy(update=forged)
    assert not replay(changed).confirms(changed)


@pytest.mark.parametrize(
    "forged", [{"quantity": 99}, {"tiers": []}, {"line_discount_pct": Decimal(9)}, {"tax": None}]
)
def test_a_forged_line_does_not_replay(forged: dict[str, object]) -> None:
    trace = seeds_trace()
    changed = trace.model_copy(update={"lines": [trace.lines[0].model_copy(update=forged), *trace.lines[1:]]})
    assert not replay(changed).confirms(changed)


def test_money_in_a_trace_is_text_with_all_its_digits() -> None:
    stored = seeds_trace().model_dump(mode="json")
    assert (stored["total"], stored["lines"][0]["list_price"]) == ("13697.96", "10.00")
