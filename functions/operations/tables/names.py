"""Recognises columns and closed values by their names in four languages, and the units within names."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from operations.tables.attributes import unit_named
from operations.tables.cells import currency_of
from quarry.attributes.units import Units, shipped
from quarry.text import fold, stem_of, words_of

AMOUNTS = ("price", "list_price", "unit_price", "cost")

NAMES = Path(__file__).with_name("column_names.toml")
SURE = 0.6
"""The likeness from which on a name counts as recognised."""

FROM_QUANTITY = re.compile(
    r"(?:(?:price|preis|precio|prix) )?"
    r"(?:ab|from|od|desde|a partir de|des|bei|(?:qty |quantity |price )?break|qty|staffel|volume)?"
    r"\s*(\d{1,6})(?:\s\d{1,6})?\s*(?:stk|stuck|pcs|units?|uds?|u|pieces?|unidades)?"
)
UNNAMED = re.compile(r"(?:(?:sheet|tabelle|hoja|feuil)\s?\d*|articles|prices)$")
"""Names that a program gives to a sheet."""
Families = Mapping[str, Sequence[str]]
"""A tenant's families, each with the words that name it."""

COUNTED = frozenset(("time", "pieces", "users"))
"""Dimensions whose units are not read off the end of a name: "min" there is a minimum, and not a minute."""

BRACKETED = re.compile(r"[\[(]([^\[\]()]*(?:\([^()]*\))?)[\])]")


@cache
def data() -> dict[str, Any]:
    return tomllib.loads(NAMES.read_text("utf-8"))


@cache
def _concepts() -> dict[str, frozenset[str]]:
    found = defaultdict[str, set[str]](set)
    for concept, languages in data()["names"].items():
        for name in (name for names in languages.values() for name in names):
            found[name].add(concept)
    return {name: frozenset(concepts) for name, concepts in found.items()}


def bare(name: str, units: Units | None = None) -> tuple[str, str]:
    """A column's name without signs, and the unit or currency that it says: "Leistung [kW]" is leistung and kW.

    ``units`` are the tenant's, else those that every tenant has.
    """
    known = units or shipped()
    unit = next((text for text in BRACKETED.findall(name) if unit_named(text, known) or currency_of(text)), "")
    rest = BRACKETED.sub(" ", name)
    words = re.sub(r"(?<=[A-Za-zÄÖÜäöü])\s+in\s+(?=\S+$)", " ", rest).split()
    for count in (2, 1):
        last = " ".join(words[-count:])
        if (
            not unit
            and len(words) > count
            and len(last) > 1
            and (named := unit_named(last, known))
            and named.dimension not in COUNTED
        ):
            unit, words = last, words[:-count]
    folded = re.sub(r"(?<=\w)[-‐–](?=\w)", " ", fold(re.sub("(?<=[nN])[°º]", " ", " ".join(words))))
    plain = re.sub(r"[^a-z0-9#/]+", " ", folded).strip()
    if not unit and currency_of(name):
        unit = currency_of(name) or ""
        plain = " ".join(word for word in plain.split() if word.upper() != unit)
    return plain, unit


def unknown_unit(column: str, units: Units) -> str | None:
    """Returns the text in square brackets, where units stand, if it is neither a known unit nor a currency."""
    said = re.search(r"\[([^\[\]]+)\]", column)
    known = said is None or unit_named(said[1], units) is not None or currency_of(said[1].upper()) is not None
    return None if known or said is None else said[1]


def is_known(name: str) -> bool:
    return bool(concepts_of(name))


def concepts_of(column: str) -> dict[str, float]:
    return likeness(bare(column)[0])


@cache
def likeness(plain: str) -> dict[str, float]:
    """Returns, by concept, the likelihood that a bare name stands for it, in [SURE, 1]; lower ones are left out."""
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


def family_named(text: str, families: Families) -> str | None:
    """Returns the family of which a text has the longest name; a compound word counts as the word that it ends in."""
    said = [stem_of(word) for word in words_of(text)]
    found = []
    for family, names in families.items():
        for name in names:
            words = [stem_of(word) for word in words_of(name)]
            if words and any(_matches(said[at : at + len(words)], words) for at in range(len(said))):
                found.append((len("".join(words)), family))
    return max(found)[1] if found else None


def _matches(said: Sequence[str], words: Sequence[str]) -> bool:
    """Whether both have the same words; a single long one may also be the end of a compound."""
    if len(words) == 1 and len(words[0]) > 4:
        return bool(said) and said[0].endswith(words[0])
    return list(said) == list(words)


def quantity_from(column: str) -> str | None:
    """The quantity from which a column's prices hold: "ab 10 Stk", "Qty Break 50", "100+", "25-99"."""
    found = FROM_QUANTITY.fullmatch(bare(column)[0])
    return found[1] if found else None
