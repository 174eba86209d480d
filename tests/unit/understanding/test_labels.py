"""Figures of classes and norms, supplies of which either will do, what is replaced, doors and peaks."""

import pytest

from quarry.understanding.fit import fit
from tests.unit.understanding.trade import need, needs_of, only_item, read


@pytest.mark.parametrize(
    "text",
    [
        "press 3 dry vane vacuum pump of 2023",
        "Presse 2 Vakuumpumpe ölfrei",
        "Category 1, dry medical vacuum",
        "NFPA 99, dry duplex claw",
        "oil-free Class 0, dry screw 100 hp",
        "Type 12, dry",
        "Vakuumanlage NFPA Kategorie 1, trocken",
        "vacío medicinal categoría 1, seco",
        "vide médical catégorie 1, sec",
        "Cat. 3, D filter",
        "Klasse 1 Filter, 200 m3/h",
        "DN 50, flanged receiver",
        "DN 80 filter 300 cfm",
        "dryer 100 cfm, grade 5 filter",
    ],
)
def test_the_figure_of_a_class_is_no_temperature_no_size_and_no_count(text: str) -> None:
    request = read(text)
    assert not {each.attribute for each in request.needs} & {"ambient_f", "dewpoint_f", "gallons", "inlet_f"}
    assert all(item.quantity is None for item in request.items)


def test_degrees_are_still_read_before_dry_and_behind_the_dew_point() -> None:
    assert need("air at -40 dry, 100 cfm", "dewpoint_f").high == -40
    assert need("38 pdp dryer 100 cfm", "dewpoint_f").high == 38
    assert [each.high for each in read("dew point -40 and 3 filters").needs if each.attribute == "dewpoint_f"] == [
        -40
    ]
    assert "ambient_f" not in needs_of(only_item("filters at point of use 2 pieces, 100 cfm"))


def test_a_category_of_a_hospital_is_that_of_its_norm() -> None:
    assert "nfpa 99" in need("hospital vacuum pump Category 1, 100 cfm", "certificate").values
    assert all(each.attribute != "certificate" for each in read("filter Cat. 3, 100 cfm").needs)


@pytest.mark.parametrize(
    "text",
    [
        "dryer 42 cfm, 400 V three phase or 230 V 50 Hz",
        "Trockner 1,2 m3/min, 400 V Drehstrom oder 230 V 50 Hz",
        "Trockner 1,2 m3/min, 400 V / 3 Ph / 50 Hz oder 230 V",
        "secador 1,2 m3/min, 400 V trifásico o 230 V 50 Hz",
        "sécheur 1,2 m3/min, 400 V triphasé ou 230 V 50 Hz",
    ],
)
def test_of_two_supplies_each_has_its_own_phase_and_one_that_is_met_will_do(text: str) -> None:
    asked = need(text, "voltage")
    assert asked.shown == "400 V, 3 ph, 50 Hz or 230 V, 50 Hz"
    assert fit(asked, {"family": "dryer", "voltage": "230/1/50"}).verdict == "met"
    assert fit(asked, {"family": "dryer", "voltage": "400/3/50"}).verdict == "met"
    assert fit(asked, {"family": "dryer", "voltage": "460/3/60"}).verdict == "contradicted"


def test_a_phase_behind_both_volts_is_said_of_both() -> None:
    assert need("pump 208 V or 480 V three phase", "voltage").shown == "208 V, 3 ph or 460 V, 3 ph"
    assert need("pump three phase 208 or 480 V", "voltage").values == {"208 V", "460 V", "3 ph"}
    assert need("115 V or 460 V three phase pump", "voltage").shown == "115 V or 460 V, 3 ph"
    assert not need("480 V, scroll or screw compressor, 3 phase", "voltage").alternatives


@pytest.mark.parametrize(
    "text",
    [
        "oil-free compressor 45 cfm, replaces our Boge EO 11",
        "oil-free compressor 45 cfm instead of the Boge EO 11",
        "ölfreier Kompressor 1,2 m³/min, ersetzt Boge EO 11",
        "ölfreier Kompressor 1,2 m³/min anstelle des Boge EO 11",
        "compresor sin aceite 1,2 m3/min, sustituye al Boge EO 11",
        "compresor sin aceite 1,2 m3/min en lugar del Boge EO 11",
        "compresseur sans huile 1,2 m3/min (remplace Boge EO 11)",
        "compresseur sans huile 1,2 m3/min à la place du Boge EO 11",
    ],
)
def test_the_machine_that_goes_is_no_need_where_the_size_is_told(text: str) -> None:
    said = needs_of(only_item(text))
    assert {"cfm", "lubrication"} <= said.keys()
    assert not {"model", "manufacturer"} & said.keys()


def test_the_machine_that_goes_is_the_measure_where_nothing_else_is() -> None:
    assert need("replacement for Boge EO 11", "model").operator == "about"


@pytest.mark.parametrize(
    "text",
    [
        "vacuum pump 100 cfm, fits through 60 inch door",
        "vacuum pump 100 cfm, freight elevator door is 60 inches wide",
        "Vakuumpumpe 200 m3/h, passt durch eine Tür von 1,524 m",
        "bomba de vacío 200 m3/h, que pase por una puerta de 1,524 m",
        "pompe à vide 200 m3/h, passe par une porte de 1,524 m",
    ],
)
def test_a_door_is_a_bound_that_a_machine_may_pass_lengthwise_or_in_modules(text: str) -> None:
    asked = need(text, "width_in")
    assert (round(asked.high or 0), asked.operator) == (60, "at_most")
    assert "compression" not in needs_of(only_item(text))
    row = {"family": "vacuum_pump", "width_in": 64.0, "length_in": 110.0, "description": "Vane pump."}
    assert fit(asked, row).verdict == "contradicted"
    assert fit(asked, {**row, "length_in": 58.0}).verdict == "met"
    assert fit(asked, {**row, "description": "Modules separate for a freight elevator."}).verdict == "close"


@pytest.mark.parametrize(
    "text",
    [
        "receiver 800 gal, ceiling 126 in",
        "Druckbehälter 3000 l, Raumhöhe 3,20 m",
        "tanque 3000 l, techo a 3,20 m",
        "réservoir 3000 l, hauteur sous plafond 3,20 m",
    ],
)
def test_the_height_of_a_room_bounds_that_of_a_tank(text: str) -> None:
    asked = need(text, "height_in")
    assert (round(asked.high or 0), asked.operator) == (126, "at_most")


def test_the_directive_on_pressure_vessels_has_names() -> None:
    for text in ("Druckbehälter 3000 l, CE/DGRL", "receiver 800 gal, PED", "réservoir 3000 l, DESP"):
        assert need(text, "certificate").values == {"ped"}


@pytest.mark.parametrize(
    "text",
    [
        "compressor 45 cfm, set at 116 psi, 130.5 psi at peak",
        "Kompressor 1,2 m3/min, eingestellt auf 8 bar, in der Spitze 9 bar",
        "compresor 1,2 m3/min, regulado a 8 bar, 9 bar en pico",
        "compresseur 1,2 m³/min, réglé à 8 bar, 9 bar en pointe",
        "compresseur 1,2 m³/min, en pointe 9 bar, réglé à 8 bar",
    ],
)
def test_what_is_drawn_at_the_peak_is_what_has_to_be_there(text: str) -> None:
    assert round(need(text, "psi").low or 0) in (130, 131)


@pytest.mark.parametrize(
    "text",
    [
        "60 HP oilless, 140 cfm at 100 psig after the dryer, 460/3/60",
        "ölfrei 45 kW, 4 m3/min nach dem Trockner, 400 V",
        "compresor sin aceite 45 kW, 4 m3/min después del secador",
        "compresseur sans huile 45 kW, 4 m3/min après le sécheur",
    ],
)
def test_a_flow_behind_the_dryer_asks_for_no_dryer(text: str) -> None:
    item = only_item(text)
    assert "dryer" not in item.families
    assert {"hp", "cfm", "lubrication"} <= needs_of(item).keys()


@pytest.mark.parametrize(
    "text",
    ["Inbetriebnahme der Druckluft- und Vakuumstation", "start-up of the compressed air and vacuum station"],
)
def test_one_work_on_two_plants_is_one_item(text: str) -> None:
    assert only_item(text).families == {"service"}


def test_a_bound_that_is_exceeded_is_met_and_what_air_passes_may_be_much_larger() -> None:
    separator = {"family": "accessory", "category": "OIL WATER SEPARATOR", "cfm": 1500.0}
    assert fit(need("oil/water separator for not less than 900 cfm", "cfm"), separator).verdict == "met"
    assert fit(need("mindestens 25 m³/min, Öl-Wasser-Trenner", "cfm"), separator).verdict == "met"
    for family, asked in (("filtration", "sterile filter 42 cfm"), ("dryer", "refrigerated dryer 42 cfm")):
        row = {"family": family, "category": "X"}
        assert fit(need(asked, "cfm"), {**row, "cfm": 150.0}).verdict == "close"
        assert fit(need(asked, "cfm"), {**row, "cfm": 400.0}).verdict == "close"
    assert fit(need("compressor 42 cfm", "cfm"), {"family": "compressor", "cfm": 400.0}).verdict == "contradicted"
