"""A text prepared for reading: folded and cut into words and figures, with the way back to what was written."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from quarry.text import CELSIUS, DIAMETERS, POWER, ascii_digits, fold, stem_of, with_blanks


class Phrases(dict[tuple[str, ...], str]):
    """Meanings of phrases by their folded words; ``*`` as one of the last two words stands for any word."""

    @cached_property
    def by_last(self) -> Mapping[str, Sequence[int]]:
        return lengths_of(self, at=-1)

    @cached_property
    def by_first(self) -> Mapping[str, Sequence[int]]:
        return lengths_of(self, at=0)


def lengths_of(phrases: Iterable[tuple[str, ...]], *, at: int) -> Mapping[str, Sequence[int]]:
    """Returns the lengths of phrases, longest first, by the word that they have at a place."""
    found: dict[str, set[int]] = {}
    for words in phrases:
        found.setdefault(words[at], set()).add(len(words))
    return {word: sorted(lengths, reverse=True) for word, lengths in found.items()}


_PIECE = re.compile(r"[^\W\d_]+|\d+")
_END_OF_CLAUSE = re.compile(r"[;!?\n()。、،؛؟]|,(?!\d)|\.(?=\s|$)")
_GAP = re.compile(r"[\s\-‐‑–'’.:=/\"]*")
"""Matches what may stand between words of one phrase, or between a phrase and what it refers to."""
_WITHIN_RUN = re.compile(r"[\-‐‑–'’.,:/×*+]?")
_LONGEST_ELIDED = 4


def pieces_of(text: str) -> list[str]:
    """Returns folded runs of letters and of digits, in order: "IP 55" and "ip55" have the same. Where nothing parts
    words, each letter is one. All signs of a diameter are one word.
    """
    return ["o"] if text and text in DIAMETERS else _PIECE.findall(with_blanks(fold(text)))


def stems_of(text: str) -> tuple[str, ...]:
    return tuple(map(stem_of, pieces_of(text)))


class TextPiece(NamedTuple):
    """A run of letters or of digits at a place in the folded text; ``glued`` to the one before without a gap."""

    start: int
    end: int
    word: str
    stem: str
    clause: int
    glued: bool


class SourceText:
    """The folded text, its pieces, and a record of which characters were read already."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.folded, self._origins = _with_origins(raw)
        self._taken = bytearray(len(self.folded))
        clauses = [one.start() for one in _END_OF_CLAUSE.finditer(self.folded)]
        found: list[TextPiece] = []
        for one in _PIECE.finditer(self.folded):
            start, end = one.span()
            is_glued = bool(found) and found[-1].end == start
            found.append(TextPiece(start, end, one[0], stem_of(one[0]), bisect_right(clauses, start), is_glued))
        self.pieces = found
        self._starts = [piece.start for piece in found]
        self._breaks = [0] * len(found)
        for at in range(1, len(found)):
            gap = self.gap(at - 1, at)
            # A comma right between two figures marks decimals: 3x1,5 is one name.
            decimal = gap == "," and found[at - 1].word.isdigit() and found[at].word.isdigit()
            goes_on = found[at - 1].clause == found[at].clause and (decimal or _GAP.fullmatch(gap))
            self._breaks[at] = self._breaks[at - 1] + (not goes_on)

    def piece_at(self, place: int) -> int:
        """Returns the index of the first piece that starts at a place or behind it."""
        return bisect_left(self._starts, place)

    def powers(self) -> Iterator[tuple[int, int, re.Match[str]]]:
        """Yields figures in scientific notation with their places; the folded text knows no raised digits."""
        for found in POWER.finditer(ascii_digits(self.raw.replace("٬", "'"))):
            start, end = (bisect_left(self._origins, place) for place in found.span())
            yield start, end, found

    def is_diameter(self, start: int) -> bool:
        """Returns whether a diameter's sign stands before a figure that starts at a place."""
        return (
            start > 1 and self.folded[start - 2 : start] == "o:" and self.raw[self._origins[start - 2]] in DIAMETERS
        )

    def runs(self) -> list[tuple[int, int]]:
        """Returns for each piece the place of all that is written together with it and was not read: 4x2,8."""
        firsts: list[int] = []
        for at, piece in enumerate(self.pieces):
            goes_on = _WITHIN_RUN.fullmatch(self.folded, self.pieces[at - 1].end, piece.start) if at else None
            is_free = goes_on is not None and self.is_free(self.pieces[at - 1].start, piece.end)
            firsts.append(firsts[-1] if is_free else at)
        lasts = {first: last for last, first in enumerate(firsts)}
        return [(self.pieces[first].start, self.pieces[lasts[first]].end) for first in firsts]

    def written(self, start: int, end: int) -> str:
        """Returns what was originally written between two places of the folded text."""
        return self.raw[self._origins[start] : self._origins[end - 1] + 1] if end > start else ""

    def gap(self, one: int, other: int) -> str:
        return self.folded[self.pieces[one].end : self.pieces[other].start]

    def is_near(self, start: int, end: int) -> bool:
        """Returns whether nothing but separators stands between two places."""
        return start <= end and _GAP.fullmatch(self.folded, start, end) is not None

    def is_phrase(self, first: int, last: int) -> bool:
        """Returns whether the pieces from first to last are in one clause, with only separators between."""
        return self._breaks[first] == self._breaks[last]

    def is_whole(self, first: int, last: int) -> bool:
        """Returns whether the pieces from first to last are whole words."""
        return not self.pieces[first].glued and (last + 1 == len(self.pieces) or not self.pieces[last + 1].glued)

    def is_elided(self, at: int) -> bool:
        """Returns whether a piece is an article or a preposition cut by the next word: l'eau, dell'acqua."""
        if at + 1 >= len(self.pieces) or self.gap(at, at + 1) not in ("'", "’"):
            return False
        return len(self.pieces[at].word) <= _LONGEST_ELIDED and len(self.pieces[at + 1].word) > 2

    def is_free(self, start: int, end: int) -> bool:
        return not any(self._taken[start:end])

    def take(self, start: int, end: int) -> None:
        self._taken[start:end] = b"\x01" * (end - start)

    def ending(self, last: int, phrases: Phrases) -> tuple[int, str] | None:
        """Finds the longest phrase whose last word is that piece: (its first piece, its meaning)."""
        lengths = (length for word in (self.pieces[last].word, "*") for length in phrases.by_last.get(word, ()))
        firsts = (last + 1 - length for length in lengths if length <= last + 1)
        return next(((first, meant) for first in firsts if (meant := self._meaning(first, last, phrases))), None)

    def starting(self, first: int, phrases: Phrases) -> tuple[int, str] | None:
        """Finds the longest phrase whose first word is that piece: (its last piece, its meaning)."""
        lasts = (first + length - 1 for length in phrases.by_first.get(self.pieces[first].word, ()))
        return next(((last, meant) for last in lasts if (meant := self._meaning(first, last, phrases))), None)

    def _meaning(self, first: int, last: int, phrases: Phrases) -> str | None:
        if last >= len(self.pieces):
            return None
        words = tuple(piece.word for piece in self.pieces[first : last + 1])
        meant = phrases.get(words) or phrases.get((*words[:-2], "*", words[-1])) or phrases.get((*words[:-1], "*"))
        return meant if meant is not None and self.is_phrase(first, last) else None

    @property
    def rest(self) -> str:
        """The words that were not read, in order and as they were written."""
        kept = [" "] * len(self.raw)
        for at, origin in enumerate(self._origins):
            if not self._taken[at] and not self.folded[at].isspace():
                kept[origin] = self.raw[origin]
        return " ".join(word for word in "".join(kept).split() if any(map(str.isalnum, word)))


def _with_origins(raw: str) -> tuple[str, list[int]]:
    """Folds a text letter by letter; returns it with the original place of each folded letter.

    A non-breaking blank is kept between digits only, where it marks thousands; "1½" becomes "1 1/2". A sign of a
    diameter is a label of the figure behind it, as a word of the tenant's may be, and joins it to none before it.
    What ``quarry.text.with_blanks`` parts is parted here.
    """
    folded: list[str] = []
    origins: list[int] = []
    for at, letter in enumerate(CELSIUS.sub("C", raw)):
        plain = fold(ascii_digits(letter))
        if letter in "\u00a0\u202f":
            plain = "\u00a0" if raw[at - 1 : at].isdigit() and raw[at + 1 : at + 2].isdigit() else " "
        elif letter == "$" and raw[at - 1 : at].isalpha() and raw[at + 1 : at + 2].isalpha():
            plain = "s"
        elif letter in DIAMETERS and not raw[at - 1 : at].isalnum() and raw[at + 1 : at + 3].strip()[:1].isdigit():
            plain = "o:"
        elif "\u2044" in plain and len(plain) > 1:
            plain = " " + plain.replace("\u2044", "/")
        elif at and letter in "\uff9e\uff9f" and len(voiced := fold(raw[at - 1 : at + 1])) == 1:
            # The mark of a voiced kana of half width is a letter of its own.
            folded[-1] = folded[-1][:-1] + voiced
            continue
        elif at and len(with_blanks(pair := folded[-1][-1:] + plain[:1])) > len(pair):
            plain = " " + plain
        folded.append(plain)
        origins += [at] * len(plain)
    return "".join(folded), origins
