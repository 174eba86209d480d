"""Contestants take turns: in every round each is asked once at every number of clients."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median

import psutil

from bench.hops.load import Measured, Order
from bench.hops.processes import Asker
from local.failure import LocalError


@dataclass(frozen=True, slots=True)
class Contestant:
    """``ask`` measures it; ``pid`` is the process whose CPU time is charged to the requests."""

    name: str
    ask: Callable[[int, float], Measured]
    pid: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """Medians over the rounds, in milliseconds; CPU in microseconds per request.

    `quietest` and `most` are the best p50 and requests per second of any round: other programs only ever take.
    """

    p50: float
    p95: float
    p99: float
    per_second: float
    cpu_us: float | None
    quietest: float
    most: float


Results = dict[tuple[str, int], Cell]


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of clients at once, seconds per measurement, and how often each is repeated."""

    clients: tuple[int, ...]
    seconds: float
    rounds: int


def over_http(
    asker: Asker, *, port: int, request: str, expect: str, core: int | None = None
) -> Callable[[int, float], Measured]:
    def ask(clients: int, seconds: float) -> Measured:
        order = Order(port, request=request, expect=expect, clients=clients, seconds=seconds, core=core)
        measured = Measured(**json.loads(asker.ask(json.dumps(asdict(order)))))
        if measured.wrong:
            raise LocalError(f"{measured.wrong} wrong answers, such as: {measured.example}")
        return measured

    return ask


def directly(asker: Asker) -> Callable[[int, float], Measured]:
    def ask(clients: int, seconds: float) -> Measured:
        return Measured(**json.loads(asker.ask(json.dumps({"clients": clients, "seconds": seconds}))))

    return ask


def run(contestants: Sequence[Contestant], *, effort: Effort) -> Results:
    """Noise of the machine falls on all of them; the first, shorter round only warms up."""
    cells: dict[tuple[str, int], list[tuple[Measured, float | None]]] = {}
    for number in range(effort.rounds + 1):
        print(f"round {number} of {effort.rounds}" if number else "warming up", file=sys.stderr, flush=True)
        for clients in effort.clients:
            for contestant in contestants:
                measured = _once(contestant, clients, effort.seconds if number else effort.seconds / 2)
                if number:
                    cells.setdefault((contestant.name, clients), []).append(measured)
    return {key: _cell(measured) for key, measured in cells.items()}


def _once(contestant: Contestant, clients: int, seconds: float) -> tuple[Measured, float | None]:
    before = _cpu_seconds(contestant.pid)
    measured = contestant.ask(clients, seconds)
    after = _cpu_seconds(contestant.pid)
    return measured, None if before is None or after is None else (after - before) / measured.count * 1e6


def _cpu_seconds(pid: int | None) -> float | None:
    if pid is None:
        return None
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def _cell(measured: Sequence[tuple[Measured, float | None]]) -> Cell:
    own = [one for one, _ in measured]
    charged = [cpu for _, cpu in measured if cpu is not None]
    return Cell(
        p50=median(one.p50 for one in own),
        p95=median(one.p95 for one in own),
        p99=median(one.p99 for one in own),
        per_second=median(one.per_second for one in own),
        cpu_us=median(charged) if charged else None,
        quietest=min(one.p50 for one in own),
        most=max(one.per_second for one in own),
    )
