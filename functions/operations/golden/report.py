"""What an examination came to: the canary's answer and its metrics."""

from typing import Any, Literal

from operations.golden.examination import Examination
from quarry.observation import metrics
from quarry.observation.metrics import Metric

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
