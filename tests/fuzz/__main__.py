"""`make fuzz`: 20,000 generated requests against a stack of their own (CASES=n, SEED=n); what fails is printed once.

Each line printed can go into tests/fuzz/cases.jsonl, whose cases are asked by every run of the tests.
"""

import argparse
import json
import random
import sys
import time
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Semaphore

from hypothesis import HealthCheck, Phase, given, seed, settings

from local.stack import require
from tests.fuzz.asking import Asker
from tests.fuzz.generating import CASES, Case
from tests.house import new_house

CLIENTS = 8
KEPT = Path(__file__).with_name("cases.jsonl")


def kept_cases() -> list[Case]:
    return [Case.of_json(json.loads(line)) for line in KEPT.read_text("utf-8").splitlines() if line]


def fuzz(asker: Asker, *, cases: int, number: int) -> Counter[str]:
    """How many cases of each kind were asked."""
    asked: Counter[str] = Counter()
    room = Semaphore(2 * CLIENTS)

    @seed(number)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(CASES)
    def one(case: Case) -> None:
        asked[case.kind.partition(" ")[2] or case.kind] += 1
        room.acquire()
        pool.submit(asker.ask, case).add_done_callback(lambda _: room.release())

    with ThreadPoolExecutor(CLIENTS) as pool:
        one()
    return asked


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    options = parser.parse_args()
    with new_house() as house:
        asker = Asker(require(house.data_dir).mcp.removesuffix("/mcp"))
        started = time.monotonic()
        asked = fuzz(asker, cases=options.cases, number=options.seed)
        seconds = time.monotonic() - started
        with urllib.request.urlopen(f"{asker.url}/healthz", timeout=60) as healthy:  # noqa: S310 - our own URL
            alive = healthy.status == 200
    print(f"{sum(asked.values()):,} cases in {seconds:.0f} s, seed {options.seed}: {dict(asked)}")
    for wrong, case in asker.found.items():
        print(f"\n{wrong}\n{json.dumps(case.as_json())}")
    print(f"\n{len(asker.found)} kinds of failure; the front {'lives' if alive else 'IS DEAD'}.")
    return 1 if asker.found or not alive else 0


if __name__ == "__main__":
    sys.exit(main())
