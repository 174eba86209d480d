"""Reads the good drafts of letters.toml, and checks a draft."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from cpq.drafts.checking import check
from cpq.drafts.evidence import Evidence
from cpq.drafts.findings import Report
from cpq.drafts.letter import sections
from tests.drafting.composing import Drafted, Item, Letter, write

LETTERS = Path(__file__).with_suffix(".toml")


def drafts(path: Path = LETTERS) -> list[Drafted]:
    return [write(_letter(letter)) for letter in tomllib.loads(path.read_text("utf-8"))["letter"]]


def report(text: str, evidence: Evidence) -> Report:
    return check(sections(text), evidence)


def _letter(given: Mapping[str, Any]) -> Letter:
    items = [_item(item) for item in given["items"]]
    tables = {name: [tuple(row) for row in given.get(name, [])] for name in ("answers", "compliance", "options")}
    return Letter(**{**given, **tables, "items": items, "installation": _copied(given.get("installation"))})


def _item(given: Mapping[str, Any]) -> Item:
    price = Decimal(given["price"]) if "price" in given else None
    return Item(**{**given, "price": price, "copied": _copied(given.get("copied"))})


def _copied(given: Mapping[str, Any] | None) -> tuple[str, int, str]:
    return (given["quote"], given["position"], given.get("passage", "")) if given else ("", 0, "")
