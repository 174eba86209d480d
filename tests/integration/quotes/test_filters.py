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
