"""A function URL's event as the page reads it, odd ones included."""

import base64
from typing import Any

import pytest

from approval_page.page import request_of

FORM = "application/x-www-form-urlencoded"


def event(**fields: Any) -> dict[str, Any]:
    context = {"domainName": "abc.lambda-url.eu-west-1.on.aws", "http": {"method": "POST", "path": "/approve/t.s"}}
    return {"rawPath": "/approve/t.s", "headers": {}, "requestContext": context, **fields}


def test_token_and_origin_are_read_wherever_the_page_is_mounted() -> None:
    request = request_of(event(headers={"X-Forwarded-Proto": "https"}))
    assert (request.token, request.origin) == ("t.s", "https://abc.lambda-url.eu-west-1.on.aws")
    assert request.secure
    assert request_of(event(rawPath="/t.s")).token == "t.s"
    assert request_of(event(rawPath="/")).token == ""


@pytest.mark.parametrize("encoded", [True, False])
def test_a_form_is_read_with_its_umlauts_and_empty_fields(encoded: bool) -> None:
    text = "decision=approve&comment=gr%C3%BC%C3%9Fe+dich&x="
    body = base64.b64encode(text.encode()).decode() if encoded else text
    request = request_of(
        event(headers={"content-type": f"{FORM}; charset=UTF-8"}, body=body, isBase64Encoded=encoded)
    )
    assert request.form == {"decision": "approve", "comment": "grüße dich", "x": ""}


@pytest.mark.parametrize(
    ("content_type", "body", "encoded"),
    [
        ("application/json", '{"decision": "approve"}', False),
        ("", "decision=approve", False),
        (FORM, "not base64!", True),
        (FORM, base64.b64encode(b"\xff\xfe").decode(), True),
        (FORM, "&".join(f"f{number}=1" for number in range(50)), False),
        (FORM, None, False),
    ],
)
def test_any_other_body_is_no_form(content_type: str, body: str | None, encoded: bool) -> None:
    request = request_of(event(headers={"content-type": content_type}, body=body, isBase64Encoded=encoded))
    assert request.form == {}


@pytest.mark.parametrize(
    "path", ["//evil.example/t.s", "///evil.example/t.s", "/\\evil.example/t.s", "\\\\evil.example/t.s"]
)
def test_a_redirect_to_the_same_path_never_leaves_the_host(path: str) -> None:
    assert request_of(event(rawPath=path)).own_path == "/evil.example/t.s"
    assert request_of(event()).own_path == "/approve/t.s"


def test_cookies_of_other_applications_do_no_harm() -> None:
    request = request_of(event(cookies=["approval_visit=abc", "odd[name]=x", "other=1", ""]))
    assert request.cookies["approval_visit"] == "abc"
