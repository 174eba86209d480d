"""`make bench-cold` of every function: what its imports bring."""

import os
import subprocess
import sys

import pytest

from local.files import IMPORT_ROOTS, ROOT
from tests.e2e.sample_calls import ONE_CALL_OF_EACH

READERS = ("file_open", "load_check", "load", "loads", "load_undo", "trade_check", "ingest")
"""Of files, which lie in S3."""

USES = {name: ["boto3", "botocore"] for name in ("quote_pdf", "draft_get", *READERS)}


@pytest.mark.slow
def test_no_tool_imports_an_sdk_before_it_needs_one() -> None:
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
    measured = {row[0]: row for row in rows if len(row) == 5}
    for tool in ONE_CALL_OF_EACH:
        packages = [part.partition(" (")[0] for part in measured[tool][-1].split(", ")]
        assert packages == USES.get(tool, ["-"]), tool
