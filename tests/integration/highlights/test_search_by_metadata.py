"""search_by_metadata on real Postgres."""

from typing import Any

import pytest

from highlights.search_by_metadata import handler
from tests.deployment import Deployment, invoke
from tests.integration.highlights.library import CHUNKS, highlight, load

pytestmark = pytest.mark.usefixtures("reading")


@pytest.fixture(scope="module", autouse=True)
def library(deployment: Deployment) -> None:
    load(deployment)
    load(deployment, [highlight("rival.1", "A pond of the rival's.")], tenant="rival")


def ids(**arguments: object) -> list[str]:
    answer = invoke(handler, arguments)
    assert "error" not in answer, answer
    assert answer["result_count"] == len(answer["results"])
    return [hit["chunk_id"] for hit in answer["results"]]


def test_without_filters_all_come_newest_first() -> None:
    assert ids(limit=100) == ["canals~2", "canals~1", "canals~0", "of.2", "of.1", "sw.2", "sw.1", "anon~0"]
    assert len(ids(limit=100)) == CHUNKS


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"author": "ANN POOLE", "source": "kindle"}, ["sw.2", "sw.1"]),
        ({"tags": ["patience", "MEMORY"]}, ["of.1", "sw.2"]),
        ({"source": "Readwise"}, ["of.2", "of.1"]),
        ({"tags": ["food"], "author": "Ann Poole"}, []),
        ({"author": "Ann"}, []),
    ],
)
def test_every_filter_holds_and_any_tag_is_enough(filters: dict[str, Any], expected: list[str]) -> None:
    assert ids(**filters) == expected


SPELLINGS = (
    ("Jürgen Weiß", "WEISS, Jurgen", "Weiß,  Jürgen"),
    ("J.R.R. Tolkien", "Tolkien, J. R. R.", "j r r tolkien"),
    ("Søren Łęcki", "Soren Lecki"),
    ("Ann Poole, Bo Lind",),
    ("Sammy Davis, Jr.", "sammy davis, jr"),
)


def test_an_author_is_one_under_all_spellings(deployment: Deployment) -> None:
    every = [(f"{who}.{n}", name) for who, names in enumerate(SPELLINGS) for n, name in enumerate(names)]
    load(deployment, [highlight(id_, "Text.", author=name) for id_, name in every], tenant="spelt")
    for who, names in enumerate(SPELLINGS):
        for name in names:
            found = invoke(handler, {"author": name, "limit": 50}, tenant="spelt")["results"]
            assert {hit["chunk_id"] for hit in found} == {f"{who}.{n}" for n in range(len(names))}, name
    authors = deployment.rows("SELECT chunks FROM highlights.facets WHERE facet = 'author'", tenant="spelt")
    assert sorted(row["chunks"] for row in authors) == [1, 2, 2, 3, 3]
    assert deployment.rows("SELECT authors FROM highlights.statistics", tenant="spelt") == [{"authors": 5}]


def test_a_list_that_is_cut_off_says_so() -> None:
    assert invoke(handler, {"limit": 7})["more"] is True
    assert invoke(handler, {"limit": 8})["more"] is False


def test_the_next_page_goes_on_with_rank_and_order() -> None:
    first = invoke(handler, {"limit": 3})
    second = invoke(handler, {"limit": 100, "cursor": first["next_cursor"]})
    found = [*first["results"], *second["results"]]
    assert [hit["rank"] for hit in found] == list(range(1, CHUNKS + 1))
    assert [hit["chunk_id"] for hit in found] == ids(limit=100)
    assert (first["result_count"], second["result_count"], second["more"]) == (3, CHUNKS - 3, False)


def test_filters_that_hold_apart_but_not_together_need_no_notice() -> None:
    answer = invoke(handler, {"tags": ["food"], "author": "Ann Poole"})
    assert (answer["results"], answer["notice"]) == ([], None)
    assert "Nearest: Bo Lind" in invoke(handler, {"author": "Bo Lynd"})["notice"]


def test_the_places_of_highlights_follow_their_dates() -> None:
    hits = invoke(handler, {"author": "Bo Lind"})["results"]
    assert [(hit["chunk_id"], hit["chunk_index"], hit["total_chunks"]) for hit in hits] == [
        ("of.2", 1, 2),
        ("of.1", 0, 2),
    ]
