"""A text as it is read: folded, cut into words and figures, with the way back to what was written."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from quarry.text import fold, stem_of

_PIECE = re.compile(r"[^\W\d_]+|\d+")
_END_OF_CLAUSE = re.compile(r"[;!?\n()]|,(?!\d)|\.(?=\s|$)")
_GAP = re.compile(r"[\s\-‐‑–'’.:=(/\"]*")
"""What may stand between the words of one phrase, or a phrase and what it is said of."""
LONGEST_PHRASE = 5


def pieces_of(text: str) -> list[str]:
    """Folded runs of letters and runs of digits, in order: "IP 55" and "ip55" have the same."""
    return _PIECE.findall(fold(text))


def stems_of(text: str) -> tuple[str, ...]:
    return tuple(map(stem_of, pieces_of(text)))


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of letters or of digits at its place in the folded text; ``glued`` to the piece before without a gap."""

    start: int
    end: int
    word: str
    stem: str
    clause: int
    glued: bool


class Source:
    """The folded text, its pieces, and which characters were read already."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.folded, self._origins = _with_origins(raw)
        self.taken = bytearray(len(self.folded))

    @cached_property
    def pieces(self) -> list[Piece]:
        found: list[Piece] = []
        for one in _PIECE.finditer(self.folded):
            start, end = one.span()
            stem, clause = stem_of(one[0]), bisect_right(self._clauses, start)
            found.append(Piece(start, end, one[0], stem, clause, bool(found) and found[-1].end == start))
        return found

    @cached_property
    def _clauses(self) -> list[int]:
        return [one.start() for one in _END_OF_CLAUSE.finditer(self.folded) if self._ends(one.start())]

    def _ends(self, at: int) -> bool:
        """A point ends a sentence only before a capital: "max. 10 bar" goes on."""
        if self.folded[at] != ".":
            return True
        behind = self.written(at + 1, len(self.folded))[:4].lstrip()
        return not behind or behind[0].isupper()

    @cached_property
    def _starts(self) -> list[int]:
        return [piece.start for piece in self.pieces]

    def piece_at(self, place: int) -> int:
        """The first piece that starts at a place or behind it."""
        return bisect_left(self._starts, place)

    def written(self, start: int, end: int) -> str:
        """What the text has there, as it was written."""
        return self.raw[self._origins[start] : self._origins[end - 1] + 1] if end > start else ""

    def gap(self, one: int, other: int) -> str:
        return self.folded[self.pieces[one].end : self.pieces[other].start]

    def is_phrase(self, first: int, last: int) -> bool:
        """Whether nothing parts the pieces from first to last."""
        pieces = self.pieces
        return pieces[first].clause == pieces[last].clause and all(
            _GAP.fullmatch(self.gap(at, at + 1)) for at in range(first, last)
        )

    def is_near(self, start: int, end: int) -> bool:
        """Whether nothing of weight stands between two places."""
        return start <= end and _GAP.fullmatch(self.folded, start, end) is not None

    def is_whole(self, first: int, last: int) -> bool:
        """Whether the pieces from first to last are whole words."""
        behind = last + 1
        return not self.pieces[first].glued and not (behind < len(self.pieces) and self.pieces[behind].glued)

    def is_free(self, start: int, end: int) -> bool:
        return not any(self.taken[start:end])

    def take(self, start: int, end: int) -> None:
        self.taken[start:end] = b"\x01" * (end - start)

    def ending(self, last: int, phrases: Mapping[tuple[str, ...], str]) -> tuple[int, str] | None:
        """The longest phrase whose last word is that piece: where it starts, and what it means."""
        for length in range(min(LONGEST_PHRASE, last + 1), 0, -1):
            first = last + 1 - length
            if (meant := self._meaning(first, last, phrases)) is not None:
                return first, meant
        return None

    def starting(self, first: int, phrases: Mapping[tuple[str, ...], str]) -> tuple[int, str] | None:
        """The longest phrase whose first word is that piece: its last piece, and what it means."""
        for length in range(min(LONGEST_PHRASE, len(self.pieces) - first), 0, -1):
            last = first + length - 1
            if (meant := self._meaning(first, last, phrases)) is not None:
                return last, meant
        return None

    def _meaning(self, first: int, last: int, phrases: Mapping[tuple[str, ...], str]) -> str | None:
        words = tuple(piece.word for piece in self.pieces[first : last + 1])
        meant = phrases.get(words)
        if meant is None and len(words) > 2:
            meant = phrases.get((*words[:-2], "*", words[-1]))
        return meant if meant is not None and self.is_phrase(first, last) else None

    @property
    def rest(self) -> str:
        """The words that nothing read, in order."""
        kept = [" "] * len(self.raw)
        for at, origin in enumerate(self._origins):
            if not self.taken[at]:
                kept[origin] = self.raw[origin]
        words = ("".join(kept)).split()
        return " ".join(word for word in words if any(map(str.isalnum, word)))


def _with_origins(raw: str) -> tuple[str, list[int]]:
    """The text folded letter by letter, and the place of the letter that each of its own comes from.

    A blank that does not break stays one between digits only, where it marks thousands; "1½" is "1 1/2".
    """
    folded: list[str] = []
    origins: list[int] = []
    for at, letter in enumerate(raw):
        plain = fold(letter)
        if letter in "\u00a0\u202f":
            inside = raw[at - 1 : at].isdigit() and raw[at + 1 : at + 2].isdigit()
            plain = "\u00a0" if inside else " "
        elif letter == "$" and raw[at - 1 : at].isalpha() and raw[at + 1 : at + 2].isalpha():
            plain = "s"
        elif "\u2044" in plain and len(plain) > 1:
            plain = " " + plain.replace("\u2044", "/")
        folded.append(plain)
        origins += [at] * len(plain)
    return "".join(folded), origins
