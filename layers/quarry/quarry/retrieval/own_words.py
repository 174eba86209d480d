"""A tenant's own words and what competitors' machines are worth to it, as it has ingested them."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from psycopg.sql import SQL

from quarry.retrieval.corpus import Kind
from quarry.understanding import Vocabulary

MOST_KEPT = 32
"""Vocabularies that a process keeps; working one out takes a few milliseconds."""

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

Own = tuple[tuple[Any, ...], tuple[Any, ...]]
"""Rows of both kinds, as what can be compared."""


def own(words: Sequence[Mapping[str, Any]], equivalents: Sequence[Mapping[str, Any]]) -> Own:
    return tuple(tuple(row.items()) for row in words), tuple(tuple(row.items()) for row in equivalents)


@lru_cache(maxsize=MOST_KEPT)
def vocabulary(own: Own, *, kind: Kind, of_quotes: bool) -> Vocabulary:
    """The words of the trade with those that a kind of row has and with the tenant's own; the same object for as long
    as these are the same.
    """
    words, equivalents = own
    base = _words_of(kind, of_quotes=of_quotes)
    if not words and not equivalents:
        return base
    return base.extended([dict(row) for row in words], equivalents=[dict(row) for row in equivalents])


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
