"""Decides what a column may be: by its cells which field, for a description is no column of percentages, and by its
heading and the unit in it which of a tenant's attributes.
"""

import re
from collections.abc import Callable, Sequence
from itertools import islice

from operations.tables.attributes import currency_named, names_alike, unit_named
from operations.tables.cells import (
    Cell,
    Unreadable,
    country,
    currency_of,
    figure_in,
    is_day,
    is_series,
    language,
    text_of,
)
from operations.tables.names import SURE, bare, unknown_unit
from quarry.attributes.model import Attribute, Attributes
from quarry.attributes.units import Units

LOOKED_AT = 500
"""Filled cells of a column."""

PROSE = frozenset(("name", "description", "summary", "project"))
CLASSES = frozenset(("category", "family", "segment", "discount_group"))
MOST_CHOICES = 12
"""A column that may be one of a closed field has no more different texts."""

FIGURES = frozenset(("number", "integer"))
ALIKE = 3
"""Rows from which on a name has to tell one from another."""

_WORD = re.compile(r"[^\W\d_]{3}")


def agrees(field: str, type_: str, cells: Sequence[Cell], *, is_exact: bool, units: Units) -> bool:
    """Whether a column's cells may be a field's, of that type. Of an ``is_exact`` column the heading is a name of the
    field and nothing else; an empty one agrees with everything.
    """
    filled = list(islice((cell for cell in cells if text_of(cell)), LOOKED_AT))
    if not filled:
        return True
    if type_ in FIGURES:
        said = [cell for cell in filled if not is_series(cell)] if field == "discount_pct" else filled
        return not said or _share(figure_in, said) > 1 / 3
    if type_ == "date":
        return _share(is_day, filled) > 1 / 3
    if type_ == "currency":
        return _share(lambda cell: currency_named(text_of(cell).upper(), units), filled) > 1 / 3
    if type_ == "country":
        return _share(_says_country, filled) > 1 / 3
    if type_ == "language":
        return all(re.fullmatch("[a-z]{2}", language(cell)) for cell in filled)
    if type_ == "choice":
        return is_exact or len(set(map(text_of, filled))) <= MOST_CHOICES
    if field in ("contact_name", "contact_email"):
        return (_share(lambda cell: "@" in text_of(cell), filled) > 1 / 2) == (field == "contact_email")
    if field in CLASSES and not is_exact:
        # Of a matrix each class is a column of figures, and what names each row is no class of rows.
        tells_apart = len(filled) > ALIKE and len(set(map(text_of, filled))) == len(filled)
        if tells_apart or _share(_is_amount, filled) > 1 / 2:
            return False
    if field == "unit" or (field == "price_book_id" and not is_exact):
        return _share(_is_amount, filled) < 1 / 2
    if field in PROSE or (field == "category" and not is_exact):
        return _share(_says_words, filled) >= 1 / 2
    return True


def _share(says: Callable[[Cell], object], cells: Sequence[Cell]) -> float:
    return sum(1 for cell in cells if says(cell)) / len(cells)


def _says_words(cell: Cell) -> bool:
    return isinstance(cell, str) and _WORD.search(cell) is not None and not _is_amount(cell)


def _says_country(cell: Cell) -> bool:
    try:
        country(cell)
    except Unreadable:
        return False
    return True


def _is_amount(cell: Cell) -> bool:
    """A figure alone or one of money or per cent."""
    _, beside = figure_in(cell) or (None, "no figure")
    return beside in ("", "%") or (len(beside) <= 3 and currency_of(beside.upper()) is not None)


Meant = tuple[float, Attribute, str | None]
"""(likeness, attribute, unit that the heading states)."""


def attributes_meant(column: str, attributes: Attributes) -> tuple[list[Meant], list[str]]:
    """Returns (the attributes that a column may be, doubts). Its unit decides among several: those that are in this
    unit are taken, else those of the same dimension; a column in a unit that nobody knows is left out.
    """
    likely = [
        (alike, attribute, unit)
        for attribute in attributes.by_name.values()
        for alike, unit in [_likeness_of(attribute, column, attributes)]
        if alike >= SURE
    ]
    numbers = [one for one in likely if one[1].unit]
    strange = unknown_unit(column, attributes.units) if numbers else None
    if strange and not any(one.is_called(text) for _, one, _ in numbers for text in (column, strange)):
        return [one for one in likely if not one[1].unit], [
            f"{one.name}: {column!r} is in {strange!r}, which is no unit that is known: the column is left out. "
            "Declare the unit (make ingest KIND=units), or name the column with its unit."
            for _, one, _ in numbers
        ]
    stated = ((unit, attributes.unit_of(one)) for _, one, unit in numbers if unit)
    said = next((unit_named(unit, attributes.units, measuring=own) for unit, own in stated), None)
    if said is None:
        return likely, []
    kin = [one for one in numbers if one[1] in attributes.measured_in(said)]
    if not kin:
        names = " and ".join(one.name for _, one, _ in numbers)
        return [], [f"{names}: {column!r} is in {said.symbol}, which measures something else: left out."]
    return [one for one in kin if attributes.unit_of(one[1]) == said] or kin, []


def _likeness_of(attribute: Attribute, column: str, attributes: Attributes) -> tuple[float, str | None]:
    """Returns the column's likeness to the attribute's names and the unit that it states; a unit alone counts as
    a name where only this attribute is measured in it.
    """
    plain, unit = bare(column, attributes.units)
    if attribute.is_called(column):
        return 1.0, unit or None
    measured = unit_named(column, attributes.units)
    if measured is not None and attributes.measured_in(measured) == [attribute]:
        return 0.9, column
    return names_alike(plain, attribute), unit or None
