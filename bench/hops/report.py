"""The tables and the goals, as Markdown."""

from collections.abc import Iterator, Sequence

from bench.hops.load import Cell, Results

FLOOR = {"modern": "the SDK's minimal server, modern", "legacy": "the SDK's minimal server, legacy"}
PROXY = {"modern": "**Quarry's proxy, modern**", "legacy": "**Quarry's proxy, legacy**"}
PEER = {"modern": "FastMCP with the function inside, modern", "legacy": "FastMCP with the function inside, legacy"}
INVOCATION = "the invocation alone"
EMPTY_INVOKE = "an invocation that does nothing"
INVOKE = "the function, invoked"
WHOLE = {"modern": "**Quarry, modern**", "legacy": "**Quarry, legacy**"}

MOST_ADDED_MS = 0.8
LEAST_SHARE = 0.75
LEAST_TIMES = 2

_FLOOR_OF = {beside[era]: FLOOR[era] for beside in (FLOOR, PROXY, PEER) for era in FLOOR}


def table(results: Results, *, clients: Sequence[int]) -> Iterator[str]:
    """A row per contestant; its throughput stands beside its floor's, if it has one."""
    heads = [f"{count} client{'s' * (count > 1)}: p50 / p95 / p99 ms | per s" for count in clients]
    yield f"| | {' | '.join(heads)} | CPU per request | per s, to the floor |"
    yield "|---|" + "--:|--:|" * len(clients) + "--:|--:|"
    for name in dict.fromkeys(name for name, _ in results):
        cpu = results[name, clients[-1]].cpu_us
        floor = _FLOOR_OF.get(name)
        share = "" if floor is None else f"{_ratio(results, name, floor, clients=clients[-1]):.0%}"
        cells = " | ".join(_shown(results[name, count]) for count in clients)
        yield f"| {name} | {cells} | {'' if cpu is None else f'{cpu:,.0f} µs'} | {share} |"


def _shown(cell: Cell) -> str:
    return f"{cell.p50:.2f} / {cell.p95:.2f} / {cell.p99:.2f} | {cell.per_second:,.0f}"


def _ratio(results: Results, name: str, other: str, *, clients: int) -> float:
    """Requests per second of the one to those of the other, each in its best round."""
    return results[name, clients].most / results[other, clients].most


def goals(results: Results, *, clients: Sequence[int]) -> Iterator[str]:
    for era, name in PROXY.items():
        added = results[name, 1].quietest - results[INVOCATION, 1].quietest
        goal = f"added by the proxy to an invocation, {era}, at most {MOST_ADDED_MS} ms (p50)"
        yield _goal(goal, f"{added:.2f} ms", added <= MOST_ADDED_MS)
    most = clients[-1]
    for era, name in PROXY.items():
        share = _ratio(results, name, FLOOR[era], clients=most)
        goal = f"of the throughput of {FLOOR[era]}, at least {LEAST_SHARE:.0%} with {most} clients"
        yield _goal(goal, f"{share:.0%}", share >= LEAST_SHARE)
    for era, name in PROXY.items():
        if (PEER[era], most) in results:
            times = _ratio(results, name, PEER[era], clients=most)
            goal = f"of the throughput of {PEER[era]}, at least {LEAST_TIMES} times with {most} clients"
            yield _goal(goal, f"{times:.1f} times", times >= LEAST_TIMES)


def _goal(goal: str, measured: str, reached: bool) -> str:
    return f"- {'reached' if reached else 'missed'}: {goal}: {measured}"
