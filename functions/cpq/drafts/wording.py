"""How a letter is worded in a language: what documents say there, letters' own words and values of the catalogue."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cpq.documents.content import Charge
from cpq.documents.wording import DocumentLabels, Wording, tables
from cpq.model import Language, QuoteVersion


@dataclass(frozen=True, slots=True)
class LetterWording(Wording):
    """``words`` are those of layouts and of letters, ``values`` those of the catalogue; ``labels`` say how the
    reader's country writes figures in the language.
    """

    values: Mapping[str, str]

    def value(self, text: str) -> str:
        """Translates a catalogue value from English, where the house has a word for it or for its unit."""
        if text in ("yes", "no"):
            return self.labels.flag(text == "yes")
        parts = (", ".join(map(self._part, each.split(", "))) for each in text.split("; "))
        return self.values.get(text) or "; ".join(parts)

    def _part(self, text: str) -> str:
        figure, _, unit = text.rpartition(" ")
        return self.values.get(text) or f"{figure} {self.values.get(unit, unit)}".strip()

    def quote(self, version: QuoteVersion) -> str:
        return f"{version.quote_id} {self.say('version', number=version.version)}"

    def charge(self, charge: Charge, currency: str) -> str:
        """Formats what is paid once, or each time and in all, as the layouts do."""
        total = self.amount(charge.total, currency)
        if charge.period == "once":
            return self.pair(self.say("once"), total)
        each = self.amount(charge.each, currency)
        each = each if charge.exact else self.say("about", amount=each)
        name = f"one_{charge.period}" if charge.count == 1 else f"each_{charge.period}"
        if charge.count == 1 and charge.exact:
            return self.pair(self.say(name, count=1), each)
        return self.pair(self.say(name, count=charge.count), f"{each}, {self.say('in_all', amount=total)}")

    def per(self, period: str) -> str:
        """Returns what stands behind an amount that is paid each month or year; empty for what is paid once."""
        return {"month": self.labels.per_month, "year": self.labels.per_year}.get(period, "")


@cache
def wording_of(templates: Path, language: Language, country: str = "") -> LetterWording:
    """Reads the wording for a reader in ``country``, which is empty where nobody knows it."""
    layouts = templates / "pdf"
    content = tables(layouts, language)
    labels = DocumentLabels.read(layouts, language, country)
    return LetterWording(language, labels, {**content["text"], **content["letter"]}, content.get("block", {}))
