"""Reads CSV, JSON Lines and text row by row into validated rows and rejects; nothing is dropped silently."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

from psycopg.sql import SQL, Composed
from pydantic import BaseModel, ConfigDict, ValidationError

from quarry.tool.errors import ValidationFailed

LONGEST_RAW = 10_000
"""Characters of a rejected row that are kept."""


class Row(BaseModel):
    """A row of a kind; an empty CSV cell counts as absent, text is kept to the letter."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Kind:
    """``key`` names the natural key; ``upsert`` takes %(tenant)s and %(rows)s, a JSON array, and returns a row
    (inserted boolean) per row it changed; ``missing`` (optional) takes the same and returns (index, reason) of
    the rows that refer to something absent; ``after`` (optional) runs once at the end with %(tenant)s;
    ``records`` (optional) cuts the lines of a .txt file into its records; ``unquoted`` (optional) names the CSV
    column whose authors forget the quotes round a comma, where a row with too many cells is mended; ``corpus``
    (optional) names the searchable table, of which the report says how many rows await a vector.
    """

    name: str
    row: type[Row]
    key: tuple[str, ...]
    upsert: SQL | Composed
    missing: SQL | Composed | None = None
    after: SQL | Composed | None = None
    unquoted: str | None = None
    corpus: str | None = None
    records: "Records | None" = None


@dataclass(frozen=True, slots=True)
class Accepted[R: Row]:
    """``repair`` says what had to be mended in the file to read the row."""

    line: int
    row: R
    repair: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """What a .txt file says of one row, not yet validated; ``line`` is the one on which it starts."""

    line: int
    raw: str
    cells: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Rejected:
    """``line`` counts from 1 in the file; for CSV it is the line on which the record ends."""

    line: int
    reason: str
    raw: str


Records = Callable[[Iterable[str]], Iterator[Record | Rejected]]


@dataclass(frozen=True, slots=True)
class Unread:
    """A record as the file has it, before it is validated."""

    line: int
    raw: str
    value: object
    repair: str | None = None


def read(stream: IO[bytes], kind: Kind, *, file_name: str, skip: int = 0) -> Iterator[Accepted[Row] | Rejected]:
    """Rows of a .csv, .jsonl or .txt file but for the first ``skip`` ones, which cost no validation.

    Raises ValidationFailed when the file as a whole cannot be read.
    """
    records = islice(_records(stream, kind, file_name=file_name), skip, None)
    return (item if isinstance(item, Rejected) else _validate(item, kind) for item in records)


def _records(stream: IO[bytes], kind: Kind, *, file_name: str) -> Iterator[Unread | Rejected]:
    if file_name.lower().endswith(".csv"):
        return _read_csv(stream, kind)
    if file_name.lower().endswith((".jsonl", ".ndjson")):
        return _read_json_lines(stream)
    if kind.records is not None and file_name.lower().endswith(".txt"):
        return _read_text(stream, records=kind.records)
    endings = ".csv nor .jsonl" if kind.records is None else ".csv, .jsonl nor .txt"
    raise ValidationFailed(f"'{file_name}' is neither {endings}; rename it to say which it is.")


def _read_csv(stream: IO[bytes], kind: Kind) -> Iterator[Unread | Rejected]:
    csv.field_size_limit(10_000_000)
    text = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="")
    reader = csv.DictReader(text, strict=True)
    try:
        _check_header(reader.fieldnames or [], kind)
    except csv.Error as error:
        raise ValidationFailed(f"The header is not valid CSV: {error}.") from error
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # DictReader itself counts only the records it could read.
            yield Rejected(reader.reader.line_num, f"not valid CSV: {error}", "")
            continue
        raw = json.dumps(cells, ensure_ascii=False)
        repair = _mend(cells, kind, header=reader.fieldnames or [])
        if None in cells or None in cells.values():
            yield Rejected(
                reader.line_num,
                f"the row does not have the header's {len(reader.fieldnames or [])} cells",
                _storable(raw),
            )
            continue
        present = {name: value for name, value in cells.items() if value != ""}
        yield Unread(reader.line_num, raw, present, repair)


def _mend(cells: dict[str | Any, Any], kind: Kind, *, header: Sequence[str]) -> str | None:
    """Joins the surplus cells into the unquoted column, in place; says so, or None where nothing was to mend."""
    surplus = cells.get(None)
    if not surplus or kind.unquoted not in header:
        return None
    texts = [*(cells[name] for name in header), *surplus]
    first, more = header.index(kind.unquoted), len(surplus)
    mended = [*texts[:first], ",".join(texts[first : first + more + 1]), *texts[first + more + 1 :]]
    cells.clear()
    cells.update(zip(header, mended, strict=True))
    return f"{kind.unquoted}: joined {more + 1} cells, because its commas are not quoted: {cells[kind.unquoted]}"


def _check_header(header: Sequence[str], kind: Kind) -> None:
    known = {field.alias or name: field for name, field in kind.row.model_fields.items()}
    closed = kind.row.model_config.get("extra") == "forbid"
    unknown = [name for name in header if closed and name not in known]
    missing = [name for name, field in known.items() if field.is_required() and name not in header]
    if unknown or missing or len(set(header)) != len(header):
        problems = [
            f"unknown columns {unknown}" if unknown else "",
            f"missing columns {missing}" if missing else "",
            "repeated columns" if len(set(header)) != len(header) else "",
        ]
        raise ValidationFailed(
            f"The CSV header does not fit '{kind.name}': {', '.join(filter(None, problems))}. "
            f"Columns are {', '.join(known)}."
        )


def _read_json_lines(stream: IO[bytes]) -> Iterator[Unread | Rejected]:
    for line, raw_bytes in enumerate(stream, start=1):
        raw = raw_bytes.decode("utf-8", errors="surrogateescape").strip("\ufeff \t\r\n")
        if not raw:
            continue
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            yield Rejected(line, f"not valid JSON: {error}", _storable(raw))
            continue
        yield Unread(line, raw, value)


def _read_text(stream: IO[bytes], *, records: Records) -> Iterator[Unread | Rejected]:
    for item in records(io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape")):
        if isinstance(item, Rejected):
            yield Rejected(item.line, item.reason, _storable(item.raw))
        else:
            yield Unread(item.line, item.raw, item.cells)


def _validate(item: Unread, kind: Kind) -> Accepted[Row] | Rejected:
    try:
        row = kind.row.model_validate(item.value)
    except ValidationError as error:
        reasons = [f"{'.'.join(map(str, fault['loc'])) or 'row'}: {fault['msg']}" for fault in error.errors()]
        return Rejected(item.line, _storable("; ".join(reasons)), _storable(item.raw))
    for name, stored in row.model_dump().items():
        if any(_escaped(text) != text for text in _texts(stored)):
            return Rejected(item.line, f"{name}: has a NUL character or is not valid UTF-8", _storable(item.raw))
    return Accepted(item.line, row, item.repair)


def _texts(value: object) -> Iterator[str]:
    """Every text in a dumped value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in _texts(inner))


def _escaped(text: str) -> str:
    """``text`` with what Postgres cannot store shown as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")


def _storable(raw: str) -> str:
    return _escaped(raw)[:LONGEST_RAW]


def chunks(
    items: Iterable[Accepted[Row] | Rejected], *, key: tuple[str, ...], size: int
) -> Iterator[list[Accepted[Row] | Rejected]]:
    """Chunks of at most ``size`` in which no natural key repeats, because an upsert cannot touch a row twice."""
    chunk: list[Accepted[Row] | Rejected] = []
    keys: set[tuple[Any, ...]] = set()
    for item in items:
        identity = tuple(getattr(item.row, name) for name in key) if isinstance(item, Accepted) else None
        if len(chunk) >= size or identity in keys:
            yield chunk
            chunk, keys = [], set()
        chunk.append(item)
        if identity is not None:
            keys.add(identity)
    if chunk:
        yield chunk
