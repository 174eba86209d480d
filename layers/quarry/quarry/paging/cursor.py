"""Cursors: where an answer or a list goes on, readable only by the call that it continues."""

import base64
import json
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from hashlib import blake2b, sha256, shake_256
from hmac import compare_digest
from typing import Annotated, Any, NamedTuple

from pydantic import Field, StringConstraints, TypeAdapter

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


def changed() -> Conflict:
    return Conflict(
        "The data has changed since the page before, and going on would skip or repeat something. Leave cursor out "
        "to start over."
    )
