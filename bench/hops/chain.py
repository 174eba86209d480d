"""The second table: the whole way from a client to the database, on the real stack with its sample corpus."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench.hops import messages, report
from bench.hops.processes import PEERS_PYTHON, Asker, serving
from bench.hops.rounds import Contestant, Effort, directly, over_http, run
from bench.hops.tool import ARGUMENTS, EXPECT, NAME
from local.stack import Stack

_FUNCTION = f"quarry-{NAME}"


def tables(effort: Effort, folder: Path, running: Stack) -> Iterator[str]:
    """Every call is the same search, whose query vector is cached after the first."""
    with ExitStack() as stack:
        contestants = [*_invocations(stack, running), *_fronts(stack, folder, running)]
        results = run(contestants, effort=effort)
    yield f"The whole way: {NAME} with a cached query vector, all processes on the {os.cpu_count()} cores:\n"
    names = [contestant.name for contestant in contestants]
    yield from report.table(results, names=names, clients=effort.clients)
    yield ""
    yield from report.chain_goals(results)


def _invocations(stack: ExitStack, running: Stack) -> Iterator[Contestant]:
    asker = stack.enter_context(Asker(["bench.hops.load"]))
    sql = stack.enter_context(Asker(["bench.hops.direct", "sql"], variables=_variables(running)))
    boto3 = stack.enter_context(Asker(["bench.hops.direct", "boto3", running.lambda_api]))
    port = _port(running.lambda_api)
    empty, full = messages.invocation(_FUNCTION, {}), messages.invocation(_FUNCTION, ARGUMENTS)
    yield Contestant(report.SQL, directly(sql))
    # Without arguments it is refused before anything is looked up.
    ask = over_http(asker, port=port, request=empty, expect="VALIDATION_ERROR")
    yield Contestant(report.EMPTY_INVOKE, ask)
    yield Contestant(report.INVOKE, over_http(asker, port=port, request=full, expect=EXPECT))
    yield Contestant("the function, invoked by boto3", directly(boto3))


def _fronts(stack: ExitStack, folder: Path, running: Stack) -> Iterator[Contestant]:
    asker = stack.enter_context(Asker(["bench.hops.load"]))
    requests = {era: messages.tools_call(NAME, ARGUMENTS, era=era) for era in messages.ERAS}
    port = _port(running.mcp)
    for era, request in requests.items():
        yield Contestant(report.WHOLE[era], over_http(asker, port=port, request=request, expect=EXPECT))
    if PEERS_PYTHON.exists():
        peer = serving(
            "bench.hops.peers",
            "search",
            "{port}",
            log=folder / "search.log",
            python=str(PEERS_PYTHON),
            variables=_variables(running),
        )
        peer_port, _ = stack.enter_context(peer)
        for era, request in requests.items():
            name = f"FastMCP with the function inside, {era}"
            yield Contestant(name, over_http(asker, port=peer_port, request=request, expect=EXPECT))


def _variables(running: Stack) -> dict[str, str]:
    """A function's environment, as the stack wrote it down for the Lambda API."""
    written: dict[str, str] = json.loads((running.data_dir / "functions-env.json").read_text())["Parameters"]
    return {**written, "DB_USER": "quarry_read", "AWS_REGION": "us-east-1"}


def _port(url: str) -> int:
    return int(url.removesuffix("/mcp").rsplit(":", 1)[1])
