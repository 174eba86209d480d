"""The sample catalogue for quoting: its counts, and that every machine can be sold."""

import csv
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).resolve().parents[3] / "local" / "corpus"

type Record = dict[str, Any]


def lines(name: str) -> list[Record]:
    with (CORPUS / "cpq" / name).open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def cells(name: str) -> list[dict[str, str]]:
    with (CORPUS / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, strict=True))


@pytest.fixture(scope="module")
def products() -> dict[str, Record]:
    return {row["id"]: row for row in lines("products.jsonl")}


def test_the_counts_are_those_of_the_readme(products: dict[str, Record]) -> None:
    assert (len(products), len(lines("prices.jsonl"))) == (272, 1_333)
    assert (len(cells("cpq/price_books.csv")), len(lines("accounts.jsonl"))) == (6, 90)


def test_every_machine_of_the_equipment_catalogue_is_sold_under_its_model(products: dict[str, Record]) -> None:
    sold = {(row["manufacturer"], row["model"]): row["sku"] for row in products.values() if "model" in row}
    machines = {(row["manufacturer"], row["model"]) for row in cells("products.csv")}
    assert sold == {(manufacturer, model): model for manufacturer, model in machines}


def test_every_active_product_but_freight_has_a_price_in_every_currency(products: dict[str, Record]) -> None:
    currency_of = {book["id"]: book["currency"] for book in cells("cpq/price_books.csv")}
    priced = {(row["product_id"], currency_of[row["price_book_id"]]) for row in lines("prices.jsonl")}
    active = [name for name, row in products.items() if row.get("active", True) and "freight" not in name]
    missing = [(name, code) for name in active for code in ("USD", "EUR", "JPY", "KWD") if (name, code) not in priced]
    assert missing == []


def test_every_segment_has_a_policy_and_every_role_of_it_somebody_who_is_there() -> None:
    policies = {row["segment"]: row for row in lines("discount_policies.jsonl")}
    assert {row["segment"] for row in lines("accounts.jsonl")} <= policies.keys()
    there = {row["role"] for row in cells("cpq/approvers.csv") if row["active"] == "true"}
    assert {role for row in policies.values() for role in row["escalation_chain"]} <= there


def test_accounts_have_the_four_currencies_and_other_scripts() -> None:
    accounts = lines("accounts.jsonl")
    assert {row["currency"] for row in accounts} >= {"USD", "EUR", "JPY", "KWD"}
    assert any(not row["name"].isascii() for row in accounts)
    assert all(row.get("contact_email", "x@y.example").endswith(".example") for row in accounts)


def test_whoever_bought_has_an_account_in_a_currency_that_has_prices_and_nobody_else_of_the_archive_has() -> None:
    quotes, accounts = lines("../past_quotes.jsonl"), {row["name"]: row for row in lines("accounts.jsonl")}
    priced = {row["currency"] for row in cells("cpq/price_books.csv")}
    paid = {row["customer"]: row["currency"] for row in quotes if row["status"] == "won"}
    assert {row["customer"] for row in quotes} & accounts.keys() == paid.keys()
    assert all(accounts[name]["currency"] in {paid[name]} & priced or paid[name] not in priced for name in paid)
    assert {accounts[name]["currency"] for name in paid} <= priced
    assert len(paid) == 82


def test_nothing_requires_what_it_excludes_or_what_nobody_sells(products: dict[str, Record]) -> None:
    relations = [(row["product_id"], row["kind"], row["related_id"]) for row in cells("cpq/relationships.csv")]
    assert {name for one, _, other in relations for name in (one, other)} <= products.keys()
    required = {(one, other) for one, kind, other in relations if kind == "requires"}
    excluded = {pair for one, kind, other in relations if kind == "excludes" for pair in ((one, other), (other, one))}
    assert required & excluded == set()


def test_three_lists_are_below_the_newest_sale_and_no_others(products: dict[str, Record]) -> None:
    quotes = {row["quote_number"]: row for row in lines("../past_quotes.jsonl")}
    newest: dict[tuple[str, str, str], tuple[str, Decimal]] = {}
    for line in lines("../line_items.jsonl"):
        quote, price = quotes[line["quote_number"]], Decimal(line["unit_price"])
        if line["model"] and quote["status"] == "won" and not line["optional"] and price:
            name = line["manufacturer"], line["model"], line["currency"]
            newest[name] = max(newest.get(name, ("", price)), (quote["quote_date"], price))
    books = {"pb_list_usd": "USD", "pb_europe": "EUR"}
    listed = {
        (products[row["product_id"]].get("manufacturer"), products[row["product_id"]].get("model"), code): row[
            "price"
        ]
        for row in lines("prices.jsonl")
        if (code := books.get(row["price_book_id"]))
    }
    below = {name[1] for name, (_, price) in newest.items() if name in listed and Decimal(listed[name]) < price}
    assert below == {"KC-400R", "ZT75", "QSV-340"}


def test_an_allowance_has_its_range_in_every_book_and_is_none_elsewhere(products: dict[str, Record]) -> None:
    allowances = {row["id"] for row in products.values() if row["sku"].startswith(("INST-", "FRT-"))}
    assert len(allowances) == 11
    for row in lines("prices.jsonl"):
        low, high = row.get("allowance_from"), row.get("allowance_to")
        assert (low is not None) == (row["product_id"] in allowances)
        assert low is None or Decimal(low) < Decimal(row["price"]) < Decimal(high or 0)
