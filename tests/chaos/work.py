"""Clients that read and write without pause, repeat what they were not told the outcome of, and keep a record."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from local.stack import Stack
from tests.e2e.sample_calls import event
from tests.fuzz.generating import MODERN, request

READ = ("search_equipment", {"query": "oilless compressor 30 hp", "top_k": 5})
QUOTERS, DRAFTERS, READERS = 8, 8, 3
ATTEMPT_SECONDS = 40
_numbers = count(1)


@dataclass
class Record:
    """By key what was acknowledged: the id of a quote, its total once priced, the id of a draft and its versions.

    Times are of time.monotonic(), those of a success its beginning and its end.
    """

    written: dict[str, str] = field(default_factory=dict)
    priced: dict[str, Decimal] = field(default_factory=dict)
    drafted: dict[str, tuple[str, int]] = field(default_factory=dict)
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
def working(
    front: Front, order: dict[str, Any], *, right: list[str], quoters: int = QUOTERS, drafters: int = DRAFTERS
) -> Iterator[Record]:
    """While it lasts, readers compare with ``right``, and writers make one quote, or draft, per key."""
    record, over = Record(), threading.Event()

    def read() -> None:
        while not over.is_set():
            _timed(record, "read", lambda: _read(front, record, right))
            time.sleep(0.02)

    def write(steps: Steps) -> None:
        while not over.is_set():
            key = f"chaos-{next(_numbers)}-{time.time_ns()}"
            for step in steps:
                attempt = partial(step, front, record, order, key)
                give_up = time.monotonic() + 120
                while not (done := _timed(record, "write", attempt)) and time.monotonic() < give_up:
                    time.sleep(0.1)
                if not done:
                    break

    works = [read] * READERS + [partial(write, QUOTING)] * quoters + [partial(write, DRAFTING)] * drafters
    threads = [threading.Thread(target=what, daemon=True) for what in works]
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


def _quote(front: Front, record: Record, order: dict[str, Any], key: str) -> None:
    answer = front.call("quote_create", {**order, "notes": key, "idempotency_key": key})
    record.written[key] = str(answer["quote"]["id"])


def _price(front: Front, record: Record, order: dict[str, Any], key: str) -> None:
    answer = front.call("quote_price", {"quote_id": record.written[key], "idempotency_key": key})
    record.priced[key] = Decimal(str(answer["pricing"]["total"]))


def _draft(front: Front, record: Record, order: dict[str, Any], key: str) -> None:
    letter = {**event("draft_compose"), "page": f"{key}\n\nWe offer."}
    answer = front.call("draft_compose", {**letter, "idempotency_key": key})
    record.drafted[key] = answer["draft_id"], answer["version"]


def _redraft(front: Front, record: Record, order: dict[str, Any], key: str) -> None:
    draft_id, _ = record.drafted[key]
    changed = {"draft_id": draft_id, "expected_version": 1, "page": f"{key}\n\nWe offer again."}
    answer = front.call("draft_compose", {**changed, "idempotency_key": f"{key} again"})
    record.drafted[key] = answer["draft_id"], answer["version"]


def _reread(front: Front, record: Record, order: dict[str, Any], key: str) -> None:
    """Both versions, each as it was composed."""
    draft_id, newest = record.drafted[key]
    for version in range(1, newest + 1):
        letter = front.call("draft_get", {"draft_id": draft_id, "version": version})["letter"]
        if key not in letter or ("again" in letter) is not (version == newest):
            record.wrong.append(f"{draft_id} version {version}: {letter[:200]}")


Steps = tuple[Callable[[Front, Record, dict[str, Any], str], None], ...]
QUOTING: Steps = (_quote, _price)
DRAFTING: Steps = (_draft, _redraft, _reread)

QUOTES = """
    SELECT v.notes AS key, count(DISTINCT v.quote_id) AS number, min(v.quote_id) AS id,
        max((t.trace ->> 'total')::numeric) AS total
    FROM cpq.quote_versions v LEFT JOIN cpq.pricing_traces t
        ON (t.tenant, t.id) = (v.tenant, v.pricing_trace_id)
    WHERE v.notes LIKE 'chaos-%' GROUP BY v.notes
"""
DRAFTS = """
    WITH found AS (
        SELECT d.id, d.version, split_part(d.content ->> 'page', E'\n', 1) AS key, (
            SELECT count(*) FROM cpq.audit a WHERE a.tenant = d.tenant AND a.subject_id = d.id
                AND (a.after ->> 'version')::int = d.version) AS recorded
        FROM cpq.drafts d WHERE d.content ->> 'page' LIKE 'chaos-%')
    SELECT key, count(DISTINCT id) AS number, min(id) AS id, max(version) AS version,
        count(*) = max(version) * count(DISTINCT id) AND bool_and(recorded = 1) AS whole
    FROM found GROUP BY key
"""


def lost_and_doubled(stack: Stack, record: Record) -> tuple[int, int]:
    """Of the acknowledged writes those without their row, and keys with more than one quote or draft.

    A price without its trace and a draft with a hole in its versions or their audit are lost too.
    """
    import psycopg  # the harness's own process needs it for nothing else
    from psycopg.rows import dict_row

    with psycopg.connect(stack.database.dsn, row_factory=dict_row) as connection:
        quotes = {row["key"]: row for row in connection.execute(QUOTES)}
        drafts = {row["key"]: row for row in connection.execute(DRAFTS)}
    none = dict.fromkeys(("id", "total", "version"))
    lost = sum(quotes.get(key, none)["id"] != quote for key, quote in record.written.items())
    lost += sum(quotes.get(key, none)["total"] != total for key, total in record.priced.items())
    lost += sum(
        (drafts.get(key, none)["id"], drafts.get(key, none)["version"]) != draft
        for key, draft in record.drafted.items()
    )
    lost += sum(not row["whole"] for row in drafts.values())
    return lost, sum(row["number"] > 1 for row in (*quotes.values(), *drafts.values()))
