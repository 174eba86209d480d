"""get_specs on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment.get_specs import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import PRODUCTS, product


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    deployment.put_products(product("QMB31"), tenant="rival")
    with deployment.serving("quarry_read"):
        yield


def compare(*models: str) -> dict[str, Any]:
    return invoke(handler, {"models": list(models)})


def test_products_come_in_the_order_asked() -> None:
    answer = compare("RD-500", "qmb 30", "SES100")
    assert [row["model"] for row in answer["products"]] == ["RD-500", "QMB30", "SES100"]
    assert answer["not_found"] == []


def test_a_missing_model_is_listed_with_the_nearest_and_the_rest_is_given() -> None:
    answer = compare("QMB3O", "RD-500")
    assert [row["model"] for row in answer["products"]] == ["RD-500"]
    [missing] = answer["not_found"]
    assert missing["model"] == "QMB3O"
    assert missing["nearest"][0] == "QMB30"


def test_a_model_of_two_manufacturers_gives_both() -> None:
    assert [row["manufacturer"] for row in compare("ax5")["products"]] == ["Acme", "Zenith"]


def test_what_the_catalogue_does_not_say_is_left_out() -> None:
    [row] = compare("HX-100")["products"]
    assert {"lubrication", "cfm"}.isdisjoint(row)
    assert None not in row.values()


def fits(models: list[str], needs: str) -> list[dict[str, Any]]:
    products: list[dict[str, Any]] = invoke(handler, {"models": models, "needs": needs})["products"]
    return products


def test_another_tenants_model_is_not_found() -> None:
    assert compare("QMB31")["not_found"] == [{"model": "QMB31", "nearest": ["QMB30"]}]


@pytest.mark.parametrize("models", [[], [f"M{n}" for n in range(21)], [""]])
def test_the_list_has_bounds(models: list[str]) -> None:
    assert compare(*models)["code"] == "VALIDATION_ERROR"


def test_without_needs_nothing_is_judged() -> None:
    answer = invoke(handler, {"models": ["SES100"]})
    assert {"understood", "notice"}.isdisjoint(answer)
    assert {"fit", "conflict", "metric"}.isdisjoint(answer["products"][0])
