"""The tables and the goals, as Markdown."""

from collections.abc import Iterator, Mapping, Sequence

from bench.hops.rounds import Cell, Results

FLOOR = {"modern": "the SDK's minimal server, modern", "legacy": "the SDK's minimal server, legacy"}
PROXY = {"modern": "**Quarry's proxy, modern**", "legacy": "**Quarry's proxy, legacy**"}
DOUBLE = "the invocation alone"
SQL = "the SQL of a warm call"
EMPTY_INVOKE = "an invocation that does nothing"
INVOKE = "the function, invoked"
WHOLE = {"modern": "**Quarry, modern**", "legacy": "**Quarry, legacy**"}

MOST_ADDED_MS = 0.6
LEAST_SHARE = 0.8
MOST_TIMES = 2


def table(
    results: Results, *, names: Sequence[str], clients: Sequence[int], floor: Mapping[str, str] | None = None
) -> Iterator[str]:
    """One row per contestant. ``floor`` names, per contestant, the one its throughput is set beside."""
    heads = [f"{count} client{'s' * (count > 1)}: p50 / p95 / p99 ms | per s" for count in clients]
    extra = " CPU per request | per s, to the floor |" if floor else ""
    yield f"| | {' | '.join(heads)} |{extra}"
    yield "|---|" + "--:|--:|" * len(clients) + ("--:|--:|" if floor else "")
    for name in names:
        row = f"| {name} | " + " | ".join(_shown(results[name, count]) for count in clients) + " |"
        if floor:
            cpu = results[name, clients[-1]].cpu_us
            share = f"{_share(results, name, floor[name], clients=clients[-1]):.0%}" if name in floor else ""
            row += f" {'' if cpu is None else f'{cpu:,.0f} µs'} | {share} |"
        yield row


def _shown(cell: Cell) -> str:
    return f"{cell.p50:.2f} / {cell.p95:.2f} / {cell.p99:.2f} | {cell.per_second:,.0f}"


def _share(results: Results, name: str, floor: str, *, clients: int) -> float:
    return results[name, clients].most / results[floor, clients].most


def front_goals(results: Results, *, clients: Sequence[int]) -> Iterator[str]:
    for era, name in PROXY.items():
        yield _added(f"the proxy to an invocation, {era}", results, name, DOUBLE)
    for era, floor in FLOOR.items():
        shares = {count: _share(results, PROXY[era], floor, clients=count) for count in clients}
        said = ", ".join(f"{share:.0%} at {count}" for count, share in shares.items())
        goal = f"of the throughput of {floor}, at least {LEAST_SHARE:.0%} with {clients[-1]} clients"
        yield _goal(goal, said, shares[clients[-1]] >= LEAST_SHARE)


def chain_goals(results: Results) -> Iterator[str]:
    floor = results[SQL, 1].quietest + results[EMPTY_INVOKE, 1].quietest
    own = results[INVOKE, 1].quietest
    goal = f"a warm search takes at most {MOST_TIMES} times its SQL and one invocation"
    yield _goal(goal, f"{own / floor:.2f} ({own:.2f} ms to {floor:.2f} ms)", own / floor <= MOST_TIMES)


def _added(what: str, results: Results, name: str, floor: str) -> str:
    """In the quietest round of each."""
    added = results[name, 1].quietest - results[floor, 1].quietest
    return _goal(f"added by {what}, at most {MOST_ADDED_MS} ms (p50)", f"{added:.2f} ms", added <= MOST_ADDED_MS)


def _goal(goal: str, measured: str, reached: bool) -> str:
    return f"- {'reached' if reached else 'missed'}: {goal}: {measured}"
