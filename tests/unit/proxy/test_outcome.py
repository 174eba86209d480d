"""What a client is told of a call whose outcome nobody knows."""

import json

import pytest

from proxy.outcome import Failure, Function, Reply, outcome_of
from quarry.tool.runtime import CallFailed

ENDED = json.dumps({"errorType": "Runtime.ExitError", "errorMessage": "RequestId: 1 Error: signal: killed"}).encode()


def told(reply: Reply, *, repeatable: bool = False, keyed: bool = False) -> Failure:
    function = Function("quote_create", timeout_s=9, repeatable=repeatable, keyed=keyed)
    outcome = outcome_of(reply, function=function, request_id="r-1", most=1000)
    assert isinstance(outcome, Failure)
    return outcome


@pytest.mark.parametrize(
    "reply",
    [Reply(200, True, "Unhandled", ENDED), Reply(502, False, "", b"{}")],
    ids=["its process ended", "the service failed"],
)
@pytest.mark.parametrize(
    ("repeatable", "keyed", "advice"),
    [
        (False, True, "Its outcome is unknown: repeat it with the same idempotency_key and arguments"),
        (False, False, "Its outcome is unknown: check before you repeat it."),
        (True, False, "It may be retried."),
    ],
)
def test_a_call_that_was_cut_off_says_how_it_may_be_repeated(
    reply: Reply, repeatable: bool, keyed: bool, advice: str
) -> None:
    failure = told(reply, repeatable=repeatable, keyed=keyed)
    assert (failure.code, failure.retryable) == ("UNAVAILABLE", repeatable)
    assert advice in failure.message
    assert "request id r-1" in failure.message


@pytest.mark.parametrize(
    ("status", "error_type"), [(502, "ResourceNotReadyException"), (409, "ResourceConflictException")]
)
def test_a_function_that_rested_for_weeks_was_not_run_and_may_be_asked_again(status: int, error_type: str) -> None:
    failure = told(Reply(status, False, error_type, b"{}"))
    assert (failure.code, failure.retryable) == ("UNAVAILABLE", True)
    assert "was not run" in failure.message


@pytest.mark.parametrize(
    ("raised", "died"),
    [
        ({"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out after 30.00 seconds"}, True),
        ({"errorMessage": "2026-11-28T00:00:00Z r-1 Task timed out after 30.00 seconds"}, True),
        ({"errorType": "Runtime.OutOfMemory", "errorMessage": "Error: Runtime exited with signal: killed"}, True),
        ({"errorType": "Runtime.ImportModuleError", "errorMessage": "No module named 'x'"}, True),
        ({"errorType": "KeyError", "errorMessage": "at import"}, True),
        ({"errorType": CallFailed.__name__, "errorMessage": "counted by its handler"}, False),
    ],
)
def test_an_end_that_no_handler_saw_is_told_from_an_error_that_one_counted(
    raised: dict[str, str], died: bool
) -> None:
    assert Reply(200, True, "Unhandled", json.dumps(raised).encode()).died is died
    assert not Reply(200, False, "", json.dumps(raised).encode()).died


def test_an_error_that_the_function_raised_is_an_internal_one() -> None:
    raised = json.dumps({"errorType": "CallFailed", "errorMessage": "secret"}).encode()
    failure = told(Reply(200, True, "Unhandled", raised), keyed=True)
    assert failure.code == "INTERNAL_ERROR"
    assert "secret" not in failure.message
