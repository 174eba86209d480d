"""Everything that keeps an order from being priced is said at once."""

from dataclasses import replace

from cpq.pricing.books import PriceBook, rank
from cpq.pricing.run import price_problems
from quarry.attributes.units import shipped
from tests.unit.cpq.pricing.orders import ACME, PRO, SEATS, SINGLE_SIGN_ON, SSO, TODAY, order

RANKING = rank(
    [PriceBook(id="pb_us", name="US", currency="USD"), PriceBook(id="pb_de", name="DE", currency="EUR")],
    buyer=ACME,
    currency="USD",
    on=TODAY,
)


def test_an_order_that_can_be_priced_has_none() -> None:
    asked = order(SEATS, SINGLE_SIGN_ON)
    assert not [*price_problems(asked, ranking=RANKING, entries=(PRO, SSO), units=shipped())]


def test_a_missing_price_and_a_missing_term_are_said_together() -> None:
    asked = order(SINGLE_SIGN_ON, SEATS, term_months=None)
    found = list(price_problems(asked, ranking=RANKING, entries=(PRO,), units=shipped()))
    assert [(problem.code, problem.path) for problem in found] == [
        ("NO_PRICE", "line_items[0].product_id"),
        ("MISSING", "term_months"),
    ]
    assert "SSO Add-on (prod_sso) has no price in USD in pb_us" in found[0].message
    assert "per seat per month" in found[1].message


def test_what_is_bought_once_needs_no_term() -> None:
    once = replace(PRO, unit="per_unit")
    asked = order(SEATS, term_months=None)
    assert not [*price_problems(asked, ranking=RANKING, entries=(once,), units=shipped())]


def test_without_a_fitting_book_each_refusal_is_told() -> None:
    nothing = replace(RANKING, fitting=())
    [problem] = price_problems(order(SEATS), ranking=nothing, entries=(PRO,), units=shipped())
    assert problem.path == "price_book_id"
    assert "pb_de: it is in EUR, the quote in USD" in problem.message
