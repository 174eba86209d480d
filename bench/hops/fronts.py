"""The first table: servers alone, behind them a function that answers at once."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from bench.hops import messages, report
from bench.hops.processes import PEERS_PYTHON, Asker, cores, serving
from bench.hops.rounds import Contestant, Effort, over_http, run
from bench.hops.tool import ARGUMENTS, EXPECT, NAME

_ACCOUNT = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
_FUNCTION = {era: f"FastMCP with the function inside, {era}" for era in messages.ERAS}
_BEFORE = {era: f"FastMCP before the SDK's server, {era}" for era in messages.ERAS}


class Fronts:
    """The servers, each on the one core; on the other one whoever asks, and the Invoke API behind the proxy."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.contestants: list[Contestant] = []
        self.floors: dict[str, str] = {}
        self._stack = stack
        self._folder = folder
        self._own: int | None
        self._other: int | None
        self._own, self._other = cores() or (None, None)
        self._asker = stack.enter_context(Asker(["bench.hops.load"]))

    def start(
        self, module: str, *arguments: str, beside: bool = False, variables: Mapping[str, str] | None = None
    ) -> tuple[int, int]:
        """Port and pid. ``beside``: on the core of those who ask."""
        server = serving(
            f"bench.hops.{module}" if module != "proxy" else module,
            *arguments,
            log=self._folder / f"{'-'.join([module, *arguments[:1]])}.log",
            core=self._other if beside else self._own,
            python=str(PEERS_PYTHON) if module == "peers" else sys.executable,
            variables=variables,
        )
        return self._stack.enter_context(server)

    def add(self, name: str, server: tuple[int, int], request: str, *, floor: str | None = None) -> None:
        port, pid = server
        ask = over_http(self._asker, port=port, request=request, expect=EXPECT, core=self._other)
        self.contestants.append(Contestant(name, ask, pid))
        if floor is not None:
            self.floors[name] = floor


def tables(effort: Effort, folder: Path) -> Iterator[str]:
    with ExitStack() as stack:
        fronts = Fronts(stack, folder)
        _enter(fronts)
        results = run(fronts.contestants, effort=effort)
    where = "each on one core, the other asks" if cores() else "all on the same cores"
    yield f"Servers alone, behind them a function that answers at once; {where}:\n"
    names = [contestant.name for contestant in fronts.contestants]
    yield from report.table(results, names=names, clients=effort.clients, floor=fronts.floors)
    if not PEERS_PYTHON.exists():
        yield "\nFastMCP is left out: `make bench` installs it."
    yield ""
    yield from report.front_goals(results, clients=effort.clients)
    yield ""


def _enter(fronts: Fronts) -> None:
    double = fronts.start("double", "{port}", beside=True)
    fronts.add(report.DOUBLE, double, messages.invocation(f"quarry-{NAME}", ARGUMENTS))
    starlette = fronts.start("floors", "starlette", "{port}")
    fronts.add("bare Starlette", starlette, messages.tools_call(NAME, ARGUMENTS, era="modern"))
    sdk = fronts.start("floors", "sdk", "{port}")
    url = f"http://127.0.0.1:{double[0]}"
    own = {"PORT": "{port}", "AWS_ENDPOINT_URL_LAMBDA": url, **_ACCOUNT}
    proxy = fronts.start("proxy", variables=own)
    servers = [(report.FLOOR, sdk), (report.PROXY, proxy)]
    if PEERS_PYTHON.exists():
        servers.append((_FUNCTION, fronts.start("peers", "function", "{port}")))
        servers.append((_BEFORE, fronts.start("peers", "proxy", "{port}", f"http://127.0.0.1:{sdk[0]}/mcp")))
    for era in messages.ERAS:
        for names, server in servers:
            request = messages.tools_call(NAME, ARGUMENTS, era=era)
            fronts.add(names[era], server, request, floor=report.FLOOR[era])
