"""A quote as its letter says it: head, line items and totals, each value verbatim with its place and a confidence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from operations.letters.head import read_head
from operations.letters.items import LEAST_COLUMNS, UNTOLD, LetterItem, columns_of, extended, read_items
from operations.letters.lines import LetterLine, LetterValue, amount, first_words, is_total, plain, words
from operations.tables.cells import Habits, currency_of, habits
from operations.tables.names import NO_FAMILIES, Families

AMOUNT = re.compile(r"(?:[A-Z]{3}\s?|[€$£]\s?)?\d[\d.,'’]*(?:\s?(?:€|\$|£|[A-Z]{3}))?")


@dataclass(slots=True)
class LetterQuote:
    """``items`` in the order of the letter."""

    head: dict[str, LetterValue]
    items: list[LetterItem]


def read_quote(lines: Sequence[LetterLine], *, families: Families = NO_FAMILIES) -> LetterQuote:
    dates = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}")
    how = habits(cell for line in lines for cell in (*line.cells, *dates.findall(line.text)))
    head = read_head(lines, how)
    items = read_items(lines, how, families=families)
    _totals(lines, items, head, how)
    currencies = {code for line in lines for cell in line.cells if (code := _currency_of_amount(cell))}
    currencies |= {
        code for line in lines if len(columns_of(line)) >= LEAST_COLUMNS for code in _currencies_named(line)
    }
    if len(currencies) == 1:
        place = next(line.place for line in lines if currencies & {*_currencies_named(line)})
        head["currency"] = LetterValue(currencies.pop(), place, 0.95)
    return LetterQuote(head, items)


def _currency_of_amount(cell: str) -> str | None:
    return currency_of(cell) if any(sign.isdigit() for sign in cell) and len(cell) < 40 else None


def _currencies_named(line: LetterLine) -> list[str]:
    """Those that a line's amounts, or the names of its columns, say."""
    return [code for cell in line.cells if len(cell) < 40 and (code := currency_of(cell))]


def _totals(
    lines: Sequence[LetterLine], items: Sequence[LetterItem], head: dict[str, LetterValue], how: Habits
) -> None:
    """The total without tax; the sum of the items that are not optional makes it sure.

    Items behind a total that a later total counts in are another lot and no options.
    """
    said = {value for line in lines if is_total(line) for cell in line.cells if (value := amount(cell, how))}
    lots = [item for item in items if "optional" in item.fields and item.fields["optional"].confidence == UNTOLD]
    counted = [item for item in items if "optional" not in item.fields or item in lots]
    if lots and sum((extended(item, how) for item in counted), Decimal(0)) in said:
        for item in lots:
            del item.fields["optional"]
    expected = sum((extended(item, how) for item in items if "optional" not in item.fields), Decimal(0))
    sold = {item.fields["description"].place for item in items}
    # What is taken off below the items is in no line of them: their sum is not what was asked for.
    taken_off = any(
        line.place not in sold and first_words(line).split(" ")[0] in words()["lines"]["discount"]
        and any(amount(cell, how) is not None for cell in line.cells)
        for line in lines
    )  # fmt: skip
    totals = words()["totals"]
    best: LetterValue | None = None
    for line in lines:
        if not is_total(line):
            continue
        amounts = [cell for cell in line.cells if amount(cell, how) is not None]
        amounts = amounts or [found for found in AMOUNT.findall(line.text)[-1:] if amount(found, how) is not None]
        if not amounts:
            continue
        label = plain(re.sub(r"[\d.,%€$]+", " ", line.cells[0]))
        value = amount(amounts[-1], how)
        confidence = 0.95 if value == expected and items and not taken_off else 0.7 if label in totals["net"] else 0.5
        if label not in totals["tax"] and (best is None or confidence > best.confidence):
            best = LetterValue(amounts[-1], line.place, confidence)
    if best is not None:
        head["total_price"] = best
