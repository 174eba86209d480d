"""The trade's closed vocabularies, and the arguments every search shares."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Family = Literal["compressor", "vacuum_pump", "dryer", "blower", "receiver", "filtration", "accessory", "service"]
Lubrication = Literal["oilless", "oil-free", "oil-flooded"]
Leg = Literal["vector", "text"]

Query = Annotated[str, Field(min_length=1, max_length=4000)]
TopK = Annotated[int, Field(ge=1, le=50)]
Bound = Annotated[float, Field(ge=0, le=10_000_000)]

LUBRICATION_FILTER = (
    "Hard filter. oilless: no oil anywhere in the machine; oil-free: oiled gears but dry compression; "
    "oil-flooded. Rows whose lubrication is unknown are left out. Set it whenever the customer demands "
    "oil-free air: the words in the query alone do not enforce it."
)
SCORE = "Cosine similarity of query and text, comparable across queries; null when only text was searched."
CONFIDENCE = (
    "likely_good: use it; analog: similar, needs a salesperson's review; probable_miss: treat as not found. "
    "All hits probable_miss means the retrieval failed. null without a score."
)
LEGS = "Which searches found it: vector (meaning), text (words, part numbers). Empty: it only meets the filters."
DEGRADED = "True when embeddings were unavailable and only text was searched: say so in the draft."
NOTICE = "What the reader should know about this answer, or null."
APPLIED_FILTERS = "The hard filters that were applied; every result satisfies all of them."


def refuse_empty_ranges(arguments: BaseModel, *quantities: str) -> None:
    """Raises ValueError when a quantity's min is above its max: no row could ever satisfy that."""
    for quantity in quantities:
        low, high = getattr(arguments, f"{quantity}_min"), getattr(arguments, f"{quantity}_max")
        if low is not None and high is not None and low > high:
            raise ValueError(f"{quantity}_min {low:g} is above {quantity}_max {high:g}; swap them, or drop one")
