"""The judge of the kill tests itself: what a client would take for a fine answer may not pass for one."""

from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent

from operations.golden.cases import Case
from tests.e2e.looping import Ending, judge, turn

GOLDEN = next(case for case in turn() if case.name.startswith("food-grade oilless"))
NOT_FOUND = next(case for case in turn() if case.error == "NOT_FOUND")


def reply(text: str, content: dict[str, Any] | None = None, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], structured_content=content, is_error=is_error)


@pytest.mark.parametrize(
    ("case", "answer", "ending"),
    [
        (GOLDEN, reply("{}", {"results": [], "degraded": False, "notice": None}), Ending.WRONG),
        (GOLDEN, reply("{}", {"results": [], "degraded": True, "notice": "by text only"}), Ending.WRONG),
        (GOLDEN, reply("{}", {"results": [{}], "degraded": False, "notice": None}), Ending.WRONG),
        (GOLDEN, reply("{}", {"results": [{}], "degraded": True, "notice": None}), Ending.WRONG),
        (GOLDEN, reply("{}", {"results": [{}], "degraded": True, "notice": "by text only"}), Ending.DEGRADED),
        (GOLDEN, reply("UNAVAILABLE: the database cannot be reached", is_error=True), Ending.FAILED),
        (GOLDEN, reply("UNAVAILABLE: gone", {"error": True, "code": "UNAVAILABLE"}, is_error=True), Ending.FAILED),
        (GOLDEN, reply("UNAVAILABLE: gone", {"error": True, "code": "NOT_FOUND"}, is_error=True), Ending.WRONG),
        (GOLDEN, reply("INTERNAL_ERROR: x\nTraceback (most recent call last)", is_error=True), Ending.WRONG),
        (GOLDEN, reply("connection refused", is_error=True), Ending.WRONG),
        (GOLDEN, reply("NOT_FOUND: no such line", is_error=True), Ending.WRONG),
        (NOT_FOUND, reply("UNAVAILABLE: throttled", is_error=True), Ending.FAILED),
        (NOT_FOUND, reply("{}", {"product": {}}), Ending.WRONG),
    ],
)
def test_only_correct_clear_or_declared_answers_are_no_loss(
    case: Case, answer: CallToolResult, ending: Ending
) -> None:
    assert judge(case, answer)[0] is ending
