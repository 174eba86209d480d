"""Names as they are found whatever their case, accents, look-alike letters, hyphens and line ends."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from quarry.text import fold

# Unicode's list of confusables (UTS 39) for the letters of Greek and Cyrillic that look like Latin ones.
_LOOKS_LIKE = str.maketrans(
    "авсеһіјкӏмнорԛгѕтуѵԝхғԁ" "αβεηικνορτυχωϲγ",
    "abcehijklmhopqrstyvwxfd" "abenikvoptuxwcy",
)  # fmt: skip
_UNSEEN = re.compile(r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
_TOKEN = re.compile(r"[^\W_]+")
SHORTEST = 4
"""Letters of a name by which a letter is searched."""


def visible(text: str) -> str:
    """Without soft hyphens, zero-width characters and marks of direction."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def compact(text: str) -> str:
    """Folded letters and digits alone."""
    return "".join(_TOKEN.findall(_same(visible(text))))


def _same(text: str) -> str:
    return fold(unicodedata.normalize("NFKC", text).casefold().translate(_LOOKS_LIKE)).translate(_LOOKS_LIKE)


@dataclass(frozen=True)
class Folded:
    """A text in which names are looked for."""

    text: str

    @cached_property
    def _tokens(self) -> tuple[str, list[int], set[int], list[int]]:
        """Its compact form; where tokens begin in it and end in it; and where they begin in the text."""
        starts, ends, origins, parts, at = list[int](), set[int](), list[int](), list[str](), 0
        for match in re.finditer(r"(?:[^\W_]|[\u00ad\u034f\u200b-\u200f\u2060-\u2069\ufeff\u0300-\u036f])+", self.text):
            part = compact(match[0])
            if part:
                starts.append(at)
                origins.append(match.start())
                at += len(part)
                ends.add(at)
                parts.append(part)
        return "".join(parts), starts, ends, origins

    def places(self, name: str) -> list[int]:
        """Where the compact ``name`` stands as whole words, as offsets of the text."""
        whole, starts, ends, origins = self._tokens
        found, at = [], whole.find(name) if len(name) >= SHORTEST else -1
        while at >= 0:
            place = bisect_left(starts, at)
            if place < len(starts) and starts[place] == at and at + len(name) in ends:
                found.append(origins[place])
            at = whole.find(name, at + 1)
        return found


def windows(text: str, *, words: int = 6) -> dict[str, list[tuple[int, int]]]:
    """The keys of all runs of up to so many words, by each where they stand."""
    tokens = list(re.finditer(r"[^\W_$]+(?:\$[^\W_]*)*", text))
    found: dict[str, list[tuple[int, int]]] = {}
    for first in range(len(tokens)):
        key = ""
        for last in range(first, min(first + words, len(tokens))):
            if last > first and tokens[last].start() - tokens[last - 1].end() > 2:
                break
            key += model_key(tokens[last][0])
            found.setdefault(key, []).append((tokens[first].start(), tokens[last].end()))
    return found


def named(text: str, aliases: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Which of the aliases a text names, the longest where they overlap: from, to and what the alias is of."""
    spans = [(start, end, aliases[key]) for key, places in windows(text).items() if key in aliases
             for start, end in places]  # fmt: skip
    taken: list[tuple[int, int, str]] = []
    for start, end, what in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end, what))
    return sorted(taken)


def model_key(model: str) -> str:
    """As the column model_key has it for Latin letters; letters of other scripts stay."""
    return re.sub(r"[\W_]", "", fold(visible(model).replace("$", "s")))
