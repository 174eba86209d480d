"""A case's own needs, which the judge grades by, as the needs that a perfect caller would pass.

The judge's terms become rows over the sample's attributes: a pattern becomes the values that it finds in the corpus,
as a caller picks them from a list of values, and a pattern in texts the words that it finds there. What ranking does
with flawless needs is tuned with it; what callers make of words is told by the recorded needs alone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tests.trade.asking import Ask
from tests.trade.cases import Case
from tests.trade.judge import PATTERNS, QUANTITIES
from tests.trade.rows import Corpus, Row
from tests.trades.asking import Asked, NeedRow

UNITS = {"F": "°F", "C": "°C", "dBA": "dB(A)", "mbar": "mbar(a)", "m3": "m³", "m3/h": "m³/h", "m3/min": "m³/min"}
COLUMNS = {"quote_date": "date", "unit_price": "price", "total_price": "total"}
LUBRICATIONS = {"oil-free": "oil-free | oilless", "dry": "oil-free | oilless", "lubricated": "oil-flooded"}
VALUES = {"type": "category", "maker": "manufacturer", "only_maker": "manufacturer", "cooling": "cooling"}
"""Terms that are patterns of a column."""

MOST_WORDS = 6
LONGEST_WORDS = 40
AHEAD = re.compile(r"\(\?=\.\*(.*?)\)(?=\(\?=|$)")
"""One of several things that a text has to speak of, in any order."""

BEFORE, AFTER = re.compile(r"\w*\Z"), re.compile(r"\w*")
QUANTITY = re.compile(r"(>=|<=)?\s*(-?[\d.]+?(?:\.\.-?[\d.]+)?)\s*([A-Za-z%][\w/%]*)")


def as_oracle(corpus: Corpus) -> Ask:
    return lambda case: _asked(case, corpus)


def _asked(case: Case, corpus: Corpus) -> Asked | None:
    """None where rows were named by hand, where several things are asked for, and where nobody has what is."""
    if not case.needs or case.right or "absent" in case.needs:
        return None
    rows = list(corpus.rows[case.tool].values())
    needs = [NeedRow.model_validate(row) for row in _rows(case.needs, rows)]
    direction, _, column = case.extreme.partition(" ")
    sort = ("-" if direction == "most" else "") + COLUMNS.get(column, column)
    return Asked(needs=needs, sort=sort if case.extreme else None)


def _rows(needs: Mapping[str, Any], rows: Sequence[Row], **more: object) -> Iterator[dict[str, object]]:
    for name, value in needs.items():
        match name:
            case "not":
                for denied in _rows(value, rows):
                    yield {**denied, "is": f"not {denied['is']}", **more}
            case "wishes":
                yield from _rows(value, rows, wish=True)
            case "sold":
                yield from _rows(value, [line for row in rows for line in row.lines], **more)
            case _:
                yield from (
                    {"attribute": attribute, "is": asked, **more} for attribute, asked in _need(name, value, rows)
                )


def _need(name: str, value: Any, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    text = " | ".join(value) if isinstance(value, list) else str(value)
    match name:
        case _ if name in QUANTITIES:
            yield COLUMNS.get(QUANTITIES[name][1], QUANTITIES[name][1]), _quantity(text)
        case _ if name in PATTERNS or name in VALUES:
            column = VALUES.get(name, name)
            yield column, " | ".join(_values(rows, column, text)) or text
        case "family" | "model":
            yield name, text
        case "quote":
            yield "quote_number", text
        case "lubrication":
            yield name, LUBRICATIONS.get(text, text)
        case "drive" if text == "vfd":
            yield "speed", "variable-speed"
        case "drive":
            yield name, " | ".join(_values(rows, name, text)) or text
        case "voltage":
            volts, phase = text.split("/")
            yield from (each for each in (("volts", f"{volts} V"), ("phases", phase)) if "*" not in each[1])
        case "medical" if value is True:
            yield name, "yes"
        case "optional":
            yield name, "yes" if value else "no"
        case "dated":
            first, last = text.split("..")
            yield "date", text if first and last else f">= {first}" if first else f"<= {last}"
        case "mentions":
            every = [each[1] for each in AHEAD.finditer(text)] or [text]
            yield from (("description", " | ".join(_words(rows, each)) or each) for each in every)


def _quantity(text: str) -> str:
    found = QUANTITY.fullmatch(text.strip())
    assert found, text
    sign, figures, unit = found.groups()
    unit = unit.upper() if unit in ("usd", "eur", "mxn", "cad", "chf") else UNITS.get(unit, unit)
    return f"{sign or ''} {figures} {unit}".strip()


def _values(rows: Sequence[Row], column: str, pattern: str) -> list[str]:
    have = {row.string(column) for row in rows}
    return sorted(value for value in have if value and re.search(pattern, value, re.IGNORECASE))


def _words(rows: Sequence[Row], pattern: str) -> list[str]:
    """Whole words that hold what the pattern finds, the most frequent first."""
    found: dict[str, int] = {}
    for row in rows:
        for match in re.finditer(pattern, row.text, re.IGNORECASE):
            before, after = BEFORE.search(row.text[: match.start()]), AFTER.match(row.text[match.end() :])
            words = " ".join(f"{before and before[0]}{match[0]}{after and after[0]}".lower().split())
            if 0 < len(words) <= LONGEST_WORDS and "|" not in words:
                found[words] = found.get(words, 0) + 1
    return list(islice(sorted(found, key=lambda words: -found[words]), MOST_WORDS))
