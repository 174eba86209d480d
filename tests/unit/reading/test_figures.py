"""Figures: units, bounds, ranges, whose they are."""

from dataclasses import replace

import pytest

from quarry.attributes.model import Attribute, Attributes, Names
from quarry.attributes.units import shipped
from quarry.reading.reader import read
from tests.unit.reading.trades import asked, reading, trade


@pytest.mark.parametrize(
    ("text", "of", "expected"),
    [
        ("11 m³/h", "pumps", {"flow": "11 m³/h"}),
        ("11m3/h", "pumps", {"flow": "11 m³/h"}),
        ("11 \u00b0\u0421", "pumps", {"temperature": "11 °C"}),
        ("11 m3/u", "pumps", {"flow": "11 m³/h"}),
        ("válvula de 1 1/4 pulg", "valves", {"family": "valve", "bore": "1.25 in"}),
        ("11 m³ na godzinę", "pumps", {"flow": "11 m³/h"}),
        ("pump 40 gallons per minute", "pumps", {"family": "pump", "flow": "40 gpm"}),
        ("5 Kubik pro Minute", "pumps", {"flow": "5 m³/min"}),
        ("DN 80", "valves", {"dn": "80"}),
        ("valve DN80 PN16, kv 25", "valves", {"family": "valve", "dn": "80", "pn": "16", "kv": "25"}),
        ("4 polig", "pumps", {"poles": "4"}),
        ("power: 5", "pumps", {"power": "5"}),
        ("bore size 1 1/2 in", "valves", {"bore": "1.5 in"}),
        ('bore size 1½"', "valves", {"bore": "1.5 in"}),
        ('bore size 1.1/2"', "valves", {"bore": "1.5 in"}),
        ("DN50 Ø2 in", "valves", {"dn": "50", "bore": "2 in"}),
        ("bore size ⌀2 in", "valves", {"bore": "2 in"}),
        ("1.5/2 kW", "pumps", {"power": "1.5 kW | 2 kW"}),
        ("sixty kW", "pumps", {"power": "60 kW"}),
        ("1.5×10⁻² kW 펌프", "pumps", {"power": "0.015 kW"}),
        ("10^2 kW", "pumps", {"power": "100 kW"}),
        ("1E-9 kW", "pumps", {"power": "1e-09 kW"}),
        ("1,5x10-2 kW", "pumps", {"power": "0.015 kW"}),
        ("1e-3..1e-1 kW", "pumps", {"power": "0.001..0.1 kW"}),
        ("1e-09..1000 kW", "pumps", {"power": "1e-09..1000 kW"}),
        ("HLK 1x10-6, 2E-10", "pumps", {}),
        ("pump ١٬٠٤٠٫٥ gpm", "pumps", {"family": "pump", "flow": "1040.5 gpm"}),
        ("dew point -40 °F", "air", {"dewpoint": "-40 °F"}),
        ("400 scfm @ 110 psig", "air", {"cfm": "400 scfm", "psi": "110 psig"}),
    ],
)
def test_a_figure_with_its_unit_or_beside_its_name_is_read(text: str, of: str, expected: dict[str, str]) -> None:
    assert asked(text, of=of) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at least 30 kW", ">= 30 kW"),
        ("30 kW or more", ">= 30 kW"),
        ("30+ kW", ">= 30 kW"),
        ("a minimum of 30 kW", ">= 30 kW"),
        ("max. 30 kW", "<= 30 kW"),
        ("30 kW max", "<= 30 kW"),
        ("under 30 kW", "< 30 kW"),
        (">=30 kW", ">= 30 kW"),
        ("≤ 30 kW", "<= 30 kW"),
        ("not heavier than 30 kW", "<= 30 kW"),
        ("mindestens 30 kW", ">= 30 kW"),
        ("ab 7,5 kW", ">= 7.5 kW"),
        ("höchstens 30 kW", "<= 30 kW"),
        ("jusqu'à 30 kW", "<= 30 kW"),
        ("au moins 30 kW", ">= 30 kW"),
        ("como máximo 30 kW", "<= 30 kW"),
        ("co najmniej 30 kW", ">= 30 kW"),
        ("2 x 10-12 kW heaters", "10..12 kW"),
        ("5x10-6 kW", "5e-06 kW"),
        ("30kW以上のもの", ">= 30 kW"),
        ("出力30kW未満", "< 30 kW"),
        ("10~30 kW", "10..30 kW"),
        ("30 kW 이상", ">= 30 kW"),
        ("不超过30 kW", "<= 30 kW"),
        ("не більше 30 kW", "<= 30 kW"),
        ("не менее 30 kW", ">= 30 kW"),
        ("τουλάχιστον 30 kW", ">= 30 kW"),
        ("لا يقل عن 30 kW", ">= 30 kW"),
        ("nejvýše 30 kW", "<= 30 kW"),
        ("power max 30 kW", "<= 30 kW"),
        ("max power 30 kW", "<= 30 kW"),
        ("min 30 kW, max 60 kW", ">= 30 kW; <= 60 kW"),
        ("about 30 kW", "30 kW"),
        ("350-400 kW", "350..400 kW"),
        ("350 – 400 kW", "350..400 kW"),
        ("350 to 400 kW", "350..400 kW"),
        ("350 kW to 400 kW", "350..400 kW"),
        ("between 10 and 12 kW", "10..12 kW"),
        ("zwischen 10 und 12 kW", "10..12 kW"),
        ("od 5 do 8 kW", "5..8 kW"),
        ("entre 10 et 12 kW", "10..12 kW"),
        ("30 or 40 kW", "30 kW | 40 kW"),
        ("30 kW, 40 kW", "30 kW | 40 kW"),
    ],
)
def test_bounds_and_ranges_are_read_in_every_language(text: str, expected: str) -> None:
    assert asked(text)["power"] == expected


def test_about_stays_where_an_attribute_is_asked_for_exactly() -> None:
    assert asked("about 50 Hz") == {"frequency": "~ 50 Hz"}


def test_a_bound_belongs_to_the_figure_that_it_stands_at() -> None:
    assert asked("11 m³/h min 30 kW") == {"flow": "11 m³/h", "power": ">= 30 kW"}


def test_the_nearest_name_in_the_clause_tells_whose_a_figure_is() -> None:
    assert asked("NPSH 3 m, Förderhöhe 30 m") == {"npsh": "3 m", "head": "30 m"}
    assert asked("length 300 mm width 400 mm") == {"length": "300 mm", "width": "400 mm"}
    assert asked("300 mm length, 400 mm width") == {"length": "300 mm", "width": "400 mm"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NPSH 3 m 30 m", {"npsh": "3 m", "head": "30 m"}),
        ("30 m NPSH 3 m", {"npsh": "3 m", "head": "30 m"}),
        ("30 m pump, NPSH 3 m", {"family": "pump", "npsh": "3 m", "head": "30 m"}),
        ("5 kW power; 3 m NPSH 30 m", {"power": "5 kW", "npsh": "3 m", "head": "30 m"}),
        ("3 m NPSH 30 m head", {"npsh": "3 m", "head": "30 m"}),
        ("length 300 mm width 400 mm height 500 mm", {"length": "300 mm", "width": "400 mm", "height": "500 mm"}),
        ("300 mm length 400 mm width 500 mm height", {"length": "300 mm", "width": "400 mm", "height": "500 mm"}),
        ("width 400 mm by 300 mm in length", {"width": "400 mm", "length": "300 mm"}),
        ("pompa 40/16 moc 5", {"family": "pump", "power": "5"}),
        ("pompa 40 moc 5 kW", {"family": "pump", "power": "5 kW"}),
        ("motor 4 poles 11 kW", {"family": "motor", "poles": "4", "power": "11 kW"}),
    ],
)
def test_a_name_between_two_figures_has_one_of_them(text: str, expected: dict[str, str]) -> None:
    assert asked(text) == expected


def test_bounds_say_whose_a_figure_between_names_is_and_refuse_none_that_is_named() -> None:
    assert asked("40 m NPSH 3 m") == {"head": "40 m", "npsh": "3 m"}
    assert asked("NPSH 40 m") == {"npsh": "40 m"}


def test_an_unnamed_figure_is_of_the_main_attribute_of_its_dimension() -> None:
    assert asked("Pumpe 30 m") == {"family": "pump", "head": "30 m"}
    assert asked("vacuum pump 40 gpm", of="air") == {"family": "pump", "seal_water": "40 gpm"}
    assert asked("vacuum pump 300 m³/h at 25 inHg", of="air") == {
        "family": "pump",
        "cfm": "300 m³/h",
        "vacuum": "25 inHg",
    }


def test_a_pressure_left_is_a_vacuum_where_no_pressure_can_be_so_low() -> None:
    assert asked("vacuum pump 5 mbar", of="air") == {"family": "pump", "vacuum": "5 mbar"}


@pytest.mark.parametrize(
    ("text", "of", "unread"),
    [
        ("5 V", "pumps", ("5 V",)),
        ("600 mm", "pumps", ("600 mm",)),
        ("room for it 51 x 35 x 49 in", "pumps", ("51 x 35 x 49 in",)),
        ("51 x 35 x 49 for the pump", "pumps", ("51 x 35 x 49",)),
        ("40 gallons per year", "pumps", ("40 gallons per year",)),
        ("dryer 5 bar", "air", ("5 bar",)),
        ("30 kW ± 5 kW", "pumps", ("5 kW",)),
        ("pump 3/8", "pumps", ("3/8",)),
        ("pump 80/45 power 5", "pumps", ("80/45",)),
    ],
)
def test_a_figure_that_nobody_has_or_several_may_have_is_unread(text: str, of: str, unread: tuple[str, ...]) -> None:
    found = reading(text, of=of)
    assert found.unread == unread
    assert unread[0] in found.rest


def test_figures_of_one_attribute_in_units_far_apart_are_no_alternatives() -> None:
    assert asked("pump 30 kW, 40 hp")["power"] == "30 kW | 40 hp"
    assert asked("pump 30 kW or 60 kW")["power"] == asked("pump 30 kW, motor for 60 kW")["power"] == "30 kW | 60 kW"
    found = reading("pump 30 kW, 5 hp")
    assert ([need.name for need in found.needs], found.unread) == (["family"], ("30 kW", "5 hp"))
    assert asked("pump power 30 kW, 5 hp")["power"] == "30 kW"


@pytest.mark.parametrize("text", ["power 4x1,5", "power 4 x 1,5", "power 4g1,5", "4x1,5 power"])
def test_a_figure_that_goes_on_is_no_value_by_itself(text: str) -> None:
    assert "4" not in asked(text).values()


def test_a_family_that_is_named_tells_whose_a_figure_is() -> None:
    assert asked("motor 4 pole") == {"family": "motor", "poles": "4"}
    assert asked("motor poles 4") == {"family": "motor", "poles": "4"}
    assert asked("pump poles 4") == {"family": "pump"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.200 m³/h", "1200 m³/h"),
        ("2.500 m³/h", "2.5 m³/h"),
        ("Fördermenge 2.500 m³/h bei der Pumpe", "2500 m³/h"),
        ("1,200 m³/h", "1200 m³/h"),
        ("4,500 m³/h for the plant", "4500 m³/h"),
        ("4,500 m³/h für die Anlage", "4.5 m³/h"),
        ("1 200 m³/h pour le réseau", "1200 m³/h"),
        ("1\u00a0200 m³/h", "1200 m³/h"),
        ("1'200 m³/h", "1200 m³/h"),
        ("pompe pour le réseau 4x1 200 m³/h", "200 m³/h"),
    ],
)
def test_thousands_and_decimals_are_told_by_language_and_by_what_is_possible(text: str, expected: str) -> None:
    assert asked(text)["flow"] == expected


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("2 in stock", ("2",)),
        ("3 a day for the pump", ("3",)),
        ("R5 kW", ("R5 kW",)),
        ("M12 mm", ("M12 mm",)),
        ("pump 2,4", ("2,4",)),
        ("pump 600x600 220", ("600x600", "220")),
        ("250 m HLK 3x1,5", ("250 m",)),
        ("40 mm gasket", ("40 mm",)),
        ("two pumps -40", ("-40",)),
        ("no figure at all", ()),
    ],
)
def test_figures_of_which_no_need_is_made_are_unread_as_they_are_written(text: str, unread: tuple[str, ...]) -> None:
    assert not {"bore", "length", "width", "power"} & asked(text).keys()
    assert reading(text).unread == unread


def test_a_figure_is_of_no_attribute_that_is_measured_in_another_dimension() -> None:
    for text in ("Ø50 power 3 m³/h", "50 power 3 m³/h", "Ø50 power"):
        assert not {"power", "flow"} & asked(text).keys()
    assert asked("power 3 m³/h, 5 kW") == {"flow": "3 m³/h", "power": "5 kW"}


def test_a_figure_behind_what_is_counted_leaves_it_the_one_in_front() -> None:
    blades = Attribute("blades", "number", unit="pcs", sense="exactly")
    draws = Attribute("draws", "number", unit="A", sense="at_most", words=("amperes",))
    volts = Attribute("volts", "number", unit="V", sense="exactly")
    own = Attributes({each.name: each for each in (blades, draws, volts)})
    found = read("3 blades 480 V, 400 amperes 480 V", attributes=own, names=Names())
    assert [(need.name, need.asked) for need in found.needs] == [
        ("blades", "3"), ("volts", "480 V"), ("draws", "400 A"),
    ]  # fmt: skip


def test_a_name_glued_to_its_figure_is_no_name_of_the_figure_before() -> None:
    assert asked("valve 316 DN25", of="valves") == {"family": "valve", "dn": "25"}
    assert asked("3 DN", of="valves") == {"dn": "3"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pump up to 100 EUR", {"family": "pump", "price": "<= 100", "currency": "EUR"}),
        ("pompa do 1500 zł", {"family": "pump", "price": "<= 1500", "currency": "PLN"}),
        ("under $1,500", {"price": "< 1500", "currency": "USD"}),
        ("até R$ 1.500,00", {"price": "<= 1500", "currency": "BRL"}),
        ("über 100.000 Euro", {"price": "> 100000", "currency": "EUR"}),
        ("between 100 and 200 EUR", {"price": "100..200", "currency": "EUR"}),
    ],
)
def test_an_amount_with_a_bound_is_of_the_price_in_its_currency(text: str, expected: dict[str, str]) -> None:
    assert asked(text) == expected
    total = {"total" if name == "price" else name: value for name, value in expected.items()}
    assert asked(text, kind_of_row="quote") == total


@pytest.mark.parametrize(("house", "code"), [("CAD", "CAD"), ("USD", "USD"), ("MXN", "MXN"), ("EUR", "USD")])
def test_in_words_a_sign_of_several_currencies_is_the_houses_unless_capitals_beside_it_say_whose(
    house: str, code: str
) -> None:
    attributes, names = trade("pumps")
    own = replace(attributes, units=shipped().with_own([], currency=house))
    texts = {"under 3000 $": code, "under US $ 3000": "USD", "under $ CA 3000": "CAD", "under 3000 $ CA": "CAD"}
    texts |= {"under 3000 $ do jutra": code, "give us $ 3000 or more": code}
    for text, expected in texts.items():
        found = {
            need.name: need.asked for need in read(text, attributes=own, names=names, kind_of_row="product").needs
        }
        assert (text, found.get("currency")) == (text, expected)


def test_one_over_a_figure_right_before_its_unit_is_a_part_of_it_unless_both_are_sizes() -> None:
    known = Attributes({name: Attribute(name, "number", unit=name) for name in ("hp", "A")})
    texts = {"1/6 hp": "0.1666666667 hp", "1/25 hp": "0.04 hp", "1/5 A": "1 A | 5 A"}
    for text, said in texts.items():
        [need] = read(text, attributes=known, names=Names(), kind_of_row="product").needs
        assert need.asked == said


def test_cv_is_a_flow_coefficient_where_something_is_measured_in_it_and_else_horsepower() -> None:
    power, opening = (Attribute(name, "number", unit=unit) for name, unit in (("power", "kW"), ("opening", "Kv")))
    for own, said in {(power, opening): "opening", (power,): "power"}.items():
        known = Attributes({one.name: one for one in own})
        found = [need.name for need in read("10 Cv", attributes=known, names=Names(), kind_of_row="product").needs]
        assert found == [said]


def test_an_amount_without_a_bound_may_tell_anything() -> None:
    assert reading("last time we paid 450 EUR").unread == ("450 EUR",)


def test_a_bound_that_is_also_an_attributes_name_is_its_name_at_its_own_figures_alone() -> None:
    assert asked("pump up to 120 °C") == {"family": "pump", "temperature": "120 °C"}
    assert asked("pump up to 5 kW") == {"family": "pump", "power": "<= 5 kW"}


@pytest.mark.parametrize(
    ("text", "of", "expected"),
    [
        ("port 2 inch", "air", {"port": "50"}),
        ('2" or 1/2"', "air", {"port": "50 | 15"}),
        ("at least half inch", "air", {"port": ">= 15"}),
        ("230 V", "pumps", {"voltage": "230 V AC"}),
        ("24 V or 230 Volt", "pumps", {"voltage": "24 V AC | 24 V DC | 230 V AC"}),
        ("24 VDC", "pumps", {"voltage": "24 V DC"}),
        ("24 V AC", "pumps", {"voltage": "24 V AC"}),
        ("not 230 V", "pumps", {"voltage": "not 230 V AC"}),
        ("nicht für 230 V", "pumps", {"voltage": "not 230 V AC"}),
        ("up to 230 V", "pumps", {}),
    ],
)
def test_a_figure_that_terms_or_texts_start_with_stands_for_them(
    text: str, of: str, expected: dict[str, str]
) -> None:
    assert asked(text, of=of) == expected


def test_what_a_text_begins_with_is_nearer_than_a_measure_that_rows_hardly_have() -> None:
    known = {one.name: one for one in (Attribute("port"), Attribute("wheel", "number", unit="mm"))}
    own = Attributes(known, listed={"port": frozenset(('1/2" BSP',))}, stored={"wheel": (115.0, 230.0)})
    for text, expected in (
        ('1/2"', {"port": '1/2" BSP'}),
        ("5 in", {"wheel": "5 in"}),
        ('wheel 1/2"', {"wheel": "0.5 in"}),
    ):
        found = read(text, attributes=own, names=Names())
        assert {need.name: need.asked for need in found.needs} == expected


def test_degrees_with_a_bound_are_of_temperature() -> None:
    assert asked("mindestens 120 Grad") == {"temperature": ">= 120 °C"}
    assert asked("-20 Grad") == {"temperature": "-20 °C"}
    assert reading("elbow 90 degrees").unread == ("90 degrees",)


def test_a_year_is_one_that_quotes_have() -> None:
    assert asked("pumps sold in 2022 or 2023", kind_of_row="line") == {"family": "pump", "year": "2022 | 2023"}
    assert asked("since 2022", kind_of_row="quote") == {"year": ">= 2022"}
    assert asked("vor 2024", kind_of_row="quote") == {"year": "< 2024"}
    assert asked("2022") == asked("1999", kind_of_row="quote") == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("250 m HLK 3x1,5", {"model": "HLK 3x1,5"}),
        ("12 metres of HLK 3x1,5", {"model": "HLK 3x1,5"}),
        ("2 km gasket", {"family": "gasket"}),
        ("500 ft gasket", {"family": "gasket"}),
        ("20 m pump", {"family": "pump", "head": "20 m"}),
        ("length 40 mm gasket", {"family": "gasket", "length": "40 mm"}),
        ("length 40 m gasket", {"family": "gasket", "length": "40 m"}),
    ],
)
def test_a_figure_in_front_of_what_is_sold_by_its_unit_counts_it(text: str, expected: dict[str, str]) -> None:
    assert asked(text) == expected


def test_a_figure_that_nobody_names_is_within_the_bounds_of_its_attribute() -> None:
    assert asked("a pump, 9000 m³/h") == {"family": "pump"}
    assert reading("a pump, 9000 m³/h").unread == ("9000 m³/h",)
    assert asked("a pump, flow 9000 m³/h") == {"family": "pump", "flow": "9000 m³/h"}


def test_a_figure_is_of_no_attribute_whose_rows_are_all_far_from_it_unless_it_is_named_beside_it_alone() -> None:
    attributes, names = trade("valves")
    stored = replace(attributes, stored={"dn": (15.0, 200.0), "pressure": (6.0, 40.0)})

    def needs(text: str) -> dict[str, str]:
        return {need.name: need.asked for need in read(text, attributes=stored, names=names).needs}

    assert needs("DN 1") == {"dn": "1"}
    assert needs("1 DN 40") == needs("40 DN 1 1/4") == {"dn": "40"}
    assert needs("1/2 DN 4x2,8") == {}
    assert needs("1000 bar") == {}
    assert needs("100 bar") == {"pressure": "100 bar"}
    assert needs("pression 1000 bar") == {"pressure": "1000 bar"}


def test_a_figure_that_counts_goods_or_money_need_not_stand_in_a_row() -> None:
    for text in ("10 pumps at 450 EUR each", "2 centrifugal pumps", "2x pump"):
        assert reading(text).figures == ()
    assert len(reading("pump 40 m³").figures) == 1
    assert reading("pump 2,4").figures == (frozenset({"2.4"}),)


def test_a_ratio_of_one_is_its_other_figure_and_never_one() -> None:
    attributes = Attributes({"gear": Attribute("gear", "number"), "width": Attribute("width", "number", unit="mm")})
    for text, read_as in (
        ("gear 1:40", ["40"]),
        ("gear 1 : 12,5", ["12.5"]),
        ("width 1:40 mm", []),
        ("at 1:30", []),
        ("gear 1:40:60", []),
    ):
        found = read(text, attributes=attributes, names=Names())
        assert [need.asked for need in found.needs] == read_as
        assert found.unread == (() if read_as else (text.split(" ", 1)[1],))
