"""search_past_quotes on real Postgres with real embeddings."""

from typing import Any

import pytest

from quotes.search_past_quotes import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import QUOTES

pytestmark = pytest.mark.usefixtures("reading")


@pytest.fixture(scope="module", autouse=True)
def archive(deployment: Deployment) -> None:
    deployment.put_quotes(*QUOTES)
    deployment.embed()


def search(query: str, **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, {"query": query, **arguments})
    assert "error" not in answer, answer
    return answer


@pytest.mark.parametrize("query", ["Henry Ford", "Q-24-102", "hospital vacuum"])
def test_a_quote_is_found_by_customer_number_and_subject(query: str) -> None:
    assert search(query)["results"][0]["quote"]["quote_number"] == "Q-24-102"


def test_more_asked_for_than_there_is_gives_what_there_is() -> None:
    found = search("compressed air", top_k=50)["results"]
    assert {hit["quote"]["quote_number"] for hit in found} == {row["quote_number"] for row in QUOTES}


def numbers(**filters: object) -> set[str]:
    """Of all quotes that the filters let through, whatever the words."""
    found = search("compressed air", top_k=50, **filters)["results"]
    return {hit["quote"]["quote_number"] for hit in found}


def test_an_unknown_industry_matches_no_filter() -> None:
    assert "Q-24-103" not in {number for word in ("food", "health", "a", "e") for number in numbers(industry=word)}


@pytest.mark.parametrize("day", ["yesterday", "05/01/2024", "2024-13-01", "2024-05-01T10:00:00"])
def test_what_is_no_date_is_refused_with_one_that_is(day: str) -> None:
    answer = invoke(handler, {"query": "air", "date_from": day})
    assert answer["message"] == "Invalid arguments. date_from: must be a date such as 2026-11-30"


def test_dates_in_the_wrong_order_are_refused() -> None:
    answer = invoke(handler, {"query": "air", "date_from": "2024-05-02", "date_to": "2024-05-01"})
    assert answer["code"] == "VALIDATION_ERROR"
    assert "date_from 2024-05-02 is after date_to 2024-05-01" in answer["message"]
