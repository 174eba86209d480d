"""A tenant's own words and attributes and what competitors' machines are worth to it, as it has ingested them."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from psycopg.sql import SQL

from quarry.retrieval.corpus import Kind
from quarry.tool.errors import ValidationFailed
from quarry.understanding import Vocabulary
from quarry.understanding.own_attributes import OwnAttribute, converted

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

Own = tuple[tuple[Any, ...], tuple[Any, ...], tuple[OwnAttribute, ...]]
"""Words, equivalents and attributes, as what can be compared."""


def own(
    words: Sequence[Mapping[str, Any]],
    equivalents: Sequence[Mapping[str, Any]],
    attributes: Sequence[Mapping[str, Any]],
) -> Own:
    return (
        tuple(tuple(row.items()) for row in words),
        tuple(tuple(row.items()) for row in equivalents),
        tuple(map(attribute, attributes)),
    )


def attribute(row: Mapping[str, Any]) -> OwnAttribute:
    lists = {name: tuple(row[name] or ()) for name in ("words", "values")}
    return OwnAttribute(**{**row, **lists, "families": frozenset(row["families"])})


def wanted(asked: str, *, attributes: Mapping[str, OwnAttribute]) -> str:
    """Filters such as "head>=40; body=bronze" as equipment.has_attributes reads them. Raises ValidationFailed."""
    found: dict[str, Any] = {}
    for text in filter(str.strip, asked.split(";")):
        matched = ASKED.fullmatch(text.strip())
        attribute = attributes.get(matched["name"].lower().replace(" ", "_")) if matched else None
        if matched is None or attribute is None or not attribute.filterable:
            known = ", ".join(
                f"{one.name} ({one.unit})" if one.unit else name for name, one in attributes.items() if one.filterable
            )
            raise ValidationFailed(
                f"'{text}' filters by nothing: write head>=40 or body=bronze of: {known or 'none'}."
            )
        value = matched["value"].strip()
        found[attribute.name] = (
            {**found.get(attribute.name, {}), **_range(attribute, matched["sign"], value)}
            if attribute.numeric
            else value
        )
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
    give = abs(number) * 0.005 if sign in ("=", ":") else 0.0
    ends = {"min": number - give, "max": number + give}
    return {
        end: ends[end]
        for end in (("min",) if sign in (">=", ">", "≥") else ("max",) if sign in ("<=", "<", "≤") else ends)
    }


@lru_cache(maxsize=MOST_KEPT)
def vocabulary(own: Own, *, kind: Kind, of_quotes: bool) -> Vocabulary:
    """The words of the trade with those that a kind of row has and with the tenant's own; the same object for as long
    as these are the same.
    """
    words, equivalents, attributes = own
    base = _words_of(kind, of_quotes=of_quotes)
    if not words and not equivalents and not attributes:
        return base
    return base.extended(
        [dict(row) for row in words], equivalents=[dict(row) for row in equivalents], attributes=attributes
    )


@cache
def _words_of(kind: Kind, *, of_quotes: bool) -> Vocabulary:
    """What is said of one kind of row alone: "open" of a quote is no open frame, and a pump in a catalogue is none in
    the middle of a scope.
    """
    rows: list[dict[str, str]] = []
    if kind == "equipment":
        pumps = (("pump", "en"), ("Pumpe", "de"), ("bomba", "es"), ("pompe", "fr"))
        rows = [
            {"term": term, "language": spoken, "attribute": "family", "value": "vacuum_pump"}
            for term, spoken in pumps
        ]
    elif of_quotes:
        rows = [{"term": "open", "language": "en", "attribute": "outcome", "value": "open"}]
    return Vocabulary.shipped().extended(rows)
