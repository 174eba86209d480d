"""The trade's closed vocabularies, and the arguments every search shares."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Family = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
"""One of search.shipped_families(), whose words and quantities are understood, or the tenant's in search.families."""
SHIPPED = frozenset(
    ("accessory", "blower", "compressor", "dryer", "filtration", "receiver", "service", "vacuum_pump")
)
"""Families as search.shipped_families() has them."""

Lubrication = Literal["oilless", "oil-free", "oil-flooded"]
Leg = Literal["vector", "text"]

Query = Annotated[str, Field(min_length=1, max_length=4000)]
TopK = Annotated[int, Field(ge=1, le=50)]
Degrees = Annotated[float, Field(allow_inf_nan=False)]
NamePart = str
"""Matches names that contain it, whatever the case, blanks and hyphens; the empty one matches none."""

Attributes = str
"""Filters on the tenant's own attributes, name, sign and value each, parted by semicolons."""

Bound = Annotated[float, Field(ge=0, allow_inf_nan=False)]

LUBRICATION_FILTER = (
    "oilless: no oil in the machine; oil-free: oiled gears, dry compression. The query's words do not enforce it."
)
SCORE = "Probability that it is right, 0 to 1: results come in its order. null when only words were searched."
CONFIDENCE = (
    "likely_good: score from .8, use it; analog: similar, have it reviewed; probable_miss: below .2, not found, and "
    "where all are, nothing was. null without a score."
)
LEGS = (
    "Searches that found it: vector (meaning), text (words, part numbers); []: neither. Left out where both did, "
    "unless with full or explain."
)
FIT = "What it has for each thing asked for: met, close, unknown or contradicted."
MORE = "The text is a part; this tool has all of it."
PASSAGE = "Its best passage, verbatim; none of a probable_miss. full: all of it."
FULL = "Whole texts, not passages."
UNDERSTOOD = "What the query was read as, item by item; say it again in other words where that is wrong."
NOT_UNDERSTOOD = "Words of the query that no rule read."
DEGRADED = "True when embeddings were unavailable and only words were searched: say so in the draft."
NOTICE = "What to know about this answer, or null."
APPLIED_FILTERS = "The hard filters that every result satisfies."


def refuse_empty_ranges(arguments: BaseModel, *quantities: str) -> None:
    """Raises ValueError when a quantity's min is above its max: no row could ever satisfy that."""
    for quantity in quantities:
        low, high = getattr(arguments, f"{quantity}_min"), getattr(arguments, f"{quantity}_max")
        if low is not None and high is not None and low > high:
            raise ValueError(f"{quantity}_min {low:g} is above {quantity}_max {high:g}; swap them, or drop one")
