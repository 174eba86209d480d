"""A function URL's events as ASGI scopes, and ASGI answers as a function URL takes them."""

import asyncio
import base64
from typing import Any

import pytest

from proxy.aws_lambda import (
    Exchange,
    RefusedEventError,
    answer,
    body_of,
    scope_of,
)

JSON = (b"content-type", b"application/json")


def event(**changed: Any) -> dict[str, Any]:
    http = {"method": "GET", "path": "/mcp/a b", "protocol": "HTTP/1.1", "sourceIp": "203.0.113.9"}
    return {
        "version": "2.0",
        "rawPath": "/mcp/a%20b",
        "rawQueryString": "a=1&a=%20&b",
        "headers": {"Host": "abc.on.aws", "x-forwarded-proto": "https", "accept": "a, b"},
        "requestContext": {"domainName": "abc.on.aws", "http": http},
        "isBase64Encoded": False,
        **changed,
    }


def test_path_query_and_address_are_those_of_the_request() -> None:
    scope = scope_of(event())
    assert (scope["path"], scope["raw_path"], scope["query_string"]) == ("/mcp/a b", b"/mcp/a%20b", b"a=1&a=%20&b")
    assert (scope["scheme"], scope["client"], scope["server"]) == ("https", ("203.0.113.9", 0), ("abc.on.aws", 443))


KEY = "k" * 32


@pytest.mark.parametrize("shown", [{}, {"x-origin-key": ""}, {"x-origin-key": KEY[1:]}, {"x-origin-key": "ü"}])
def test_who_comes_past_cloudfront_is_refused(shown: dict[str, str]) -> None:
    with pytest.raises(RefusedEventError, match="public address"):
        scope_of(event(headers=shown), origin_key=KEY)


def test_behind_cloudfront_the_client_is_whoever_asked_it_and_the_key_goes_no_further() -> None:
    headers = {"X-Origin-Key": KEY, "X-Viewer-Address": "198.51.100.7"}
    scope = scope_of(event(headers=headers), origin_key=KEY)
    assert (scope["client"], scope["headers"]) == (("198.51.100.7", 0), [])


def test_without_cloudfront_nobody_names_an_address_of_his_own() -> None:
    assert scope_of(event(headers={"x-viewer-address": "198.51.100.7"}))["client"] == ("203.0.113.9", 0)


def test_header_names_are_in_lower_case() -> None:
    headers = scope_of(event())["headers"]
    assert (b"host", b"abc.on.aws") in headers
    assert (b"accept", b"a, b") in headers


@pytest.mark.parametrize(
    ("given", "body"),
    [
        ({}, b""),
        ({"body": None}, b""),
        ({"body": "ü"}, "ü".encode()),
        ({"body": "/wA=", "isBase64Encoded": True}, b"\xff\x00"),
    ],
)
def test_a_body_is_text_or_base64(given: dict[str, Any], body: bytes) -> None:
    assert body_of(event(**given)) == body


@pytest.mark.parametrize("broken", ["a", "/wA=\n!", "ü"])
def test_what_is_no_base64_is_refused(broken: str) -> None:
    with pytest.raises(RefusedEventError, match="base64"):
        body_of(event(body=broken, isBase64Encoded=True))


def test_repeated_headers_are_joined() -> None:
    vary = [(b"Vary", b"Origin"), (b"vary", b"Accept")]
    made = answer(200, [JSON, *vary], b"{}")
    assert made["headers"] == {"content-type": "application/json", "vary": "Origin, Accept"}
    assert (made["body"], made["isBase64Encoded"]) == ("{}", False)


@pytest.mark.parametrize("kind", [b"image/png", b"application/json"])
def test_bytes_that_are_no_text_go_out_in_base64(kind: bytes) -> None:
    made = answer(200, [(b"content-type", kind)], b"\x89\xff")
    assert (base64.b64decode(made["body"]), made["isBase64Encoded"]) == (b"\x89\xff", True)


def test_an_answer_without_a_body_is_empty_text() -> None:
    assert answer(202, [], b"") == {"statusCode": 202, "headers": {}, "body": "", "isBase64Encoded": False}


def test_an_app_sees_the_body_once_and_the_end_of_the_request_only_after_its_answer() -> None:
    async def run() -> None:
        exchange = Exchange(b"asked")
        assert (await exchange.receive())["body"] == b"asked"
        departure = asyncio.create_task(exchange.receive())
        await exchange.send({"type": "http.response.start", "status": 200, "headers": [JSON]})
        await exchange.send({"type": "http.response.body", "body": b"[1,", "more_body": True})
        await asyncio.sleep(0)
        assert not departure.done()
        with pytest.raises(RuntimeError, match="whole answer"):
            exchange.answer()
        await exchange.send({"type": "http.response.body", "body": b"2]"})
        assert (await departure)["type"] == "http.disconnect"
        assert exchange.answer()["body"] == "[1,2]"

    asyncio.run(run())
