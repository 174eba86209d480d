"""What this process counts, and its /metrics page in Prometheus' text format."""

import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from proxy.settings import is_loopback

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_CODE = re.compile(r"[A-Z][A-Z_]{0,63}")
_INTERNAL = "InternalErrors"
_FORWARDED = ("forwarded", "x-forwarded-for")

Labels = tuple[tuple[str, str], ...]


class Times:
    """A histogram of seconds."""

    def __init__(self) -> None:
        self.buckets = [0] * (len(_BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        self.buckets[bisect_left(_BOUNDS, seconds)] += 1
        self.sum += seconds


class Metrics:
    """What one process counted since its start. Labels are bounded, for nothing that a caller sends becomes one."""

    def __init__(self, tools: Iterable[str]) -> None:
        self._times = {tool: Times() for tool in tools}
        self._calls: Counter[tuple[str, str]] = Counter()
        self._retries: Counter[str] = Counter()
        self._responses: Counter[int] = Counter()
        self._in_flight = 0

    def began(self) -> None:
        self._in_flight += 1

    def ended(self, tool: str, code: str, *, seconds: float) -> None:
        self._in_flight -= 1
        times = self._times.get(tool)
        if times is not None:
            times.add(seconds)
        self._calls[tool if times is not None else "unknown", code if _CODE.fullmatch(code) else "OTHER"] += 1

    def retried(self, function: str) -> None:
        self._retries[function] += 1

    def responded(self, status: int) -> None:
        self._responses[status] += 1

    def page(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("quarry_tool_calls_total", "counter", "Calls of tools by outcome; OK, or an error's code.")
        for (tool, code), count in sorted(self._calls.items()):
            yield _sample("quarry_tool_calls_total", (("tool", tool), ("code", code)), count)
        yield from _head("quarry_tool_call_seconds", "histogram", "Time from the request to the tool's answer.")
        for tool, times in sorted(self._times.items()):
            yield from _histogram("quarry_tool_call_seconds", (("tool", tool),), times)
        yield from _head("quarry_tool_calls_in_flight", "gauge", "Calls of tools that are being served.")
        yield _sample("quarry_tool_calls_in_flight", (), self._in_flight)
        yield from _head("quarry_retries_total", "counter", "Invocations that were tried again, by function.")
        for function, count in sorted(self._retries.items()):
            yield _sample("quarry_retries_total", (("function", function),), count)
        help_text = "Answers of the MCP endpoint; 401 and 403 are refused credentials, 429 is the rate limit."
        yield from _head("quarry_http_responses_total", "counter", help_text)
        for status, count in sorted(self._responses.items()):
            yield _sample("quarry_http_responses_total", (("status", str(status)),), count)

    async def answer(self, request: Request) -> Response:
        """Serves the page to this machine alone: how much is asked, and of what, is nobody else's business."""
        peer = request.client.host if request.client else ""
        if not is_loopback(peer) or any(name in request.headers for name in _FORWARDED):
            return PlainTextResponse("Not Found", 404)
        return Response(self.page(), media_type=CONTENT_TYPE)


def internal_error(tool: str, *, stack: str, release: str) -> dict[str, object]:
    """Keys of a log line by which CloudWatch counts one, as functions count theirs (embedded metric format).

    For the stack, for the tool, and for the release, whose roll-out it ends; without a stack there is no CloudWatch.
    """
    if not stack:
        return {"tool": tool}
    dimensions = [["Stack"], ["Stack", "Tool"], ["Stack", "Release"]][: 3 if release else 2]
    counted = {"Namespace": "Quarry", "Dimensions": dimensions, "Metrics": [{"Name": _INTERNAL, "Unit": "Count"}]}
    return {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [counted]},
        "Stack": stack,
        "Tool": tool,
        "Release": release,
        _INTERNAL: 1,
    }


class Counted:
    """An ASGI app whose answers are counted by status."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.responded(message["status"])
            await send(message)

        await self._app(scope, receive, counting)


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, labels: Labels, value: float) -> str:
    """Label values are names of ours, which need no escaping."""
    inside = ",".join(f'{label}="{text}"' for label, text in labels)
    return f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def _histogram(name: str, labels: Labels, times: Times) -> Iterator[str]:
    count = 0
    for bound, bucket in zip((*(f"{bound:g}" for bound in _BOUNDS), "+Inf"), times.buckets, strict=True):
        count += bucket
        yield _sample(f"{name}_bucket", (*labels, ("le", bound)), count)
    yield _sample(f"{name}_sum", labels, round(times.sum, 6))
    yield _sample(f"{name}_count", labels, count)
