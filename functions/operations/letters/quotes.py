"""A quote as its letter says it: head, line items and totals, each value verbatim with its place and a confidence."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from operations.letters.lines import Line
from operations.tables.cells import Habits, Unreadable, currency_of, day, habits, number
from operations.tables.names import bare, family_named, likeness
from quarry.understanding.text import fold

WORDS = Path(__file__).with_name("words.toml")
SURE = 0.8
"""Confidence from which on a value is stored without a person having seen it."""

HEAD_LINES = 40
UNTOLD = 0.6
"""Confidence that what stands behind a total, and is not called so, is an option."""
LEAST_COLUMNS = 3
"""That a line names to be the header of a table of items."""
AMOUNT = re.compile(r"(?:[A-Z]{3}\s?|[€$£]\s?)?\d[\d.,'’]*(?:\s?(?:€|\$|£|[A-Z]{3}))?")
NUMBER = re.compile(r"[A-Z]{0,6}[-/ ]?\d[\w/.-]*")
COLUMNS = ("position", "sku", "description", "name", "quantity", "price", "extended")


@dataclass(frozen=True, slots=True)
class LetterValue:
    """A value as the letter has it."""

    text: str
    place: str
    confidence: float


@dataclass(slots=True)
class LetterItem:
    """A line of the quote; ``checked`` says that quantity times price is what the line costs."""

    fields: dict[str, LetterValue] = field(default_factory=dict)

    @property
    def checked(self) -> bool:
        return all(
            name in self.fields and self.fields[name].confidence >= SURE for name in ("quantity", "unit_price")
        )


@dataclass(slots=True)
class LetterQuote:
    """``items`` in the order of the letter."""

    head: dict[str, LetterValue]
    items: list[LetterItem]


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text("utf-8"))


def read_quote(lines: Sequence[Line]) -> LetterQuote:
    dates = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}")
    how = habits(cell for line in lines for cell in (*line.cells, *dates.findall(line.text)))
    head = _head(lines, how)
    items = _items(lines, how)
    _totals(lines, items, head, how)
    currencies = {code for line in lines for cell in line.cells if (code := _currency_of_amount(cell))}
    currencies |= {code for line in lines if len(_columns(line)) >= LEAST_COLUMNS for code in _currencies_named(line)}
    if len(currencies) == 1:
        place = next(line.place for line in lines if currencies & {*_currencies_named(line)})
        head["currency"] = LetterValue(currencies.pop(), place, 0.95)
    return LetterQuote(head, items)


def _currency_of_amount(cell: str) -> str | None:
    return currency_of(cell) if any(sign.isdigit() for sign in cell) and len(cell) < 40 else None


def _currencies_named(line: Line) -> list[str]:
    """Those that a line's amounts, or the names of its columns, say."""
    return [code for cell in line.cells if len(cell) < 40 and (code := currency_of(cell))]


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9#]+", " ", fold(text.replace("º", "o").replace("°", "o"))).strip()


# The head


def _head(lines: Sequence[Line], how: Habits) -> dict[str, LetterValue]:
    found: dict[str, LetterValue] = {}
    for at, line in enumerate(lines):
        if at > HEAD_LINES and "terms" in found:
            break
        for place, cell in enumerate(line.cells):
            following = line.cells[place + 1] if place + 1 < len(line.cells) else ""
            below = lines[at + 1] if at + 1 < len(lines) else Line("", ())
            for name, labels in _words()["labels"].items():
                if name in found or (at > HEAD_LINES and name != "terms"):
                    continue
                said = _labelled(name, labels, cell, following, line, how)
                if said is None and place < len(below.cells) and _plain(cell) in labels:
                    said = _below(name, below.cells[place], below.place, how)
                if said is not None:
                    found[name] = said
    if "quote_date" not in found:
        for line in lines[:HEAD_LINES]:
            if dates := [cell for cell in _pieces(line) if _is("quote_date", cell, how)]:
                found["quote_date"] = LetterValue(dates[0], line.place, 0.6)
                break
    return found


def _pieces(line: Line) -> Iterator[str]:
    """The cells, and the parts of each behind a comma: "Goslar, 14.03.2023"."""
    for cell in line.cells:
        yield cell
        yield from (part.strip() for part in cell.split(",")[1:])
        yield from (part for part in cell.split() if "." in part or "/" in part)


def _labelled(
    name: str, labels: Sequence[str], cell: str, following: str, line: Line, how: Habits
) -> LetterValue | None:
    """The value behind a label, in the same cell or in the next one."""
    label, sign, rest = cell.partition(":")
    if sign and _plain(label) in labels:
        value = rest.strip() or following.strip()
        return LetterValue(value, line.place, 0.95) if value and _is(name, value, how) else None
    if _plain(cell) in labels and following and not _is_label(following):
        if _is(name, following, how):
            return LetterValue(following.strip(), line.place, 0.9)
        begins = re.match(NUMBER, following)
        if name == "quote_number" and begins and not following[begins.end() : begins.end() + 1].isalnum():
            return LetterValue(begins[0].rstrip(".,"), line.place, 0.85)
    if name == "quote_number":
        for known in sorted(labels, key=len, reverse=True):
            if _plain(cell).startswith(known + " "):
                rest = _after(cell, known)
                if found := re.match(NUMBER, rest):
                    exact = known.split()[-1] in ("no", "nr", "number", "n", "#") or known.endswith("nummer")
                    return LetterValue(found[0].rstrip(".,"), line.place, 0.95 if exact else 0.85)
    if name == "quote_date":
        return _dated(cell, labels, line, how)
    if name == "contact":
        for known in labels:
            if len(known) > 3 and _plain(cell).startswith(known + " "):
                return LetterValue(_after(cell, known), line.place, 0.85)
    return None


def _dated(cell: str, labels: Sequence[str], line: Line, how: Habits) -> LetterValue | None:
    """The date behind a label without a sign between them: "Date 6/14/24", "DEVIS N° 118 du 12/03/2024"."""
    found = re.search(r"(?:^|\s)([a-zA-Z]+)\s+(\d[\d./-]{5,9})$", cell.strip())
    if found is None or not _is("quote_date", found[2], how):
        return None
    numbered = any(_plain(cell).startswith(f"{known} ") for known in _words()["labels"]["quote_number"])
    if _plain(found[1]) in labels or (numbered and _plain(found[1]) in ("du", "del", "of", "vom", "dated")):
        return LetterValue(found[2], line.place, 0.85)
    return None


def _below(name: str, cell: str, place: str, how: Habits) -> LetterValue | None:
    """The value that stands under a label which stands alone."""
    if not cell or ":" in cell or _is_label(cell) or not _is(name, cell, how):
        return None
    return LetterValue(cell.strip(), place, 0.85)


def _is_label(cell: str) -> bool:
    return any(_plain(cell) in labels for labels in _words()["labels"].values())


def _after(cell: str, label: str) -> str:
    """What stands behind a label of as many words, signs between them left out."""
    rest = cell
    for _ in label.split():
        rest = re.sub(r"^\W*[\w#]+", "", rest, count=1)
    return rest.strip(" .:°º#")


def _is(name: str, value: str, how: Habits) -> bool:
    if name == "quote_date":
        try:
            day(value.strip(" ."), order=how.dates)
        except Unreadable:
            return False
        return True
    if name == "quote_number":
        return NUMBER.fullmatch(value.strip()) is not None
    return any(sign.isalpha() for sign in value)


# The lines


def _items(lines: Sequence[Line], how: Habits) -> list[LetterItem]:
    start = next((at for at, line in enumerate(lines) if len(_columns(line)) >= LEAST_COLUMNS), None)
    if start is None:
        return []
    columns = _columns(lines[start])
    items: list[LetterItem] = []
    optional = options = False
    for line in lines[start + 1 :]:
        again = _columns(line)
        if again.keys() == columns.keys():
            columns = again
            continue
        if _first_words(line) in _words()["lines"]["carried"]:
            continue
        if _is_total(line):
            if items:
                optional = True
            continue
        item = _item(line, columns, how, width=len(lines[start].cells))
        if item is not None:
            # Behind the total stand options, if their sum is right, and taxes, and figures of the terms.
            if optional and not item.checked:
                continue
            if options or _says_optional(item.fields["description"].text):
                item.fields["optional"] = LetterValue("yes", line.place, 0.85)
            elif optional:
                # Another lot, or an option: the totals tell, or a person.
                item.fields["optional"] = LetterValue("yes", line.place, UNTOLD)
            items.append(item)
        elif _says_optional(line.text) and len(line.text.split()) < 5:
            optional = options = True
        elif items and not optional and _goes_on(line):
            described = items[-1].fields["description"]
            text = f"{described.text}\n{line.text}"
            items[-1].fields["description"] = LetterValue(text, described.place, described.confidence)
    for item in items:
        described = item.fields["description"]
        if family := family_named(described.text):
            item.fields["family"] = LetterValue(family, described.place, 0.85)
    return items


def _columns(line: Line) -> dict[str, int]:
    """The columns that a header names, by what they hold."""
    found: dict[str, int] = {}
    for at, cell in enumerate(line.cells):
        concepts = likeness(bare(cell)[0])
        for concept in COLUMNS:
            if concepts.get(concept, 0.0) >= SURE and concept not in found and at not in found.values():
                found[concept] = at
                break
    return found if "quantity" in found or "price" in found else {}


def _says_optional(text: str) -> bool:
    return any(re.match(rf"{word}\b", _plain(text)) for word in _words()["lines"]["optional"])


def _first_words(line: Line) -> str:
    return _plain(re.sub(r"[\d.,%€$]+", " ", next((cell for cell in line.cells if cell), "")))


def _is_total(line: Line) -> bool:
    first = _first_words(line)
    words = _words()["totals"]
    taxed = "%" in line.text and any(re.search(rf"\b{word}\b", first) for word in words["tax"])
    return taxed or first in (*words["net"], *words["any"], *words["tax"]) or first.startswith(("total ", "netto"))


def _goes_on(line: Line) -> bool:
    """Text under a line's description; a line that begins a new part of the letter has a label or is a sentence."""
    return 0 < len(line.text) < 200 and ":" not in line.text[:25] and not line.text.endswith((".", ","))


def _item(line: Line, columns: dict[str, int], how: Habits, *, width: int) -> LetterItem | None:
    """The line as an item, where it has a description and an amount at its end."""
    cells = list(line.cells)
    amounts = [at for at, cell in enumerate(cells) if _amount(cell, how) is not None]
    wordy = [at for at, cell in enumerate(cells) if sum(1 for sign in cell if sign.isalpha()) >= 4]
    if not amounts or not wordy:
        return None
    places = columns if len(cells) == width else _by_order(amounts, wordy[0])
    item = LetterItem()
    for name, concept in (("description", "description"), ("quantity", "quantity"), ("unit_price", "price")):
        at = places.get(concept, places.get("name") if concept == "description" else None)
        if at is not None and at < len(cells) and cells[at]:
            item.fields[name] = LetterValue(cells[at], line.place, 0.6)
    if (at := places.get("extended")) is not None and at < len(cells) and cells[at]:
        item.fields["extended_price"] = LetterValue(cells[at], line.place, 0.6)
    if (at := places.get("sku")) is not None and at < len(cells) and cells[at] and at != places.get("position"):
        item.fields["model"] = LetterValue(cells[at], line.place, 0.6)
    if "description" not in item.fields and "model" in item.fields and at == wordy[0]:
        item.fields["description"] = item.fields.pop("model")
    if "description" not in item.fields or not item.fields.keys() & {"unit_price", "extended_price"}:
        return None
    if "unit_price" not in item.fields:
        _prove_price(item, [cells[at] for at in amounts if at not in places.values()], line.place, how)
    _check(item, how)
    return item


def _prove_price(item: LetterItem, others: Sequence[str], place: str, how: Habits) -> None:
    """The amount under a name that says nothing, such as "Unit", which times the quantity is what the line costs."""
    quantity = _amount(item.fields["quantity"].text, how) if "quantity" in item.fields else None
    found = [cell for cell in others if quantity and (_amount(cell, how) or 0) * quantity == _extended(item, how)]
    if len(found) == 1:
        item.fields["unit_price"] = LetterValue(found[0], place, UNTOLD)


def _by_order(amounts: Sequence[int], wordy: int) -> dict[str, int]:
    """A line with fewer cells than its header: the last amounts are prices, a number before them is the quantity."""
    behind = [at for at in amounts if at > wordy]
    names = {1: ("extended",), 2: ("price", "extended")}.get(len(behind), ("quantity", "price", "extended"))
    found = dict(zip(reversed(names), reversed(behind), strict=False))
    return {"description": wordy, **found}


def _amount(cell: str, how: Habits) -> Decimal | None:
    try:
        value, beside = number(cell, decimal=how.decimal)
    except Unreadable:
        return None
    return value if len(beside) <= 6 else None


def _check(item: LetterItem, how: Habits) -> None:
    """Quantity times price that is what the line costs makes all three sure, and so the description between them."""
    values = {
        name: value
        for name in ("quantity", "unit_price", "extended_price")
        if name in item.fields and (value := _amount(item.fields[name].text, how)) is not None
    }
    if len(values) == 3 and abs(values["quantity"] * values["unit_price"] - values["extended_price"]) < Decimal(
        "0.02"
    ):
        for name, said in item.fields.items():
            item.fields[name] = LetterValue(said.text, said.place, max(said.confidence, 0.95))
    elif "model" in item.fields:
        item.fields["model"] = LetterValue(item.fields["model"].text, item.fields["model"].place, 0.5)


def _extended(item: LetterItem, how: Habits) -> Decimal:
    said = item.fields.get("extended_price")
    return (_amount(said.text, how) if said else None) or Decimal(0)


def _totals(lines: Sequence[Line], items: Sequence[LetterItem], head: dict[str, LetterValue], how: Habits) -> None:
    """The total without tax; the sum of the items that are not optional makes it sure.

    Items behind a total that a later total counts in are another lot and no options.
    """
    said = {value for line in lines if _is_total(line) for cell in line.cells if (value := _amount(cell, how))}
    lots = [item for item in items if "optional" in item.fields and item.fields["optional"].confidence == UNTOLD]
    counted = [item for item in items if "optional" not in item.fields or item in lots]
    if lots and sum((_extended(item, how) for item in counted), Decimal(0)) in said:
        for item in lots:
            del item.fields["optional"]
    expected = sum((_extended(item, how) for item in items if "optional" not in item.fields), Decimal(0))
    sold = {item.fields["description"].place for item in items}
    # What is taken off below the items is in no line of them: their sum is not what was asked for.
    taken_off = any(
        line.place not in sold and _first_words(line).split(" ")[0] in _words()["lines"]["discount"]
        and any(_amount(cell, how) is not None for cell in line.cells)
        for line in lines
    )  # fmt: skip
    words = _words()["totals"]
    best: LetterValue | None = None
    for line in lines:
        if not _is_total(line):
            continue
        amounts = [cell for cell in line.cells if _amount(cell, how) is not None]
        amounts = amounts or [found for found in AMOUNT.findall(line.text)[-1:] if _amount(found, how) is not None]
        if not amounts:
            continue
        label = _plain(re.sub(r"[\d.,%€$]+", " ", line.cells[0]))
        value = _amount(amounts[-1], how)
        confidence = 0.95 if value == expected and items and not taken_off else 0.7 if label in words["net"] else 0.5
        if label not in words["tax"] and (best is None or confidence > best.confidence):
            best = LetterValue(amounts[-1], line.place, confidence)
    if best is not None:
        head["total_price"] = best
