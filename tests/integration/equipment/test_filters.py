"""The hard filters of search_equipment that read more than a size, and its units, on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment.get_product import handler as get_product
from equipment.get_specs import handler as get_specs
from equipment.search_equipment import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import product

DEEP = product(
    "VP-29", family="vacuum_pump", category="CLAW VACUUM PUMP", manufacturer="Busch", vacuum_inhg=29, cfm=100, hp=10,
    motor="10 HP, 3600 RPM", cooling="Air", drive="Direct coupled", voltage="230/460/3/60", noise_dba=70,
    air_quality="NFPA 99 medical air", psi=116, weight_lb=1000,
)  # fmt: skip
SHALLOW = product(
    "VP 24 V", family="vacuum_pump", category="ROTARY VANE VACUUM PUMP", manufacturer="Atlas Copco", vacuum_inhg=24,
    hp=30, motor="3 x 10 HP, 1800 RPM", cooling="Water", drive="V-belt", voltage="115/1/60", noise_dba=85,
    air_quality="ISO 8573-1 Class 0", description="Triplex vane pumps over a 240 gallon receiver, oil 3 gal.",
)  # fmt: skip
COLD = product("KC-450", family="dryer", category="DESICCANT AIR DRYER", manufacturer="Kettle-Creek", dewpoint_f=-40)
WARM = product("RD 500", family="dryer", category="REFRIGERATED AIR DRYER", manufacturer="Kaeser", dewpoint_f=38)
TANK = product(
    "VR-1060", family="receiver", category="AIR RECEIVER TANK", manufacturer="Wabash",
    description="1,060 gallon vertical ASME receiver, 200 PSIG.",
)  # fmt: skip
SILENT = product("MUTE", manufacturer="Zenith")
OFTEN = product("OFTEN-25", hp=25, description="Screw. Often sold tank mounted over a 120 gallon vessel. Quiet.")

HAS = {
    "DEEP": DEEP["model"],
    "SHALLOW": SHALLOW["model"],
    "COLD": COLD["model"],
    "WARM": WARM["model"],
    "TANK": TANK["model"],
}


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(DEEP, SHALLOW, COLD, WARM, TANK, SILENT, OFTEN)
    deployment.put_products(DEEP, tenant="metres")
    deployment.rows("INSERT INTO quarry.tenant_settings (tenant, units) VALUES ('metres', 'metric')", tenant="metres")
    with deployment.serving("quarry_read"):
        yield


def search(tenant: str = "acme", **arguments: Any) -> dict[str, Any]:
    answer = invoke(handler, {"query": "machine", "top_k": 50, **arguments}, tenant=tenant)
    assert "error" not in answer, answer
    return answer


def models(**filters: Any) -> set[str]:
    return {hit["product"]["model"] for hit in search(**filters)["results"]}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"vacuum_min": 29}, {"DEEP"}),
        ({"vacuum_min": 24}, {"DEEP", "SHALLOW"}),
        ({"dewpoint_max": -40}, {"COLD"}),
        ({"dewpoint_max": 38}, {"COLD", "WARM"}),
        ({"noise_max": 70}, {"DEEP"}),
        ({"gallons_min": 240}, {"SHALLOW", "TANK"}),
        ({"gallons_max": 240}, {"SHALLOW"}),
        ({"arrangement": "triplex"}, {"SHALLOW"}),
        ({"arrangement": "simplex"}, {"DEEP"}),
        ({"cooling": "air-cooled"}, {"DEEP"}),
        ({"cooling": "WATER"}, {"SHALLOW"}),
        ({"drive": "belt drive"}, {"SHALLOW"}),
        ({"drive": "direct"}, {"DEEP"}),
        ({"voltage": "460/3/60"}, {"DEEP"}),
        ({"voltage": "230 V / 3 ph / 60 Hz"}, {"DEEP"}),
        ({"voltage": "115V"}, {"SHALLOW"}),
        ({"voltage": "46"}, set()),
        ({"voltage": "three phase"}, set()),
        ({"air_quality": "class 0"}, {"SHALLOW"}),
        ({"air_quality": "nfpa99"}, {"DEEP"}),
        ({"manufacturer": "atlas"}, {"SHALLOW"}),
        ({"manufacturer": "kettle creek"}, {"COLD"}),
        ({"manufacturer": "K", "family": "dryer"}, {"COLD", "WARM"}),
        ({"manufacturer": "-"}, set()),
        ({"model": "vp24"}, {"SHALLOW"}),
        ({"model": "VP"}, {"DEEP", "SHALLOW"}),
        ({"model": "--"}, set()),
        ({"vacuum_min": 20, "cooling": "water", "arrangement": "triplex"}, {"SHALLOW"}),
    ],
)
def test_only_rows_that_say_so_pass_a_filter(filters: dict[str, Any], expected: set[str]) -> None:
    assert models(**filters) == {HAS[name] for name in expected}


@pytest.mark.parametrize(
    ("filters", "those"),
    [
        ({"manufacturer": "Sullivan", "family": "dryer"}, ("Kaeser", "Kettle-Creek")),
        ({"cooling": "glycol"}, ("Air", "Water")),
        ({"voltage": "575/3/60"}, ("230/460/3/60", "115/1/60")),
        ({"arrangement": "duplex"}, ("simplex", "triplex")),
        ({"model": "QX9", "family": "dryer"}, ("KC-450", "RD 500")),
        ({"vacuum_min": 29.5}, ("29 (VP-29)",)),
        ({"dewpoint_max": -60}, ("-40 (KC-450)",)),
        ({"gallons_min": 2000}, ("1060 (VR-1060)",)),
        ({"noise_max": 50}, ("70 (VP-29)",)),
    ],
)
def test_a_value_that_no_row_has_is_answered_with_those_there_are(
    filters: dict[str, Any], those: tuple[str, ...]
) -> None:
    answer = search(**filters)
    assert answer["results"] == []
    assert all(value in answer["notice"] for value in those)


def test_a_tank_range_that_holds_nothing_is_refused() -> None:
    answer = invoke(handler, {"query": "tank", "gallons_min": 500, "gallons_max": 100})
    assert "gallons_min 500 is above gallons_max 100" in answer["message"]


def test_tank_and_arrangement_are_read_from_the_text() -> None:
    found = invoke(get_specs, {"models": [row["model"] for row in (DEEP, SHALLOW, TANK, OFTEN, SILENT)]})["products"]
    assert [(row.get("gallons"), row.get("arrangement")) for row in found] == [
        (None, "simplex"),
        (240, "triplex"),
        (1060, None),
        (None, None),
        (None, None),
    ]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"hp_min": 7.5, "hp_max": 7.5}, {"DEEP"}),
        ({"cfm_min": 170}, {"DEEP"}),
        ({"cfm_min": 180}, set()),
        ({"psi_min": 8}, {"DEEP"}),
        ({"vacuum_min": 35}, {"DEEP"}),
        ({"vacuum_min": 250}, {"DEEP", "SHALLOW"}),
        ({"dewpoint_max": -40}, {"COLD"}),
        ({"dewpoint_max": 3.5}, {"COLD", "WARM"}),
        ({"gallons_min": 4000}, {"TANK"}),
    ],
)
def test_metric_bounds_are_kw_m3_h_bar_mbar_abs_celsius_and_litres(
    filters: dict[str, Any], expected: set[str]
) -> None:
    answer = search(units="metric", **filters)
    assert {hit["product"]["model"] for hit in answer["results"]} == {HAS[name] for name in expected}
    assert answer["applied_filters"] == {**filters, "units": "metric"}


def test_metric_values_stand_beside_the_us_ones_and_only_where_asked_for() -> None:
    shown = {"kw": 7.46, "m3_h": 170, "bar": 8, "mbar_abs": 31.2, "kg": 454}
    [hit] = search(units="metric", model="VP-29", full=True)["results"]
    assert (hit["product"]["hp"], hit["product"]["metric"]) == (10, shown)
    assert invoke(get_product, {"model": "VP-29", "units": "metric"})["product"]["metric"] == shown
    assert "metric" not in invoke(get_product, {"model": "VP-29"})["product"]
    [first, second] = invoke(get_specs, {"models": ["VP-29", "RD 500"], "units": "metric"})["products"]
    assert (first["metric"], second["metric"]) == (shown, {"dewpoint_c": 3.0})


def test_a_tenants_own_units_hold_until_a_call_says_otherwise() -> None:
    assert len(search("metres", hp_max=7.5)["results"]) == 1
    assert search("metres", hp_max=7.5, units="us")["results"] == []
    assert search(hp_max=7.5)["results"] == []
