"""The data of every trade hangs together: what is named exists, and what is judged can be judged."""

import csv
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.trades.asking import Asked

HERE = Path(__file__).parent
TRADES = sorted(p.parent for p in HERE.glob("*/requests.yaml"))
PRODUCT = {"model", "manufacturer", "series", "category", "family", "description", "source", "sku"}
QUOTE = {
    "customer",
    "industry",
    "salesperson",
    "status",
    "date",
    "year",
    "project",
    "currency",
    "total",
    "reference",
    "quote_number",
    "terms",
    "description",
}
LINE = QUOTE - {"total", "terms"} | {"quantity", "optional"} | PRODUCT - {"source", "sku"} | {"price"}
BUILT_IN = {
    "search_equipment": PRODUCT - {"source", "sku"} | {"price"},
    "search_line_items": LINE,
    "search_past_quotes": QUOTE,
}
LINE_COLUMNS = {
    "quote_number", "position", "category", "family", "manufacturer", "model", "description", "quantity",
    "unit_price", "extended_price", "currency", "optional", "price_note",
}  # fmt: skip


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def requests(trade: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((trade / "requests.yaml").read_text())
    return found


def declared(trade: Path) -> dict[str, str]:
    return {row["name"]: row["kind"] for row in table(trade / "attributes.csv")}


def keys(trade: Path, tool: str) -> set[str]:
    if tool == "search_equipment":
        return {row["model"] for row in table(trade / "products.csv")}
    if tool == "search_past_quotes":
        return {row["quote_number"] for row in lines(trade / "past_quotes.jsonl")}
    return {f"{row['quote_number']}/{row['position']}" for row in lines(trade / "line_items.jsonl")}


every_trade = pytest.mark.parametrize("trade", TRADES, ids=lambda path: path.name)


@every_trade
def test_every_judged_key_is_a_row_and_stands_in_one_list(trade: Path) -> None:
    known = {tool: keys(trade, tool) for tool in BUILT_IN}
    for request in requests(trade):
        lists = [request.get(name, []) for name in ("right", "close", "unknown")]
        if request.get("contradicts") != "rest":
            lists.append(request.get("contradicts", []))
        named = Counter(key for keys_ in lists for key in keys_)
        assert set(named) <= known[request["tool"]], request["ask"]
        assert not [key for key, times in named.items() if times > 1], request["ask"]


@every_trade
def test_needs_name_declared_attributes_and_say_something(trade: Path) -> None:
    families = {row["family"] for row in table(trade / "families.csv")}
    for request in requests(trade):
        allowed = BUILT_IN[request["tool"]] | set(declared(trade))
        needs = request["needs"] + request.get("filters", [])
        assert {need["attribute"] for need in needs} <= allowed, request["ask"]
        assert all(isinstance(need["is"], str) and need["is"].strip() for need in needs), request["ask"]
        assert (Asked(sort=request.get("sort")).order or "date").lstrip("-") in allowed | {"date"}, request["ask"]
        assert request.get("family") is None or request["family"] in families, request["ask"]


@every_trade
def test_products_have_declared_columns_families_and_one_price(trade: Path) -> None:
    kinds, products = declared(trade), table(trade / "products.csv")
    families = {row["family"] for row in table(trade / "families.csv")}
    assert set(products[0]) <= PRODUCT | set(kinds)
    assert {row["family"] for row in products} <= families
    assert max(Counter(row["model"] for row in products).values()) == 1
    assert {row["model"] for row in table(trade / "prices.csv")} <= {row["model"] for row in products}
    for row in products:
        for name, kind in kinds.items():
            if row.get(name) and kind == "flag":
                assert row[name] in ("yes", "no")


@every_trade
def test_a_quote_is_the_sum_of_its_lines(trade: Path) -> None:
    quotes = {row["quote_number"]: row for row in lines(trade / "past_quotes.jsonl")}
    sums = dict.fromkeys(quotes, Decimal(0))
    for line in lines(trade / "line_items.jsonl"):
        assert set(line) <= LINE_COLUMNS | set(declared(trade))
        assert Decimal(line["extended_price"]) == line["quantity"] * Decimal(line["unit_price"])
        if not line["optional"]:
            sums[line["quote_number"]] += Decimal(line["extended_price"])
    assert sums == {number: Decimal(quote["total_price"]) for number, quote in quotes.items()}


@every_trade
def test_vocabulary_means_attributes_that_are_declared(trade: Path) -> None:
    known = set(declared(trade)) | PRODUCT | QUOTE
    assert {row["attribute"] for row in table(trade / "vocabulary.csv")} <= known
