"""The local view of the metrics: what functions write for CloudWatch, read from their log."""

import io
import json
from pathlib import Path

import pytest

from local.metrics import Ledger
from local.serve.console import Console
from local.serve.schedules import tell
from quarry.observation import metrics
from quarry.observation.metrics import Measured, Metric


def line(tool: str, measured: Measured, *, outcome: str = "ok", ms: float = 10.0) -> str:
    """As the Lambda API forwards a function's log line."""
    told = {"message": "call", "outcome": outcome, "ms": ms, **metrics.embedded(measured, stack="quarry", tool=tool)}
    return f"quarry-{tool} | {json.dumps(told)}\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "lambda.log"
    path.write_text("", "utf-8")
    return path


def search(*, hits: int, good: int, cached: int, ms: float = 10.0) -> str:
    measured: Measured = {Metric.CALLS: 1, Metric.HITS: hits, Metric.LIKELY_GOOD: good, Metric.CACHE_HITS: cached}
    return line("search", {**measured, Metric.DEGRADED: 0}, ms=ms)


def test_calls_are_tallied_tool_by_tool(log: Path) -> None:
    log.write_text(
        search(hits=3, good=2, cached=0, ms=100)
        + search(hits=5, good=1, cached=1, ms=20)
        + line("get_product", {Metric.CALLS: 1, Metric.ERRORS: 1}, outcome="NOT_FOUND", ms=4)
        + "quarry-search | START RequestId: 1\nnot from a function\n",
        "utf-8",
    )
    ledger = Ledger(log)
    assert ledger.catch_up()
    head, product, searched = ledger.lines()
    assert head.split()[:4] == ["tool", "calls", "p50", "p95"]
    assert product.split() == ["get_product", "1", "4", "ms", "4", "ms", "1", "NOT_FOUND"]
    assert searched.split() == ["search", "2", "60", "ms", "96", "ms", "4.0", "3/0/0", "50%", "0"]


def test_operations_are_no_calls_and_the_queue_is_told_by_its_last_state(log: Path) -> None:
    for depth in (7, 2):
        with log.open("a") as file:
            file.write(line("embed_pending", {Metric.RUN_TIME: 5, Metric.QUEUE_DEPTH: depth, Metric.DEAD_LETTERS: 1}))
    ledger = Ledger(log)
    assert not ledger.catch_up()
    assert list(ledger.lines()) == []
    with log.open("a") as file:
        file.write(search(hits=0, good=0, cached=1))
    assert ledger.catch_up()
    assert [*ledger.lines()][-1] == "embedding queue: 2 rows wait, 1 were refused for good"


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(log: Path) -> None:
    whole = search(hits=1, good=1, cached=1)
    log.write_text(whole[:80], "utf-8")
    ledger = Ledger(log)
    assert not ledger.catch_up()
    log.write_text(whole, "utf-8")
    assert ledger.catch_up()
    assert not ledger.catch_up()


def test_nothing_is_told_twice(log: Path) -> None:
    out = io.StringIO()
    ledger = Ledger(log)
    log.write_text(search(hits=1, good=1, cached=1), "utf-8")
    tell(ledger, Console(out))
    said = out.getvalue()
    assert "Since the start:" in said
    tell(ledger, Console(out))
    assert out.getvalue() == said
