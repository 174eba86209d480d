"""The server's own words in a letter, in its language, and the catalogue's."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cpq.documents.wording import DocumentLabels, Wording, tables
from cpq.model import Language, QuoteVersion
from quarry.reading.languages import yes_and_no


@dataclass(frozen=True, slots=True)
class LetterWording(Wording):
    """``words`` are those of layouts and of letters, ``values`` those of the catalogue; ``labels`` say how the
    reader's country writes figures in the language.
    """

    values: Mapping[str, str]

    def value(self, text: str) -> str:
        """What the catalogue calls it in English, in the language where the house has a word for it or its unit."""
        if text in ("yes", "no"):
            return yes_and_no(self.language)[text == "no"]
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
