"""`python -m local.front`: a function's URL, as AWS would serve it, until SIGTERM or Ctrl-C.

With --notices it also takes the messages of the SNS topic on which approvers are told.
"""

import argparse
import json
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
from aiohttp import web

from local.front.function_url import event_of, response_of
from local.front.notices import Notices
from local.lifeline import die_with_parent
from local.ports import HOST

_URL = web.AppKey("url", str)
_SESSION = web.AppKey("session", aiohttp.ClientSession)
_NOTICES = web.AppKey("notices", Notices)


def application(*, lambda_api: str, function: str, notices: Notices | None = None) -> web.Application:
    """With ``notices`` /sns and /healthz are its own; else the function answers for every path."""
    app = web.Application(client_max_size=6 * 1024 * 1024)
    app[_URL] = f"{lambda_api}/2015-03-31/functions/{function}/invocations"
    app.cleanup_ctx.append(_session)
    if notices is not None:
        app[_NOTICES] = notices
        app.router.add_get("/healthz", _health)
        app.router.add_post("/sns", _take_notice)
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


async def _forward(request: web.Request) -> web.Response:
    event = event_of(request, await request.read())
    async with request.app[_SESSION].post(request.app[_URL], data=json.dumps(event)) as answer:
        payload = await answer.read()
    if answer.status != 200 or "X-Amz-Function-Error" in answer.headers:
        return web.Response(status=502, text="Internal Server Error")
    return response_of(json.loads(payload))


def main() -> None:
    die_with_parent()
    parser = argparse.ArgumentParser(prog="python -m local.front", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--lambda-api", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("--notices", type=Path, metavar="DATA_DIR")
    options = parser.parse_args()
    notices = Notices(options.notices) if options.notices else None
    app = application(lambda_api=options.lambda_api, function=options.function, notices=notices)
    web.run_app(app, host=HOST, port=options.port, print=None, access_log=None)


if __name__ == "__main__":
    main()
