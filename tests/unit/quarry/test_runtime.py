"""The outer edge of a function: what the caller gets and what the log gets."""

import json
from contextlib import suppress
from typing import Any

import pytest
from pydantic import Field

from quarry.money import Currency
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.errors import NotFound
from quarry.tool.identity import Caller
from quarry.tool.runtime import CallFailed, operate, serve
from tests.deployment import ClientContext, Context, Handler, fresh_environment, invoke


class Wrap(Args):
    """Within arguments."""

    paper: str = Field(description="Paper.")


class WeighArgs(Args):
    item: str = Field(min_length=1, max_length=20, description="Item.")
    parts: list[str] = Field(default=[], description="Parts.")
    pounds: float = Field(default=1.0, gt=0, description="Weight.")
    wraps: list[Wrap] | None = Field(default=None, description="Wraps.")
    money: Currency | None = Field(default=None, description="Currency.")


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


def test_of_an_unexpected_failure_the_log_has_kind_and_place_and_nobody_its_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(CallFailed, match=r"\Aweigh_logged failed; request id aws-request\.\Z") as raised:
        invoke(handler("weigh_logged"), {"item": "boulder"})
    assert raised.value.__suppress_context__
    said = capsys.readouterr().out
    failed, call = [json.loads(line) for line in said.splitlines()]
    assert failed["message"] == "call_failed"
    assert failed["errors"][0]["type"] == "builtins.ZeroDivisionError"
    assert failed["errors"][0]["frames"][-1].endswith(" weigh")
    assert "scales broke" not in said
    assert (call["message"], call["outcome"], call["tool"]) == ("call", "INTERNAL_ERROR", "weigh_logged")


def test_the_text_of_an_unexpected_failure_is_in_the_log_on_demand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "DEBUG")
    with fresh_environment(), pytest.raises(CallFailed):
        invoke(handler("weigh_aloud"), {"item": "boulder"})
    assert "scales broke at 0xDEAD" in capsys.readouterr().out


def test_the_log_of_a_call_has_its_keys_and_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    context = Context(
        ClientContext({"tenant": "acme", "request_id": "r9", "tool": "weigh_quietly", "scopes": ["t:read"]})
    )
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
        ({"item": "anvil", "a\u202eb\x1bc\x85d": 1}, ["ab c d"]),
        ([], ["(arguments)"]),
        (None, ["(arguments)"]),
    ],
)
def test_invalid_arguments_are_named_by_path(event: object, paths: list[str]) -> None:
    answer = invoke(handler(), event)
    assert answer["code"] == "VALIDATION_ERROR"
    assert [problem["path"] for problem in answer["details"]["problems"]] == paths
    assert all(path in answer["message"] for path in paths)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"item": "anvil", "ponds": 1}, "ponds: unknown parameter; did you mean 'pounds'?"),
        ({"item": "anvil", "zzz": 1}, "zzz: unknown parameter; known are item, parts, pounds, wraps, money"),
        (
            {"item": "anvil", "wraps": [{"paper": "a", "papers": "b"}]},
            "wraps.0.papers: unknown parameter; did you mean 'paper'?",
        ),
        ({"item": "anvil", "wraps": ["brown"]}, "wraps.0: must be an object with paper"),
        ({"item": "anvil", "money": "dollars"}, "money: is no currency: write its three letters, such as EUR"),
    ],
)
def test_an_unknown_argument_is_told_with_what_was_meant(event: object, said: str) -> None:
    assert invoke(handler(), event)["message"] == f"Invalid arguments. {said}"


def test_a_flood_of_problems_is_counted_and_a_long_name_cut() -> None:
    answer = invoke(handler(), {"item": "anvil", **{f"{n}{'x' * 5000}": 1 for n in range(40)}})
    assert len(answer["details"]["problems"]) == 8
    assert answer["message"].endswith("; 32 more problems")
    assert len(answer["message"]) < 2000


def test_a_call_meant_for_another_tool_is_refused() -> None:
    answer: dict[str, Any] = handler()({"item": "anvil"}, Context(ClientContext({"tool": "measure"})))
    assert answer["code"] == "PERMISSION_DENIED"
    assert "weigh" in answer["message"]
    assert "measure" in answer["message"]


@pytest.mark.parametrize(
    ("custom", "says"),
    [
        ({"tenant": "acme"}, "Scope 't:read' is needed."),
        ({"tenant": "acme", "scopes": ["nothing"]}, "Scope 't:read' is needed."),
        ({"tenant": "acme", "scopes": ["t:write"]}, "Scope 't:read' is needed."),
        ({"tenant": "acme", "scopes": "t:read"}, "Scope 't:read' is needed."),
        ({"tenant": "", "scopes": ["t:read"]}, "for no tenant"),
        ({"tenant": "a/b", "scopes": ["t:read"]}, "for no tenant"),
        ({"scopes": ["t:read"]}, "for no tenant"),
    ],
)
def test_behind_the_proxy_scope_and_tenant_are_checked_again(custom: dict[str, object], says: str) -> None:
    answer = handler()({"item": "anvil"}, Context(ClientContext({"tool": "weigh", **custom})))
    assert answer["code"] == "PERMISSION_DENIED"
    assert says in answer["message"]


def test_a_direct_invoke_for_an_empty_tenant_is_refused() -> None:
    assert invoke(handler(), {"item": "anvil"}, tenant="")["code"] == "PERMISSION_DENIED"


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The log line of the last call."""
    line: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return line


def metrics_of(line: dict[str, Any]) -> dict[str, float]:
    """As CloudWatch reads them."""
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("Quarry", [["Stack"], ["Stack", "Tool"]])
    return {metric["Name"]: line[metric["Name"]] for metric in directive["Metrics"]}


@pytest.mark.parametrize(
    ("item", "outcome", "counted"),
    [
        ("anvil", "ok", {"Calls": 1}),
        ("ghost", "NOT_FOUND", {"Calls": 1, "Errors": 1}),
        ("boulder", "INTERNAL_ERROR", {"Calls": 1, "Errors": 1, "InternalErrors": 1}),
    ],
)
def test_a_call_is_measured_on_its_own_log_line(
    capsys: pytest.CaptureFixture[str], item: str, outcome: str, counted: dict[str, int]
) -> None:
    with suppress(CallFailed):
        invoke(handler(f"weigh_measured_{item}"), {"item": item})
    line = told(capsys)
    measured = metrics_of(line)
    assert (line["Stack"], line["Tool"], line["outcome"]) == ("quarry", f"weigh_measured_{item}", outcome)
    assert measured.pop("Latency") == line["ms"]
    assert measured == counted


def test_an_operation_counts_neither_as_a_call_nor_into_the_latency(capsys: pytest.CaptureFixture[str]) -> None:
    invoke(operate("sweep", lambda *_: {}), {})
    assert metrics_of(told(capsys)).keys() == {"RunTime"}


def test_the_clients_trace_is_on_the_log_line(capsys: pytest.CaptureFixture[str]) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    traced = ClientContext({"request_id": "r9", "traceparent": f"00-{trace}-b7ad6b7169203331-01"})
    handler("weigh_traced")({"item": "anvil"}, Context(traced))
    line = told(capsys)
    assert (line["request_id"], line["trace_id"]) == ("r9", trace)


def test_a_trace_that_is_none_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    handler("weigh_untraced")({"item": "anvil"}, Context(ClientContext({"traceparent": "00-secret\n-b7-01"})))
    assert "trace_id" not in told(capsys)
