"""Past prices of models and their figures: by outcome, a customer's own, beside the lists of their days."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from statistics import median
from typing import Annotated, Any, Literal, Self

from psycopg.sql import SQL
from pydantic import Field, PlainSerializer, PrivateAttr

from quarry.attributes.units import Units
from quarry.data import database
from quarry.money import Money, Quantity, in_currency
from quarry.precedents.accounts import company_key
from quarry.precedents.list_prices import (
    PIECES,
    ListPrice,
    Market,
    bought_unit,
    buys,
    in_words,
    parted,
    price_for,
    priced,
    recurring,
    times,
)
from quarry.text import key_of, part_key
from quarry.tool.contract import OpaquePart, Part

Outcome = Literal["sold", "lost", "offered"]

OUTCOMES: tuple[Outcome, ...] = ("sold", "lost", "offered")

ENOUGH = 3
"""With fewer prices there is no median, and nothing is said to be usual."""

PRICES_SHOWN = 12
OWN_SHOWN = 5

OF_MODELS = SQL("""
    SELECT d.model_key, d.manufacturer, q.quote_number, d.position, q.customer, q.quote_date, q.status, d.optional,
        d.quantity, d.unit, d.sku, d.list_price, d.discount_pct, d.unit_price, d.extended_price, d.currency,
        d.price_note
    FROM quotes.line_items d JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(keys)s::text[]) AND d.unit_price > 0
""")

Share = Annotated[Decimal, PlainSerializer(float, return_type=float)]


class QuotedPrice(OpaquePart):
    """One past line's price."""

    quote_number: str = Field(description="For get_quote.")
    position: int = Field(description="Line number.")
    quote_date: date = Field(description="Date.")
    customer: str = Field(description="Customer.")
    outcome: Outcome = Field(description="offered: open, or an option.")
    quantity: Quantity = Field(description="Quantity.")
    unit_price: Money = Field(description="Per unit, then.")
    unit: str | None = Field(default=None, description="What quantity counts.")
    sku: str | None = Field(default=None, description="As the line has it.")
    extended_price: Money | None = Field(default=None, description="For the line; left out: of one.")
    list_then: Money | None = Field(default=None, description="List price of the line, or of that day.")
    discount_pct: Quantity | None = Field(default=None, description="Off it, as the line says.")
    why: str | None = Field(default=None, description="Its recorded reason.")


class PastPrice(QuotedPrice):
    """A past price with what an answer leaves out; ``own`` says that it is of the customer who is asked about, and
    ``later`` that its list price was loaded after its quote.
    """

    currency: str
    own: bool = False
    later: bool = False


class PriceFigures(Part):
    outcome: Outcome = Field(description="How the quotes ended.")
    count: int = Field(description="Lines.")
    low: Money = Field(description="Lowest.")
    low_in: str = Field(description="Its quote.")
    median: Money | None = Field(description="Null below three.")
    median_in: list[str] = Field(description="Quotes in the middle.")
    high: Money = Field(description="Highest.")
    high_in: str = Field(description="Its quote.")
    newest: Money = Field(description="Newest.")
    newest_in: str = Field(description="Its quote.")
    list_pct: Share | None = Field(description="Median share of the list price of their days.")

    @classmethod
    def of(cls, outcome: Outcome, prices: Sequence[PastPrice]) -> Self:
        rising = sorted(prices, key=lambda price: (price.unit_price, price.quote_date))
        newest = max(prices, key=lambda price: price.quote_date)
        middle = _middle(rising) if len(rising) >= ENOUGH else ()
        shares = [price.unit_price * 100 / price.list_then for price in prices if price.list_then]
        return cls(
            outcome=outcome,
            count=len(prices),
            low=rising[0].unit_price,
            low_in=rising[0].quote_number,
            median=in_currency(median(p.unit_price for p in middle), newest.currency) if middle else None,
            median_in=[price.quote_number for price in middle],
            high=rising[-1].unit_price,
            high_in=rising[-1].quote_number,
            newest=newest.unit_price,
            newest_in=newest.quote_number,
            list_pct=_tenths(median(shares)) if len(shares) >= ENOUGH else None,
        )


class Standing(Part):
    """Where a price stands among those that were sold; among all where fewer than three were."""

    price: Money = Field(description="The price that was asked about, per unit.")
    among: Literal["sold", "all"] = Field(description="Prices it is held against.")
    lower: int = Field(description="How many were lower.")
    equal: int = Field(description="How many were the same.")
    higher: int = Field(description="How many were higher.")
    median_pct: Share | None = Field(description="Percent above their median; negative is below.")
    newest_pct: Share | None = Field(description="Above the newest.")
    own_pct: Share | None = Field(description="Above what this customer paid last.")
    list_pct: Share | None = Field(description="Above today's list.")


class PriceHistory(OpaquePart):
    currency: str = Field(description="ISO 4217 code of all amounts.")
    unit: str | None = Field(default=None, description="What one unit is; unset: a piece.")
    count: int = Field(description="Priced lines.")
    figures: list[PriceFigures] = Field(description="Sold, lost, offered.")
    own: list[QuotedPrice] = Field(description="This customer's, newest first.")
    prices: list[QuotedPrice] = Field(description="The newest twelve.")
    list_now: Money | None = Field(description="Today's list price of the model.")
    list_book: str | None = Field(description="Price book it stands in; with list_now null: on request there.")
    standing: Standing | None = Field(description="Where the given price stands.")
    _compared: ListPrice | None = PrivateAttr(default=None)
    """Today's list price where it holds for everybody or for the customer."""

    _later: int = PrivateAttr(default=0)
    """How many of the lines have a list price that was loaded after their quote."""

    @property
    def enough(self) -> bool:
        return self.count >= ENOUGH

    @property
    def later(self) -> int:
        return self._later

    @property
    def above_list(self) -> list[str]:
        """The last price of this customer and the newest sale, where today's list price is below them."""
        own = next(((each.unit_price, each.quote_number) for each in self.own if each.outcome == "sold"), None)
        sold = next(((each.newest, each.newest_in) for each in self.figures if each.outcome == "sold"), None)
        told = {sold: "the newest sale", own: "what this customer paid last"}
        listed = self._compared.price if self._compared else None
        return [
            f"{priced(price[0], self.currency, self.unit)} ({price[1]}), {what}"
            for price, what in told.items()
            if price and listed is not None and listed < price[0]
        ]


def of_models(
    tenant: str, models: Collection[tuple[str, str]], *, customer: str | None
) -> dict[tuple[str, str], list[PastPrice]]:
    """Returns past prices by (maker, model), in any currency; those of ``customer`` are marked as own."""
    rows = database.fetch(tenant, OF_MODELS, {"keys": [part_key(model) for _, model in models]})
    own = company_key(tenant, customer)
    found: dict[tuple[str, str], list[PastPrice]] = {}
    for maker, model in models:
        same = [
            row
            for row in rows
            if row["model_key"] == part_key(model) and part_key(row["manufacturer"] or maker) == part_key(maker)
        ]
        found[maker, model] = [past_price(row, own=own) for row in same]
    return found


def past_price(row: Mapping[str, Any], *, own: str | None) -> PastPrice:
    """Converts a row of line_items and its quote; ``own`` is the company key of the customer asked about."""
    outcome: Outcome = "lost" if row["status"] == "lost" else "sold" if row["status"] == "won" else "offered"
    if row["optional"] and outcome == "sold":
        outcome = "offered"  # that the quote was won does not say that the option was taken
    amounts = {
        "unit_price": row["unit_price"],
        "list_then": row["list_price"],
        "extended_price": row["extended_price"],
    }
    if row["extended_price"] == row["unit_price"]:
        amounts["extended_price"] = None  # it is the price of one
    told = {name: None if one is None else in_currency(one, row["currency"]) for name, one in amounts.items()}
    is_own = own is not None and own in part_key(row["customer"])
    said = {**row, **told, "outcome": outcome, "why": row["price_note"], "own": is_own}
    return PastPrice.model_validate(said, extra="ignore")


def histories(
    prices: Iterable[PastPrice],
    *,
    entries: Sequence[Mapping[str, Any]],
    units: Units,
    today: date,
    asked: Decimal | None,
    currency: str | None,
    asked_per: str | None = None,
    market: Market | None = None,
) -> list[PriceHistory]:
    """Returns one history per currency and unit, compared with the list prices in ``entries`` that buy this unit and
    are of at most one model: first those of the currency and of the unit asked about, then those with the most
    prices. What was sold by the hundred is told per piece where lists are, and the other way round.

    ``asked`` is a unit price in ``currency``, held against all units unless ``asked_per`` says what it buys, as
    per_hour. Today's list is that of the ``market``.
    """
    found: dict[tuple[str, str], list[PastPrice]] = {}
    per = asked_per or next((entry["unit"] for entry in entries if not recurring(entry["unit"])), None)
    for price in (price if per is None else _counted_as(per, price, units) for price in prices):
        found.setdefault((price.currency, _key_of(price.unit, units)), []).append(price)
    several = len({key for _, key in found}) > 1
    told = []
    for (code, _), same in found.items():
        unit = next((price.unit for price in same if price.unit), None)
        compares = code == currency and (asked_per is None or buys(asked_per, unit, units=units) == 1)
        fitting = [entry for entry in entries if buys(entry["unit"], unit, units=units) == 1]
        each = _history(
            [_with_list(price, fitting) for price in same],
            listed=price_for(fitting, code, today, market),
            asked=asked if compares else None,
            by_unit=several or in_words(unit) != "",
        )
        told.append((code != currency, not compares, -each.count, code, each.unit or "", each))
    return [each for *_, each in sorted(told, key=lambda one: one[:-1])]


def _key_of(unit: str | None, units: Units) -> str:
    """Returns what all spellings of a unit share; a line without one counts pieces."""
    known = bought_unit(unit or PIECES, units)
    return f"{known.factor} of {known.dimension}" if known else key_of(unit or "")


def _counted_as(per: str, price: PastPrice, units: Units) -> PastPrice:
    """Returns the price of as many pieces as a price in the unit ``per`` buys; one that buys no pieces as it is."""
    count = buys(per, price.unit, units=units)
    if count is None or count == 1:
        return price
    one = (price.extended_price or price.unit_price) / price.quantity
    # A stored unit price has four digits, of which a thousand takes more.
    exact = one if round(one, 4) == price.unit_price else price.unit_price
    amounts = {"unit_price": exact, "list_then": price.list_then}
    told = {name: amount and times(amount, count, price.currency) for name, amount in amounts.items()}
    unit = parted(per)[0] if in_words(per) else PIECES
    return price.model_copy(
        update={**told, "unit": unit, "quantity": price.quantity * count.denominator / count.numerator}
    )


def _with_list(price: PastPrice, entries: Sequence[Mapping[str, Any]]) -> PastPrice:
    if price.list_then is not None:
        return price
    then = price_for(entries, price.currency, price.quote_date, past=True)
    if then is None or then.whose:
        return price
    return price.model_copy(update={"list_then": then.price, "later": then.later and then.price is not None})


def _history(
    prices: list[PastPrice], *, listed: ListPrice | None, asked: Decimal | None, by_unit: bool
) -> PriceHistory:
    newest = sorted(prices, key=lambda price: (price.quote_date, price.quote_number, price.position), reverse=True)
    ended = {outcome: [price for price in newest if price.outcome == outcome] for outcome in OUTCOMES}
    compared = None if listed is None or listed.whose else listed
    history = PriceHistory(
        currency=newest[0].currency,
        unit=next((price.unit for price in newest if price.unit), None) if by_unit else None,
        count=len(newest),
        figures=[PriceFigures.of(outcome, found) for outcome, found in ended.items() if found],
        own=[price for price in newest if price.own][:OWN_SHOWN],
        prices=newest[:PRICES_SHOWN],
        list_now=listed.price if listed else None,
        list_book=" ".join(filter(None, [listed.book, listed.whose and f"({listed.whose})"])) if listed else None,
        standing=None if asked is None else _standing(asked, newest, listed=compared),
    )
    history._compared, history._later = compared, sum(price.later for price in newest)
    return history


def _standing(asked: Decimal, newest: Sequence[PastPrice], *, listed: ListPrice | None) -> Standing:
    sold = [price for price in newest if price.outcome == "sold"]
    among = sold if len(sold) >= ENOUGH else newest
    amounts = [price.unit_price for price in among]
    paid = [price.unit_price for price in sold if price.own]
    return Standing(
        price=in_currency(asked, newest[0].currency),
        among="sold" if among is sold else "all",
        lower=sum(amount < asked for amount in amounts),
        equal=sum(amount == asked for amount in amounts),
        higher=sum(amount > asked for amount in amounts),
        median_pct=_above(asked, median(amounts)) if len(amounts) >= ENOUGH else None,
        newest_pct=_above(asked, among[0].unit_price),
        own_pct=_above(asked, paid[0]) if paid else None,
        list_pct=_above(asked, listed.price) if listed and listed.price else None,
    )


def _middle[T](rising: Sequence[T]) -> Sequence[T]:
    half = len(rising) // 2
    return rising[half : half + 1] if len(rising) % 2 else rising[half - 1 : half + 1]


def _above(asked: Decimal, other: Decimal) -> Decimal | None:
    return _tenths((asked - other) * 100 / other) if other else None


def _tenths(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.1"))
