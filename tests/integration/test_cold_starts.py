"""`make bench-cold` of every function: what its imports bring, and how much it ships."""

import os
import subprocess
import sys

import pytest

from local.files import IMPORT_ROOTS, ROOT
from tests.e2e.sample_calls import ONE_CALL_OF_EACH

READERS = ("file_open", "load_check", "load", "loads", "load_undo", "trade_check", "ingest")
"""Of files, which lie in S3."""

USES = {name: ["boto3", "botocore"] for name in ("quote_pdf", "draft_get", *READERS)}

SHIPS_MORE = {
    **{"quote_pdf": 248, "draft_get": 248, "ask": 100, "golden_canary": 100, "proxy": 100},
    **dict.fromkeys(READERS, 110),
}
"""Megabytes, of the 262 that Lambda takes: fonts and Word for letters, readers of files for ingest, MCP."""


@pytest.mark.slow
def test_no_tool_imports_an_sdk_before_it_needs_one_nor_ships_what_it_does_not_use() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.cold", "--runs", "1"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS))},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()]
    measured = {row[0]: row for row in rows if len(row) == 10}
    for tool in ONE_CALL_OF_EACH:
        packages = [part.partition(" (")[0] for part in measured[tool][-1].split(", ")]
        assert packages == USES.get(tool, ["-"]), tool
    for function, row in measured.items():
        if row[7].endswith(" MB"):
            assert float(row[7].removesuffix(" MB")) < SHIPS_MORE.get(function, 56), f"{function} ships {row[7]}"
