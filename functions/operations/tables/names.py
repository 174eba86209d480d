"""What columns and their closed values are called, in four languages, and the units that names say."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from operations.tables.cells import currency_of, unit_named
from quarry.understanding.text import fold
from quarry.understanding.words import Vocabulary

NAMES = Path(__file__).with_name("column_names.toml")
SURE = 0.6
"""How alike a name has to be."""

FROM_QUANTITY = re.compile(
    r"(?:(?:price|preis|precio|prix) )?"
    r"(?:ab|from|desde|a partir de|des|bei|(?:qty |quantity |price )?break|qty|staffel|volume)?"
    r"\s*(\d{1,6})\s*(?:stk|stuck|pcs|units?|uds?|u|pieces?|unidades)?"
)
UNNAMED = re.compile(r"(?:sheet|tabelle|hoja|feuil)\s?\d*$")
"""Names that a program gives to a sheet."""
Families = Mapping[str, Sequence[str]]
"""A tenant's families, each with the words that name it."""
NO_FAMILIES: Families = MappingProxyType({})

BRACKETED = re.compile(r"[\[(]([^\[\]()]*(?:\([^()]*\))?)[\])]")


@cache
def data() -> dict[str, Any]:
    return tomllib.loads(NAMES.read_text("utf-8"))


@cache
def _concepts() -> dict[str, dict[str, str]]:
    """Language by concept by name."""
    found: dict[str, dict[str, str]] = {}
    for concept, languages in data()["names"].items():
        for language, names in languages.items():
            for name in names:
                found.setdefault(name, {}).setdefault(concept, language)
    return found


def bare(name: str) -> tuple[str, str]:
    """A column's name without signs, and the unit or currency that it says: "Leistung [kW]" is leistung and kW."""
    unit = next((text for text in BRACKETED.findall(name) if unit_named(text) or currency_of(text)), "")
    rest = BRACKETED.sub(" ", name)
    words = re.sub(r"(?<=[A-Za-zÄÖÜäöü])\s+in\s+(?=\S+$)", " ", rest).split()
    for count in (2, 1):
        # A word such as "stage" is what a column holds, not what it measures in.
        if not unit and len(words) > count and (named := unit_named("".join(words[-count:]))) and named.attribute:
            unit, words = " ".join(words[-count:]), words[:-count]
    folded = re.sub(r"(?<=\w)[-‐–](?=\w)", " ", fold(" ".join(words).replace("ß", "ss")))
    plain = re.sub(r"[^a-z0-9#/]+", " ", folded.replace("n°", "n ").replace("nº", "n ")).strip()
    if not unit and currency_of(name):
        unit = currency_of(name) or ""
        plain = " ".join(word for word in plain.split() if word.upper() != unit)
    return plain, unit


def is_known(name: str) -> bool:
    return bool(likeness(bare(name)[0]))


@cache
def likeness(plain: str) -> dict[str, float]:
    """How likely a name stands for each concept."""
    known = _concepts()
    if plain in known:
        return dict.fromkeys(known[plain], 1.0)
    words = plain.split()
    found: dict[str, float] = {}
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            part = " ".join(words[first:last])
            share = 0.5 + 0.45 * (last - first) / len(words) - (0.1 if first else 0.0)
            if part in known and len(part) > 1 and share >= SURE:
                for concept in known[part]:
                    found[concept] = max(found.get(concept, 0.0), share)
    return found


def choice_named(name: str, text: str, choices: tuple[str, ...]) -> str | None:
    plain = re.sub(r"[^a-z0-9 ]+", " ", fold(text)).strip()
    for meant, names in data()["values"].get(name, {}).items():
        if plain in names or plain == fold(meant):
            return str(meant)
    return next((choice for choice in choices if fold(choice) == fold(text)), None)


def family_named(text: str, families: Families = NO_FAMILIES) -> str | None:
    """The family that a heading or a text names: by the longest word of ``families``, the tenant's own, else of those
    that ship."""
    said = f" {_plain(text)} "
    own = [(len(word), name) for name, words in families.items() for word in words if f" {_plain(word)} " in said]
    return max(own)[1] if own else _usual_family(text)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", fold(text)).strip()


@cache
def _usual_family(text: str) -> str | None:
    """A word of the families that ``column_names.toml`` names, else one of the trade's own words."""
    words = _plain(text).split()
    # Longest first; the last word of a German compound is what it is.
    for count in range(min(4, len(words)), 0, -1):
        for first in range(len(words) - count + 1):
            phrase = " ".join(words[first : first + count])
            vacuum = re.search("vac|vak|vide", " ".join(words[max(first - 3, 0) : first + count + 3]))
            for family, names in data()["values"]["family"].items():
                if not (family == "pump" and vacuum) and any(_ends(phrase, name) for name in names):
                    return str(family)
            meanings = Vocabulary.shipped().phrases.get(phrase, ())
            if shipped := {meaning.value for meaning in meanings if meaning.attribute == "family"}:
                return min(shipped)
    return None


def _ends(phrase: str, name: str) -> bool:
    return phrase == name or (len(name) > 4 and " " not in phrase and phrase.endswith(name))


def language_of(name: str) -> str:
    """The language of a column's name, "" where it is not known; of several the first."""
    return next(iter(_concepts().get(bare(name)[0], {}).values()), "")


def quantity_from(column: str) -> re.Match[str] | None:
    """The quantity from which a column's prices hold: "ab 10 Stk", "Qty Break 50", "100+"."""
    return FROM_QUANTITY.fullmatch(re.sub(r"\s+", " ", bare(column)[0]))
