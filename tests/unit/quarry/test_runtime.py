"""The outer edge of a function: what the caller gets and what the log gets."""

import json
from typing import Any

import pytest
from pydantic import Field

from quarry.contract import Args, Result, retrieval_tool
from quarry.errors import NotFound
from quarry.identity import Caller
from quarry.runtime import serve
from tests.deployment import ClientContext, Context, Handler, invoke


class WeighArgs(Args):
    item: str = Field(min_length=1, max_length=20, description="Item.")
    parts: list[str] = Field(default=[], description="Parts.")
    pounds: float = Field(default=1.0, gt=0, description="Weight.")


class WeighResult(Result):
    text: str = Field(description="Said.")


def weigh(args: WeighArgs, caller: Caller) -> WeighResult:
    if args.item == "ghost":
        raise NotFound("No item 'ghost'.", details={"nearest": ["goat"]})
    if args.item == "boulder":
        raise ZeroDivisionError("scales broke at 0xDEAD")
    return WeighResult(text=f"{args.item} of {caller.tenant}: {args.pounds:g} lb")


def handler(name: str = "weigh") -> Handler:
    return serve(retrieval_tool(name, title="Weigh", description="Weighs.", toolset="t"), WeighArgs, weigh)


def test_success_is_the_result_itself() -> None:
    assert invoke(handler(), {"item": " anvil ", "pounds": 2}) == {"text": "anvil of acme: 2 lb"}


def test_an_expected_failure_is_an_error_object() -> None:
    assert invoke(handler(), {"item": "ghost"}) == {
        "error": True,
        "code": "NOT_FOUND",
        "message": "No item 'ghost'.",
        "details": {"nearest": ["goat"]},
        "retryable": False,
    }


def test_an_unexpected_failure_raises_and_the_log_has_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError):
        invoke(handler("weigh_logged"), {"item": "boulder"})
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    failed, call = records
    assert failed["message"] == "call_failed"
    assert "scales broke at 0xDEAD" in failed["exception"]
    assert "in weigh" in failed["exception"]
    assert (call["message"], call["outcome"], call["tool"]) == ("call", "INTERNAL_ERROR", "weigh_logged")


def test_the_log_of_a_call_has_its_keys_and_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    context = Context(ClientContext({"tenant": "acme", "request_id": "r9", "tool": "weigh_quietly"}))
    handler("weigh_quietly")({"item": "secret anvil"}, context)
    line = capsys.readouterr().out
    record = json.loads(line)
    assert (record["tenant"], record["request_id"], record["outcome"]) == ("acme", "r9", "ok")
    assert record["ms"] >= 0
    assert "anvil" not in line


@pytest.mark.parametrize(
    ("event", "paths"),
    [
        ({}, ["item"]),
        ({"item": "anvil", "colour": "red"}, ["colour"]),
        ({"item": "  "}, ["item"]),
        ({"item": "anvil", "pounds": 0, "parts": ["a", 1]}, ["parts.1", "pounds"]),
        ({"item": "anvil\x00"}, ["item"]),
        ({"item": "anvil", "parts": ["a", "b\x00"]}, ["parts"]),
        ({"item": "\ud800"}, ["item"]),
        ([], ["(arguments)"]),
        (None, ["(arguments)"]),
    ],
)
def test_invalid_arguments_are_named_by_path(event: object, paths: list[str]) -> None:
    answer = invoke(handler(), event)
    assert answer["code"] == "VALIDATION_ERROR"
    assert [problem["path"] for problem in answer["details"]["problems"]] == paths
    assert all(path in answer["message"] for path in paths)


def test_a_call_meant_for_another_tool_is_refused() -> None:
    answer: dict[str, Any] = handler()({"item": "anvil"}, Context(ClientContext({"tool": "measure"})))
    assert answer["code"] == "PERMISSION_DENIED"
    assert "weigh" in answer["message"]
    assert "measure" in answer["message"]
