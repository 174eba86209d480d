"""kxhub:// resources: read and completed by their function."""

from collections.abc import Iterator

import pytest

from highlights import resources
from highlights.resources import handler
from tests.deployment import Deployment, invoke
from tests.integration.highlights.library import highlight, load

CHUNK = "kxhub://chunk/{chunk_id}"
BY_TAG = "kxhub://chunks/by-tag/{tag}"


@pytest.fixture(scope="module", autouse=True)
def library(deployment: Deployment) -> Iterator[None]:
    load(deployment)
    odd = highlight("odd/1", "Odd names.", parent_doc_id="o", author="Ö/Å & Søn, 50%", tags=["a/b?c", "50%_"])
    load(deployment, [odd], tenant="odd")
    load(deployment, [highlight(f"r{n:04}", f"Line {n}.") for n in range(150)], tenant="many")
    with deployment.serving("quarry_read"):
        yield


def text(uri: str, *, tenant: str = "acme") -> str:
    answer = invoke(handler, {"uri": uri}, tenant=tenant)
    assert "error" not in answer, answer
    [content] = answer["contents"]
    assert (content["uri"], content["mimeType"]) == (uri, "text/markdown")
    return str(content["text"])


def complete(template: str, variable: str, prefix: str) -> list[str]:
    question = {"uriTemplate": template, "variable": variable, "prefix": prefix}
    values: list[str] = invoke(handler, {"complete": question})["values"]
    return values


def test_a_chunk_is_markdown_with_its_facts_text_and_neighbours() -> None:
    assert text("kxhub://chunk/sw.2") == (
        "# Still Water\n\n- **Author:** Ann Poole\n- **Source:** kindle\n- **Tags:** Memory\n- **Chunk:** 2 of 2\n"
        "- **Marked:** 2024-01-02\n- **Id:** `sw.2`\n- **Before:** kxhub://chunk/sw.1\n\n---\n\n"
        "Ripples are the memory of a stone.\n"
    )
    assert "**After:** kxhub://chunk/canals~2" in text("kxhub://chunk/canals~1")


@pytest.mark.parametrize("uri", ["kxhub://chunks/by-author/Ann%20Poole", "kxhub://chunks/by-author/ann%20pOOLE"])
def test_by_author_holds_all_of_the_authors_chunks_newest_first(uri: str) -> None:
    body = text(uri)
    assert body.startswith("# Chunks by author: Ann Poole\n\n5 chunks, newest first.\n")
    order = [body.index(chunk_id) for chunk_id in ("canals~2", "canals~0", "chunk/sw.2", "chunk/sw.1")]
    assert order == sorted(order)
    assert "Bread" not in body


def test_by_source_and_by_tag_hold_theirs_alone() -> None:
    assert text("kxhub://chunks/by-source/readwise").count("\n## ") == 2
    assert text("kxhub://chunks/by-tag/patience").startswith("# Chunks by tag: patience\n\n1 chunk, newest first.")


def test_names_with_slashes_percents_and_accents_go_through_their_uris() -> None:
    by_author, by_tag = (resources.BY_FACET[facet] for facet in ("author", "tag"))
    uri = by_author.expand(author="Ö/Å & Søn, 50%")
    assert uri == "kxhub://chunks/by-author/%C3%96%2F%C3%85%20%26%20S%C3%B8n%2C%2050%25"
    for each in (uri, by_tag.expand(tag="a/b?c"), by_tag.expand(tag="50%_"), "kxhub://chunk/odd%2F1"):
        assert "Odd names." in text(each, tenant="odd")


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        ("kxhub://chunks/by-author/Anne%20Pool", "Nearest: Ann Poole."),
        ("kxhub://chunks/by-tag/qqqqqq", "get_stats"),
        ("kxhub://chunk/nope", "search_semantic"),
        ("kxhub://chunk/%00", "No resource"),
        ("kxhub://chunk/a/b", "No resource"),
        ("kxhub://chunks/by-colour/red", "No resource"),
    ],
)
def test_what_is_not_there_is_not_found_with_a_hint(uri: str, hint: str) -> None:
    answer = invoke(handler, {"uri": uri})
    assert answer["code"] == "NOT_FOUND"
    assert hint in answer["message"]


def test_a_collection_that_is_too_long_says_how_many_it_left_out() -> None:
    body = text("kxhub://chunks/by-source/kindle", tenant="many")
    assert body.count("\n## ") == 100
    assert "Left out: the 50 oldest." in body


def test_completion_comes_from_live_data() -> None:
    assert complete(BY_TAG, "tag", "") == ["nature", "engineering", "food", "Memory", "patience"]
    assert complete(BY_TAG, "tag", "E") == ["engineering", "nature", "Memory", "patience"]
    assert complete(BY_TAG, "tag", "%") == []
    assert complete("kxhub://chunks/by-author/{author}", "author", "l") == ["Ann Poole", "Bo Lind"]
    assert complete("kxhub://chunks/by-source/{source}", "source", "re") == ["readwise"]
    assert complete(CHUNK, "chunk_id", "canals") == ["canals~0", "canals~1", "canals~2"]


def test_every_template_completes_its_variables() -> None:
    for template in resources.RESOURCES:
        assert set(template.complete) == set(template.variables)
