"""`make bench` in its quick form: it still measures what it says."""

import os
import subprocess
import sys

import pytest

from bench import hops
from local.files import IMPORT_ROOTS, ROOT
from local.stack import Stack

PATHS = os.pathsep.join(map(str, IMPORT_ROOTS))


@pytest.mark.slow
def test_the_hop_table_has_every_hop_beside_an_invocation_that_does_nothing(stack: Stack) -> None:
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
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    times = {cells[0]: cells[-1] for cells in rows}
    assert {hops.EMPTY_INVOKE, hops.INVOKE, hops.MODERN, hops.LEGACY} <= times.keys()
    assert times[hops.EMPTY_INVOKE] == "1.0"
    assert float(times[hops.MODERN]) > 1
