"""What the products to offer are sold for, and were: list prices, past prices, a customer's own before others'."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any, Self

from quarry.money import with_code, written
from quarry.precedents import comparable_goods, past_prices
from quarry.precedents.price_history import PastPrice, PriceHistory, told
from quarry.retrieval.part_numbers import model_key
from quarry.understanding.names import company_key
from quarry.understanding.needs import Need
from quarry.understanding.text import fold, key_of
from quotes.drafting import queries
from quotes.drafting.customers import Market

Name = tuple[str, str]
"""A maker and a model."""

STEP_OF_A_BUDGET = 0.25
"""Share of a budget within which products above it are alike."""
OUTCOMES = ("sold", "offered", "lost")

OFF_LIST = re.compile(
    r"\blist(?:enpreis)? (?:less|minus|abzuglich) (\d{1,2}(?:\.\d)?)\b"
    r"|(?<![\d.])(\d{1,2}(?:\.\d)?) ?(?:%|percent|prozent) (?:off|rabatt|nachlass)\b"
    r"|\b(?:descuento|remise) (?:del? )?(\d{1,2}) ?%"
)
"""Of a folded reason of a price, the share of the list that was taken off."""
LIST_MAY_DIFFER = Decimal("1.02")
"""Times that a list worked out from a rounded share may be above today's."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Today's price of one: of the list, or of the account's own ``book`` with the list's beside it."""

    amount: Decimal
    currency: str
    book: str | None = None
    before: Decimal | None = None

    def __str__(self) -> str:
        said = with_code(self.amount, self.currency)
        return f"{said} ({self.book}; list {written(self.before, self.currency)})" if self.before else said


@dataclass(frozen=True, slots=True)
class OfferPrices:
    """``past`` are the prices of the first model that has any; of comparable goods where none of them was sold. The
    customer's own come before others', sold before offered before lost, the newest first.
    """

    product_ids: Mapping[Name, str]
    lists: Mapping[Name, Listed]
    sentences: Sequence[str]
    past: Sequence[PastPrice]
    requires: Mapping[Name, str] = field(default_factory=dict)
    """What a quote of the product has to have as well: names with their ids."""
    doubt: str | None = None
    """That the recorded reason of this customer's price is none to pass on."""

    @classmethod
    def of(
        cls,
        names: Sequence[Name],
        query: str,
        *,
        lines: Sequence[Mapping[str, Any]] = (),
        work: bool = False,
        tenant: str,
        customer: str | None,
        currency: str | None,
        market: Market | None = None,
    ) -> Self:
        """``lines`` tell of the very thing; what is comparable by the ``query`` counts beside them.
        ``currency`` is preferred; ``market`` is the account's. Raises Unavailable when embeddings are down and no
        word matches.
        """
        today = date.today()
        entries = past_prices.list_entries(tenant, [model for _, model in names])
        by_name = past_prices.of_models(tenant, set(names), customer=None) if names else {}
        sentences: list[str] = []
        past: list[PastPrice] = []
        doubt: str | None = None
        lists: dict[Name, Listed] = {}
        for name in names:
            own = [_marked(price, customer) for price in by_name[name]]
            of_model = [entry for entry in entries if entry["model_key"] == model_key(name[1])]
            histories = past_prices.with_lists(own, entries=of_model, today=today, asked=None, currency=currency)
            past = past or _of_first(own, histories)
            wanted = currency or (histories[0].currency if histories else None)
            if listed := _listed(of_model, today, currency=wanted, market=market):
                lists[name] = listed
            sentences += [f"{' '.join(name)}: {told(history)}" for history in histories[:1]]
            doubt = doubt or _unlike_its_reason(own, listed)
        if not past:
            found = comparable_goods.comparable(tenant, query, customer=None).prices
            told_of = [past_prices.past_price(row, customer=None) for row in lines if row["unit_price"]]
            each = {(price.quote_number, price.position): price for price in (*found, *told_of)}
            own = [_marked(price, customer) for price in each.values()]
            histories = past_prices.with_lists(own, entries=[], today=today, asked=None, currency=currency)
            past = _of_first(own, histories)
            like = "Such work, on whatever machine" if work else "Comparable goods"
            sentences = [f"{like}: {told(history)}" for history in histories[:1]]
        sold = _for_sale(tenant, names)
        ids = {name: row["id"] for name, row in sold.items()}
        requires = {name: ", ".join(row["requires"]) for name, row in sold.items() if row["requires"]}
        return cls(ids, lists, sentences, sorted(past, key=_place), requires, doubt)

    def own(self, *, named: Collection[Name]) -> Self:
        """What this very customer paid, where nothing is to be offered and no words are proven: what others paid for
        something else is no precedent. What is ``named`` in the request keeps its list price.
        """
        lists = {name: listed for name, listed in self.lists.items() if name in named}
        return replace(self, lists=lists, sentences=(), past=[price for price in self.past if price.own])

    def newest(self, *, most: int, reasons: bool = True) -> list[str]:
        """A sentence on each, with its quote and line, its day, its customer, how it ended and why it was so."""
        return [_precedent(price, reason=reasons) for price in self.past[:most]]

    def currencies(self, *, most: int) -> frozenset[str]:
        """Of the list prices and of the newest past prices that an answer shows."""
        return frozenset(
            (*(each.currency for each in self.lists.values()), *(each.currency for each in self.past[:most]))
        )

    def against(self, budget: Need, *, counts: Mapping[Name, int]) -> str:
        """What the customer would spend, in his words, held against what so many of each product list at and what was
        last paid; in one currency alone.
        """
        most = budget.high if budget.high is not None else budget.low
        code = next(iter(budget.values), "")
        said = [
            _beside(f"{_counted(name, count)} lists at", listed.amount * count, listed.currency, most=most)
            for name, count in counts.items()
            if (listed := self.lists.get(name)) and code in ("", listed.currency)
        ]
        sold = next((price for price in self.past if price.outcome == "sold"), None)
        if sold is not None and code in ("", sold.currency):
            count = next(iter(counts.values()), 1)
            what = f"sold in {sold.quote_number} for" if count == 1 else f"{count} as sold in {sold.quote_number}:"
            said.append(_beside(what, sold.unit_price * count, sold.currency, most=most))
        held = "; ".join(said) or f"no list or past price{f' in {code}' if code else ''} to hold it against"
        return f"{budget.words}: {held}."


def _unlike_its_reason(prices: Sequence[PastPrice], listed: Listed | None) -> str | None:
    """That what was taken off the list of this customer's newest price, as its line or its quote says, makes a list
    above today's, which lists hardly ever were; or that the two say different shares.
    """
    newest = max((price for price in prices if price.own), key=lambda price: price.quote_date, default=None)
    if newest is None or newest.outcome != "sold":
        return None
    reasons = [found for why in (newest.why, newest.why_of_quote) if why and (found := OFF_LIST.search(fold(why)))]
    shares = {Decimal(next(filter(None, found.groups()))): found[0] for found in reversed(reasons)}
    said = []
    if len(shares) > 1:
        said.append(" and ".join(f'"{words}"' for words in shares.values()) + " are both told of it")
    if shares and listed and listed.currency == newest.currency:
        least = min(shares)
        then = (newest.unit_price / (1 - least / 100)).quantize(Decimal("0.01"))
        today = listed.before or listed.amount
        if then > today * LIST_MAY_DIFFER:
            lists = f"{with_code(then, newest.currency)}, today's is {written(today, newest.currency)}"
            said.append(f'"{shares[least]}" would make a list of {lists}')
    return f"Do not pass on the reason of {newest.quote_number}: {'; '.join(said)}." if said else None


def list_prices(
    names: Collection[Name], *, tenant: str, currency: str | None, market: Market | None
) -> dict[Name, Listed]:
    """Today's of each product that has one."""
    entries = past_prices.list_entries(tenant, [model for _, model in names])
    found: dict[Name, Listed] = {}
    for name in names:
        of_model = [entry for entry in entries if entry["model_key"] == model_key(name[1])]
        if listed := _listed(of_model, date.today(), currency=currency, market=market):
            found[name] = listed
    return found


def list_prices_above(
    budget: Need, counts: Mapping[Name, int], *, tenant: str, currency: str | None, market: Market | None
) -> dict[Name, float]:
    """How far so many of each product list above a budget, in steps of it; 0 within, infinite where nobody knows."""
    most = budget.high if budget.high is not None else budget.low
    code = next(iter(budget.values), None) or currency
    above = dict.fromkeys(counts, math.inf)
    for name, listed in list_prices(counts, tenant=tenant, currency=code, market=market).items():
        if most and listed.currency == code:
            above[name] = max(0, math.ceil((float(listed.amount) * counts[name] / most - 1) / STEP_OF_A_BUDGET))
    return above


def list_price_of_service(product_id: str, *, tenant: str, currency: str | None) -> str | None:
    """Today's in a sentence, with what it buys: "List 1,240.00 EUR per day"."""
    entries = past_prices.list_entries(tenant, [], service=product_id)
    listed = _listed(entries, date.today(), currency=currency, of_a_term=True)
    if listed is None:
        return None
    units = {entry["unit"] for entry in entries if entry["currency"] == listed.currency and entry["unit"]}
    unit = f" {units.pop().replace('_', ' ')}" if len(units) == 1 else ""
    return f"List {listed}{unit}"


def _counted(name: Name, count: int) -> str:
    return " ".join(name) if count == 1 else f"{count} × {' '.join(name)}"


def _beside(what: str, amount: Decimal, currency: str, *, most: float | None) -> str:
    """The amount with its distance from what is at most to be spent."""
    said = f"{what} {with_code(amount, currency)}"
    if not most:
        return said
    share = round((amount / Decimal(str(most)) - 1) * 100)
    return f"{said}, {abs(share)} % {'above' if share > 0 else 'below'}" if share else f"{said}, just that"


def _precedent(price: PastPrice, *, reason: bool) -> str:
    count = f" ×{price.quantity.normalize():f}" if price.quantity != 1 else ""
    amount = with_code(price.unit_price, price.currency)
    why = f": {price.why}" if reason and price.why else ""
    where = f"{price.quote_number}/{price.position}, {price.quote_date}, {price.customer}"
    return f"{where}, {price.outcome} {amount}{count}{why}"


def _place(price: PastPrice) -> tuple[bool, int, int]:
    return not price.own, OUTCOMES.index(price.outcome), -price.quote_date.toordinal()


def _marked(price: PastPrice, customer: str | None) -> PastPrice:
    """Own is what this very company paid: a part of a name is another company's too."""
    return replace(price, own=customer is not None and company_key(price.customer) == company_key(customer))


def _of_first(prices: Sequence[PastPrice], histories: Sequence[PriceHistory]) -> list[PastPrice]:
    """The prices in the currency of the first history: amounts of two are never listed together."""
    return [price for price in prices if price.currency == histories[0].currency]


def _for_sale(tenant: str, names: Sequence[Name]) -> dict[Name, Mapping[str, Any]]:
    rows = queries.for_sale(tenant, keys=[model_key(model) for _, model in names]) if names else []
    sold = {(key_of(row["manufacturer"]), row["model_key"]): row for row in reversed(rows)}
    keys = {(maker, model): (key_of(maker), model_key(model)) for maker, model in names}
    return {name: sold[key] for name, key in keys.items() if key in sold}


def _listed(
    entries: Sequence[Mapping[str, Any]],
    today: date,
    *,
    currency: str | None,
    market: Market | None = None,
    of_a_term: bool = False,
) -> Listed | None:
    """Today's price in the currency that is wanted, else in the first book's: of the list, where no book is the
    account's own.
    """
    first = sorted(entries, key=lambda entry: (not entry["for_all"], entry["priority"]))
    currencies = dict.fromkeys(str(entry["currency"]) for entry in first)
    found = [(code, past_prices.list_on(entries, code, today, of_a_term=of_a_term)) for code in currencies]
    prices = {code: Listed(listed.price, code) for code, listed in found if listed}
    price = prices.get(currency or "") or next(iter(prices.values()), None)
    if price is None or market is None:
        return price
    own = past_prices.price_for(entries, price.currency, today, segment=market.segment, country=market.country)
    if own is None or own.price == price.amount:
        return price
    return replace(price, amount=own.price, book=own.book, before=price.amount)
