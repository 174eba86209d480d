"""Worked examples, that of the sample corpus first; expected amounts were computed by hand."""

from dataclasses import replace
from decimal import Decimal

import pytest

from cpq.pricing.books import Buyer, PriceBookEntry, TaxRule
from cpq.pricing.engine import OrderItem, Priced
from tests.unit.cpq.pricing.orders import EUR, JPY, KWD, SEATS, SINGLE_SIGN_ON, order, priced


def sums(quote: Priced) -> list[str]:
    """Before discount, discount, tax, total."""
    totals = quote.totals
    return [format(amount, "f") for amount in (totals.gross, totals.discount, totals.tax, totals.total)]


def entry(product_id: str, price: str, unit: str) -> PriceBookEntry:
    return PriceBookEntry(price_book_id="pb", product_id=product_id, version=1, price=Decimal(price), unit=unit)


def test_the_seeds_two_lines_make_its_subtotal_discount_and_total() -> None:
    quote = priced(order(SEATS, SINGLE_SIGN_ON, discount="10"))
    assert [line.amounts.gross for line in quote.lines] == [Decimal("10800.00"), Decimal("3600.00")]
    assert sums(quote) == ["14400.00", "1440.00", "0.00", "12960.00"]


def test_the_seeds_line_pays_the_tier_of_its_quantity_for_every_seat() -> None:
    line = priced(order(SEATS)).lines[0]
    assert (line.entry.price, line.unit_price) == (Decimal("10.00"), Decimal("6.00"))
    assert line.tier is not None
    assert line.tier.min == 100


def test_a_line_discount_comes_off_first_and_the_quotes_off_the_rest() -> None:
    quote = priced(order(replace(SEATS, line_discount_pct=Decimal(10)), SINGLE_SIGN_ON, discount="5"))
    assert [line.effective_discount_pct for line in quote.lines] == [Decimal("14.5"), Decimal(5)]
    assert sums(quote) == ["14400.00", "1746.00", "0.00", "12654.00"]


def test_euros_with_value_added_tax_of_all_lines() -> None:
    vat = TaxRule(id="tax_de", name="USt.", rate_pct=Decimal(19))
    german = Buyer(segment="smb", country="DE")
    quote = priced(
        order(
            OrderItem(line_id="ql_001", product_id="a", product_name="A", quantity=3),
            OrderItem(line_id="ql_002", product_id="b", product_name="B", quantity=7),
            currency=EUR,
            buyer=german,
            term_months=None,
            discount="7.5",
        ),
        entries=(entry("a", "33.33", "per_unit"), entry("b", "0.99", "per_unit")),
        tax_rules=(vat,),
    )
    # 99.99 - 7.50 = 92.49; 6.93 - 0.52 = 6.41; 19 % of 98.90 is 18.79
    assert sums(quote) == ["106.92", "8.02", "18.79", "117.69"]


def test_half_a_cent_goes_to_the_line_that_the_customer_multiplies() -> None:
    half = order(OrderItem(line_id="ql_001", product_id="a", product_name="A", quantity=5), discount="5")
    # 5 × 14.50 less 5 % is 5 × 13.775 = 68.875.
    [line] = priced(half, entries=(entry("a", "14.50", "per_unit"),)).lines
    assert (line.amounts.net, line.amounts.discount) == (Decimal("68.88"), Decimal("3.62"))


def test_yen_have_no_fraction_and_halves_go_up() -> None:
    consumption = TaxRule(id="tax_jp", name="Consumption tax", rate_pct=Decimal(10))
    quote = priced(
        order(
            OrderItem(line_id="ql_001", product_id="a", product_name="A", quantity=5),
            currency=JPY,
            buyer=Buyer(segment="smb", country="JP"),
            term_months=7,
            discount="2.5",
        ),
        entries=(entry("a", "1234.5", "per_seat_per_month"),),
        tax_rules=(consumption,),
    )
    # 43207.5 -> 43208; 2.5 % = 1080.2 -> 1080; 42128; tax 4212.8 -> 4213
    assert sums(quote) == ["43208", "1080", "4213", "46341"]


def test_dinars_have_three_digits() -> None:
    quote = priced(
        order(
            OrderItem(line_id="ql_001", product_id="a", product_name="A", quantity=3),
            currency=KWD,
            buyer=Buyer(segment="smb", country="KW"),
            discount="3.3333",
        ),
        entries=(entry("a", "1.2345", "per_unit"),),
    )
    # 3.7035 -> 3.704 (half up); 3.3333 % of 3.704 = 0.12346… -> 0.123
    assert sums(quote) == ["3.704", "0.123", "0.000", "3.581"]


@pytest.mark.parametrize(
    ("unit", "term_months", "gross"),
    [
        ("per_unit", None, "1000.00"),
        ("per_unit", 36, "1000.00"),
        ("per_unit_per_month", 18, "18000.00"),
        ("per_unit_per_year", 12, "1000.00"),
        ("per_unit_per_year", 18, "1500.00"),
        ("per_unit_per_year", 7, "583.33"),
        ("per_seat_per_year", 1, "83.33"),
    ],
)
def test_a_price_is_charged_once_or_by_the_month_or_by_twelfths_of_a_year(
    unit: str, term_months: int | None, gross: str
) -> None:
    item = OrderItem(line_id="ql_001", product_id="a", product_name="A", quantity=1)
    quote = priced(order(item, term_months=term_months), entries=(entry("a", "1000.00", unit),))
    assert format(quote.totals.gross, "f") == gross


def test_margin_is_known_only_when_every_cost_is() -> None:
    seats, add_on = replace(SEATS, cost=Decimal(2)), replace(SINGLE_SIGN_ON, cost=Decimal("0.50"))
    # 12 960 net; cost 150 x 12 x 2.50 = 4 500
    assert priced(order(seats, add_on, discount="10")).margin_pct == Decimal("65.28")
    assert priced(order(seats, SINGLE_SIGN_ON)).margin_pct is None


def test_a_product_that_the_first_book_lacks_is_priced_from_the_next() -> None:
    quote = priced(order(SEATS, SINGLE_SIGN_ON), entries=(SPECIAL, SSO_ELSEWHERE))
    assert [line.book.id for line in quote.lines] == ["pb_special", "pb_list"]
    assert quote.book.id == "pb_special"


def test_a_quote_is_priced_by_the_best_book_that_gave_a_price() -> None:
    assert priced(order(SINGLE_SIGN_ON), entries=(SPECIAL, SSO_ELSEWHERE)).book.id == "pb_list"


def test_what_costs_nothing_has_no_discount_but_its_line_is_still_checked() -> None:
    free = replace(SSO_ELSEWHERE, price=Decimal(0))
    quote = priced(order(SINGLE_SIGN_ON, discount="50"), entries=(free,))
    assert quote.overall_discount_pct == 0
    assert quote.evaluation.outcome == "BLOCKED"


SSO_ELSEWHERE = PriceBookEntry(
    price_book_id="pb_list", product_id="prod_sso", version=1, price=Decimal(2), unit="per_seat_per_month"
)
SPECIAL = replace(SSO_ELSEWHERE, price_book_id="pb_special", product_id="prod_pro_v2", price=Decimal(5))
