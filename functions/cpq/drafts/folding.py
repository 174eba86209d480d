"""Names as they are found whatever their case, accents, look-alike letters, hyphens and line ends."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from html import unescape

from quarry.text import fold, part_key

# Unicode's list of confusables (UTS 39) for the letters of Cyrillic and Greek that look like Latin ones.
# Of Armenian and the rest of Latin those that pass in a common typeface; 0 and 1 do in most.
_LOOKS_LIKE = str.maketrans(
    "авсеһіјкӏмнорԛгѕтуѵԝхԁαβεηικνορτυχωϲγոսօհɡɑɾʋ01", "abcehijklmhopqrstyvwxdabenikvoptuxwcynuohgarvol"
)
_MARKUP = re.compile(r"&#?\w{1,12};|<[^<>]{1,100}>")
_WORD = re.compile("(?:[^\\W_]|[\u0300-\u036f])+")
SHORTEST = 4
"""Letters of a name by which a letter is searched."""


def compact(text: str) -> str:
    """Folded letters and digits alone, look-alikes as the Latin ones."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]", "", fold(plain.translate(_LOOKS_LIKE)).translate(_LOOKS_LIKE))


class Folded:
    """A text in which names are looked for."""

    def __init__(self, text: str) -> None:
        self._whole, self._ends = "", set[int]()
        self._starts, self._origins = list[int](), list[int]()
        parts, at = list[str](), 0
        # An entity or a tag becomes what it shows, as long as it was: places are those of the text as it came.
        shown = _MARKUP.sub(lambda found: unescape(found[0])[0].replace("<", " ").ljust(len(found[0])), text)
        for match in _WORD.finditer(shown):
            if part := compact(match[0]):
                self._starts.append(at)
                self._origins.append(match.start())
                at += len(part)
                self._ends.add(at)
                parts.append(part)
        self._whole = "".join(parts)

    def places(self, name: str) -> list[int]:
        """Where the compact ``name`` stands as whole words, as offsets of the text."""
        found, at = [], self._whole.find(name) if len(name) >= SHORTEST else -1
        while at >= 0:
            place = bisect_left(self._starts, at)
            if place < len(self._starts) and self._starts[place] == at and at + len(name) in self._ends:
                found.append(self._origins[place])
            at = self._whole.find(name, at + 1)
        return found


@lru_cache(maxsize=256)
def windows(text: str) -> Mapping[str, list[tuple[int, int]]]:
    """The keys of all runs of up to six words, by each where they stand."""
    tokens = [
        (match.start(), match.end(), part_key(match[0])) for match in re.finditer(r"(?:[^\W_]|\$(?=\w))+", text)
    ]
    found: dict[str, list[tuple[int, int]]] = {}
    for first, (start, end, key) in enumerate(tokens):
        found.setdefault(key, []).append((start, end))
        for after, later, more in tokens[first + 1 : first + 6]:
            if after - end > 2:
                break
            key, end = key + more, later
            found.setdefault(key, []).append((start, end))
    return found


def named(text: str, aliases: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Which aliases a text names, the longest where they overlap: from, to, and what the alias is of."""
    taken: list[tuple[int, int, str]] = []
    spans = [(*span, aliases[key]) for key, spans in windows(text).items() if key in aliases for span in spans]
    for start, end, what in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end, what))
    return sorted(taken)
