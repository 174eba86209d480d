"""Says which of a tenant's attributes a heading may mean, by their names and by the unit that it states."""

from operations.tables.attributes import is_named, names_alike, unit_named
from operations.tables.names import SURE, bare, unknown_unit
from quarry.attributes.model import Attribute, Attributes

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
    if strange and not any(is_named(text, one) for _, one, _ in numbers for text in (column, strange)):
        return [one for one in likely if not one[1].unit], [
            f"{one.name}: {column!r} is in {strange!r}, which is no unit that is known: the column is left out. "
            "Declare the unit (make ingest KIND=units), or name the column with its unit."
            for _, one, _ in numbers
        ]
    said = next((unit_named(unit, attributes.units) for *_, unit in numbers if unit), None)
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
    if is_named(column, attribute):
        return 1.0, unit or None
    measured = unit_named(column, attributes.units)
    if measured is not None and attributes.measured_in(measured) == [attribute]:
        return 0.9, column
    return names_alike(plain, attribute), unit or None
