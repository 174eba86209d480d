"""`make bench`: the proxy beside floors and FastMCP, and the whole way to the database; QUICK=1 for a glance.

In the first table the servers stand alone, before functions that answer at once. In the second the same search,
whose query vector is cached after the first call, goes the whole way on the real stack with its sample corpus.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.hops import report
from bench.hops.load import PEERS_PYTHON, Contestant, Effort, cores, run, serving
from bench.hops.messages import ARGUMENTS, ERAS, NAME, OUT_OF_BOUNDS, REFUSED, invocation, tools_call
from local.failure import run_command
from local.ports import HOST
from local.settings import read_settings
from local.stack import Stack, stack_of

FULL = Effort(clients=(1, 8, 32), seconds=0.8, rounds=3)
QUICK = Effort(clients=(1, 8), seconds=0.2, rounds=1)

_ACCOUNT = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


def fronts(effort: Effort, logs: Path) -> Iterator[str]:
    """The first table. Each server has one core; the clients and the Lambda API behind the proxy have the other."""
    own, other = cores() or (None, None)
    with ExitStack() as stack:

        def start(kind: str, *, core: int | None = own, python: str = sys.executable) -> tuple[int, int]:
            command = ["-m", "bench.hops.servers", kind, "{port}"]
            return stack.enter_context(serving([python, *command], log=logs / f"{kind}.log", core=core))

        api, api_pid = start("invoke", core=other)
        proxy_variables = {"PORT": "{port}", "AWS_ENDPOINT_URL_LAMBDA": f"http://{HOST}:{api}", **_ACCOUNT}
        command = [sys.executable, "-m", "proxy"]
        proxy = stack.enter_context(serving(command, log=logs / "proxy.log", core=own, variables=proxy_variables))
        servers = [(report.FLOOR, start("sdk")), (report.PROXY, proxy)]
        if PEERS_PYTHON.exists():
            servers.append((report.PEER, start("fastmcp", python=str(PEERS_PYTHON))))
        contestants = [
            Contestant(report.INVOCATION, invocation(f"http://{HOST}:{api}", ARGUMENTS), api_pid),
            *(
                Contestant(names[era], tools_call(f"http://{HOST}:{port}/mcp", era=era), pid)
                for era in ERAS
                for names, (port, pid) in servers
            ),
        ]
        results = run(contestants, effort=effort, core=other)
    where = "all on the same cores" if own is None else "each on one core, the other asks"
    yield f"Servers alone, behind them a function that answers at once; {where}:\n"
    yield from report.table(results, clients=effort.clients)
    if not PEERS_PYTHON.exists():
        yield "\nFastMCP is left out: `make bench` installs it."
    yield ""
    yield from report.goals(results, clients=effort.clients)
    yield ""


def whole_way(effort: Effort, running: Stack) -> Iterator[str]:
    """The second table."""
    contestants = [
        Contestant(report.EMPTY_INVOKE, invocation(running.lambda_api, OUT_OF_BOUNDS, expect=REFUSED)),
        Contestant(report.INVOKE, invocation(running.lambda_api, ARGUMENTS)),
        *(Contestant(report.WHOLE[era], tools_call(running.mcp, era=era)) for era in ERAS),
    ]
    results = run(contestants, effort=effort)
    yield f"The whole way: {NAME} with a cached query vector, all processes on the {os.cpu_count()} cores:\n"
    yield from report.table(results, clients=effort.clients)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hops", description=__doc__)
    parser.add_argument("--fronts", action="store_true", help="only the first table, which needs no database")
    fronts_only = parser.parse_args().fronts
    effort = QUICK if os.environ.get("QUICK") else FULL
    with TemporaryDirectory(prefix="quarry-bench-") as logs:
        for line in fronts(effort, Path(logs)):
            print(line, flush=True)
    if not fronts_only:
        with stack_of(read_settings(os.environ).data_dir) as stack:
            for line in whole_way(effort, stack):
                print(line, flush=True)


if __name__ == "__main__":
    run_command(main)
