"""The sample corpus as the judge sees it: one frozen row per product, line and quote, from their columns."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from local.corpus_loader import CORPUS, SAMPLE

GALLONS = re.compile(r"\b(\d[\d,]*)[ -]?gal", re.IGNORECASE)
WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class Row:
    """``columns`` of a line are its own, or its catalogue row's where its own are empty."""

    key: str
    columns: Mapping[str, Any]
    text: str
    lines: tuple["Row", ...] = field(default=())

    @cached_property
    def words(self) -> str:
        """Equal for two lines that say the same, which a search shows once."""
        return " ".join(sorted(WORDS.findall(str(self.columns.get("description") or self.key).lower())))

    def number(self, column: str) -> float | None:
        value = self.columns.get(column)
        return float(value) if value not in (None, "") else None

    def string(self, column: str) -> str:
        return str(self.columns.get(column) or "")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Rows by key, per tool."""

    rows: Mapping[str, Mapping[str, Row]]


def read_corpus() -> Corpus:
    products = {row["model"]: row for row in _of_kind("products")}
    quotes = {row["quote_number"]: row for row in _of_kind("past_quotes")}
    lines = [
        _line(row, quotes[row["quote_number"]], products.get(str(row["model"]))) for row in _of_kind("line_items")
    ]
    by_quote: dict[str, list[Row]] = {number: [] for number in quotes}
    for line in lines:
        by_quote[line.string("quote_number")].append(line)
    return Corpus(
        {
            "search_equipment": {model: _product(row) for model, row in products.items()},
            "search_line_items": {line.key: line for line in lines},
            "search_past_quotes": {number: _quote(row, tuple(by_quote[number])) for number, row in quotes.items()},
        }
    )


def _of_kind(kind: str) -> Iterator[dict[str, Any]]:
    for name in (name for of, name in SAMPLE if of == kind):
        with (CORPUS / name).open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file) if name.endswith(".csv") else map(json.loads, file)


def _product(row: Mapping[str, Any]) -> Row:
    text = " ".join(str(row[name]) for name in ("category", "series", "description", "air_quality"))
    return Row(row["model"], {**row, "gallons": _gallons(row)}, text)


def _line(row: Mapping[str, Any], quote: Mapping[str, Any], product: Mapping[str, Any] | None) -> Row:
    known = {name: value for name, value in row.items() if value not in (None, "")}
    ours = {name: quote[name] for name in ("customer", "industry", "quote_date", "salesperson", "status", "project")}
    columns = {**(product or {}), **ours, **known}
    gallons = _gallons(product) if product else _gallons(row)
    text = " ".join(str(row[name] or "") for name in ("category", "manufacturer", "model", "description"))
    return Row(f"{row['quote_number']}/{row['position']}", {**columns, "gallons": gallons}, text)


def _quote(row: Mapping[str, Any], lines: tuple[Row, ...]) -> Row:
    text = " ".join(
        str(row[name] or "") for name in ("customer", "project", "summary", "industry", "price_rationale")
    )
    return Row(row["quote_number"], row, text, lines)


def _gallons(row: Mapping[str, Any]) -> float | None:
    """Of a receiver, from its text: the catalogue has no column for it."""
    if row["family"] != "receiver":
        return None
    found = GALLONS.search(str(row["description"]))
    return float(found[1].replace(",", "")) if found else None
