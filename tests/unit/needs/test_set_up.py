"""What a row has at the conditions of the job."""

from collections.abc import Mapping

import pytest

from quarry.attributes.model import Attribute, Attributes
from quarry.corpora import PRODUCTS
from quarry.needs.arguments import NeedRow, needs_of
from quarry.needs.model import Finding
from quarry.retrieval.judging import Judge


def point(name: str, of: str, unit: str | None = None) -> Attribute:
    return Attribute(name, kind="number", unit=unit, point=of)


ATTRIBUTES = Attributes(
    {
        one.name: one
        for one in (
            Attribute("flow", kind="number", unit="m³/h", sense="at_least", close=0.05, adds="sum"),
            Attribute("noise", kind="number", unit="dB(A)", sense="at_most"),
            Attribute("head", kind="number", unit="m", sense="at_least"),
            Attribute("heat", kind="number", unit="°C"),
            Attribute("speed", kind="number", unit="rpm"),
            point("flow_10", "flow at head 10 m", "m³/h"),
            point("flow_30", "flow at head 30 m", "l/min"),
            point("flow_20", "flow at head 2000 cm", "m³/h"),
            point("factor_20c", "flow at heat 20 °C"),
            point("factor_40c", "flow at heat 104 °F"),
            point("flow_slow", "flow at speed 1000 rpm", "m³/h"),
            point("noise_slow", "noise at speed 1000 rpm", "dB(A)"),
            point("noise_fast", "noise at speed 3000 rpm", "dB(A)"),
            point("lost", "flow at tilt 3 °"),
        )
    }
)
CURVE = {"flow": 100, "flow_10": 90, "flow_20": 80, "flow_30": 1000}
FACTORS = {"flow": 100, "factor_20c": 1, "factor_40c": 0.8}


def findings(
    row: Mapping[str, object], asked: Mapping[str, str], *, machines: int = 1, down: int = 0
) -> dict[str, Finding]:
    needs, unread = needs_of(
        [NeedRow(attribute=name, is_=said) for name, said in asked.items()], attributes=ATTRIBUTES
    )
    assert not unread
    found = Judge(PRODUCTS, needs, ATTRIBUTES, machines, down).of({"family": "pump", "attributes": row}).findings
    return {one.need.name: one for one in found}


@pytest.mark.parametrize(
    ("row", "conditions", "verdict", "has"),
    [
        (CURVE, {"head": "20 m"}, "met", "80 m³/h at 20 m"),
        (CURVE, {"head": "15 m"}, "met", "85 m³/h at 15 m"),
        (CURVE, {"head": "30 m"}, "contradicted", "60 m³/h at 30 m"),
        (CURVE, {"head": "50 ft"}, "met", "84.76 m³/h at 15.24 m"),
        (CURVE, {"head": "98.5 ft"}, "contradicted", "60 m³/h at 30 m"),
        (CURVE, {"head": "10..30 m"}, "contradicted", "60 m³/h at 30 m"),
        (CURVE, {"head": "31 m"}, "unknown", "100 m³/h, not known at 31 m"),
        (CURVE, {"head": "5..20 m"}, "unknown", "100 m³/h, not known at 5..20 m"),
        (FACTORS, {"heat": "40 °C"}, "met", "80 m³/h (100 × 0.8 at 40 °C)"),
        (FACTORS, {"heat": "86 °F"}, "met", "90 m³/h (100 × 0.9 at 30 °C)"),
        (CURVE | FACTORS, {"heat": "40 °C", "head": "10 m"}, "contradicted",
         "72 m³/h (90 at 10 m × 0.8 at 40 °C)"),
        (CURVE | {"flow_slow": 60}, {"speed": "1000 rpm", "head": "10 m"}, "unknown",
         "100 m³/h, not known at 10 m, 1000 rpm"),
        ({"flow_10": 90}, {"head": "10 m"}, "met", "90 m³/h at 10 m"),
        (CURVE | {"flow": 50, "head": 40}, {"head": "40 m"}, "contradicted", "50 m³/h at 40 m"),
        (CURVE | {"flow": 85, "head": 15}, {"head": "12 m"}, "met", "88 m³/h at 12 m"),
        (CURVE | {"head": 40}, {"head": "40 m"}, "unknown", "100 m³/h, not known at 40 m"),
        (FACTORS | {"flow": [90, 100]}, {"heat": "40 °C"}, "met", "72..80 m³/h (90..100 × 0.8 at 40 °C)"),
        ({"factor_40c": 0.8}, {"heat": "40 °C"}, "unknown", ""),
    ],
)  # fmt: skip
def test_what_depends_on_conditions_is_judged_there_and_says_how_it_came(
    row: Mapping[str, object], conditions: Mapping[str, str], verdict: str, has: str
) -> None:
    found = findings(row, {"flow": ">= 80 m³/h"} | dict(conditions))["flow"]
    assert (found.verdict, found.has) == (verdict, has)


def test_a_range_asks_for_its_least_favourable_place_by_the_sense_of_what_depends_on_it() -> None:
    row = {"noise": 70, "noise_slow": 60, "noise_fast": 80}
    assert findings(row, {"noise": "75 dB(A)", "speed": "1000..2000 rpm"})["noise"].has == "70 dB(A) at 2000 rpm"
    hump = {"flow": 100, "flow_10": 90, "flow_20": 95, "flow_30": 1650}
    assert findings(hump, {"flow": "80 m³/h", "head": "10..30 m"})["flow"].has == "90 m³/h at 10 m"


@pytest.mark.parametrize(
    ("row", "asked", "verdict", "has"),
    [
        (CURVE, {"flow": "80 m³/h", "head": "20 m"}, "met", "10..30 m"),
        (CURVE, {"head": "20 m"}, "met", "10..30 m"),
        (CURVE, {"flow": "80 m³/h", "head": "40 m"}, "unknown", "10..30 m"),
        ({"flow": 100}, {"flow": "80 m³/h", "head": "20 m"}, "unknown", ""),
        (CURVE | {"head": 50}, {"flow": "80 m³/h", "head": "40 m"}, "met", "50 m"),
        (CURVE | {"head": 30}, {"flow": "80 m³/h", "head": "40 m"}, "contradicted", "30 m"),
        ({"flow_slow": 60}, {"flow": "60 m³/h", "noise": "80", "speed": "1000 rpm"}, "unknown", "1000 rpm"),
    ],
)
def test_a_condition_is_met_where_all_that_is_asked_at_it_is_known_there(
    row: Mapping[str, object], asked: Mapping[str, str], verdict: str, has: str
) -> None:
    found = findings(row, asked)
    condition = found.get("head") or found["speed"]
    assert (condition.verdict, condition.has) == (verdict, has)
    if "flow" in row and "flow_10" not in row:
        assert found["flow"].has == "100 m³/h"  # as printed


def test_several_machines_are_added_up_behind_the_conditions() -> None:
    asked = {"flow": "150 m³/h", "head": "20 m"}
    assert findings(CURVE, asked, machines=2)["flow"].has == "160 m³/h at 20 m"
    warm = findings(FACTORS, {"flow": "150 m³/h", "heat": "40 °C"}, machines=3, down=1)["flow"]
    assert (warm.verdict, warm.has) == ("met", "160 m³/h (2 × 100 × 0.8 at 40 °C)")
