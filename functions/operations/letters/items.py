"""The line items of a letter, each with what proves it: quantity times price that is what the line costs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from operations.letters.lines import SURE, LetterLine, LetterValue, amount, first_words, is_total, plain, words
from operations.tables.cells import Habits
from operations.tables.names import NO_FAMILIES, Families, bare, family_named, likeness

UNTOLD = 0.6
"""Confidence that what stands behind a total, and is not called so, is an option."""
LEAST_COLUMNS = 3
"""That a line names to be the header of a table of items."""
COLUMNS = ("position", "sku", "description", "name", "quantity", "price", "extended")


@dataclass(slots=True)
class LetterItem:
    """A line of the quote; ``checked`` says that quantity times price is what the line costs."""

    fields: dict[str, LetterValue] = field(default_factory=dict)

    @property
    def checked(self) -> bool:
        return all(
            name in self.fields and self.fields[name].confidence >= SURE for name in ("quantity", "unit_price")
        )


def read_items(lines: Sequence[LetterLine], how: Habits, *, families: Families = NO_FAMILIES) -> list[LetterItem]:
    start = next((at for at, line in enumerate(lines) if len(columns_of(line)) >= LEAST_COLUMNS), None)
    if start is None:
        return []
    columns = columns_of(lines[start])
    items: list[LetterItem] = []
    optional = options = False
    for line in lines[start + 1 :]:
        again = columns_of(line)
        if again.keys() == columns.keys():
            columns = again
            continue
        if first_words(line) in words()["lines"]["carried"]:
            continue
        if is_total(line):
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
        elif items and not optional and _goes_on(line, items[-1].fields["description"].text):
            described = items[-1].fields["description"]
            text = f"{described.text}\n{line.text}"
            items[-1].fields["description"] = LetterValue(text, described.place, described.confidence)
    for item in items:
        described = item.fields["description"]
        if family := family_named(described.text, families):
            item.fields["family"] = LetterValue(family, described.place, 0.85)
    return items


def columns_of(line: LetterLine) -> dict[str, int]:
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
    return any(re.match(rf"{word}\b", plain(text)) for word in words()["lines"]["optional"])


def _goes_on(line: LetterLine, described: str) -> bool:
    """Text under a line's description; a line that begins a new part of the letter has a label or is a sentence.

    The rest of a sentence is no new part: "with humidity. 400 V." under "Oven, 5 trays,".
    """
    amid = described.endswith(",") or line.text[:1].islower()
    return 0 < len(line.text) < 200 and ":" not in line.text[:25] and (amid or not line.text.endswith((".", ",")))


def _item(line: LetterLine, columns: dict[str, int], how: Habits, *, width: int) -> LetterItem | None:
    """The line as an item, where it has a description and an amount at its end."""
    cells = list(line.cells)
    amounts = [at for at, cell in enumerate(cells) if amount(cell, how) is not None]
    wordy = [at for at, cell in enumerate(cells) if sum(1 for sign in cell if sign.isalpha()) >= 4]
    if not amounts or not wordy:
        return None
    places = columns if len(cells) == width else _by_order(amounts, wordy[0])
    item = LetterItem()
    for name, concept in (("description", "description"), ("quantity", "quantity"), ("unit_price", "price")):
        at = places.get(concept, _described(places, wordy) if concept == "description" else None)
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


def _described(places: dict[str, int], wordy: Sequence[int]) -> int | None:
    """The column of names, or the one called "Item", which is a number in some letters and the goods in others."""
    return places.get("name", next((at for at in wordy if at == places.get("position")), None))


def _prove_price(item: LetterItem, others: Sequence[str], place: str, how: Habits) -> None:
    """The amount under a name that says nothing, such as "Unit", which times the quantity is what the line costs."""
    quantity = amount(item.fields["quantity"].text, how) if "quantity" in item.fields else None
    found = [cell for cell in others if quantity and (amount(cell, how) or 0) * quantity == extended(item, how)]
    if len(found) == 1:
        item.fields["unit_price"] = LetterValue(found[0], place, UNTOLD)


def _by_order(amounts: Sequence[int], wordy: int) -> dict[str, int]:
    """A line with fewer cells than its header: the last amounts are prices, a number before them is the quantity."""
    behind = [at for at in amounts if at > wordy]
    names = {1: ("extended",), 2: ("price", "extended")}.get(len(behind), ("quantity", "price", "extended"))
    found = dict(zip(reversed(names), reversed(behind), strict=False))
    return {"description": wordy, **found}


def _check(item: LetterItem, how: Habits) -> None:
    """Quantity times price that is what the line costs makes all three sure, and so the description between them."""
    values = {
        name: value
        for name in ("quantity", "unit_price", "extended_price")
        if name in item.fields and (value := amount(item.fields[name].text, how)) is not None
    }
    if len(values) == 3 and abs(values["quantity"] * values["unit_price"] - values["extended_price"]) < Decimal(
        "0.02"
    ):
        for name, said in item.fields.items():
            item.fields[name] = LetterValue(said.text, said.place, max(said.confidence, 0.95))
    elif "model" in item.fields:
        item.fields["model"] = LetterValue(item.fields["model"].text, item.fields["model"].place, 0.5)


def extended(item: LetterItem, how: Habits) -> Decimal:
    said = item.fields.get("extended_price")
    return (amount(said.text, how) if said else None) or Decimal(0)
