"""What is judged by what it is measured at: behind a dryer, with one machine out, at the plug, through a door."""

from collections.abc import Mapping

import pytest

from quarry.understanding.fit import fit, judge
from quarry.understanding.needs import Finding
from tests.unit.understanding.trade import need, only_item, read

DRYER: Mapping[str, object] = {
    "model": "KC-450HL", "manufacturer": "Kettle Creek", "category": "DESICCANT AIR DRYER", "family": "dryer",
    "cfm": 450, "psi": 125, "voltage": "115/1/60", "dewpoint_f": -40, "cooling": "Air",
    "description": "Heatless twin tower desiccant dryer, 15 percent purge.",
}  # fmt: skip
PLANT: Mapping[str, object] = {
    "model": "VADS-T10", "manufacturer": "Becker", "category": "MEDICAL VACUUM SYSTEM", "family": "vacuum_pump",
    "hp": 30, "cfm": 352, "vacuum_inhg": 25.5, "lubrication": "oilless", "motor": "3 x 10 HP", "width_in": 64,
    "voltage": "208/3/60", "air_quality": "NFPA 99 Category 1",
    "description": "Triplex oilless medical-surgical vacuum. Modules separate for a freight elevator.",
}  # fmt: skip


def finding(text: str, row: Mapping[str, object], attribute: str) -> Finding:
    findings = judge(only_item(text), row).findings
    return next(each for each in findings if each.need.attribute == attribute)


@pytest.mark.parametrize(
    ("text", "described", "verdict", "has"),
    [
        ("desiccant dryer, 140 cfm outlet, 184 cfm", "15 percent purge", "contradicted", "116 (184 in"),
        ("desiccant dryer, 140 cfm net of purge, 184 cfm", "seven percent purge", "met", "152 (184 in"),
        ("desiccant dryer 140 cfm after the dryer", "15 % purge", "met", "382 (450 in"),
        ("Adsorptionstrockner 4 m³/min netto", "15 percent purge", "met", "382 (450 in"),
        ("desiccant dryer 140 cfm outlet at 100 psig", "Twin column desiccant.", "close", "not told"),
    ],
)
def test_what_leaves_a_dryer_is_what_enters_less_its_purge(text: str, described: str, verdict: str, has: str) -> None:
    answer = finding(text, {**DRYER, "description": described}, "net_cfm")
    assert (answer.verdict, has in answer.has) == (verdict, True), answer


def test_a_plain_flow_is_what_enters() -> None:
    assert only_item("desiccant dryer, 140 cfm at 100 psi").need("net_cfm") is None


@pytest.mark.parametrize(
    ("text", "supply", "verdict"),
    [
        ("dryer 450 cfm, 460/3/60", "115/1/60", "close"),
        ("dryer 450 cfm, 460/3/60", "230/1/50", "contradicted"),
        ("dryer 450 cfm, 400 V three phase or 230 V 50 Hz", "230/1/50", "met"),
        ("dryer 450 cfm, no 115 V", "115/1/60", "contradicted"),
    ],
)
def test_a_dryer_is_plugged_in_beside_the_supply_of_a_works(text: str, supply: str, verdict: str) -> None:
    assert finding(text, {**DRYER, "voltage": supply}, "voltage").verdict == verdict


def test_a_compressor_is_not_plugged_in() -> None:
    machine = {**DRYER, "family": "compressor", "category": "ROTARY SCREW AIR COMPRESSOR", "hp": 10}
    assert finding("screw compressor, 460/3/60", machine, "voltage").verdict == "contradicted"


def test_a_membrane_takes_no_current() -> None:
    membrane = {**DRYER, "category": "MEMBRANE AIR DRYER", "voltage": None, "description": "Hollow fiber membrane."}
    assert finding("dryer 450 cfm, 400 V 50 Hz", membrane, "voltage").verdict == "met"


def test_a_dryer_or_a_filter_that_is_larger_is_not_contradicted() -> None:
    assert finding("dryer 140 cfm", DRYER, "cfm").verdict == "close"
    separator = {"family": "accessory", "category": "OIL/WATER SEPARATOR", "cfm": 1500, "description": ""}
    assert finding("oil/water separator for not less than 900 cfm", separator, "cfm").verdict == "met"
    assert finding("oil/water separator 400 cfm", separator, "cfm").verdict == "close"


def test_a_plant_is_as_large_as_the_rest_of_it_with_one_machine_out() -> None:
    asked = "triplex medical vacuum system NFPA 99, 210 cfm with one pump out of service"
    assert finding(asked, PLANT, "cfm").has == "352, 234.7 with one of 3 out"
    assert finding(asked, PLANT, "cfm").verdict == "met"
    assert finding(asked, PLANT, "redundancy").verdict == "met"
    assert finding(asked.replace("210", "300"), PLANT, "cfm").verdict == "contradicted"
    assert finding("duplex or more, medical vacuum, n+1", PLANT, "arrangement").verdict == "met"
    assert finding(asked, {**PLANT, "motor": "1 x 10 HP"}, "redundancy").verdict == "close"


def test_what_comes_in_modules_goes_through_a_door_that_is_too_narrow_for_the_whole() -> None:
    asked = "medical vacuum 210 cfm, must fit through a 60 inch door"
    assert finding(asked, PLANT, "width_in").verdict == "close"
    assert finding(asked, {**PLANT, "description": "Triplex."}, "width_in").verdict == "contradicted"


@pytest.mark.parametrize(
    "text",
    [
        "60 HP oilless package, 140 cfm at 100 psig after the dryer, 460/3/60, food plant",
        "medical vacuum system, dry, 210 cfm peak with one pump out of service, triplex, 208 V",
        "medical air system NFPA 99, 42 cfm, desiccant dryers, CO monitors, complete package, 480 V",
        "Inbetriebnahme der Druckluft- und Vakuumstation",
        "compressed air audit: pressure drops when the test bay starts, compressor runs all night",
        "Vakuumanlage 300 m³/h bei Ausfall einer Pumpe, drei Pumpen",
    ],
)
def test_one_machine_with_what_is_said_of_it_stays_one(text: str) -> None:
    assert [item.text for item in read(text).items] == [text]


def test_things_that_stand_apart_stay_apart() -> None:
    assert len(read("medical vacuum NFPA 99 triplex and a dryer of 60 cfm").items) == 2
    assert len(read("100 hp screw compressor, refrigerated dryer 500 cfm").items) == 2


@pytest.mark.parametrize("text", ["Category 1, dry medical vacuum", "NFPA 99, dry duplex claw"])
def test_a_figure_before_dry_is_no_temperature(text: str) -> None:
    assert {"ambient_f", "dewpoint_f"}.isdisjoint(need.attribute for need in only_item(text).needs)


def test_what_is_replaced_tells_nothing_of_what_is_sized_by_itself() -> None:
    item = only_item("compresseur à spirales (remplace Boge EO 11), environ 1,2 m³/min, 8 bar")
    assert {"model", "manufacturer"}.isdisjoint(need.attribute for need in item.needs)
    assert item.need("cfm") is not None


@pytest.mark.parametrize(
    "text",
    ["Behälter 3000 l, Raumhöhe 3,20 m", "réservoir 3000 l, hauteur sous plafond 3,20 m",
     "tanque de aire 3000 l, altura del techo 3,20 m", "receiver 800 gal, headroom 126 in"],
)  # fmt: skip
def test_the_height_of_a_room_is_the_most_that_a_thing_may_have(text: str) -> None:
    height = only_item(text).need("height_in")
    assert height is not None
    assert (height.operator, round(height.high or 0)) == ("at_most", 126)


def test_the_pressure_equipment_directive_is_one_in_any_language() -> None:
    for text in ("Behälter 3000 l, DGRL", "receiver 800 gal, PED", "Behälter 500 l, Druckgeräterichtlinie"):
        certificate = only_item(text).need("certificate")
        assert certificate is not None
        assert certificate.values == {"ped"}


def test_the_year_of_a_regulation_is_no_date() -> None:
    assert read("compresseur 50 hp, CE 1935/2004").items[0].need("date") is None


def test_a_lined_tank_comes_nearer_to_a_stainless_one() -> None:
    tank = {"model": "VR-620E", "family": "receiver", "category": "AIR RECEIVER TANK"}
    said = [
        finding("stainless receiver", {**tank, "description": text}, "feature").has
        for text in ("Internally epoxy coated with FDA-compliant lining.", "Gray epoxy primer outside.")
    ]
    assert said[0] == "lined" != said[1]


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("heat regenerated desiccant dryer 450 scfm, purge not exceeding 7 percent", 7),
        ("desiccant dryer 450 cfm, max 10 % purge", 10),
        ("Adsorptionstrockner 10 m³/min, Regenerationsluftbedarf höchstens 15 %", 15),
        ("secador desecante 450 cfm con purga máxima del 7 por ciento", 7),
        ("sécheur à adsorption 450 cfm, air de régénération 8 % maximum", 8),
    ],
)
def test_the_purge_of_a_dryer_is_limited(text: str, most: int) -> None:
    asked = need(text, "purge")
    assert (asked.operator, asked.high) == ("at_most", most)
    dryer = {"family": "dryer", "category": "DESICCANT AIR DRYER"}
    assert fit(asked, {**dryer, "description": "Heatless, 20 percent purge."}).verdict == "contradicted"
    assert fit(asked, {**dryer, "description": "Heated, 7 percent purge."}).verdict == "met"
    assert fit(asked, {**dryer, "description": "Heated."}).verdict == "unknown"
    assert fit(asked, {"family": "dryer", "category": "REFRIGERATED AIR DRYER"}).verdict == "met"


def test_the_purge_of_a_compressor_is_no_need() -> None:
    assert only_item("compressor 450 cfm, purge 7 %").need("purge") is None
