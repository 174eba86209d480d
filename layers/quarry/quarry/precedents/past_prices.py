"""Past prices of models, and what the list price of their day was."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database
from quarry.money import in_currency
from quarry.precedents.accounts import company_key
from quarry.precedents.price_history import ListPrice, Outcome, PastPrice, PriceHistory, histories, recurring
from quarry.retrieval.part_numbers import model_key
from quarry.text import part_key

OF_MODELS = SQL("""
    SELECT d.model_key, d.manufacturer, q.quote_number, d.position, q.customer, q.quote_date, q.status, d.optional,
        d.quantity, d.unit_price, d.currency, d.price_note, q.price_rationale
    FROM quotes.line_items d JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(keys)s::text[]) AND d.unit_price > 0
""")

LISTS = SQL("""
    SELECT p.model_key, b.name AS book, b.currency, b.segment IS NULL AND b.country IS NULL AS for_all, b.priority,
        b.segment, b.country, b.active, b.valid_from AS opens, b.valid_to AS closes,
        e.version, e.price, e.unit, e.valid_from::date AS since, e.superseded_at::date AS until
    FROM cpq.products p
    JOIN cpq.price_book_entries e ON e.tenant = p.tenant AND e.product_id = p.id
    JOIN cpq.price_books b ON b.tenant = p.tenant AND b.id = e.price_book_id
    WHERE p.tenant = %(tenant)s AND (p.model_key = ANY (%(keys)s::text[]) OR p.id = %(service)s::text)
""")


def of_models(
    tenant: str, models: Collection[tuple[str, str]], *, customer: str | None
) -> dict[tuple[str, str], list[PastPrice]]:
    """The prices of each (maker, model), whatever their currency; ``customer`` is who counts as their own."""
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
    """Of a row of line_items beside its quote's date, customer and status; ``own`` is the key of whose are own."""
    outcome: Outcome = "lost" if row["status"] == "lost" else "sold" if row["status"] == "won" else "offered"
    if row["optional"] and outcome == "sold":
        outcome = "offered"  # that the quote was won does not say that the option was taken
    return PastPrice(
        quote_number=row["quote_number"],
        position=row["position"],
        customer=row["customer"],
        quote_date=row["quote_date"],
        outcome=outcome,
        quantity=row["quantity"],
        unit_price=in_currency(row["unit_price"], row["currency"]),
        currency=row["currency"],
        why=row["price_note"],
        why_of_quote=row.get("price_rationale"),
        own=own is not None and own in part_key(row["customer"]),
    )


def list_entries(tenant: str, models: Collection[str], *, service: str | None = None) -> list[DictRow]:
    """All list prices of the models, or of a service by its id, then and now."""
    keys = [model_key(model) for model in models]
    if not keys and service is None:
        return []
    return database.fetch(tenant, LISTS, {"tenant": tenant, "keys": keys, "service": service})


def with_lists(
    prices: Sequence[PastPrice],
    *,
    entries: Sequence[Mapping[str, Any]],
    today: date,
    asked: Decimal | None,
    currency: str | None,
) -> list[PriceHistory]:
    """The histories, against the list prices in ``entries``, which are of one model or none."""
    listed = [
        replace(price, list_then=then.price if (then := list_on(entries, price.currency, price.quote_date)) else None)
        for price in prices
    ]
    currencies = {price.currency for price in prices}
    now = {code: found for code in currencies if (found := list_on(entries, code, today))}
    return histories(listed, lists=now, asked=asked, currency=currency)


def list_on(
    entries: Iterable[Mapping[str, Any]], currency: str, day: date, *, of_a_term: bool = False
) -> ListPrice | None:
    """The price of a single unit in the book for everybody that held on the day; None where there was none. What is
    charged by the month or year of a term only ``of_a_term``.

    A book's first price counts from the book's own first day, because it may have been loaded later.
    """
    best = max(
        _held(entries, currency, day, of_a_term=of_a_term),
        key=lambda entry: (entry["for_all"], -entry["priority"], entry["opens"] or date.min, entry["version"]),
        default=None,
    )
    return None if best is None else ListPrice(in_currency(best["price"], currency), best["book"])


def price_for(
    entries: Iterable[Mapping[str, Any]], currency: str, day: date, *, segment: str, country: str | None
) -> ListPrice | None:
    """The price of a single unit in the book that quote_price takes for such an account."""
    fitting = [
        entry
        for entry in _held(entries, currency, day)
        if entry["active"] and entry["segment"] in (None, segment) and entry["country"] in (None, country)
    ]
    best = max(
        fitting,
        key=lambda entry: (
            entry["priority"], entry["segment"] is not None, entry["country"] is not None,
            entry["opens"] or date.min, entry["version"],
        ),
        default=None,
    )  # fmt: skip
    return None if best is None else ListPrice(in_currency(best["price"], currency), best["book"])


def _held(
    entries: Iterable[Mapping[str, Any]], currency: str, day: date, *, of_a_term: bool = False
) -> list[Mapping[str, Any]]:
    """The entries that held on the day: of a single charge, or also of a month or year."""
    return [
        entry
        for entry in entries
        if entry["currency"] == currency
        and (of_a_term or not recurring(entry["unit"]))
        and (entry["opens"] or date.min) <= day <= (entry["closes"] or date.max)
        and (entry["version"] == 1 or entry["since"] <= day)
        and (entry["until"] is None or day < entry["until"])
    ]
