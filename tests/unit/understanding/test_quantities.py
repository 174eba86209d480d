"""Quantities as the trade writes them, in any unit and in four languages."""

import pytest

from quarry.understanding.numbers import decimal
from quarry.understanding.units import BY_NAME
from tests.unit.understanding.trade import need, needs_of, only_item, read


@pytest.mark.parametrize(
    ("text", "attribute", "low", "high"),
    [
        ("100HP", "hp", 100, 100),
        ("100-HP compressor", "hp", 100, 100),
        ("a 100 h.p. machine", "hp", 100, 100),
        ("hundred horse", "hp", 100, 100),
        ("two hundred and fifty horsepower", "hp", 250, 250),
        ("thirty HP", "hp", 30, 30),
        ("7 1/2 hp", "hp", 7.5, 7.5),
        ("7-1/2 HP", "hp", 7.5, 7.5),
        ("7½ hp", "hp", 7.5, 7.5),
        ("1/2 HP", "hp", 0.5, 0.5),
        (".5 hp", "hp", 0.5, 0.5),
        ("a filter of .01 micron", "micron", 0.01, 0.01),
        ("lobe blower 2500 cfm at 7.5", "psi", 7.5, 7.5),
        ("HP: 100", "hp", 100, 100),
        ("hp 100", "hp", 100, 100),
        ("75 kW", "hp", 100.6, 100.6),
        ("75kW/100hp oil injected", "hp", 100.6, 100.6),
        ("7,5 kW", "hp", 10.06, 10.06),
        ("30 PS", "hp", 29.6, 29.6),
        ("50 CV", "hp", 49.3, 49.3),
        ("40 ch", "hp", 39.5, 39.5),
        ("fünfzig PS", "hp", 49.3, 49.3),
        ("treinta caballos", "hp", 30, 30),
        ("350 cfm", "cfm", 350, 350),
        ("1,200 scfm", "cfm", 1200, 1200),
        ("1200 ACFM", "cfm", 1200, 1200),
        ("300 icfm", "cfm", 300, 300),
        ("300 cubic feet per minute", "cfm", 300, 300),
        ("11 m³/min", "cfm", 388.5, 388.5),
        ("11 m3/min", "cfm", 388.5, 388.5),
        ("11,5 Nm³/min", "cfm", 441.6, 441.6),
        ("1.200 m³/h", "cfm", 706.3, 706.3),
        ("1 200 m³/h pour le compresseur", "cfm", 706.3, 706.3),
        ("300 Nm3/h", "cfm", 192.0, 192.0),
        ("300 cbm/h", "cfm", 176.6, 176.6),
        ("300 Kubikmeter pro Stunde", "cfm", 176.6, 176.6),
        ("300 m3/hr", "cfm", 176.6, 176.6),
        ("200 l/s", "cfm", 423.8, 423.8),
        ("850 l/min", "cfm", 30.0, 30.0),
        ("500 Liter/min", "cfm", 17.66, 17.66),
        ("500 pcm", "cfm", 500, 500),
        ("125 psig", "psi", 125, 125),
        ("125 PSI", "psi", 125, 125),
        ("7,5 bar", "psi", 108.8, 108.8),
        ("10 barg", "psi", 145, 145),
        ("10 bar(g)", "psi", 145, 145),
        ("8 bar(ü) Kompressor", "psi", 116, 116),
        ("700 kPa", "psi", 101.5, 101.5),
        ("0.7 MPa", "psi", 101.5, 101.5),
        ("7 kg/cm²", "psi", 99.6, 99.6),
        ("side channel blower 300 mbar", "psi", 4.35, 4.35),
        ("240 gal tank", "gallons", 240, 240),
        ("400 gallon tank", "gallons", 400, 400),
        ("1,060 gal receiver", "gallons", 1060, 1060),
        ("900 Liter Druckbehälter", "gallons", 237.8, 237.8),
        ("1.000 Liter Behälter", "gallons", 264.2, 264.2),
        ("tanque de 1000 litros", "gallons", 264.2, 264.2),
        ("réservoir de 500 l", "gallons", 132.1, 132.1),
        ("Behälter 2 m³", "gallons", 528.4, 528.4),
        ("max weight 2000 kg", "lb", None, 4409),
        ("about 500 lbs", "lb", 500, 500),
    ],
)
def test_a_quantity_is_read_in_canonical_units(text: str, attribute: str, low: float | None, high: float) -> None:
    found = need(text, attribute)
    assert found.low == (low if low is None else pytest.approx(low, rel=0.003))
    assert found.high == pytest.approx(high, rel=0.003)


@pytest.mark.parametrize(
    ("text", "attribute", "operator", "low", "high"),
    [
        ("350-400 cfm", "cfm", "between", 350, 400),
        ("350 – 400 cfm", "cfm", "between", 350, 400),
        ("350 to 400 cfm", "cfm", "between", 350, 400),
        ("350 cfm to 400 cfm", "cfm", "between", 350, 400),
        ("between 350 and 400 cfm", "cfm", "between", 350, 400),
        ("zwischen 7 und 8 bar Kompressor", "psi", "between", 101.5, 116),
        ("7 bis 8 bar Kompressor", "psi", "between", 101.5, 116),
        ("entre 7 y 8 bar", "psi", "between", 101.5, 116),
        ("entre 7 et 8 bar, compresseur", "psi", "between", 101.5, 116),
        ("at least 300 cfm", "cfm", "at_least", 300, None),
        ("min. 300 cfm", "cfm", "at_least", 300, None),
        ("minimum of 300 cfm", "cfm", "at_least", 300, None),
        ("no less than 300 cfm", "cfm", "at_least", 300, None),
        ("not less than 300 cfm", "cfm", "at_least", 300, None),
        ("over 300 cfm", "cfm", "at_least", 300, None),
        ("≥ 300 cfm", "cfm", "at_least", 300, None),
        (">= 300 cfm", "cfm", "at_least", 300, None),
        ("> 300 cfm", "cfm", "at_least", 300, None),
        ("300+ cfm", "cfm", "at_least", 300, None),
        ("300 cfm or more", "cfm", "at_least", 300, None),
        ("300 cfm minimum", "cfm", "at_least", 300, None),
        ("mindestens 4 m³/min", "cfm", "at_least", 141.3, None),
        ("nicht weniger als 4 m³/min", "cfm", "at_least", 141.3, None),
        ("al menos 300 cfm", "cfm", "at_least", 300, None),
        ("por lo menos 300 cfm", "cfm", "at_least", 300, None),
        ("no menos de 300 cfm", "cfm", "at_least", 300, None),
        ("au moins 300 m³/h", "cfm", "at_least", 176.6, None),
        ("up to 7 bar", "psi", "at_most", None, 101.5),
        ("bis zu 7 bar Kompressor", "psi", "at_most", None, 101.5),
        ("hasta 7 bar", "psi", "at_most", None, 101.5),
        ("jusqu'à 7 bar", "psi", "at_most", None, 101.5),
        ("≤ 68 dBA", "dba", "at_most", None, 68),
        ("< 68 dB(A)", "dba", "at_most", None, 68),
        ("max. 68 dB(A)", "dba", "at_most", None, 68),
        ("not louder than 68 dBA", "dba", "at_most", None, 68),
        ("nicht lauter als 68 dB(A)", "dba", "at_most", None, 68),
        ("noise below 68 dBA", "dba", "at_most", None, 68),
        ("maximum noise level 68 dBA", "dba", "at_most", None, 68),
        ("68 dBA max", "dba", "at_most", None, 68),
        ("68 dBA", "dba", "at_most", None, 68),
        ("under 75 hp", "hp", "at_most", None, 75),
        ("no more than 75 hp", "hp", "at_most", None, 75),
        ("menos de 75 HP", "hp", "at_most", None, 75),
        ("moins de 75 ch", "hp", "at_most", None, 73.97),
        ("around 100 hp", "hp", "about", 100, 100),
        ("approx. 100 hp", "hp", "about", 100, 100),
        ("ca. 100 PS", "hp", "about", 98.6, 98.6),
        ("~100 hp", "hp", "about", 100, 100),
        ("unos 100 HP", "hp", "about", 100, 100),
        ("environ 100 ch", "hp", "about", 98.6, 98.6),
        ("rund 75 kW", "hp", "about", 100.6, 100.6),
    ],
)
def test_bounds_and_ranges_are_read(
    text: str, attribute: str, operator: str, low: float | None, high: float | None
) -> None:
    found = need(text, attribute)
    assert found.operator == operator
    assert found.low == (low if low is None else pytest.approx(low, rel=0.003))
    assert found.high == (high if high is None else pytest.approx(high, rel=0.003))


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("vacuum pump 27 inHg", 27),
        ('vacuum pump 27" Hg', 27),
        ('vacuum pump 27"Hg', 27),
        ("vacuum 27 in. Hg", 27),
        ("27 inches of mercury vacuum", 27),
        ("vacuum pump 100 mbar abs", 26.97),
        ("Vakuumpumpe 100 mbar(a)", 26.97),
        ("Vakuumpumpe 100 mbar", 26.97),
        ("Vakuumpumpe 100 hPa", 26.97),
        ("vacuum pump -0.8 bar", 23.6),
        ("Vakuumpumpe -800 mbar", 23.6),
        ("pompe à vide -0,8 bar", 23.6),
        ("vacuum pump 0.1 bar abs", 26.97),
        ("vacuum pump 0.5 torr", 29.9),
        ("vacuum pump 76 mmHg", 26.93),
        ("90% vacuum", 26.93),
        ("90 % Vakuum", 26.93),
        ("vacuum pump 50 micron", 29.92),
        ("vacuum pump -85 kPa", 25.1),
    ],
)
def test_a_vacuum_is_a_depth_in_inches_of_mercury(text: str, depth: float) -> None:
    found = need(text, "inhg")
    assert found.operator == "at_least"
    assert found.low == pytest.approx(depth, abs=0.05)


@pytest.mark.parametrize(
    ("text", "fahrenheit"),
    [
        ("dew point -40 C", -40),
        ("-40°F pdp desiccant dryer", -40),
        ("pressure dew point of minus 40", -40),
        ("dryer, dew point 38F", 38),
        ("dew point -40", -40),
        ("a -40 dryer", -40),
        ("Taupunkt -40 °C", -40),
        ("Kältetrockner Drucktaupunkt +3 °C", 37.4),
        ("Trockner DTP 3 °C", 37.4),
        ("punto de rocío -20 °C", -4),
        ("point de rosée 3 °C", 37.4),
        ("−70 °C dryer", -94),
        ("dryer -100F", -100),
    ],
)
def test_a_dew_point_is_at_most_so_many_degrees_fahrenheit(text: str, fahrenheit: float) -> None:
    found = need(text, "dewpoint_f")
    assert found.operator == "at_most"
    assert found.high == pytest.approx(fahrenheit, abs=0.1)


@pytest.mark.parametrize("text", ["dryer for 100 F inlet", "110 °F ambient compressor", "Umgebungstemperatur 45 °C"])
def test_the_temperature_of_a_room_is_no_dew_point(text: str) -> None:
    assert only_item(text).need("dewpoint_f") is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("460/3/60", {"460 V", "3 ph", "60 Hz"}),
        ("230/460/3/60", {"230 V", "460 V", "3 ph", "60 Hz"}),
        ("208-230/1/60", {"208 V", "230 V", "1 ph", "60 Hz"}),
        ("400 V 50 Hz", {"400 V", "50 Hz"}),
        ("400V/3ph/50Hz", {"400 V", "3 ph", "50 Hz"}),
        ("480 volt three phase", {"460 V", "3 ph"}),
        ("single-phase 230V", {"230 V", "1 ph"}),
        ("Drehstrom 400 V", {"400 V", "3 ph"}),
        ("trifásico 220 V", {"230 V", "3 ph"}),
        ("monophasé 230 V", {"230 V", "1 ph"}),
        ("575V", {"575 V"}),
        ("on 208 three phase", {"208 V", "3 ph"}),
        ("three phase 480", {"460 V", "3 ph"}),
        ("trifásico, 220", {"230 V", "3 ph"}),
        ("400 triphasé", {"400 V", "3 ph"}),
        ("Drehstrom 400", {"400 V", "3 ph"}),
        ("wired for 575", {"575 V"}),
        ("460 60 Hz", {"460 V", "60 Hz"}),
        ("100HP/460V/VSD", {"460 V"}),
    ],
)
def test_a_supply_is_volts_phases_and_hertz(text: str, values: set[str]) -> None:
    found = need(f"compressor {text}", "voltage")
    assert found.values == values
    assert found.hard


@pytest.mark.parametrize(
    "text", ["three phase 200 hp", "480 cfm three phase", "three phase 400 gallon", "3 phase, 115 psi"]
)
def test_a_figure_with_a_unit_beside_a_phase_is_no_volts(text: str) -> None:
    assert need(f"compressor {text}", "voltage").values == {"3 ph"}


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("pull 29 inches, 400 cfm", 29),
        ("500 cfm at 24 inches", 24),
        ('need 27" and 250 acfm, water sealed', 27),
        ("muss 25 Zoll halten, 300 m3/h", 25),
        ("25 pulgadas y 200 pcm", 25),
        ("tirer 24 pouces, 150 m3/h", 24),
    ],
)
def test_inches_beside_a_flow_are_of_mercury_and_ask_for_a_vacuum_pump(text: str, depth: float) -> None:
    item = only_item(text)
    assert item.families == {"vacuum_pump"}
    assert need(text, "inhg").low == depth


@pytest.mark.parametrize(
    "text", ["100 cfm, max 24 inches wide", "300 cfm 125 psi, 28 inches", "5 hp, 27 inches wide"]
)
def test_inches_of_a_side_or_beside_a_pressure_are_no_vacuum(text: str) -> None:
    assert only_item(text).need("inhg") is None


def test_a_few_millibars_are_what_a_pump_leaves() -> None:
    assert need("oil lubricated vane, 100 m³/h, final pressure 0.5 mbar", "inhg").low == pytest.approx(29.9, abs=0.1)


@pytest.mark.parametrize(
    "text",
    [
        "filter 400 cfm with less than 2 psi pressure drop",
        "the header jumps around 15 psi",
        "der Netzdruck schwankt um 1,5 bar",
        "la presión cae 2 bar",
    ],
)
def test_by_how_much_a_pressure_changes_is_no_pressure(text: str) -> None:
    assert all(each.attribute != "psi" for each in read(text).needs)


def test_pounds_beside_a_power_are_of_pressure() -> None:
    assert need("around 40 horse, 125 pounds", "psi").low == 125


@pytest.mark.parametrize("text", ["-40 pressure dew point, 300 scfm", "heatless, minus 40, 150 scfm"])
def test_degrees_of_a_dew_point_need_not_be_called_so(text: str) -> None:
    assert need(text, "dewpoint_f").high == -40


@pytest.mark.parametrize("text", ["100 hp outdoors, temps down to -20 F", "rotary screw 50 hp, winters of -20 F"])
def test_cold_around_a_machine_is_no_dew_point(text: str) -> None:
    assert need(text, "ambient_f").low == -20


def test_a_comma_parts_two_bounds() -> None:
    assert need("more than 1500 scfm, less than 400 hp", "hp").operator == "at_most"


@pytest.mark.parametrize(
    ("text", "machines", "size"),
    [
        ("two at 50 HP", 2, 50),
        ("2 x 50 hp", 2, 50),
        ("2x50HP", 2, 50),
        ("(2) 50 HP compressors", 2, 50),
        ("three 30 hp scrolls", 3, 30),
        ("zwei Kompressoren je 37 kW", 2, 49.6),
        ("dos compresores de 50 HP", 2, 50),
        ("deux compresseurs de 50 ch", 2, 49.3),
        ("2 oil-free compressors, 50 hp each", 2, 50),
    ],
)
def test_the_size_is_that_of_one_of_several_machines(text: str, machines: int, size: float) -> None:
    item = only_item(text)
    power = need(text, "hp")
    assert (item.quantity, power.machines) == (machines, machines)
    assert power.low == pytest.approx(size, rel=0.01)


@pytest.mark.parametrize(
    ("text", "language", "unit", "value"),
    [
        ("1.200", "de", "m3/h", 1200),
        ("1.200", "en", "m3/h", 1200),
        ("1,200", "en", "psi", 1200),
        ("1.200", "en", "psi", 1.2),
        ("1.200", "de", "bar", 1.2),
        ("7,5", "en", "bar", 7.5),
        ("7,5", "de", "bar", 7.5),
        ("1.234,5", "de", "m3/h", 1234.5),
        ("1,234.5", "en", "cfm", 1234.5),
        ("0.125", "en", "in", 0.125),
        ("0,125", "de", "bar", 0.125),
        ("1.000.000", "de", "l", 1_000_000),
        ("1.4.1", "en", "bar", None),
    ],
)
def test_points_and_commas_follow_the_language_and_the_unit(
    text: str, language: str, unit: str, value: float | None
) -> None:
    assert decimal(text, language=language, unit=BY_NAME[unit]) == value  # type: ignore[arg-type]  # parametrized


def test_what_is_said_in_two_units_is_one_need() -> None:
    item = only_item("compressor 100 hp (75 kW), 11 m³/min (388 cfm)")
    assert [each.attribute for each in item.needs].count("hp") == 1
    assert [each.attribute for each in item.needs].count("cfm") == 1


def test_a_need_is_shown_in_both_systems() -> None:
    assert need("100 hp", "hp").shown == "100 hp (74.6 kW)"
    assert need("at least 27 inHg vacuum", "inhg").shown == "at least 27 inHg (98.9 mbar abs)"


def test_figures_without_a_unit_are_not_quantities() -> None:
    assert not read("1800 and 24 or 60").needs


def test_two_sizes_that_will_do_are_a_range_and_a_second_size_is_none() -> None:
    assert need("50 or 60 hp", "hp").low == 50
    found = need("25hp or 30hp screw", "hp")
    assert (found.operator, found.low, found.high) == ("between", 25, 30)
    assert [
        each.low for each in only_item("300 cfm at 100 psi, 250 cfm at 125 psi").needs if each.attribute == "cfm"
    ] == [300]


@pytest.mark.parametrize("text", ["not wider than 60 in", "max width 60 inches", "door is 1524 mm"])
def test_a_dimension_is_a_limit(text: str) -> None:
    found = need(text, "width_in")
    assert found.operator == "at_most"
    assert found.high == pytest.approx(60)


@pytest.mark.parametrize(
    ("text", "power"),
    [
        ("Quincy 100 oilless", 100),
        ("oilless Quincy 100", 100),
        ("screw compressors 75", 75),
        ("100 oilless compressors", 100),
        ("Sullair 100 lubricated, 460 V", 100),
        ("Kaeser 75 ölfrei", 100.6),
        ("compresseur à vis 18,5", 24.8),
    ],
)
def test_a_bare_figure_beside_a_compressor_is_its_power(text: str, power: float) -> None:
    assert need(text, "hp").low == pytest.approx(power, abs=0.1)


@pytest.mark.parametrize(
    "text",
    [
        "Quincy 100",
        "Quincy QGV 100 oilless",
        "Quincy 100 dryer",
        "2 oilless compressors",
        "10 oil-free compressors",
        "compressor 125",
        "screw compressor 100%",
        "oilless compressor 75 or 100",
        "compressor, 100 employees",
        "claw vacuum pump 100",
    ],
)
def test_a_bare_figure_that_may_be_something_else_is_no_power(text: str) -> None:
    assert all(each.attribute != "hp" for each in read(text).needs)


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("one twenty five psi", "psi", 125),
        ("three fifty cfm", "cfm", 350),
        ("200 cfm at one twenty five", "psi", 125),
        ("350 cfm at 125", "psi", 125),
        ("two fifty hp screws", "hp", 50),
    ],
)
def test_hundreds_and_a_pressure_may_go_without_saying(text: str, attribute: str, value: float) -> None:
    assert need(text, attribute).low == value


def test_degrees_behind_a_flow_are_no_pressure() -> None:
    assert only_item("350 cfm at 125 F").need("psi") is None


@pytest.mark.parametrize(
    "text",
    ["4 cubic metres a minute", "4 m³ in der Minute", "4 m3 por minuto", "4 m3 each minute", "4 m3 al minuto"],
)
def test_a_flow_is_said_with_many_a_word_for_per(text: str) -> None:
    assert need(f"dryer {text}", "cfm").low == pytest.approx(141.26, abs=0.1)


def test_a_size_that_was_raised_is_the_new_one_and_no_bound() -> None:
    said = need("forget the 75 hp, they bumped it up to a 150 hp compressor", "hp")
    assert (said.operator, said.low) == ("exactly", 150)


@pytest.mark.parametrize("text", ["filter after a 2000 cfm desiccant dryer", "dryer for a 2000 cfm compressor"])
def test_what_treats_air_takes_the_flow_of_what_it_stands_behind(text: str) -> None:
    assert need(text, "cfm").low == 2000


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("quotes between 20 and 25 grand", 20_000, 25_000),
        ("quotes between $100k and $150k", 100_000, 150_000),
        ("Angebote zwischen 20.000 und 30.000 Euro", 20_000, 30_000),
    ],
)
def test_a_range_of_money_has_two_ends(text: str, low: float, high: float) -> None:
    said = need(text, "price")
    assert (said.operator, said.low, said.high) == ("between", low, high)


@pytest.mark.parametrize(
    ("text", "inlet"),
    [
        ("vacuum pump, 300 SCFM at 20 inHg", 300 * 29.92 / 9.92),
        ("100 scfm at 25 inHg", 100 * 29.92 / 4.92),
        ("Vakuumpumpe, 170 Nm³/h bei 200 mbar abs", 170 / 1.699 * 1013.25 / 200 * 293.15 / 273.15),
        ("vacuum pump, 300 acfm at 20 inHg", 300),
    ],
)
def test_standard_air_is_converted_to_the_inlet_of_the_pump(text: str, inlet: float) -> None:
    assert need(text, "cfm").low == pytest.approx(inlet, rel=0.01)


def test_standard_air_of_a_pump_at_no_stated_vacuum_is_no_size() -> None:
    item = only_item("vacuum pump, 300 SCFM")
    found = item.need("standard_air")
    assert item.need("cfm") is None
    assert found is not None
    assert found.shown == "300 SCFM of standard air: at which vacuum is not said"


def test_a_flow_is_told_again_in_the_unit_that_it_was_asked_in() -> None:
    assert need("500 m³/h", "cfm").shown == "294 cfm (500 m³/h)"
    assert need("9 m³/min", "cfm").shown == "318 cfm (9 m³/min)"


@pytest.mark.parametrize(
    "text",
    [
        'compressor, door 36" W x 80" H',
        "compressor, the door is 36 in W x 80 in H",
        'must go through a 36" x 80" door',
        "36x80 in door",
        "opening (WxH) 36 x 80 inches",
        "Tür 914 x 2032 mm",
        "Türbreite 914 mm, Höhe 2032 mm",
        "Türöffnung 0,914 m x 2,032 m",
        'compressor, 80" H, 36" W',
    ],
)
def test_a_door_has_a_width_and_a_height(text: str) -> None:
    assert need(text, "width_in").high == pytest.approx(36, rel=0.01)
    assert need(text, "height_in").high == pytest.approx(80, rel=0.01)
    assert need(text, "width_in").shown.startswith("at most 36 in wide")


@pytest.mark.parametrize("text", ["2 x 50 hp compressor", "tank 36 x 80 in", "runs 8 h a day, 10 h on Mondays"])
def test_what_is_no_door_has_no_width(text: str) -> None:
    assert only_item(text).need("width_in") is None


def test_inches_of_a_named_vacuum_go_without_saying() -> None:
    assert need("vacuum pump 300 cfm at 25", "inhg").low == 25


@pytest.mark.parametrize("text", ["150 hp with better than 5 cfm per hp", "screw 150 hp, 18 kW/100 cfm"])
def test_what_a_machine_makes_of_its_power_is_no_size(text: str) -> None:
    assert need(text, "hp").low == 150
    assert only_item(text).need("cfm") is None


@pytest.mark.parametrize("text", ["estamos en Toluca a 2600 m, 100 hp", "our plant is in Cuenca at 2600 m, 100 hp"])
def test_where_a_plant_is_tells_its_altitude(text: str) -> None:
    assert need(text, "altitude_ft").low == pytest.approx(8530, abs=1)


def test_dry_air_far_below_zero_is_a_dew_point() -> None:
    assert need("dust collector, dry air -40, 50 cfm", "dewpoint_f").high == -40


@pytest.mark.parametrize(
    ("text", "attribute", "low", "high"),
    [
        ("vacuum pump, at least 200 cfm but not more than 300, 29 inHg", "cfm", 200, 300),
        ("not more than 300 cfm but at least 200, vacuum pump", "cfm", 200, 300),
        ("compressor of at least 50 hp and not more than 75, 200 cfm", "hp", 50, 75),
        ("Vakuumpumpe mindestens 340 m³/h, aber nicht mehr als 510", "cfm", 200, 300),
        ("bomba de vacío, por lo menos 340 m3/h pero no más de 510", "cfm", 200, 300),
        ("pompe à vide d'au moins 340 m3/h mais pas plus de 510", "cfm", 200, 300),
    ],
)
def test_the_second_bound_may_leave_out_the_unit(text: str, attribute: str, low: float, high: float) -> None:
    said = need(text, attribute)
    assert said.operator == "between"
    assert [said.low, said.high] == pytest.approx([low, high], rel=0.01)


@pytest.mark.parametrize(
    "text",
    ["compressor that must not weigh more than 1000 lb", "compresor que no debe pesar más de 454 kg"],
)
def test_what_is_denied_before_a_least_is_a_most(text: str) -> None:
    assert need(text, "lb").operator == "at_most"


@pytest.mark.parametrize(
    "text",
    [
        "vacuum pump, 95 percent vacuum",
        "pump for a vacuum of 95 percent, 150 cfm",
        "Vakuumpumpe mit 95 Prozent Vakuum",
        "bomba con 95 por ciento de vacío",
        "pompe 95 pour cent de vide, 200 m3/h",
    ],
)
def test_a_share_of_a_vacuum_is_a_depth(text: str) -> None:
    assert need(text, "inhg").low == pytest.approx(28.4, abs=0.05)


def test_normal_air_is_said_as_free_air_with_the_words_it_is_of() -> None:
    said = need("screw compressor 270 Nm3/h at 8 bar", "cfm")
    assert said.shown == "173 cfm (294 m³/h) at 20 °C, of 270 Nm3/h"


def test_a_figure_of_noise_is_no_side_of_a_closet() -> None:
    needs = needs_of(only_item("oilless compressor 15 cfm, closet is 48 by 40 inches, and 58 dBA at most"))
    assert "height_in" not in needs
    assert needs["dba"] == "at most 58 dBA"


def test_two_measures_of_a_machine_are_no_count() -> None:
    item = only_item("oilless compressor 15 cfm, 48 x 40 in")
    assert item.quantity is None
    assert (need(item.text, "length_in").high, need(item.text, "width_in").high) == (48, 40)


@pytest.mark.parametrize(
    "text",
    ["dryer, height max. 9 ft 6 in.", "dryer, max height 9' 6\"", "dryer, at most 9′6″ tall",
     "dryer, no higher than 9 foot 6",
     "Trockner, maximal 9 Fuß 6 Zoll hoch", "secador, altura máxima 9 pies 6 pulgadas",
     "sécheur, hauteur max. 9 pieds 6 pouces"],
)  # fmt: skip
def test_feet_and_inches_are_one_length(text: str) -> None:
    height = need(text, "height_in")
    assert (height.operator, height.high) == ("at_most", 114)
    assert only_item(text).need("in") is None


def test_a_door_is_written_in_feet_and_inches() -> None:
    text = "fits through a door 3 ft 2 in x 6'8\""
    assert (need(text, "width_in").high, need(text, "height_in").high) == (38, 80)


def test_inches_of_another_thing_are_no_part_of_a_length_in_feet() -> None:
    assert need("dryer max height 9 ft, 6 in pipe", "height_in").high == 108


@pytest.mark.parametrize(
    "text",
    ["Enfriadora condensada por aire, 15 kW de frío, para el agua del anillo", "Kaltwassersatz, Kälteleistung 15 kW",
     "refroidisseur d'eau, puissance frigorifique 15 kW", "water chiller, 15 kW cooling"],
)  # fmt: skip
def test_kilowatts_of_cold_are_tons_of_a_chiller(text: str) -> None:
    attributes = {each.attribute for each in only_item(text).needs}
    assert need(text, "accessory_kind").values == {"chiller"}
    assert need(text, "tons").low == pytest.approx(4.26, rel=0.01)
    assert attributes.isdisjoint({"hp", "cfm", "dryer_kind"})


def test_kilowatts_of_a_machine_that_is_cooled_are_of_its_motor() -> None:
    assert need("compresor 15 kW refrigerado por aire", "hp").low == pytest.approx(20.1, rel=0.01)
