"""What an answer may tell of a margin: a band, because to the digit, beside a price, it would tell the cost."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from cpq.model import PolicyEvaluation
from cpq.pricing.rules import OF_COST

OF_MARGIN = ("margin_pct", "list_margin_pct")
"""Fields of a pricing trace, of the whole and of each line."""


def band(margin_pct: Decimal | None) -> str | None:
    """Ten points wide; None where the margin is unknown."""
    if margin_pct is None:
        return None
    if margin_pct < 0:
        return "below cost"
    low = min(int(margin_pct // 10) * 10, 90)
    return f"{low}-{low + 10}%"


def hidden_in(evaluation: PolicyEvaluation) -> PolicyEvaluation:
    """The evaluation for whoever may not see costs: what is measured by them has a threshold and no reading."""
    violations = [
        violation.model_copy(update={"actual": None}) if violation.measure in OF_COST else violation
        for violation in evaluation.violations
    ]
    return evaluation.model_copy(update={"violations": violations})


def hidden_in_trace(trace: Mapping[str, Any]) -> dict[str, Any]:
    """A stored pricing trace for whoever may not see costs."""
    checks = [
        {**check, "actual": None} if check["rule"]["measure"] in OF_COST else check
        for check in trace.get("rule_checks", ())
    ]
    lines = [_without(line) for line in trace["lines"]]
    return {**_without(trace), "margin_band": _band_of(trace), "lines": lines, "rule_checks": checks}


def _without(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in OF_MARGIN}


def _band_of(trace: Mapping[str, Any]) -> str | None:
    margin = trace.get("margin_pct")
    return band(None if margin is None else Decimal(margin))
