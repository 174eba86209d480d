"""search_line_items, the description library, on real Postgres with real embeddings."""

from typing import Any

import pytest

from quotes.search_line_items import handler
from tests.deployment import Deployment, invoke
from tests.pages import tokens
from tests.sample_rows import LINES, LONG_INSTALLATION, PRODUCTS, QUOTES, line, quote

pytestmark = pytest.mark.usefixtures("reading")


@pytest.fixture(scope="module", autouse=True)
def library(deployment: Deployment) -> None:
    deployment.put_products(*PRODUCTS)
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(*LINES)
    deployment.embed()


def search(query: str, *, tenant: str = "acme", **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, {"query": query, **arguments}, tenant=tenant)
    assert "error" not in answer, answer
    return answer


def places(answer: dict[str, Any]) -> set[tuple[str, int]]:
    return {(hit["line_item"]["quote_number"], hit["line_item"]["position"]) for hit in answer["results"]}


def test_a_long_installation_block_comes_as_its_best_passage_and_whole_on_request() -> None:
    assert tokens(LONG_INSTALLATION) > 2000
    [hit] = search("installation with stainless piping", category="INSTALLATION")["results"]
    assert hit["line_item"]["description"] in LONG_INSTALLATION
    assert 200 < len(hit["line_item"]["description"]) <= 600
    assert (hit["more"], hit["line_item"]["quote_number"], hit["line_item"]["position"]) == (
        "get_quote",
        "Q-24-101",
        2,
    )
    [whole] = search("installation with stainless piping", category="INSTALLATION", full=True)["results"]
    assert whole["line_item"]["description"] == LONG_INSTALLATION
    assert "more" not in whole


def test_words_as_a_column_are_the_part_that_answers_with_the_best_hit_beside_them() -> None:
    answer = search("stainless piping", columns=["description"])
    assert len(answer["results"]) == 1
    cells = [row[answer["columns"].index("description")] for row in answer["rows"]]
    assert len(cells) > 1
    cut = [cell for cell in cells if cell.endswith("…")]
    assert all(cell[:-1] in LONG_INSTALLATION for cell in cut)
    assert cut
    assert sum(map(len, cells)) <= 4_100


def test_why_a_line_was_priced_so_is_found_by_its_words_and_filtered() -> None:
    [first, *_] = search("less 8%")["rows"]
    assert first[0] == "Q-24-101/1"
    asked = [{"attribute": "price_note", "is": "list less"}]
    answer = invoke(handler, {"filters": asked, "columns": ["price_note"]})
    assert [row[answer["columns"].index("price_note")] for row in answer["rows"]] == ["List less 8%."]


def test_words_of_why_a_line_was_priced_so_are_not_said_to_be_nowhere(deployment: Deployment) -> None:
    deployment.put_quotes(quote("N-1"), tenant="notes")
    noted = line("N-1", 1, "Screw.", price_note="Muddy harbour, νερό με άμμο")
    deployment.put_lines(noted, line("N-1", 2, "Dryer."), tenant="notes")
    for query in ("muddy harbour", "νερό με άμμο"):
        answer = search(query, tenant="notes")
        assert answer["rows"][0][0] == "N-1/1"
        assert not {"unread", "notice"} & answer.keys()


def test_nonsense_finds_nothing_and_is_no_error() -> None:
    answer = search("qqqq wwww zzzz")
    assert (answer["results"], "omitted" in answer) == ([], False)
    assert answer["notice"].startswith("Nothing here resembles it, in meaning or in words.")
