"""Children that end with the process that started them."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from local import lifeline

CHILD = """
import time
from local.lifeline import die_with_parent
die_with_parent()
print("tied", flush=True)
time.sleep(60)
"""
PARENT = f"""
import os, subprocess, sys, time
from local.lifeline import child_environment
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], env=child_environment(os.environ), stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""


def wait_until_gone(pid: int, *, seconds: float) -> bool:
    """A zombie counts as gone: whoever adopted it may be slow to collect it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with Path(f"/proc/{pid}/stat").open() as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_a_child_ends_when_its_parent_is_killed_with_signal_nine() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert wait_until_gone(child, seconds=60)


def test_a_child_whose_parent_is_already_gone_stops_at_once() -> None:
    environment = {**os.environ, lifeline.PARENT_VARIABLE: "1073741824"}
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "(1073741824) is gone" in done.stderr


def test_the_parent_variable_does_not_reach_grandchildren(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import os; from local import lifeline as l; l.die_with_parent(); print(l.PARENT_VARIABLE in os.environ)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=lifeline.child_environment(os.environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "False"


def test_the_portable_watch_sends_the_signal_when_the_parent_changes() -> None:
    received = threading.Event()
    previous = signal.signal(signal.SIGUSR1, lambda *_: received.set())
    try:
        lifeline._watch(1073741824, signal.SIGUSR1)
        assert received.wait(60)
    finally:
        signal.signal(signal.SIGUSR1, previous)
