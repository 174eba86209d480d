"""The servers that are measured and the load on them; contestants take turns at every number of clients."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import aiohttp
import psutil
import uvloop

from bench.hops.messages import Message
from local.failure import LocalError
from local.files import IMPORT_ROOTS, ROOT
from local.ports import HOST, free_port
from local.stack import stop

_PATIENCE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Contestant:
    """A server and what it is asked; ``pid`` is the process whose CPU time is charged to the requests."""

    name: str
    message: Message
    pid: int | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """One measurement: latencies in milliseconds, CPU in microseconds per request."""

    p50: float
    p95: float
    p99: float
    per_second: float
    cpu_us: float | None


@dataclass(frozen=True, slots=True)
class Cell(Round):
    """Medians over the rounds.

    `quietest` and `most` are the best p50 and requests per second of any round: other programs only ever take.
    """

    quietest: float
    most: float


Results = dict[tuple[str, int], Cell]
"""By the contestant's name and the number of clients."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of clients at once, seconds per measurement, and how often each is repeated."""

    clients: tuple[int, ...]
    seconds: float
    rounds: int


def run(contestants: Sequence[Contestant], *, effort: Effort, core: int | None = None) -> Results:
    """Lets the contestants take turns, so that noise of the machine falls on all; the first, shorter round warms up.

    The clients are this process, on the core given; one core asks about 4,000 times a second.
    """
    before = None if core is None else os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            rounds = runner.run(_run(contestants, effort=effort))
    finally:
        if before is not None:
            os.sched_setaffinity(0, before)
    return {key: _cell(measured) for key, measured in rounds.items()}


async def _run(contestants: Sequence[Contestant], *, effort: Effort) -> dict[tuple[str, int], list[Round]]:
    rounds: dict[tuple[str, int], list[Round]] = {}
    for number in range(effort.rounds + 1):
        print(f"round {number} of {effort.rounds}" if number else "warming up", file=sys.stderr, flush=True)
        for clients in effort.clients:
            for contestant in contestants:
                seconds = effort.seconds if number else effort.seconds / 2
                measured = await _measure(contestant, clients=clients, seconds=seconds)
                if number:
                    rounds.setdefault((contestant.name, clients), []).append(measured)
    return rounds


async def _measure(contestant: Contestant, *, clients: int, seconds: float) -> Round:
    process = None if contestant.pid is None else psutil.Process(contestant.pid)
    spent = _cpu_seconds(process)
    started = time.perf_counter()
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=clients)) as session,
        asyncio.timeout(seconds + _PATIENCE_SECONDS),
    ):
        asked = (_repeat(session, contestant.message, until=started + seconds) for _ in range(clients))
        latencies = [latency for own in await asyncio.gather(*asked) for latency in own]
    elapsed = time.perf_counter() - started
    cuts = quantiles(latencies, n=100, method="inclusive") if len(latencies) > 1 else latencies * 99
    cpu_us = None if process is None else (_cpu_seconds(process) - spent) / len(latencies) * 1e6
    return Round(cuts[49], cuts[94], cuts[98], len(latencies) / elapsed, cpu_us)


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


def _cpu_seconds(process: psutil.Process | None) -> float:
    times = process and process.cpu_times()
    return float(times.user + times.system) if times else 0.0


def _cell(rounds: Sequence[Round]) -> Cell:
    def middle(name: str) -> float:
        return float(median(getattr(one, name) for one in rounds))

    return Cell(
        p50=middle("p50"),
        p95=middle("p95"),
        p99=middle("p99"),
        per_second=middle("per_second"),
        cpu_us=None if rounds[0].cpu_us is None else middle("cpu_us"),
        quietest=min(one.p50 for one in rounds),
        most=max(one.per_second for one in rounds),
    )


_START_SECONDS = 30
PEERS_PYTHON = ROOT / ".venv-bench" / "bin" / "python"


def cores() -> tuple[int, int] | None:
    """One core for the server under test, one for whoever asks it; None where they cannot be had or chosen."""
    if sys.platform != "linux" or len(found := sorted(os.sched_getaffinity(0))) < 2:
        return None
    return found[-1], found[0]


@contextmanager
def serving(
    command: Sequence[str], *, log: Path, core: int | None = None, variables: Mapping[str, str] | None = None
) -> Iterator[tuple[int, int]]:
    """Port and pid of a server; ``{port}`` in its command or variables becomes the port."""
    port = free_port()
    filled = {name: value.replace("{port}", str(port)) for name, value in (variables or {}).items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    with log.open("w") as output:
        process = subprocess.Popen(
            [part.replace("{port}", str(port)) for part in command],
            env={**kept, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS)), **filled},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            if core is not None:
                os.sched_setaffinity(process.pid, {core})
            _await_port(process, port, log)
            yield port, process.pid
        finally:
            stop(process)


def _await_port(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise LocalError(f"{process.args!r} does not answer on port {port}. It said:\n{log.read_text()[-2000:]}")
