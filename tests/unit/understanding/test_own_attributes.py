"""What a request says of the attributes that a tenant has declared for its own families."""

import pytest

from quarry.understanding.names import ModelName, Names
from quarry.understanding.own_attributes import OwnAttribute, converted
from quarry.understanding.reading import understand
from quarry.understanding.words import Vocabulary

ATTRIBUTES = (
    OwnAttribute("head", "m", True, frozenset({"pump"}), ("total head", "Förderhöhe"), "at_least"),
    OwnAttribute("npsh", "m", True, frozenset({"pump"}), (), "at_most"),
    OwnAttribute("stages", None, True, frozenset({"pump"})),
    OwnAttribute("impeller", None, False, frozenset({"pump"}), ("Laufrad",), values=("bronze", "cast iron")),
    OwnAttribute("dn", "mm", True, frozenset({"valve"}), ("nominal diameter",)),
    OwnAttribute("pn", "bar", True, frozenset({"valve"})),
    OwnAttribute("body", None, False, frozenset({"valve"}), values=("bronze", "stainless 316")),
    OwnAttribute("medium_temperature", "°C", True),
)
FAMILIES = [{"term": family, "attribute": "family", "value": family} for family in ("pump", "valve")]
WORDS = Vocabulary.shipped().extended(FAMILIES, attributes=ATTRIBUTES)
NAMES = Names({"acme": "Acme"}, {"ksv7510": [ModelName("KSV 75-10", "Acme")]})


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("head of at least 40 m and 20 hp", ["head at least 40 m", "20 hp (14.9 kW)"]),
        ("pump, 40 m of head", ["pump", "head at least 40 m"]),
        ("40 m head 3 m NPSH", ["head at least 40 m", "npsh at most 3 m"]),
        ("NPSH below 3 m, 40 m head, 7 stages", ["npsh at most 3 m", "head at least 40 m", "stages 7"]),
        ("Förderhöhe mindestens 40,5 m", ["head at least 40.5 m"]),
        ("head: 30-40 m", ["head 30–40 m"]),
        ("between 30 and 40 m head", ["head 30–40 m"]),
        ("total head > 131 ft", ["head at least 39.929 m"]),
        ("head 50 m max", ["head at most 50 m"]),
        ("DN80 valve PN16", ["dn 80 mm", "valve", "pn 16 bar"]),
        ("KSV 75-10 head 50 m or more", ["KSV 75-10", "head at least 50 m"]),
        ("medium temperature -20 °C", ["medium temperature -20 °C"]),
        ("bronze impeller", ["bronze"]),
        ("impeller of cast iron", ["cast iron"]),
        ("stainless 316 valve", ["stainless 316", "valve"]),
    ],
)
def test_figures_and_values_of_own_attributes_are_read_with_their_unit(text: str, needs: list[str]) -> None:
    request = understand(text, words=WORDS, names=NAMES)
    assert [need.shown for need in request.needs] == needs
    assert all(need.words in text for need in request.needs)


@pytest.mark.parametrize("text", ["head 40 hp", "we are ahead 20 m", "head: 12 V", "bronze"])
def test_what_measures_something_else_or_may_be_of_several_is_left_alone(text: str) -> None:
    request = understand(text, words=WORDS, names=NAMES)
    assert not {need.attribute for need in request.needs} & {attribute.name for attribute in ATTRIBUTES}


def test_without_own_attributes_nothing_is_read_otherwise() -> None:
    text = "DN80 valve PN16, head of at least 40 m, bronze impeller"
    plain = understand(text, words=Vocabulary.shipped(), names=NAMES)
    assert understand(text, words=Vocabulary.shipped().extended(attributes=()), names=NAMES) == plain


@pytest.mark.parametrize(
    ("value", "said", "declared", "found"),
    [
        (131.2, "ft", "m", 39.99),
        (1600, "kPa", "bar", 16.0),
        (500, "mbar", "bar", 0.5),
        (212, "°F", "°C", 100.0),
        (3, "Nm", "nm", 3),
        (3, "kW", "bar", None),
        (3, "bushels", "m", None),
    ],
)
def test_units_of_the_same_measure_convert_and_others_do_not(
    value: float, said: str, declared: str, found: float | None
) -> None:
    assert converted(value, said=said, declared=declared) == (found if found is None else pytest.approx(found, 1e-3))
