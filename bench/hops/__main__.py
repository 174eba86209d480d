"""`make bench`: each hop alone and together, beside its floor and beside FastMCP; QUICK=1 for a glance."""

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.hops import chain, fronts
from bench.hops.rounds import Effort
from bench.stack import stack_of
from local.failure import LocalError
from local.files import add_import_roots
from local.settings import read_settings

FULL = Effort(clients=(1, 8, 32), seconds=0.8, rounds=3)
QUICK = Effort(clients=(1, 8), seconds=0.2, rounds=1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hops", description=__doc__)
    parser.add_argument("--fronts", action="store_true", help="only the first table, which needs no database")
    fronts_only = parser.parse_args().fronts
    effort = QUICK if os.environ.get("QUICK") else FULL
    add_import_roots()
    try:
        with TemporaryDirectory(prefix="quarry-bench-") as folder:
            for line in fronts.tables(effort, Path(folder)):
                print(line, flush=True)
            if not fronts_only:
                with stack_of(read_settings(os.environ).data_dir) as stack:
                    for line in chain.tables(effort, Path(folder), stack):
                        print(line, flush=True)
    except LocalError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
