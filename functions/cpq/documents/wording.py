"""How a quote's codes and figures read in a language: terms, units, amounts, days, addresses, file names."""

import calendar
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from cpq.addresses import lines_of
from cpq.documents.content import PrintedAttribute
from cpq.model import Language, QuoteVersion
from cpq.payment import coded
from cpq.pricing.books import periods
from quarry.money import in_currency, plainly
from quarry.precedents.list_prices import recurring
from quarry.reading.languages import yes_and_no
from quarry.text import fold


class DocumentLabels(BaseModel):
    """The words and marks that a document is composed with, of a language as a country writes it:
    templates/pdf/labels/<language>.toml. ``spoken_in`` are the countries of customers who are written to in it where
    they have none on record.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language
    spoken_in: tuple[str, ...] = ()
    group_mark: str
    decimal_mark: str
    date_format: str
    percent: str
    currency_first: bool
    title: str
    month: str
    months: str
    per: str
    per_month: str
    per_year: str
    allowance: str
    net_days: str
    on_receipt: str
    billing: Mapping[str, str]
    units: Mapping[str, str]
    roles: Mapping[str, str] = {}

    @classmethod
    def read(cls, layouts: Path, language: Language, country: str = "") -> Self:
        """Marks of figures and days are the country's, where the file says that it has others."""
        content = dict(tables(layouts, language)["composed"])
        others = [each for each in content.pop("elsewhere", ()) if country in each["countries"]]
        own = {name: mark for each in others for name, mark in each.items() if name != "countries"}
        return cls(language=language, **content | own)


LABELS = "labels"
MARKS = ("group_mark", "decimal_mark", "date_format")
"""What a house may write otherwise than its language does."""

_DAY_PART = re.compile(r"\[([^\[\]]++)\]")


@cache
def tables(layouts: Path, language: Language) -> Mapping[str, Any]:
    """All tables of a language's file."""
    return tomllib.loads((layouts / LABELS / f"{language}.toml").read_text("utf-8"))


def has_labels(layouts: Path, language: str) -> bool:
    return (layouts / LABELS / f"{language}.toml").is_file()


@dataclass(frozen=True, slots=True)
class Wording:
    """A language's ``words`` by key; ``labels`` say how it writes figures."""

    language: Language
    labels: DocumentLabels
    words: Mapping[str, str]

    def say(self, key: str, **given: object) -> str:
        return self.words[key].format(**given)

    def amount(self, value: Decimal, currency: str) -> str:
        """Without its currency, which the head of a column has."""
        return self.number(in_currency(value, currency))

    def number(self, value: Decimal | int) -> str:
        return number(value, labels=self.labels)

    def money(self, value: Decimal, currency: str) -> str:
        shown = self.amount(value, currency)
        return f"{currency} {shown}" if self.labels.currency_first else f"{shown} {currency}"

    def allowance(self, ends: Sequence[Decimal] | None, currency: str) -> str | None:
        return allowance(ends, currency, labels=self.labels)

    def share(self, value: Decimal, *, decimals: int = 2) -> str:
        return self.labels.percent.format(self.number(percent(value, decimals=decimals) or Decimal(0)))

    def day(self, day: date) -> str:
        """As the layouts write it: their format is that of Typst's datetime.display."""
        parts = {
            "day": f"{day.day:02}", "month": f"{day.month:02}", "year": str(day.year),
            "day padding:none": str(day.day), "month padding:none": str(day.month),
            "month repr:long": calendar.month_name[day.month],
        }  # fmt: skip
        return _DAY_PART.sub(lambda part: parts[part[1]], self.labels.date_format)


@cache
def languages(layouts: Path) -> Mapping[str, tuple[str, ...]]:
    """Those that documents can be in, with the countries where each is spoken."""
    found = sorted(file.stem for file in (layouts / LABELS).glob("*.toml"))
    return {language: DocumentLabels.read(layouts, language).spoken_in for language in found}


def number(value: Decimal | int, *, labels: DocumentLabels) -> str:
    marks = {",": labels.group_mark, ".": labels.decimal_mark}
    return "".join(marks.get(letter, letter) for letter in f"{Decimal(value):,f}")


def allowance(ends: Sequence[Decimal] | None, currency: str, *, labels: DocumentLabels) -> str | None:
    """From what to what a price may come that is an allowance; None for one that is firm."""
    if not ends:
        return None
    low, high = (number(in_currency(end, currency), labels=labels) for end in ends)
    return labels.allowance.format(low=low, high=high)


def months(count: int | None, *, labels: DocumentLabels) -> str | None:
    if count is None:
        return None
    return (labels.month if count == 1 else labels.months).format(count=count)


def billing(code: str, *, labels: DocumentLabels) -> str:
    return labels.billing.get(code) or _words(code)


def payment(terms: str, *, labels: DocumentLabels) -> str:
    """As printed: a code in words, and what says no more than one; other text to the letter."""
    if found := re.fullmatch(r"net_(\d+)", coded(terms)):
        return labels.net_days.format(days=found[1])
    return labels.on_receipt if terms == "due_on_receipt" else terms


def unit(code: str | None, *, term_months: int | None, labels: DocumentLabels) -> str | None:
    """What the unit price buys and how often it is charged, "per seat per month × 12"; None for one piece, once."""
    if code is None or code == "per_unit":
        return None
    found = re.fullmatch(r"per_(.+?)(_per_month|_per_year)?", code)
    if found is None:
        words = code.replace("_", " ")
    else:
        noun = labels.units.get(found[1], found[1].replace("_", " "))
        rhythm = {"_per_month": labels.per_month, "_per_year": labels.per_year}.get(found[2] or "")
        words = " ".join(filter(None, (labels.per.format(unit=noun), rhythm)))
    if not recurring(code) or term_months is None:
        return words
    times = periods(code, term_months=term_months)
    if times.denominator == 1:
        return words if times == 1 else f"{words} × {times}"
    return f"{words} × {times.numerator}/{times.denominator}"


def noun(code: str | None) -> str:
    """What a unit's code counts: seat in per_seat_per_month; nothing for one piece."""
    found = re.fullmatch(r"per_(.+?)(_per_month|_per_year)?", code or "per_unit")
    return "" if code in (None, "per_unit") else found[1] if found else str(code)


def address(account: Mapping[str, Any]) -> list[str]:
    """The billing address, else the one goods go to, without its country, which a layout writes out."""
    place = account.get("billing_address") or account.get("shipping_address") or {}
    return lines_of(place, country=account.get("country"))


def country(account: Mapping[str, Any]) -> str:
    place = account.get("billing_address") or account.get("shipping_address") or {}
    return str(place.get("country") or account["country"])


def language_of(account: Mapping[str, Any], layouts: Path) -> Language | None:
    """The one on record, else that of his country; None where neither tells, or there are no labels in it."""
    known, said = languages(layouts), account.get("language")
    if said:
        return said if said in known else None
    return next((language for language, places in known.items() if country(account) in places), None)


def attributes(values: Mapping[str, Any], *, labels: DocumentLabels) -> list[PrintedAttribute]:
    return [
        PrintedAttribute(name=_words(name), value=_value(value, labels))
        for name, value in values.items()
        if value is not None
    ]


def percent(value: Decimal | None, *, decimals: int = 4) -> Decimal | None:
    """The percentage with at most so many decimals and no trailing zeros; None where there is none or it is zero."""
    return Decimal(plainly(value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))) if value else None


def tax(name: str, rate: Decimal, *, labels: DocumentLabels) -> str:
    """The rule's name with its rate, where the name does not say it."""
    shown = f"{percent(rate) or Decimal(0):f}".replace(".", labels.decimal_mark)
    return name if "%" in name else f"{name} {labels.percent.format(shown)}"


def role(code: str, *, labels: DocumentLabels) -> str:
    return labels.roles.get(code) or _words(code)


def file_name(customer: str, *, quote_id: str, version: int, ending: str = "pdf") -> str:
    """Acme_Corp_Q-2026-0042_v1.pdf; of a name in another script only the number is left, with - for the signs that no
    file may bear: OF/2024/017 is OF-2024-017.
    """
    # Folded letter by letter, for folding a whole name would take its capitals.
    plain = "".join(fold(each).title() if each.isupper() else fold(each) for each in customer)
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:60]
    return "_".join(filter(None, (name, re.sub(r"[^A-Za-z0-9._-]+", "-", quote_id), f"v{version}"))) + f".{ending}"


def _words(code: str) -> str:
    words = code.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _value(value: object, labels: DocumentLabels) -> str:
    if isinstance(value, bool):
        return yes_and_no(labels.language)[not value]
    if isinstance(value, list):
        return ", ".join(_value(each, labels) for each in value)
    return str(value)


@dataclass(frozen=True, slots=True)
class LetterWording(Wording):
    """``words`` are those of layouts and of letters, ``values`` those of the catalogue; ``labels`` say how the
    reader's country writes figures in the language.
    """

    values: Mapping[str, str]

    def value(self, text: str) -> str:
        """What the catalogue calls it in English, in the language where the house has a word for it or its unit."""
        if text in ("yes", "no"):
            return self.values.get(text) or yes_and_no(self.language)[text == "no"]
        return self.values.get(text) or ", ".join(map(self._part, text.split(", ")))

    def _part(self, text: str) -> str:
        figure, _, unit = text.rpartition(" ")
        return self.values.get(text) or f"{figure} {self.values.get(unit, unit)}".strip()

    def quote(self, version: QuoteVersion) -> str:
        return f"{version.quote_id} {self.say('version', number=version.version)}"

    def per(self, period: str) -> str:
        """Behind what is paid each month or year; empty for what is paid once."""
        return {"month": self.labels.per_month, "year": self.labels.per_year}.get(period, "")


@cache
def wording_of(templates: Path, language: Language, country: str = "") -> LetterWording:
    """``country`` is the reader's, empty where nobody knows it."""
    layouts = templates / "pdf"
    content = tables(layouts, language)
    labels = DocumentLabels.read(layouts, language, country)
    return LetterWording(language, labels, {**content["text"], **content["letter"]}, content.get("block", {}))
