"""What files of families, units and attributes beside another declare, for tests without a database."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from operations.ingest import KINDS
from operations.own_words import AttributeRow, FamilyRow, UnitRow, declared
from operations.reading import read
from operations.tables.attributes import NO_ATTRIBUTES
from quarry.attributes.model import Attributes
from quarry.attributes.units import Units, shipped
from quarry.ingestion import Accepted, Row

OF_GOODS = (("units", UnitRow), ("families", FamilyRow), ("attributes", AttributeRow))


def declared_beside(path: Path) -> Attributes:
    """NO_ATTRIBUTES where no such file is there."""
    known = NO_ATTRIBUTES
    if not any(path.with_name(f"{kind}.csv").is_file() for kind, _ in OF_GOODS):
        return known
    rows: dict[str, list[Any]] = {}
    for kind, row in OF_GOODS:
        rows[kind] = [
            each for each in _rows_beside(path.with_name(f"{kind}.csv"), kind, known) if isinstance(each, row)
        ]
        units = shipped().with_own([each.model_dump() for each in rows["units"]])
        known = declared_by(rows.get("attributes", []), rows.get("families", []), units=units)
    return known


def declared_by(
    attributes: Sequence[AttributeRow], families: Sequence[FamilyRow], *, units: Units | None = None
) -> Attributes:
    own = declared(map(dict, attributes), map(dict, families))
    return own if units is None else replace(own, units=units)


def _rows_beside(path: Path, kind: str, known: Attributes) -> list[Row]:
    if not path.is_file():
        return []
    rows = read(io.BytesIO(path.read_bytes()), KINDS[kind], file_name=path.name, attributes=known)
    return [item.row for item in rows if isinstance(item, Accepted)]
