"""Small pure pieces: front matter, blanks, ranking, trace parents, log lines."""

import json
import logging
import sys

import pytest

from proxy.caller import Caller, Principal, client_context
from proxy.prompts import fill
from proxy.resources import rank, without_front_matter
from proxy.telemetry import JsonLines, parent_of, xray_header

TRACE = f"00-{'1' * 32}-{'2' * 16}-01"


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: b\n---\n\n# Title\n", "# Title\n"),
        ("---\r\na: b\r\n---\r\nText", "Text"),
        ("# No front matter\n---\nrest", "# No front matter\n---\nrest"),
        ("---\nnever closed", "---\nnever closed"),
        ("", ""),
    ],
)
def test_front_matter_is_stripped_only_where_there_is_some(text: str, body: str) -> None:
    assert without_front_matter(text) == body


def test_a_value_with_braces_is_not_filled_again() -> None:
    assert fill("{{a}} {{ b }} {{c}} {a}", {"a": "{{b}}", "b": "2"}) == "{{b}} 2  {a}"


def test_prefixes_rank_before_substrings() -> None:
    assert rank(["xab", "ABx", "c"], "ab") == ["ABx", "xab"]


@pytest.mark.parametrize(
    "value", ["", "00-zz", None, 7, [7], {"a": 1}, "00-" + "0" * 32 + "-" + "1" * 16 + "-01", f"{TRACE}\r\nX: y"]
)
def test_a_malformed_trace_parent_is_dropped(value: object) -> None:
    assert parent_of({"traceparent": value}) is None
    assert parent_of({"traceparent": value}, {"traceparent": TRACE}) is not None


def test_a_place_in_a_trace_has_a_spelling_of_xrays_own() -> None:
    assert xray_header(TRACE) == f"Root=1-{'1' * 8}-{'1' * 24};Parent={'2' * 16};Sampled=1"
    assert xray_header(TRACE[:-1] + "0") == f"Root=1-{'1' * 8}-{'1' * 24};Parent={'2' * 16};Sampled=0"


def test_an_identity_that_does_not_fit_is_refused() -> None:
    scopes = frozenset(f"toolset-{n}:read" for n in range(300))
    assert client_context("t", Caller(Principal("t", "s", scopes), request_id="r")) is None


def test_a_logged_exception_shows_its_place_and_not_its_text() -> None:
    try:
        raise ValueError("hunter2")
    except ValueError:
        record = logging.LogRecord("n", logging.ERROR, "f", 1, "request_failed", None, sys.exc_info())
    line = json.loads(JsonLines().format(record))
    assert line["exception"]["type"] == "ValueError"
    assert "test_texts.py" in line["exception"]["frames"][0]
    assert "hunter2" not in json.dumps(line)
