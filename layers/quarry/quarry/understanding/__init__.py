"""Understanding a request: what it asks for, and how well a row meets each need."""

from quarry.understanding.extremes import EXTREMES, extreme_of, ordered, ordering
from quarry.understanding.fit import fit, judge, short
from quarry.understanding.implied import Named, as_variant, compared
from quarry.understanding.names import ModelName, Names
from quarry.understanding.needs import VERDICTS, Finding, Item, Judgement, Need, Request
from quarry.understanding.reading import understand
from quarry.understanding.traits import quote_traits, row_traits
from quarry.understanding.words import Vocabulary


def families_of(request: Request) -> frozenset[str]:
    """The families that a request is about, of all its items; empty where it does not say."""
    return frozenset(family for item in request.items for family in item.families)


__all__ = [
    "EXTREMES", "VERDICTS", "Finding", "Item", "Judgement", "ModelName", "Named", "Names", "Need", "Request",
    "Vocabulary", "as_variant", "compared", "extreme_of", "families_of", "fit", "judge", "ordered", "ordering",
    "quote_traits", "row_traits", "short", "understand",
]  # fmt: skip
