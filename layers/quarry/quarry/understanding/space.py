"""The space that is there for a machine, as it is written: a spot of 1.5 m by 1 m, a door 36 x 80 inches."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

from quarry.understanding.units import INCHES, LONGEST_IN, unit_at

MOST_SPACES = 6
"""Of one text."""
NEAR = 70
"""Characters between the measures and the word that makes them a space."""
_UNIT = (
    r"(?:(?P<mm{n}>mm|millim\w+)|(?P<cm{n}>cm|centim\w+|zentim\w+)"
    r"|(?P<ft{n}>ft\.?|feet|foot|fus|pies?|pieds?|'(?!'))"
    r"(?:[\s-]?(?P<more{n}>\d{{1,2}})\s?(?:in\.?|inch(?:es)?|\"|''|zoll|pulgadas?|pouces?))?"
    r"|(?P<in{n}>in\.?|inch(?:es)?|\"|''|zoll|pulgadas?|pouces?)|(?P<m{n}>m|mtr?s?|met(?:er|re)[sn]?|metros?))(?![a-z0-9])"
)
_WORD = (
    r"(?:\s?(?P<side{n}>long|length|deep|depth|wide|width|high|tall|height|[lwdhbt]|lang|lange|tief|tiefe|breit|breite"
    r"|hoch|hohe|largo|fondo|ancho|alto|altura|longueur|profondeur|largeur|large|hauteur|haut)(?![a-z0-9]))?"
)
_FIGURE = r"(?P<figure{n}>\d{{1,4}}(?:[.,]\d{{1,3}})?)[\s-]?(?:{unit})?{word}"
_BETWEEN = r"\s?,?\s?(?:x|by|mal|auf|por|sur|par|\*|and|und|y|et)\s?"


def _one(n: int) -> str:
    return _FIGURE.format(n=n, unit=_UNIT.format(n=n), word=_WORD.format(n=n))


MEASURES = re.compile(rf"(?<![\d.,a-z/-]){_one(1)}{_BETWEEN}{_one(2)}(?:{_BETWEEN}{_one(3)})?(?![a-z0-9/])")
OF_A_SPACE = re.compile(
    r"\bspace|\brooms?\b|\barea\b|footprint|\bfits?\b|\bfitting\b|squeeze|\bspot\b|\bcorner|alcove|closet|niche|\bpad\b"
    r"|\bdoor|opening|elevator|hatch|freight lift|floor\b|platz|stellflache|flache\b|raum\b|nische|passt|passen"
    r"|\bture?\b|aufzug|offnung|aufstell|espacio|\bcabe|\bcaben|lugar|hueco|superficie|puerta|elevador|montacargas"
    r"|rincon|emplacement|encombrement|\bplace\b|\btenir|\btient|\bloger|surface|\bporte\b"
    r"|monte-charge|ouverture|\bcoin\b|recoin"
)
OF_MACHINES = frozenset(("in", "mm", "cm"))
JOINED = re.compile(r"\d[\s\W]*(?:in|mm|cm|inch\w*|zoll|pulgadas|pouces)?\W*(?:and|und|y|et)\s|,\s")
"""Between two measures that make no surface: 27" and 250 acfm."""
LEAST_IN = 20.0
"""From which two measures without a word are of a machine or its place: 48 x 40 in."""
OF_OTHER_THINGS = re.compile(
    r"tank|receiver|vessel|manway|flange|filter|pipe|hose|duct|panel|plate|behalter|kessel|flansch|rohr|schlauch|kanal"
    r"|deposito|tanque|brida|tubo|manguera|cuve|reservoir|bride|tuyau|gaine|\bbags?\b|sheet|board"
)
A_DOOR = re.compile(
    r"\bdoor|opening|elevator|hatch|\bture?\b|aufzug|offnung|puerta|elevador|montacargas|\bporte\b|monte-charge|ouverture"
)
A_FLOOR = re.compile(
    r"\bfloor\b|footprint|\barea\b|\bpad\b|\w*flache\b|boden\b|\bpiso\b|\bsuelo\b|superficie|\bsurface|\bsol\b"
)
CLAUSE = re.compile(r"[,;.]")
DOOR = frozenset({"door"})
"""The value of a need of a width or height that is the opening's through which the machine has to come."""
FLOOR = frozenset({"floor"})
"""The value of a need of a length or width that is the floor's, on which the machine may be turned."""
_SIDES = (
    ("length_in", re.compile(r"l|long|length|lang|lange|deep|depth|d|t|tief|tiefe|largo|fondo|longueur|profondeur")),
    ("width_in", re.compile(r"w|b|wide|width|breit|breite|ancho|largeur|large")),
    ("height_in", re.compile(r"h|high|tall|height|hoch|hohe|alto|altura|hauteur|haut")),
)


@dataclass(frozen=True, slots=True)
class Space:
    """The most that a machine may measure, in inches, by attribute."""

    most: Mapping[str, float]
    start: int
    end: int
    floor: bool = False
    """True where length and width are the longer and the shorter side, whichever the machine's are called."""


def spaces(folded: str) -> Iterator[Space]:
    """Every space of a folded text, in order; measures of a pipe or a flange are none."""
    for match in islice(MEASURES.finditer(folded), MOST_SPACES):
        before, behind = folded[max(0, match.start() - NEAR) : match.start()], folded[match.end() :][:NEAR]
        near = f"{before}{match[0]}{behind}"
        lettered = match["side1"] and match["side2"]
        figures = [(n, float(match[f"figure{n}"].replace(",", "."))) for n in (1, 2, 3) if match[f"figure{n}"]]
        units = {n: next((name for name in INCHES if match[f"{name}{n}"]), None) for n, _ in figures}
        if len(figures) == 3 and units[3] is None and unit_at(folded, match.end("figure3")) is not None:
            figures.pop()  # of "48 by 40 inches, and 58 dBA" the last is none
        last = next((units[n] for n, _ in reversed(figures) if units[n]), None)
        if last is None:
            continue
        inches = [(n, value * INCHES[units[n] or last] + float(match[f"more{n}"] or 0)) for n, value in figures]
        if not lettered and not OF_A_SPACE.search(near):
            small = last not in OF_MACHINES or min(value for _, value in inches) < LEAST_IN
            if small or JOINED.search(match[0]) or OF_OTHER_THINGS.search(near):
                continue
        if max(value for _, value in inches) > LONGEST_IN:
            continue
        end = max(match.end(f"{part}{figures[-1][0]}") for part in ("figure", *INCHES, "more", "side"))
        door = _nearness(A_DOOR, before, behind) < _nearness(A_FLOOR, before, behind)
        sides = _sides(match, inches, door=door)
        named = any(match[f"side{n}"] for n, _ in figures)
        yield Space(MappingProxyType(sides), match.start(), end, floor=not named and "length_in" in sides)


def _nearness(pattern: re.Pattern[str], before: str, behind: str) -> float:
    """Characters between the measures and the nearest word of the pattern, more where a clause ends between them;
    infinite without one.
    """
    between = [*(before[each.end() :] for each in pattern.finditer(before))][-1:]
    between += [behind[: each.start()] for each in islice(pattern.finditer(behind), 1)]
    return min((len(each) + NEAR * len(CLAUSE.findall(each)) for each in between), default=math.inf)


def _sides(match: re.Match[str], inches: list[tuple[int, float]], *, door: bool) -> dict[str, float]:
    """Which side each figure is of, by its word; else a door is wide and high, and floor is long and wide."""
    named = {side: value for n, value in inches if match[f"side{n}"]
             for side, pattern in _SIDES if pattern.fullmatch(match[f"side{n}"])}  # fmt: skip
    if len(named) == len(inches):
        return named
    values = [value for _, value in inches]
    if len(values) == 2 and door:
        return {"width_in": min(values), "height_in": max(values)}
    return dict(
        zip(("length_in", "width_in", "height_in"), (*sorted(values[:2], reverse=True), *values[2:]), strict=False)
    )
