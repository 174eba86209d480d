"""Cursors: where an answer goes on, readable only by the call that it continues."""

import base64
import binascii
import json
from collections.abc import Iterable, Set
from dataclasses import dataclass
from hashlib import sha256

from quarry.tool.contract import Args
from quarry.tool.errors import Conflict, ValidationFailed

Key = tuple[int | str, ...]

_CHECK = 2
_BINDING = 6
_MARK = 4
_VERSION = b"quarry-1"


@dataclass(frozen=True, slots=True)
class Place:
    """Behind the item ``after``, ``offset`` characters into the text of the next one.

    ``mark`` stands for what the pages before rest on; where that has changed, going on would lose or repeat.
    """

    after: Key = ()
    offset: int = 0
    mark: str = ""


START = Place()


@dataclass(frozen=True, slots=True)
class Call:
    """What a cursor is bound to. The tenant is the caller's and never comes from a cursor, so whoever forges one
    reaches no more than with other arguments: a signature would guard nothing.
    """

    tool: str
    tenant: str
    arguments: str
    free: str

    @classmethod
    def of(cls, arguments: Args, *, tool: str, tenant: str, free: Set[str]) -> "Call":
        """``free`` arguments may change from page to page."""
        bound = arguments.model_dump(mode="json", exclude=set(free), exclude_none=True)
        may_change = " and ".join(sorted(free - {"cursor"}))
        return cls(tool, tenant, json.dumps(bound, sort_keys=True), may_change)

    def seal(self, place: Place) -> str:
        tail = [place.offset, place.mark] if place.mark else []
        body = json.dumps([place.after, *tail], separators=(",", ":"), ensure_ascii=False).encode()
        sealed = self._binding(body) + body
        return base64.urlsafe_b64encode(_check(sealed) + sealed).decode().rstrip("=")

    def open(self, cursor: str) -> Place:
        """Raises ValidationFailed for what this tool never gave out, and for the cursor of another call."""
        sealed, body = _taken_apart(cursor)
        if not body:
            raise self._unknown()
        if sealed != self._binding(body) + body:
            raise ValidationFailed(
                "cursor: it continues another call. Repeat all arguments of the call that gave it (only "
                f"{self.free} may change), or leave cursor out to start over."
            )
        match json.loads(body):
            case [[*after]]:
                return Place(tuple(after))
            case [[*after], int(offset), str(mark)]:
                return Place(tuple(after), offset, mark)
        raise self._unknown()

    def _unknown(self) -> ValidationFailed:
        return ValidationFailed(
            f"cursor: {self.tool} never gave this one out. Pass next_cursor to the letter, or leave cursor out to "
            "start over."
        )

    def _binding(self, body: bytes) -> bytes:
        parts = [self.tool.encode(), self.tenant.encode(), self.arguments.encode(), body]
        return sha256(_VERSION + b"\x00".join(parts)).digest()[:_BINDING]


def mark_of(parts: Iterable[object]) -> str:
    """Short, and other for other ``parts``."""
    digest = sha256(json.dumps(list(parts), default=str).encode()).digest()[:_MARK]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def changed() -> Conflict:
    return Conflict(
        "The data has changed since the page before, and going on would skip or repeat something. Leave cursor out "
        "to start over."
    )


def _taken_apart(cursor: str) -> tuple[bytes, bytes]:
    """(binding and body, body); empty where the check does not hold."""
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b"", b""
    sealed = raw[_CHECK:]
    return (sealed, sealed[_BINDING:]) if raw[:_CHECK] == _check(sealed) else (b"", b"")


def _check(sealed: bytes) -> bytes:
    return sha256(_VERSION + sealed).digest()[:_CHECK]
