"""`make bench` and `make bench-cold`, in their quick form: they still measure what they say."""

import os
import subprocess
import sys

from bench.hops import report
from bench.hops.processes import PEERS_PYTHON
from local.files import IMPORT_ROOTS, ROOT
from local.stack import Stack
from tests.e2e.sample_calls import ONE_CALL_OF_EACH

USES = {"quote_pdf": ["boto3", "botocore"]}

SHIPS_MORE = {"quote_pdf": 230, "ask": 100, "golden_canary": 100, "proxy": 100}
"""Megabytes, of the 250 that Lambda takes: typesetting has its fonts, the others have MCP."""

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
    for names in (report.FLOOR, report.PROXY, report.WHOLE, *([report.PEER] if PEERS_PYTHON.exists() else [])):
        assert set(names.values()) <= set(rows)
    assert {report.INVOCATION, report.STARLETTE, report.EMPTY_INVOKE, report.INVOKE} <= set(rows)
    goals = [line for line in printed.splitlines() if line.startswith("- ")]
    assert len(goals) == (6 if PEERS_PYTHON.exists() else 4)
    assert all(goal.startswith(("- reached: ", "- missed: ")) for goal in goals)


def test_no_tool_imports_an_sdk_before_it_needs_one_nor_ships_what_it_does_not_use() -> None:
    rows = [line.strip("| ").split(" | ") for line in run("bench.cold", "--runs", "1").splitlines()]
    measured = {row[0]: row for row in rows if len(row) == 10}
    for tool in ONE_CALL_OF_EACH:
        packages = [part.partition(" (")[0] for part in measured[tool][-1].split(", ")]
        assert packages == USES.get(tool, ["-"]), tool
    for function, row in measured.items():
        if row[7].endswith(" MB"):
            assert float(row[7].removesuffix(" MB")) < SHIPS_MORE.get(function, 52), f"{function} ships {row[7]}"
