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


def test_of_what_a_filter_leaves_out_only_the_kind_that_is_asked_for_counts() -> None:
    found, notice = search("compressor", psi_min=120)
    assert set(found) == {"CA-50", "CA-60", "CA-75"}
    assert "DR-1" not in notice


def test_as_many_hits_as_were_asked_for_leave_nothing_to_explain() -> None:
    assert search("compressor", cfm_min=100, family="compressor", top_k=2)[1] == ""


def test_a_request_that_is_met_needs_no_word() -> None:
    assert search("60 hp oilless compressor")[1] == ""


def test_a_line_is_named_by_its_quote_and_position() -> None:
    notice = invoke(search_line_items.handler, {"query": "75 hp compressor"})["notice"]
    assert "nearest is Q1/1" in notice
