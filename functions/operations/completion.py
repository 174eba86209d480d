"""Completes rows of a file with what is stored of them, so that a load changes only what its file states."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from psycopg.sql import SQL
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from operations.tables.attributes import FIELD, OF_ATTRIBUTES
from operations.tables.field_types import field_types
from operations.tables.leftover import short
from quarry.data import database
from quarry.ingestion import Accepted, Kind, Rejected, Row, storable

# Loads of a kind wait for one another: else one would write back values that it read before another's change.
ALONE = SQL("SELECT pg_advisory_xact_lock(hashtextextended('load ' || %(kind)s || ' of ' || %(tenant)s, 0))")


COSTS = frozenset(("cost", "cost_currency"))
"""Fields whose stored value nobody is told who loads."""


def completed(
    connection: database.Connection, items: Sequence[Accepted[Row]], kind: Kind, *, tenant: str
) -> tuple[list[Accepted[Row]], list[Rejected]]:
    """Returns (rows completed with what is stored of them, rejects of rows that contradict what is stored)."""
    if not items or not kind.by_field:
        return list(items), []
    connection.execute(ALONE, {"tenant": tenant, "kind": kind.name})
    stored = _stored(connection, items, kind, tenant=tenant)
    found: list[Accepted[Row]] = []
    rejected: list[Rejected] = []
    lines: dict[tuple[Any, ...], str] = {}
    for index, item in enumerate(items):
        if item.lacks and (why := _mismatch(item, stored.get(index, []), kind)):
            raw = storable(item.row.model_dump_json(exclude_none=True))
            rejected.append(Rejected(item.line, why, raw, place=item.place))
            continue
        values = _merged(item, (stored.get(index) or [{}])[0], kind)
        try:
            own = (getattr(item.row, FIELD) or {}) if kind.attributed else {}
            stated = frozenset(item.row.model_fields_set) | {OF_ATTRIBUTES + name for name in own}
            whole = replace(item, row=kind.row.model_validate(values), stated=stated) if values else item
        except ValidationError as error:
            why = "; ".join(fault["msg"].removeprefix("Value error, ") for fault in error.errors())
            rejected.append(refused(item, f"does not go with what is stored, which the file leaves as it is: {why}"))
            continue
        # An upsert must not touch a row twice, and two lines may identify one by different fields.
        first = lines.setdefault(tuple(getattr(whole.row, name) for name in kind.key), item.where)
        if first == item.where:
            before = stored.get(index, []) if item.repeats is not None else []
            found.append(replace(whole, differs=_differences(item, before[0], kind)) if before else whole)
        else:
            rejected.append(refused(item, f"is the row of {first}"))
    return found, rejected


def refused(item: Accepted[Row], reason: str) -> Rejected:
    return Rejected(item.line, storable(reason), storable(item.row.model_dump_json()), place=item.place)


def _stored(
    connection: database.Connection, items: Sequence[Accepted[Row]], kind: Kind, *, tenant: str
) -> dict[int, list[dict[str, Any]]]:
    """Returns, by the item's index, the rows stored under its key or else, where it is no whole row, under its field
    ``known_by``.
    """
    dumped = [item.row.model_dump(mode="json") for item in items]
    keys = [{name: each[name] for name in kind.key} for each in dumped]
    found = defaultdict[int, list[dict[str, Any]]](list)
    for row in connection.execute(kind.rows_of_keys, {"tenant": tenant, "keys": Jsonb(keys)}):
        found[row["index"]].append(_as_stored(row["content"], kind))
    keyless = [at for at, item in enumerate(items) if kind.known_by and item.lacks and at not in found]
    if keyless:
        names = [{kind.known_by: dumped[at][kind.known_by or ""]} for at in keyless]
        for row in connection.execute(kind.rows_known, {"tenant": tenant, "keys": Jsonb(names)}):
            found[keyless[row["index"]]].append(_as_stored(row["content"], kind))
    return found


def _mismatch(item: Accepted[Row], stored: Sequence[Mapping[str, Any]], kind: Kind) -> str | None:
    """Returns why a row that lacks what a new one needs is not exactly one stored row; None where it is."""
    if not stored:
        names = " and ".join(kind.key) + (f", or its {kind.known_by}" if kind.known_by else "")
        types = field_types(kind.row)
        lacks = ", ".join(f"{name}{types[name].says}" for name in item.lacks)
        return f"{lacks}: missing, which a new row needs, and no stored row has its {names}"
    if len(stored) > 1:
        return f"{kind.known_by}: {len(stored)} stored rows have it; name the {' and '.join(kind.key)} too"
    given = {name: getattr(item.row, name) for name in kind.key if name in item.row.model_fields_set}
    other = [name for name, value in given.items() if str(value) != str(stored[0].get(name, value))]
    how = f"{' and '.join(kind.key)} get other values by a file of all rows, with REPLACE=1"
    return f"{other[0]}: not that of the stored row with its {kind.known_by}; {how}" if other else None


def _as_stored(content: str, kind: Kind) -> dict[str, Any]:
    """Parses figures as Decimal, so that no digit is lost, except in attributes; leaves out fields that are NULL."""
    values = json.loads(content, parse_float=Decimal)
    if kind.attributed:
        values[FIELD] = json.loads(content)[FIELD]
    return {name: value for name, value in values.items() if name in kind.row.model_fields and value is not None}


def _differences(item: Accepted[Row], before: Mapping[str, Any], kind: Kind) -> str:
    """Says in which fields a row differs from the one of its key before it in the file, which is stored by now."""
    try:
        stored = _fields(kind.row.model_validate(before))
    except ValidationError:
        return ""
    said = _fields(item.row).items()
    return ", ".join(
        f"{name} otherwise" if name in COSTS else f"{name} {short(value)}, not {short(stored[name])}"
        for name, value in said
        if name in stored and value != stored[name]
    )


def _fields(row: Row) -> dict[str, Any]:
    """Returns what a row states by field, each of its attributes as a field of its own."""
    values = {name: getattr(row, name) for name in type(row).model_fields if name in row.model_fields_set}
    own = {f"{OF_ATTRIBUTES}{name}": value for name, value in (values.pop(FIELD, None) or {}).items()}
    return {name: value for name, value in (values | own).items() if value is not None}


def _merged(item: Accepted[Row], stored: Mapping[str, Any], kind: Kind) -> dict[str, Any] | None:
    """Returns the row's values with those stored of its other fields; None where the row is complete as it is."""
    said = item.row.model_fields_set | item.emptied
    kept = {name: value for name, value in stored.items() if name not in said}
    own = stored.get(FIELD) if kind.attributed and FIELD not in item.emptied else None
    if own and FIELD not in kept:
        stated = getattr(item.row, FIELD) or {}
        kept_own = {
            name: own[name] for name in own.keys() - stated.keys() if OF_ATTRIBUTES + name not in item.emptied
        }
        kept |= {FIELD: kept_own | stated} if kept_own else {}
    if not kept:
        return None
    return item.row.model_dump(include=item.row.model_fields_set - kept.keys()) | kept
