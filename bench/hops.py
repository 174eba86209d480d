"""`make bench`: a warm search through the proxy, the same function invoked, and an invocation that does nothing.

All stand on the real stack with its sample corpus; the query's vector is cached after the first call. QUICK=1 gives a
glance.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

import aiohttp

from local.failure import LocalError, run_command
from local.settings import read_settings
from local.stack import Stack, stack_of

NAME = "search_equipment"
ARGUMENTS: dict[str, Any] = {
    "query": "oilless compressor",
    "hp_min": 30,
    "hp_max": 150,
    "filters": [{"attribute": "lubrication", "is": "oilless"}],
    "top_k": 5,
}
EXPECT = '"score"'
"""In every answer that found something."""
OUT_OF_BOUNDS: dict[str, Any] = {"top_k": 0}
REFUSED = "VALIDATION_ERROR"
"""In the answer to arguments out of their bounds, which are refused before anything is looked up."""

EMPTY_INVOKE = "an invocation that does nothing"
INVOKE = "the function, invoked"
MODERN, LEGACY = "**Quarry, 2026-07-28**", "**Quarry, 2025-11-25**"

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
_PATIENCE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Message:
    """What a client posts; ``expect`` stands in each right answer."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    expect: str = EXPECT


@dataclass(frozen=True, slots=True)
class Round:
    """One measurement, or the medians of several: latencies in milliseconds."""

    p50: float
    p95: float
    p99: float
    per_second: float


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of clients at once, seconds per measurement, and how often each is repeated."""

    clients: tuple[int, ...]
    seconds: float
    rounds: int


FULL = Effort(clients=(1, 8, 32), seconds=0.8, rounds=3)
QUICK = Effort(clients=(1, 8), seconds=0.2, rounds=1)

Results = dict[tuple[str, int], Round]
"""By the hop's name and the number of clients."""


def messages(stack: Stack) -> dict[str, Message]:
    modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": NAME}
    return {
        EMPTY_INVOKE: _invocation(stack.lambda_api, OUT_OF_BOUNDS, expect=REFUSED),
        INVOKE: _invocation(stack.lambda_api, ARGUMENTS),
        MODERN: _tools_call(stack.mcp, headers=modern, _meta=_META),
        LEGACY: _tools_call(stack.mcp, headers={"MCP-Protocol-Version": "2025-11-25"}),
    }


def _invocation(api: str, arguments: Mapping[str, Any], *, expect: str = EXPECT) -> Message:
    url = f"{api}/2015-03-31/functions/quarry-{NAME}/invocations"
    return Message(url, {"X-Amz-Invocation-Type": "RequestResponse"}, json.dumps(arguments).encode(), expect)


def _tools_call(url: str, *, headers: Mapping[str, str], **beside: object) -> Message:
    both = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    params = {"name": NAME, "arguments": ARGUMENTS, **beside}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    return Message(url, {**both, **headers}, body.encode())


async def measure(hops: Mapping[str, Message], *, effort: Effort) -> Results:
    """The hops take turns, so that noise of the machine falls on all; the first, shorter round warms up."""
    rounds: dict[tuple[str, int], list[Round]] = {}
    for number in range(effort.rounds + 1):
        print(f"round {number} of {effort.rounds}" if number else "warming up", file=sys.stderr, flush=True)
        for clients in effort.clients:
            for name, message in hops.items():
                seconds = effort.seconds if number else effort.seconds / 2
                measured = await _round(message, clients=clients, seconds=seconds)
                if number:
                    rounds.setdefault((name, clients), []).append(measured)
    return {key: _medians(measured) for key, measured in rounds.items()}


async def _round(message: Message, *, clients: int, seconds: float) -> Round:
    started = time.perf_counter()
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=clients)) as session,
        asyncio.timeout(seconds + _PATIENCE_SECONDS),
    ):
        asked = (_repeat(session, message, until=started + seconds) for _ in range(clients))
        latencies = [latency for own in await asyncio.gather(*asked) for latency in own]
    elapsed = time.perf_counter() - started
    cuts = quantiles(latencies, n=100, method="inclusive") if len(latencies) > 1 else latencies * 99
    return Round(cuts[49], cuts[94], cuts[98], len(latencies) / elapsed)


async def _repeat(session: aiohttp.ClientSession, message: Message, *, until: float) -> list[float]:
    """One client: it asks again as soon as it has its answer. Returns its latencies in milliseconds."""
    latencies: list[float] = []
    expect = message.expect.encode()
    now = time.perf_counter()
    while now < until or not latencies:
        async with session.post(message.url, data=message.body, headers=message.headers) as answer:
            body = await answer.read()
        after = time.perf_counter()
        latencies.append((after - now) * 1000)
        if answer.status != 200 or expect not in body:
            raise LocalError(f"{message.url} gave a wrong answer: {body[:300].decode(errors='replace')}")
        now = after
    return latencies


def _medians(rounds: Sequence[Round]) -> Round:
    names = ("p50", "p95", "p99", "per_second")
    return Round(*(float(median(getattr(one, name) for one in rounds)) for name in names))


def table(results: Results, *, clients: Sequence[int]) -> Iterator[str]:
    """A row per hop; last, its p50 with one client as a multiple of an invocation that does nothing."""
    heads = [f"{count} client{'s' * (count > 1)}: p50 / p95 / p99 ms | per s" for count in clients]
    yield f"| | {' | '.join(heads)} | × doing nothing |"
    yield "|---|" + "--:|--:|" * len(clients) + "--:|"
    for name in dict.fromkeys(name for name, _ in results):
        times = results[name, clients[0]].p50 / results[EMPTY_INVOKE, clients[0]].p50
        cells = " | ".join(_shown(results[name, count]) for count in clients)
        yield f"| {name} | {cells} | {times:.1f} |"


def _shown(one: Round) -> str:
    return f"{one.p50:.2f} / {one.p95:.2f} / {one.p99:.2f} | {one.per_second:,.0f}"


def main() -> None:
    effort = QUICK if os.environ.get("QUICK") else FULL
    with stack_of(read_settings().data_dir) as stack:
        results = asyncio.run(measure(messages(stack), effort=effort))
    print(f"{NAME} with a cached query vector, all processes on the {os.cpu_count()} cores:\n")
    print("\n".join(table(results, clients=effort.clients)))


if __name__ == "__main__":
    run_command(main)
