"""Past prices of what is asked for: the lines that meet every need of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from quarry.corpora import LINE_ITEMS
from quarry.needs.grammar import figure_of_day
from quarry.needs.model import BUILT_IN, Choice, Need
from quarry.precedents.accounts import company_key
from quarry.precedents.past_prices import past_price
from quarry.precedents.price_history import PastPrice
from quarry.retrieval.search import search

COMPARABLE = replace(LINE_ITEMS, copies=False)
"""The same lines with none standing for others of its words: each was charged by itself."""

MOST = 200
"""Lines that a search for comparable goods looks at."""

TOO_WIDE = "Nothing asked for makes two things comparable: name a model, or goods with a figure or a value of theirs."
"""That it is of a family makes no two things comparable."""


@dataclass(frozen=True, slots=True)
class ComparablePrices:
    """Prices of what was asked for; ``models`` are those that it names, ``notice`` says what is missing."""

    prices: Sequence[PastPrice]
    models: Sequence[str]
    needs: Sequence[Need]
    notice: str | None


def comparable(
    tenant: str, query: str | None, *, needs: Sequence[Need] = (), customer: str | None, since: date | None = None
) -> ComparablePrices:
    """The priced lines that meet every need, those of the query among them.

    Raises Unavailable when embeddings are down and no word matches.
    """
    filters = [_not_before(since)] if since else []
    outcome = search(COMPARABLE, tenant=tenant, query=query, needs=needs, filters=filters, limit=MOST)
    asked = outcome.needs
    models = [choice.value for need in asked if need.name == "model" and not need.negated for choice in need.choices]
    if not any(need.name != "family" for need in asked):
        return ComparablePrices([], models, asked, TOO_WIDE)
    met = [hit.row for hit in outcome.hits if hit.judgement is not None and hit.judgement.is_met]
    own = company_key(tenant, customer)
    prices = [past_price(row, own=own) for row in met if (row["unit_price"] or 0) > 0]
    return ComparablePrices(prices, models, asked, _without_price(met))


def _not_before(day: date) -> Need:
    figure = figure_of_day(day)
    return Need(BUILT_IN["date"], (Choice(">=", figure, figure),), f">= {day}")


def _without_price(rows: Sequence[Mapping[str, object]]) -> str | None:
    missing = sum(not row["unit_price"] for row in rows)
    return f"{missing} of the lines that fit have no price." if missing else None
