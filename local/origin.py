"""`python -m local.origin`: the front, and below its origin the pages of approvals and the documents, which another
part serves at PAGES_URL.
"""

import os
import sys

import aiohttp
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from yarl import URL

from proxy.__main__ import main
from proxy.endpoint import read_body
from proxy.settings import Settings

PATHS = ("/approve", "/documents")
_SECONDS = aiohttp.ClientTimeout(total=60)
# Of one connection and not of the message (RFC 9110, section 7.6.1), or said anew.
_OF_THE_WAY = frozenset(
    (b"connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"content-length", b"expect",
     b"accept-encoding", b"proxy-authorization", b"proxy-connection",
     b"date", b"server")
)  # fmt: skip


class Pages:
    """An ASGI app that asks ``url`` what it is asked, of the same path, for the same host."""

    def __init__(self, url: str, *, most_bytes: int, body_seconds: float) -> None:
        self._url = url.rstrip("/")
        self._most_bytes = most_bytes
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        answer = await read_body(request, most=self._most_bytes, seconds=self._body_seconds)
        if isinstance(answer, bytes):
            try:
                answer = await self._answer(request, answer)
            except (aiohttp.ClientError, TimeoutError):
                answer = Response("This page cannot be served right now; try again in a minute.", 502)
        await answer(scope, receive, send)

    async def _answer(self, request: Request, body: bytes) -> Response:
        session = request.app.state.runtime.session
        query = f"?{request.scope['query_string'].decode('latin-1')}" if request.scope["query_string"] else ""
        where = URL(f"{self._url}{request.scope['raw_path'].decode('latin-1')}{query}", encoded=True)
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in request.headers.raw
            if name not in _OF_THE_WAY
        ]
        async with session.request(
            request.method, where, headers=headers, data=body or None, allow_redirects=False, timeout=_SECONDS
        ) as answer:
            response = Response(await answer.read(), answer.status)
            kept = [(name.lower(), value) for name, value in answer.raw_headers if name.lower() not in _OF_THE_WAY]
            response.raw_headers = [*kept, (b"content-length", str(len(response.body)).encode())]
            return response


def _pages(settings: Settings) -> list[Route]:
    pages = Pages(os.environ["PAGES_URL"], most_bytes=settings.max_request_bytes, body_seconds=settings.body_seconds)
    return [Route(f"{path}/{{rest:path}}", pages) for path in PATHS]


if __name__ == "__main__":
    sys.exit(main(more=_pages))
