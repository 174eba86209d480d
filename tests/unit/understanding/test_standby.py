"""A machine that a plant does without, and what the others of a row give then."""

import time

import pytest

from quarry.understanding.fit import fit, judge
from tests.unit.understanding.trade import need, needs_of, only_item, read

TRIPLEX = {
    "family": "vacuum_pump", "category": "MEDICAL VACUUM SYSTEM", "cfm": 352.0, "hp": 30.0, "vacuum_inhg": 25.5,
    "lubrication": "oilless", "motor": "3 x 10 HP, 1800 RPM, TEFC", "voltage": "208/3/60",
    "air_quality": "NFPA 99 Category 1", "description": "Triplex oilless medical-surgical vacuum, 3 x 10 HP.",
}  # fmt: skip
QUADRUPLEX = {
    "family": "compressor", "category": "MEDICAL AIR SYSTEM", "cfm": 60.8, "hp": 20.0, "psi": 55.0,
    "motor": "4 x 5 HP, 3600 RPM, TEFC", "description": "Quadruplex medical air plant.",
}  # fmt: skip
SIX = {**QUADRUPLEX, "category": "OILLESS SCROLL AIR COMPRESSOR", "cfm": 184.0, "motor": "6 x 10 HP, 3600 RPM"}
TWO_STAGES = {
    "family": "compressor", "category": "OIL-FREE ROTARY SCREW AIR COMPRESSOR", "cfm": 425.0, "hp": 100.0,
    "motor": "2 x 50 HP, permanent magnet", "description": "Two motors, each driving one dry screw stage.",
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "triplex medical vacuum 210 cfm with one pump out of service, 208 V",
        "triplex medical vacuum, 210 cfm peak with one pump down, 208 V",
        "triplex medical vacuum 210 cfm with one unit off, 208 V",
        "duplex vacuum 210 cfm, one pump carries the full load",
        "duplex vacuum pump 210 cfm, one carries it",
        "vacuum system 210 cfm even with the largest pump out of service",
        "vacuum system 210 cfm, one redundant",
        "Vakuumanlage 350 m³/h bei Ausfall einer Pumpe",
        "Vakuumanlage 350 m³/h, drei Pumpen, davon eine in Reserve",
        "Vakuumanlage 350 m³/h, eine Pumpe außer Betrieb",
        "Vakuumanlage 350 m³/h auch bei Ausfall der größten Pumpe",
        "Vakuumanlage 350 m³/h, eine Pumpe trägt die volle Last",
        "sistema de vacío 350 m3/h con una bomba fuera de servicio",
        "sistema de vacío 350 m3/h con una fuera de servicio",
        "sistema de vacío 350 m3/h, una sola bomba cubre la demanda",
        "centrale de vide 350 m3/h avec une pompe à l'arrêt",
        "centrale de vide 350 m3/h en cas de panne d'une pompe",
        "centrale de vide 350 m3/h, une seule pompe suffit",
    ],
)
def test_a_machine_that_is_out_is_redundancy_and_no_second_item(text: str) -> None:
    item = only_item(text)
    assert needs_of(item)["redundancy"] == "n+1"
    flow = item.need("cfm")
    assert flow is not None
    assert (round(flow.low or 0), flow.spare) == (206 if "350" in text else 210, 1)
    assert item.quantity is None


@pytest.mark.parametrize(
    "text",
    ["one compressor is down, we need a rental", "a pump off the shelf, 100 cfm", "one 50 hp compressor, in stock"],
)
def test_other_words_of_one_machine_say_nothing_of_redundancy(text: str) -> None:
    assert all(each.attribute != "redundancy" for each in read(text).needs)


def test_a_machine_that_is_named_in_passing_tells_the_family_where_nothing_else_does() -> None:
    assert only_item("two 50 hp, loss of one compressor covered").families == {"compressor"}


@pytest.mark.parametrize(
    ("row", "asked", "verdict", "has"),
    [
        (TRIPLEX, "vacuum pump 210 cfm with one pump out", "met", "352, 234.7 with one of 3 out"),
        (TRIPLEX, "vacuum pump 300 cfm with one pump out", "contradicted", "352, 234.7 with one of 3 out"),
        (TRIPLEX, "vacuum pump 300 cfm", "met", "352 cfm"),
        (QUADRUPLEX, "medical air 42 cfm with one pump down", "met", "60.8, 45.6 with one of 4 out"),
        (SIX, "oilless compressor 150 cfm with one pump down", "met", "184, 153.3 with one of 6 out"),
        (TWO_STAGES, "oil-free compressor 400 cfm with one motor out of service", "met", "425 cfm"),
    ],
)
def test_the_flow_that_is_asked_for_is_what_the_others_give(
    row: dict[str, object], asked: str, verdict: str, has: str
) -> None:
    found = fit(need(asked, "cfm"), row)
    assert (found.verdict, found.has) == (verdict, has)


def test_redundancy_is_reckoned_where_the_text_does_not_tell_it() -> None:
    asked = need("vacuum pump 210 cfm with one pump out", "redundancy")
    assert fit(asked, TRIPLEX).has == "234.7 cfm with one of 3 out"
    told = {**TRIPLEX, "motor": "", "description": "Carries peak load with the largest out of service."}
    assert fit(asked, told).verdict == "met"
    assert fit(asked, {**TRIPLEX, "motor": "30 HP", "description": "Vane pump."}).has == "one machine"


def test_a_plant_that_is_asked_for_by_norm_and_redundancy_is_met_by_its_figures() -> None:
    asked = "triplex medical vacuum NFPA 99 Category 1, dry, 210 cfm with one pump out of service, 208 V"
    assert judge(only_item(asked), TRIPLEX).overall == "met"


def test_a_medical_plant_is_one_item_with_its_dryers_and_monitors() -> None:
    assert only_item("medical air plant NFPA 99, 42 scfm with one pump down, dryers, monitors, 480 V").need("voltage")
    assert only_item("planta de aire medicinal 70 m3/h, secadores, filtros y monitor").families == {"compressor"}
    assert only_item("medizinische Druckluftanlage 70 m3/h, Trockner, Filter").families == {"compressor"}
    assert len(read("medical air plant 42 scfm, and a receiver 240 gal").items) == 2


@pytest.mark.parametrize("text", ["one out " * 700, "with the one largest out for " * 220, "pump out the one " * 350])
def test_a_text_full_of_such_words_is_read_in_time(text: str) -> None:
    started = time.process_time()
    read(text)
    assert time.process_time() - started < 0.1
