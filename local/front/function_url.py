"""HTTP to a function URL's event and back, payload format 2.0, as AWS documents it."""

import base64
import time
import uuid
from collections.abc import Mapping
from http.cookies import SimpleCookie
from typing import Any

from aiohttp import web

# HTTP's own, which aiohttp writes by itself.
_NOT_FORWARDED = frozenset({"content-length", "transfer-encoding", "connection", "date", "server"})


def event_of(request: web.Request, body: bytes) -> dict[str, Any]:
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() != "cookie"}
    event = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": request.path,
        "rawQueryString": request.query_string,
        "headers": {**headers, "x-forwarded-proto": "http", "x-forwarded-for": request.remote or "127.0.0.1"},
        "requestContext": {
            "accountId": "anonymous",
            "domainName": request.host,
            "http": {
                "method": request.method,
                "path": request.path,
                "protocol": "HTTP/1.1",
                "sourceIp": request.remote or "127.0.0.1",
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": str(uuid.uuid4()),
            "routeKey": "$default",
            "stage": "$default",
            "timeEpoch": int(time.time() * 1000),
        },
        "isBase64Encoded": bool(body),
    }
    if body:
        event["body"] = base64.b64encode(body).decode()
    if "Cookie" in request.headers:
        event["cookies"] = [
            f"{name}={morsel.coded_value}" for name, morsel in SimpleCookie(request.headers["Cookie"]).items()
        ]
    return event


def response_of(answer: Mapping[str, Any]) -> web.Response:
    """What the function returned, as HTTP."""
    body = answer.get("body", "")
    response = web.Response(
        status=answer["statusCode"],
        body=base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode(),
        headers={name: value for name, value in answer["headers"].items() if name not in _NOT_FORWARDED},
    )
    for cookie in answer.get("cookies", []):
        response.headers.add("set-cookie", cookie)
    return response
