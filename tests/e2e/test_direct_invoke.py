"""The functions as boto3 and AgentCore Gateway call them, past the proxy."""

import pytest

from local.stack import Stack
from tests.e2e.test_tools import agentcore
from tests.e2e.visits import invoke

pytestmark = pytest.mark.stack


def test_the_default_tenant_is_used_without_a_context_and_others_see_none_of_it(stack: Stack) -> None:
    assert invoke(stack, "get_product", {"model": "QMB30"})["product"]["model"] == "QMB30"
    elsewhere = invoke(stack, "get_product", {"model": "QMB30"}, custom={"tenant": "nobody-here"})
    assert (elsewhere["error"], elsewhere["code"]) == (True, "NOT_FOUND")
    assert "QMB30" not in elsewhere["message"].removeprefix("No product 'QMB30'")
    found = invoke(stack, "search_line_items", {"query": "oilless compressor"}, custom={"tenant": "nobody-here"})
    assert (found["results"], found["rows"]) == ([], [])


@pytest.mark.parametrize("name", ["tenant", "subject", "scopes"])
def test_identity_among_the_arguments_is_refused(stack: Stack, name: str) -> None:
    answer = invoke(stack, "search_equipment", {"query": "dryer", name: "other"})
    assert (answer["error"], answer["code"], answer["retryable"]) == (True, "VALIDATION_ERROR", False)
    assert name in answer["message"]


@pytest.mark.parametrize("custom", [{"tool": "get_quote"}, agentcore("get_quote")], ids=["proxy", "AgentCore"])
def test_a_call_meant_for_another_tool_is_refused(stack: Stack, custom: dict[str, object]) -> None:
    answer = invoke(stack, "get_product", {"model": "QMB30"}, custom=custom)
    assert (answer["error"], answer["code"]) == (True, "PERMISSION_DENIED")


@pytest.mark.parametrize("event", [[], "QMB30", None, {"arguments": {"model": "QMB30"}}], ids=repr)
def test_an_event_that_is_not_the_bare_arguments_is_a_clear_error(stack: Stack, event: object) -> None:
    answer = invoke(stack, "get_product", event)
    assert (answer["error"], answer["code"]) == (True, "VALIDATION_ERROR")
