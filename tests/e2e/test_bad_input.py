"""Mistakes of a calling model: each answer says what to change, and none is a protocol failure or an empty list."""

import pytest

from local.stack import Stack
from tests.e2e.visits import ERAS, call, refusal, text_of

pytestmark = pytest.mark.stack


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "advice"),
    [
        ("search_equipment", {"query": "dryer", "tpo_k": 3}, "tpo_k: unknown parameter; did you mean 'top_k'?"),
        ("search_equipment", {"query": "dryer", "tenant": "other"}, "tenant: unknown parameter; "),
        ("search_equipment", {"query": "dryer", "top_k": "many"}, "top_k: Input should be a valid integer"),
        ("search_line_items", {"query": "dryer", "top_k": 0}, "top_k: Input should be greater than or equal to 1"),
        ("search_line_items", {"query": "dryer", "top_k": 201}, "top_k: Input should be less than or equal to 200"),
        (
            "search_equipment",
            {"query": "dryer", "hp_min": 100, "hp_max": 5},
            "hp_min 100 is above hp_max 5; swap them",
        ),
        ("search_line_items", {"query": "dryer", "lubrication": "dry"}, "lubrication: unknown parameter; "),
        ("search_past_quotes", {"status": "lst"}, "status: "),
        ("find_for_request", {}, "items: Field required"),
        ("find_for_request", {"items": [{"wht": "dryer"}]}, "items.0.wht: unknown parameter; did you mean 'what'?"),
        ("get_specs", {"models": []}, "models: List should have at least 1 item"),
    ],
)
def test_a_wrong_argument_is_a_tool_error_that_says_what_to_change(
    stack: Stack, tool: str, arguments: dict[str, object], advice: str, mode: str
) -> None:
    answer = call(stack.mcp, tool, arguments, mode=mode)
    assert answer.is_error
    assert answer.structured_content is None
    assert text_of(answer).startswith("VALIDATION_ERROR: ")
    assert advice in text_of(answer)


@pytest.mark.parametrize("mode", ERAS)
def test_a_misspelt_tool_is_a_protocol_error_with_the_nearest_names(stack: Stack, mode: str) -> None:
    error = refusal(stack.mcp, lambda client: client.call_tool("serch_equipment", {"query": "dryer"}), mode=mode)
    assert error.error.code == -32602
    assert error.error.message.startswith("Unknown tool 'serch_equipment'. Did you mean 'search_equipment'")
