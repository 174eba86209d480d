"""Past prices of models, beside the list prices of their days."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from psycopg.sql import SQL

from quarry.data import database
from quarry.money import in_currency
from quarry.precedents.accounts import company_key
from quarry.precedents.list_prices import list_on
from quarry.precedents.price_history import Outcome, PastPrice, PriceHistory, histories
from quarry.text import model_key, part_key

OF_MODELS = SQL("""
    SELECT d.model_key, d.manufacturer, q.quote_number, d.position, q.customer, q.quote_date, q.status, d.optional,
        d.quantity, d.unit, d.sku, d.list_price, d.discount_pct, d.unit_price, d.extended_price, d.currency,
        d.price_note
    FROM quotes.line_items d JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(keys)s::text[]) AND d.unit_price > 0
""")


def of_models(
    tenant: str, models: Collection[tuple[str, str]], *, customer: str | None
) -> dict[tuple[str, str], list[PastPrice]]:
    """Returns past prices by (maker, model), in any currency; those of ``customer`` are marked as own."""
    rows = database.fetch(tenant, OF_MODELS, {"tenant": tenant, "keys": [model_key(model) for _, model in models]})
    own = company_key(tenant, customer)
    found: dict[tuple[str, str], list[PastPrice]] = {}
    for maker, model in models:
        same = [
            row
            for row in rows
            if row["model_key"] == model_key(model) and part_key(row["manufacturer"] or maker) == part_key(maker)
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


def with_lists(
    prices: Sequence[PastPrice],
    *,
    entries: Sequence[Mapping[str, Any]],
    today: date,
    asked: Decimal | None,
    currency: str | None,
) -> list[PriceHistory]:
    """Returns histories of prices, compared with the list prices in ``entries``, which are of at most one model."""
    listed = [
        price if price.list_then is not None or (then := list_on(entries, price.currency, price.quote_date)) is None
        else price.model_copy(update={"list_then": then.price})
        for price in prices
    ]  # fmt: skip
    currencies = {price.currency for price in prices}
    now = {code: found for code in currencies if (found := list_on(entries, code, today))}
    return histories(listed, lists=now, asked=asked, currency=currency)
