"""A tenant's own words and attributes and what competitors' machines are worth to it, as it has ingested them."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from psycopg.sql import SQL

from quarry.retrieval.corpus import Kind
from quarry.tool.errors import ValidationFailed
from quarry.understanding.inflection import plain
from quarry.understanding.needs import Language
from quarry.understanding.own_attributes import OwnAttribute, converted
from quarry.understanding.words import Meaning, Vocabulary, problems

OF_GOODS = frozenset(("family", "service", "accessory_kind", "filter_kind", "dryer_kind", "compression", "drive"))
"""What tells the goods or the work that a heading is of."""
MOST_KEPT = 32
"""Vocabularies that a process keeps; working one out takes a few milliseconds."""

ASKED = re.compile(r"(?P<name>[A-Za-z][\w ]*?)\s*(?P<sign>>=|<=|[=<>≥≤:])\s*(?P<value>.+)")
FIGURE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(\D.*)?")

WORDS = SQL("""
    SELECT term, language, attribute, value, family FROM search.vocabulary WHERE tenant = %(tenant)s
    UNION
    SELECT word, NULL, 'family', f.family, NULL FROM search.families f, unnest(f.words) AS word
    WHERE f.tenant = %(tenant)s
    ORDER BY term, attribute, value LIMIT 20000
""")

EQUIVALENTS = SQL("""
    SELECT maker, model, family, lubrication, compression, dryer_kind, cooling, drive, hp, cfm, psi,
        vacuum_inhg AS inhg, dewpoint_f, gallons
    FROM search.equivalents WHERE tenant = %(tenant)s ORDER BY maker, model LIMIT 20000
""")

# Values of texts, that a request may say without naming the attribute.
ATTRIBUTES = SQL("""
    SELECT a.name, a.unit, a.type = 'number' AS numeric, a.families, a.words, a.bound, a.filterable,
        ARRAY(SELECT DISTINCT p.attributes ->> a.name FROM equipment.products p
              WHERE a.type = 'text' AND p.tenant = %(tenant)s AND p.attributes ->> a.name <> ''
              ORDER BY 1 LIMIT 500) AS values
    FROM search.attributes a WHERE a.tenant = %(tenant)s ORDER BY a.name LIMIT 500
""")

type Fields = tuple[tuple[str, Any], ...]
"""A row as what can be compared and hashed."""


class OwnWords(NamedTuple):
    """A tenant's rows of the kinds vocabulary and equivalents, and its goods' attributes."""

    words: tuple[Fields, ...] = ()
    equivalents: tuple[Fields, ...] = ()
    attributes: tuple[OwnAttribute, ...] = ()

    @classmethod
    def of(
        cls,
        words: Sequence[Mapping[str, Any]],
        equivalents: Sequence[Mapping[str, Any]],
        attributes: Sequence[Mapping[str, Any]],
    ) -> "OwnWords":
        return cls(
            tuple(tuple(row.items()) for row in words),
            tuple(tuple(row.items()) for row in equivalents),
            tuple(map(attribute_of, attributes)),
        )


def of_trade(name: str) -> dict[str, str | None]:
    """The row of an industry that the tenant's quotes have and that no word which ships is of."""
    return {"term": name, "language": "en", "attribute": "industry", "value": name, "family": None}


def of_heading(name: str) -> dict[str, str | None]:
    """The row of a heading of past lines that no word which ships tells: extended warranty, seal water skid."""
    return {"term": name, "language": "en", "attribute": "heading", "value": name, "family": None}


def is_known(heading: str, phrases: Mapping[str, Sequence[Meaning]]) -> bool:
    """Whether a word that ships tells what goods or work the heading is of; a single word says too little."""
    words = plain(heading).split()
    parts = (" ".join(words[low:high]) for low in range(len(words)) for high in range(low + 1, len(words) + 1))
    return len(words) < 2 or any(each.attribute in OF_GOODS for part in parts for each in phrases.get(part, ()))


def attribute_of(row: Mapping[str, Any]) -> OwnAttribute:
    lists = {name: tuple(row[name] or ()) for name in ("words", "values")}
    return OwnAttribute(**{**row, **lists, "families": frozenset(row["families"])})


def wanted(asked: str, *, attributes: Mapping[str, OwnAttribute]) -> str:
    """Filters such as "head>=40; body=bronze" as equipment.has_attributes reads them. Raises ValidationFailed."""
    found: dict[str, Any] = {}
    filterable = {name: attribute for name, attribute in attributes.items() if attribute.filterable}
    for text in filter(str.strip, asked.split(";")):
        matched = ASKED.fullmatch(text.strip())
        named = filterable.get(matched["name"].lower().replace(" ", "_")) if matched else None
        if matched is None or named is None:
            known = ", ".join(f"{name} ({one.unit})" if one.unit else name for name, one in filterable.items())
            raise ValidationFailed(
                f"'{text}' filters by nothing: write head>=40 or body=bronze of: {known or 'none'}."
            )
        value = matched["value"].strip()
        if named.numeric:
            found[named.name] = {**found.get(named.name, {}), **_range(named, matched["sign"], value)}
        else:
            found[named.name] = value
    return json.dumps(found)


def _range(attribute: OwnAttribute, sign: str, value: str) -> dict[str, float]:
    figure = FIGURE.fullmatch(value)
    number = float(figure[1].replace(",", ".")) if figure else None
    if number is not None and figure is not None and figure[2]:
        number = converted(number, said=figure[2], declared=attribute.unit or "")
    if number is None:
        raise ValidationFailed(
            f"'{value}' is no figure for {attribute.name}: write one in {attribute.unit or 'pieces'}."
        )
    if sign in (">=", ">", "≥"):
        return {"min": number}
    if sign in ("<=", "<", "≤"):
        return {"max": number}
    rounding = abs(number) * 0.005
    return {"min": number - rounding, "max": number + rounding}


@lru_cache(maxsize=MOST_KEPT)
def vocabulary(own: OwnWords, *, kind: Kind, of_quotes: bool) -> Vocabulary:
    """The words of the trade with those that a kind of row has and with the tenant's own; the same object for as long
    as these are the same.
    """
    asked = _with_own(_words_of(kind, of_quotes=of_quotes, asked=True), own)
    if kind != "line_items":
        return asked
    return replace(asked, of_rows=_with_own(_words_of(kind, of_quotes=of_quotes, asked=False), own))


def _with_own(words: Vocabulary, own: OwnWords) -> Vocabulary:
    if not any(own):
        return words
    return words.extended(map(dict, own.words), equivalents=map(dict, own.equivalents), attributes=own.attributes)


@cache
def _words_of(kind: Kind, *, of_quotes: bool, asked: bool) -> Vocabulary:
    """What is said of one kind of row alone: "open" of a quote is no open frame, and a pump in a catalogue is none in
    the middle of a scope. Of a line more words are ``asked`` for than it is read by.
    """
    if kind == "line_items" and asked:
        return _words_of(kind, of_quotes=of_quotes, asked=False).extended(
            _of_services(Vocabulary.shipped().asked_scopes)
        )
    rows: list[Mapping[str, Any]] = []
    if kind == "equipment":
        pumps = (("pump", "en"), ("Pumpe", "de"), ("bomba", "es"), ("pompe", "fr"))
        rows = [
            {"term": term, "language": spoken, "attribute": "family", "value": "vacuum_pump"}
            for term, spoken in pumps
        ]
    elif of_quotes:
        rows = [{"term": "open", "language": "en", "attribute": "outcome", "value": "open"}]
    words = Vocabulary.of_archive() if kind == "past_quotes" else Vocabulary.shipped()
    if kind == "line_items":
        rows += _of_services(Vocabulary.shipped().scopes)
        words = Vocabulary.of_lines(of_quotes=of_quotes)
    words = replace(words.extended(rows), of_sales=kind in ("past_quotes", "line_items"))
    return replace(words, problems=problems()) if kind == "equipment" else words


def _of_services(scopes: Iterable[tuple[Sequence[str], Language, str]]) -> list[Mapping[str, Any]]:
    return [
        {"forms": forms, "spoken": spoken, "attribute": attribute, "value": value}
        for forms, spoken, service in scopes
        for attribute, value in (("service", service), ("family", "service"))
        # A machine comes with a warranty, and is none.
        if attribute == "service" or service != "warranty"
    ]
