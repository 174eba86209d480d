"""A process's output through a real pipe: its lines, and the tail of one invocation."""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from local.lambda_api.logs import LogPipe


def through_a_pipe(use: Callable[[LogPipe], None]) -> None:
    async def run() -> None:
        pipe = LogPipe(prefix="f")
        use(pipe)
        pipe.close()

    asyncio.run(run())


def test_output_is_forwarded_in_whole_lines_with_the_functions_name(capsys: pytest.CaptureFixture[str]) -> None:
    def use(pipe: LogPipe) -> None:
        os.write(pipe.write_end, b"one\ntw")
        pipe.drain()
        assert capsys.readouterr().err == "f | one\n"
        os.write(pipe.write_end, "o\nthrée".encode())
        pipe.drain()

    through_a_pipe(use)
    assert capsys.readouterr().err == "f | two\nf | thrée\n"


def test_a_full_disk_costs_the_line_and_not_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    tails: list[bytes] = []

    def use(pipe: LogPipe) -> None:
        pipe.platform("START")
        os.write(pipe.write_end, b"during\n")
        pipe.platform("END")
        tails.append(pipe.tail())

    with suppress(OSError), Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        through_a_pipe(use)
        monkeypatch.undo()
    assert tails == [b"START\nduring\nEND\n"]


def test_a_tail_holds_one_invocation_up_to_the_moment_it_is_asked_for() -> None:
    tails: list[bytes] = []

    def use(pipe: LogPipe) -> None:
        os.write(pipe.write_end, b"before\n")
        pipe.begin()
        pipe.platform("START")
        os.write(pipe.write_end, b"during\n")
        pipe.platform("END")
        tails.append(pipe.tail())

    through_a_pipe(use)
    assert tails == [b"START\nduring\nEND\n"]


def test_a_tail_is_the_last_four_kilobytes() -> None:
    tails: list[bytes] = []

    def use(pipe: LogPipe) -> None:
        os.write(pipe.write_end, b"a" * 5000 + b"z" * 10)
        pipe.drain()
        tails.append(pipe.tail())

    through_a_pipe(use)
    assert tails == [b"a" * 4086 + b"z" * 10]


def test_the_runtimes_carriage_returns_become_line_ends(capsys: pytest.CaptureFixture[str]) -> None:
    def use(pipe: LogPipe) -> None:
        os.write(pipe.write_end, b"[ERROR] x\rTraceback\r  File\n")
        pipe.drain()

    through_a_pipe(use)
    assert capsys.readouterr().err == "f | [ERROR] x\nf | Traceback\nf |   File\n"


def test_the_end_of_the_writer_closes_the_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    def use(pipe: LogPipe) -> None:
        os.write(pipe.write_end, b"last words")
        pipe.close_write_end()
        pipe.drain()
        assert capsys.readouterr().err == "f | last words\n"

    through_a_pipe(use)
