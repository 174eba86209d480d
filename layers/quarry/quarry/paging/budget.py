"""Fits results into a token budget: whole ones while they fit; pure."""

from collections.abc import Sequence
from itertools import accumulate

from pydantic import BaseModel

ASCII_PER_TOKEN = 3
"""Answers of these tools have 3.2 to 4.3 characters per token in o200k_base and cl100k_base. Any other character
counts as a token, which holds for both on European text and for o200k_base on Chinese and Japanese."""

MOST_TOKENS = 1_000_000
"""Budget of a call that gives none: at most 4 MB of UTF-8, below what a Lambda function may answer."""


def weight(text: str) -> int:
    """Length of a text in which an ASCII character counts 1 and any other ASCII_PER_TOKEN, a whole token."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return ascii_only + ASCII_PER_TOKEN * (len(text) - ascii_only)


def room_of(max_tokens: int | None) -> int:
    """The weight that a budget in tokens allows."""
    return ASCII_PER_TOKEN * min(max_tokens or MOST_TOKENS, MOST_TOKENS)


def fitting[T: BaseModel](items: Sequence[T], *, room: int) -> Sequence[T]:
    """The first items that fit into ``room``, a weight; at least one, for what no page holds has to come too."""
    weights = accumulate(weight(item.model_dump_json()) + 1 for item in items)  # the comma
    return items[: max(1, sum(total <= room for total in weights))]
