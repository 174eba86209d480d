"""What a row of a file leaves unsaid, as it is stored: a load changes only what its file has."""

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
from operations.tables.leftover import short
from quarry.data import database
from quarry.ingestion import Accepted, Kind, Rejected, Row, storable

# Of two loads at once the second reads what the first wrote: else it would write back what it read before.
ALONE = SQL("SELECT pg_advisory_xact_lock(hashtextextended('load ' || %(kind)s || ' of ' || %(tenant)s, 0))")


def completed(
    connection: database.Connection, items: Sequence[Accepted[Row]], kind: Kind, *, tenant: str
) -> tuple[list[Accepted[Row]], list[Rejected]]:
    """(rows that say all of what will be stored, those that do not go with what is stored beside them)."""
    if not items or not kind.by_field:
        return list(items), []
    connection.execute(ALONE, {"tenant": tenant, "kind": kind.name})
    stored = _stored(connection, items, kind, tenant=tenant)
    found: list[Accepted[Row]] = []
    rejected: list[Rejected] = []
    lines: dict[tuple[Any, ...], int] = {}
    for index, item in enumerate(items):
        if item.lacks and (why := _strange(item, stored.get(index, []), kind)):
            rejected.append(Rejected(item.line, why, storable(item.row.model_dump_json(exclude_none=True))))
            continue
        values = _beside(item, (stored.get(index) or [{}])[0], kind)
        try:
            whole = replace(item, row=kind.row.model_validate(values)) if values else item
        except ValidationError as error:
            why = "; ".join(fault["msg"].removeprefix("Value error, ") for fault in error.errors())
            reason = f"does not go with what is stored, which the file leaves as it is: {why}"
            rejected.append(Rejected(item.line, storable(reason), storable(item.row.model_dump_json())))
            continue
        # An upsert touches no row twice, and two lines may name one by different fields.
        first = lines.setdefault(tuple(getattr(whole.row, name) for name in kind.key), item.line)
        if first == item.line:
            before = stored.get(index, []) if item.repeats is not None else []
            found.append(replace(whole, differs=_differences(item, before[0], kind)) if before else whole)
        else:
            rejected.append(Rejected(item.line, f"is the row of line {first}", storable(item.row.model_dump_json())))
    return found, rejected


def _stored(
    connection: database.Connection, items: Sequence[Accepted[Row]], kind: Kind, *, tenant: str
) -> dict[int, list[dict[str, Any]]]:
    """By the place of the item what is stored under its key or, where it has none, under what else names it."""
    dumped = [item.row.model_dump(mode="json") for item in items]
    keys = [{name: each[name] for name in kind.key} for each in dumped]
    found = defaultdict[int, list[dict[str, Any]]](list)
    for row in connection.execute(kind.rows_of_keys, {"tenant": tenant, "keys": Jsonb(keys)}):
        found[row["index"]].append(_as_stored(row["content"], kind))
    keyless = [at for at, key in enumerate(keys) if kind.known_by and None in key.values()]
    if keyless:
        names = [{kind.known_by: dumped[at][kind.known_by or ""]} for at in keyless]
        for row in connection.execute(kind.rows_known, {"tenant": tenant, "keys": Jsonb(names)}):
            found[keyless[row["index"]]].append(_as_stored(row["content"], kind))
    return found


def _strange(item: Accepted[Row], stored: Sequence[Mapping[str, Any]], kind: Kind) -> str | None:
    """Why a row that leaves out what a new one needs is none of those stored; None where it is one of them."""
    if not stored:
        names = " and ".join(kind.key) + (f", or its {kind.known_by}" if kind.known_by else "")
        return f"{', '.join(item.lacks)}: missing, which a new row needs, and no stored row has its {names}"
    if len(stored) > 1:
        return f"{kind.known_by}: {len(stored)} stored rows have it; name the {' and '.join(kind.key)} too"
    given = {name: getattr(item.row, name) for name in kind.key if name in item.row.model_fields_set}
    other = [name for name, value in given.items() if str(value) != str(stored[0][name])]
    return f"{other[0]}: not that of the stored row with its {kind.known_by}" if other else None


def _as_stored(content: str, kind: Kind) -> dict[str, Any]:
    """Without digits lost; what is NULL is as good as unsaid."""
    values = json.loads(content, parse_float=Decimal)
    if kind.attributed:
        values[FIELD] = json.loads(content)[FIELD]
    return {name: value for name, value in values.items() if name in kind.row.model_fields and value is not None}


def _differences(item: Accepted[Row], before: Mapping[str, Any], kind: Kind) -> str:
    """What a row says otherwise than the one of its key before it in the file, which is stored by now."""
    try:
        stored = _fields(kind.row.model_validate(before))
    except ValidationError:
        return ""
    said = _fields(item.row).items()
    return ", ".join(
        f"{name} {short(value)}, not {short(stored[name])}"
        for name, value in said
        if name in stored and value != stored[name]
    )


def _fields(row: Row) -> dict[str, Any]:
    """What a row states, its attributes each by itself."""
    values = {name: getattr(row, name) for name in type(row).model_fields if name in row.model_fields_set}
    own = {f"{OF_ATTRIBUTES}{name}": value for name, value in (values.pop(FIELD, None) or {}).items()}
    return {name: value for name, value in (values | own).items() if value is not None}


def _beside(item: Accepted[Row], stored: Mapping[str, Any], kind: Kind) -> dict[str, Any] | None:
    """The row's values beside what is stored of the others; None where the row is complete as it is."""
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
