"""`make related`: the judged contexts against a deployment of its own; figures per form, failures, floors."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from tests.deployment import new_deployment
from tests.e2e.visits import ERAS
from tests.related.judged import (
    Outcome,
    meets_floors,
    outcomes,
    outcomes_over_mcp,
    put_sample_stories,
    read_cases,
    share,
)
from tests.servers import new_embeddings, new_postgres


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.related", description=__doc__)
    parser.add_argument("--split", choices=("tune", "check"), help="only the half to learn on, or to report on")
    parser.add_argument("--failures", action="store_true", help="show what failed")
    parser.add_argument("--url", help="an MCP endpoint with the sample stories, asked as clients of both eras do")
    arguments = parser.parse_args()
    cases = [case for case in read_cases() if arguments.split in (None, case.split)]
    if arguments.url:
        asked = (asyncio.run(outcomes_over_mcp(cases, url=arguments.url, mode=mode)) for mode in ERAS)
        return max(_told(found, failures=arguments.failures) for found in asked)
    with new_postgres() as postgres, new_embeddings() as url, new_deployment(postgres, url) as deployment:
        put_sample_stories(deployment)
        with deployment.serving("quarry_read", LOG_LEVEL="ERROR"):
            found = outcomes(cases)
    return _told(found, failures=arguments.failures)


def _told(found: Sequence[Outcome], *, failures: bool) -> int:
    if failures:
        print(*(one.line() for one in found if not one.right), sep="\n")
    print(table(found))
    return 0 if meets_floors(found) else 1


def table(found: Sequence[Outcome]) -> str:
    """The two figures for each half and for both."""
    lines = [f"{'':8} {'P@1 where about something':>28} {'empty where about nothing':>28}"]
    for split in ("tune", "check", None):
        if any(split in (None, one.case.split) for one in found):
            figures = (share(found, split=split, something=something) for something in (True, False))
            lines.append(f"{split or 'both':8} " + " ".join(f"{figure:28.3f}" for figure in figures))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
