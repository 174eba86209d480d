"""The approval page's front: HTTP as a function URL's event and back, and the notices it keeps."""

import asyncio
import base64
import io
import json
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import aiohttp
from aiohttp import web

from cpq.documents.s3 import DocumentLink
from local.front import application, event_of, response_of
from local.notices import Notices
from local.ports import HOST, free_port
from local.serve.__main__ import announce_approvals
from local.serve.console import Console
from local.stack import Database, Stack


def test_a_form_becomes_the_event_that_aws_documents_and_the_answer_becomes_http() -> None:
    seen: dict[str, object] = {}

    async def handle(request: web.Request) -> web.Response:
        seen.update(event_of(request, await request.read()))
        return response_of(
            {"statusCode": 303, "headers": {"location": "/x"}, "cookies": ["a=1", "b=2"], "body": "grüße"}
        )

    async def exchange() -> tuple[int, str | None, list[str], str]:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", handle)
        async with (
            Served(app) as url,
            aiohttp.ClientSession(cookies={"visit": "v"}) as session,
            session.post(f"{url}/approve/t?q=1", data={"comment": "ü"}, allow_redirects=False) as answer,
        ):
            cookies = answer.headers.getall("set-cookie")
            return answer.status, answer.headers.get("location"), cookies, await answer.text()

    assert asyncio.run(exchange()) == (303, "/x", ["a=1", "b=2"], "grüße")
    assert (seen["version"], seen["rawPath"], seen["rawQueryString"]) == ("2.0", "/approve/t", "q=1")
    assert seen["cookies"] == ["visit=v"]
    assert base64.b64decode(str(seen["body"])) == b"comment=%C3%BC"
    context = json.loads(json.dumps(seen["requestContext"]))
    assert context["http"]["method"] == "POST"
    assert context["domainName"].startswith("127.0.0.1:")


def test_a_document_is_served_to_whoever_has_its_link_until_the_link_ends() -> None:
    key, name = b"k" * 32, "Acme_КП-2026-0001_v1.pdf"

    async def store(request: web.Request) -> web.Response:
        there = request.match_info["key"] == "acme/quotes/Q-2026-0001/v1/standard 1.pdf"
        return web.Response(body=b"%PDF-1.7", status=200 if there else 404)

    async def visit() -> list[tuple[int, str | None]]:
        bucket = web.Application()
        bucket.router.add_get("/b/{key:.+}", store)
        async with Served(bucket) as where:
            app = application(
                lambda_api=where, function="f", documents=lambda name: f"{where}/b/{quote(name)}", key=key
            )
            async with Served(app) as url, aiohttp.ClientSession() as session:
                later = int(time.time()) + 60
                good = DocumentLink(object_key="acme/quotes/Q-2026-0001/v1/standard 1.pdf", name=name, until=later)
                links = [
                    good.url(key, origin=url),
                    good.url(b"another key", origin=url),
                    good.url(key, origin=url).replace("Acme", "Bcme"),
                    good.url(key, origin=url).replace(f"until={later}", f"until={later + 1}"),
                    good.url(key, origin=url).replace("v1/", "v2/"),
                    good.url(key, origin=url).partition("?")[0],
                    replace(good, until=int(time.time()) - 1).url(key, origin=url),
                    replace(good, object_key="acme/lost.pdf").url(key, origin=url),
                ]
                answers = [await session.get(link) for link in links]
                assert await answers[0].read() == b"%PDF-1.7"
                return [(answer.status, answer.headers.get("content-disposition")) for answer in answers]

    first, *others = asyncio.run(visit())
    assert first == (200, f"inline; filename*=UTF-8''{quote(name)}")
    assert [status for status, _ in others] == [404, 404, 404, 404, 404, 410, 404]


def test_a_browser_cannot_put_a_notice_on_the_console_but_the_topic_can(tmp_path: Path) -> None:
    notices = Notices(tmp_path)

    async def post() -> list[int]:
        app = application(lambda_api="http://127.0.0.1:9", function="quarry-approval_page:live", notices=notices)
        async with Served(app) as url, aiohttp.ClientSession() as session:
            statuses = []
            for headers in ({"Origin": "http://evil.example"}, {}):
                message = {"Subject": "S", "Message": "To Ann:\n\nDecide here: http://127.0.0.1:1/approve/t.s\nBye."}
                async with session.post(f"{url}/sns", data=json.dumps(message), headers=headers) as answer:
                    statuses.append(answer.status)
            return statuses

    assert asyncio.run(post()) == [403, 200]
    (notice,) = notices.read()
    assert notice.link == "http://127.0.0.1:1/approve/t.s"
    assert (tmp_path / "approval-notices.jsonl").stat().st_mode & 0o077 == 0


def test_without_notices_every_path_is_the_functions() -> None:
    asked: list[str] = []

    async def invoke(request: web.Request) -> web.Response:
        event = await request.json()
        asked.append(f"{request.match_info['name']} {event['rawPath']} {event['headers']['x-forwarded-for']}")
        return web.json_response({"statusCode": 200, "headers": {}, "body": "ok"})

    async def visit() -> None:
        functions = web.Application()
        functions.router.add_post("/2015-03-31/functions/{name}/invocations", invoke)
        async with (
            Served(functions) as lambda_api,
            Served(application(lambda_api=lambda_api, function="quarry-proxy:live")) as url,
            aiohttp.ClientSession() as session,
        ):
            for path in ("/mcp/quotes", "/healthz", "/sns"):
                async with session.post(f"{url}{path}") as answer:
                    assert await answer.text() == "ok"

    asyncio.run(visit())
    assert asked == [f"quarry-proxy:live {path} 127.0.0.1" for path in ("/mcp/quotes", "/healthz", "/sns")]


def test_the_console_reads_out_whose_link_it_is_and_nothing_of_earlier_runs(tmp_path: Path) -> None:
    notices, out = Notices(tmp_path), io.StringIO()
    notices.append(subject="Old", text="To Ann: http://old")

    async def listen() -> None:
        reading = asyncio.create_task(announce_approvals(stack_in(tmp_path), Console(out)))
        await asyncio.sleep(0.05)
        notices.append(subject="Approval APR-1 needed", text="To Ann:\n\nTotal: 5\nDecide here: http://new/t")
        for _ in range(100):
            if "http://new/t" in out.getvalue():
                break
            await asyncio.sleep(0.05)
        reading.cancel()

    asyncio.run(listen())
    assert out.getvalue() == "\nApproval APR-1 needed\n  To Ann: http://new/t\n"


class Served:
    """An application on a port of its own while the block runs."""

    def __init__(self, app: web.Application) -> None:
        self._runner = web.AppRunner(app)

    async def __aenter__(self) -> str:
        await self._runner.setup()
        port = free_port()
        await web.TCPSite(self._runner, HOST, port).start()
        return f"http://{HOST}:{port}"

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()


def stack_in(folder: Path) -> Stack:
    nowhere = "http://127.0.0.1:9"
    database = Database(host="127.0.0.1", port=5, name="quarry", user="postgres", password="p")
    return Stack(
        mcp=nowhere,
        lambda_api=nowhere,
        aws=nowhere,
        embeddings=None,
        approvals=nowhere,
        database=database,
        data_dir=folder,
        pid=1,
    )
