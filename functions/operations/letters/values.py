"""Values of a letter with their places and confidences, and the words by which a letter's parts are told."""

import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from operations.letters.lines import Line
from operations.tables.cells import Habits, Unreadable, number
from quarry.understanding.text import fold

WORDS = Path(__file__).with_name("words.toml")
SURE = 0.8
"""Confidence from which on a value is stored without a person having seen it."""


@dataclass(frozen=True, slots=True)
class LetterValue:
    """A value as the letter has it."""

    text: str
    place: str
    confidence: float


@cache
def words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text("utf-8"))


def plain(text: str) -> str:
    return re.sub(r"[^a-z0-9#]+", " ", fold(text.replace("º", "o").replace("°", "o"))).strip()


def first_words(line: Line) -> str:
    return plain(re.sub(r"[\d.,%€$]+", " ", next((cell for cell in line.cells if cell), "")))


def is_total(line: Line) -> bool:
    first = first_words(line)
    totals = words()["totals"]
    taxed = "%" in line.text and any(re.search(rf"\b{word}\b", first) for word in totals["tax"])
    return taxed or first in (*totals["net"], *totals["any"], *totals["tax"]) or first.startswith(("total ", "netto"))


def amount(cell: str, how: Habits) -> Decimal | None:
    try:
        value, beside = number(cell, decimal=how.decimal)
    except Unreadable:
        return None
    return value if len(beside) <= 6 else None
