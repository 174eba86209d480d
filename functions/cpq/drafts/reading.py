"""Reads what a draft may rest on: the rows it names, the quote, the account, the request, the house."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path

from psycopg.rows import DictRow

from cpq import payment
from cpq.drafts import queries
from cpq.drafts.checking import DESIGNATION, NUMBERED
from cpq.drafts.figures import Reader, measured
from cpq.drafts.folding import compact, model_key, windows
from cpq.drafts.letter import Draft, read
from cpq.drafts.sources import Evidence, Source, amounts, days, of_row
from cpq.model import QuoteVersion, VersionLine
from cpq.quotes import queries as quotes
from quarry.attributes.units import shipped
from quarry.data.database import Connection

_FACTS = re.compile(r"^```yaml\n.*?^```|<!-- section.*(?=<!-- end of )", re.DOTALL | re.MULTILINE)
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")
MOST_KEYS = 30_000


@dataclass
class Sources:
    """Gathers the evidence of one draft; ``texts`` are those of house and customer."""

    connection: Connection
    draft: Draft
    texts: list[str]
    sources: list[Source] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    makers_of: dict[str, frozenset[str]] = field(default_factory=dict)
    dates: set[date] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)

    @cached_property
    def reader(self) -> Reader:
        codes = queries.rows(self.connection, queries.CURRENCIES)
        return Reader(shipped(), frozenset(row["currency"] for row in codes))

    @cached_property
    def words(self) -> str:
        return "\n".join([self.draft.text, *self.draft.notes])

    @cached_property
    def numbers(self) -> list[str]:
        """What may be a number of a quote."""
        tokens = {match[0].rstrip("./-") for match in NUMBERED.finditer(self.words) if re.search(r"\d", match[0])}
        return sorted(tokens | {token.upper() for token in tokens})[:MOST_KEYS]

    def text(self, name: str, text: str, *, of: str = "", money: bool = True) -> None:
        self.sources.append(Source(name, self.reader.figures(text), of, money))
        self.dates |= {day for _, meant in days(text) for day in meant}

    def alias(self, of: str, name: str | None, *, maker: str | None = None) -> None:
        """A name by which a letter may call a thing; one word without a figure is a word like any other."""
        key = model_key(name or "")
        if name and (re.search(r"\d", key) and re.search(r"[^\W\d]", key) or len(name.split()) > 1):
            self.aliases.setdefault(key, of)
            self.shown.setdefault(of, name)
        if maker:
            self.makers_of[of] = self.makers_of.get(of, frozenset()) | {model_key(maker)}

    def machines(self, names: Collection[str]) -> None:
        """The rows of the models and products that the draft or the call names."""
        keys = {key for key in windows(self.words) if re.search(r"\d", key) and len(key) <= 40} | set(map(model_key, names))
        named = {"keys": sorted(keys)[:MOST_KEYS], "names": list(names)}
        units = {row["name"]: self.reader.units.named(row["unit"]) for row in queries.rows(self.connection, queries.UNITS)}
        for row in queries.rows(self.connection, queries.SOLD, **named):
            self.sold(row)
            named["keys"].append(row["of"])
        for row in queries.rows(self.connection, queries.MACHINES, keys=named["keys"]):
            self.alias(row["of"], row["model"], maker=row["manufacturer"])
            name = f"{row['manufacturer']} {row['model']}"
            self.sources.append(Source(name, of_row(self.reader, row["row"], units), row["of"]))

    def sold(self, row: DictRow) -> None:
        for name in (row["model"], row["sku"], row["id"], row["name"]):
            self.alias(row["of"], name, maker=row["manufacturer"])
        self.text(row["name"], f"{row['name']}\n{row['description']}", of=row["of"])
        tiers = [tier["price"] for each in row["tiers"] or [] for tier in each if tier.get("price")]
        prices = amounts([*(row["prices"] or []), *tiers], row["currency"] or "?")
        self.sources.append(Source(f"{row['name']}, list price", prices, row["of"]))

    def past(self, customer: str, *, numbers: Collection[str]) -> None:
        """Past quotes that the draft or the call names, and all to the customer; prices of others are not for it."""
        named = sorted({*numbers, *self.numbers})
        seen = set[str]()
        for row in queries.rows(self.connection, queries.PAST, customer=customer, numbers=named):
            number = row["quote_number"]
            if number not in seen:
                seen.add(number)
                (self.own if row["theirs"] else self.foreign).add(number.upper())
                self.text(number, row["text"], money=row["theirs"])
                self.sources.append(Source(number, amounts([row["total_price"]], row["currency"]), money=row["theirs"]))
                self.dates.add(row["quote_date"])
                if row["theirs"]:
                    self.texts += filter(None, (row["customer"], row["contact"], row["text"]))
            if row["position"] is not None:
                self.past_line(row)

    def past_line(self, row: DictRow) -> None:
        of, name = row["of"] or "", f"{row['quote_number']} line {row['position']}"
        self.alias(of, row["model"], maker=row["manufacturer"])
        self.sources.append(Source(name, of_row(self.reader, row["row"], {}), of, money=row["theirs"]))
        prices = amounts([row["unit_price"], row["extended_price"]], row["row"]["currency"])
        self.sources.append(Source(name, prices, of, money=row["theirs"]))

    def account(self, name: str) -> str:
        """The customer's own row; the name alone of one who has none. Their quotes' numbers and prices."""
        rows = queries.rows(self.connection, queries.ACCOUNT, name=name) if name else []
        account = rows[0]["id"] if rows else None
        for row in queries.rows(self.connection, queries.OURS, account=account, numbers=self.numbers):
            (self.own if row["theirs"] else self.foreign).add(row["id"])
            told = amounts([row["unit_price"], row["line_total"]], row["currency"])
            self.sources.append(Source(row["id"], told, row["of"] or "", money=row["theirs"]))
        if rows:
            said = "\n".join(map(str, _texts(rows[0]["row"])))
            self.texts.append(said)
            self.text("the account", said)
        return rows[0]["name"] if rows else name

    def quote(self, quote: QuoteVersion, lines: list[VersionLine], *, worded: bool) -> None:
        """A quote of ours; with ``worded`` also its texts, which are no source where they are what is checked."""
        priced = quote.priced_at is not None
        self.own.add(quote.quote_id)
        self.dates |= {day for day in (quote.valid_until, quote.start_date, quote.end_date) if day}
        self.counts |= {len(lines), *(line.quantity for line in lines), *(line.sort_order for line in lines)}
        net = quote.subtotal - quote.discount_total if priced else None
        told = [quote.subtotal, quote.discount_total, quote.tax_total, quote.total, net] if priced else []
        self.sources.append(Source(quote.quote_id, [*amounts(told, quote.currency), *measured([quote.term_months or 0], None)]))
        self.text(quote.quote_id, payment.worded(quote.payment_terms) + "\n" + (quote.notes or "" if worded else ""))
        for line in lines:
            of = self.aliases.get(model_key(line.product_id)) or self.aliases.get(model_key(line.sku)) or line.product_id
            self.alias(of, line.sku)
            self.alias(of, line.product_name)
            name = f"{quote.quote_id} line {line.sort_order}"
            own = [line.base_unit_price, line.unit_price, line.subtotal, line.line_total, line.discount_amount, line.tax_amount]
            rates = [line.effective_discount_pct, line.tax_rate_pct, line.discount_pct]
            self.sources.append(Source(name, amounts(own if priced else [], quote.currency), of))
            self.text(name, " ".join(f"{rate.normalize():f} %" for rate in rates if rate is not None))
            if worded:
                self.text(name, f"{line.description}\n{line.notes or ''}", of=of)

    def evidence(self, customer: str, *, today: date) -> Evidence:
        names = queries.rows(self.connection, queries.NAMES)
        own = "\n".join([customer, *self.texts, *(row["name"] for row in names if row["told"])])
        prefixes = {model_key(match[1]) for match in DESIGNATION.finditer(self.draft.text) if match[1].isupper()}
        makers = {model_key(row["manufacturer"]): row["manufacturer"] for row in queries.rows(self.connection, queries.MAKERS)}
        self.aliases.setdefault(model_key(customer), "")
        found = queries.rows(self.connection, queries.PREFIXES, prefixes=sorted(prefixes)[:50])
        return Evidence(
            self.reader, self.sources, self.aliases, self.shown, frozenset(row["prefix"] for row in found), makers,
            self.makers_of, {compact(row["name"]): row["name"] for row in names if row["name"]}, own,
            frozenset(self.own), frozenset(self.foreign - self.own),
            frozenset(row["shape"] for row in queries.rows(self.connection, queries.SHAPES)), frozenset(self.dates),
            frozenset(host.casefold().removeprefix("www.") for host in _HOST.findall(own)), frozenset(self.counts), today,
        )  # fmt: skip


def _texts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else [str(value)] if value else []


def house_text(folder: Path) -> str:
    """Facts and standing words of the template of letters; its rules for drafting are no source."""
    return "\n".join(_FACTS.findall((folder / "quote.md").read_text("utf-8")))


def own_quote(connection: Connection, quote_id: str) -> tuple[QuoteVersion, list[VersionLine]] | None:
    version = quotes.version(connection, quote_id=quote_id)
    return version and (version, quotes.lines(connection, quote_id=quote_id, version=version.version))


def as_letter(version: QuoteVersion, lines: list[VersionLine]) -> Draft:
    """The texts of a quote's own lines, each beside what it is of."""
    rows = [
        f"| {line.sku} | {' '.join(text.replace('|', '/').split())} |"
        for line in lines
        for text in (line.description, line.notes)
        if text
    ]
    return read("\n".join([*rows, "", version.notes or ""]))
