"""Pages of an answer: what the caller's budget lets onto this one, and the cursor that leads to the next, which only
the call that it continues can read.
"""

import base64
import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from hashlib import blake2b, sha256, shake_256
from hmac import compare_digest
from itertools import accumulate, zip_longest
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, WithJsonSchema

from quarry.data.database import cursor_secret
from quarry.tool.contract import MOST_WHOLE, Args, Result, Tool
from quarry.tool.errors import Conflict, ValidationFailed
from quarry.tool.identity import Caller

Key = tuple[int | str, ...]

Number = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
"""A whole number in a key, as Postgres' bigint holds it."""

Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""A text in a key, as Postgres can hold it."""

_TAG = 8
_BINDING = 5
_MARK = 4


class Place(NamedTuple):
    """The beginning of a page: behind the item with the key ``after``.

    ``mark`` is a digest of what the pages before rest on; where that has changed, going on would skip or repeat
    items.
    """

    after: Key = ()
    mark: str = ""


START = Place()


@dataclass(frozen=True, slots=True)
class PagedCall:
    """The call that a cursor is bound to, and the ``secret`` it is sealed with.

    The tenant is the caller's and never comes from a cursor; what one holds is checked like any input all the same.
    """

    tool: str
    tenant: str
    arguments: str
    free: str
    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, arguments: Args, *, tool: str, tenant: str, free: Set[str], secret: bytes) -> "PagedCall":
        """``free`` arguments may change from page to page."""
        bound = arguments.model_dump(mode="json", exclude=set(free), exclude_none=True)
        may_change = " and ".join(sorted(free - {"cursor"}))
        return cls(tool, tenant, json.dumps(bound, sort_keys=True), may_change, secret)

    def seal(self, place: Place) -> str:
        """Turns a place into a short text, which nobody can read or make without the secret."""
        tail = [place.mark] if place.mark else []
        return self.sealed(json.dumps([place.after, *tail], separators=(",", ":"), ensure_ascii=False).encode())

    def sealed(self, body: bytes) -> str:
        # Deterministic authenticated encryption as SIV makes it (RFC 5297): the tag of the content masks it. Of the
        # same place there is one cursor, and it needs no random number that could come twice.
        inside = self._binding() + body
        tag = self._tag(inside)
        return base64.urlsafe_b64encode(tag + self._masked(inside, tag)).decode().rstrip("=")

    def open[K: Key](self, cursor: str, *, key: TypeAdapter[K]) -> Place:
        """Returns the place in a cursor. Raises ValidationFailed if it is of another call or was never given out."""
        unknown = ValidationFailed(
            f"cursor: {self.tool} never gave this one out. Pass next_cursor to the letter, or leave cursor out to "
            "start over."
        )
        try:
            raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except ValueError:
            raise unknown from None
        tag = raw[:_TAG]
        inside = self._masked(raw[_TAG:], tag)
        if not compare_digest(tag, self._tag(inside)):
            raise unknown
        if inside[:_BINDING] != self._binding():
            raise ValidationFailed(
                "cursor: it continues another call. Repeat all arguments of the call that gave it (only "
                f"{self.free} may change), or leave cursor out to start over."
            )
        try:
            match json.loads(inside[_BINDING:]):
                case [[*after]]:
                    return Place(_key(after, key))
                case [[*after], str(mark)]:
                    return Place(_key(after, key), mark)
        except (ValueError, RecursionError):
            pass
        raise unknown

    def _tag(self, inside: bytes) -> bytes:
        return blake2b(inside, key=self.secret, person=b"cursor tag", digest_size=_TAG).digest()

    def _binding(self) -> bytes:
        whose = json.dumps([self.tool, self.tenant, self.arguments]).encode()
        return blake2b(whose, key=self.secret, person=b"cursor binding", digest_size=_BINDING).digest()

    def _masked(self, data: bytes, tag: bytes) -> bytes:
        """Masks ``data``, or unmasks what was masked."""
        stream = shake_256(self.secret + b"cursor mask" + tag).digest(len(data))
        return bytes(letter ^ mask for letter, mask in zip(data, stream, strict=True))


def _key[K: Key](after: list[Any], key: TypeAdapter[K]) -> Key:
    return key.validate_python(tuple(after)) if after else ()


def mark_of(parts: Iterable[object]) -> str:
    digest = sha256(json.dumps(list(parts), default=str).encode()).digest()[:_MARK]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


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


def fitting[T: BaseModel](items: Sequence[T], *, room: int, beside: Sequence[BaseModel] = ()) -> Sequence[T]:
    """Returns the first items that fit into ``room``, a weight, with what comes ``beside`` the first of them; at
    least one, so that an oversized one comes too.
    """
    both = ((weight(item.model_dump_json()) + 1 for item in each) for each in (items, beside))  # one for the comma
    weights = accumulate(map(sum, zip_longest(*both, fillvalue=0)))
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


def _cursor_last(found: dict[str, Any]) -> None:
    """Moves the cursor behind all else, because a model should read what was found before how it goes on."""
    if "next_cursor" in found:
        found["next_cursor"] = found.pop("next_cursor")


class Paged(Result):
    model_config = ConfigDict(json_schema_extra=lambda schema: _cursor_last(schema["properties"]))

    next_cursor: str | None = Field(default=None, description="Pass it as cursor for the rest; null: that was all.")

    def as_answer(self) -> dict[str, Any]:
        answer = super().as_answer()
        _cursor_last(answer)
        return answer


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
        self,
        page: R,
        items: Sequence[T],
        *,
        keys: Sequence[Key],
        args: PagedArgs,
        caller: Caller,
        results: Sequence[BaseModel] = (),
    ) -> R:
        """Fills ``page`` with those of ``items``, the whole ranking, that come behind the cursor and fit.

        ``results`` belong to the first items, and come on the pages of theirs. ``keys`` tell items apart. Raises
        Conflict where the items already shown are no longer the same.
        """
        place = self.place(args, caller)
        seen = int(place.after[0]) if place.after else 0
        if place.mark and place.mark != mark_of(keys[:seen]):
            raise Conflict(
                "The data has changed since the page before, and going on would skip or repeat something. Leave "
                "cursor out to start over."
            )
        shown = self._fitting(page, items[seen:], longest=(len(items),), args=args, beside=results[seen:])
        done = seen + len(shown)
        filled = self._filled(page, shown, omitted=len(items) - done)
        if results:
            filled = filled.model_copy(update={"results": list(results[seen:done])})
        if done == len(items):
            return filled
        return self._continued(filled, Place((done,), mark_of(keys[:done])), args, caller)

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
        self, page: Paged, items: Sequence[T], *, longest: Key, args: PagedArgs, beside: Sequence[BaseModel] = ()
    ) -> Sequence[T]:
        frame = weight(page.model_dump_json()) + CURSOR_WEIGHT + weight(str(longest)) * 3 // 2
        return fitting(items, room=room_of(args.max_tokens) - frame, beside=beside)

    def _filled[R: Paged, T: BaseModel](self, page: R, shown: Sequence[T], *, omitted: int) -> R:
        left = {"omitted": omitted} if "omitted" in type(page).model_fields else {}
        return page.model_copy(update={self.into: list(shown), **left})

    def _continued[R: Paged](self, page: R, place: Place, args: PagedArgs, caller: Caller) -> R:
        return page.model_copy(update={"next_cursor": self._call(args, caller).seal(place)})

    def _call(self, args: PagedArgs, caller: Caller) -> PagedCall:
        free = FREE | {self.limit} if self.limit else FREE
        return PagedCall.of(args, tool=self.tool.name, tenant=caller.tenant, free=free, secret=cursor_secret())
