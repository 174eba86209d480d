"""Cells as the attributes of a tenant's own goods hold them."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from operations.tables.cells import Cell, Habits, Unreadable, number, text_of
from quarry.understanding.own_attributes import OwnAttribute, converted

OF_ATTRIBUTES = "attributes."
"""Begins the field of one of the tenant's own attributes."""
Attributes = Mapping[str, OwnAttribute]
NO_ATTRIBUTES: Attributes = MappingProxyType({})


def own_value(
    name: str, cell: Cell, attributes: Attributes, *, unit: str | None, habits: Habits
) -> float | str | None:
    """The cell as one of the tenant's attributes holds it: a figure in its unit, "PN 16" too. Raises Unreadable."""
    attribute = attributes.get(name)
    if attribute is None:
        raise Unreadable("is no attribute of your goods; declare it first: make ingest KIND=attributes")
    if not attribute.numeric:
        return text_of(cell)
    if isinstance(cell, str):
        labels = "|".join(re.escape(each) for each in (name, *attribute.words))
        cell = re.sub(rf"^(?:{labels})[\s:.=-]*(?=[\d+-])", "", cell.strip(), flags=re.IGNORECASE)
    value, beside = number(cell, decimal=habits.decimal)
    said = beside or unit
    found = float(value) if not said else converted(float(value), said=said, declared=attribute.unit or "")
    if found is None:
        raise Unreadable(f"is in {said}, which does not measure what is in {attribute.unit or 'pieces'}")
    return found
