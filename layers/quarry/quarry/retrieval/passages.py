"""The passage of a text that answers a query best: a verbatim part of it, whole sentences where they fit."""

import re

from quarry.text import stem_of, words_of

PIECE = re.compile(r"[^\n.!?;]*(?:[.!?;](?!\s|$)[^\n.!?;]*)*(?:[.!?;]+(?=\s|$)|\n+|$)\s*")
"""A sentence or the rest of a line, with the blanks behind it; the point of "1060 gal., 200 psi" ends none."""


def passage(text: str, *, query: str, most: int) -> str:
    """At most ``most`` characters of ``text``, to the letter; its beginning where no word of the query is in it."""
    if len(text) <= most:
        return text
    wanted = _stems(query)
    pieces = [(match.start(), match.end()) for match in PIECE.finditer(text) if match.end() > match.start()]
    hits = [len(wanted & _stems(text[start:end])) for start, end in pieces]
    best = max(range(len(pieces)), key=lambda place: (hits[place], -place)) if any(hits) else 0
    first = last = best
    while True:
        grown = [
            (hits[place], -abs(place - best), place)
            for place in (first - 1, last + 1)
            if 0 <= place < len(pieces) and _length(pieces, min(first, place), max(last, place)) <= most
        ]
        if not grown:
            break
        place = max(grown)[2]
        first, last = min(first, place), max(last, place)
    found = text[pieces[first][0] : pieces[last][1]].strip()
    return found if len(found) <= most else _cut(found, most)


def _length(pieces: list[tuple[int, int]], first: int, last: int) -> int:
    return pieces[last][1] - pieces[first][0]


def _cut(text: str, most: int) -> str:
    end = text.rfind(" ", 0, most)
    return text[: end if end > most // 2 else most]


def _stems(text: str) -> set[str]:
    return {stem_of(word) for word in words_of(text) if len(word) > 2 or word.isdigit()}
