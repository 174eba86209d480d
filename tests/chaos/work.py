"""Clients that read and write without pause, repeat what they were not told the outcome of, and keep a record."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from local.stack import Stack
from tests.fuzz.generating import MODERN, request

READ = ("search_equipment", {"query": "oilless compressor 30 hp", "top_k": 5})
WRITERS, READERS = 3, 3
ATTEMPT_SECONDS = 40
_numbers = count(1)


@dataclass
class Record:
    """``written`` are the keys whose quote was acknowledged, with its id; times are of time.monotonic(), those of a
    success its beginning and its end.
    """

    written: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    successes: list[tuple[float, float, str]] = field(default_factory=list)
    failures: list[tuple[float, float, str]] = field(default_factory=list)

    def recovered_after(self, moment: float) -> float:
        """Seconds from then until a read and a write that began later had succeeded."""
        after = [success for success in self.successes if success[0] > moment]
        first = (
            min((at for _, at, what in after if what == kind), default=float("inf")) for kind in ("read", "write")
        )
        return max(first) - moment


@dataclass
class Front:
    url: str

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured answer. Raises OSError, HTTPException or LookupError for what is none."""
        case = request("tools/call", {"name": tool, "arguments": arguments}, era=MODERN)
        address = urlsplit(self.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=ATTEMPT_SECONDS)
        try:
            connection.request("POST", "/mcp", case.body, case.headers)
            body = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        result = body.get("result", {})
        if result.get("isError") or "structuredContent" not in result:
            raise LookupError(str(result.get("content") or body.get("error"))[:200])
        answer: dict[str, Any] = result["structuredContent"]
        return answer


def models(answer: dict[str, Any]) -> list[str]:
    return [str(hit.get("model")) for hit in answer.get("results", answer.get("hits", []))]


@contextmanager
def working(front: Front, order: dict[str, Any], *, right: list[str]) -> Iterator[Record]:
    """While it lasts, readers compare with ``right`` and writers create one quote per idempotency key."""
    record, over = Record(), threading.Event()

    def read() -> None:
        while not over.is_set():
            _timed(record, "read", lambda: _read(front, record, right))
            time.sleep(0.02)

    def write() -> None:
        while not over.is_set():
            key = f"chaos-{next(_numbers)}-{time.time_ns()}"
            arguments = {**order, "notes": key, "idempotency_key": key}
            attempt = partial(_write, front, record, arguments, key)
            give_up = time.monotonic() + 120
            while not _timed(record, "write", attempt) and time.monotonic() < give_up:
                time.sleep(0.1)

    threads = [threading.Thread(target=what, daemon=True) for what in [read] * READERS + [write] * WRITERS]
    for thread in threads:
        thread.start()
    try:
        yield record
    finally:
        over.set()
        for thread in threads:
            thread.join(150)


def _timed(record: Record, kind: str, attempt: Any) -> bool:
    began = time.monotonic()
    try:
        attempt()
    except (OSError, http.client.HTTPException, LookupError, ValueError) as error:
        record.failures.append((began, time.monotonic() - began, f"{kind}: {str(error)[:120]}"))
        return False
    record.successes.append((began, time.monotonic(), kind))
    return True


def _read(front: Front, record: Record, right: list[str]) -> None:
    answer = front.call(*READ)
    if models(answer) != right and not answer.get("degraded"):
        record.wrong.append(str(models(answer)))


def _write(front: Front, record: Record, arguments: dict[str, Any], key: str) -> None:
    record.written[key] = str(front.call("quote_create", arguments)["quote"]["id"])


def lost_and_doubled(stack: Stack, record: Record) -> tuple[int, int]:
    """Of the acknowledged writes those without their row, and keys with more than one quote."""
    import psycopg  # the harness's own process needs it for nothing else

    with psycopg.connect(stack.database.dsn) as connection:
        rows = connection.execute(
            "SELECT notes, count(DISTINCT quote_id), min(quote_id) FROM cpq.quote_versions "
            "WHERE notes LIKE 'chaos-%' GROUP BY notes"
        ).fetchall()
    held = {notes: (number, quote) for notes, number, quote in rows}
    lost = sum(1 for key, quote in record.written.items() if held.get(key, (0, ""))[1] != quote)
    return lost, sum(1 for number, _ in held.values() if number > 1)
