"""`python -m local.metrics`: what the running stack's tools did since its start, as CloudWatch would be told it."""

import json
import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

from local.failure import run_command
from local.settings import read_settings
from local.stack import require

_MOST_TIMES = 10_000
_CONFIDENCES = ("LikelyGood", "Analog", "ProbableMiss")


@dataclass
class Tally:
    """The counts of one tool. ``searches`` counts calls that searched, ``lookups`` those that needed a vector."""

    calls: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    times: deque[float] = field(default_factory=lambda: deque(maxlen=_MOST_TIMES))
    searches: int = 0
    hits: float = 0
    confidences: Counter[str] = field(default_factory=Counter)
    lookups: int = 0
    cached: float = 0
    degraded: float = 0

    def add(self, line: Mapping[str, Any]) -> None:
        self.calls += 1
        self.times.append(line["ms"])
        if line["outcome"] != "ok":
            self.errors[line["outcome"]] += 1
        if "Hits" in line:
            self.searches += 1
            self.hits += line["Hits"]
            self.degraded += line.get("Degraded", 0)
            self.confidences.update({name: line[name] for name in _CONFIDENCES if name in line})
        if "CacheHits" in line:
            self.lookups += 1
            self.cached += line["CacheHits"]


class Ledger:
    """Tallies of a log's tools; it reads on where it stopped, so that looking often costs little."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._read = 0
        self.tools: dict[str, Tally] = {}
        self.queue: tuple[int, int] | None = None

    def catch_up(self) -> bool:
        """Whether a tool was called since the last look."""
        before = sum(tally.calls for tally in self.tools.values())
        with self._log.open("rb") as log:
            log.seek(self._read)
            for line in log:
                if not line.endswith(b"\n"):
                    break  # still being written
                self._read += len(line)
                self._take(line)
        return sum(tally.calls for tally in self.tools.values()) > before

    def _take(self, line: bytes) -> None:
        text = line.decode(errors="replace").partition(" | ")[2]
        if '"_aws"' not in text:
            return
        try:
            told = json.loads(text)
        except ValueError:
            return
        if "Calls" in told:
            self.tools.setdefault(told["Tool"], Tally()).add(told)
        if "QueueDepth" in told:
            self.queue = (int(told["QueueDepth"]), int(told["DeadLetters"]))

    def lines(self) -> Iterator[str]:
        """A table, or nothing where nothing was called."""
        if not self.tools:
            return
        head = ("tool", "calls", "p50", "p95", "hits", "good/analog/miss", "cached", "degraded", "errors")
        rows = [head, *(_row(name, tally) for name, tally in sorted(self.tools.items()))]
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        for row in rows:
            cells = [
                row[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)),
            ]
            yield "  ".join([*cells, row[-1]]).rstrip()
        if self.queue is not None:
            yield f"embedding queue: {self.queue[0]} rows wait, {self.queue[1]} were refused for good"


def _row(name: str, tally: Tally) -> tuple[str, ...]:
    p50, p95 = _percentiles(tally.times)
    searched = tally.searches > 0
    return (
        name,
        str(tally.calls),
        f"{p50:.0f} ms",
        f"{p95:.0f} ms",
        f"{tally.hits / tally.searches:.1f}" if searched else "",
        "/".join(f"{tally.confidences[each]:.0f}" for each in _CONFIDENCES) if searched else "",
        f"{tally.cached / tally.lookups:.0%}" if tally.lookups else "",
        f"{tally.degraded:.0f}" if searched else "",
        ", ".join(f"{count} {code}" for code, count in tally.errors.most_common()),
    )


def _percentiles(times: deque[float]) -> tuple[float, float]:
    if len(times) < 2:
        return times[0], times[0]
    cut = quantiles(times, n=20, method="inclusive")
    return cut[9], cut[18]


def ledger_of(data_dir: Path) -> Ledger:
    """The ledger of the stack with this data directory, since its last start."""
    return Ledger(data_dir / "logs" / "lambda.log")


def main() -> None:
    ledger = ledger_of(require(read_settings(os.environ).data_dir).data_dir)
    ledger.catch_up()
    print("\n".join(ledger.lines()) or "No tool was called yet.")


if __name__ == "__main__":
    run_command(main)
