"""`python -m local.preview KIND FILE`: writes a mapping for a file, and shows what would be stored and what not."""

import argparse
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from local import corpus_loader
from local.failure import LocalError, run_command
from local.settings import read_settings
from local.stack import running
from local.tenants import tenant_of
from onboarding.contents import opened
from operations.findings import RowsSeen, open_questions
from operations.ingest import KINDS
from operations.own_words import AttributeRow, FamilyRow, UnitRow, declared
from operations.reading import RowsRead, read
from operations.tables.attributes import NO_ATTRIBUTES
from operations.tables.columns import Guess, guess
from operations.tables.mapping import FieldRule, Mapping, TableMapping
from operations.tables.names import data
from operations.tables.sheets import WORKBOOKS
from quarry.attributes.model import Attributes
from quarry.attributes.units import shipped
from quarry.ingestion import Accepted, Kind, Row
from quarry.tool.errors import ToolError

OF_GOODS = (("units", UnitRow), ("families", FamilyRow), ("attributes", AttributeRow))
"""Kinds whose files beside a price list a preview reads, as units.csv: it needs no running stack."""
OF_FILE = ("encoding", "numbers", "dates")
"""What SET may say of how the file is written, beside fields that no column says."""

FILTERED = {
    "products": ("manufacturer",),
    "line_items": ("manufacturer", "model", "unit_price"),
    "past_quotes": ("industry", "salesperson", "total_price", "price_rationale"),
    "accounts": ("billing_address", "tax_id"),
}
"""Fields by which people search and quote, and which a file may lack; attributes that a file has are beside them."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.preview", description=__doc__)
    parser.add_argument("kind", help=", ".join(data()["kinds"]))
    parser.add_argument("file", type=Path, help=f"{', '.join(WORKBOOKS)}, .csv or .tsv")
    parser.add_argument("--map", type=Path, help="a mapping to try; without it one is guessed and written")
    parser.add_argument("--set", default="", help="for what no column says: 'currency=EUR; segment=trade'")
    arguments = parser.parse_args()
    for line in preview(arguments.kind, arguments.file, given=arguments.map, constants=constants_of(arguments.set)):
        print(line)


def constants_of(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(";") if pair.strip()]
    if any(not sign for _, sign, _ in pairs):
        raise LocalError(f"SET has to be name=value; name=value: '{text}'.")
    return {name.strip(): value.strip() for name, _, value in pairs}


def preview(
    kind_name: str, path: Path, *, given: Path | None = None, constants: dict[str, str] | None = None
) -> Iterator[str]:
    """The report, line by line; the guess is written beside the file. Raises LocalError or ToolError."""
    if kind_name not in data()["kinds"]:
        raise LocalError(f"Columns are guessed for these kinds: {', '.join(data()['kinds'])}; '{kind_name}' is none.")
    if not path.is_file():
        raise LocalError(f"There is no file {path}.")
    kind, content = KINDS[kind_name], path.read_bytes()
    own = declared_beside(path)
    for name, told in (("families", own.families), ("attributes", own.by_name)):
        if told:
            yield f"Your own {name} as {name}.csv beside it declares them: {', '.join(told)}."
    written = given or path.with_name(f"{path.name}.{kind_name}.toml")
    if written.is_file():
        mapping = Mapping.parse(written.read_text("utf-8"), source=str(written))
        if constants:
            raise LocalError(f"SET is for a new guess; write constants into {written}, or remove it.")
        yield f"{path.name} read with {written}." + ("" if given else " Remove it to have it guessed anew.")
        yield from _columns(mapping.tables)
    elif given:
        raise LocalError(f"There is no mapping {given}.")
    else:
        given_of_file = {name: value for name, value in (constants or {}).items() if name in OF_FILE}
        of_rows = {name: value for name, value in (constants or {}).items() if name not in OF_FILE}
        sheets, _ = opened(content, path.name, encoding=given_of_file.get("encoding"))
        guessed = guess(sheets, kind, constants=of_rows, attributes=own)
        if guessed.mapping is None:
            raise LocalError(f"No table in {path.name} has columns of '{kind_name}'; its fields are {_fields(kind)}.")
        mapping = Mapping.model_validate({**guessed.mapping.model_dump(by_alias=True), **given_of_file})
        written.write_text(mapping.written(comments=_comments(path.name, guessed)), "utf-8")
        yield from _guessed(path.name, mapping, guessed)
    rows = read(io.BytesIO(content), kind, file_name=path.name, mappings=[mapping], attributes=own)
    yield from _rows(rows, kind, own)
    yield from _against_what_is_stored(path, kind, mapping.written())
    yield ""
    yield f"The mapping is {written}. Edit it where it is wrong and run this again; then"
    yield f'  make ingest KIND={kind_name} FILE="{path}" MAP="{written}"'


def _against_what_is_stored(path: Path, kind: Kind, mapping: str) -> Iterator[str]:
    """What the load itself would say, where a stack runs that can be asked."""
    settings = read_settings(os.environ)
    stack = running(settings.data_dir)
    if stack is None:
        yield "No stack runs: what the load finds among the rows that are stored is not looked at."
        return
    try:
        tenant = tenant_of(settings, stack, absent="refused")
        report = corpus_loader.check(stack, path, kind=kind.name, tenant=tenant, mapping=mapping)
    except LocalError as trouble:
        yield f"The load would be refused: {trouble}"
        return
    yield (
        f"Loaded into {tenant}, of {report['rows_read']} rows {report['inserted']} would be inserted, "
        f"{report['updated']} updated, {report['unchanged']} unchanged, {report['merged']} merged, "
        f"{report['rejected']} rejected" + ("." if report["finished"] else "; the others were not looked at.")
    )
    yield from (f"  line {reject['line']}: {reject['reason']}" for reject in report["rejects"])


def declared_beside(path: Path) -> Attributes:
    """What files of the kinds of OF_GOODS beside a file declare; NO_ATTRIBUTES where none is there."""
    known = NO_ATTRIBUTES
    if not any(path.with_name(f"{kind}.csv").is_file() for kind, _ in OF_GOODS):
        return known
    rows: dict[str, list[Any]] = {}
    for kind, row in OF_GOODS:
        rows[kind] = [
            each for each in _rows_beside(path.with_name(f"{kind}.csv"), kind, known) if isinstance(each, row)
        ]
        units = shipped().with_own([each.model_dump() for each in rows["units"]])
        known = declared(rows.get("attributes", []), rows.get("families", []), units=units)
    return known


def _rows_beside(path: Path, kind: str, known: Attributes) -> list[Row]:
    if not path.is_file():
        return []
    rows = read(io.BytesIO(path.read_bytes()), KINDS[kind], file_name=path.name, attributes=known)
    return [item.row for item in rows if isinstance(item, Accepted)]


def _fields(kind: Kind) -> str:
    return ", ".join(kind.row.model_fields)


def _comments(name: str, guessed: Guess) -> list[str]:
    notes = [f"Guessed from {name} by make preview; look it through. What may stand here: README, Your own data."]
    return notes + [note for table in guessed.tables for note in open_questions(table)]


def _guessed(name: str, mapping: Mapping, guessed: Guess) -> Iterator[str]:
    yield f"{name}: numbers as {mapping.numbers}" + (f", dates {mapping.dates}" if mapping.dates else "") + "."
    yield from _columns(mapping.tables)
    for table in guessed.tables:
        if table.unused:
            yield f"  used by no field: {', '.join(map(repr, table.unused))}"
        yield from (f"  {question}" for question in open_questions(table))
    if guessed.unread:
        yield f"Sheets without such a table: {', '.join(map(repr, guessed.unread))}."


def _columns(tables: Sequence[TableMapping]) -> Iterator[str]:
    for table in tables:
        yield f"{f'Sheet {table.sheet!r}' if table.sheet else 'Table'}: header in row {table.skip + 1}"
        for name, rule in table.fields.items():
            yield f"  {name:<28} {_said(rule)}"
        for name, value in table.constants.items():
            yield f"  {name:<28} always {value!r}"


def _said(rule: FieldRule) -> str:
    if rule.count_within:
        return f"counted within {rule.count_within}"
    said = "from " + ", ".join(map(repr, rule.columns))
    said += f" in {rule.unit}" if rule.unit else ""
    said += f", with {rule.prefix!r} before it" if rule.prefix else ""
    said += ", its currency" if rule.take else ""
    meanings = [f"{text} = {meant}" for text, meant in rule.values.items() if text != meant]
    return said + (f"; {', '.join(meanings[:8])}" + (" …" if len(meanings) > 8 else "") if meanings else "")


def _rows(reading: RowsRead, kind: Kind, own: Attributes) -> Iterator[str]:
    seen, accepted = RowsSeen(), list[Accepted[Row]]()
    for item in reading:
        seen(item)
        accepted += [item] if isinstance(item, Accepted) else []
    total = seen.accepted + seen.rejected
    yield f"Read as {reading.encoding}" + (f", separated by {reading.separator!r}." if reading.separator else ".")
    yield ""
    yield f"{len(accepted)} of {total} rows would be stored" + (", such as:" if accepted else ".")
    yield from (f"  {line}" for line in seen.rows())
    yield from (f"  {line}" for line in (*reading.leftover, *reading.doubts))
    repeated = [item for item in accepted if item.repeats is not None]
    if repeated:
        yield f"{len(repeated)} rows have the {' and '.join(kind.key)} of a row before; the last one stands."
    yield from ([f"{seen.rejected} rows would be rejected:"] if seen.rejected else [])
    yield from (f"  {line}" for line in seen.causes())
    yield from _filters(accepted, FILTERED.get(kind.name, ()), own if kind.attributed else NO_ATTRIBUTES)


def _filters(accepted: Sequence[Accepted[Row]], names: Sequence[str], own: Attributes) -> Iterator[str]:
    counts = {name: sum(1 for item in accepted if getattr(item.row, name) is not None) for name in names}
    for name in own.by_name:
        stated = sum(1 for item in accepted if name in (getattr(item.row, "attributes", None) or {}))
        counts |= {name: stated} if stated else {}
    lacking = [f"{name} ({count} of {len(accepted)} rows)" for name, count in counts.items() if count < len(accepted)]
    if lacking:
        yield f"A filter never finds a row that lacks its field. Filled: {', '.join(lacking)}."


if __name__ == "__main__":
    run_command(main, ToolError)
