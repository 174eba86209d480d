"""`make bench` in its quick form: it still measures what it says."""

import os
import subprocess
import sys

import pytest

from bench.hops import report
from bench.hops.load import PEERS_PYTHON
from local.files import IMPORT_ROOTS, ROOT
from local.stack import Stack

PATHS = os.pathsep.join(map(str, IMPORT_ROOTS))


@pytest.mark.slow
def test_the_hop_table_has_every_hop_and_says_of_each_goal_whether_it_is_reached(stack: Stack) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.hops"],
        env={**os.environ, "PYTHONPATH": PATHS, "DATA_DIR": str(stack.data_dir), "QUICK": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout
    rows = [line.split(" | ")[0].removeprefix("| ") for line in printed.splitlines() if line.startswith("| ")]
    for names in (report.FLOOR, report.PROXY, report.WHOLE, *([report.PEER] if PEERS_PYTHON.exists() else [])):
        assert set(names.values()) <= set(rows)
    assert {report.INVOCATION, report.EMPTY_INVOKE, report.INVOKE} <= set(rows)
    goals = [line for line in printed.splitlines() if line.startswith("- ")]
    assert len(goals) == (6 if PEERS_PYTHON.exists() else 4)
    assert all(goal.startswith(("- reached: ", "- missed: ")) for goal in goals)
