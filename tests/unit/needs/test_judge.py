"""What rows answer to needs."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quarry.attributes.model import Attribute, Attributes, Sense, Value
from quarry.attributes.units import convert
from quarry.needs.grammar import read_need
from quarry.needs.judge import find, machines_for
from quarry.needs.model import Judgement, Need, Verdict, of_families
from quarry.needs.set_up import as_set_up

ATTRIBUTES = Attributes(
    {
        one.name: one
        for one in (
            Attribute("flow", kind="number", unit="m³/h", sense="at_least", met=0.02, close=0.07, adds="sum"),
            Attribute(
                "noise", kind="number", unit="dB(A)", sense="at_most", met=1, close=3, absolute=True, adds="decibels"
            ),
            Attribute("power", kind="number", unit="kW", sense="about", met=0.1, close=0.3),
            Attribute("bore", kind="number", unit="in", sense="exactly"),
            Attribute("span", kind="number", unit="bar", sense="covers", close=0.1),
            Attribute("dew_point", kind="number", unit="°F", sense="at_most", met=2, close=2, absolute=True),
            Attribute("vacuum", kind="number", unit="inHg", sense="at_least", met=0.005, close=0.01),
            Attribute("material"),
            Attribute("protection", ordered=("IP54", "IP55", "IP66"), sense="at_least"),
            Attribute("outdoor", kind="flag"),
        )
    },
    families={"pump": (), "valve": ()},
    listed={"material": frozenset(("1.4408", "1.4401", "Grauguss", "PTFE", "400 V", "gas + 400 V"))},
    terms={
        ("material", "stainless steel"): ("1.4408", "1.4401"),
        ("material", "cast iron"): ("Grauguss",),
        ("family", "pumpe"): ("pump",),
    },
)
RANKS: dict[Verdict, int] = {"met": 0, "close": 1, "unknown": 2, "contradicted": 3}
figures = st.floats(1, 1e5).map(lambda figure: round(figure, 3))
operators = st.sampled_from(("", "=", ">=", "<=", ">", "<", "~"))
senses: st.SearchStrategy[Sense] = st.sampled_from(("at_least", "at_most", "about", "exactly", "covers"))


def need(attribute: str, asked: str, *, wish: bool = False, attributes: Attributes = ATTRIBUTES) -> Need:
    found = read_need(attribute, asked, attributes=attributes, wish=wish)
    assert isinstance(found, Need), found
    return found


def verdict(attribute: str, asked: str, value: Value | None, *, words: str = "") -> Verdict:
    return find(need(attribute, asked), value, words=frozenset(words.split()), attributes=ATTRIBUTES).verdict


def figure(low: float, high: float | None = None) -> Value:
    return Value(low=low, high=low if high is None else high)


def of_sense(sense: Sense, met: float, close: float) -> Attributes:
    one = Attribute("figure", kind="number", unit="m³/h", sense=sense, met=met, close=close)
    return Attributes({"figure": one})


@pytest.mark.parametrize(
    ("attribute", "asked", "has", "expected"),
    [
        ("flow", "100", 100, "met"),
        ("flow", "100", 5000, "met"),
        ("flow", "100", 98.5, "met"),
        ("flow", "100", 95, "close"),
        ("flow", "100", 90, "contradicted"),
        ("flow", "= 100", 101, "met"),
        ("flow", "= 100", 200, "contradicted"),
        ("flow", "< 75", 75, "contradicted"),
        ("flow", "< 75", 74, "met"),
        ("flow", "> 75", 75, "contradicted"),
        ("flow", "<= 75", 75, "met"),
        ("flow", "<= 1e-9", 1.9e-9, "contradicted"),
        ("flow", "100..200", 150, "met"),
        ("flow", "100..200", 95, "close"),
        ("flow", "100..200", 240, "close"),
        ("flow", "100..200", 300, "contradicted"),
        ("noise", "70", 71, "met"),
        ("noise", "70", 73, "close"),
        ("noise", "70", 40, "met"),
        ("noise", "70", 74, "contradicted"),
        ("noise", "= 70", 40, "contradicted"),
        ("power", "75", 80, "met"),
        ("power", "75", 90, "close"),
        ("power", "75", 110, "contradicted"),
        ("power", "100 hp", 75, "met"),
        ("bore", "2", 2, "met"),
        ("bore", "2", 2.1, "contradicted"),
        ("bore", "50.8 mm", 2, "met"),
        ("bore", "50 mm", 2, "close"),
        ("bore", "not 2", 2.1, "met"),
        ("bore", "not 2", 2, "contradicted"),
        ("bore", "1 | 2", 2, "met"),
        ("dew_point", "3 °C", 38, "met"),
        ("vacuum", "50 mbar(a)", 29, "met"),
        ("vacuum", "50 mbar(a)", 25, "contradicted"),
        ("vacuum", "25", 29, "met"),
    ],
)
def test_a_figure_is_judged_by_sense_bound_and_tolerance(
    attribute: str, asked: str, has: float, expected: Verdict
) -> None:
    assert verdict(attribute, asked, figure(has)) == expected


@pytest.mark.parametrize(
    ("asked", "has", "expected"),
    [
        ("stainless steel", ("1.4408",), "met"),
        ("stainless steel", ("Grauguss",), "contradicted"),
        ("not cast iron", ("Grauguss",), "contradicted"),
        ("not cast iron", ("PTFE",), "met"),
        ("ptfe", ("PTFE/EPDM FDA",), "contradicted"),
        ("EPDM", ("PTFE/EPDM FDA",), "met"),
        ("316", ("316L",), "contradicted"),
        ("400 V", ("gas + 400 V",), "contradicted"),
        ("Graugus", ("Grauguss",), "unknown"),
        ("not Graugus", ("Grauguss",), "unknown"),
        ("a | ptfe", ("PTFE",), "met"),
        ("ptfe", ("a", "PTFE"), "met"),
        ("ptfe", (), "unknown"),
        ('2"', ('G 1 1/2"',), "contradicted"),
        ("1/2", ('1 1/2"',), "contradicted"),
        ("1", ("G 1½",), "contradicted"),
        ('12"', ('1/2"',), "contradicted"),
        ('1.1/2"', ('G 1 1/2"',), "met"),
        ("16", ("PN 10/16",), "met"),
        ("7,5", ("7½",), "met"),
        ("5", ("7.5 or 7½",), "contradicted"),
    ],
)
def test_a_text_is_judged_by_class_synonym_and_whole_words(
    asked: str, has: tuple[str, ...], expected: Verdict
) -> None:
    assert verdict("material", asked, Value(texts=has)) == expected


def test_values_with_an_order_are_compared_by_it() -> None:
    assert verdict("protection", "IP54", Value(texts=("IP66",))) == "met"
    assert verdict("protection", "> IP55", Value(texts=("IP55",))) == "contradicted"
    assert verdict("protection", "<= IP55", Value(texts=("IP54",))) == "met"
    assert verdict("protection", "IP99", Value(texts=("IP54",))) == "contradicted"


def test_models_are_compared_by_letters_and_digits_and_names_by_a_part() -> None:
    assert verdict("model", "qgv 100", Value(texts=("QGV-100",))) == "met"
    assert verdict("model", "QGV-10", Value(texts=("QGV-100",))) == "contradicted"
    assert verdict("customer", "stadtwerke", Value(texts=("Stadtwerke Suhl GmbH",))) == "met"


def test_words_of_a_row_are_met_or_unknown_and_contradict_a_denial() -> None:
    assert verdict("description", "sealing bars", None, words="two sealing bar") in ("met", "unknown")
    assert verdict("description", "sealing", None, words="two sealing bar") == "met"
    assert verdict("description", "welded", None, words="two sealing bar") == "unknown"
    assert verdict("description", "not sealing", None, words="two sealing bar") == "contradicted"


def test_what_a_row_does_not_say_is_unknown() -> None:
    for attribute, asked in (("flow", "100"), ("material", "not PTFE"), ("outdoor", "yes"), ("bore", "not 2")):
        assert verdict(attribute, asked, None) == "unknown"


@given(
    asked=figures,
    operator=operators,
    has=figures,
    more=st.floats(1, 10),
    met=st.floats(0, 0.2),
    close=st.floats(0, 0.3),
)
def test_more_is_never_worse_where_at_least_is_asked(
    asked: float, operator: str, has: float, more: float, met: float, close: float
) -> None:
    assume(operator in ("", ">=", ">"))
    attributes = of_sense("at_least", met, close)
    one = need("figure", f"{operator} {asked:.3f}", attributes=attributes)
    less, greater = (
        find(one, figure(each), words=frozenset(), attributes=attributes).verdict for each in (has, has * more)
    )
    assert RANKS[greater] <= RANKS[less]


@given(
    asked=figures,
    operator=operators,
    has=figures,
    more=st.floats(1, 10),
    met=st.floats(0, 0.2),
    close=st.floats(0, 0.3),
)
def test_less_is_never_worse_where_at_most_is_asked(
    asked: float, operator: str, has: float, more: float, met: float, close: float
) -> None:
    assume(operator in ("", "<=", "<"))
    attributes = of_sense("at_most", met, close)
    one = need("figure", f"{operator} {asked:.3f}", attributes=attributes)
    greater, less = (
        find(one, figure(each), words=frozenset(), attributes=attributes).verdict for each in (has, has / more)
    )
    assert RANKS[less] <= RANKS[greater]


@given(
    asked=figures,
    operator=operators,
    off=st.floats(-0.9, 3),
    sense=senses,
    unit=st.sampled_from(("gpm", "l/s", "cfm")),
)
def test_another_unit_never_changes_a_verdict_beyond_the_tolerance(
    asked: float, operator: str, off: float, sense: Sense, unit: str
) -> None:
    attributes = of_sense(sense, 0.05, 0.1)
    own, other = attributes.units.named("m³/h"), attributes.units.named(unit)
    assert own is not None
    assert other is not None
    converted = convert(asked, own, other)
    assert converted is not None
    # Near a limit the slack of a converted figure may tell.
    assume(all(abs(abs(off) - limit) > 0.025 for limit in (0, 0.05, 0.1)))
    found = {
        find(
            need("figure", f"{operator} {said}", attributes=attributes),
            figure(asked * (1 + off)),
            words=frozenset(),
            attributes=attributes,
        ).verdict
        for said in (f"{asked:.3f}", f"{converted:.6f} {unit}")
    }
    assert len(found) == 1


@given(asked=figures, operator=operators, has=figures, sense=senses)
def test_a_denial_turns_met_and_contradicted(asked: float, operator: str, has: float, sense: Sense) -> None:
    attributes = of_sense(sense, 0.05, 0.1)
    said = need("figure", f"{operator} {asked:.3f}", attributes=attributes)
    plain = find(said, figure(has), words=frozenset(), attributes=attributes).verdict
    denied = find(said._replace(negated=True), figure(has), words=frozenset(), attributes=attributes).verdict
    assert denied == {"met": "contradicted", "close": "met", "contradicted": "met"}[plain]


@given(asked=figures, operator=operators, has=st.none() | figures, sense=senses, negated=st.booleans())
def test_a_wish_is_judged_and_never_contradicts(
    asked: float, operator: str, has: float | None, sense: Sense, negated: bool
) -> None:
    attributes = of_sense(sense, 0.05, 0.1)
    said = f"{'not ' if negated else ''}{operator} {asked:.3f}"
    value = None if has is None else figure(has)
    asks = (need("figure", said, wish=wish, attributes=attributes) for wish in (False, True))
    one, wished = (Judgement((find(each, value, words=frozenset(), attributes=attributes),)) for each in asks)
    assert wished.findings[0].verdict == one.findings[0].verdict
    assert wished.contradicted == 0
    assert wished.is_met
    assert wished.wishes_missed == (one.findings[0].verdict != "met")
    assert wished.signs in ("+", "w")


@given(asked=figures, low=figures, more=st.floats(0, 1e4), sense=senses)
def test_a_range_is_never_worse_than_its_better_end(asked: float, low: float, more: float, sense: Sense) -> None:
    attributes = of_sense(sense, 0.05, 0.1)
    one = need("figure", f"{asked:.3f}", attributes=attributes)
    ends = [figure(low), figure(low + more), figure(low, low + more)]
    first, last, both = (RANKS[find(one, each, words=frozenset(), attributes=attributes).verdict] for each in ends)
    assert both <= max(first, last)


def test_several_machines_have_the_sum_or_the_level_of_all() -> None:
    values = {"flow": figure(100), "noise": figure(70), "power": figure(5)}
    three = as_set_up(values, attributes=ATTRIBUTES.by_name, machines=4, down=1)
    assert three["flow"] == figure(300)
    assert three["noise"].low == 74.8
    assert three["power"] == figure(5)


def test_of_a_machine_that_is_several_one_unit_may_be_out_and_of_any_other_nobody_knows_what_is_left() -> None:
    values, of = {"flow": figure(100), "noise": figure(70), "power": figure(5)}, ATTRIBUTES.by_name
    assert as_set_up(values, attributes=of, machines=1, down=1, units=2)["flow"] == figure(50)
    assert as_set_up(values, attributes=of, machines=2, down=1, units=2)["flow"] == figure(100)
    assert as_set_up(values, attributes=of, machines=2, down=3, units=2)["flow"] == figure(50)
    for down, flow in ((1, 100), (2, 50)):
        set_of_three = as_set_up(values, attributes=of, machines=1, down=down, units=3, reserve=1)
        assert set_of_three["flow"] == figure(flow)
    for units in (None, 1):
        assert set(as_set_up(values, attributes=of, machines=1, down=1, units=units)) == {"power"}


def test_how_many_machines_would_do_is_told_where_more_of_them_help() -> None:
    def machines(attribute: str, asked: str, has: float) -> int | None:
        finding = find(need(attribute, asked), figure(has), words=frozenset(), attributes=ATTRIBUTES)
        return machines_for(finding, figure(has))

    assert machines("flow", "1000", 300) == 4
    assert machines("flow", "100", 300) is None
    assert machines("flow", "100000", 3) is None
    assert machines("power", "1000", 300) is None


def test_the_families_asked_for_are_those_named_or_meant_and_not_excluded() -> None:
    needs = [need("family", "Pumpe"), need("family", "not valve"), need("family", "valve", wish=True)]
    assert of_families(needs, attributes=ATTRIBUTES) == ["pump"]


def test_a_value_with_an_order_is_as_far_off_as_its_place() -> None:
    def distance(asked: str, has: str) -> float:
        found = find(need("protection", asked), Value(texts=(has,)), words=frozenset(), attributes=ATTRIBUTES)
        return found.distance

    assert 0 < distance("IP66", "IP55") < distance("IP66", "IP54") <= 1
    assert distance("IP54", "IP66") == distance("IP99", "IP54") == 0


@pytest.mark.parametrize(
    ("asked", "verdicts"),
    [
        ("0..10", "+~-+-"),
        ("0..1000 kPa", "+~-+-"),
        ("5", "++++-"),
        ("-1..3", "----+"),
        (">= 8", "++-+-"),
        ("<= -0.5", "----+"),
    ],
)
def test_a_range_that_covers_holds_all_that_is_asked(asked: str, verdicts: str) -> None:
    ranges = [(0, 10), (0, 9.2), (0, 7), (0, 16), (-1, 3)]
    found = [find(need("span", asked), Value(low=low, high=high), attributes=ATTRIBUTES) for low, high in ranges]
    assert Judgement(tuple(found)).signs == verdicts


def test_of_ranges_that_cover_the_narrowest_is_nearest() -> None:
    ranges = [(0, 10), (0, 16), (-1, 16), (0, 400)]
    for asked in ("0..10", "6"):
        found = [find(need("span", asked), Value(low=low, high=high), attributes=ATTRIBUTES) for low, high in ranges]
        assert [each.distance for each in found] == sorted({each.distance for each in found})
