"""The arguments and words that all searches share."""

from typing import Annotated, Literal

from pydantic import Field

Leg = Literal["vector", "text"]

Family = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
"""One of the tenant's in search.families."""

Query = Annotated[str, Field(min_length=1, max_length=4000)]
TopK = Annotated[int, Field(ge=1, le=50)]
Rows = Annotated[int, Field(ge=1, le=200)]
NamePart = str
"""Matches names that contain it, whatever the case, blanks and hyphens; the empty one matches none."""

Bound = Annotated[float, Field(ge=0, allow_inf_nan=False)]

SCORE = "Probability that it is right, 0 to 1: results come in its order. null when only words were searched."
CONFIDENCE = (
    "likely_good: score from .8, use it; analog: similar, have it reviewed; probable_miss: below .2, not found, and "
    "where all are, nothing was. null without a score."
)
LEGS = (
    "Searches that found it: vector (meaning), text (words, part numbers); []: neither. Left out where both did, "
    "unless with full or explain."
)
FIT = "Each need by name: met, close, unknown or contradicted, with what it has."
MORE = "The text is a part; this tool has all of it."
PASSAGE = "Its best passage, verbatim. full: all of it."
FULL = "Every row with its text; many rows share 15,000 characters."
NEEDS = "Judged, never hide a row."
FILTERS = "Hide every row that does not meet them."
COLUMNS = "More attributes; '*': all; description: words."
SORT = "Attribute or price; '-' before it: highest first."
GROUP = "Without query: counts, prices, sums by an attribute, customer, year, …; sort by any of them."
READ = "Needs given and read from the query, as they can be sent again."
UNREAD = "What could not be read, and how to ask."
DEGRADED = "True when embeddings were unavailable and only words were searched: say so in the draft."
NOTICE = "What to know about this answer, or null."
APPLIED_FILTERS = "The hard filters that every result satisfies."
