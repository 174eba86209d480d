"""`python -m local.preview KIND FILE`: writes a mapping for a file, and shows what would be stored and what not.

It asks load_check, as an agent does: what is shown is what the load of the running stack would do.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from local.failure import LocalError, run_command
from local.stack import INGEST_BUCKET, invoke
from local.tenants import running_stack
from onboarding.contents import opened
from operations.exchange.files import WHOLE
from operations.ingest import INBOX, KINDS
from operations.tables.field_types import field_types
from operations.tables.mapping import FieldRule, Mapping
from operations.tables.names import data
from quarry.ingestion import Listed
from quarry.tool.errors import ToolError

OF_FILE = ("encoding", "numbers", "dates")
"""What SET may say of how the file is written, beside fields that no column says."""

GUESSED = "# Guessed; make preview guesses anew as long as nobody edits this: "
ASKED = ("NEEDED", "PLEASE CHECK")
"""Begin the doubts of a guess, which stand in its file too."""

Check = Callable[[Path, dict[str, Any]], dict[str, Any]]
"""Puts a file where load_check finds it, and gives its answer for these arguments and that file."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.preview", description=__doc__)
    parser.add_argument("kind", help=", ".join(data()["kinds"]))
    parser.add_argument("file", type=Path, help=f"{', '.join(WHOLE)}, .csv or .tsv")
    parser.add_argument("--map", type=Path, help="a mapping to try; without it one is guessed and written")
    parser.add_argument("--set", default="", help="for what no column says: 'currency=EUR; segment=trade'")
    arguments = parser.parse_args()
    stack, tenant = running_stack(absent="refused")

    def check(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
        stack.client("s3").upload_file(str(path), INGEST_BUCKET, f"{tenant}/{INBOX}/{path.name}")
        return invoke(stack, "load_check", {**asked, "file": path.name, "shown": 1_000}, tenant=tenant)

    said = constants_of(arguments.set)
    print(f"Asked of {tenant}, as its load would do it; nothing is stored.")
    for line in preview(check, arguments.kind, arguments.file, given=arguments.map, constants=said):
        print(line)


def constants_of(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(";") if pair.strip()]
    if any(not sign for _, sign, _ in pairs):
        raise LocalError(f"SET has to be name=value; name=value: '{text}'.")
    return {name.strip(): value.strip() for name, _, value in pairs}


def preview(
    check: Check, kind: str, path: Path, *, given: Path | None = None, constants: dict[str, str] | None = None
) -> Iterator[str]:
    """The report, line by line; a guess is written beside the file. Raises LocalError or ToolError."""
    if kind not in data()["kinds"]:
        guessed = ", ".join(data()["kinds"])
        raise LocalError(f"Columns are guessed for these kinds: {guessed}; '{kind}' is none.{_own(kind)}")
    for file in (path, given):
        if file is not None and not file.is_file():
            raise LocalError(f"There is no file {file}.")
    beside = path.with_name(f"{path.name}.{kind}.toml")
    written = given or (beside if is_edited(beside) else None)
    if written and constants:
        raise LocalError(f"SET is for a new guess; write constants into {written}, or remove it.")
    mapping: Mapping | None
    if written:
        mapping = Mapping.parse(written.read_text("utf-8"), source=str(written))
        yield f"{path.name} read with {written}." + ("" if given else " Remove it to have it guessed anew.")
        answer = check(path, {"kind": kind, "mapping": mapping.written()})
    else:
        answer = check(path, {"kind": kind, "mapping": to_guess_by(kind, constants or {})})
        mapping = Mapping.parse(answer["mapping"], source="guessed") if "mapping" in answer else None
    yield from _columns(mapping) if mapping else ()
    yield from _told(answer)
    yield ""
    if mapping and not written:
        beside.write_text(_marked(path, mapping, answer), "utf-8")
    if mapping:
        yield f"The mapping is {written or beside}. Edit it where it is wrong and run this again; then"
    by = f' MAP="{written or beside}"' if mapping else ""
    yield f'  make ingest KIND={kind} FILE="{path}"{by}'


def _own(kind: str) -> str:
    """How a kind is given whose columns nobody guesses."""
    if kind not in KINDS:
        return ""
    types = field_types(KINDS[kind].row).items()
    fields = KINDS[kind].row.model_fields
    columns = ", ".join(
        f"{name} ({'as a|b' if Listed in fields[name].metadata else 'as JSON'})" if type_.type == "list" else name
        for name, type_ in types
    )
    return f" A file of its own columns needs no preview, make ingest KIND={kind} FILE=…: {columns}."


def to_guess_by(kind: str, said: dict[str, str]) -> str:
    """A mapping that reads no column: the others are guessed, even where a mapping is remembered."""
    of_file = [f"{name} = {json.dumps(said[name])}" for name in OF_FILE if name in said]
    constants = [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in said.items() if name not in OF_FILE]
    return "\n".join(
        [f"kind = {json.dumps(kind)}", *of_file, "[[tables]]", "fields = {}", "[tables.constants]", *constants]
    )


def _marked(path: Path, mapping: Mapping, answer: dict[str, Any]) -> str:
    """The mapping as it is written, with what tells later whether somebody edited it."""
    types = field_types(KINDS[mapping.kind].row).items()
    fields = ", ".join(f"{name}{type_.says}{', needed' if type_.required else ''}" for name, type_ in types)
    comments = [
        f"From {path.name}; look it through. What may stand here: docs/own-data.md, From the files you have.",
        *(doubt for doubt in answer.get("doubts", []) if doubt.startswith(ASKED)),
        f"Fields: {fields}.",
    ]
    # Which code page a file has depends on the house's language, which the check knows.
    read_as = re.match(rf"{re.escape(path.name)} read as (?!utf)([\w-]+)", answer.get("notice") or "")
    page = read_as[1] if read_as else None
    sheets, _ = opened(path.read_bytes(), path.name, encoding=mapping.encoding or page)
    left = {
        table.sheet: [column for column in header.names if column not in table.columns]
        for _, header, table in mapping.tables_in(sheets)
    }
    text = mapping.written(comments=comments, left=left)
    return f"{GUESSED}{_digest(text)}\n{text}"


def is_edited(written: Path) -> bool:
    """Whether there is a mapping that is not just what was guessed."""
    if not written.is_file():
        return False
    first, _, text = written.read_text("utf-8").partition("\n")
    return first != f"{GUESSED}{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _columns(mapping: Mapping) -> Iterator[str]:
    for table in mapping.tables:
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
    said += f", which is for as many as {rule.per!r} says" if rule.per else ""
    said += ", of which the rest to 100 % is taken" if rule.complement else ""
    meanings = [f"{text} = {meant}" for text, meant in rule.values.items() if text != meant]
    return said + (f"; {', '.join(meanings[:8])}" + (" …" if len(meanings) > 8 else "") if meanings else "")


def _told(answer: dict[str, Any]) -> Iterator[str]:
    """What keeps rows out or may be wrong comes first, under the one count of rows."""
    rows = answer["rows"]
    counts = ", ".join(f"{rows[name]} {name}" for name in rows if name != "read" and rows[name])
    yield ""
    yield f"Of {rows['read']} rows: {counts or 'none'}. {answer.get('notice', '')}"
    for title, part in (
        ("Rejected, by cause", "rejects"),
        ("To be looked at", "doubts"),
        ("Such as", "first_rows"),
        ("Stored by no field", "unused"),
        ("Changed fields of stored rows", "changes"),
    ):
        if answer.get(part):
            yield f"{title}:"
            yield from (f"  {line}" for line in answer[part])
    if answer.get("gaps"):
        yield f"A filter never finds a row that lacks its field. Filled: {', '.join(answer['gaps'])}."


if __name__ == "__main__":
    run_command(main, ToolError)
