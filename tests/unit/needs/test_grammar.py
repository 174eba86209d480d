"""The grammar of ``is``."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.needs.grammar import read_need
from quarry.needs.model import Choice, Need, Unread

ATTRIBUTES = Attributes(
    {
        one.name: one
        for one in (
            Attribute("flow", kind="number", unit="m³/h", sense="at_least", words=("de:Fördermenge", "rate")),
            Attribute("speed", kind="number", unit="rpm", words=("rate",)),
            Attribute("pressure", kind="number", unit="bar(g)", sense="at_least"),
            Attribute("vacuum", kind="number", unit="inHg", sense="at_least"),
            Attribute("stages", kind="number"),
            Attribute("material"),
            Attribute("protection", ordered=("IP44", "IP54", "IP55")),
            Attribute("outdoor", kind="flag"),
        )
    },
    terms={
        ("stages", "two stage"): ("2",),
        ("outdoor", "weatherproof"): ("yes",),
        ("protection", "splash"): ("IP54",),
    },
)


def need(attribute: str, asked: str) -> Need:
    found = read_need(attribute, asked, attributes=ATTRIBUTES)
    assert isinstance(found, Need), found
    return found


def test_a_figure_of_a_unit_ten_times_as_large_is_as_round_as_its_own_and_no_lower_one_meets_it() -> None:
    assert need("pressure", ">= 2.5 MPa").choices == (Choice(">=", 25, 25),)
    assert need("pressure", ">= 100 psi").choices[0].converted


def test_a_range_of_ordered_values_is_all_of_them() -> None:
    assert [choice.value for choice in need("protection", "IP44..IP55").choices] == ["IP44", "IP54", "IP55"]


def test_thousands_or_decimals_are_told_where_a_comma_marks_decimals() -> None:
    house = replace(ATTRIBUTES, language="es")
    found = read_need("flow", "> 1.000 m³/h", attributes=house)
    assert isinstance(found, Unread)
    assert found.why == "may be 1 or 1000: write 1000 or 1.0000, not '1.000'"
    for figure in ("1000", "1.0000", "1.000,5", "0.125", "1000..2000"):
        assert isinstance(read_need("flow", figure, attributes=house), Need)
    assert need("flow", "1.125").choices[0].low == 1.125


def why(attribute: str, asked: str) -> str:
    found = read_need(attribute, asked, attributes=ATTRIBUTES)
    assert isinstance(found, Unread), found
    return found.why


@pytest.mark.parametrize(
    ("asked", "choices"),
    [
        ("350", [Choice("is", 350, 350)]),
        ("350 m³/h", [Choice("is", 350, 350)]),
        ("350..400 m³/h", [Choice("is", 350, 400)]),
        ("400 – 350", [Choice("is", 350, 400)]),
        ("350-400", [Choice("is", 350, 400)]),
        ("350 a 400", [Choice("is", 350, 400)]),
        ("350 bis 400 m³/h", [Choice("is", 350, 400)]),
        ("5 à 8", [Choice("is", 5, 8)]),
        ("5〜8 m³/h", [Choice("is", 5, 8)]),
        ("at least 5 m³/h", [Choice(">=", 5, 5)]),
        ("1,00,000 m³/h or less", [Choice("<=", 100000, 100000)]),
        ("3 rate", [Choice("is", 3, 3)]),
        ("５.５万", [Choice("is", 55000, 55000)]),
        ("350 - 400 m³/h", [Choice("is", 350, 400)]),
        (">= 350", [Choice(">=", 350, 350)]),
        ("=< 350", [Choice("<=", 350, 350)]),
        ("≥350 m3/h", [Choice(">=", 350, 350)]),
        ("< 1,200", [Choice("<", 1200, 1200)]),
        ("<= 40 000", [Choice("<=", 40000, 40000)]),
        ("1 500,5..12 000 m3/h", [Choice("is", 1500.5, 12000)]),
        ("40 – 100", [Choice("is", 40, 100)]),
        ("1e-09..1000", [Choice("is", 1e-9, 1000)]),
        ("1x10-6 – 1,3×10⁻⁵ m³/h", [Choice("is", 1e-6, 1.3e-5)]),
        ("10^-6 or less", [Choice("<=", 1e-6, 1e-6)]),
        ("~ 7,5", [Choice("~", 7.5, 7.5)]),
        ("1 1/2", [Choice("is", 1.5, 1.5)]),
        (">= 1-3/8", [Choice(">=", 1.375, 1.375)]),
        ("±2", [Choice("is", 2, 2)]),
        ("1.1/2..2.1/4", [Choice("is", 1.5, 2.25)]),
        ("1½..2", [Choice("is", 1.5, 2)]),
        ("1/2-3/4", [Choice("is", 0.5, 0.75)]),
        ("1-1/2-2-1/4", [Choice("is", 1.5, 2.25)]),
        ("1-8", [Choice("is", 1, 8)]),
        (".5", [Choice("is", 0.5, 0.5)]),
        ("-40..-20", [Choice("is", -40, -20)]),
        ("-40 - -20", [Choice("is", -40, -20)]),
        (">= Fördermenge 350", [Choice(">=", 350, 350)]),
        ("Flow: 350..Ø400 m3/h", [Choice("is", 350, 400)]),
        ("RATE-350 | m³/h 400", [Choice("is", 350, 350), Choice("is", 400, 400)]),
        ("flow -5", [Choice("is", -5, -5)]),
        ("30 | >= 60", [Choice("is", 30, 30), Choice(">=", 60, 60)]),
        ("1 m³/min", [Choice("is", 60, 60, converted=True)]),
    ],
)
def test_figures_are_read_with_operator_range_unit_and_alternatives(asked: str, choices: list[Choice]) -> None:
    found = need("flow", asked)
    assert len(found.choices) == len(choices)
    for choice, expected in zip(found.choices, choices, strict=True):
        assert (choice.operator, choice.converted) == (expected.operator, expected.converted)
        assert (choice.low, choice.high) == pytest.approx((expected.low, expected.high))


def test_a_ratio_of_one_is_its_other_figure_where_there_is_no_unit() -> None:
    assert [choice.low for choice in need("stages", ">= 1:40 | 1 : 60").choices] == [40, 60]
    assert isinstance(read_need("flow", "1:40", attributes=ATTRIBUTES), Unread)


def test_not_excludes_all_alternatives() -> None:
    found = need("material", "not steel | not brass | PP")
    assert found.negated
    assert [choice.value for choice in found.choices] == ["steel", "brass", "PP"]


def test_a_value_that_begins_like_a_negation_is_a_value() -> None:
    assert not need("material", "notched steel").negated


def test_less_pressure_left_is_more_vacuum() -> None:
    assert need("vacuum", "<= 50 mbar(a)").choices[0].operator == ">="
    assert need("vacuum", "> 25 inHg").choices[0].operator == ">"


def test_a_pressure_without_a_reference_is_taken_as_absolute_for_a_vacuum_and_says_so() -> None:
    said = ("600 mbar", "600 mbar(a)", "-600 mbar(g)", "-600 mbar")
    left, absolute, below, negative = (need("vacuum", each).choices[0] for each in said)
    assert [each.absolute for each in (left, absolute, below, negative)] == [True, False, False, False]
    assert negative.low == below.low
    assert left.low == pytest.approx(absolute.low)
    assert below.low == pytest.approx(17.718, abs=0.001)


def test_a_flag_is_yes_or_no() -> None:
    assert need("outdoor", "yes").choices == (Choice(flag=True),)
    assert need("outdoor", "No").choices == (Choice(flag=False),)
    assert "yes or no" in why("outdoor", "perhaps")


def test_a_term_of_the_tenant_may_mean_a_figure_or_a_yes() -> None:
    assert need("stages", "Two-stage").choices == need("stages", "2").choices
    assert need("outdoor", "not weatherproof").choices == (Choice(flag=True),)


def test_a_term_of_a_value_with_an_order_keeps_its_bound() -> None:
    assert need("protection", ">= Splash").choices == (Choice(">=", value="IP54"),)
    assert len(need("protection", "IP44..splash").choices) == 2


@pytest.mark.parametrize(
    ("language", "asked", "low"),
    [("pt", "01/03/2025..31/03/2025", 20250301), ("pl", "1.3.2025", 20250301), ("en", "25/3/2025", 20250325)],
)
def test_days_are_read_as_the_house_writes_them(language: str, asked: str, low: float) -> None:
    found = read_need("date", asked, attributes=replace(ATTRIBUTES, language=language))
    assert isinstance(found, Need)
    assert found.choices[0].low == low


@pytest.mark.parametrize(
    ("asked", "low", "high"),
    [("2024", 20240101, 20241231), ("2024-02", 20240201, 20240229), ("2023-05..2024", 20230501, 20241231),
     (">= 2024-03-01", 20240301, 20240301), ("2024/3/1", 20240301, 20240301),
     ("２０２４年3月1日", 20240301, 20240301), ("2024. 2.", 20240201, 20240229)],
)  # fmt: skip
def test_days_are_figures_and_a_year_all_its_days(asked: str, low: float, high: float) -> None:
    choice = need("date", asked).choices[0]
    assert (choice.low, choice.high) == (low, high)


@pytest.mark.parametrize(
    ("attribute", "asked", "told"),
    [
        ("flow", "much", "a figure in m³/h"),
        ("flow", "5 kg", "measures mass"),
        ("flow", "5 zorks", "no unit that is known"),
        ("stages", "5 bar", "has no unit"),
        ("flow", "", "says nothing"),
        ("flow", " | ", "says nothing"),
        ("flow", ">=", "has no value"),
        ("material", ">= steel", "without an order"),
        ("protection", ">= IP50", "its order, which is IP44 | IP54 | IP55"),
        ("date", "03/04/2024", "may be 2024-03-04 or 2024-04-03"),
        ("date", "2024-13", "is no day"),
        ("rate", "5", "flow or speed"),
        ("flwo", "5", "nearest: flow"),
        ("zebra", "5", "list_attributes"),
    ],
)
def test_what_cannot_be_read_says_how_to_ask(attribute: str, asked: str, told: str) -> None:
    assert told in why(attribute, asked)


numbers = st.floats(-1e5, 1e5, allow_nan=False).map(lambda figure: round(figure, 2))
figures = st.tuples(st.sampled_from(("is", "=", ">=", "<=", ">", "<", "~")), numbers)


@given(choices=st.lists(figures, min_size=1, max_size=4), negated=st.booleans(), unit=st.sampled_from(("", " m³/h")))
def test_what_is_written_by_the_grammar_is_read_as_it_was_meant(
    choices: list[tuple[str, float]], negated: bool, unit: str
) -> None:
    written = [f"{'' if operator == 'is' else operator} {figure:.2f}{unit}" for operator, figure in choices]
    found = need("flow", ("not " if negated else "") + " | ".join(written))
    assert found.negated == negated
    assert [(choice.operator, choice.low) for choice in found.choices] == choices
    assert need("flow", found.asked) == found


@given(figure=st.floats(1e-15, 1e15))
def test_a_shown_figure_is_read_back_as_itself(figure: float) -> None:
    shown = Value(figure, figure).shown("m³/h")
    assert need("flow", shown).choices[0].low == float(shown.partition(" ")[0])


@given(ends=st.tuples(numbers, numbers))
def test_a_range_is_read_whichever_end_is_first(ends: tuple[float, float]) -> None:
    choice = need("flow", f"{ends[0]:.2f}..{ends[1]:.2f} m³/h").choices[0]
    assert (choice.low, choice.high) == (min(ends), max(ends))


@given(attribute=st.sampled_from([*ATTRIBUTES.by_name, "date", "price", "nobody"]), asked=st.text(max_size=40))
def test_reading_a_need_never_raises(attribute: str, asked: str) -> None:
    found = read_need(attribute, asked, attributes=ATTRIBUTES)
    assert isinstance(found, Unread) or read_need(attribute, found.asked, attributes=ATTRIBUTES) == found


@given(value=st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12))
def test_a_word_is_the_value_that_it_is(value: str) -> None:
    if value.casefold() != "not":
        assert need("material", value).choices == (Choice(value=value),)


def test_a_value_in_look_alikes_of_another_script_is_the_one_that_rows_have() -> None:
    own = replace(ATTRIBUTES, listed={"material": frozenset(("\u0421\u0422-3", "PVC"))})
    said = [read_need("material", text, attributes=own) for text in ("CT-3", "\u0420V\u0421", "\u0420\u0422")]
    assert [each.choices[0].value for each in said if isinstance(each, Need)] == [
        "\u0421\u0422-3",
        "PVC",
        "\u0420\u0422",
    ]
    assert need("protection", "\u0406\u042055").choices[0].value == "IP55"
