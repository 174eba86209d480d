"""Walks through the pages of an answer and puts them together again."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from quarry.paging.budget import ASCII_PER_TOKEN, weight
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


def joined(found: list[Answer], *, into: str, text: str | None) -> list[Any]:
    """The items of all pages; a text that pages cut is one again. Each page's own word for that is checked."""
    items: list[Any] = []
    cut = False
    for page in found:
        rest = copy.deepcopy(page[into])
        begun = page.get("first_text_from", 0)
        assert bool(begun) == cut
        if begun and text is not None:
            assert len(read(items[-1], text)) == begun
            write(items[-1], text, read(items[-1], text) + read(rest.pop(0), text))
        items += rest
        cut = page.get("last_text_cut", False)
    assert not cut
    if text is not None:
        for item in items:
            # What is not cut says so, or nothing.
            assert not _holding(item, text)[0].pop("truncated", False)
    return items


def tokens(text: str) -> int:
    return -(-weight(text) // ASCII_PER_TOKEN)


def read(item: Any, path: str) -> str:
    held, name = _holding(item, path)
    assert isinstance(held[name], str)
    return str(held[name])


def write(item: Any, path: str, text: str) -> None:
    held, name = _holding(item, path)
    held[name] = text
    if "truncated" in held:
        held["truncated"] = False


def _holding(item: Any, path: str) -> tuple[dict[str, Any], str]:
    *outer, last = path.split(".")
    for name in outer:
        item = item[name]
    return item, last
