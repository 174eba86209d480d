"""What comparable goods were sold for before: past line items that retrieval finds for the quote's lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cpq.model import VersionLine
from quarry import retrieval
from quarry.retrieval import Hit
from quarry.tool.errors import Unavailable
from quotes import queries

LINES_LOOKED_AT = 3
FOR_EACH_LINE = 3
SHOWN = 5
LONGEST_QUERY = 500


@dataclass(frozen=True, slots=True)
class Precedents:
    """``notice`` is for the reader: why there are none, or why these are not all."""

    hits: list[Hit]
    notice: str | None


def find(tenant: str, *, lines: Sequence[VersionLine]) -> Precedents:
    """For the lines worth most, the nearest past lines; those that are probably no match are left out."""
    hits: dict[tuple[str, int], Hit] = {}
    degraded = False
    for line in sorted(lines, key=lambda line: line.line_total, reverse=True)[:LINES_LOOKED_AT]:
        try:
            outcome = retrieval.search(
                queries.LINE_ITEMS,
                tenant=tenant,
                query=f"{line.product_name}. {line.description}"[:LONGEST_QUERY],
                limit=FOR_EACH_LINE,
                filters=NO_FILTERS,
            )
        except Unavailable:
            return Precedents([], "Past quotes cannot be searched right now; the decision does not need them.")
        degraded = degraded or outcome.degraded
        hits |= {(hit.row["quote_number"], hit.row["position"]): hit for hit in outcome.hits if _worth_showing(hit)}
    best = sorted(hits.values(), key=lambda hit: hit.score or 0, reverse=True)[:SHOWN]
    if not best:
        return Precedents([], "No past quote resembles this one.")
    return Precedents(best, "Found by words only: the search by meaning is down." if degraded else None)


def _worth_showing(hit: Hit) -> bool:
    return hit.confidence != "probable_miss"


NO_FILTERS: dict[str, Any] = dict.fromkeys(
    ("category", "hp_min", "hp_max", "cfm_min", "cfm_max", "psi_min", "psi_max", "lubrication")
)
"""The corpus's filters, none of them set."""
