"""catalog_get: one product with tiers and relationships, or the nearest ones."""

from collections.abc import Iterator
from typing import Any

import pytest

from cpq import catalog_get
from operations.ingest import KINDS
from tests.deployment import Deployment, invoke


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment) -> Iterator[None]:
    with deployment.serving():
        yield


def get(product_id: str, **arguments: object) -> dict[str, Any]:
    return invoke(catalog_get.handler, {"product_id": product_id, **arguments})


def test_the_seeds_example_comes_with_tiers_and_relationships() -> None:
    product = get("prod_pro_v2", include_relationships=True)
    assert product["created_at"] == "2025-01-15T10:00:00Z"
    assert product["pricing"]["base_price"] == "10.00"
    assert product["pricing"]["unit"] == "per_seat_per_month"
    assert product["pricing"]["volume_tiers"] == [
        {"min": 1, "max": 49, "price": "10.00"},
        {"min": 50, "max": 99, "price": "8.00"},
        {"min": 100, "max": None, "price": "6.00"},
    ]
    names = {kind: [item["name"] for item in items] for kind, items in product["relationships"].items()}
    assert names["requires"] == ["Basic Support"]
    assert "Starter Plan" in names["excludes"]
    assert "SSO Add-on" in names["recommends"]


def test_relationships_are_left_out_unless_asked_for() -> None:
    assert get("prod_pro_v2")["relationships"] is None


def test_what_one_side_excludes_shows_on_both() -> None:
    other = get("prod_starter", include_relationships=True)["relationships"]["excludes"]
    assert {"product_id": "prod_pro_v2", "name": "Pro Plan", "active": True} in other


def test_a_machine_names_its_model_for_get_product() -> None:
    product = get("prod_quincy_qmb30")
    assert (product["manufacturer"], product["model"], product["sku"]) == ("Quincy", "QMB30", "QMB30")
    assert product["currencies"] == ["EUR", "JPY", "KWD", "USD"]


def test_without_a_price_in_the_currency_it_says_which_there_are() -> None:
    product = get("prod_pro_v2", currency="CHF")
    assert product["pricing"] is None
    assert "EUR" in product["currencies"]


@pytest.mark.parametrize(("sku", "product_id"), [("PLAN-PRO-001", "prod_pro_v2"), ("QMB-30", "prod_quincy_qmb30")])
def test_a_sku_or_a_model_stands_for_the_id(sku: str, product_id: str) -> None:
    assert get(sku)["id"] == product_id


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("prod_pro_v3", "prod_pro_v2"),
        ("PLAN-PRO-0001", "prod_pro_v2"),
        ("QMB-3", "prod_quincy_qmb30"),
        ("ΡLΑΝ-ΡRΟ-ΟΟ1", "prod_pro_v2"),
    ],
)
def test_an_unknown_id_is_answered_with_the_nearest(wrong: str, near: str) -> None:
    answer = get(wrong)
    assert answer["code"] == "NOT_FOUND"
    assert near in answer["details"]["nearest"]
    assert near in answer["message"]


def test_a_new_price_is_a_new_version(deployment: Deployment) -> None:
    before = get("prod_sso")["pricing"]
    row = {"price_book_id": "pb_list_usd", "product_id": "prod_sso", "price": "2.50", "unit": "per_seat_per_month"}
    deployment.put(KINDS["prices"], [row])
    after = get("prod_sso")["pricing"]
    assert (before["base_price"], after["base_price"]) == ("2.00", "2.50")
    assert after["price_version"] == before["price_version"] + 1
    kept = deployment.rows(
        "SELECT version, price, superseded_at FROM cpq.price_book_entries"
        " WHERE price_book_id = 'pb_list_usd' AND product_id = 'prod_sso' ORDER BY version"
    )
    assert [(item["version"], str(item["price"]), item["superseded_at"] is None) for item in kept] == [
        (1, "2.00", False),
        (2, "2.50", True),
    ]
