"""get_product on real Postgres."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.sql import SQL

from equipment.get_product import handler
from quarry.data import database
from quarry.text import part_key
from tests.deployment import TENANT, Deployment, invoke
from tests.sample_rows import PRODUCTS, product

LONG = "Rotary screw compressor. " * 400


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(
        *PRODUCTS, product("K 7"), product("K-7"), product("T-J 5x2,5"), product("LONG-1", description=LONG)
    )
    deployment.put_products(product("Δ"), tenant="other")
    with deployment.serving("quarry_read"):
        yield


def get(model: str, *, tenant: str = "acme", **arguments: object) -> dict[str, Any]:
    return invoke(handler, {"model": model, **arguments}, tenant=tenant)


def test_a_product_comes_with_what_its_row_says() -> None:
    product = get("QMB30")["product"]
    assert (product["manufacturer"], product["series"], product["source"]) == ("Quincy", "QMB", "Bulletin QMB")
    assert (product["attributes"]["hp"], product["attributes"]["drive"]) == ("30 hp", "Belt")
    assert "gallons" not in product["attributes"]
    assert get("QMB30", units="metric")["product"]["attributes"]["hp"] == "22 kW (30 hp)"


@pytest.mark.parametrize(
    ("typed", "model"),
    [(" QMB-30 ", "QMB30"), ("Q M.B/30", "QMB30"), ("qsync100", "Q$ync 100"), ("TJ 5X2.5", "T-J 5x2,5")],
)
def test_case_blanks_punctuation_and_the_sign_of_decimals_do_not_matter(typed: str, model: str) -> None:
    assert get(typed)["product"]["model"] == model


def test_keys_are_the_same_in_the_database_and_here() -> None:
    chance = random.Random(7)
    texts = [
        "".join(chance.choice("abX1259.,- /x~$0ÇłıİßØЙцґポーガ弁각กำ่ضئकी") for _ in range(chance.randint(1, 12)))
        for _ in range(3000)
    ]
    keys = SQL("SELECT t AS model, equipment.model_key(t) AS key FROM unnest(%(texts)s::text[]) t")
    for row in database.fetch(TENANT, keys, {"texts": texts}):
        assert row["key"] == part_key(row["model"]) == part_key(row["model"]), row


def test_a_model_without_its_decimal_mark_is_another_one() -> None:
    answer = get("T-J 5x25")
    assert answer["code"] == "NOT_FOUND"
    assert answer["details"]["nearest"] == ["T-J 5x2,5"]


def test_a_missing_model_is_not_found_with_the_nearest() -> None:
    answer = get("QMB3O")
    assert (answer["code"], answer["retryable"]) == ("NOT_FOUND", False)
    assert answer["details"]["nearest"][0] == "QMB30"
    assert answer["message"].startswith("No product 'QMB3O'. Nearest models: QMB30")


def test_a_model_like_no_other_is_not_found_with_another_way() -> None:
    answer = get("zzzzzzzzzz")
    assert answer["details"] == {"nearest": []}
    assert "search_equipment" in answer["message"]


def test_a_model_of_another_manufacturer_is_not_found() -> None:
    answer = get("QMB30", manufacturer="Zenith")
    assert answer["code"] == "NOT_FOUND"
    assert "of Zenith" in answer["message"]


def test_the_exact_spelling_decides_between_two_models() -> None:
    assert get("AX-5")["product"]["manufacturer"] == "Zenith"
    assert get("AX 5")["product"]["manufacturer"] == "Acme"


def test_a_model_of_two_manufacturers_asks_which() -> None:
    answer = get("ax5")
    assert answer["code"] == "VALIDATION_ERROR"
    assert answer["details"]["candidates"] == ["Acme AX 5", "Zenith AX-5"]
    assert get("ax5", manufacturer="ZENITH")["product"]["model"] == "AX-5"


def test_two_models_of_one_manufacturer_ask_for_the_spelling() -> None:
    assert get("k7")["details"]["candidates"] == ["Acme K 7", "Acme K-7"]
    assert get("K-7")["product"]["model"] == "K-7"


def test_a_model_without_letters_or_digits_is_only_itself() -> None:
    assert get("Δ", tenant="other")["product"]["model"] == "Δ"
    assert get("???", tenant="other")["code"] == "NOT_FOUND"


def test_a_long_description_comes_whole() -> None:
    assert get("LONG-1")["product"]["description"] == LONG
