"""Fits results into a token budget: whole ones while they fit, a text too long for any page cut at a blank; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter

from pydantic import BaseModel

ASCII_PER_TOKEN = 3
"""Answers of these tools have 3.2 to 4.3 characters per token in o200k_base and cl100k_base. Any other character
counts as a token, which holds for both on European text and for o200k_base on Chinese and Japanese."""

MOST_TOKENS = 1_000_000
"""Budget of a call that gives none: at most 4 MB of UTF-8, below what a Lambda function may answer."""

SMALLEST_CUT = 200
"""Fewest characters of a text that are shown when it is cut; less tells a reader nothing."""

_ESCAPES = {chr(code): 6 for code in range(32)} | dict.fromkeys('"\\\b\f\n\r\t', 2)


def weight(text: str) -> int:
    """Length of a text in which an ASCII character counts 1 and any other ASCII_PER_TOKEN, a whole token."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return ascii_only + ASCII_PER_TOKEN * (len(text) - ascii_only)


def room_of(max_tokens: int | None) -> int:
    """The weight that a budget in tokens allows."""
    return ASCII_PER_TOKEN * min(max_tokens or MOST_TOKENS, MOST_TOKENS)


@dataclass(frozen=True, slots=True)
class LongText:
    """Path to the one text of an item that may be of any length, such as line_item.description.

    Where the item has a field `truncated` beside that text, it is set when the text was cut.
    """

    path: str

    def of(self, item: BaseModel) -> str:
        text: str | None = attrgetter(self.path)(item)
        return text or ""

    def put[T: BaseModel](self, item: T, text: str, *, cut: bool = False) -> T:
        return _put(item, self.path.split("."), text, cut=cut)


@dataclass(frozen=True, slots=True)
class Fitted[T: BaseModel]:
    """``items`` of one page: the first ``whole`` are complete, the text of one more goes on at ``offset``."""

    items: list[T]
    whole: int
    offset: int = 0


def fit[T: BaseModel](items: Sequence[T], *, room: int, text: LongText | None = None, offset: int = 0) -> Fitted[T]:
    """The items that fit into ``room``, a weight; at least one, with SMALLEST_CUT characters of its text.

    The first ``offset`` characters of the first item's text were in the page before and are left out.
    """
    kept: list[T] = []
    left = room
    for number, item in enumerate(items):
        begun = offset if number == 0 else 0
        rest = text.put(item, text.of(item)[begun:]) if text and begun else item
        size = _size(rest)
        if size <= left:
            kept.append(rest)
            left -= size
        elif kept and size <= room:
            return Fitted(kept, number)  # whole on the next page is better than cut on this
        else:
            piece = _cut(rest, text, room=left, must=not kept)
            if piece is None:
                return Fitted(kept, number)
            kept.append(piece)
            if text is None or text.of(piece) == text.of(rest):
                return Fitted(kept, number + 1)
            return Fitted(kept, number, begun + len(text.of(piece)))
    return Fitted(kept, len(items))


def shortened[T: BaseModel](item: T, *, text: LongText, max_tokens: int | None) -> T:
    """One item on its own: its text is cut where the whole would exceed the budget, and its `truncated` says so."""
    room = room_of(max_tokens)
    if _size(item) <= room:
        return item
    return _cut(item, text, room=room, must=True) or item


def _size(item: BaseModel) -> int:
    return weight(item.model_dump_json()) + 1  # the comma


def _cut[T: BaseModel](item: T, text: LongText | None, *, room: int, must: bool) -> T | None:
    """The item with as much of its text as fits; None when that is too little to be worth it."""
    if text is None:
        return item if must else None
    whole = text.of(item)
    for_text = room - _size(text.put(item, "", cut=True))
    if for_text < SMALLEST_CUT and not must:
        return None
    end = _reach(whole, max(for_text, SMALLEST_CUT))
    return item if end == len(whole) else text.put(item, whole[: _boundary(whole, end)], cut=True)


def _reach(text: str, room: int) -> int:
    """Characters whose JSON fits into ``room``."""
    weights = (_ESCAPES.get(character) or (1 if character.isascii() else ASCII_PER_TOKEN) for character in text)
    return next((end for end, total in enumerate(accumulate(weights)) if total > room), len(text))


def _boundary(text: str, end: int) -> int:
    """The last blank in the second half, so that words stay whole where there are any."""
    blank = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end))
    return blank if blank > end // 2 else end


def _put[T: BaseModel](item: T, path: Sequence[str], text: str, *, cut: bool) -> T:
    name, *inner = path
    if inner:
        return item.model_copy(update={name: _put(getattr(item, name), inner, text, cut=cut)})
    flag = {"truncated": cut} if "truncated" in type(item).model_fields else {}
    return item.model_copy(update={name: text, **flag})
