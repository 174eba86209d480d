"""Pages of an answer: what the caller's budget lets onto this one, and the cursor that leads to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter, WithJsonSchema

from quarry.data.database import cursor_secret
from quarry.paging.cursor import START, Key, Number, PagedCall, Place, changed, mark_of
from quarry.tool.contract import MOST_WHOLE, Args, Result, Tool
from quarry.tool.identity import Caller

ASCII_PER_TOKEN = 3
"""Answers of these tools have 3.2 to 4.3 characters per token in o200k_base and cl100k_base. Any other character
counts as a token, which holds for both on European text and for o200k_base on Chinese and Japanese."""

MOST_TOKENS = 1_000_000
"""Budget of a call that gives none: at most 4 MB of UTF-8, below what a Lambda function may answer."""


def weight(text: str) -> int:
    """Returns the length of a text in which an ASCII character counts 1 and any other a whole token."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return ascii_only + ASCII_PER_TOKEN * (len(text) - ascii_only)


def room_of(max_tokens: int | None) -> int:
    """Returns the weight that a budget in tokens allows."""
    return ASCII_PER_TOKEN * min(max_tokens or MOST_TOKENS, MOST_TOKENS)


def fitting[T: BaseModel](items: Sequence[T], *, room: int) -> Sequence[T]:
    """Returns the first items that fit into ``room``, a weight; at least one, so that an oversized one comes too."""
    weights = accumulate(weight(item.model_dump_json()) + 1 for item in items)  # the comma
    return items[: max(1, sum(total <= room for total in weights))]


FREE = frozenset({"cursor", "max_tokens"})
"""Arguments that a next page may change."""

COUNTED: TypeAdapter[Key] = TypeAdapter(tuple[Number])
"""Keys that are a number: of a ranking, how many were shown; of a listing, the number it is sorted by."""

CURSOR_WEIGHT = 100
"""Weight of a cursor without its key, together with the numbers that grow while a page is filled."""


Cursor = Annotated[str, Field(max_length=10_000), WithJsonSchema({"type": "string"})]
"""It may be long, because it holds the key of the last row, in which names may stand."""


class PagedArgs(Args):
    max_tokens: int | None = Field(default=None, ge=100, le=MOST_WHOLE, description="Budget of a page; unset: all.")
    cursor: Cursor | None = Field(default=None, description="next_cursor, all else repeated.")


class Paged(Result):
    """The fields that end every paged result.

    A result names it first among its bases: pydantic puts the fields of the first base last.
    """

    next_cursor: str | None = Field(default=None, description="Pass it as cursor for the rest; null: that was all.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """How a tool's answer falls into pages: its result's field ``into`` holds the items.

    A ranking (`of_ranking`) is computed whole for each page, and its argument for the number of results bounds all
    pages together. A listing (`of_listing`) reads one page from the database; ``limit`` names the argument that
    bounds that page, which the next call may change. ``key`` says of what an item's key consists.
    """

    tool: Tool
    into: str = "results"
    limit: str | None = None
    key: TypeAdapter[Key] = COUNTED

    def place(self, args: PagedArgs, caller: Caller) -> Place:
        """Returns where the page begins. Raises ValidationFailed for a cursor that does not continue this call."""
        return START if args.cursor is None else self._call(args, caller).open(args.cursor, key=self.key)

    def of_ranking[R: Paged, T: BaseModel](
        self, page: R, items: Sequence[T], *, keys: Sequence[Key], args: PagedArgs, caller: Caller
    ) -> R:
        """Fills ``page`` with those of ``items``, the whole ranking, that come behind the cursor and fit.

        ``keys`` tell items apart. Raises Conflict where the items already shown are no longer the same.
        """
        place = self.place(args, caller)
        seen = int(place.after[0]) if place.after else 0
        if place.mark and place.mark != mark_of(keys[:seen]):
            raise changed()
        shown = self._fitting(page, items[seen:], longest=(len(items),), args=args)
        done = seen + len(shown)
        filled = self._filled(page, shown, omitted=len(items) - done)
        return (
            filled
            if done == len(items)
            else self._continued(filled, Place((done,), mark_of(keys[:done])), args, caller)
        )

    def of_listing[R: Paged, T: BaseModel](
        self, page: R, items: Sequence[T], *, keys: Sequence[Key], more: bool, args: PagedArgs, caller: Caller
    ) -> R:
        """Fills ``page`` with those of ``items``, read from behind the cursor's key, that fit; ``more`` may follow.

        Rows that were added or removed elsewhere do not matter.
        """
        longest = max(keys, key=lambda key: len(str(key)), default=())
        shown = self._fitting(page, items, longest=longest, args=args)
        filled = self._filled(page, shown, omitted=0)
        if len(shown) == len(items) and not more:
            return filled
        after = keys[len(shown) - 1] if shown else self.place(args, caller).after
        return self._continued(filled, Place(after), args, caller)

    def _fitting[T: BaseModel](
        self, page: Paged, items: Sequence[T], *, longest: Key, args: PagedArgs
    ) -> Sequence[T]:
        frame = weight(page.model_dump_json()) + CURSOR_WEIGHT + weight(str(longest)) * 3 // 2
        return fitting(items, room=room_of(args.max_tokens) - frame)

    def _filled[R: Paged, T: BaseModel](self, page: R, shown: Sequence[T], *, omitted: int) -> R:
        left = {"omitted": omitted} if "omitted" in type(page).model_fields else {}
        return page.model_copy(update={self.into: list(shown), **left})

    def _continued[R: Paged](self, page: R, place: Place, args: PagedArgs, caller: Caller) -> R:
        return page.model_copy(update={"next_cursor": self._call(args, caller).seal(place)})

    def _call(self, args: PagedArgs, caller: Caller) -> PagedCall:
        free = FREE | {self.limit} if self.limit else FREE
        return PagedCall.of(args, tool=self.tool.name, tenant=caller.tenant, free=free, secret=cursor_secret())
