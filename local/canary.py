"""`python -m local.canary`: runs the golden canary on the running stack; exit code 1 unless all of it passed."""

from typing import Any

from local.failure import LocalError, run_command
from local.settings import read_settings
from local.stack import invoke, require


def main() -> int:
    stack = require(read_settings().data_dir)
    if stack.sample is None:
        raise LocalError(
            "This asks about the sample, which the stack does not serve: make on-a-stack DO=canary starts one"
        )
    report = invoke(stack, "golden_canary", {})
    print("\n".join(lines(report)))
    return 0 if report["passed"] is True else 1


def lines(report: dict[str, Any]) -> list[str]:
    """The report in words, failures first."""
    said = []
    for failure in report["failures"]:
        said += [f"FAIL {failure['tool']}: {failure['case']}", *(f"       {fault}" for fault in failure["faults"])]
    for finding in report["cross_tenant_findings"]:
        said.append(f"FAIL across tenants: {finding['probe']}: {finding['state']}: {finding['reason']}")
    if report["lost"]:
        said.append(f"FAIL the endpoint was lost: {report['lost']}")
    said += [
        f"{report['cases']} golden cases, {len(report['failures'])} failed; 95 % within {report['p95_ms']:.0f} ms",
        f"reading across tenants: {report['cross_tenant']}",
        f"audit chains: {report['audit']}",
        "The canary passed." if report["passed"] else "The canary failed.",
    ]
    return said


if __name__ == "__main__":
    run_command(main)
