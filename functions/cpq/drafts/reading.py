"""Gathers the evidence of a draft: the rows that it names, the quote, the account, the request, the house."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from operator import attrgetter

from psycopg.rows import DictRow
from psycopg.sql import SQL

from cpq import payment
from cpq.documents import queries as documents
from cpq.documents.composition import StoredQuote, charges, payment_days
from cpq.documents.wording import measure
from cpq.drafts import queries
from cpq.drafts.checking import NUMBERED, shape_of
from cpq.drafts.figures import ANY, Figure, NumberReading, Reader, currency_unit, is_time
from cpq.drafts.letter import compact, windows
from cpq.drafts.support import Evidence, FactSource, days
from cpq.drafts.wording import worked_out
from cpq.model import QuoteVersion, VersionLine
from cpq.pricing import queries as prices
from cpq.pricing.arithmetic import as_precise
from cpq.pricing.books import periods
from quarry.attributes.model import Attributes, Value, values_of
from quarry.attributes.points import conditions
from quarry.attributes.units import Unit, convert
from quarry.data.database import Connection
from quarry.money import plainly, with_code
from quarry.needs.model import Choice, Need
from quarry.needs.set_up import AskedConditions, asked_at, at_conditions
from quarry.text import goods_named, part_key

NOT_SAID = frozenset(
    ("attributes", "category_key", "currency", "discount_pct", "extended_price", "id", "list_price",
     "manufacturer_key", "model", "model_key", "product_id", "quote_id", "source", "successor", "tenant",
     "unit_price", "updated_at", "withdrawn")
)  # fmt: skip
"""Columns whose figures are no properties of the thing; amounts are read separately."""
LEAST_BARE = 1_000
"""From what on a figure without unit or currency may be an amount where a customer wrote it."""
NET = attrgetter("subtotal", "discount_total", "tax_total", "total")
OF_LINE = attrgetter("base_unit_price", "unit_price", "subtotal", "line_total", "discount_amount", "tax_amount")
OF_ALL = attrgetter("subtotal", "line_total", "discount_amount")
RATES = attrgetter("effective_discount_pct", "tax_rate_pct", "discount_pct")
MOST_KEYS, MOST_OF_A_TEXT = 30_000, 2_000
MOST_STATED, MOST_SETS = 4, 200
"""How many figures of a condition are taken from a draft, and how many sets of conditions are tried."""


def of_row(reader: Reader, row: Mapping[str, object], units: Mapping[str, Unit | None]) -> list[Figure]:
    """Returns the figures of a row, whether its values are columns or stand in ``attributes``, each in the unit that
    is declared for it or that its name ends in: weight_lb.
    """
    more = row.get("attributes")
    said = values_of({**row, **(more if isinstance(more, Mapping) else {})})
    return [
        figure
        for name, value in said.items() if name not in NOT_SAID
        for figure in _of_value(reader, value, units.get(name) or reader.units.named(name.rpartition("_")[2]))
    ]  # fmt: skip


def _of_value(reader: Reader, value: Value, unit: Unit | None) -> list[Figure]:
    found = [_figure(end, unit) for end in dict.fromkeys((value.low, value.high)) if end is not None]
    if is_time(unit) and len(found) > 1:
        found[0] = replace(found[0], upto=value.high)
    for text in (*value.texts, value.raw or ""):  # each part of 230/460/3/60 is a figure of its own
        found += reader.figures(text) + (reader.figures(text.replace("/", " / ")) if "/" in text else [])
    return found


def _figure(value: float, unit: Unit | None) -> Figure:
    text = f"{value:.10g}"
    shown = f"{text} {unit.symbol}" if unit else text
    return Figure(shown, (NumberReading(value, 10.0 ** -len(text.partition(".")[2])),), unit)


def amounts(values: Iterable[Decimal | str | None], currency: str) -> list[Figure]:
    return [Figure(with_code(Decimal(value), currency), (NumberReading(float(value), 0.01),), currency_unit(currency))
            for value in values if value is not None]  # fmt: skip


def _of_line(line: VersionLine, quote: QuoteVersion) -> list[Decimal]:
    """Returns the line's stored amounts, and what those for all pieces come to for one, and for one each period."""
    pieces = {Fraction(line.quantity), Fraction(line.quantity) * periods(line.unit, term_months=quote.term_months)}
    each = [as_precise(Fraction(amount) / count, line.unit_price, currency=quote.currency)
            for amount in OF_ALL(line) for count in pieces]  # fmt: skip
    return [*OF_LINE(line), *each]


class Gathering:
    """Reads the evidence of one draft, source by source. ``words`` are the draft's, with its notes for the house;
    ``needs`` are what the customer asked, where that is known.
    """

    def __init__(
        self, connection: Connection, words: str, *, today: date, attributes: Attributes, needs: Sequence[Need] = ()
    ) -> None:
        self._connection, self._words, self._attributes, self._needs = connection, words, attributes, needs
        codes = frozenset(prices.currencies(connection))
        self.evidence = Evidence(reader=Reader(attributes.units, codes, words), today=today)
        self.known, self._called = set[str](), set[str]()
        self._units = {name: attributes.unit_of(one) for name, one in attributes.by_name.items()}
        found = {match[0].rstrip("./-") for match in NUMBERED.finditer(words) if re.search(r"\d", match[0])}
        self._numbers = sorted(found | {each.upper() for each in found})[:MOST_KEYS]

    def rows(
        self,
        *,
        request: str,
        account: str,
        things: Sequence[str],
        numbers: Sequence[str],
        quotes: Iterable[StoredQuote],
    ) -> None:
        """Reads what the draft or the call names: the customer's ``request`` and ``account``, models and products,
        past quotes by their ``numbers``, quotes of ours; and what the house says.
        """
        facts = documents.house(self._connection).get("facts") or {}
        self.text("the house", "\n".join(facts.values()), own=True)
        self.text("the request", request, own=True, asked=True)
        customer = self._account(account)
        self._things(things)
        self._past(customer, numbers=numbers)
        for quote in quotes:
            self._quote(quote)
        self.evidence.sources.sort(key=lambda each: not each.quoted)  # they come before any list
        self._names()

    def text(
        self, name: str, text: str, *, of: str = "", own: bool = False, money: bool = True, asked: bool = False
    ) -> None:
        """Adds a text; an ``own`` one is the house's or the customer's, whose names and links the letter may have."""
        figures = self.evidence.reader.figures(text)[:MOST_OF_A_TEXT]
        # A customer's bare thousands may be money: "the board set 65,000".
        figures += [
            replace(each, unit=currency_unit(ANY), weak=False)
            for each in figures
            if asked and each.readings[0].value >= LEAST_BARE and not each.currency and (each.weak or not each.unit)
        ]
        self._add(name, figures, of, money=money, asked=asked)
        self.evidence.dates |= {day for _, meant in days(text) for day in meant}
        self.evidence.own_words += f"\n{text}" if own else ""

    def table(self, rows: Iterable[tuple[str, Sequence[Decimal | None]]], currency: str) -> None:
        """Adds the amounts of the letter's own table."""
        self.evidence.currency = currency
        for name, values in rows:
            self._add(f"the table, {name}", amounts(values, currency))
            self.evidence.table += amounts(values, currency)

    def _rows(self, query: SQL, **named: str | Sequence[str] | None) -> list[DictRow]:
        return self._connection.execute(query, named).fetchall()

    def _add(self, name: str, figures: list[Figure], of: str = "", **more: bool) -> None:
        self.evidence.sources.append(FactSource(name, figures, of, **more))

    def _alias(self, of: str, *names: str | None, maker: str | None = None) -> None:
        """Adds names by which a letter may call a thing; a single word without a digit is too common, unless the call
        names the thing so.
        """
        for name in names:
            key = part_key(name or "")
            self.known.add(key)
            is_one = " " in (name or "") or re.search(r"\d", key) or key in self._called
            if is_one and len(key) > 1 and not key.isdecimal():
                self.evidence.aliases.setdefault(key, of)
        if maker:
            self.evidence.makers_of.setdefault(of, set()).add(part_key(maker))

    def _things(self, names: Sequence[str]) -> None:
        """Reads the models and products that the draft or the call names, and models that look like them."""
        digits = [key for key in windows(self._words) if re.search(r"\d", key) and len(key) <= 40][:MOST_KEYS]
        self._called = {*map(part_key, names)}
        keys, reader = [*digits, *self._called], self.evidence.reader
        for row in self._rows(queries.SOLD, keys=keys, names=names):
            of, name = row["thing"], row["name"]
            self._alias(of, row["model"], row["sku"], row["id"], name, maker=row["manufacturer"])
            self.text(name, f"{name}\n{row['description']}", of=of)
            tiers = [tier.get("price") for each in row["tiers"] if each for tier in each]
            self._add(f"{name}, list price", amounts([*row["prices"], *tiers], row["currency"] or "?"), of)
            keys.append(of)
        for row in self._rows(queries.MACHINES, keys=keys):
            self._alias(row["thing"], row["model"], maker=row["manufacturer"])
            name = goods_named(row["manufacturer"], row["model"])
            self._add(name, of_row(reader, row["row"], self._units), row["thing"])
            for what, figure, how in self._at_conditions(values_of(row["row"]["attributes"])):
                told = [_figure(each, self._units.get(what)) for each in (figure, worked_out(figure))]
                self._add(f"{name}{how}", told, row["thing"])
        for row in self._rows(queries.SERVICES):
            self._add(f"{row['name']}, list price", amounts(row["prices"], row["currency"]), row["id"], listed=True)
        shapes = sorted({shape_of(key) for key in digits if not key.isdecimal()})
        self.evidence.alike = {row["shape"]: row["models"] for row in self._rows(queries.ALIKE, shapes=shapes)}
        makers = [row["manufacturer"] for row in self._rows(queries.MAKERS)]
        self.evidence.makers = {part_key(maker): maker for maker in makers}

    @cached_property
    def _conditions(self) -> list[AskedConditions]:
        """Each set of conditions that was asked for or, without any, that draft, request and house may state."""
        known = conditions(self._attributes)
        asked = [need for need in self._needs if need.name in known]
        figures = [] if asked else self.evidence.reader.figures(f"{self._words}\n{self.evidence.own_words}")
        for name in known:
            attribute, unit = self._attributes.by_name[name], self._units[name]
            values = {convert(one.readings[0].value, one.unit, unit) for one in figures if one.unit and unit}
            for value in sorted(one for one in values if one is not None)[:MOST_STATED]:
                asked.append(Need(attribute, (Choice("is", value, value, converted=True),), f"{value:g}"))
        own = [[None, *(need for need in asked if need.name == name)] for name in known]
        sets = (tuple(filter(None, some)) for some in islice(product(*own), MOST_SETS))
        return [found for some in sets if (found := asked_at(some, self._attributes))]

    def _at_conditions(self, values: Mapping[str, Value]) -> Iterator[tuple[str, float, str]]:
        """Yields (attribute, value, how) of what a machine has at the conditions and no row says."""
        for asked in self._conditions:
            names = sorted(asked.judged - asked.conditions.keys())
            found = at_conditions(names, values.get, asked=asked, attributes=self._attributes)
            yield from ((name, value.high, value.how) for name, value in found if value.high is not None)

    def _past(self, customer: str, *, numbers: Sequence[str]) -> None:
        """Reads past quotes that the draft or the call names, and what the customer paid in others; what others paid
        is not for it.
        """
        for row in self._rows(queries.PAST, customer=customer, numbers=[*numbers, *self._numbers]):
            number, theirs = row["quote_number"], row["theirs"]
            known = self.evidence.own if theirs else self.evidence.foreign
            if number.upper() not in known:
                known.add(number.upper())
                self.text(number, f"{row['text']}\n{theirs and row['contact']}", own=theirs, money=theirs)
                self._add(number, amounts([row["total_price"]], row["currency"]), money=theirs)
                self.evidence.dates.add(row["quote_date"])
            if row["position"] is None:
                continue
            line = f"{number} line {row['position']}"
            told = amounts([row["unit_price"], row["extended_price"]], row["row"]["currency"])
            if not row["named"]:
                self._add(line, told, row["thing"] or line, listed=True)
            else:
                self._alias(row["thing"], row["model"], maker=row["manufacturer"])
                figures = [*of_row(self.evidence.reader, row["row"], self._units), *told]
                self._add(line, figures, row["thing"], money=theirs)

    def _account(self, name: str) -> str:
        """Reads the customer's row, and the numbers and prices of our quotes to them; returns the customer's name."""
        row = next((each["row"] for each in self._rows(queries.ACCOUNT, name=name)), None)
        for ours in self._rows(queries.OURS, account=str(row["id"]) if row else None, numbers=self._numbers):
            (self.evidence.own if ours["theirs"] else self.evidence.foreign).add(ours["id"])
            self._add(ours["id"], amounts([ours["unit_price"], ours["line_total"]], ours["currency"]), ours["thing"])
        self.text("the account", json.dumps(row, ensure_ascii=False) if row else name, own=True)
        customer = row["name"] if row else name
        self.evidence.aliases.setdefault(part_key(customer), "")
        return customer

    def _quote(self, stored: StoredQuote) -> None:
        quote, lines = stored.version, stored.lines
        name, currency, priced = quote.quote_id, quote.currency, quote.priced_at is not None
        self.evidence.own.add(name)
        self.evidence.currency = currency
        self.evidence.dates |= {day for day in (quote.valid_until, quote.start_date, quote.end_date) if day}
        self.evidence.counts |= {len(lines), quote.term_months or 0, *(int(line.quantity) for line in lines)}
        self.text(
            name, f"{payment.worded(quote.payment_terms)}\n{quote.notes or ''}\n{quote.term_months or 0} months"
        )
        if priced:
            paid = charges(stored)
            self._add(name, amounts([each for one in paid for each in (one.each, one.total)], currency), quoted=True)
            self.evidence.counts |= {one.count for one in paid}
            self.evidence.dates |= set(payment_days(quote, paid))
            self._add(name, amounts([*NET(quote), quote.net], currency), quoted=True)
            self.evidence.table += amounts([*NET(quote), *(line.line_total for line in lines)], currency)
        for line in lines:
            of = self.evidence.aliases.get(part_key(line.sku), line.product_id)
            named = f"{name} line {line.sort_order}"
            self._alias(of, line.sku, line.product_name)
            self._add(named, amounts(_of_line(line, quote) if priced else [], currency), of, quoted=True)
            taxed, off = (float(rate or 0) / 100 for rate in (line.tax_rate_pct, line.effective_discount_pct))
            self.evidence.shares |= {1 + taxed, 1 - off}
            self.text(name, ", ".join(f"{plainly(rate)} %" for rate in RATES(line) if rate is not None))
            measured = f"{line.quantity} {measure(line.unit)}" if measure(line.unit) else ""
            self.text(named, f"{line.description}\n{line.notes or ''}\n{measured}", of=of)

    def _names(self) -> None:
        """Reads the names of customers, and what numbers of quotes look like."""
        rows = [row for row in self._rows(queries.NAMES) if row["name"]]
        self.evidence.own_words += "\n" + "\n".join(row["name"] for row in rows if row["told"])
        # A letter may name a company without its legal form, if the rest has two words to go by.
        called = {row["name"]: row["short"] if " " in row["short"] else row["name"] for row in rows}
        self.evidence.others = {compact(short): name for name, short in called.items()}
        self.evidence.numbered = {row["shape"] for row in self._rows(queries.NUMBERED)}
