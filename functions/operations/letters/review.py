"""What a letter said as rows to store, and as a table in which a person completes what is not sure."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from operations.letters.lines import SURE, LetterLine, LetterValue
from operations.letters.quotes import LetterQuote
from operations.tables.cells import Habits, Unreadable, currency_of, day, flag, habits, number, text_of
from operations.tables.sheets import separator_of
from quarry.tool.errors import ValidationFailed
from quotes.ingestion import LineItemRow, PastQuoteRow

HEAD = ("quote_number", "quote_date", "customer", "contact", "project", "summary", "salesperson", "status",
        "total_price", "currency", "terms")  # fmt: skip
NEEDED = ("quote_number", "quote_date", "customer", "project", "summary", "status", "currency")
OF_LINE = ("category", "family", "model", "description", "quantity", "unit_price", "extended_price", "optional")
NEEDED_OF_LINE = ("category", "family", "description", "quantity")


class ReviewRow(BaseModel):
    """One value of a document: ``line`` is 0 for the head, else the item's number."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    document: str
    line: int
    field: str
    value: str = ""
    confidence: float = 1.0
    place: str = ""


@dataclass(frozen=True, slots=True)
class QuoteRows:
    """Rows of the kinds past_quotes and line_items, as JSON."""

    quote: dict[str, Any]
    lines: list[dict[str, Any]]


def to_review(document: str, quote: LetterQuote, *, constants: Mapping[str, str]) -> list[ReviewRow]:
    """Each value with its place; what is needed and was not found has none, for a person to write."""
    given = {name: LetterValue(value, "given", 1.0) for name, value in constants.items() if name in HEAD}
    head = {**quote.head, **given}
    if "summary" not in head and quote.items:
        described = [item.fields["description"] for item in quote.items]
        text = "\n".join(said.text.splitlines()[0] for said in described)
        head["summary"] = LetterValue(text, described[0].place, min(said.confidence for said in described))
    if "project" not in head and "summary" in head:
        first = head["summary"]
        head["project"] = LetterValue(first.text.splitlines()[0], first.place, min(first.confidence, SURE))
    rows = [_row(document, 0, name, head.get(name)) for name in HEAD if name in head or name in NEEDED]
    for at, item in enumerate(quote.items, start=1):
        fields = dict(item.fields)
        described_by = fields["description"]
        named = described_by.text.splitlines()[0].split(",")[0][:60].strip()
        fields["category"] = LetterValue(named, described_by.place, described_by.confidence)
        if "family" not in fields and "family" in constants:
            fields["family"] = LetterValue(constants["family"], "given", 1.0)
        names = [name for name in OF_LINE if name in fields or name in NEEDED_OF_LINE]
        rows += [_row(document, at, name, fields.get(name)) for name in names]
    return rows


def _row(document: str, line: int, name: str, said: LetterValue | None) -> ReviewRow:
    if said is None:
        return ReviewRow(document=document, line=line, field=name, confidence=0.0, place="not found")
    return ReviewRow(
        document=document, line=line, field=name, value=said.text, confidence=said.confidence, place=said.place
    )


def unsure(rows: Iterable[ReviewRow]) -> list[ReviewRow]:
    """Rows that a person has to look at before the document is stored."""
    needed = set(NEEDED) | {"total_price"}
    return [
        row
        for row in rows
        if row.confidence < SURE and (row.field in needed if row.line == 0 else row.field != "model")
    ]


def written(rows: Iterable[ReviewRow]) -> bytes:
    """The table as a spreadsheet program opens it."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(ReviewRow.model_fields))
    writer.writeheader()
    writer.writerows(row.model_dump() for row in rows)
    return text.getvalue().encode("utf-8-sig")


def read_review(text: str) -> list[ReviewRow]:
    """The edited table, as any spreadsheet program saves it; all that stands in it counts as seen by a person."""
    lines = text.splitlines(keepends=True)
    rows = list(csv.DictReader(lines, delimiter=separator_of(lines[:20])))
    if not rows or not {"document", "line", "field", "value"} <= rows[0].keys():
        raise ValidationFailed(
            "The review has to have the columns document, line, field and value, as it was written."
        )
    try:
        return [
            ReviewRow.model_validate({**row, "confidence": 1.0}) for row in rows if (row["document"] or "").strip()
        ]
    except ValidationError as error:
        raise ValidationFailed(f"The review does not fit: {error.errors()[0]['msg']}.") from error


def quotes_of(rows: Iterable[ReviewRow]) -> Iterator[tuple[str, QuoteRows | str]]:
    """(document, its rows, or why it has none)."""
    for document, own in groupby(sorted(rows, key=lambda row: row.document), key=lambda row: row.document):
        yield document, _quote(list(own))


def _quote(rows: list[ReviewRow]) -> QuoteRows | str:
    how = habits(row.value for row in rows if row.field not in ("description", "summary"))
    try:
        head = {row.field: _value(row, how) for row in rows if row.line == 0 and row.value.strip()}
        lines: dict[int, dict[str, Any]] = {}
        for row in rows:
            if row.line > 0 and row.value.strip():
                lines.setdefault(row.line, {"position": row.line})[row.field] = _value(row, how)
        number_of_quote = head.get("quote_number", "")
        shared = {"quote_number": number_of_quote, "currency": head.get("currency", "")}
        found = [{**line, **shared} for line in lines.values()]
        PastQuoteRow.model_validate(head)
        for line in found:
            LineItemRow.model_validate(line)
    except Unreadable as trouble:
        return str(trouble)
    except ValidationError as error:
        missing = [".".join(map(str, fault["loc"])) for fault in error.errors()]
        return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing or unreadable"
    return QuoteRows(head, found)


def _value(row: ReviewRow, how: Habits) -> str | bool:
    """The value as its kind takes it. Raises Unreadable, with what and where."""
    text = row.value.strip()
    try:
        if row.field == "quote_date":
            return day(text.strip(" ."), order=how.dates).isoformat()
        if row.field in ("total_price", "unit_price", "extended_price", "quantity"):
            return str(number(text, decimal=how.decimal)[0])
        if row.field == "optional":
            return flag(text)
    except Unreadable as trouble:
        raise Unreadable(f"{row.field} {text!r} {trouble} ({row.place})") from trouble
    if row.field == "currency":
        return currency_of(text) or text
    return text_of(text)


def found_in(rows: Iterable[ReviewRow], lines: Iterable[LetterLine]) -> list[ReviewRow]:
    """Rows whose value does not stand in the letter; a family is a word of ours for what stands there."""
    text = " ".join(" ".join(line.text.split()) for line in lines)
    kept = (row for row in rows if row.place != "given" and row.value and row.field not in ("family", "optional"))
    return [
        row
        for row in kept
        if not all(" ".join(part.split()) in text for part in row.value.splitlines())
        and not (row.field == "currency" and currency_of(text))
    ]
