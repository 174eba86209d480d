"""`make mutants`: changes what is deployed in one place at a time and says which changes nothing notices.

A kind of change is made in at most MOST places, always the same ones. Exit code 1 where one survives that
survivors.yaml does not list with a reason, or where a reason is given for none.
"""

import argparse
import hashlib
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from queue import Empty, SimpleQueue

import yaml

from local.files import ROOT
from local.manifest.__main__ import generated
from tests.mutants.database import BY_DRIFT, UNCHANGED, Statement, migrated
from tests.mutants.kinds import FILES, MANIFEST, TEMPLATE, Mutant, mutants
from tests.mutants.noticing import Noticing, noticing

MOST = 4
PROCESSES = 2
DRIFTED = "test_a_generated_file_is_what_the_code_says"
SURVIVORS: dict[str, str] = yaml.safe_load(Path(__file__).with_name("survivors.yaml").read_text("utf-8")) or {}
"""Why nothing needs to notice a change, by a pattern of its name."""

Noticed = dict[Mutant | Statement, str]
"""Which test failed, or nothing."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--most", type=int, default=MOST, help="places of each kind")
    parser.add_argument("--seed", default="", help="takes other places")
    parser.add_argument("--only", default="", help="kinds whose name holds this pattern")
    options = parser.parse_args()
    started = time.monotonic()
    texts = {file: (ROOT / file).read_text("utf-8") for file in FILES}
    of_files = chosen(
        (each for file, text in texts.items() for each in mutants(file, text) if re.search(options.only, each.kind)),
        most=options.most,
        seed=options.seed,
    )
    noticed: Noticed = {}
    made = generated()[ROOT / MANIFEST]
    with ExitStack() as stack, ThreadPoolExecutor(PROCESSES) as pool:
        processes = [stack.enter_context(noticing()) for _ in range(PROCESSES)]
        waiting: SimpleQueue[Mutant] = SimpleQueue()
        for each in of_files:
            if each.file == MANIFEST:
                noticed[each] = DRIFTED if each.of(texts[MANIFEST]) != made else ""
            else:
                waiting.put(each)
        with migrated() as database:
            if failing := processes[0].fails_unchanged(texts[TEMPLATE]) or database.noticed_by(UNCHANGED):
                print(f"FAILS without a change, and so would notice all: {failing}")
                return 1
            working = [pool.submit(ask, process, waiting, texts, noticed) for process in processes]
            statements = [each for each in database.mutants() if re.search(options.only, each.kind)]
            for statement in chosen(statements, most=options.most, seed=options.seed):
                noticed[statement] = database.noticed_by(statement)
                if not noticed[statement]:
                    print(f"passed  {statement.name}", file=sys.stderr, flush=True)
        for work in working:
            work.result()
    whole = (options.most, options.seed, options.only) == (MOST, "", "")
    return told(noticed, seconds=time.monotonic() - started, whole=whole)


def chosen[M: (Mutant, Statement)](found: Iterable[M], *, most: int, seed: str) -> list[M]:
    """Those of a kind that come first in an order which does not change when others are added."""
    by_kind: dict[str, list[M]] = defaultdict(list)
    for each in found:
        by_kind[each.kind].append(each)

    def place(each: M) -> bytes:
        return hashlib.sha256(f"{seed}{each.name}".encode()).digest()

    return [each for of_kind in by_kind.values() for each in sorted(of_kind, key=place)[:most]]


def ask(process: Noticing, waiting: "SimpleQueue[Mutant]", texts: dict[str, str], noticed: Noticed) -> None:
    """Takes mutants until there are none."""
    while True:
        try:
            mutant = waiting.get_nowait()
        except Empty:
            return
        noticed[mutant] = process.noticed_by(mutant, mutant.of(texts[mutant.file]))
        if not noticed[mutant]:
            print(f"passed  {mutant.name}", file=sys.stderr, flush=True)


def told(noticed: Noticed, *, seconds: float, whole: bool) -> int:
    """The exit code."""
    rows = sorted((each.kind, by, each.name) for each, by in noticed.items())
    print("| kind | mutants | noticed | by drift alone | survived |\n|---|---|---|---|---|")
    for kind, group in groupby(rows, key=lambda row: row[0]):
        tests = [by for _, by, _ in group]
        drifted = sum(BY_DRIFT in by or DRIFTED in by for by in tests)
        print(f"| {kind} | {len(tests)} | {sum(map(bool, tests))} | {drifted} | {tests.count('')} |")
    survivors = [name for _, by, name in rows if not by]
    excused = {name: pattern for name in survivors for pattern in SURVIVORS if re.search(pattern, name)}
    idle = [pattern for pattern in SURVIVORS if pattern not in excused.values()] if whole else []
    print(f"\n{len(rows)} mutants of {len({row[0] for row in rows})} kinds, {seconds:.0f} s.")
    for name in survivors:
        print(f"{'excused' if name in excused else 'SURVIVED'}  {name}")
    for pattern in idle:
        print(f"IDLE  {pattern}: no mutant survives that it would excuse")
    return 1 if idle or len(survivors) > len(excused) else 0


if __name__ == "__main__":
    sys.exit(main())
