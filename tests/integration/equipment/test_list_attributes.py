"""list_attributes on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment import list_attributes, search_equipment
from equipment.list_attributes import MOST_CHARACTERS, MOST_VALUES, handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import product

HEADS = [f"head {number:03}, a long name of a value" for number in range(200)]

PROTECTIONS = ("IP44", "IP54")


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.declare(
        {"name": "head", "kind": "number", "unit": "m", "sense": "at_least", "met": 0.02, "close": 0.1},
        {"name": "span", "kind": "number", "unit": "bar", "sense": "covers"},
        {"name": "material", "kind": "text"},
        {"name": "protection", "kind": "text", "ordered": ["IP44", "IP54"], "sense": "at_least"},
        {"name": "dry", "kind": "flag"},
        families=["pump", "valve", "hose"],
    )
    deployment.put_products(
        product(
            "P-1", family="pump", head=10, span=[0, 10], material=["1.4408", "bronze"], protection="IP54", dry=True
        ),
        product("P-2", family="pump", head=[20, 42.5], span=[0, 7], material="bronze", dry=False),
        product("V-1", family="valve", material="bronze"),
        *(
            product(f"H-{number}", family="hose", material=head, protection=PROTECTIONS[number % 2])
            for number, head in enumerate(HEADS)
        ),
    )
    with deployment.serving("quarry_read"):
        yield


def told(*families: str) -> dict[str, Any]:
    return invoke(handler, {"families": list(families)})


def test_without_families_all_are_named_with_their_rows() -> None:
    assert invoke(handler, {}) == {"families": {"hose": 200, "pump": 2, "valve": 1}}


def test_an_attribute_says_its_unit_what_a_bare_figure_asks_and_what_rows_have_of_it() -> None:
    [pump] = told("pump")["attributes"]
    lines = pump["attributes"].splitlines()
    assert pump["rows"] == 2
    assert "head (m, or more ±2%..10%): 10..42.5" in lines
    assert "span (bar, a range that covers it): 0..10" in lines
    assert "material: bronze 2, 1.4408 1" in lines
    assert "protection (ordered, or more): IP54 1 [1]" in lines
    assert "dry (yes/no): 1 yes" in lines


def test_several_families_come_at_once_and_each_has_its_own_values() -> None:
    answer = told("valve", "pump", "gasket")
    assert [each["family"] for each in answer["attributes"]] == ["valve", "pump"]
    assert "head" not in answer["attributes"][0]["attributes"]
    assert answer["unknown"] == ["gasket"]
    assert answer["families"] == {"hose": 200, "pump": 2, "valve": 1}
    again = invoke(handler, {"families": '["Pump"]'})
    assert ("families" in again, again["attributes"][0]["family"]) == (False, "pump")


def test_a_family_is_short_and_says_how_many_values_it_leaves_out() -> None:
    [hose] = told("hose")["attributes"]
    assert len(hose["attributes"]) <= MOST_CHARACTERS
    shown = hose["attributes"].count("head ")
    assert 0 < shown <= MOST_VALUES
    assert f", +{len(HEADS) - shown}" in hose["attributes"]


def test_a_long_list_of_values_gives_way_before_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_attributes, "MOST_CHARACTERS", 400)
    [hose] = told("hose")["attributes"]
    assert "protection (ordered, or more): IP44 100, IP54 100" in hose["attributes"].splitlines()
    assert hose["attributes"].count("head ") < 10


def test_a_filter_of_ranges_that_cover_hides_rows_that_only_overlap() -> None:
    answer = invoke(search_equipment.handler, {"filters": [{"attribute": "span", "is": "1..9 bar"}]})
    assert [row[0] for row in answer["rows"]] == ["P-1"]
