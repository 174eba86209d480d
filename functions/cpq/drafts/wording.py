"""The server's own words in a letter, in its language: labels, amounts, days."""

import calendar
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

from cpq.documents.wording import LABELS, DocumentLabels, percent
from cpq.model import Language, QuoteVersion
from quarry.money import in_currency

_DAY_PART = re.compile(r"\[([^\[\]]++)\]")


@dataclass(frozen=True, slots=True)
class LetterWording:
    """``words`` are those of layouts and of letters by key, ``values`` those of the catalogue; ``labels`` say how the
    reader's country writes figures in the language.
    """

    language: Language
    labels: DocumentLabels
    words: Mapping[str, str]
    values: Mapping[str, str]

    def say(self, key: str, **given: object) -> str:
        return self.words[key].format(**given)

    def value(self, text: str) -> str:
        """What the catalogue calls it in English, in the language where the house has a word for it or its unit."""
        if text in ("yes", "no"):
            return self.labels.yes if text == "yes" else self.labels.no
        return self.values.get(text) or ", ".join(map(self._part, text.split(", ")))

    def _part(self, text: str) -> str:
        figure, _, unit = text.rpartition(" ")
        return self.values.get(text) or f"{figure} {self.values.get(unit, unit)}".strip()

    def quote(self, version: QuoteVersion) -> str:
        return f"{version.quote_id} {self.say('version', number=version.version)}"

    def per(self, period: str) -> str:
        """Behind what is paid each month or year; empty for what is paid once."""
        return {"month": self.labels.per_month, "year": self.labels.per_year}.get(period, "")

    def amount(self, value: Decimal, currency: str) -> str:
        """Without its currency, which the head of a column has."""
        plain = f"{in_currency(value, currency):,f}"
        marks = {",": self.labels.group_mark, ".": self.labels.decimal_mark}
        return "".join(marks.get(letter, letter) for letter in plain)

    def money(self, value: Decimal, currency: str) -> str:
        shown = self.amount(value, currency)
        return f"{currency} {shown}" if self.labels.currency_first else f"{shown} {currency}"

    def share(self, value: Decimal) -> str:
        shown = f"{percent(value, decimals=2) or Decimal(0):f}".replace(".", self.labels.decimal_mark)
        return self.labels.percent.format(shown)

    def day(self, day: date) -> str:
        """As the layouts write it: their format is that of Typst's datetime.display."""
        parts = {
            "day": f"{day.day:02}", "month": f"{day.month:02}", "year": str(day.year),
            "day padding:none": str(day.day), "month padding:none": str(day.month),
            "month repr:long": calendar.month_name[day.month],
        }  # fmt: skip
        return _DAY_PART.sub(lambda part: parts[part[1]], self.labels.date_format)


@cache
def wording_of(templates: Path, language: Language, country: str = "") -> LetterWording:
    """``country`` is the reader's, empty where nobody knows it."""
    layouts = templates / "pdf"
    content = tomllib.loads((layouts / LABELS / f"{language}.toml").read_text("utf-8"))
    labels = DocumentLabels.read(layouts, language, country)
    return LetterWording(language, labels, {**content["text"], **content["letter"]}, content.get("block", {}))
