"""Units: what a figure of one is in another, and how they are spelled."""

import math
import re
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from local.files import ROOT
from quarry.attributes.units import SIGN, Unit, Units, convert, printed, shipped, spoken_rows
from quarry.text import fold

UNITS = sorted(set(shipped().by_spelling.values()), key=lambda unit: unit.symbol)
GASES = {"standard", "actual"}
PAIRS = [
    (one, other)
    for one, other in permutations(UNITS, 2)
    if one.dimension == other.dimension and {one.reference, other.reference} != GASES
]
figures = st.floats(-1e6, 1e6, allow_nan=False)


def unit(spelling: str) -> Unit:
    found = shipped().named(spelling)
    assert found is not None
    return found


@given(figure=figures, one=st.sampled_from(UNITS))
def test_a_unit_is_itself(figure: float, one: Unit) -> None:
    assert convert(figure, one, one) == pytest.approx(figure, rel=1e-9, abs=1e-6)


@given(figure=figures, pair=st.sampled_from(PAIRS))
def test_there_and_back_is_the_same_figure(figure: float, pair: tuple[Unit, Unit]) -> None:
    one, other = pair
    there = convert(figure, one, other)
    assert there is not None
    if {one.reference, other.reference} == {"", "vacuum"}:
        # Without a reference it is what is left, and below nothing what the atmosphere is short of: no way back.
        assume((there if other.reference == "" else figure) >= 0)
    back = convert(there, other, one)
    # A vacuum counts from the atmosphere, beside which a tiny figure is lost to rounding.
    lost = 1e-9 * (abs(one.offset) + 101_325) / one.factor
    assert back == pytest.approx(figure, rel=1e-9, abs=max(lost, 1e-9))


@given(figure=figures, one=st.sampled_from(UNITS), other=st.sampled_from(UNITS))
def test_two_dimensions_and_standard_and_actual_gas_say_nothing_of_each_other(
    figure: float, one: Unit, other: Unit
) -> None:
    alike = one == other or (one, other) in PAIRS
    assert (convert(figure, one, other) is None) != alike


@given(low=figures, more=st.floats(0.001, 1e6), pair=st.sampled_from(PAIRS))
def test_order_is_kept_and_turned_by_a_vacuum_alone(low: float, more: float, pair: tuple[Unit, Unit]) -> None:
    one, other = pair
    # Without a reference a figure below zero is gauge and any other what is left of the air.
    assume(one.reference or other.reference != "vacuum" or low >= 0 or low + more < 0)
    smaller, larger = convert(low, one, other), convert(low + more, one, other)
    assert smaller is not None
    assert larger is not None
    is_turned = (one.reference == "vacuum") != (other.reference == "vacuum")
    assert smaller >= larger if is_turned else smaller <= larger


@pytest.mark.parametrize(
    ("figure", "said", "wanted", "expected"),
    [
        (1, "bar", "psi", 14.5038),
        (7, "bar(g)", "bar(a)", 8.01325),
        (100, "hp", "kW", 74.57),
        (11, "m³/min", "cfm", 388.5),
        (-40, "°F", "°C", -40),
        (3, "°C", "°F", 37.4),
        (29.92, "inHg", "mbar(a)", 0.04),
        (50, "mbar", "inHg", 28.44),
        (1, "gal", "l", 3.785),
        (1.5, "in", "mm", 38.1),
        (10, "mH₂O", "bar", 0.9807),
    ],
)
def test_figures_that_tables_give(figure: float, said: str, wanted: str, expected: float) -> None:
    assert convert(figure, unit(said), unit(wanted)) == pytest.approx(expected, rel=2e-3, abs=0.02)


def test_every_spelling_is_found_whole_behind_a_figure() -> None:
    found = {spelling: shipped().pattern.match(fold(spelling)) for spelling in shipped().by_spelling}
    assert [spelling for spelling, match in found.items() if match is None or match[0] != fold(spelling)] == []


def test_case_counts_only_where_it_tells_units_apart() -> None:
    assert unit("mW" if shipped().named("mW") else "MW") != unit("kW")
    assert unit("KW") == unit("kw") == unit("kW")
    assert unit("MPa").factor == 1e6
    assert unit("Bar") == unit("bar")
    assert unit("K").dimension == "temperature"
    assert shipped().named("k") is None


def test_the_pattern_takes_the_longest_spelling_and_no_part_of_a_word() -> None:
    pattern = shipped().pattern
    matched = {text: match[0] for text in ("m³/h", "bar abs", "bars5", "hpx") if (match := pattern.match(fold(text)))}
    assert matched == {"m³/h": "m3/h", "bar abs": "bar abs"}


def test_a_tenants_own_units_win() -> None:
    own = shipped().with_own([{"symbol": "ton", "spellings": "tons", "dimension": "power", "factor": 3516.85}])
    assert isinstance(own, Units)
    assert convert(1, own.named("tons") or unit("W"), unit("kW")) == pytest.approx(3.51685)
    assert own.named("bar") == unit("bar")


def test_an_own_spelling_in_another_case_leaves_a_known_one_as_it_is() -> None:
    own = shipped().with_own([{"symbol": "Gbit/s", "spellings": "G", "dimension": "data rate", "factor": 1}])
    assert own.named("G") == own.named("gbit/s") != unit("g") == own.named("g")


@pytest.mark.parametrize("factor", ["0", "nan", "inf"])
def test_a_unit_without_a_usable_factor_is_refused(factor: str) -> None:
    with pytest.raises(ValueError, match="factor"):
        shipped().with_own([{"symbol": "zed", "dimension": "zed", "factor": factor}])


@given(value=st.floats(-1e9, 1e9, allow_nan=False), pair=st.sampled_from(PAIRS))
def test_a_printed_figure_is_near_the_converted_one(value: float, pair: tuple[Unit, Unit]) -> None:
    converted, made = convert(value, *pair), printed(value, *pair)
    if converted is None or made is None:
        assert made is converted
    else:
        assert math.isclose(made, converted, rel_tol=0.02, abs_tol=0.05)


@pytest.mark.parametrize(
    ("language", "spelling", "symbol"),
    [
        ("uk", "кВт", "kW"),
        ("uk", "м3/год", "m³/h"),
        ("uk", "т/год", "t/h"),
        ("uk", "об/хв", "rpm"),
        ("uk", "Нм", "N·m"),
        ("uk", "нм", "nm"),
        ("uk", "кіловатів", "kW"),
        ("ja", "円", "JPY"),
        ("ar", "كغ", "kg"),
        ("pl", "kilowatogodziny", "kWh"),
        ("es", "pulg.", "in"),
        ("pt", "pol", "in"),
        ("cs", "hod", "h"),
        ("bg", "бр", "pcs"),
        ("he", 'מ"מ', "mm"),
        ("he", "מ״מ", "mm"),
        ("he", "מ'", "m"),
        ("he", 'ש"ח', "ILS"),
        ("he", "ILS", "ILS"),
        ("he", '"', "in"),
    ],
)
def test_the_houses_language_calls_units_as_its_readers_write_them(language: str, spelling: str, symbol: str) -> None:
    found = shipped().with_own([], language=language).named(spelling)
    assert found is not None
    assert found.symbol == symbol


def test_what_several_currencies_are_called_is_the_houses() -> None:
    known = {code: shipped().with_own([], language="ro", currency=code) for code in ("RON", "EUR")}
    assert known["RON"].named("lei") == Unit("RON", "amount in RON", 1)
    assert known["EUR"].named("lei") is None
    assert known["RON"].named("românesc") is None


@pytest.mark.parametrize(
    ("house", "codes"),
    [
        ("CAD", ["CAD", "CAD", "CAD", "USD", "JPY", None]),
        ("USD", ["USD", "CAD", "CAD", "USD", "JPY", None]),
        ("MXN", ["MXN", "CAD", "CAD", "USD", "JPY", None]),
        ("EUR", ["USD", "CAD", "CAD", "USD", "JPY", None]),
        ("CNY", ["USD", "CAD", "CAD", "USD", "CNY", None]),
        ("SEK", ["USD", "CAD", "CAD", "USD", "JPY", "SEK"]),
    ],
)
def test_a_sign_of_several_currencies_is_the_houses_and_has_its_letters_on_either_side(
    house: str, codes: list[str | None]
) -> None:
    known = shipped().with_own([], language="en", currency=house)
    assert [unit and unit.symbol for unit in map(known.named, ("$", "$ CA", "CAN$", "US $", "¥", "kr"))] == codes
    own = shipped().with_own([{"symbol": "$", "dimension": "tokens", "factor": 1}], currency=house)
    assert own.named("$") == Unit("$", "tokens", 1)


def test_base_units_are_known_as_they_are_listed() -> None:
    listed = (ROOT / "docs" / "own-data.md").read_text("utf-8").partition("with their base units: ")[2]
    pairs = re.findall(r"`([^`]+)` ([^ ,]+(?: g)?)(?=,)", listed.partition(". A dimension")[0])
    assert len(pairs) > 30
    units = {dimension: shipped().named(symbol) for dimension, symbol in pairs}
    assert {dimension for dimension, unit in units.items() if unit is None or unit[1:4] != (dimension, 1, 0)} == set()


def test_no_spelling_of_a_language_takes_the_place_of_a_known_one_or_of_a_word() -> None:
    own = [{"symbol": "box", "spellings": ["кг"], "dimension": "boxes", "factor": 1}]
    known = shipped().with_own(own, language="uk")
    assert known.named("кг") == known.named("КГ") == Unit("box", "boxes", 1)
    assert [known.named("В"), known.named("в")] == [unit("V"), None]
    taken = {each for _, spellings in spoken_rows() for each in spellings
             if shipped().named(each) and not re.search(SIGN, each)}  # fmt: skip
    assert taken == {"Ft", "db", "CP", "pièces"}


@pytest.mark.parametrize(
    ("language", "currency", "said", "symbol"),
    [
        ("hu", "HUF", "Ft", "HUF"),
        ("hu", "HUF", "ft", "ft"),
        ("hu", "HUF", "db", "pcs"),
        ("hu", "HUF", "dB(A)", "dB(A)"),
        ("en", "USD", "Ft", "ft"),
        ("en", "USD", "db", "dB(A)"),
        ("ro", "RON", "CP", "PS"),
        ("ro", "RON", "cP", "mPa·s"),
    ],
)
def test_what_a_language_writes_in_its_own_case_goes_before_another_unit_in_the_other(
    language: str, currency: str, said: str, symbol: str
) -> None:
    found = shipped().with_own([], language=language, currency=currency).named(said)
    assert found is not None
    assert found.symbol == symbol
