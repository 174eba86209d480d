"""Cursors: where an answer or a list goes on, readable only by the call that it continues."""

import base64
import binascii
import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from hashlib import blake2b, sha256, shake_256
from hmac import compare_digest
from typing import Annotated, Any, NamedTuple

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from quarry.tool.contract import Args
from quarry.tool.errors import Conflict, ValidationFailed

Key = tuple[int | str, ...]

Number = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
"""A whole number in a key, as Postgres' bigint holds it."""

Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""A text in a key, as Postgres can hold it."""

_TAG = 8
_BINDING = 5
_MARK = 4


class Place(NamedTuple):
    """Where a page begins: behind the item with the key ``after``.

    ``mark`` is a digest of what the pages before rest on; where that has changed, going on would lose or repeat.
    """

    after: Key = ()
    mark: str = ""


START = Place()


@dataclass(frozen=True, slots=True)
class PagedCall:
    """What a cursor is bound to, and the ``secret`` it is sealed with.

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
        tail = [place.mark] if place.mark else []
        return seal([place.after, *tail], bound_to=self._bound_to, secret=self.secret)

    def open[K: Key](self, cursor: str, *, key: TypeAdapter[K]) -> Place:
        """Reads the place; ``key`` is what it comes after, unless it comes first.

        Raises ValidationFailed for what this tool never gave out, and for the cursor of another call."""
        try:
            content = unseal(cursor, bound_to=self._bound_to, secret=self.secret)
        except ForeignCursor:
            raise ValidationFailed(
                "cursor: it continues another call. Repeat all arguments of the call that gave it (only "
                f"{self.free} may change), or leave cursor out to start over."
            ) from None
        except UnreadableCursor:
            raise self._unknown() from None
        try:
            match content:
                case [[*after]]:
                    return Place(_key(after, key))
                case [[*after], str(mark)]:
                    return Place(_key(after, key), mark)
        except ValidationError:
            pass
        raise self._unknown()

    def _unknown(self) -> ValidationFailed:
        return ValidationFailed(
            f"cursor: {self.tool} never gave this one out. Pass next_cursor to the letter, or leave cursor out to "
            "start over."
        )

    @property
    def _bound_to(self) -> tuple[str, ...]:
        return self.tool, self.tenant, self.arguments


def _key[K: Key](after: list[Any], key: TypeAdapter[K]) -> Key:
    return key.validate_python(tuple(after)) if after else ()


class UnreadableCursor(ValueError):
    """The text is no cursor of ours, or was changed on its way."""


class ForeignCursor(ValueError):
    """The cursor is of ours, but bound to something else."""


def seal(content: Sequence[object], *, bound_to: Iterable[str], secret: bytes) -> str:
    """A short text that ``unseal`` turns into the same JSON values again, where it is bound to the same texts.

    Nobody without ``secret`` can read it or make one.
    """
    return _sealed(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode(), bound_to, secret)


def unseal(cursor: str, *, bound_to: Iterable[str], secret: bytes) -> list[Any]:
    """Raises UnreadableCursor or ForeignCursor."""
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnreadableCursor from error
    tag = raw[:_TAG]
    inside = _masked(raw[_TAG:], tag, secret)
    if not compare_digest(tag, _tag(inside, secret)):
        raise UnreadableCursor
    if inside[:_BINDING] != _binding(bound_to, secret):
        raise ForeignCursor
    try:
        content = json.loads(inside[_BINDING:])
    except (ValueError, RecursionError) as error:
        raise UnreadableCursor from error
    if not isinstance(content, list):
        raise UnreadableCursor
    return content


def _sealed(body: bytes, bound_to: Iterable[str], secret: bytes) -> str:
    # Deterministic authenticated encryption as SIV makes it (RFC 5297): the tag of the content masks it. Of the same
    # place there is one cursor, and it needs no random number that could come twice.
    inside = _binding(bound_to, secret) + body
    tag = _tag(inside, secret)
    return base64.urlsafe_b64encode(tag + _masked(inside, tag, secret)).decode().rstrip("=")


def _tag(inside: bytes, secret: bytes) -> bytes:
    return blake2b(inside, key=secret, person=b"cursor tag", digest_size=_TAG).digest()


def _binding(bound_to: Iterable[str], secret: bytes) -> bytes:
    whose = json.dumps(list(bound_to)).encode()
    return blake2b(whose, key=secret, person=b"cursor binding", digest_size=_BINDING).digest()


def _masked(data: bytes, tag: bytes, secret: bytes) -> bytes:
    """Its own inverse."""
    stream = shake_256(secret + b"cursor mask" + tag).digest(len(data))
    return bytes(letter ^ mask for letter, mask in zip(data, stream, strict=True))


def mark_of(parts: Iterable[object]) -> str:
    """A short digest of ``parts``."""
    digest = sha256(json.dumps(list(parts), default=str).encode()).digest()[:_MARK]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def changed() -> Conflict:
    return Conflict(
        "The data has changed since the page before, and going on would skip or repeat something. Leave cursor out "
        "to start over."
    )
