"""Function names as callers write them, and the words of Lambda's errors."""

import json
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from local.lambda_api.fleet import AddressedFunction, addressed
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.invocation import ApiError, TooManyRequests, exit_reason, timed_out


def find(text: str, *, qualifier: str | None) -> AddressedFunction:
    spec = SimpleNamespace(
        version=lambda qualifier: {None: "$LATEST", "$LATEST": "$LATEST", "live": "1"}.get(qualifier)
    )
    pools: Any = {"f": SimpleNamespace(spec=spec)}
    return addressed(pools, text, qualifier=qualifier, stack=StackValues())


@pytest.mark.parametrize(
    ("text", "qualifier", "version"),
    [
        ("f", None, "$LATEST"),
        ("f", "live", "1"),
        ("f:live", None, "1"),
        ("f:live", "live", "1"),
        ("f:$LATEST", None, "$LATEST"),
    ],
)
def test_every_form_of_a_name_is_understood(text: str, qualifier: str | None, version: str) -> None:
    found = find(text, qualifier=qualifier)
    assert found.version == version
    assert found.arn.startswith("arn:aws:lambda:us-east-1:123456789012:function:f")


@pytest.mark.parametrize("text", ["", "g", "f:3", "f:a:b", "arn:aws:lambda:us-east-1:12:function:f"])
def test_a_name_of_nothing_here_is_not_found(text: str) -> None:
    with pytest.raises(ApiError, match="Function not found") as refused:
        find(text, qualifier=None)
    assert refused.value.status == 404


@pytest.mark.parametrize(
    ("returncode", "reason"),
    [
        (0, "Runtime exited without providing a reason"),
        (1, "Runtime exited with error: exit status 1"),
        (-signal.SIGKILL, "Runtime exited with error: signal: killed"),
        (-signal.SIGSEGV, "Runtime exited with error: signal: segmentation fault"),
        (-signal.SIGABRT, "Runtime exited with error: signal: aborted"),
    ],
)
def test_an_exit_is_worded_as_lambda_words_it(returncode: int, reason: str) -> None:
    assert exit_reason(returncode) == reason


def test_a_timeout_is_worded_as_lambda_words_it() -> None:
    assert json.loads(timed_out("the-id", seconds=3)) == {
        "errorType": "Sandbox.Timedout",
        "errorMessage": "RequestId: the-id Error: Task timed out after 3.00 seconds",
    }


def test_an_error_carries_its_type_in_a_header() -> None:
    response = TooManyRequests().response("the-id")
    assert response.status == 429
    assert response.headers["x-amzn-ErrorType"] == "TooManyRequestsException"
    assert response.headers["X-Amzn-RequestId"] == "the-id"
