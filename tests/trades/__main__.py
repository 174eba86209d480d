"""Every trade of this folder asked of a deployment of its own, as needs and as text, beside the plain judge."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from local.stack import Database
from tests.servers import new_embeddings, new_postgres
from tests.trades.asking import Answer, ask
from tests.trades.baseline import PlainJudge
from tests.trades.figures import ALL, DEPTH, Outcome, failure, figures, plainly, table
from tests.trades.loading import TRADES, trade_deployment
from tests.trades.requests import Judged, read_requests

WAYS = ("needs", "text", "plain")
TITLES = {
    "needs": "as needs",
    "text": "as text",
    "plain": "plain judge, as needs",
}


def main() -> int:
    arguments = _arguments()
    with new_postgres() as postgres, new_embeddings() as url:
        for name in arguments.names:
            for way, outcomes in _asked(postgres, url, TRADES / name, ways=arguments.ways or WAYS):
                _print(name, way, outcomes, arguments)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.trades", description=__doc__)
    every = sorted(path.parent.name for path in TRADES.glob("*/requests.yaml"))
    parser.add_argument("names", nargs="*", help=f"of {', '.join(every)}", default=every)
    parser.add_argument("--as", dest="ways", action="append", choices=WAYS, help="one way of asking alone")
    parser.add_argument("--kinds", action="store_true", help="a line for each kind of request")
    parser.add_argument("--failures", action="store_true", help="show what fails, row by row")
    return parser.parse_args()


def _asked(postgres: Database, url: str, folder: Path, *, ways: Sequence[str]) -> Iterator[tuple[str, list[Outcome]]]:
    every = read_requests(folder)
    if set(ways) - {"plain"}:
        with (
            trade_deployment(postgres, url, folder) as deployment,
            deployment.serving("quarry_read", LOG_LEVEL="ERROR"),
        ):
            for way in (one for one in ways if one != "plain"):
                yield way, [Outcome(one, answered(one, way=way)) for one in every]
    if "plain" in ways:
        judge = PlainJudge(folder)
        yield "plain", [Outcome(one, plainly(judge, one.request.tool, one.request)) for one in every]


def answered(one: Judged, *, way: str) -> Answer:
    """Within `Deployment.serving`."""
    request = one.request
    sent = request.arguments() if way == "needs" else {"query": request.ask}
    return ask(request.tool, sent, depth=DEPTH)


def _print(name: str, way: str, outcomes: Sequence[Outcome], arguments: argparse.Namespace) -> None:
    if arguments.failures:
        print("\n\n".join(failure(one) for one in outcomes if one.fails), end="\n\n")
    found = figures(outcomes)
    if arguments.kinds:
        kinds = {one.judged.kind for one in outcomes}
        found = {
            kind: figures([one for one in outcomes if one.judged.kind == kind])[ALL] for kind in sorted(kinds)
        } | found
    print(f"## {name}, {TITLES[way]}\n\n{table(found)}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
