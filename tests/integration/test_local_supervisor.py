"""The supervisor over real processes that stand in for the stack's."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil
import pytest

from local.files import IMPORT_ROOTS

PROGRAM = Path(__file__).with_name("stand_in_stack.py")

Start = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def start_one(kind: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS))}
        command = [sys.executable, str(PROGRAM), str(tmp_path), kind]
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.kill()
        process.communicate()


def awaited(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while not (value := condition()):
        assert time.monotonic() < deadline, "did not happen within a minute"
        time.sleep(0.02)
    return value


def ready(folder: Path) -> dict[str, Any] | None:
    file = folder / "ready.json"
    return json.loads(file.read_text()) if file.exists() else None


def is_gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_that_was_asked_for_ends_every_process_and_returns_zero(
    start: Start, tmp_path: Path, signum: signal.Signals
) -> None:
    process = start("steady")
    pids = awaited(lambda: ready(tmp_path))["pids"]
    process.send_signal(signum)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert all(is_gone(pid) for pid in pids.values())
    assert "[3/3] count: counted in " in said
    assert said.index("[1/3] first: ready") < said.index("[3/3] count: counting")


def test_a_killed_process_comes_back_on_its_port_and_the_others_stay(start: Start, tmp_path: Path) -> None:
    process = start("steady")
    before = awaited(lambda: ready(tmp_path))
    os.kill(before["pids"]["second"], signal.SIGKILL)
    after = awaited(lambda: (now := ready(tmp_path)) and now["pids"] != before["pids"] and now)
    assert after["pids"]["first"] == before["pids"]["first"]
    assert urlopen(f"http://127.0.0.1:{before['ports']['second']}/").status == 200
    process.terminate()
    said, _ = process.communicate(timeout=60)
    assert "second was killed by SIGKILL; starting it again in 0.1 s." in said
    assert "second is back." in said


def test_a_process_that_has_served_is_started_again_however_often_it_dies(start: Start, tmp_path: Path) -> None:
    process = start("steady")
    pids = {awaited(lambda: ready(tmp_path))["pids"]["second"]}
    for _ in range(6):
        os.kill(newest(tmp_path), signal.SIGKILL)
        pids.add(awaited(lambda: next((pid for pid in [newest(tmp_path)] if pid not in pids), None)))
    assert process.poll() is None


def newest(folder: Path) -> int:
    now = ready(folder)
    assert now is not None
    pid = now["pids"].get("second", 0)
    return int(pid)


def test_nothing_outlives_a_killed_supervisor_and_the_next_one_starts(start: Start, tmp_path: Path) -> None:
    process = start("steady")
    pids = awaited(lambda: ready(tmp_path))["pids"]
    process.kill()
    process.wait()
    awaited(lambda: all(is_gone(pid) for pid in pids.values()))
    (tmp_path / "ready.json").unlink()
    start("steady")
    assert awaited(lambda: ready(tmp_path))["pids"] != pids


def test_a_process_that_keeps_dying_ends_the_stack_with_its_last_words(start: Start, tmp_path: Path) -> None:
    process = start("crashing")
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "second ended with exit code 1, 5 times within 30 s." in said
    assert "| the stand-in has nothing to serve" in said


def test_a_process_that_ignores_the_stop_signal_is_killed(start: Start, tmp_path: Path) -> None:
    process = start("stubborn")
    pids = awaited(lambda: ready(tmp_path))["pids"]
    process.terminate()
    said, _ = process.communicate(timeout=60)
    assert "second does not stop by itself; killing it." in said
    assert is_gone(pids["second"])


def test_a_second_supervisor_on_the_same_folder_names_the_first(start: Start, tmp_path: Path) -> None:
    first = start("steady")
    awaited(lambda: ready(tmp_path))
    said, _ = start("steady").communicate(timeout=60)
    assert f"A stack is already running on {tmp_path} (process {first.pid})" in said
