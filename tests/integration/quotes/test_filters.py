"""The filters of search_line_items and search_past_quotes beside size and kind, on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from quotes.search_line_items import handler as search_line_items
from quotes.search_past_quotes import handler as search_past_quotes
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, product, quote

OURS = quote("Q1", customer="Harvest-Moon Dairy", salesperson="Karl Oesterle", status="won", quote_date="2022-01-10")
LOST = quote("Q2", customer="Groeb Farms", salesperson="Joe Halloran", status="lost", quote_date="2024-06-01")
NOBODYS = quote("Q3", customer="4M Industries", status="open", quote_date="2025-01-01")


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(product("VP 29", manufacturer="Atlas Copco", vacuum_inhg=29, hp=10))
    deployment.put_quotes(OURS, LOST, NOBODYS)
    deployment.put_lines(
        line("Q1", 1, "Vacuum pump.", manufacturer="Atlas Copco", model="VP 29", hp=7.5),
        line("Q2", 1, "Shallow vacuum pump.", manufacturer="Becker", model="S-24", vacuum_inhg=24),
        line("Q3", 1, "Freight.", category="FREIGHT", family="service", optional=True),
    )
    with deployment.serving("quarry_read"):
        yield


def lines(**filters: object) -> dict[str, Any]:
    answer = invoke(search_line_items, {"query": "machine", "top_k": 50, **filters})
    assert "error" not in answer, answer
    return answer


def quotes(**filters: object) -> dict[str, Any]:
    answer = invoke(search_past_quotes, {"query": "machine", "top_k": 50, **filters})
    assert "error" not in answer, answer
    return answer


def test_words_are_searched_under_a_filter_too() -> None:
    first = lines(query="shallow vacuum pump", vacuum_min=20)["results"][0]
    assert first["line_item"]["quote_number"] == "Q2"
    assert "text" in first["legs"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"vacuum_min": 24}, {"Q1", "Q2"}),
        ({"vacuum_min": 29}, {"Q1"}),
        ({"vacuum_min": 35, "units": "metric"}, {"Q1"}),
        ({"manufacturer": "atlas"}, {"Q1"}),
        ({"manufacturer": "ATLASCOPCO"}, {"Q1"}),
        ({"manufacturer": "."}, set()),
        ({"model": "vp-29"}, {"Q1"}),
        ({"model": "24"}, {"Q2"}),
        ({"model": "/"}, set()),
        ({"customer": "harvest moon"}, {"Q1"}),
        ({"customer": "farms"}, {"Q2"}),
        ({"status": "lost"}, {"Q2"}),
        ({"date_from": "2024-06-01"}, {"Q2", "Q3"}),
        ({"date_to": "2024-06-01"}, {"Q1", "Q2"}),
        ({"date_from": "2023-01-01", "status": "won"}, set()),
        ({"optional": True}, {"Q3"}),
        ({"optional": False}, {"Q1", "Q2"}),
        ({"customer": "farms", "vacuum_min": 24, "optional": False}, {"Q2"}),
    ],
)
def test_only_lines_that_say_so_or_whose_catalogue_row_does_pass(filters: dict[str, Any], expected: set[str]) -> None:
    answer = lines(**filters)
    assert {hit["line_item"]["quote_number"] for hit in answer["results"]} == expected
    assert answer["applied_filters"] == {
        name: value if isinstance(value, float | int) and not isinstance(value, bool) else str(value)
        for name, value in filters.items()
    }


@pytest.mark.parametrize(
    ("filters", "those"),
    [
        ({"manufacturer": "Sullivan"}, "Atlas Copco; Becker"),
        ({"model": "QX9"}, "S-24; VP 29"),
        ({"customer": "Nestle"}, "4M Industries; Groeb Farms; Harvest-Moon Dairy"),
        ({"vacuum_min": 29.5}, "the highest vacuum of the rest is 29 (VP 29)"),
        ({"date_from": "2026-01-01"}, "the highest date of the rest is 2025-01-01"),
        ({"status": "open", "manufacturer": "becker"}, "of the rest there are lost"),
    ],
)
def test_a_value_that_no_line_has_is_answered_with_those_there_are(filters: dict[str, Any], those: str) -> None:
    answer = lines(**filters)
    assert answer["results"] == []
    assert those in answer["notice"]


def test_a_period_that_holds_no_day_is_refused_for_lines_too() -> None:
    answer = invoke(search_line_items, {"query": "x", "date_from": "2024-05-02", "date_to": "2024-05-01"})
    assert "date_from 2024-05-02 is after date_to 2024-05-01" in answer["message"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"salesperson": "oesterle"}, {"Q1"}),
        ({"salesperson": "KARL-OESTERLE"}, {"Q1"}),
        ({"salesperson": "o"}, {"Q1", "Q2"}),
        ({"salesperson": "Oesterle", "status": "lost"}, set()),
        ({"customer": "harvest moon dairy"}, {"Q1"}),
        ({"customer": "harvestmoon"}, {"Q1"}),
    ],
)
def test_a_quote_is_filtered_by_salesperson_and_by_names_however_spelt(
    filters: dict[str, Any], expected: set[str]
) -> None:
    assert {hit["quote"]["quote_number"] for hit in quotes(**filters)["results"]} == expected


def test_a_salesperson_that_nobody_is_is_answered_with_those_there_are() -> None:
    answer = quotes(salesperson="Nobody")
    assert answer["results"] == []
    assert "Joe Halloran; Karl Oesterle" in answer["notice"]
