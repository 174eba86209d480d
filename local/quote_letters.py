"""Past quotes from a folder of letters: what is sure is loaded, what is not waits in a table for a person."""

import io
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from local.failure import LocalError
from local.preview import declared_beside
from operations.letters.lines import ENDINGS, lines_of
from operations.letters.quotes import read_quote
from operations.letters.review import (
    QuoteRows,
    ReviewRow,
    found_in,
    quotes_of,
    read_review,
    to_review,
    unsure,
    written,
)
from operations.reading import decoded
from operations.tables.names import NO_FAMILIES, Families
from quarry.tool.errors import ValidationFailed

Load = Callable[[Path, str], dict[str, Any]]
"""Ingests a file of a kind and returns the report."""


def load(path: Path, *, constants: Mapping[str, str], ingest: Load, say: Callable[[str], None]) -> int:
    """How many documents were refused or are left to a person. Raises LocalError."""
    if path.suffix.lower() == ".csv":
        text, _ = decoded(io.BytesIO(path.read_bytes()), legacy=True)
        return _store(read_review(text.read()), ingest=ingest, say=say)
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    files = [file for file in files if file.suffix.lower() in ENDINGS and not file.name.startswith(("~", "."))]
    if not files:
        raise LocalError(f"There is no letter in {path}: {', '.join(ENDINGS)}, or the .csv of a review.")
    sure: list[ReviewRow] = []
    open_rows: list[ReviewRow] = []
    refused = 0
    families = declared_beside(path).families
    for file in files:
        try:
            rows = read(file, name=file.name, constants=constants, families=families)
        except ValidationFailed as error:
            refused += 1
            say(f"{file.name}: {error.message}")
            continue
        doubtful = unsure(rows)
        (open_rows if doubtful else sure).extend(rows)
        if doubtful:
            fields = dict.fromkeys(f"{row.field}" + (f" of line {row.line}" if row.line else "") for row in doubtful)
            say(f"{file.name}: to be looked at: {', '.join(fields)}")
    refused += _store(sure, ingest=ingest, say=say)
    if open_rows:
        review = path.with_name(f"{path.stem}.review.csv")
        review.write_bytes(written(open_rows))
        count = len({row.document for row in open_rows})
        say(f"{count} quotes wait in {review}: complete its column value, then make ingest KIND=quotes FILE={review}")
        refused += count
    return refused


def read(file: Path, *, name: str, constants: Mapping[str, str], families: Families = NO_FAMILIES) -> list[ReviewRow]:
    """What the letter says; a value that does not stand in it as it is counts as unsure. Raises ValidationFailed."""
    lines = lines_of(file.read_bytes(), file_name=name)
    rows = to_review(name, read_quote(lines, families=families), constants=constants)
    strange = found_in(rows, lines)
    return [row.model_copy(update={"confidence": 0.0}) if row in strange else row for row in rows]


def _store(rows: Sequence[ReviewRow], *, ingest: Load, say: Callable[[str], None]) -> int:
    """How many of the documents cannot be stored."""
    quotes: list[QuoteRows] = []
    refused = 0
    for document, made in quotes_of(rows):
        if isinstance(made, str):
            refused += 1
            say(f"{document}: {made}")
        else:
            quotes.append(made)
            if not made.lines:
                say(f"{document}: the quote is stored without lines, for none could be read; add them to the review.")
    if quotes:
        with tempfile.TemporaryDirectory() as folder:
            for kind, found in (
                ("past_quotes", [made.quote for made in quotes]),
                ("line_items", [line for made in quotes for line in made.lines]),
            ):
                file = Path(folder) / f"letters.{kind}.jsonl"
                file.write_text(_json_lines(found), "utf-8")
                report = ingest(file, kind)
                say(f"{kind}: {report['inserted']} inserted, {report['updated']} updated, "
                    f"{report['unchanged']} unchanged, {report['rejected']} rejected")  # fmt: skip
                for reject in report["rejects"]:
                    say(f"  {reject['reason']}")
                refused += report["rejected"]
    return refused


def _json_lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
