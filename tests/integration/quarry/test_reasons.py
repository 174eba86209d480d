"""Why an answer is empty or weak, in words that say what to change."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment import search_equipment
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
    deployment.put_products(*ROWS)
    deployment.put_quotes(quote("Q1"))
    deployment.put_lines(line("Q1", 1, "Rotary screw compressor.", model="CA-50", hp=50))
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def search(query: str, **filters: object) -> tuple[list[str], str]:
    """Models and notice."""
    answer: dict[str, Any] = invoke(search_equipment.handler, {"query": query, **filters})
    return [hit["product"]["model"] for hit in answer["results"]], answer.get("notice") or ""


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"hp_min": 500}, "hp_min=500 leaves nothing: the highest hp of the rest is 75 (CA-75)."),
        ({"hp_max": 10}, "hp_max=10 leaves nothing: the lowest hp of the rest is 50 (CA-50)."),
        (
            {"hp_min": 500, "manufacturer": "Zenith"},
            "hp_min=500 leaves nothing: the highest hp of the rest is 60 (SC100).",
        ),
        ({"psi_min": 1, "family": "dryer"}, "psi_min=1 leaves nothing: no row that satisfies the rest says its psi."),
        (
            {"lubrication": "oil-free"},
            "lubrication=oil-free leaves nothing: of the rest there are oil-flooded (CA-50, CA-60); oilless (SC100).",
        ),
        ({"manufacturer": "Nobody"}, "manufacturer=Nobody leaves nothing: of the rest there are Acme; Zenith."),
    ],
)
def test_the_filter_that_empties_an_answer_is_told_with_what_there_is(filters: dict[str, Any], said: str) -> None:
    found, notice = search("compressor", **filters)
    assert found == []
    assert said in notice


def test_of_rows_as_near_to_a_bound_the_nearest_in_size_are_named() -> None:
    _, notice = search("compressor", psi_min=130, psi_max=140, cfm_min=240)
    assert "psi_min=130 leaves nothing: the highest psi of the rest is 125 (CA-60)." in notice
    _, notice = search("compressor", psi_min=130, psi_max=140, cfm_max=260)
    assert "the highest psi of the rest is 125 (CA-60, CA-50)." in notice


def test_a_bound_in_metric_units_is_answered_in_them() -> None:
    found, notice = search("compressor", hp_min=400.0, units="metric")
    assert found == []
    assert notice == "hp_min=400 leaves nothing: the highest hp of the rest is 55.9 kW (CA-75)."


def test_of_two_filters_that_each_leave_nothing_both_are_named() -> None:
    found, notice = search("compressor", hp_min=500, manufacturer="Nobody")
    assert found == []
    assert notice == (
        "No row satisfies hp_min and manufacturer, not even with one of them left out: loosen several. "
        "No row has manufacturer=Nobody: there are Acme; Zenith."
    )


def test_rows_that_a_filter_leaves_out_because_they_do_not_say_are_counted_and_named() -> None:
    found, notice = search("compressor", cfm_min=100, family="compressor")
    assert set(found) == {"CA-50", "CA-60", "SC100"}
    assert notice == "1 more left out, cfm unknown: CA-75."


def test_of_what_a_filter_leaves_out_only_the_kind_that_is_asked_for_counts() -> None:
    found, notice = search("compressor", psi_min=120)
    assert set(found) == {"CA-50", "CA-60", "CA-75"}
    assert "DR-1" not in notice


def test_where_a_filter_leaves_only_what_contradicts_the_nearest_without_it_is_named() -> None:
    found, notice = search("oilless compressor 60 hp", psi_min=120, hp_max=70)
    assert "SC100" not in found
    assert "Without the filters the nearest is SC100: lubrication oilless met;" in notice


def test_as_many_hits_as_were_asked_for_leave_nothing_to_explain() -> None:
    assert search("compressor", cfm_min=100, family="compressor", top_k=2)[1] == ""


def test_a_maker_that_is_not_here_is_said_and_its_equal_shown() -> None:
    found, notice = search("Ingersoll Rand 60 hp compressor")
    assert found
    assert "Ingersoll Rand is not among the makers here: what is shown is at most its equal." in notice


def test_several_of_a_model_are_offered_where_one_is_too_small() -> None:
    _, notice = search("oil flooded compressor for 480 cfm")
    assert any(said in notice for said in ("2 × CA-60 = 500 cfm would do.", "3 × CA-50 = 600 cfm would do."))


def test_a_number_in_a_name_that_is_not_the_power_is_pointed_out() -> None:
    _, notice = search("100 hp oilless compressor")
    assert "SC100 is 60 HP, whatever the number in the name." in notice


def test_what_comes_nearest_is_named_with_what_it_lacks() -> None:
    found, notice = search("oilless compressor, 60 hp, 200 psi")
    assert found[0] == "SC100"
    assert "Nothing meets all of it; nearest is " in notice
    assert "psi" in notice


def test_a_request_that_is_met_needs_no_word() -> None:
    assert search("60 hp oilless compressor")[1] == ""


def test_words_that_were_not_understood_are_told_where_nothing_is_right() -> None:
    _, notice = search("frobnicated compressor of 900 hp")
    assert "Not understood: frobnicated." in notice


def test_a_line_is_named_by_its_quote_and_position() -> None:
    notice = invoke(search_line_items.handler, {"query": "75 hp compressor"})["notice"]
    assert "nearest is Q1/1" in notice
