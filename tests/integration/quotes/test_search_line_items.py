"""search_line_items, the description library, on real Postgres with real embeddings."""

import json
from typing import Any

import pytest

from local.ports import free_port
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
    deployment.put_quotes(quote("R-1"), tenant="rival")
    deployment.put_lines(line("R-1", 1, "Oilless rival compressor", category="RIVAL HEADING"), tenant="rival")
    deployment.embed()


def search(query: str, *, tenant: str = "acme", **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, {"query": query, **arguments}, tenant=tenant)
    assert "error" not in answer, answer
    return answer


def places(answer: dict[str, Any]) -> set[tuple[str, int]]:
    return {(hit["line_item"]["quote_number"], hit["line_item"]["position"]) for hit in answer["results"]}


def test_the_golden_query_finds_the_line_verbatim_with_its_source() -> None:
    answer = search("100HP oilless food grade", explain=True, full=True)
    best = answer["results"][0]
    item = best["line_item"]
    assert item["description"] == "100HP oilless food grade air compresser, Class 0."
    assert "more" not in best
    assert (item["unit_price"], item["extended_price"], answer["currency"]) == ("98500.00", "98500.00", "USD")
    assert item["catalogue_model"] == "SES100"
    assert item["quote_number"] == "Q-24-101"
    assert best["source_quote"] == {
        "customer": "Groeb Farms",
        "quote_date": "2024-03-05",
        "project": "Compressed air for a honey packing line",
        "status": "won",
    }
    assert best["legs"] == ["vector", "text"]
    assert best["confidence"] in ("likely_good", "analog")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"hp_min": 100, "hp_max": 100}, {("Q-24-101", 1)}),
        ({"cfm_min": 300, "cfm_max": 330}, {("Q-24-101", 1), ("Q-24-102", 1)}),
        ({"psi_max": 116}, {("Q-24-101", 1)}),
        ({"lubrication": "oil-flooded"}, {("Q-24-103", 1)}),
        ({"lubrication": "oil-free"}, set()),
        ({"category": "vacuum PUMP"}, {("Q-24-102", 1)}),
        ({"category": "vacuum_pump"}, {("Q-24-102", 1)}),
        ({"category": "service"}, {("Q-24-101", 2), ("Q-24-103", 3)}),
        ({"category": "Installation"}, {("Q-24-101", 2)}),
        ({"category": "compressor", "hp_max": 30}, {("Q-24-103", 1)}),
    ],
)
def test_filters_are_inclusive_hard_and_never_match_null(
    filters: dict[str, Any], expected: set[tuple[str, int]]
) -> None:
    answer = search("100HP oilless food grade compressor", **filters)
    assert places(answer) == expected
    assert answer["applied_filters"] == filters


def test_an_unknown_category_names_those_in_use() -> None:
    answer = search("compressor", category="CHILLER")
    assert answer["results"] == []
    assert answer["notice"].startswith("category=CHILLER leaves nothing: of the rest there are ")
    assert "INSTALLATION" in answer["notice"]
    assert "RIVAL" not in answer["notice"]


def test_of_many_categories_those_spelt_alike_are_named(deployment: Deployment) -> None:
    headings = [f"SPECIAL PACKAGE {number:03} WITH A LONG NAME" for number in range(300)]
    deployment.put_quotes(quote("M-1"), tenant="many")
    deployment.put_lines(
        *(line("M-1", n, "Package.", category=heading) for n, heading in enumerate(headings, start=1)), tenant="many"
    )
    answer = search("package", category="special package 123 long name", tenant="many", max_tokens=1000)
    assert "SPECIAL PACKAGE 123 WITH A LONG NAME" in answer["notice"]
    assert ", and 297 less alike." in answer["notice"]
    assert tokens(json.dumps(answer)) < 1000


@pytest.mark.parametrize("category", ["installation", "vacuum pump", "Service", "dryer"])
def test_a_category_that_exists_is_not_called_unknown_when_other_filters_exclude_it(category: str) -> None:
    answer = search("compressor", category=category, hp_min=5000)
    assert answer["results"] == []
    assert answer["notice"].startswith("hp_min=5000 leaves nothing: no row that satisfies the rest says its hp.")
    assert "category" not in answer["notice"]


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


def test_a_budget_cuts_the_long_block_and_says_so() -> None:
    answer = search("installation with stainless piping", category="INSTALLATION", full=True, max_tokens=1500)
    [hit] = answer["results"]
    text = hit["line_item"]["description"]
    assert (answer["last_text_cut"], answer.get("omitted", 0)) == (True, 0)
    assert LONG_INSTALLATION.startswith(text)
    assert 1350 < tokens(json.dumps(answer, separators=(",", ":"))) <= 1500


def test_the_rest_of_a_cut_block_follows_and_nothing_else_of_it() -> None:
    asked: dict[str, Any] = {"query": "installation with stainless piping", "category": "INSTALLATION", "full": True}
    first = search(**asked, max_tokens=1500)
    rest = search(**asked, cursor=first["next_cursor"])
    [begun], [ended] = ([hit["line_item"]["description"] for hit in page["results"]] for page in (first, rest))
    assert begun + ended == LONG_INSTALLATION
    assert (rest["first_text_from"], rest.get("next_cursor")) == (len(begun), None)


def test_a_budget_counts_the_hits_it_leaves_out() -> None:
    query = "INSTALLATION: furnish labor, stainless steel pipe, valve and dirt leg"
    whole = search(query, top_k=6, full=True)
    assert (len(whole["results"]), "omitted" in whole) == (6, False)
    assert whole["results"][0]["line_item"]["category"] == "INSTALLATION"
    short = search(query, top_k=6, full=True, max_tokens=100)
    assert (len(short["results"]), short["omitted"]) == (1, 5)
    assert short["last_text_cut"] is True


def test_a_probable_miss_is_one_line_and_whole_on_request() -> None:
    query = "100HP oilless food grade, model SES100"
    brief, full = search(query, top_k=50), search(query, top_k=50, full=True)
    missed = [hit for hit in brief["results"] if hit["confidence"] == "probable_miss"]
    assert missed
    for hit in missed:
        assert hit.keys() <= {"line_item", "fit", "score", "confidence"}
        assert hit["line_item"].keys() <= {"quote_number", "position", "category", "model"}
        assert len(json.dumps(hit)) < 300
    assert places(brief) == places(full)
    assert all(hit["line_item"]["description"] and hit["source_quote"] for hit in full["results"])


def test_what_goes_without_saying_is_said_once_or_not_at_all() -> None:
    answer = search("Freight to jobsite.", top_k=50)
    freight, *others = (hit["line_item"] for hit in answer["results"])
    assert answer["currency"] == "USD"
    assert (freight["quote_number"], freight["currency"]) == ("Q-24-103", "CAD")
    assert not {"quantity", "optional"} & freight.keys()
    assert not any("currency" in item for item in others)
    [whole] = search("Freight to jobsite.", top_k=1, full=True)["results"]
    assert (whole["line_item"]["quantity"], whole["line_item"]["optional"]) == ("1", False)


def test_more_asked_for_than_there_is_gives_what_there_is() -> None:
    assert len(search("compressor", top_k=50)["results"]) == len(LINES)


def test_nonsense_finds_nothing_and_is_no_error() -> None:
    answer = search("qqqq wwww zzzz")
    assert (answer["results"], "omitted" in answer) == ([], False)
    assert answer["notice"].startswith("Nothing here resembles it, in meaning or in words.")


def test_text_alone_answers_when_embeddings_are_down(deployment: Deployment) -> None:
    down = f"http://127.0.0.1:{free_port()}/v1"
    with deployment.serving(OPENAI_BASE_URL=down):
        answer = search("claw vacumm pump")
        nothing = invoke(handler, {"query": "gizmo"})
    assert answer["degraded"] is True
    assert answer["results"][0]["line_item"]["category"] == "VACUUM PUMP"
    assert {hit.get("score") for hit in answer["results"]} == {None}
    assert nothing["code"] == "UNAVAILABLE"


def test_another_tenants_lines_are_out_of_reach() -> None:
    assert places(search("oilless rival compressor", top_k=50)) == {
        (row["quote_number"], row["position"]) for row in LINES
    }
    assert places(search("oilless rival compressor", tenant="rival")) == {("R-1", 1)}
