"""SQL of what a draft may rest on, read under one tenant."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL

from cpq import house, payment
from cpq.documents import wording
from cpq.drafts.evidence import Machine, OwnLine, OwnQuote, PastQuote, SourceText
from cpq.quotes import queries as quotes
from quarry.data.database import Connection
from quarry.precedents import accounts, references
from quarry.understanding.names import company_key, without_form

MOST_LINES = 400
"""Of the past quotes that a draft names."""

MOST_ALIKE = 20
"""Accounts whose names begin alike."""

MACHINES = SQL("""
    SELECT d.manufacturer, d.model, d.family, d.category, d.series, d.description, d.hp, d.cfm, d.psi, d.lubrication,
        d.cooling, d.voltage, d.drive, d.motor, d.vacuum_inhg, d.dewpoint_f, d.length_in, d.width_in, d.height_in,
        d.weight_lb, d.noise_dba, d.air_quality, d.gallons
    FROM equipment.products d
    WHERE d.tenant = quarry.current_tenant() AND d.model_key = ANY (%(keys)s::text[])
    ORDER BY d.manufacturer, d.model LIMIT 100
""")
SOLD = SQL("""
    SELECT id, model, model_key FROM cpq.products
    WHERE tenant = quarry.current_tenant() AND (id = ANY (%(names)s::text[]) OR model_key = ANY (%(keys)s::text[]))
""")
LINES = SQL("""
    SELECT q.quote_number, q.customer, q.contact, q.quote_date, q.terms, q.total_price, q.summary, d.position,
        d.manufacturer, d.model, d.description, d.unit_price, d.extended_price
    FROM quotes.past_quotes q JOIN quotes.line_items d ON d.tenant = q.tenant AND d.quote_id = q.id
    WHERE q.tenant = quarry.current_tenant() AND q.quote_number = ANY (%(numbers)s::text[])
    ORDER BY q.quote_date DESC, q.quote_number, d.position LIMIT %(most)s
""")
ACCOUNT = SQL("""
    SELECT a.id, a.name, a.contact_name, a.contact_email, to_jsonb(a) AS row FROM cpq.accounts a
    WHERE a.tenant = quarry.current_tenant()
        AND (a.id = %(account)s OR starts_with(search.name_key(a.name), search.name_key(%(stem)s)))
    ORDER BY a.id = %(account)s DESC, search.name_key(a.name) = search.name_key(%(account)s) DESC LIMIT %(most)s
""")
PAST_OF = SQL("""
    SELECT q.quote_number, q.customer, extract(year FROM q.quote_date)::integer AS year FROM quotes.past_quotes q
    WHERE q.tenant = quarry.current_tenant() AND starts_with(search.name_key(q.customer), search.name_key(%(stem)s))
    ORDER BY q.quote_date DESC LIMIT %(most)s
""")
OF_THE_ACCOUNT = SQL("""
    SELECT q.id, v.currency, p.model, l.quantity, l.unit_price, l.line_total
    FROM cpq.accounts a
    JOIN cpq.quotes q ON q.tenant = a.tenant AND q.account_id = a.id
    JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id
    LEFT JOIN cpq.quote_lines l ON l.tenant = v.tenant AND l.quote_id = v.quote_id AND l.version = v.version
        AND v.priced_at IS NOT NULL
    LEFT JOIN cpq.products p ON p.tenant = l.tenant AND p.id = l.product_id
    WHERE a.tenant = quarry.current_tenant()
        AND (a.id = %(account)s OR search.name_key(a.name) = search.name_key(%(account)s))
    ORDER BY q.created_at DESC, v.version DESC LIMIT %(most)s
""")


def machines(connection: Connection, *, keys: Collection[str]) -> list[Machine]:
    rows = connection.execute(MACHINES, {"keys": list(keys)}).fetchall()
    return [Machine(row["manufacturer"], row["model"], row["family"], row) for row in rows]


def sold(connection: Connection, *, names: Collection[str], keys: Collection[str]) -> list[DictRow]:
    """Products for sale by id or by the key of their model."""
    return connection.execute(SOLD, {"names": list(names), "keys": list(keys)}).fetchall()


def past_lines(connection: Connection, *, numbers: Collection[str]) -> tuple[dict[str, PastQuote], list[SourceText]]:
    rows = connection.execute(LINES, {"numbers": list(numbers), "most": MOST_LINES}).fetchall()
    found = {
        row["quote_number"]: PastQuote(
            number=row["quote_number"], customer=row["customer"], people=_filled([row["contact"]]),
            quote_date=row["quote_date"], terms=row["terms"] or "", total=row["total_price"],
            summary=row["summary"] or "",
        )
        for row in rows
    }  # fmt: skip
    prices: dict[str, list[Decimal]] = {}
    for row in rows:
        prices.setdefault(row["quote_number"], []).extend(
            row[name] for name in ("unit_price", "extended_price") if row[name] is not None
        )
    found = {number: replace(quote, prices=tuple(prices[number])) for number, quote in found.items()}
    lines = [
        SourceText(
            f"{row['quote_number']} line {row['position']}", "past quote", row["description"], row["model"] or "",
            row["quote_number"], row["position"], row["manufacturer"] or "",
        )
        for row in rows
    ]  # fmt: skip
    return found, lines


def account(connection: Connection, *, name: str) -> tuple[str, tuple[str, ...], str]:
    """Name, people and address of the account of that id or name; the name alone for a customer who has none."""
    rows = connection.execute(ACCOUNT, {"account": name, "stem": without_form(name), "most": MOST_ALIKE}).fetchall()
    row = next((each for each in rows if name == each["id"] or company_key(name) == company_key(each["name"])), None)
    if row is None:
        return name, (), ""
    return row["name"], _filled([row["contact_name"], row["contact_email"]]), "\n".join(wording.address(row["row"]))


def of_the_account(
    connection: Connection, *, name: str, currency: str | None
) -> tuple[frozenset[str], Sequence[OwnLine]]:
    """The numbers of our quotes to an account, and what their versions price in that currency."""
    rows = connection.execute(OF_THE_ACCOUNT, {"account": name, "most": MOST_LINES}).fetchall()
    lines = [
        OwnLine(
            name=row["id"], sku="", maker="", model=row["model"], text="", quantity=row["quantity"],
            unit_price=row["unit_price"], total=row["line_total"],
        )
        for row in rows if row["model"] and row["line_total"] is not None and row["currency"] == currency
    ]  # fmt: skip
    return frozenset(row["id"] for row in rows), lines


def past_of(connection: Connection, *, customer: str) -> Sequence[DictRow]:
    """Number, customer and year of the past quotes to the company of that name, the newest first."""
    rows = connection.execute(PAST_OF, {"stem": without_form(customer), "most": MOST_LINES}).fetchall()
    return [row for row in rows if company_key(row["customer"]) == company_key(customer)]


def granted(connection: Connection, *, customers: Collection[str], currency: str | None) -> dict[str, str]:
    """The newest terms of a customer, and the commonest of a currency that is not the house's, by their quote."""
    abroad = currency if currency != house.defaults(connection).currency else None
    rows = connection.execute(accounts.TERMS, {"customers": list(customers), "currency": abroad}).fetchall()
    return {row["newest"]: row["terms"] for row in rows}


def may_be_named(connection: Connection) -> dict[str, str]:
    """The references of the house as find_for_request tells them, with the company of each."""
    rows = connection.execute(references.REFERENCES, references.parameters()).fetchall()
    return {references.told(row): row["customer"] for row in rows}


def _filled(names: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(name for name in names if name)


def own_quote(connection: Connection, *, quote_id: str) -> OwnQuote | None:
    """The newest version of a quote of ours with the texts and prices that its document shows."""
    version = quotes.version(connection, quote_id=quote_id)
    if version is None:
        return None
    lines = quotes.lines(connection, quote_id=quote_id, version=version.version)
    named = connection.execute(SOLD, {"names": [line.product_id for line in lines], "keys": []}).fetchall()
    models: dict[str, dict[str, Any]] = {row["id"]: row for row in named}
    priced = version.priced_at is not None
    return OwnQuote(
        id=version.quote_id,
        customer=version.account["name"],
        currency=version.currency,
        payment=payment.worded(version.payment_terms),
        valid_until=version.valid_until,
        lines=[
            OwnLine(
                name=line.product_name, sku=line.sku, maker="",
                model=models.get(line.product_id, {}).get("model") or "",
                text=line.description, note=line.notes or "", quantity=line.quantity, list_price=line.base_unit_price,
                unit_price=line.unit_price if priced else None, total=line.line_total if priced else None,
            )
            for line in lines
        ],
        total=version.subtotal - version.discount_total if priced else None,
        tax=version.tax_total if priced else None,
    )  # fmt: skip
