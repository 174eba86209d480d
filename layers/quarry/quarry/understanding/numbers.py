"""Numbers in figures and in words: 1.200, 7 1/2, two hundred and fifty."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quarry.understanding.needs import Language
from quarry.understanding.text import Token
from quarry.understanding.units import Unit, unit_at
from quarry.understanding.words import Vocabulary

FRACTION = re.compile(r"(?:(\d{1,3})[\s-])?(\d)/(\d{1,2})(?![\d/])")
HALVES = {"½": 0.5, "¼": 0.25, "¾": 0.75}
HALF_MORE = (["and", "a", "half"], ["and", "half"], ["y", "medio"], ["y", "media"], ["et", "demi"], ["et", "demie"])
HIGHEST = {"hp": 6000.0, "cfm": 200_000.0, "pressure": 6000.0, "gallons": 100_000.0}


LABELLED = frozenset((
    "class", "category", "cat", "type", "level", "grade", "nfpa", "iso", "din", "dn", "pn", "nema", "ip", "nps",
    "schedule", "sch", "klasse", "kategorie", "kat", "typ", "stufe", "norm", "clase", "categoria", "tipo", "nivel",
    "norma", "classe", "categorie", "niveau", "norme", "press", "presse", "prensa",
))  # fmt: skip
"""Before the figure of a norm, a class or a kind, which measures nothing: NFPA 99, Category 1, DN 50, press 3."""


@dataclass(frozen=True, slots=True)
class Number:
    value: float
    text: str
    last: int
    end: int


def is_a_label(words: Sequence[Token], place: int, folded: str) -> bool:
    """Whether a figure tells a class or a norm; with a unit of more than a letter behind it is a size after all."""
    if place == 0 or words[place - 1].text not in LABELLED or len(words[place].gap) > 2:
        return False
    unit = unit_at(folded, words[place].end)
    return unit is None or unit[0].name in ("f", "c", "l", "in")


def decimal(text: str, *, language: Language, unit: Unit | None) -> float | None:
    """What a figure says in its language: 1.200 m³/h is 1200, 1,200 in English too, 7,5 is 7.5 everywhere."""
    points, commas = text.count("."), text.count(",")
    if points and commas:
        thousands, mark = (".", ",") if text.rfind(",") > text.rfind(".") else (",", ".")
        text = text.replace(thousands, "").replace(mark, ".", 1)
    elif points + commas > 1:
        parts = re.split("[.,]", text)
        text = "".join(parts) if all(len(part) == 3 for part in parts[1:]) else "x"
    elif points + commas:
        mark = "." if points else ","
        whole, part = text.split(mark)
        grouped = len(part) == 3 and whole.lstrip("0") != "" and len(whole) < 4
        if grouped and (mark == ",") != (language == "en") and not (unit is not None and unit.large):
            grouped = False
        elif grouped and unit is not None:
            grouped = float(whole + part) * unit.factor <= HIGHEST.get(unit.attribute, 1e9)
        text = whole + part if grouped else f"{whole}.{part}"
    try:
        return float(text)
    except ValueError:
        return None


def number_at(folded: str, words: Sequence[Token], place: int, *, vocabulary: Vocabulary) -> Number | None:
    """The number that begins at a token, in figures or in words, with the text that figures have."""
    token = words[place]
    if token.number:
        fraction = FRACTION.match(folded, token.start)
        if fraction is not None and int(fraction[3]) in (2, 4, 8, 16):
            value = int(fraction[1] or 0) + int(fraction[2]) / int(fraction[3])
            return Number(value, "", token_after(words, place, fraction.end()), fraction.end())
        half = HALVES.get(folded[token.end : token.end + 1])
        if half is not None and len(token.text) < 9:
            return Number(float(token.text.replace(",", "")) + half, "", place + 2, token.end + 1)
        if len(token.text) > 12:
            return None
        return Number(0.0, token.text, place + 1, token.end)
    return _spelled(words, place, vocabulary=vocabulary)


def _spelled(words: Sequence[Token], place: int, *, vocabulary: Vocabulary) -> Number | None:
    total, current, last, end = 0.0, 0.0, place, 0
    for token in words[place : place + 7]:
        if last > place and not token.soft:
            break
        value = vocabulary.numbers.get(token.text)
        if value is None:
            linked = token.text in ("and", "y", "et") and current >= 100 and last + 1 < len(words)
            if not linked or words[last + 1].text not in vocabulary.numbers:
                break
            last += 1
            continue
        if value >= 1000:
            total, current = total + (current or 1) * value, 0
        elif value == 100:
            current = (current or 1) * value
        elif last > place and (current % 10 or value >= 10) and current % 100:
            break
        else:
            current += value
        last, end = last + 1, token.end
    half = [token.text for token in words[last : last + 3]]
    if end and (half[:2] in HALF_MORE or half in HALF_MORE):
        last += len(half if half in HALF_MORE else half[:2])
        return Number(total + current + 0.5, "", last, words[last - 1].end)
    return Number(total + current, "", last, end) if end else None


def spoken_hundreds(words: Sequence[Token], place: int, *, vocabulary: Vocabulary) -> Number | None:
    """Hundreds that are not said: "one twenty five" is 125, "three fifty" 350."""
    value = vocabulary.numbers.get(words[place].text)
    if value is None or not 1 <= value <= 9 or place + 1 >= len(words) or not words[place + 1].soft:
        return None
    rest = _spelled(words, place + 1, vocabulary=vocabulary)
    if rest is None or not 10 <= rest.value <= 99:
        return None
    return Number(100 * value + rest.value, "", rest.last, rest.end)


def token_after(words: Sequence[Token], place: int, position: int) -> int:
    while place < len(words) and words[place].start < position:
        place += 1
    return place
