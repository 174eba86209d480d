"""A Lambda Invoke API on a real port that answers each call as the test scripted it, and checks signatures."""

import asyncio
import base64
import json
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ACCESS_KEY, SECRET_KEY, REGION = "AKIDEXAMPLE", "not-a-secret", "eu-central-1"


@dataclass(frozen=True)
class Step:
    """One answer. `seconds` pass first; `drop` closes the connection instead of answering."""

    result: Any = None
    raised: dict[str, Any] | None = None
    status: int = 200
    seconds: float = 0
    drop: bool = False
    body: bytes | None = None


@dataclass(frozen=True)
class Call:
    function: str
    qualifier: str
    event: Any
    custom: dict[str, Any]
    connection: int
    trace_header: str | None = None


@dataclass
class ScriptedLambda:
    """`script[function]` is consumed step by step; without a step the event is echoed."""

    script: defaultdict[str, list[Step]] = field(default_factory=lambda: defaultdict(list))
    calls: list[Call] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Functions whose caller went away before the answer."""
    otherwise: Callable[[Call], Step | None] | None = None
    """Asked where no step is left."""
    url: str = ""
    loop: asyncio.AbstractEventLoop | None = None
    transports: set[asyncio.Transport] = field(default_factory=set)
    """Kept after their end, so that no two connections have one id."""

    def of(self, function: str) -> list[Call]:
        return [call for call in self.calls if call.function == f"quarry-{function}"]

    def clear(self) -> None:
        self.script.clear()
        self.calls.clear()
        self.left.clear()

    def hang_up(self) -> None:
        """Close every connection, as a service does with those that rest too long."""

        async def close() -> None:
            for transport in self.transports:
                transport.close()
            await asyncio.sleep(0.05)

        assert self.loop is not None
        asyncio.run_coroutine_threadsafe(close(), self.loop).result(5)

    async def invoke(self, request: web.Request) -> web.StreamResponse:
        name, _, qualifier = request.match_info["name"].partition(":")
        body = await request.read()
        assert request.transport is not None
        self.transports.add(request.transport)
        if not _signed(request, body):
            return web.json_response({"message": "signature"}, status=403)
        context = json.loads(base64.b64decode(request.headers["X-Amz-Client-Context"]))
        self.calls.append(
            Call(
                name,
                qualifier,
                json.loads(body),
                context["custom"],
                id(request.transport),
                request.headers.get("X-Amzn-Trace-Id"),
            )
        )
        steps = self.script[name.removeprefix("quarry-")]
        step = steps.pop(0) if steps else self._unscripted(self.calls[-1])
        try:
            await asyncio.sleep(step.seconds)
        except asyncio.CancelledError:
            self.left.append(name.removeprefix("quarry-"))
            raise
        return _answer(request, step)

    def _unscripted(self, call: Call) -> Step:
        said = self.otherwise(call) if self.otherwise else None
        return said or Step(result={"echo": call.event})


def _answer(request: web.Request, step: Step) -> web.StreamResponse:
    if step.drop:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    if step.body is not None:
        return web.Response(body=step.body, content_type="application/json")
    if step.status != 200:
        headers = {"x-amzn-ErrorType": "ScriptedException"}
        return web.json_response({"Message": "arn:aws:lambda:secret"}, status=step.status, headers=headers)
    if step.raised is not None:
        return web.json_response(step.raised, headers={"X-Amz-Function-Error": "Unhandled"})
    return web.json_response(step.result)


def _signed(request: web.Request, body: bytes) -> bool:
    """Recompute the signature with botocore's own signer over what arrived."""
    given = request.headers["Authorization"]
    names = given.split("SignedHeaders=")[1].split(",")[0].split(";")
    signed = AWSRequest(
        method=request.method,
        url=str(request.url),
        headers={name: request.headers[name] for name in names if name != "host"},
        data=body,
    )
    signed.context["timestamp"] = request.headers["X-Amz-Date"]
    auth = SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), "lambda", REGION)
    text = auth.string_to_sign(signed, auth.canonical_request(signed))
    return given.endswith(f"Signature={auth.signature(text, signed)}")


def serve(scripted: ScriptedLambda) -> "threading.Event":
    """Run in a thread of its own; set the returned event to stop."""
    ready, stop = threading.Event(), threading.Event()

    async def main() -> None:
        scripted.loop = asyncio.get_running_loop()
        app = web.Application(client_max_size=8 * 1024 * 1024)
        app.router.add_post("/2015-03-31/functions/{name}/invocations", scripted.invoke)
        runner = web.AppRunner(app, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        scripted.url = f"http://{host}:{port}"
        ready.set()
        await asyncio.to_thread(stop.wait)
        await runner.cleanup()

    threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
    assert ready.wait(60)
    return stop
