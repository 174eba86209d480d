"""Decides whether a column's cells can be what its name promises: a description is no column of percentages."""

import re
from collections.abc import Callable, Sequence
from itertools import islice

from operations.tables.cells import Cell, Unreadable, country, currency_of, figure_in, is_day, is_series, text_of

LOOKED_AT = 500
"""Filled cells of a column."""

PROSE = frozenset(("name", "description", "summary", "project"))
CLASSES = frozenset(("category", "family", "segment", "discount_group"))
FIGURES = frozenset(("number", "integer"))
ALIKE = 3
"""Rows from which on a name has to tell one from another."""

_WORD = re.compile(r"[^\W\d_]{3}")


def agrees(field: str, type_: str, cells: Sequence[Cell], *, is_exact: bool) -> bool:
    """Whether a column's cells may be a field's, of that type. Of an ``is_exact`` column the heading is a name of the
    field and nothing else; an empty one agrees with everything.
    """
    filled = list(islice((cell for cell in cells if text_of(cell)), LOOKED_AT))
    if not filled:
        return True
    if type_ in FIGURES:
        said = [cell for cell in filled if not is_series(cell)] if field == "discount_pct" else filled
        return not said or _share(_says_figure, said) > 1 / 3
    if type_ == "date":
        return _share(is_day, filled) > 1 / 3
    if type_ in CODES:
        return _share(CODES[type_], filled) > 1 / 3
    if field in CLASSES and not is_exact:
        # Of a matrix each class is a column of figures, and what names each row is no class of rows.
        tells_apart = len(filled) > ALIKE and len(set(map(text_of, filled))) == len(filled)
        if tells_apart or _share(_is_amount, filled) > 1 / 2:
            return False
    if field == "unit":
        return _share(_is_amount, filled) < 1 / 2
    if field in PROSE or (field == "category" and not is_exact):
        is_one = field == "name" and len(filled) >= ALIKE and len(set(map(text_of, filled))) == 1
        return _share(_says_words, filled) >= 1 / 2 and not is_one
    return True


def _share(says: Callable[[Cell], bool], cells: Sequence[Cell]) -> float:
    return sum(map(says, cells)) / len(cells)


def _says_words(cell: Cell) -> bool:
    return isinstance(cell, str) and _WORD.search(cell) is not None and not _is_amount(cell)


def _says_figure(cell: Cell) -> bool:
    return figure_in(cell) is not None


def _says_currency(cell: Cell) -> bool:
    return currency_of(text_of(cell).upper()) is not None


def _says_country(cell: Cell) -> bool:
    try:
        country(cell)
    except Unreadable:
        return False
    return True


CODES = {"currency": _says_currency, "country": _says_country}


def _is_amount(cell: Cell) -> bool:
    """A figure alone or one of money or per cent."""
    _, beside = figure_in(cell) or (None, "no figure")
    return beside in ("", "%") or (len(beside) <= 3 and currency_of(beside.upper()) is not None)
