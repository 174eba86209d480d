"""Walks through the pages of an answer and puts them together again."""

from collections.abc import Callable, Iterator
from typing import Any

from quarry.paging.pages import ASCII_PER_TOKEN, weight
from tests.deployment import TENANT, Handler, invoke

Answer = dict[str, Any]
MOST_PAGES = 2000


def pages(
    handler: Handler, arguments: dict[str, Any], *, budgets: Callable[[], int | None], tenant: str = TENANT
) -> Iterator[Answer]:
    """Every page; each may have a budget of its own."""
    cursor = None
    for _ in range(MOST_PAGES):
        budget = budgets()
        event = {**arguments, **({"cursor": cursor} if cursor else {}), **({"max_tokens": budget} if budget else {})}
        answer = invoke(handler, event, tenant=tenant)
        assert "error" not in answer, answer
        yield answer
        cursor = answer.get("next_cursor")
        if cursor is None:
            return
    raise AssertionError("the pages never end")


def joined(found: list[Answer], *, into: str) -> list[Any]:
    """The items of all pages."""
    return [item for page in found for item in page[into]]


def tokens(text: str) -> int:
    return -(-weight(text) // ASCII_PER_TOKEN)
