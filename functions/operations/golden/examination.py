"""One examination of the service: golden cases, the attempt to read across tenants, and what it came to."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any, Literal

import httpx2
from mcp import MCPError

from operations.golden.asking import ProbeFinding, Verdict, connected, probe_all, run_patiently, sample_year
from operations.golden.cases import load, load_probes
from quarry.observation import metrics
from quarry.observation.metrics import Metric


@dataclass(frozen=True, slots=True)
class Keys:
    """Bearer tokens of the canary's tenant and of a second one, which owns nothing."""

    own: str | None = field(default=None, repr=False)
    other: str | None = field(default=None, repr=False)


@dataclass(slots=True)
class Examination:
    """``findings`` is None where nobody looked; ``lost`` is why the endpoint could not be examined to the end."""

    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[ProbeFinding] | None = None
    lost: str | None = None

    @property
    def failures(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.faults]

    @property
    def denied(self) -> bool | None:
        return None if self.findings is None else all(finding.state == "denied" for finding in self.findings)

    @property
    def p95_ms(self) -> float:
        times = [verdict.ms for verdict in self.verdicts]
        return quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else sum(times)

    @property
    def passed(self) -> bool:
        return self.lost is None and not self.failures and self.denied is not False


def examine(url: str, *, keys: Keys, folder: Path, seconds: float) -> Examination:
    """Asks all cases; what is left after ``seconds`` counts as lost."""
    examination = Examination()
    try:
        asyncio.run(_examine(examination, url, keys=keys, folder=folder, seconds=seconds))
    except* (MCPError, OSError, TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as group:
        examination.lost = _first(group)
    return examination


async def _examine(examination: Examination, url: str, *, keys: Keys, folder: Path, seconds: float) -> None:
    async with asyncio.timeout(seconds), connected(url, key=keys.own) as own:
        for case in load(folder, year=await sample_year(own)):
            examination.verdicts.append(await run_patiently(own, case))
        if keys.other is not None:
            async with connected(url, key=keys.other) as other:
                examination.findings = await probe_all(own, other, load_probes(folder))


def _first(group: BaseExceptionGroup[BaseException]) -> str:
    """The kind of the first error alone: its text may hold the URL's or the answer's secrets."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else type(error).__name__


FAULTS_SHOWN = 3

Audit = Literal["intact", "broken", "not checked", "check failed"]


def passed(examination: Examination, audit: Audit) -> bool:
    return examination.passed and audit in ("intact", "not checked")


def measure(examination: Examination, audit: Audit) -> None:
    """What was not checked gives no metric: neither a pass nor a failure."""
    metrics.note(Metric.CANARY_PASSED, passed(examination, audit))
    metrics.note(Metric.CANARY_CASES, len(examination.verdicts))
    metrics.note(Metric.CANARY_FAILURES, len(examination.failures))
    if examination.verdicts:
        metrics.note(Metric.CANARY_LATENCY, examination.p95_ms)
    if examination.denied is not None:
        metrics.note(Metric.CROSS_TENANT_DENIED, examination.denied)
    if audit in ("intact", "broken"):
        metrics.note(Metric.AUDIT_INTACT, audit == "intact")


def as_result(examination: Examination, audit: Audit) -> dict[str, Any]:
    findings = examination.findings
    return {
        "passed": passed(examination, audit),
        "cases": len(examination.verdicts),
        "failures": [
            {"case": verdict.case.name, "tool": verdict.case.tool, "faults": verdict.faults[:FAULTS_SHOWN]}
            for verdict in examination.failures
        ],
        "lost": examination.lost,
        "p95_ms": round(examination.p95_ms, 1),
        "cross_tenant": "not checked" if findings is None else ("denied" if examination.denied else "not denied"),
        "cross_tenant_findings": [
            {"probe": finding.probe, "state": finding.state, "reason": finding.reason}
            for finding in findings or ()
            if finding.state != "denied"
        ],
        "audit": audit,
    }
