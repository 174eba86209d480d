"""Pages as a client of either era walks through them."""

from typing import Any

import pytest

from local.stack import Stack
from tests.e2e.visits import ERAS, call, structured, text_of

pytestmark = pytest.mark.stack

CALL = ("search_line_items", {"query": "installation with stainless piping", "top_k": 60})


def ids(answer: dict[str, Any]) -> list[str]:
    return [row[0] for row in answer["rows"]]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.slow
def test_a_client_reads_a_long_answer_page_by_page(stack: Stack, mode: str) -> None:
    tool, arguments = CALL
    whole = structured(call(stack.mcp, tool, arguments, mode=mode))
    page = structured(call(stack.mcp, tool, {**arguments, "max_tokens": 1500}, mode=mode))
    seen = ids(page)
    assert 0 < len(seen) < len(ids(whole))
    while "next_cursor" in page:
        again = {**arguments, "max_tokens": 1500, "cursor": page["next_cursor"]}
        page = structured(call(stack.mcp, tool, again, mode=mode))
        seen += ids(page)
    assert seen == ids(whole)


@pytest.mark.parametrize("mode", ERAS)
def test_a_cursor_of_another_question_is_refused_with_what_to_do(stack: Stack, mode: str) -> None:
    tool, arguments = CALL
    page = structured(call(stack.mcp, tool, {**arguments, "max_tokens": 1500}, mode=mode))
    other = {**arguments, "query": "dryer", "cursor": page["next_cursor"]}
    answer = call(stack.mcp, tool, other, mode=mode)
    assert answer.is_error
    assert text_of(answer).startswith("VALIDATION_ERROR: cursor: it continues another call.")
