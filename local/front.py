"""`python -m local.front`: a function's URL, as AWS would serve it, until SIGTERM or Ctrl-C.

With --notices it also takes the messages of the SNS topic on which approvers are told, and with --documents it serves
the documents of a bucket to whoever has a signed link.
"""

import argparse
import base64
import hmac
import json
import os
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import boto3
from aiohttp import web
from botocore.config import Config
from yarl import URL

from cpq.documents.s3 import PATH, DocumentLink
from local.lifeline import die_with_parent
from local.notices import Notices
from local.ports import HOST
from local.stack import DOCUMENT_BUCKET

DOCUMENT_KEY = "DOCUMENT_KEY"
"""Variable with the key that links to documents are signed with."""

# HTTP's own, which aiohttp writes by itself.
_NOT_FORWARDED = frozenset({"content-length", "transfer-encoding", "connection", "date", "server"})
_LONGEST_TIME = 12
_URL = web.AppKey("url", str)
_SESSION = web.AppKey("session", aiohttp.ClientSession)
_DOCUMENTS: web.AppKey[Callable[[str], str]] = web.AppKey("documents")
_KEY = web.AppKey("key", bytes)
_NOTICES = web.AppKey("notices", Notices)


def event_of(request: web.Request, body: bytes) -> dict[str, Any]:
    """The request as a function URL's event, payload format 2.0."""
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
        event["cookies"] = request.headers["Cookie"].split("; ")
    return event


def response_of(answer: Mapping[str, Any]) -> web.Response:
    """The HTTP response for what the function returned, payload format 2.0."""
    body = answer.get("body", "")
    response = web.Response(
        status=answer["statusCode"],
        body=base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode(),
        headers={name: value for name, value in answer["headers"].items() if name not in _NOT_FORWARDED},
    )
    for cookie in answer.get("cookies", []):
        response.headers.add("set-cookie", cookie)
    return response


def application(
    *,
    lambda_api: str,
    function: str,
    notices: Notices | None = None,
    documents: Callable[[str], str] | None = None,
    key: bytes = b"",
) -> web.Application:
    """Passes every request on to the function, but for /sns and /healthz where there are ``notices``, and for what is
    below /documents where ``documents`` says under which address the store has a key; ``key`` signs the links.
    """
    app = web.Application(client_max_size=6 * 1024 * 1024)
    app[_URL] = f"{lambda_api}/2015-03-31/functions/{function}/invocations"
    app.cleanup_ctx.append(_session)
    if notices is not None:
        app[_NOTICES] = notices
        app.router.add_get("/healthz", _health)
        app.router.add_post("/sns", _take_notice)
    if documents is not None:
        app[_DOCUMENTS], app[_KEY] = documents, key
        app.router.add_get(f"{PATH}/{{key:.+}}", _document)
    app.router.add_route("*", "/{rest:.*}", _forward)
    return app


async def _session(app: web.Application) -> AsyncIterator[None]:
    async with aiohttp.ClientSession() as session:
        app[_SESSION] = session
        yield


async def _health(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


async def _take_notice(request: web.Request) -> web.Response:
    # A web page could otherwise put its own link on the console; a browser names its origin, SNS has none.
    if "Origin" in request.headers:
        raise web.HTTPForbidden
    message = json.loads(await request.read())
    request.app[_NOTICES].append(subject=message.get("Subject", ""), text=message["Message"])
    return web.Response()


async def _document(request: web.Request) -> web.Response:
    """A document; 404 where the link was not signed here or there is none, 410 once the link has ended."""
    given = request.query
    until = given.get("until", "")
    link = DocumentLink(
        object_key=request.match_info["key"],
        name=given.get("name", ""),
        until=int(until) if until.isdecimal() and len(until) < _LONGEST_TIME else 0,
    )
    signature = link.signature(request.app[_KEY])
    if not hmac.compare_digest(signature.encode(), given.get("signature", "").encode()):
        raise web.HTTPNotFound(text="There is no such document, or the link to it is not complete.")
    if datetime.now(UTC).timestamp() >= link.until:
        raise web.HTTPGone(text="This link has ended. Ask whoever sent it for a new one.")
    where = URL(request.app[_DOCUMENTS](link.object_key), encoded=True)
    async with request.app[_SESSION].get(where) as answer:
        if answer.status != HTTPStatus.OK:
            raise web.HTTPNotFound(text="The document is gone. Have the quote printed again.")
        headers = {
            "content-disposition": f"inline; filename*=UTF-8''{quote(link.name)}",
            "cache-control": "private, no-store",
            "content-security-policy": "frame-ancestors 'none'",
            "referrer-policy": "no-referrer",  # the address is the key
            "x-content-type-options": "nosniff",
            "x-robots-tag": "noindex, nofollow",
        }
        return web.Response(body=await answer.read(), content_type=answer.content_type, headers=headers)


async def _forward(request: web.Request) -> web.Response:
    event = event_of(request, await request.read())
    async with request.app[_SESSION].post(request.app[_URL], data=json.dumps(event)) as answer:
        payload = await answer.read()
    if answer.status != 200 or "X-Amz-Function-Error" in answer.headers:
        return web.Response(status=502, text="Internal Server Error")
    return response_of(json.loads(payload))


def store(s3_url: str) -> Callable[[str], str]:
    """Under which address the document bucket has a key, for a minute; it refuses whoever shows no signature."""
    client = boto3.client("s3", endpoint_url=s3_url, config=Config(signature_version="s3v4"))

    def where(key: str) -> str:
        wanted = {"Bucket": DOCUMENT_BUCKET, "Key": key}
        return str(client.generate_presigned_url("get_object", Params=wanted, ExpiresIn=60))

    return where


def main() -> None:
    die_with_parent()
    parser = argparse.ArgumentParser(prog="python -m local.front", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--lambda-api", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("--notices", type=Path, metavar="DATA_DIR")
    parser.add_argument("--documents", metavar="S3_URL")
    options = parser.parse_args()
    notices = Notices(options.notices) if options.notices else None
    app = application(
        lambda_api=options.lambda_api,
        function=options.function,
        notices=notices,
        documents=store(options.documents) if options.documents else None,
        key=os.environ.get(DOCUMENT_KEY, "").encode(),
    )
    web.run_app(app, host=HOST, port=options.port, print=None, access_log=None)


if __name__ == "__main__":
    main()
