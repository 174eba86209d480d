"""The load generator, a process of its own: the same bytes again and again over kept connections.

`python -m bench.hops.load` takes one order per line on standard input and answers each with one line.
"""

import asyncio
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from statistics import quantiles
from typing import cast

import httptools
import uvloop


@dataclass(frozen=True, slots=True)
class Order:
    """``request`` is a whole HTTP request in Latin-1; ``expect`` must stand in each answer's body."""

    port: int
    request: str
    expect: str
    clients: int
    seconds: float
    core: int | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Latencies in milliseconds."""

    p50: float
    p95: float
    p99: float
    count: int
    per_second: float
    wrong: int
    example: str = ""


class _Client(asyncio.Protocol):
    """One connection that asks again as soon as it has its answer."""

    def __init__(self, order: Order, *, until: float, done: "asyncio.Future[None]") -> None:
        self._request = order.request.encode("latin-1")
        self._expect = order.expect.encode()
        self._until = until
        self._done = done
        self._transport: asyncio.WriteTransport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._parts: list[bytes] = []
        self._sent = 0.0
        self.latencies: list[float] = []
        self.wrong: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are none of asyncio's classes.
        self._transport = cast(asyncio.WriteTransport, transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(exc or ConnectionError("The server closed a connection in use."))

    def on_body(self, part: bytes) -> None:
        self._parts.append(part)

    def on_message_complete(self) -> None:
        now = time.perf_counter()
        self.latencies.append((now - self._sent) * 1000)
        body = b"".join(self._parts)
        if self._parser.get_status_code() != 200 or self._expect not in body:
            self.wrong.append(body)
        self._parser = httptools.HttpResponseParser(self)
        if now < self._until:
            self._ask()
        elif not self._done.done():
            self._done.set_result(None)

    def _ask(self) -> None:
        assert self._transport is not None
        self._parts = []
        self._sent = time.perf_counter()
        self._transport.write(self._request)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


async def measure(order: Order) -> Measured:
    loop = asyncio.get_running_loop()
    until = time.perf_counter() + order.seconds
    started = time.perf_counter()
    dones = [loop.create_future() for _ in range(order.clients)]
    clients = [_Client(order, until=until, done=done) for done in dones]
    for client in clients:
        await loop.create_connection(partial(_itself, client), "127.0.0.1", order.port)
    try:
        await asyncio.wait_for(asyncio.gather(*dones), order.seconds + 30)
    finally:
        for client in clients:
            client.close()
    elapsed = time.perf_counter() - started
    return summary(
        [latency for client in clients for latency in client.latencies],
        elapsed=elapsed,
        wrong=[body for client in clients for body in client.wrong],
    )


def _itself(client: _Client) -> _Client:
    return client


def summary(latencies: list[float], *, elapsed: float, wrong: list[bytes]) -> Measured:
    cuts = quantiles(latencies, n=100, method="inclusive") if len(latencies) > 1 else latencies * 99
    example = wrong[0].decode(errors="replace")[:300] if wrong else ""
    return Measured(cuts[49], cuts[94], cuts[98], len(latencies), len(latencies) / elapsed, len(wrong), example)


def main() -> None:
    for line in sys.stdin:
        order = Order(**json.loads(line))
        if order.core is not None:
            os.sched_setaffinity(0, {order.core})
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            measured = runner.run(measure(order))
        print(json.dumps(asdict(measured)), flush=True)


if __name__ == "__main__":
    main()
