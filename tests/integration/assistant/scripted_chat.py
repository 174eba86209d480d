"""An OpenAI-compatible chat server on a real port that answers each request as the test scripted it."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

type FunctionCall = tuple[str, dict[str, Any] | str]

TOKENS = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True)
class Step:
    """One answer. `seconds` pass first, or what `until` waits for happens; `body` replaces the completion; `usage` is
    left out where it is None.
    """

    text: str | None = None
    calls: tuple[FunctionCall, ...] = ()
    status: int = 200
    seconds: float = 0
    body: bytes | None = None
    finish_reason: str = "stop"
    usage: dict[str, int] | None = field(default_factory=lambda: dict(TOKENS))
    refusal: str | None = None
    retry_after: int | None = None
    until: threading.Event | None = None


def calls(*wanted: FunctionCall) -> Step:
    """A model that calls functions; arguments given as text are sent as they are."""
    return Step(calls=wanted, finish_reason="tool_calls")


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    key: str
    body: dict[str, Any]
    at: float

    @property
    def scratchpad(self) -> dict[str, Any]:
        pad: dict[str, Any] = json.loads(self.body["messages"][0]["content"].partition("Scratchpad:\n")[2])
        return pad

    @property
    def results(self) -> list[str]:
        """What functions returned, over the whole conversation."""
        return [message["content"] for message in self.body["messages"] if message["role"] == "tool"]


@dataclass
class ScriptedChat:
    """`script` is consumed step by step; the last one is repeated. A function makes its step of what was asked."""

    url: str = ""
    script: list[Step | Callable[[Asked], Step]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        key = request.headers.get("api-key") or request.headers["Authorization"]
        self.asked.append(Asked(request.path_qs, key, await request.json(), time.monotonic()))
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        step = step if isinstance(step, Step) else step(self.asked[-1])
        await asyncio.sleep(step.seconds)
        if step.until is not None:
            await asyncio.to_thread(step.until.wait, 60)
        if step.body is not None:
            return web.Response(body=step.body, status=step.status, content_type="application/json")
        if step.status != 200:
            error = {"error": {"message": "scripted secret", "type": "scripted"}}
            # The SDK would otherwise wait half a second and more before each of its retries.
            pause = {"retry-after-ms": "1"} if step.retry_after is None else {"retry-after": str(step.retry_after)}
            return web.json_response(error, status=step.status, headers=pause)
        return web.json_response(_completion(step))


def _completion(step: Step) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text}
    if step.refusal is not None:
        message["refusal"] = step.refusal
    if step.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{name}_{number}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for number, (name, arguments) in enumerate(step.calls)
        ]
    completion: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": step.finish_reason}],
    }
    return completion if step.usage is None else {**completion, "usage": step.usage}


def serve(chat: ScriptedChat) -> threading.Event:
    """Starts it in a thread; set the event to stop it."""
    started, stop = threading.Event(), threading.Event()

    async def run() -> None:
        application = web.Application()
        application.router.add_post("/{path:.*}", chat.answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        chat.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        started.set()
        await asyncio.to_thread(stop.wait)
        await runner.cleanup()

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
    assert started.wait(60)
    return stop
