"""How many machines a sequencer runs: as asked for, and as the text of one tells."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from quarry.understanding.needs import Need
from quarry.understanding.text import Token

MACHINES = frozenset((
    "compressors", "machines", "units", "screws", "pumps", "blowers", "comps", "recips", "kompressoren", "maschinen",
    "verdichter", "verdichtern", "anlagen", "pumpen", "geblase", "schrauben", "compresores", "maquinas", "equipos",
    "bombas", "sopladores", "tornillos", "compresseurs", "pompes", "surpresseurs", "appareils",
))  # fmt: skip
COMPOUND = ("kompressoren", "verdichter", "maschinen", "pumpen")
"""How German words for them end: Schraubenkompressoren."""
JOINING = frozenset(("and", "plus", "und", "y", "e", "et", "mas"))
OTHERS = frozenset(
    ("brands", "makes", "marken", "hersteller", "marcas", "marques", "stages", "years", "rooms", "plants")
)
"""What else is counted beside machines: six compressors of four brands."""
DESCRIBED = 4
"""Words between a number and the machines that it counts: six 100 hp oil-flooded compressors."""
MOST_MACHINES = 99
TOLD = re.compile(rf"((?:[\w.,]+[\s-]){{1,3}})(?:{'|'.join(sorted(MACHINES))})\b")
"""In the text of a sequencer: for up to eight compressors."""


def machines_asked(
    text: str, words: Sequence[Token], first: int, last: int, *, numbers: Mapping[str, float], taken: bytearray
) -> Need | None:
    """The need of a sequencer between two tokens, whose figures are taken; None where no machines are counted."""
    counts: dict[int, int] = {}
    for place in range(first, last):
        count = _count(words[place], numbers)
        if count is not None and not (taken[place] and words[place].number) and _counts_machines(words, place, last):
            counts[place] = count
    if not counts:
        return None
    places = sorted(counts)
    whole = counts[places[0]]
    for before, place in pairwise(places):
        # "two VSD and four fixed machines" are six; "six machines, two of them screws" are not eight.
        joined = place - before <= DESCRIBED and any(token.text in JOINING for token in words[before + 1 : place])
        whole = whole + counts[place] if joined else max(whole, counts[place])
    for place in places:
        taken[place] = 1
    start, end = words[places[0]].start, words[places[-1]].end
    return Need("controls", "at_least", whole, words=text[start:end], hard=True, shown=f"for {whole} machines",
                start=start)  # fmt: skip


def machines_told(folded: str, numbers: Mapping[str, float]) -> frozenset[str]:
    """The most machines that the text of a sequencer names, as a figure."""
    said = [word for before in TOLD.findall(folded) for word in re.split(r"[\s-]", before)]
    found = [float(word) if word.isdecimal() else numbers.get(word, 0.0) for word in said]
    most = max(found, default=0.0)
    return frozenset({f"{most:g}"}) if 1 < most <= MOST_MACHINES else frozenset()


def _count(token: Token, numbers: Mapping[str, float]) -> int | None:
    value = float(token.text) if token.text.isdecimal() and len(token.text) < 3 else numbers.get(token.text)
    return int(value) if value is not None and 1 < value <= MOST_MACHINES else None


def _counts_machines(words: Sequence[Token], place: int, last: int) -> bool:
    for token in words[place + 1 : min(place + 2 + DESCRIBED, last)]:
        if token.text in MACHINES or token.text.endswith(COMPOUND):
            return True
        if token.text in OTHERS or (not token.soft and token.gap.strip() not in ("", "-")):
            return False
    return False
