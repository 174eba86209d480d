"""Past prices of what a request describes: the lines that meet every need of it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from quarry.precedents.past_lines import LINE_ITEMS, filters
from quarry.precedents.past_prices import past_price
from quarry.precedents.price_history import PastPrice
from quarry.retrieval import requests
from quarry.retrieval.hits import Hit
from quarry.retrieval.search import search
from quarry.understanding.needs import Request
from quarry.understanding.text import fold, tokens

COMPARABLE = replace(LINE_ITEMS, copies=None)
"""The same lines with none standing for others of its words: each was charged by itself."""

MOST = 200
"""Lines that a search for comparable goods looks at."""

TELLING = frozenset(
    ("model", "hp", "cfm", "inhg", "gallons", "service", "dryer_kind", "filter_kind", "accessory_kind", "lb")
)
"""Needs of which a request has to name one: that it is a compressor makes no two things comparable."""

WORK_AND_PARTS = frozenset(("service", "accessory", "filtration"))
FOR_A_MODEL = re.compile(
    r"(\w+) (?:for|to (?:fit|suit)|für|fuer|para|pour) "
    r"(?:(?:the|our|your|my|den|die|das|unser\w*|el|la|los|las|nuestr\w+|le|les|nos|notre) )?(?:[A-Z][\w-]* ){0,2}$"
)
"""Before a model that something is wanted for."""
PAPERS = frozenset(("proposal", "tender", "budget", "estimate", "figure", "datasheet", "sheet", "manual", "drawing"))
SHORTEST_NAME = 3
"""Letters of the shortest word that names a part."""
HALF = 0.5
"""Share of a part's words, "exhaust transition piece", that a line for it has at least."""


@dataclass(frozen=True, slots=True)
class ComparablePrices:
    """Prices of what a request describes; ``models`` are those that it names, ``notice`` says what is missing."""

    prices: Sequence[PastPrice]
    models: Sequence[str]
    request: Request | None
    notice: str | None


def comparable(tenant: str, query: str, *, customer: str | None, since: date | None = None) -> ComparablePrices:
    """The priced lines that meet every need of the query, which names one thing.

    Raises Unavailable when embeddings are down and no word matches.
    """
    reading = requests.read(COMPARABLE, query, tenant=tenant)
    models = _models(reading.request)
    part = part_of_a_model(reading.request)
    chosen = filters(model=models[0] if len(models) == 1 and not part else None, date_from=since)
    outcome = search(COMPARABLE, tenant=tenant, query=query, limit=MOST, filters=chosen)
    request = outcome.reading.request if outcome.reading else None
    models = [] if part else _models(request)
    if request is None or not any(need.attribute in TELLING for need in request.needs):
        return ComparablePrices([], models, request, TOO_WIDE)
    services = {value for need in request.items[0].needs if need.attribute == "service" for value in need.values}
    met = [
        hit
        for hit in outcome.hits
        if (share_of_words(part, hit.row) >= HALF if part else _meets(hit))
        and is_headed(hit.row["category"], services, tenant=tenant)
    ]
    prices = [past_price(hit.row, customer=customer) for hit in met if hit.row["unit_price"]]
    return ComparablePrices(prices, models, request, _said(request, met=len(met), prices=len(prices)))


TOO_WIDE = (
    "Nothing asked for makes two things comparable: name a model, a service, or goods with a size (HP, cfm, gallons)."
)


def _models(request: Request | None) -> list[str]:
    needs = request.items[0].needs if request and request.items else ()
    return [value for need in needs if need.attribute == "model" for value in sorted(need.values)]


def _meets(hit: Hit) -> bool:
    """Whether the line is a fit for the first thing that was asked for: nothing close, open or contradicted."""
    return hit.answer is not None and hit.answer.item == 0 and hit.answer.judgement.overall == "met"


def part_of_a_model(request: Request | None) -> Sequence[str]:
    """The words of a part for a model that no rule reads, "exhaust transition piece for VTLF 2.500"; none where the
    machine itself is wanted.
    """
    item = request.items[0] if request and len(request.items) == 1 else None
    model = item.need("model") if item else None
    if request is None or item is None or item.families or model is None or model.implied_by or model.absent:
        return ()
    before, found, _ = item.text.partition(model.words)
    last = FOR_A_MODEL.search(before) if found else None
    unread = [word for word in request.not_understood if len(word) >= SHORTEST_NAME and word in before]
    return unread if last and last[1] in unread and last[1].lower() not in PAPERS else ()


def share_of_words(part: Sequence[str], row: Mapping[str, Any]) -> float:
    """Which share of the words of a part a line has that sells work or parts; 0 of a machine."""
    said = {token.text for token in tokens(fold(f"{row['category']} {row['description']}"))}
    return sum(fold(word) in said for word in part) / len(part) if row["family"] in WORK_AND_PARTS else 0.0


def is_headed(category: str, services: Collection[str], *, tenant: str) -> bool:
    """Whether a line's heading names one of the services or none: an installation with a start-up is none."""
    if not services:
        return True
    headed = requests.read(COMPARABLE, category, tenant=tenant).request
    named = (
        {value for need in headed.needs if need.attribute == "service" for value in need.values} if headed else set()
    )
    return not named or not named.isdisjoint(services)


def _said(request: Request, *, met: int, prices: int) -> str | None:
    said = []
    if len(request.items) > 1:
        said.append(f"Several things were asked for; these prices are of '{request.items[0].text}' alone.")
    if met > prices:
        said.append(f"{met - prices} of the lines that fit have no price.")
    if request.absent:
        said.append(f"No past quote has {', '.join(need.shown or need.words for need in request.absent)}.")
    return " ".join(said) or None
