"""The server's own words in a letter, in its language, and the catalogue's."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cpq.documents.wording import DocumentLabels, Wording, tables
from cpq.model import Language


@dataclass(frozen=True, slots=True)
class LetterWording(Wording):
    """``words`` are those of layouts and of letters, ``values`` those of the catalogue."""

    values: Mapping[str, str]

    def value(self, text: str) -> str:
        """What the catalogue calls it in English, in the language where the house has a word for it or its unit."""
        if text in ("yes", "no"):
            return self.labels.yes if text == "yes" else self.labels.no
        return self.values.get(text) or ", ".join(map(self._part, text.split(", ")))

    def _part(self, text: str) -> str:
        figure, _, unit = text.rpartition(" ")
        return self.values.get(text) or f"{figure} {self.values.get(unit, unit)}".strip()


@cache
def wording_of(templates: Path, language: Language) -> LetterWording:
    layouts = templates / "pdf"
    content = tables(layouts, language)
    labels = DocumentLabels.read(layouts, language)
    return LetterWording(language, labels, {**content["text"], **content["letter"]}, content.get("block", {}))
