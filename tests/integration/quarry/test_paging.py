"""Pages of every tool that can return much, on real Postgres: together they are the whole answer."""

import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from highlights.ingestion import HIGHLIGHTS, NUMBER
from knowledge.ingestion import DOCUMENTS
from stories.ingestion import STORIES
from tests.deployment import TENANT, Deployment, Handler, as_tenant, invoke
from tests.integration.highlights.library import LIBRARY, highlight
from tests.pages import joined, pages, tokens
from tests.sample_rows import LINES, LONG_INSTALLATION, PRODUCTS, QUOTES, line, product, quote

LONG = " ".join(f"Sentence {number} about pumps, “pressure” and piping." for number in range(250))
STORY = {"section": "Pumps", "actor": "owner", "status": "live", "entity_slugs": ["pump", "valve"]}

# (tool, arguments, where the items are)
CALLS: list[tuple[str, dict[str, Any], str]] = [
    (
        "equipment.search_equipment",
        {"query": "compressor", "top_k": 50},
        "rows",
    ),
    ("equipment.search_equipment", {"query": "pump", "hp_min": 1, "columns": ["cfm"]}, "rows"),
    ("equipment.get_specs", {"models": ["LONG-1", "AX5", "QMB30", "nope"]}, "products"),
    (
        "quotes.search_line_items",
        {"query": "installation", "top_k": 50},
        "rows",
    ),
    ("quotes.search_past_quotes", {"query": "compressed air", "top_k": 9}, "rows"),
    ("quotes.get_quote", {"quote_id": "Q-24-101"}, "line_items"),
    ("quotes.get_quote", {"quote_id": "Q-24-103"}, "line_items"),
    (
        "quotes.find_for_request",
        {"items": [{"what": what} for what in ("30 HP compressor", "vacuum pump", "installation", "blower")]},
        "items",
    ),
    ("knowledge.search", {"query": "pumps", "top_k": 20}, "results"),
    ("knowledge.list_documents", {"limit": 3}, "documents"),
    ("highlights.search_semantic", {"query": "water", "limit": 30}, "results"),
    ("highlights.search_by_metadata", {"limit": 4}, "results"),
    ("highlights.search_by_metadata", {"tags": ["nature"], "limit": 2}, "results"),
    ("highlights.get_related_chunks", {"chunk_id": "sw.1", "limit": 20}, "results"),
    ("stories.query_stories", {"limit": 3}, "stories"),
    ("stories.query_stories", {"group_by": "entity_slug", "limit": 2}, "groups"),
    ("stories.find_related", {"context": "pump and valve", "scope": "stories", "limit": 20}, "stories"),
    ("stories.find_related", {"context": "pump and valve", "limit": 20}, "areas"),
    ("stories.find_crossover", {"section_key": "pumps", "limit": 20}, "sections"),
]


@pytest.fixture(scope="module", autouse=True)
def everything(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS, product("LONG-1", hp=7, description=LONG))
    deployment.put_quotes(*QUOTES, quote("Q-24-199", summary=f"Compressed air. {LONG}"))
    deployment.put_lines(*LINES, line("Q-24-101", 3, f"Second installation: {LONG_INSTALLATION}"))
    documents = [
        {"doc_id": number, "content": f"Pumps, part {number}. {LONG[: number * 500]}"} for number in range(9)
    ]
    deployment.put(DOCUMENTS, documents)
    stamps = [
        highlight(f"same.{n}", f"Water again, {n}.", created_at="2024-05-01T00:00:00.000001Z") for n in range(5)
    ]
    deployment.put(HIGHLIGHTS, [*LIBRARY, *stamps])
    deployment.put(STORIES, [story(number) for number in range(12)])
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, TENANT):
        connection.execute(NUMBER, {"tenant": TENANT})
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def story(number: int) -> dict[str, object]:
    return {
        **STORY,
        "section": f"Section {number % 4}" if number % 4 else "Pumps",
        "story_key": f"S-{number:02}",
        "title": f"Pump story {number}",
        "narrative": f"As an owner I want pump {number} to have a valve. {LONG[: number * 400]}",
        "entity_slugs": ["pump", f"slug-{number}", f"slug-{number % 3}"],
    }


def handler_of(tool: str) -> Handler:
    handler: Handler = importlib.import_module(tool).handler
    return handler


@pytest.mark.parametrize(("tool", "arguments", "into"), CALLS, ids=[f"{call[0]}-{n}" for n, call in enumerate(CALLS)])
def test_pages_within_any_budget_are_together_what_comes_without_one(
    tool: str, arguments: dict[str, Any], into: str
) -> None:
    def walked(budget: int | None) -> list[Any]:
        return joined(list(pages(handler_of(tool), arguments, budgets=lambda: budget)), into=into)

    whole = walked(1_000_000 if tool.endswith("get_quote") else None)
    assert whole
    assert walked(400) == whole


def test_results_of_full_come_on_the_pages_of_their_rows_within_the_budget() -> None:
    search, event = handler_of("equipment.search_equipment"), {"query": "compressor", "top_k": 50, "full": True}
    found = list(pages(search, event, budgets=lambda: 600))
    assert len(found) > 2
    assert all(len(page["rows"]) == len(page["results"]) for page in found)
    assert all(len(page["rows"]) == 1 or tokens(json.dumps(page)) <= 600 for page in found)
    assert [hit["product"]["model"] for hit in joined(found, into="results")] == [
        hit["product"]["model"] for hit in invoke(search, event)["results"]
    ]


def test_the_same_cursor_twice_gives_the_same_page() -> None:
    search = handler_of("quotes.search_line_items")
    event = {"query": "installation", "max_tokens": 900}
    cursor = invoke(search, event)["next_cursor"]
    assert invoke(search, {**event, "cursor": cursor}) == invoke(search, {**event, "cursor": cursor})
