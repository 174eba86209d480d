"""Reads values that only a cell's prose states: a mapping names the words, which have to stand in the cell."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from operations.tables.attributes import OF_ATTRIBUTES, AttributeCells
from operations.tables.cells import Cell, Unreadable, text_of
from operations.tables.mapping import ProseValue
from operations.tables.sheets import TableRow
from quarry.attributes.model import value_of
from quarry.ingestion import CellFault
from quarry.text import fold, part_key

NAMES = ("sku", "model")
"""Fields that identify the row of a value that does not give the row's number."""


class ProseValues:
    """Values that prose states of a table's rows; ``unmet`` has the rows named for them that have not come."""

    def __init__(self, values: Sequence[ProseValue], cells: AttributeCells) -> None:
        self._cells = cells
        self._by_row = defaultdict[int | str, list[ProseValue]](list)
        """The values by their row's number or, folded, its SKU or model."""
        for one in values:
            self._by_row[part_key(one.of) if one.of else one.row or 0].append(one)
        self.unmet = dict.fromkeys(one.whose for one in values)

    def of(
        self, row: TableRow, stated: dict[str, Any], cells: dict[str, Cell]
    ) -> Iterator[tuple[str, object] | CellFault]:
        """Yields (attribute, value) for each value whose words stand in its cell, else the fault. ``stated`` are the
        row's fields, ``cells`` its cells by folded column.
        """
        keys: list[int | str] = [row.row, *{part_key(str(stated[name])) for name in NAMES if stated.get(name)}]
        for one in (each for key in keys for each in self._by_row.get(key, ())):
            self.unmet.pop(one.whose, None)
            text = text_of(cells.get(fold(one.column)))
            try:
                yield one.attribute, self._value(one, text, stated.get("attributes") or {})
            except Unreadable as trouble:
                yield CellFault(f"{OF_ATTRIBUTES}{one.attribute}", str(trouble), one.says[:80], row.place(one.column))

    def _value(self, one: ProseValue, text: str, stated: dict[str, Any]) -> object:
        said = standing(one.says, text)
        if said is None:
            raise Unreadable(f"does not stand in {text[:60]!r}" if text else "stands in no text: the cell is empty")
        attribute = self._cells.attributes.by_name.get(one.attribute)
        meant = one.means if one.means is not None and attribute is not None and attribute.kind != "number" else said
        value = self._cells.value(one.attribute, meant)
        if value is None:
            raise Unreadable("says no value")
        held = value_of(stated.get(one.attribute))
        if held is not None and held != value_of(value):
            raise Unreadable(f"is another value than that of its own column, {held.shown(None)}, which stands")
        told = value if isinstance(value, dict) else {"value": value}
        return {**told, "source": f"{one.column}: {said}"[:500]}


def standing(says: str, text: str) -> str | None:
    """Returns the words as the text has them, else None; 200 l is not in 1200 l or 200 lb, case and blanks aside."""
    wanted = r"\s+".join(map(re.escape, says.split()))
    figure = r"(?<![\d.,])" if says.strip()[:1].isdigit() else ""
    behind = r"(?![.,]?\d)" if says.strip()[-1:].isdigit() else ""
    found = re.search(rf"(?<!\w){figure}{wanted}{behind}(?!\w)", text, re.IGNORECASE) if wanted else None
    return found[0] if found else None
