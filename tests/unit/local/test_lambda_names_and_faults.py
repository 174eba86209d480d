"""Function names as callers write them, and the words of Lambda's errors."""

import json
import signal

import pytest

from local.lambda_api.fleet import FunctionName, parse_function_name
from local.lambda_api.invocation import (
    InvalidParameterValue,
    ResourceNotFound,
    TooManyRequests,
    exit_reason,
    timed_out,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("quarry-get_quote", FunctionName("quarry-get_quote", None, None, None)),
        ("f:live", FunctionName("f", "live", None, None)),
        ("f:$LATEST", FunctionName("f", "$LATEST", None, None)),
        ("function:f:3", FunctionName("f", "3", None, None)),
        ("123456789012:function:f", FunctionName("f", None, None, "123456789012")),
        (
            "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:f:live",
            FunctionName("f", "live", "us-gov-west-1", "123456789012"),
        ),
    ],
)
def test_every_form_of_a_name_is_understood(text: str, expected: FunctionName) -> None:
    assert parse_function_name(text) == expected


@pytest.mark.parametrize("text", ["", "f:", "f:a:b", "a b", "arn:aws:lambda:us-east-1:12:function:f", "f/../g"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameterValue):
        parse_function_name(text)


def test_the_query_parameter_gives_or_confirms_the_qualifier() -> None:
    assert parse_function_name("f", qualifier="live").qualifier == "live"
    assert parse_function_name("f:live", qualifier="live").qualifier == "live"
    with pytest.raises(InvalidParameterValue, match="does not match"):
        parse_function_name("f:live", qualifier="1")


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


def test_an_error_carries_its_type_in_a_header_and_its_reason_in_the_body() -> None:
    response = TooManyRequests("Rate Exceeded.", reason="CallerRateLimitExceeded").response("the-id")
    assert response.status == 429
    assert response.headers["x-amzn-ErrorType"] == "TooManyRequestsException"
    assert response.headers["X-Amzn-RequestId"] == "the-id"
    assert isinstance(response.body, bytes)
    assert json.loads(response.body)["Reason"] == "CallerRateLimitExceeded"


def test_not_found_spells_its_message_key_as_its_shape_does() -> None:
    response = ResourceNotFound("gone").response("the-id")
    assert isinstance(response.body, bytes)
    assert json.loads(response.body) == {"Type": "User", "Message": "gone"}
