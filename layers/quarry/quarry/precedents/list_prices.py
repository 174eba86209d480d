"""List prices, past and present: which price of which book is valid on a day; and what an account has off them."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.attributes.units import Unit, Units, shipped
from quarry.data import database
from quarry.money import ON_REQUEST, in_currency, plainly, with_code
from quarry.text import key_of, part_key

LISTS = SQL("""
    SELECT p.model_key, p.id AS product_id, p.sku, p.name, b.id AS book_id, b.name AS book, b.currency, b.priority,
        b.segment, b.country, b.active, b.valid_from AS opens, b.valid_to AS closes,
        e.version, e.price, e.unit, e.valid_from::date AS since, e.superseded_at::date AS until,
        CASE WHEN e.allowance_from IS NOT NULL THEN ARRAY[e.allowance_from, e.allowance_to] END AS allowance
    FROM cpq.products p
    JOIN cpq.price_book_entries e ON e.tenant = p.tenant AND e.product_id = p.id
    JOIN cpq.price_books b ON b.tenant = p.tenant AND b.id = e.price_book_id
    WHERE p.tenant = %(tenant)s AND (p.model_key = ANY (%(keys)s::text[]) OR %(services)s::boolean
        AND p.active AND p.model IS NULL AND EXISTS (
            SELECT FROM search.families f WHERE f.tenant = p.tenant AND f.family = p.category))
""")

BEST_BOOK = """
    b.segment IS NULL AND b.country IS NULL DESC, b.priority DESC, b.segment IS NULL, b.country IS NULL,
    b.valid_from DESC NULLS LAST, b.id COLLATE "C"
"""
"""SQL of ``preference`` where no account is known: books for everybody come first."""

DISCOUNTS = SQL("""
    SELECT DISTINCT ON (s.discount_group) s.discount_group, s.discount_pct, s.account_id = a.id AS own
    FROM cpq.discounts s
    WHERE s.tenant = a.tenant AND (s.account_id, s.segment) IN ((a.id, ''), ('', a.segment))
        AND (clock_timestamp() AT TIME ZONE 'UTC')::date BETWEEN s.valid_from AND coalesce(s.valid_to, 'infinity')
    ORDER BY s.discount_group, s.account_id = a.id DESC, s.valid_from DESC
""")
"""What the account ``a`` has today off goods of each group: its own row before its segment's, the newest of each."""


class Market(NamedTuple):
    """The properties of an account that its price books depend on."""

    segment: str
    country: str | None


def preference(
    *, priority: int, segment: str | None, country: str | None, opens: date | None, book_id: str
) -> tuple[int, bool, bool, int, str]:
    """Returns what the books that fit are sorted by, best first: priority, closer fit, newer book and id, so that the
    order is total.
    """
    return -priority, segment is None, country is None, -(opens or date.min).toordinal(), book_id


class ListPrice(NamedTuple):
    """The price in a book, None where it is on request; ``unit`` is what it buys, as per_user_per_month;
    ``allowance`` is (lowest, highest) of what it may come to. ``whose`` names the segment and country of a book that
    does not hold for everybody, and is empty where it holds for the account that is asked about. A price that is
    ``later`` was loaded after the day, into a book that does not say from when it holds.
    """

    price: Decimal | None
    currency: str
    book: str
    unit: str
    allowance: Sequence[Decimal] | None = None
    whose: str = ""
    later: bool = False

    def __str__(self) -> str:
        told = f" ({self.whose})" if self.whose else ""
        if self.price is None:
            return ON_REQUEST + told
        told += " (allowance {}-{})".format(*map(plainly, self.allowance)) if self.allowance else ""
        return priced(self.price, self.currency, self.unit) + told


PIECES = "pcs"
"""The symbol of a single piece among the shipped units."""

COUNTED = {"unit": 1, "each": 1, "dozen": 12, "hundred": 100, "thousand": 1000}
"""How many pieces a price buys, by the word of its unit."""


def pieces_of(units: Units) -> frozenset[str]:
    """Returns all spellings of a single piece in lower case, a tenant's own units of one piece among them."""
    piece = shipped().by_spelling[PIECES]
    own = (said for said, unit in units.by_spelling.items() if unit[1:] == piece[1:])
    return frozenset(("per_unit", *map(str.lower, own)))


def in_words(unit: str | None) -> str:
    """What a price buys, behind an amount: " per user per month" of a list, "/m" of a line; nothing for one piece,
    once.
    """
    known = shipped().named(unit) if unit else None
    if not unit or unit == "per_unit" or (known is not None and known.symbol == PIECES):
        return ""
    return behind(unit)


def priced(amount: Decimal, currency: str, unit: str | None) -> str:
    """Formats an amount with what it buys: 5.20 EUR/m."""
    return with_code(amount, currency) + in_words(unit)


def behind(unit: str) -> str:
    """Formats any unit as it stands behind an amount; empty for an empty one."""
    return f" {unit.replace('_', ' ')}" if unit.startswith("per_") else f"/{unit}" if unit else ""


def buys(price: str, unit: str | None, *, units: Units) -> Fraction | None:
    """Returns how many ``unit`` of a line a list price in the unit ``price`` buys, such as a hundred pieces. It is
    None where they do not compare, as two units of length do not. A line without a unit is taken to be in the list's,
    and a word that nobody declared as a unit is the same as itself alone.
    """
    if recurring(price) or unit is None:
        return None if recurring(price) else Fraction(1)
    listed, said = bought_unit(price, units), bought_unit(unit, units)
    if listed is None or said is None:
        return Fraction(1) if key_of(parted(price)[0].replace("_", " ")) == key_of(unit) else None
    share = Fraction(listed.factor) / Fraction(said.factor)
    alike = listed.dimension == said.dimension and (share == 1 or listed.dimension == "pieces")
    return share if alike else None


def bought_unit(unit: str, units: Units) -> Unit | None:
    """Returns what one price buys as a unit: that of per_metre, of "C" where it is declared, a hundred pieces of
    per_hundred and of "100 pcs"; None for a word that nobody declared.
    """
    word = parted(unit)[0].replace("_", " ")
    count = COUNTED.get(word.lower())
    found = re.fullmatch(r"([1-9]\d{0,4}) ?(\D.*)", f"{count} {PIECES}" if count else word)
    one = units.named(found[2]) if found else units.named(word)
    return one._replace(factor=one.factor * int(found[1])) if found and one else one


def pieces_in(unit: str | None, units: Units) -> Fraction | None:
    """Returns for how many pieces a price in this unit is; None where it buys something else, or by a term."""
    known = bought_unit(unit, units) if unit and not recurring(unit) else None
    return Fraction(known.factor) if known and known.dimension == "pieces" else None


# Only units that begin with a figure are asked for a pattern: of 200,000 rows that took half a second.
PER_PIECE = """({amount} / coalesce(
    (%(counts)s::jsonb -> {unit})::numeric, (%(counts)s::jsonb -> lower({unit}))::numeric,
    CASE WHEN ascii({unit}) BETWEEN 49 AND 57 THEN (
        SELECT substring({unit} FROM '^[0-9]{{1,5}}')::numeric
            * coalesce(%(counts)s::jsonb -> w, %(counts)s::jsonb -> lower(w))::numeric
        FROM regexp_replace({unit}, '^[0-9]{{1,5}} ?', '') w) END, 1))"""
"""SQL of the price of one piece, or of the amount where ``pieces_in`` knows no count."""


def counts(units: Units) -> dict[str, str]:
    """Returns the parameter of PER_PIECE: how many pieces each unit of such is, by spelling."""
    pieces = {said: unit.factor for said, unit in units.by_spelling.items() if unit.dimension == "pieces"} | COUNTED
    return {"counts": json.dumps(pieces | {f"per_{said}": count for said, count in pieces.items()})}


def times(amount: Decimal, count: Fraction, currency: str) -> Decimal:
    """Returns a price times what another buys, in the digits of its currency or up to six."""
    return in_currency(round(amount * count.numerator / count.denominator, 6), currency)


def parted(unit: str) -> tuple[str, str]:
    """Returns (what is counted, month or year where it is charged so): per_seat_per_month is (seat, month)."""
    found = re.fullmatch(r"per_(.+?)(?:_per_(month|year))?", unit)
    return (found[1], found[2] or "") if found else (unit, "")


def recurring(unit: str) -> bool:
    """Returns whether a price in this unit is charged by the month or year of a term, and not once."""
    return unit.endswith(("_per_month", "_per_year"))


def list_entries(tenant: str, models: Collection[str], *, services: bool = False) -> list[DictRow]:
    """Reads all list prices of the models, past and present; ``services`` adds what has a family and no model."""
    keys = [part_key(model) for model in models]
    if not keys and not services:
        return []
    return database.fetch(tenant, LISTS, {"keys": keys, "services": services})


def price_for(
    entries: Iterable[Mapping[str, Any]],
    currency: str,
    day: date,
    market: Market | None = None,
    *,
    of_a_term: bool = False,
    past: bool = False,
) -> ListPrice | None:
    """Returns the price of a single unit on a day in the book that quote_price takes for an account of the market, or
    without one preferably in the book for everybody; None where there was none. Prices by the month or year of a term
    count only if ``of_a_term``, of a ``past`` day also those of books that are no longer active. A book's first price
    counts from the book's own first day, because it may have been loaded later.
    """
    valid = (
        entry
        for entry in entries
        if entry["currency"] == currency
        and (of_a_term or not recurring(entry["unit"]))
        and (entry["opens"] or date.min) <= day <= (entry["closes"] or date.max)
        and (entry["version"] == 1 or entry["since"] <= day)
        and (entry["until"] is None or day < entry["until"])
        and (entry["active"] or past)
        and (market is None
             or (entry["segment"] in (None, market.segment) and entry["country"] in (None, market.country)))
    )  # fmt: skip

    def is_later(entry: Mapping[str, Any]) -> bool:
        return entry["opens"] is None and bool(day < entry["since"])

    def rank(entry: Mapping[str, Any]) -> tuple[Any, ...]:
        place = {name: entry[name] for name in ("priority", "segment", "country", "opens", "book_id")}
        is_for_some = market is None and bool(entry["segment"] or entry["country"])
        # A list that was loaded later without its days says least of a past day.
        return is_for_some, is_later(entry), not entry["active"], preference(**place), -entry["version"]

    best = min(valid, key=rank, default=None)
    if best is None:
        return None
    price = None if best["price"] is None else in_currency(best["price"], best["currency"])
    whose = "" if market else ", ".join(filter(None, (best["segment"], best["country"])))
    allowance, later = best.get("allowance"), is_later(best)
    return ListPrice(price, best["currency"], best["book"], best["unit"], allowance, whose, later)
