"""Purity of air by ISO 8573-1: classes of particles, water and oil as they are written, and what rows hold."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

MOST_CLASSES = 12
"""Of one text."""
PARTS = ("particle_class", "water_class", "oil_class")
DEW_POINTS_F: Mapping[int, float] = MappingProxyType({1: -94, 2: -40, 3: -4, 4: 37.4, 5: 44.6, 6: 50})
"""The highest pressure dew point of a water class. Source: ISO 8573-1:2010, table 2."""
_ISO = (
    r"(?:(?:din\s?)?(?:en\s?)?iso\s?8573(?:\s?-\s?1)?(?:\s?:\s?(?:19|20)\d\d)?"
    r"|iso(?=[\s(\[:]{1,3}[0-9x][.:][0-9x][.:][0-9x](?![0-9.])))"
)
_WORD = (
    r"(?:(?:purity|quality|luftqualitat\w*|qualitat\w*|reinheit\w*)[\s-]?)?(?:class(?:es|e)?|klassen?|clases?|kl\.)"
)
_DIGIT = r"([0-9x-])"
NORM = re.compile(
    r"(?<![a-z0-9])(?:din\s?)?(?:en\s?)?iso\s?8573(?:\s?[-.]\s?1)?(?:\s?[:(]\s?(?:19|20)\d\d\)?)?(?!\d)"
)
CLASS = re.compile(rf"(?<![a-z]){_WORD}(?![a-z])")
TOLD = re.compile(r"8573|iso[\s(\[:]{1,3}[0-9x][.:]|class|klasse|clase|kl\.")
CLASSES = re.compile(
    rf"(?<![a-z0-9])(?:{_ISO}[\s,;:(\[-]{{0,4}}(?:{_WORD})?|{_WORD})[\s,;:(\[-]{{0,4}}?"
    rf"{_DIGIT}\s?([.:/,-])\s?{_DIGIT}\s?\2\s?{_DIGIT}(?![0-9a-z])\s?[\])]?"
)
"""ISO 8573-1:2010 [1:4:1], class 1.4.1, Klasse 1-4-1; a dash or an x for a class that is not asked for."""
_OF = MappingProxyType({
    "particle_class": r"particles?|particulates?|solids|partikel|feststoffe?|particulas|solidos|particules",
    "water_class": r"water|moisture|wasser|feuchte|agua|humedad|eau|humidite",
    "oil_class": r"(?:residual\s)?oil(?:\svapou?r)?|(?:rest)?ol(?:gehalt)?|aceite|huile",
})  # fmt: skip
SINGLE = re.compile("|".join(
    rf"(?<![a-z0-9])(?:(?:{words})[\s,-]{{0,3}}(?:of\s|de\s)?{_WORD}\s?(?P<{name}_a>[1-9])|{_WORD}\s?(?:de\s|d')?"
    rf"(?:(?P<{name}_b>[1-9])[\s,(-]{{0,3}}(?:(?:for|on|fur|bei|para|pour|en|de)\s|d')?(?:{words})"
    rf"|(?:{words})\s?(?P<{name}_c>[1-9])))(?![0-9a-z])"
    for name, words in _OF.items()
))  # fmt: skip
"""Oil class 1, Ölklasse 1, class 1 oil vapor, clase de aceite 1."""


@dataclass(frozen=True, slots=True)
class Purity:
    """A class of a text, by its characters."""

    attribute: str
    value: int
    start: int
    end: int


def purities(folded: str) -> Iterator[Purity]:
    """The classes that a folded text names, each part for itself; class 0 of oil is a certificate."""
    if not TOLD.search(folded):
        return
    spans: list[tuple[int, int]] = []
    for match in islice(CLASSES.finditer(folded), MOST_CLASSES):
        spans.append(match.span())
        for attribute, figure in zip(PARTS, (match[1], match[3], match[4]), strict=True):
            if figure.isdecimal():
                yield Purity(attribute, int(figure), *match.span())
    for match in islice(SINGLE.finditer(folded), MOST_CLASSES):
        if match.lastgroup is not None and not any(low < match.end() and match.start() < high for low, high in spans):
            yield Purity(match.lastgroup[:-2], int(match[match.lastgroup]), *match.span())


def norms(folded: str) -> Iterator[tuple[int, int]]:
    """Where a folded text names the norm of purity beside a class of it."""
    if CLASS.search(folded):
        yield from (match.span() for match in islice(NORM.finditer(folded), MOST_CLASSES))


def held(air_quality: str) -> dict[str, int]:
    """What a folded column of air quality holds: the best class of each part."""
    found: dict[str, int] = {}
    for each in purities(air_quality):
        found[each.attribute] = min(each.value, found.get(each.attribute, each.value))
    if re.search(r"class(?:e)? 0|klasse 0|clase 0", air_quality):
        found["oil_class"] = 0
    return found
