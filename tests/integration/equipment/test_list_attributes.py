"""list_attributes on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment.list_attributes import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import PRODUCTS


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    with deployment.serving("quarry_read"):
        yield


def listed(*families: str) -> dict[str, Any]:
    return invoke(handler, {"families": list(families)})


def test_without_families_all_are_counted() -> None:
    assert listed()["families"] == {"compressor": 5, "blower": 2, "dryer": 1, "vacuum_pump": 1}


def test_a_family_tells_units_ranges_and_values() -> None:
    [told] = listed("compressor")["attributes"]
    assert (told["family"], told["rows"]) == ("compressor", 5)
    assert "hp (hp, about, met ±10% close ±25%): 30..100" in told["attributes"]
    assert "oil-flooded 2" in told["attributes"]
    assert "inHg" not in told["attributes"]


def test_a_family_of_nobody_is_unknown() -> None:
    assert listed("boat")["unknown"] == ["boat"]
