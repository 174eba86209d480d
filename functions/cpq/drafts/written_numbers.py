"""Numbers as a letter writes them, amounts, sizes and words among them, with what they round and what they count."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache

from quarry.understanding.needs import Language
from quarry.understanding.numbers import number_at
from quarry.understanding.quantities import Measure
from quarry.understanding.text import STEM, Token, fold, tokens
from quarry.understanding.units import ATMOSPHERE_INHG, INCHES, INHG_PER_MBAR, INHG_PER_PSI, PSI_PER_BAR, fahrenheit
from quarry.understanding.words import Vocabulary

_FIGURE = r"\d[\d.,]*"
_LENGTH = r"(?:mm|cm|m|inch(?:es)?|in\.?|\")"
SIZES = re.compile(
    rf"(?<![\w.])({_FIGURE})\s?{_LENGTH}?\s?[x×]\s?({_FIGURE})\s?{_LENGTH}?\s?[x×]\s?({_FIGURE})\s?({_LENGTH})(?!\w)"
)
"""Length, width and height."""
WRITTEN_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
"""A figure with its points and commas."""
NO_COUNT = frozenset(("pair", "couple", "neuf"))
"""Words of numbers that are as often no figure: a couple of remarks, a new machine."""
PERCENT = frozenset(("pour", "por", "per"))
"""Before a hundred, which is none then."""
SIDES = 3
MONTHS = {
    "jan": 1, "ene": 1, "feb": 2, "fev": 2, "mar": 3, "apr": 4, "abr": 4, "avr": 4, "may": 5, "mai": 5, "jun": 6,
    "juin": 6, "jul": 7, "juil": 7, "aug": 8, "ago": 8, "aou": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11,
    "dec": 12, "dez": 12, "dic": 12,
}  # fmt: skip
"""By the letters with which they begin in the languages of letters, folded."""
DAY = re.compile(
    r"(?<![\w.,/-])(?:(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})"
    r"|(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})(?P=mark)(?P<year>\d{4})"
    r"|(?P<name>[a-z]{3,10})\.?\s(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?P<of>\d{4})"
    r"|(?P<first>\d{1,2})(?:er|\.|st|nd|rd|th)?\s(?:de\s|of\s)?(?P<month>[a-z]{3,10})\.?,?\s(?:de\s)?(?P<in>\d{4}))(?![\w/-])"
)
"""A day with its year, in folded words."""
ABOUT, TELLING = 4, 4
"""Words on either side of a number that say what it counts; letters of a telling word."""


def readings(figure: str) -> tuple[float, ...]:
    """What an amount may be with a point or with a comma before the decimals: 1.200,50 and 1,200.50."""
    bare = re.sub(r"['’\s]", "", figure)
    found = set()
    for decimal, group in ((".", ","), (",", ".")):
        whole = bare.replace(group, "").replace(decimal, ".", 1)
        if whole.replace(".", "", 1).isdigit():
            found.add(float(whole))
    return tuple(sorted(found))


def sides(text: str) -> tuple[float, ...]:
    """The figures of a size in inches, each followed by what its rounding hides; empty where they are not three."""
    figures = [each.rstrip(".,") for each in re.findall(_FIGURE, text)]
    unit = re.search(rf"(?<=[\d\s])({_LENGTH})\W*$", text)
    factor = INCHES.get(unit[1], 1.0) if unit else 1.0
    plain = [re.sub(r",(?=\d{3}(?!\d))", "", figure).replace(",", ".") for figure in figures]
    try:
        values = [float(figure) for figure in plain]
    except ValueError:
        return ()
    round_mm = factor == INCHES["mm"] and all(value % 10 == 0 for value in values)
    halves = [5.0 if round_mm else 0.5 * 10.0 ** -len(figure.partition(".")[2]) for figure in plain]
    exact = [(value * factor, (half if factor != 1.0 else 0.0) * factor + 1e-6)
             for value, half in zip(values, halves, strict=True)]  # fmt: skip
    return tuple(number for pair in exact for number in pair) if len(values) == SIDES else ()


def days(text: str) -> Iterator[tuple[int, int, Sequence[date]]]:
    """The days that a text names with their year: place, end, and what each may be, for either number may be the
    month's.
    """
    for match in DAY.finditer(fold(text)):
        year = match["y"] or match["year"] or match["of"] or match["in"]
        named = match["name"] or match["month"]
        if named:
            month = next((MONTHS[named[:size]] for size in (4, 3) if named[:size] in MONTHS), 0)
            read: list[tuple[int | str, str]] = [(month, match["day"] or match["first"])]
        elif match["y"]:
            read = [(match["m"], match["d"])]
        else:
            read = [(match["one"], match["two"]), (match["two"], match["one"])]
        yield match.start(), match.end(), [day for pair in read if (day := _day(year, *pair)) is not None]


def _day(year: int | str, month: int | str, day: int | str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


@cache
def _counting() -> Mapping[Language, Vocabulary]:
    """The words that ship with the numbers of one language alone: twelve cents are no twelve hundred in French."""
    shipped = Vocabulary.shipped()
    return {language: replace(shipped, numbers=numbers) for language, numbers in shipped.numbers_of.items()}


def spelled(text: str, language: Language | None = None) -> Iterator[tuple[int, str, str]]:
    """The numbers from two that a text spells out in a language, or in any: place, words and digits."""
    folded = fold(text)
    words = tokens(folded)
    known = list(_counting().values()) if language is None else [_counting()[language]]
    place = 0
    while place < len(words):
        first, before = words[place], words[place - 1].text if place else ""
        counting = first.text not in NO_COUNT and before not in PERCENT
        own = next((each for each in known if counting and first.text in each.numbers), None)
        number = number_at(folded, words, place, vocabulary=own) if own is not None else None
        if number is not None and number.value > 1:
            yield first.start, text[first.start : number.end], f"{number.value:.10g}"
        place = place + 1 if number is None else number.last


def words_about(words: Sequence[Token], place: int) -> frozenset[str]:
    """The words of four letters and more near that at `place`, each by its beginning, which endings leave alone."""
    near = words[max(0, place - ABOUT) : place + ABOUT + 1]
    return frozenset(word.text[:STEM] for word in near if len(word.text) >= TELLING and not word.number)


def telling(folded: str) -> frozenset[str]:
    """The beginnings of its words of four letters and more, and its numbers of two digits and more."""
    words = re.findall(r"[^\W\d_]{4,}", folded)
    return frozenset([*(word[:STEM] for word in words), *re.findall(r"\d{2,}", folded)])


def number_keys(text: str) -> set[str]:
    """A number beside each of its neighbours, as `supported_number` looks for it."""
    words = tokens(fold(text)) if len(text) < 2_000 else [
        token for part in re.findall(r"(?s).{1,1500}(?:\s|$)", text) for token in tokens(fold(part))
    ]  # fmt: skip
    keys: set[str] = set()
    for place, token in enumerate(words):
        if token.number:
            keys.add(token.text)
            keys.update(f"{words[at].text} {token.text}" for at in (place - 1, place + 1) if 0 <= at < len(words))
    return keys


def canonical(measure: Measure) -> list[tuple[str, float]]:
    """The catalogue's columns that a measure may be of, with its value in their units."""
    value, kind = measure.low, measure.attribute
    if kind in ("hp", "cfm", "gallons"):
        return [(kind, value)]
    if kind == "pressure":
        return [("psi", abs(value)), ("vacuum_inhg", abs(value) * INHG_PER_PSI)]
    if kind == "mbar":
        depth = abs(value) * INHG_PER_MBAR
        return [
            ("psi", abs(value) * PSI_PER_BAR / 1000),
            ("vacuum_inhg", depth),
            ("vacuum_inhg", ATMOSPHERE_INHG - depth),
        ]
    if kind == "inhg":
        return [("vacuum_inhg", ATMOSPHERE_INHG - value if measure.unit.absolute else abs(value))]
    if kind in ("bara", "psia"):
        return [("psi", value - 14.7), ("vacuum_inhg", ATMOSPHERE_INHG - value * INHG_PER_PSI)]
    if kind.startswith("temperature"):
        return [("dewpoint_f", fahrenheit(value) if kind.startswith("temperature_c") else value)]
    if kind == "in":
        return [(side, value) for side in ("length_in", "width_in", "height_in")]
    return [({"dba": "noise_dba", "lb": "weight_lb"}.get(kind, kind), value)]


def rounding(measure: Measure, text: str) -> float:
    """Half a unit of the last digit that is written, in the measure's base unit."""
    figures = WRITTEN_FIGURE.findall(text)
    last = figures[-1] if figures else "0"
    point = re.search(r"[.,](\d{1,2}|\d{4,})$", last)
    quantum = 10.0 ** -len(point[1]) if point else 1.0
    return 0.5 * quantum * (measure.unit.factor or 1.0)
