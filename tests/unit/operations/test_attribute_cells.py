"""What cells say of attributes: figures in the attribute's unit, ranges, texts, flags."""

from dataclasses import replace

import pytest

from equipment.ingestion import PRODUCTS
from operations.own_words import VocabularyRow
from operations.tables.attributes import AttributeCells, names_alike
from operations.tables.cells import Doubtful, Habits, Unreadable
from quarry.attributes.model import Attribute, Attributes
from quarry.needs.grammar import read_need
from quarry.needs.model import Need

OWN = Attributes(
    {
        one.name: one
        for one in (
            Attribute("power", "number", unit="hp", words=("de:Leistung",)),
            Attribute("flow", "number", unit="cfm"),
            Attribute("pressure", "number", unit="psig"),
            Attribute("vacuum", "number", unit="inHg"),
            Attribute("dewpoint", "number", unit="°F"),
            Attribute("weight", "number", unit="lb"),
            Attribute("length", "number", unit="in"),
            Attribute("head", "number", unit="m", also="mH2O"),
            Attribute("pn", "number"),
            Attribute("share", "number", unit="%", low=0, high=100),
            Attribute("material", "text"),
            Attribute("outdoor", "flag"),
            Attribute("tilt", "number", unit="°"),
            Attribute("inlet_dn", "number", unit="in", labels={"xx": "Entrada DN"}),
            Attribute("opening", "number", unit="Cv"),
            Attribute("roughness", "number", unit="µm", sense="at_most"),
        )
    }
)
CUBIC = {"symbol": "м³/год", "dimension": "volume flow", "factor": 1 / 3600}
CELLS = AttributeCells(replace(OWN, units=OWN.units.with_own([CUBIC])))


@pytest.mark.parametrize(
    ("name", "figure", "unit", "held"),
    [
        ("power", 75, "kW", 100.577),
        ("power", 100, "PS", 98.632),
        ("power", 100, "Cv", 98.632),
        ("opening", 8, "Kv", 9.24879),
        ("flow", 660, "m³/h", 388.46),
        ("flow", 11, "m3/min", 388.46),
        ("flow", 660, "м3/год", 388.46),
        ("flow", 1000, "l/min", 35.3147),
        ("pressure", 7.5, "bar", 108.778),
        ("pressure", 8, "bar(a)", 101.334),
        ("vacuum", 0.5, "mbar", 29.9065),
        ("vacuum", 60, "Torr", 27.5591),
        ("dewpoint", 3, "°C", 37.4),
        ("weight", 100, "kg", 220.462),
        ("length", 1270, "mm", 50.0),
        ("head", 1, "bar", 10.1972),
    ],
)
def test_a_figure_is_held_in_the_unit_of_its_attribute_with_what_was_said(
    name: str, figure: float, unit: str, held: float
) -> None:
    expected = {"value": pytest.approx(held, rel=1e-3), "raw": f"{figure} {unit}", "unit": unit}
    assert CELLS.value(name, f"{figure} {unit}") == expected
    assert CELLS.value(name, figure, unit=unit) == expected


@pytest.mark.parametrize(
    ("name", "cell", "value"),
    [
        ("power", "30", 30),
        ("power", "30 HP", 30),
        ("power", "1/25 HP", pytest.approx(0.04)),
        ("power", "7.5", 7.5),
        ("power", "20..40", [20, 40]),
        ("power", "20 - 40 hp", [20, 40]),
        ("power", "40-20", [20, 40]),
        ("power", "20 bis 40 hp", [20, 40]),
        ("power", "20 hp à 40 hp", [20, 40]),
        ("power", "20 A 40", [20, 40]),
        ("length", "1-1/2", 1.5),
        ("length", '1 7/16"', 1.4375),
        ("length", "2½ in", 2.5),
        ("length", '1.1/4"', 1.25),
        ("length", "Ø125", 125),
        ("length", "⌀ 80 in", 80),
        ("length", "1/2-1-1/2", [0.5, 1.5]),
        ("dewpoint", "-40", -40),
        ("dewpoint", "-40..-20", [-40, -20]),
        ("pn", "PN 16", 16),
        ("pn", "24 pcs", 24),
        ("pn", "1:40", 40),
        ("pn", "PN 1 : 12.5", 12.5),
        ("share", "±0.5%", 0.5),
        ("share", "Share +/- 1 %", 1),
        ("power", "Leistung: 30", 30),
        ("power", "n/a", None),
        ("power", "s.o.", None),
        ("inlet_dn", "DN80", 80),
        ("inlet_dn", "Entrada DN-80", 80),
        ("dewpoint", "Dewpoint: -40", -40),
        ("share", "%50", 50),
        ("share", "% 12.5", 12.5),
        ("power", "60 hp (44.7 kW)", 60),
        ("power", "20-40 hp (15-30 kW)", [20, 40]),
        ("roughness", "≤ 8 µm", 8),
        ("roughness", "<8", 8),
        ("power", "1E-9 – 1×10⁻³ hp", [1e-9, 0.001]),
        ("material", "bronze", "bronze"),
        ("material", "bronze | cast iron;bronze", ["bronze", "cast iron"]),
        ("material", "bronze、cast iron； tin", ["bronze", "cast iron", "tin"]),
        ("material", 316.0, "316"),
        ("outdoor", "yes", True),
        ("outdoor", "false", False),
        ("outdoor", "", None),
    ],
)
def test_a_cell_is_read_by_the_kind_of_its_attribute(name: str, cell: str | float, value: object) -> None:
    assert CELLS.value(name, cell) == value


def test_a_range_in_another_unit_is_converted_at_both_ends() -> None:
    value = CELLS.value("length", "254-508 mm")
    assert value == {"value": [10, 20], "raw": "254-508 mm", "unit": "mm"}


@pytest.mark.parametrize("unit", ["bar(g)", "[bar(g)]"])
def test_a_unit_in_brackets_is_known_also_where_it_has_brackets_of_its_own(unit: str) -> None:
    held = {"value": pytest.approx(116.03, rel=1e-3), "raw": f"8 {unit}", "unit": unit}
    assert CELLS.value("pressure", 8, unit=unit) == held


def test_figures_are_read_as_the_file_writes_them() -> None:
    assert AttributeCells(OWN, Habits(",")).value("flow", "1.250,5") == 1250.5
    with pytest.raises(Unreadable, match="thousands or decimals"):
        AttributeCells(OWN, Habits(None)).value("flow", "1.250")


@pytest.mark.parametrize(
    ("name", "cell", "why"),
    [
        ("power", "7 bar", "does not measure what power has in hp"),
        ("pn", "7 bar", "does not measure what pn has without a unit"),
        ("power", "7 florps", "in 'florps', which is no unit that is known; power is in hp"),
        ("power", "many", "is not a number"),
        ("length", "3/8-16", "is not a number"),
        ("share", "400", "not plausible, share is declared from 0 to 100 %"),
        ("share", "50..101", "not plausible"),
        ("colour", "red", "no attribute of your goods: .*power"),
        ("outdoor", "maybe", "neither yes nor no"),
        ("power", "60 hp (30 kW)", "another figure in brackets"),
        ("roughness", "> 8", "is a bound, and roughness is declared at_most"),
        ("power", ">80", "is a bound, and power is declared exactly"),
        ("power", "DN80", "is not a number"),
        ("power", "pkg. 80 kW", "declare the words before its figure"),
        ("power", "pkg. 80 kW / 90 kW", "by part which of its figures"),
        ("power", "1:40", "is not a number"),
        ("pn", "100 ±100", "is not a number"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, cell: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        CELLS.value(name, cell)


def test_a_column_is_like_a_name_that_it_is_or_begins_or_ends_with() -> None:
    power = OWN.by_name["power"]
    assert names_alike("leistung", power) == 1.0
    assert 0.6 < names_alike("motor leistung", power) < 1.0
    assert names_alike("powerful", power) == 0.0


@pytest.mark.parametrize("cell", ["-", " – ", "--"])
@pytest.mark.parametrize("name", ["material", "power", "outdoor"])
def test_a_dash_alone_says_nothing_of_a_text_too(name: str, cell: str) -> None:
    assert CELLS.value(name, cell) is None


@pytest.mark.parametrize(("cell", "held"), [("30º", 30), ("10-15º", [10, 15]), ("10～15 °", [10, 15]), ("30 °", 30)])
def test_the_ordinal_that_some_keyboards_have_is_read_as_degrees(cell: str, held: object) -> None:
    assert CELLS.value("tilt", cell) == held


def test_the_tenants_words_of_a_yes_or_a_figure_are_read_in_cells_as_in_needs() -> None:
    own = replace(
        OWN,
        terms={
            ("outdoor", "ya"): ("yes",),
            ("outdoor", "○"): ("yes",),
            ("pn", "unlimited"): ("99999",),
            ("share", "half"): ("1", "2"),
        },
    )
    cells = AttributeCells(own)
    assert VocabularyRow(term="○", attribute="outdoor", value="yes").term == "○"
    assert cells.value("outdoor", "Ya") is cells.value("outdoor", "○") is True
    assert cells.value("pn", "unlimited") == {"value": 99_999, "raw": "unlimited"}
    with pytest.raises(Unreadable, match="is not a number"):
        cells.value("share", "half")
    need = read_need("outdoor", "ya", attributes=own)
    assert isinstance(need, Need)
    assert need.choices[0].flag is True


def test_a_term_of_a_text_is_held_as_its_value_with_what_was_written_and_a_value_or_a_class_stays() -> None:
    terms = {
        ("material", "br"): ("bronze",),
        ("material", "metal"): ("bronze", "iron"),
        ("material", "bronze"): ("cu",),
    }
    cells = AttributeCells(replace(OWN, terms=terms))
    assert cells.value("material", "Br") == {"value": "bronze", "raw": "Br"}
    assert cells.value("material", "BR | iron") == {"value": ["bronze", "iron"], "raw": "BR | iron"}
    assert [cells.value("material", each) for each in ("metal", "bronze")] == ["metal", "bronze"]


def test_a_name_before_a_figure_is_no_unit_though_it_is_spelled_like_one_and_behind_it_none_that_is_unknown() -> None:
    cells = AttributeCells(
        Attributes({
            "thread": Attribute("thread", "number", unit="mm", words=("M",)),
            "blades": Attribute("blades", "number", words=("xx:枚刃",)),
        })
    )  # fmt: skip
    assert [cells.value("thread", each) for each in ("M6", "M 6", "Ｍ６")] == [6, 6, 6]
    assert cells.value("thread", "6 m") == {"value": 6000, "raw": "6 m", "unit": "m"}
    assert cells.value("blades", "6枚刃") == 6
    assert read_need("blades", "6 枚刃", attributes=cells.attributes) == read_need(
        "blades", "6", attributes=cells.attributes
    )._replace(asked="6 枚刃")


@pytest.mark.parametrize("cell", ["≤ 8 µm", "max. 8 µm", "8 µm or less", "8 µm maxi", "höchstens 8"])
def test_words_of_a_bound_are_read_as_its_sign(cell: str) -> None:
    assert CELLS.value("roughness", cell) == 8
    with pytest.raises(Doubtful, match="is a bound"):
        CELLS.value("length", cell)


def test_words_of_the_heading_stand_before_a_figure_too() -> None:
    assert CELLS.value("power", "Pn 30", heading="Moc Pn [hp]") == 30


@pytest.mark.parametrize(
    ("asked", "flag"), [("sim", True), ("não", False), ("tak", True), ("nem", False), ("y", True)]
)
def test_a_need_is_a_yes_or_a_no_in_whatever_language(asked: str, flag: bool) -> None:
    need = read_need("outdoor", asked, attributes=OWN)
    assert isinstance(need, Need)
    assert need.choices[0].flag is flag


def test_a_unit_before_its_figure_is_its_unit_though_the_heading_has_it_too() -> None:
    expected = {"value": pytest.approx(220.462), "raw": "kg 100", "unit": "kg"}
    assert CELLS.value("weight", "kg 100", heading="Weight kg/lb") == expected


def test_a_term_within_a_stored_value_is_read_as_one_alone() -> None:
    own = replace(OWN, terms={("material", "inox"): ("stainless",)})
    row, faults, _ = AttributeCells(own).from_json({"material": {"value": "Inox", "raw": "Inox 304"}}, PRODUCTS)
    assert (row["attributes"]["material"], faults) == ({"value": "stainless", "raw": "Inox 304"}, [])


def test_a_value_in_look_alikes_of_another_script_is_the_one_of_the_order_and_the_degree_sign_has_a_latin_c() -> None:
    own = AttributeCells(Attributes({"ip": Attribute("ip", "text", ordered=("IP54", "IP55"))}))
    assert own.value("ip", "\u0406\u042055") == {"value": "IP55", "raw": "\u0406\u042055"}
    assert CELLS.value("dewpoint", "3 °\u0421") == {"value": 37.4, "raw": "3 °\u0421", "unit": "°\u0421"}
