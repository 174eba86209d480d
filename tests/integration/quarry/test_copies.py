"""Line items of the same words: one hit that lists the others, and never fewer rows than qualify."""

from collections.abc import Iterator
from typing import Any

import pytest

from quotes.search_line_items import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, quote

PARAGRAPH = "100 HP oilless scroll compressor, food grade air, with enclosure."


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_quotes(*(quote(f"Q{n}", quote_date=f"20{10 + n}-01-01", customer=f"C{n}") for n in range(10)))
    with deployment.serving("quarry_read"):
        yield


def put(deployment: Deployment, *texts: tuple[int, str], **fields: object) -> None:
    """Lines (number of the quote, text) and no others."""
    deployment.rows("DELETE FROM quotes.line_items")
    deployment.put_lines(*(line(f"Q{n}", 1, text, **fields) for n, text in texts))
    deployment.embed()


def found(query: str = "oilless food grade compressor", **arguments: object) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = invoke(handler, {"query": query, **arguments})["results"]
    return results


def test_the_newest_of_equal_paragraphs_stands_for_all_and_counts_the_others(deployment: Deployment) -> None:
    put(
        deployment,
        *((n, PARAGRAPH) for n in range(6)),
        (7, "Oilless dryer."),
        unit_price="98500.00",
        lubrication="oilless",
    )
    first, second = found(top_k=2)
    assert first["line_item"]["quote_number"] == "Q5"
    assert first["same_words_count"] == 5
    assert (second["line_item"]["quote_number"], "same_words_count" in second) == ("Q7", False)


def test_case_order_and_punctuation_make_no_other_words(deployment: Deployment) -> None:
    put(deployment, (1, PARAGRAPH), (2, "FOOD GRADE AIR; oilless scroll compressor 100hp  with enclosure"))
    assert found()[0]["same_words_count"] == 1


@pytest.mark.parametrize("other", ["125 HP oilless", "100 HP oil-free", "100 HP oilless water cooled"])
def test_another_number_or_word_is_another_line(deployment: Deployment, other: str) -> None:
    put(deployment, (1, PARAGRAPH), (2, PARAGRAPH.replace("100 HP oilless", other)))
    assert [hit.get("same_words_count") for hit in found()] == [None, None]
