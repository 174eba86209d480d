"""Facts about sales that tables of goods show: list price, what was sold or quoted last, lead time, quotes won."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple, Self

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.attributes.model import Attribute, Attributes, value_of
from quarry.data import database
from quarry.precedents.list_prices import ListPrice, Market, buys, price_for, priced, times
from quarry.retrieval.here import attributes_of
from quarry.text import part_key

type Name = tuple[str, str]
"""(manufacturer, model) of a product."""

LEAD_TIME, KEPT = "lead time", "lead time kept"
"""Attributes of these names or synonyms hold the lead time that was promised, and the one that was kept."""

CELLS = ("list_price", "sold_or_quoted", "lead_time", "won")

# Lines of won quotes come first, then those in the currency asked for, else the house's, then the newest.
SALES = SQL("""
    SELECT DISTINCT ON (s.model_key, s.maker) s.model_key, s.maker, s.told AS newest,
        count(*) FILTER (WHERE s.status = 'won') OVER same AS won, count(*) OVER same AS offered,
        first_value(s.told) OVER (same ORDER BY s.own DESC, s.quote_date DESC, s.status = 'won' DESC,
            s.quote_number DESC, s.position) AS last,
        first_value(s.told) OVER (same ORDER BY s.status = 'won' DESC, s.quote_date DESC, s.own DESC,
            s.quote_number DESC, s.position) AS anywhere
    FROM (
        SELECT d.model_key, search.name_key(d.manufacturer) AS maker, q.quote_number, d.position, q.quote_date,
            q.status, d.currency = coalesce(%(currency)s::text, h.currency) IS TRUE AS own,
            jsonb_build_object('price', d.unit_price, 'currency', d.currency, 'unit', d.unit,
                'day', q.quote_date, 'status', q.status, 'line', q.quote_number || '/' || d.position) AS told
        FROM quotes.line_items d JOIN quotes.past_quotes q ON q.tenant = d.tenant AND q.id = d.quote_id
        LEFT JOIN quarry.house h ON h.tenant = d.tenant
        WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(keys)s::text[]) AND d.unit_price > 0
            AND NOT d.optional) s
    WINDOW same AS (PARTITION BY s.model_key, s.maker)
    ORDER BY s.model_key, s.maker, s.status = 'won' DESC, s.own DESC, s.quote_date DESC, s.quote_number DESC,
        s.position
""")

# A product's own lead time comes before the newest that a line states.
LEAD_TIMES = SQL("""
    SELECT DISTINCT ON (t.model_key, t.maker, t.name) t.*
    FROM (
        SELECT p.model_key, search.name_key(p.manufacturer) AS maker, n.name, p.attributes -> n.name AS told,
            NULL::date AS quote_date, NULL::integer AS position
        FROM equipment.products p, unnest(%(lead_times)s::text[]) AS n (name)
        WHERE p.tenant = %(tenant)s AND p.model_key = ANY (%(keys)s::text[]) AND p.attributes ? n.name
        UNION ALL
        SELECT d.model_key, search.name_key(d.manufacturer), n.name, d.attributes -> n.name, q.quote_date, d.position
        FROM quotes.line_items d JOIN quotes.past_quotes q ON q.tenant = d.tenant AND q.id = d.quote_id,
            unnest(%(lead_times)s::text[]) AS n (name)
        WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(keys)s::text[]) AND d.attributes ? n.name) t
    ORDER BY t.model_key, t.maker, t.name, t.quote_date DESC NULLS FIRST, t.position
""")

# Each name that is asked for has at least one row, with the key of its maker. OFFSET 0 keeps an index scan for each
# name: before a table's first statistics a join of whole tables looks cheaper to the planner.
LISTS = SQL("""
    SELECT n.place, search.name_key(n.name) AS maker, p.id AS product_id, b.id AS book_id, b.name AS book,
        b.currency, b.priority, b.segment, b.country, b.active, b.valid_from AS opens, b.valid_to AS closes,
        e.version, e.price, e.unit, e.valid_from::date AS since,
        e.superseded_at::date AS until, p.active AS sold
    FROM unnest(%(keys)s::text[], %(names)s::text[]) WITH ORDINALITY AS n (model_key, name, place)
    LEFT JOIN LATERAL (
        SELECT f.id, f.active FROM cpq.products f
        WHERE f.tenant = %(tenant)s AND f.model_key = n.model_key
            AND search.name_key(f.manufacturer) IS NOT DISTINCT FROM search.name_key(n.name) OFFSET 0) p ON true
    LEFT JOIN LATERAL (
        SELECT f.* FROM cpq.price_book_entries f
        WHERE f.tenant = %(tenant)s AND f.product_id = p.id OFFSET 0) e ON true
    LEFT JOIN cpq.price_books b ON b.tenant = %(tenant)s AND b.id = e.price_book_id
    LEFT JOIN quarry.house h ON h.tenant = %(tenant)s
    ORDER BY n.place, b.currency IS DISTINCT FROM h.currency, b.currency
""")


class DatedPrice(NamedTuple):
    """The unit price of a line of a past quote; ``comparable`` is what today's list price is held against, the price
    for as many pieces as it buys: None where it buys something else, or holds for other customers.
    """

    price: Decimal
    currency: str
    unit: str | None
    status: str
    day: str
    line: str
    comparable: Decimal | None

    @classmethod
    def of(cls, told: Mapping[str, Any], listed: ListPrice | None, attributes: Attributes) -> Self:
        count = None if listed is None or listed.whose else buys(listed.unit, told["unit"], units=attributes.units)
        price = Decimal(str(told["price"]))
        comparable = None if count is None else times(price, count, told["currency"])
        return cls(**{**told, "price": price, "comparable": comparable})


class SaleFacts(NamedTuple):
    """What is on record of one product's prices and sales.

    ``last_price`` is the newest list price of what is no longer sold, which has no product id to quote it by.
    ``elsewhere`` is a list price of another currency, the house's first, where the one asked for has none.
    ``newest`` is a won line if there is one, in the currency asked for if one of those is; ``last`` is the newest
    line, whatever came of it, in that currency if there is one. ``anywhere`` is such a line of another currency, if
    that is newer. ``lead_time`` was promised, ``kept`` is how long it took.
    """

    product_id: str | None = None
    listed: ListPrice | None = None
    elsewhere: ListPrice | None = None
    last_price: str | None = None
    newest: DatedPrice | None = None
    last: DatedPrice | None = None
    anywhere: DatedPrice | None = None
    lead_time: str | None = None
    lead_time_on: date | None = None
    kept: str | None = None
    kept_on: date | None = None
    won: int = 0
    offered: int = 0

    def of_the_product(self) -> Self:
        """Leaves out what past quotes tell: prices, how they stand to the list, and times, which then have a day."""
        lead_time, kept = None if self.lead_time_on else self.lead_time, None if self.kept_on else self.kept
        return self._replace(newest=None, last=None, lead_time=lead_time, kept=kept)

    @property
    def _own(self) -> DatedPrice | None:
        """The newest line in the currency asked for, where no sale is."""
        own = self.last if self.newest and self.last and self.last.currency != self.newest.currency else None
        return None if own == self.anywhere else own

    def cell(self, name: str) -> str:
        """Formats a fact as a cell of a table; empty for what is not on record."""
        match name:
            case "list_price" if self.last_price:
                return f"last {self.last_price}"
            case "list_price" if self.elsewhere:
                return f"{self.elsewhere} only"
            case "list_price" if self.listed:
                if self._is_below(self._sale):
                    return f"{self.listed} (below sale)"
                return f"{self.listed} (below last quoted)" if self._is_below(self.last) else str(self.listed)
            case "sold_or_quoted":
                return "; ".join(
                    f"{priced(line.price, line.currency, line.unit)} {line.day[:7]} {line.status} {line.line}"
                    for line in (self.newest, self._own, self.anywhere)
                    if line
                )
            case "lead_time" if self.lead_time or self.kept:
                kept = (self.kept or "").removesuffix(f" {(self.lead_time or '').rpartition(' ')[2]}")
                told = (
                    _in_month(self.lead_time, self.lead_time_on),
                    _in_month(kept and f"{kept} kept", self.kept_on),
                )
                return ", ".join(filter(None, told))
            case "won" if self.offered:
                return f"{self.won} of {self.offered}"
        return ""

    @property
    def above_list(self) -> list[str]:
        """The newest sale and the newest line whatever came of it, where today's list price is below them: a person
        has to see that before it is offered.
        """
        told = [
            f"{priced(line.price, line.currency, line.unit)} {line.status} {line.day} {line.line}"
            for line in (self._sale, self.last)
            if line and self._is_below(line)
        ]
        return list(dict.fromkeys(told))

    @property
    def _sale(self) -> DatedPrice | None:
        return self.newest if self.newest and self.newest.status == "won" else None

    def _is_below(self, line: DatedPrice | None) -> bool:
        if line is None or line.comparable is None or self.listed is None or self.listed.price is None:
            return False
        return line.currency == self.listed.currency and self.listed.price < line.comparable


NOTHING = SaleFacts()


def facts(
    tenant: str, names: Collection[Name], *, currency: str | None = None, market: Market | None = None
) -> dict[Name, SaleFacts]:
    """Returns what is on record of each product, by name; with ``market``, the account's own book goes first."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    attributes = attributes_of(tenant)
    roles = {name: one for name in (LEAD_TIME, KEPT) if (one := attributes.named(name))}
    asked = {
        "lead_times": [one.name for one in roles.values()],
        "keys": [part_key(model) for _, model in wanted],
        "names": [maker for maker, _ in wanted],
        "currency": currency,
    }
    statements = [SALES, LISTS, *([LEAD_TIMES] if roles else [])]
    sales, lists, *times = database.fetch_each(tenant, [(each, asked) for each in statements], keep_plans=True)
    by_sale = {(row["model_key"], row["maker"]): row for row in sales}
    by_time: dict[tuple[str, str | None], dict[str, DictRow]] = {}
    for row in times[0] if times else ():
        by_time.setdefault((row["model_key"], row["maker"]), {})[row["name"]] = row
    found = {}
    for place, entries in groupby(lists, lambda row: row["place"]):
        name, listed = wanted[place - 1], list(entries)
        key = part_key(name[1]), listed[0]["maker"]
        found[name] = _facts(
            by_sale.get(key), listed, currency=currency, market=market, attributes=attributes,
            times=_of_times(roles, by_time.get(key, {})),
        )  # fmt: skip
    return found


def _facts(
    sale: DictRow | None,
    entries: Sequence[DictRow],
    *,
    times: Mapping[str, Any],
    currency: str | None,
    market: Market | None,
    attributes: Attributes,
) -> SaleFacts:
    sold = [entry for entry in entries if entry["sold"]]
    held = [entry for entry in sold if entry["version"] is not None]
    listed, today = list(dict.fromkeys(entry["currency"] for entry in held)), date.today()
    prices = (_list_price(held, code, today, market=market) for code in ([currency] if currency else listed))
    price = next(filter(None, prices), None)
    others = (_list_price(held, code, today, market=market) for code in listed if price is None)
    newest, last, anywhere = (
        DatedPrice.of(sale[name], price, attributes) if sale else None for name in ("newest", "last", "anywhere")
    )
    return SaleFacts(
        product_id=sold[0]["product_id"] if sold else None,
        elsewhere=next(filter(None, others), None),
        last_price=None if sold else _last_price(entries, currency),
        listed=price,
        newest=newest,
        last=last,
        anywhere=anywhere if newest and anywhere and anywhere.day > newest.day else None,
        won=sale["won"] if sale else 0,
        offered=sale["offered"] if sale else 0,
        **times,
    )


def _list_price(entries: Sequence[DictRow], currency: str, day: date, *, market: Market | None) -> ListPrice | None:
    """Returns the price of the account's own book before that of others, a one-time charge before one of a term."""
    for own in (True, False) if market else (False,):
        for of_a_term in (False, True):
            if price := price_for(entries, currency, day, market if own else None, of_a_term=of_a_term):
                return price
    return None


def _of_times(roles: Mapping[str, Attribute], rows: Mapping[str, DictRow]) -> dict[str, Any]:
    """Reads promised and kept lead times, where such attributes are declared and rows have them."""
    found: dict[str, Any] = {}
    for attribute in roles.values():
        row = rows.get(attribute.name)
        value = value_of(row["told"]) if row else None
        if row is None or value is None:
            continue
        name = "lead_time" if attribute is roles.get(LEAD_TIME) else "kept"
        found |= {name: value.shown(attribute.unit), f"{name}_on": row["quote_date"]}
    return found


def _in_month(told: str | None, on: date | None) -> str | None:
    return f"{told} ({on:%Y-%m})" if told and on else told


def _last_price(entries: Sequence[DictRow], currency: str | None) -> str | None:
    """Formats the newest price that a list had; None without any."""
    listed = [entry for entry in entries if entry["price"] is not None and currency in (None, entry["currency"])]
    newest = max(
        listed, key=lambda entry: (entry["since"], entry["opens"] or date.min, entry["version"]), default=None
    )
    return priced(newest["price"], newest["currency"], newest["unit"]) if newest else None
