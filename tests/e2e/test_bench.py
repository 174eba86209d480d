"""`make bench` and `make bench-cold`, in their quick form: they still measure what they say."""

import os
import subprocess
import sys

from bench.hops import report
from local.files import IMPORT_ROOTS, ROOT
from local.stack import Stack
from tests.e2e.sample_calls import ONE_CALL_OF_EACH

PATHS = os.pathsep.join(map(str, IMPORT_ROOTS))


def run(*arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "PYTHONPATH": PATHS, **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_hop_table_has_every_hop_and_says_of_each_goal_whether_it_is_reached(stack: Stack) -> None:
    printed = run("bench.hops", DATA_DIR=str(stack.data_dir), QUICK="1")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in printed.splitlines() if line.startswith("| ")]
    for names in (report.FLOOR, report.PROXY, report.WHOLE):
        assert set(names.values()) <= set(rows)
    assert {report.DOUBLE, report.SQL, report.EMPTY_INVOKE, report.INVOKE} <= set(rows)
    goals = [line for line in printed.splitlines() if line.startswith("- ")]
    assert len(goals) == 5
    assert all(goal.startswith(("- reached: ", "- missed: ")) for goal in goals)


def test_no_tool_imports_an_sdk_before_it_needs_one() -> None:
    rows = [line.strip("| ").split(" | ") for line in run("bench.cold", "--runs", "1").splitlines()]
    heavy = {row[0]: row[-1] for row in rows if len(row) == 10}
    for tool in ONE_CALL_OF_EACH:
        assert heavy[tool] == "-", tool
