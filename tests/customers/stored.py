"""Holds every value that husum's files say against what is stored, as an export has it."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from quarry.text import fold
from tests.customers.files import ARTICLE, HOUSE, Cell, table

Rows = Sequence[Mapping[str, Any]]
COMPANY = "husum"
KEYS = {"accounts": "id", "past_quotes": "quote_number", "line_items": "quote_number"}
TABLES = {"accounts": "customers", "past_quotes": "quotes", "line_items": "lines"}
MEANT = {"Gewonnen": "won", "Verloren": "lost", "Offen": "open", "Deutschland": "DE"}
"""Words that a field has a value of its own for."""


def wrong(exported: Mapping[str, bytes]) -> Iterator[str]:
    """A line for each value of a file that its stored row does not have."""
    stored = {name.removesuffix(".jsonl"): [*map(json.loads, rows.splitlines())] for name, rows in exported.items()}
    yield from _goods(stored["products"], stored["products_for_sale"])
    yield from _prices(stored["prices"])
    for kind, name in TABLES.items():
        header, *rows = table(COMPANY, name)
        if len(rows) != len(stored[kind]):
            yield f"{kind}: {len(stored[kind])} rows of {len(rows)}"
        for row in rows:
            mine = [each for each in stored[kind] if _is_of(row, each, KEYS[kind])]
            for column, cell in zip(header, row, strict=False):
                if cell != "" and not any(_says(each, cell) for each in mine):
                    yield f"{kind} {row[0]}: {column} {cell}"


def _is_of(row: Sequence[Cell], stored: Mapping[str, Any], key: str) -> bool:
    mine = fold(str(stored[key])).replace("-", "").endswith(fold(str(row[0])).replace("-", ""))
    return mine and ("position" not in stored or stored["position"] == row[1])


def _says(stored: Any, cell: Cell) -> bool:
    """Whether a stored value is the cell's: figures by value, days as such, texts as they are."""
    if isinstance(stored, Mapping | list):
        return any(_says(each, cell) for each in (stored.values() if isinstance(stored, Mapping) else stored))
    said = cell.isoformat() if isinstance(cell, date) else str(MEANT.get(str(cell), cell))
    return (
        str(stored) == said
        or (_figure(said) is not None and _figure(str(stored)) == _figure(said))
        or fold(str(stored)).replace("_", "") in (fold(f"acct{said}"), fold(said))
        or _day(said) == str(stored)
    )


def _figure(text: str) -> Decimal | None:
    plain = text.removesuffix(" €")
    try:
        return Decimal(plain.replace(".", "").replace(",", ".") if "," in plain else plain)
    except InvalidOperation:
        return None


def _day(text: str) -> str:
    return "-".join(reversed(text.split(".")))


def articles() -> list[dict[str, str]]:
    return [dict(zip(ARTICLE, map(str, row), strict=True)) for row in table(COMPANY, "articles")]


def _attributes() -> dict[str, str]:
    """By the code of a feature the attribute that the house declared for its word, or for the code itself."""
    words = {str(code): str(german) for kind, code, german, _ in table(COMPANY, "names") if kind == "FT_ID"}
    with (HOUSE / COMPANY / "attributes.csv").open(encoding="utf-8", newline="") as file:
        named = {
            word.removeprefix("de:"): row["name"]
            for row in csv.DictReader(file, delimiter=";")
            for word in row["words"].split("|")
        }
    codes = {said.partition("=")[0] for each in articles() for said in each["features"].split("; ")}
    return {code: named[words.get(code, code)] for code in codes}


def _goods(found: Rows, for_sale: Rows) -> Iterator[str]:
    attributes = _attributes()
    for article in articles():
        [stored] = [each for each in found if each["sku"] == article["number"]] or [{}]
        [sold] = [each for each in for_sale if each["sku"] == article["number"]] or [{}]
        same = {"part": "model", "maker": "manufacturer", "group": "category"}
        yield from (f"{article['number']}: {name}" for name, own in same.items() if stored.get(own) != article[name])
        told = stored.get("description", "")
        yield from (
            f"{article['number']}: {name}" for name in ("short", "long", "polish") if article[name] not in told
        )
        if (sold.get("name"), sold.get("model")) != (article["short"], article["part"]):
            yield f"{article['number']}: as it is sold"
        said = dict(each.split("=") for each in article["features"].split("; "))
        wanted = {attributes[code]: value.split(" ")[0] for code, value in said.items()}
        own = stored.get("attributes") or {}
        if own.keys() != wanted.keys():
            yield f"{article['number']}: attributes {sorted(own.keys() ^ wanted.keys())}"
        for name, value in wanted.items():
            held = own.get(name)
            held = held["value"] if isinstance(held, dict) else held
            if fold(str(held)) != fold(value) and _figure(str(held)) != (_figure(value) or value):
                yield f"{article['number']}: {name} {held} is not {value}"


def _prices(stored: Rows) -> Iterator[str]:
    """Every book's prices for one piece, under 0, with their tiers, and nothing else."""
    wanted: dict[tuple[str, str], dict[int, Decimal]] = {}
    for article in articles():
        tiers = [tier.split("=") for tier in article["prices"].split("; ")]
        key = ("pb_2026", f"prod_{article['number'].lower()}")
        wanted[key] = {int(start): Decimal(amount) / int(article["per"]) for start, amount in tiers}
    for number, start, amount in table(COMPANY, "projects")[1:]:
        figure = _figure(str(amount))
        wanted.setdefault(("pb_objekt", f"prod_{str(number).lower()}"), {})[int(str(start))] = figure or Decimal()
    found = {
        (price["price_book_id"], price["product_id"]): {
            **{tier["min"]: Decimal(tier["price"]) for tier in price.get("tiers") or [{"min": 1, **price}]},
            0: Decimal(price["price"]),
        }
        for price in stored
    }
    wanted = {key: {0: tiers[1], **tiers} for key, tiers in wanted.items()}
    for key in sorted(wanted.keys() | found.keys()):
        if wanted.get(key) != found.get(key):
            yield f"price {key}: {found.get(key)} is not {wanted.get(key)}"
