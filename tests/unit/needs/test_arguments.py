"""Needs and filters as tools take them."""

import pytest

from quarry.attributes.model import Attributes
from quarry.attributes.units import shipped
from quarry.needs.arguments import FilterRow, needs_of


@pytest.mark.parametrize(
    ("asked", "price", "currency"),
    [
        ("R$ 1.000,00..R$ 2.000,00", "1.000,00..2.000,00", "BRL"),
        (">= EUR500", ">= 500", "EUR"),
        ("< $ 500", "< 500", "USD"),
        ("500..700 zł", "500..700", "PLN"),
        ("€ 500..$ 700", None, None),
        (">= 1.5万€", ">= 15000", "EUR"),
    ],
)
def test_an_amount_has_its_currency_on_either_side(asked: str, price: str | None, currency: str | None) -> None:
    needs, unread = needs_of([FilterRow(attribute="price", is_=asked)], attributes=Attributes({}))
    told = {need.name: need.asked for need in needs}
    assert (told.get("price"), told.get("currency"), bool(unread)) == (price, currency, price is None)


@pytest.mark.parametrize(("house", "code"), [("CAD", "CAD"), ("USD", "USD"), ("MXN", "MXN"), ("EUR", "USD")])
@pytest.mark.parametrize(("asked", "own"), [("<= 3000 $", ""), ("<= 3000 $ CA", "CAD"), ("<= $ US 3000", "USD")])
def test_an_amount_with_a_sign_of_several_currencies_is_in_the_houses(
    house: str, code: str, asked: str, own: str
) -> None:
    attributes = Attributes({}, units=shipped().with_own([], currency=house))
    needs, unread = needs_of([FilterRow(attribute="price", is_=asked)], attributes=attributes)
    assert ({need.name: need.asked for need in needs}, unread) == ({"price": "<= 3000", "currency": own or code}, ())


def test_a_denied_amount_stays_denied_and_two_are_not_put_together() -> None:
    [denied], unread = needs_of([FilterRow(attribute="price", is_="NOT 500")], attributes=Attributes({}))
    assert (denied.negated, unread) == (True, ())
    needs, [two] = needs_of([FilterRow(attribute="price", is_="500 AND 700")], attributes=Attributes({}))
    assert (needs, two.asked) == ((), "500 AND 700")


def test_a_currency_is_asked_by_its_signs_too() -> None:
    [need], _ = needs_of([FilterRow(attribute="currency", is_="not € | zł")], attributes=Attributes({}))
    assert (need.negated, [each.value for each in need.choices]) == (True, ["EUR", "PLN"])


@pytest.mark.parametrize(
    ("name", "asked", "told"),
    [
        ("price", "<= 400 000 florps", "'florps' is no currency that is known: write its code behind the amount"),
        ("currency", "florps", "'florps' is no currency that is known: write its code, as EUR"),
        ("currency", "not eur | zł", "PLN"),
    ],
)
def test_a_currency_that_is_not_known_is_told_with_what_to_write(name: str, asked: str, told: str) -> None:
    needs, unread = needs_of([FilterRow(attribute=name, is_=asked)], attributes=Attributes({}))
    assert told in " ".join([*map(str, unread), *(choice.value for need in needs for choice in need.choices)])
