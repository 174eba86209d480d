"""A tenant's own words and what competitors' machines are worth to it, as it has ingested them."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from psycopg.sql import SQL

from quarry.understanding import Vocabulary

MOST_TENANTS = 16
"""Tenants whose vocabulary a process keeps; working one out takes a few milliseconds."""

WORDS = SQL("""
    SELECT term, language, attribute, value, family FROM search.vocabulary
    WHERE tenant = %(tenant)s ORDER BY term, attribute LIMIT 20000
""")

EQUIVALENTS = SQL("""
    SELECT maker, model, family, lubrication, compression, dryer_kind, cooling, drive, hp, cfm, psi,
        vacuum_inhg AS inhg, dewpoint_f, gallons
    FROM search.equivalents WHERE tenant = %(tenant)s ORDER BY maker, model LIMIT 20000
""")

Rows = Sequence[Mapping[str, Any]]


def vocabulary(words: Rows, equivalents: Rows, *, of_quotes: bool = False) -> Vocabulary:
    """The words of the trade with the tenant's own; the same object for as long as its rows are the same."""
    own = tuple(tuple(row.items()) for row in words)
    return _extended(own, tuple(tuple(row.items()) for row in equivalents), of_quotes=of_quotes)


@lru_cache(maxsize=MOST_TENANTS)
def _extended(words: tuple[Any, ...], equivalents: tuple[Any, ...], *, of_quotes: bool) -> Vocabulary:
    base = _words_of_quotes() if of_quotes else Vocabulary.shipped()
    if not words and not equivalents:
        return base
    return base.extended([dict(row) for row in words], equivalents=[dict(row) for row in equivalents])


@cache
def _words_of_quotes() -> Vocabulary:
    """What is said of quotes alone: an open screw is none that is undecided."""
    terms = ("open", "undecided", "in the pipeline")
    return Vocabulary.shipped().extended(
        {"term": term, "language": "en", "attribute": "outcome", "value": "open"} for term in terms
    )
