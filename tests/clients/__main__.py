"""`make clients`: MCP clients that are not ours do with the running stack what their users do.

Prints a line per check. Exit code 1 when one failed, 2 when none could begin.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from local.failure import LocalError
from local.settings import read_settings
from local.stack import Stack, require
from tests.clients.observing import Task
from tests.clients.programs import PROGRAMS, TYPESCRIPT, Program, Sight, watch
from tests.clients.verdicts import JUDGES, Fault
from tests.e2e.sample_calls import ONE_CALL_OF_EACH
from tests.fronts import guarded_front, keys
from tests.npm import InstallError

SEARCH = "search_equipment"
KEY_OPENS = "equipment:read"


@contextmanager
def tasks(stack: Stack) -> Iterator[Callable[[str], Task]]:
    """What to do, in an era."""
    key = keys(stack.data_dir, "create", "for make clients", "--scopes", KEY_OPENS, "--days", "1").split()[0]
    with guarded_front(stack.data_dir) as guarded:
        yield lambda era: Task(
            url=stack.mcp,
            era=era,
            search={"name": SEARCH, "arguments": ONE_CALL_OF_EACH[SEARCH]},
            failing={"name": "get_product", "arguments": {"model": "QMB3O"}},
            resource="quarry://templates/quote",
            templated="kxhub://chunks/by-author/Ida%20Marrow",
            prompt={"name": "draft_quote", "arguments": {"request": "a dryer"}},
            completion={
                "ref": {"type": "ref/resource", "uri": "kxhub://chunks/by-author/{author}"},
                "argument": {"name": "author", "value": "ida"},
            },
            guarded_url=f"{guarded}/mcp",
            key=key,
            wrong_key=key[:-1] + "_",
        )


def passed(program: Program, *, era: str, task: Task) -> list[bool]:
    """A verdict for each thing the program should have seen, printed as it comes."""
    verdicts: list[bool] = []
    expected = list(program.sees)
    started = time.monotonic()
    for sight in watch(program, asdict(task)):
        verdict, said = judged(sight, expected, era=era)
        verdicts.append(verdict == "ok  ")
        seconds = time.monotonic() - started
        print(f"{verdict}  {program.title:<25} {era:<6}  {sight.what:<17} {seconds:4.1f} s  {said}", flush=True)
        started = time.monotonic()
    for what in expected:
        verdicts.append(False)
        print(f"FAIL  {program.title:<25} {era:<6}  {what:<17}         it did not come to this", flush=True)
    return verdicts


def judged(sight: Sight, expected: list[str], *, era: str) -> tuple[str, str]:
    if sight.what in expected:
        expected.remove(sight.what)
    try:
        return "ok  ", JUDGES[sight.what](sight.value, era)
    except Fault as fault:
        return "FAIL", str(fault)
    except (LookupError, TypeError, AttributeError) as fault:
        return "FAIL", f"unreadable ({type(fault).__name__}: {fault}): {str(sight.value)[:200]}"


def main() -> int:
    try:
        stack = require(read_settings().data_dir)
        TYPESCRIPT.install()
    except (InstallError, LocalError) as failure:
        print(failure, file=sys.stderr)
        return 2
    started = time.monotonic()
    verdicts: list[bool] = []
    with tasks(stack) as of_era:
        for program in PROGRAMS:
            for era in program.eras:
                verdicts += passed(program, era=era, task=of_era(era))
    failed = f"{verdicts.count(False)} of {len(verdicts)} checks failed"
    print(f"{'all checks passed' if all(verdicts) else failed}, {time.monotonic() - started:.0f} s")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
