"""What the products to offer are sold for, and were: list prices, past prices, a customer's own before others'."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Self

from quarry.money import with_code
from quarry.precedents import past_prices
from quarry.precedents.price_history import PastPrice, PriceHistory, QuotedPrice, told
from quarry.retrieval.part_numbers import model_key
from quarry.understanding.text import key_of
from quotes.drafting import queries
from quotes.drafting.customers import company_key

Name = tuple[str, str]
"""A maker and a model."""

OUTCOMES = ("sold", "offered", "lost")


@dataclass(frozen=True, slots=True)
class OfferPrices:
    """``past`` are the prices of the first model that has any; of comparable goods where none of them was sold."""

    product_ids: Mapping[Name, str]
    lists: Mapping[Name, str]
    sentences: Sequence[str]
    past: Sequence[PastPrice]

    @classmethod
    def of(
        cls, names: Sequence[Name], query: str, *, tenant: str, customer: str | None, currency: str | None
    ) -> Self:
        """``currency`` is preferred. Raises Unavailable when embeddings are down and no word of the query matches."""
        today = date.today()
        entries = past_prices.list_entries(tenant, [model for _, model in names]) if names else []
        by_name = past_prices.of_models(tenant, set(names), customer=None) if names else {}
        sentences: list[str] = []
        past: list[PastPrice] = []
        lists: dict[Name, str] = {}
        for name in names:
            own = [_marked(price, customer) for price in by_name[name]]
            of_model = [entry for entry in entries if entry["model_key"] == model_key(name[1])]
            histories = past_prices.with_lists(own, entries=of_model, today=today, asked=None, currency=currency)
            sentences += [f"{' '.join(name)}: {told(history)}" for history in histories[:1]]
            past = past or _of_first(own, histories)
            usual = currency or (histories[0].currency if histories else queries.house_currency(tenant))
            if listed := _listed(of_model, today, currency=usual):
                lists[name] = listed
        if not past:
            found = past_prices.comparable(tenant, query, customer=None)
            own = [_marked(price, customer) for price in found.prices]
            histories = past_prices.with_lists(own, entries=[], today=today, asked=None, currency=currency)
            past = _of_first(own, histories)
            sentences = [f"Comparable goods: {told(history)}" for history in histories[:1]]
        return cls(_product_ids(tenant, names), lists, sentences, past)

    def newest(self, *, most: int, reasons: bool = True) -> list[QuotedPrice]:
        """The customer's own before others', sold before offered before lost, the newest first."""

        def place(price: PastPrice) -> tuple[bool, int, int]:
            return not price.own, OUTCOMES.index(price.outcome), -price.quote_date.toordinal()

        rows = sorted(self.past, key=place)[:most]
        return [QuotedPrice.of(price if reasons else replace(price, why=None)) for price in rows]


def _marked(price: PastPrice, customer: str | None) -> PastPrice:
    """Own is what this very company paid: a part of a name is another company's too."""
    return replace(price, own=customer is not None and company_key(price.customer) == company_key(customer))


def _of_first(prices: Sequence[PastPrice], histories: Sequence[PriceHistory]) -> list[PastPrice]:
    """The prices in the currency of the first history: amounts of two are never listed together."""
    return [price for price in prices if price.currency == histories[0].currency]


def _product_ids(tenant: str, names: Sequence[Name]) -> dict[Name, str]:
    rows = queries.for_sale(tenant, keys=[model_key(model) for _, model in names]) if names else []
    sold = {(key_of(row["manufacturer"]), row["model_key"]): row["id"] for row in reversed(rows)}
    keys = {(maker, model): (key_of(maker), model_key(model)) for maker, model in names}
    return {name: sold[key] for name, key in keys.items() if key in sold}


def _listed(entries: Sequence[Mapping[str, Any]], today: date, *, currency: str | None) -> str | None:
    """Today's list price, such as "125,400.00 USD": in the currency that is wanted, else in the first book's."""
    first = sorted(entries, key=lambda entry: (not entry["for_all"], entry["priority"]))
    currencies = dict.fromkeys(str(entry["currency"]) for entry in first)
    found = [(code, past_prices.list_on(entries, code, today)) for code in currencies]
    said = {code: with_code(listed.price, code) for code, listed in found if listed}
    return said.get(currency or "") or next(iter(said.values()), None)
