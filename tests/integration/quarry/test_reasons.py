"""Why an answer is empty or weak, in words that say what to change."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment import search_equipment
from quarry.attributes.model import Attribute, Attributes
from quarry.needs.model import Choice, Need
from quarry.retrieval.reasons import nobody_has
from quotes import search_line_items
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, product, quote

ROWS = (
    product("CA-50", hp=50, cfm=200, psi=125, lubrication="oil-flooded"),
    product("CA-60", hp=60, cfm=250, psi=125, lubrication="oil-flooded"),
    product("CA-75", hp=75, cfm=None, psi=150),
    product("SC100", manufacturer="Zenith", hp=60, cfm=240, psi=110, lubrication="oilless"),
    product("DR-1", category="DRYER", family="dryer", cfm=300, description="Refrigerated dryer."),
)


@pytest.fixture(scope="module", autouse=True)
def catalogue(deployment: Deployment) -> Iterator[None]:
    deployment.declare(
        {"name": "tank", "kind": "number", "unit": "l", "families": ["compressor"]}, families=["compressor"]
    )
    deployment.put_products(*ROWS)
    deployment.put_quotes(quote("Q1"))
    deployment.put_lines(line("Q1", 1, "Rotary screw compressor.", model="CA-50", hp=50))
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def asked(**wanted: str) -> list[dict[str, str]]:
    """Rows of needs or of filters."""
    return [{"attribute": name, "is": value} for name, value in wanted.items()]


def search(**arguments: object) -> tuple[set[str], str]:
    """Models and notice."""
    answer: dict[str, Any] = invoke(search_equipment.handler, arguments)
    assert "error" not in answer, answer
    return {row[0] for row in answer["rows"]}, answer.get("notice") or ""


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"hp": ">= 500"}, "No row satisfies the filter; alone they leave: hp >= 500 0."),
        (
            {"hp": ">= 60", "psi": ">= 125", "manufacturer": "Zenith"},
            "No row satisfies all filters; alone they leave: hp >= 60 3, psi >= 125 3, manufacturer Zenith 1.",
        ),
    ],
)
def test_filters_that_leave_nothing_are_told_with_what_each_leaves_alone(filters: dict[str, str], said: str) -> None:
    assert search(query="compressor", filters=asked(**filters)) == (set(), said)


@pytest.mark.parametrize("where", ["filters", "needs"])
def test_a_value_that_nobody_has_is_told_with_the_nearest(where: str) -> None:
    _, notice = search(query="compressor", **{where: asked(lubrication="oillest")})
    assert "Nobody here has lubrication 'oillest'; nearest: oilless" in notice
    _, notice = search(query="compressor", **{where: asked(manufacturer="Ingersoll")})
    assert "Nobody here has manufacturer 'Ingersoll'" in notice


def test_the_nearest_figures_are_those_that_differ_least() -> None:
    volts = Attributes({}, listed={"volts": frozenset(("115 V", "400 V", "460 V", "575 Hz"))})
    asked = Need(Attribute("volts"), (Choice(value="575 V"),), "575 V")
    assert [*nobody_has([asked], volts, tenant="acme")] == [
        "Nobody here has volts '575 V'; nearest: 460 V, 400 V, 115 V."
    ]


def test_a_value_that_holds_what_is_asked_for_as_a_part_is_the_nearest() -> None:
    volts = Attributes({}, listed={"volts": frozenset(("230V", "3x400V", "1400V"))})
    asked = Need(Attribute("volts"), (Choice(value="400V"),), "400V")
    assert [*nobody_has([asked], volts, tenant="acme")] == [
        "Nobody here has volts '400V'; nearest: 3x400V, 230V, 1400V."
    ]


def test_a_row_that_does_not_say_satisfies_no_filter_and_no_need_forbids_it() -> None:
    found, notice = search(query="compressor", filters=asked(cfm=">= 100", family="compressor"))
    assert (found, notice) == ({"CA-50", "CA-60", "SC100"}, "")
    assert "CA-75" in search(needs=asked(cfm=">= 100", family="compressor"))[0]


def test_what_comes_nearest_is_named_with_what_it_misses_and_how_many_would_do() -> None:
    found, notice = search(
        query="compressor", needs=asked(family="compressor", cfm=">= 480"), filters=asked(lubrication="oil-flooded")
    )
    assert "CA-60" in found
    assert "Nothing meets all of it; nearest is CA-60: cfm 250" in notice
    assert "2 of it together would meet it." in notice


def test_what_the_nearest_does_not_state_is_told() -> None:
    _, notice = search(query="dryer", needs=asked(tank=">= 25 l"), filters=asked(family="dryer"))
    assert notice == "Nothing meets all of it; nearest is DR-1: tank not stated."


def test_a_few_that_together_do_what_hardly_one_does_are_told_beside_it() -> None:
    needs = asked(family="compressor", cfm=">= 245", psi=">= 105")
    notice = search(needs=needs)[1]
    assert notice == "Several together do, too: 2 × SC100, 2 × CA-50."
    lubricated = [*needs, {"attribute": "lubrication", "is": "oil-flooded"}]
    assert search(needs=lubricated)[1] == "Several together do, too: 2 × CA-50."


def test_a_line_is_named_by_its_quote_and_position() -> None:
    answer = invoke(search_line_items.handler, {"query": "compressor", "needs": asked(hp=">= 100")})
    assert "nearest is Q1/1: hp 50" in answer["notice"]


def test_a_request_that_is_met_needs_no_word() -> None:
    assert search(needs=asked(family="compressor", hp="60", lubrication="oilless"))[1] == ""
