"""get_specs on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment.get_specs import handler
from tests.deployment import TENANT, ClientContext, Context, Deployment, invoke
from tests.sample_rows import PRODUCTS, QUOTES, line, product


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


def test_a_model_asked_twice_comes_once() -> None:
    assert [row["model"] for row in compare("QMB30", "qmb-30", "QMB30")["products"]] == ["QMB30"]


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


def test_with_needs_each_product_says_how_it_meets_them_in_both_units() -> None:
    asked = {"models": ["SES100", "QMB30"], "needs": "ölfreier Kompressor, 75 kW, 7,5 bar"}
    answer = invoke(handler, asked)
    oilless, flooded = answer["products"]
    assert "hp 100 met" in oilless["fit"]
    assert "contradicted" in flooded["fit"]
    assert (oilless["metric"]["kw"], flooded["metric"]["kw"]) == (74.6, 22.4)
    assert "101 hp (75 kW)" in answer["understood"]


def test_goods_of_several_families_each_answer_for_what_is_asked_of_their_own() -> None:
    asked = {"models": ["SES100", "RD-500"], "needs": "oilless compressor, 100 HP, air cooled, at most 72 dBA"}
    compressor, dryer = invoke(handler, asked)["products"]
    assert "hp 100 met" in compressor["fit"]
    assert "family" not in dryer.get("fit", "")
    assert "unknown" not in dryer.get("fit", "")


def test_without_needs_nothing_is_judged() -> None:
    answer = invoke(handler, {"models": ["SES100"]})
    assert {"understood", "notice"}.isdisjoint(answer)
    assert {"fit", "conflict", "metric"}.isdisjoint(answer["products"][0])


def test_a_number_in_a_name_that_is_not_the_power_is_told(deployment: Deployment) -> None:
    deployment.put_products(product("ZT75", manufacturer="Atlas", hp=100, cfm=417, lubrication="oil-free"))
    answer = invoke(handler, {"models": ["ZT75"], "needs": "75 HP oil-free compressor"})
    assert "ZT75 is 100 HP, whatever the number in the name." in answer["notice"]


def test_two_of_one_that_is_too_small_are_named() -> None:
    answer = invoke(handler, {"models": ["Q$ync 100"], "needs": "oil-flooded compressor, 900 cfm at 125 psi"})
    assert "2 × Q$ync 100 = 940 cfm would do." in answer["notice"]


def test_a_past_line_that_says_otherwise_is_a_conflict_for_who_may_read_quotes(deployment: Deployment) -> None:
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(line("Q-24-102", 7, "OFX-100", manufacturer="Atlas", model="OFX-100", hp=100, cfm=300))
    [machine] = invoke(handler, {"models": ["OFX-100"]})["products"]
    assert machine["conflict"] == "Q-24-102/7: cfm 300 here, 420 in the catalogue"
    custom: dict[str, object] = {"tool": "get_specs", "tenant": TENANT, "scopes": ["equipment:read"]}
    [untold] = handler({"models": ["OFX-100"]}, Context(ClientContext(custom)))["products"]
    assert "conflict" not in untold


def test_needs_without_a_machine_are_read_as_of_those_that_are_compared(deployment: Deployment) -> None:
    claw = {"family": "vacuum_pump", "category": "CLAW VACUUM PUMP", "vacuum_inhg": 25}
    deployment.put_products(product("CL-300", cfm=300, **claw), product("CL-900", cfm=900, **claw))
    answer = invoke(handler, {"models": ["CL-300", "CL-900"], "needs": "500 m³/h"})
    assert answer["understood"] == ["294 cfm (500 m³/h)"]
    assert [row["fit"] for row in answer["products"]] == ["cfm 300 met", "cfm 900, asked 294: contradicted"]
    answer = invoke(handler, {"models": ["CL-300", "CL-900"], "needs": "300 SCFM at 20 inHg"})
    assert ["asked 905" in row["fit"] for row in answer["products"]] == [True, False]
    answer = invoke(handler, {"models": ["CL-300"], "needs": "300 SCFM"})
    assert answer["products"][0]["fit"] == "standard air unknown, asked 300"


def test_each_kind_is_judged_by_what_is_asked_of_it(deployment: Deployment) -> None:
    tank = {"family": "receiver", "category": "AIR RECEIVER TANK", "psi": 200}
    deployment.put_products(product("TK-400", description="400 gallon receiver.", **tank))
    needs = "100 HP oilless compressor, 116 psi; refrigerated dryer 500 cfm; receiver 400 gal, at most 60 in high"
    answer = invoke(handler, {"models": ["SES100", "RD-500", "TK-400"], "needs": needs})
    compressor, dryer, vessel = (row["fit"] for row in answer["products"])
    assert "hp 100 met" in compressor
    assert "gal" not in compressor
    assert "dryer" not in compressor
    assert "dryer kind refrigerated met" in dryer
    assert "hp" not in dryer
    assert "height" not in dryer
    assert "gal 400 met" in vessel
    assert "hp" not in vessel
    assert "nearest is RD-500" not in answer.get("notice", "").partition("receiver 400 gal")[2]


def test_a_supply_that_contradicts_is_told_of_every_machine(
    deployment: Deployment,
) -> None:
    deployment.put_products(
        product("SC-3PH", hp=5, cfm=15, psi=116, voltage="460/3/60"),
        product("SC-1PH", hp=5, cfm=15, psi=116, voltage="230/1/60"),
        product("DD-450", category="DESICCANT AIR DRYER", family="dryer", cfm=450, psi=125, dewpoint_f=-40),
    )
    needs = "15 cfm at 100 psi, 230 volts single phase, dryer with a dew point of -40 °F"
    answer = invoke(handler, {"models": ["SC-3PH", "SC-1PH", "RD-500", "DD-450"], "needs": needs})
    three, one, cold, desiccant = (row["fit"] for row in answer["products"])
    assert "voltage 3 ph, 460 V, 60 Hz, asked 230 V, 1 ph: contradicted" in three
    assert "voltage 1 ph, 230 V, 60 Hz met" in one
    assert "dew point" not in one
    assert ("dew point 38 °F" in cold, "dew point -40 °F met" in desiccant) == (True, True)
    assert answer["notice"].endswith("nearest is DD-450.")


def test_a_compressor_is_no_worse_for_the_lubricant_that_is_asked_of_it() -> None:
    [machine] = invoke(handler, {"models": ["QMB30"], "needs": "125 psi, lubricant PAO 46"})["products"]
    assert "accessory" not in machine["fit"]
    assert "psi" in machine["fit"]


def test_a_row_that_does_not_agree_with_itself_is_a_conflict(deployment: Deployment) -> None:
    claw = {"family": "vacuum_pump", "category": "CLAW VACUUM PUMP", "vacuum_inhg": 25.4}
    deployment.put_products(
        product("OV-140", description="Klauenpumpe, Enddruck 140 mbar abs.", **claw),
        product("OV-153", description="Klauenpumpe, Enddruck 153 mbar abs.", **claw),
    )
    apart, alike = invoke(handler, {"models": ["OV-140", "OV-153"]})["products"]
    assert apart["conflict"] == "end pressure 140 mbar abs in its description, 153 (25.4 inHg) in its column"
    assert "conflict" not in alike


def test_what_is_asked_of_one_kind_is_no_fault_of_another(deployment: Deployment) -> None:
    deployment.put_products(
        product("SCR-40", category="ROTARY SCREW AIR COMPRESSOR", cfm=184, psi=125, noise_dba=66),
        product("CLW-250", category="CLAW VACUUM PUMP", family="vacuum_pump", cfm=147, noise_dba=72),
        product("SEQ-8", category="SEQUENCING CONTROLLER", family="accessory", voltage="115/1/60"),
        product("OWS-9", category="OIL/WATER SEPARATOR", family="accessory", cfm=900),
        product("VSL-9", category="AIR RECEIVER TANK", family="receiver", description="1060 gal, ASME."),
    )
    needs = (
        "screw compressor 177 cfm, 116 psi, at most 68 dBA; ASME receiver 1060 gal, 160 psi;"
        " oil water separator 900 cfm"
    )
    models = ["SCR-40", "CLW-250", "SEQ-8", "OWS-9", "VSL-9"]
    told = {row["model"]: row.get("fit", "") for row in fits(models, needs)}
    assert told["CLW-250"] == ""
    assert "contradicted" not in told["SCR-40"] + told["SEQ-8"] + told["OWS-9"]
    assert "accessory kind oil-water-separator met; cfm 900 met" in told["OWS-9"]
    assert "certificate asme met" in told["VSL-9"]
    [_, other] = fits(["SCR-40", "CLW-250"], "40 hp, 177 cfm at 116 psi, at most 68 dBA, receiver 1060 gal")
    assert "fit" not in other
    [first, other] = fits(["SCR-40", "CLW-250"], "SCR-40 177 cfm at most 68 dBA; CLW-250 147 cfm")
    assert "cfm 184 met; noise 66 dBA met" in first["fit"]
    assert "model CLW-250 met; cfm 147 met" in other["fit"]
