"""A policy evaluation in the words and types that the tools return and the database keeps."""

import math
from fractions import Fraction

from cpq.model import PolicyEvaluation, Violation
from cpq.pricing.engine import Priced
from cpq.pricing.percent import shown
from cpq.pricing.policies import QUOTE, Check, Policy
from cpq.pricing.trace import readable_pct


def evaluation_of(priced: Priced) -> PolicyEvaluation:
    names = {line.item.line_id: line.item.product_name for line in priced.lines}
    return PolicyEvaluation(
        status=priced.evaluation.outcome,
        violations=[_violation(check, priced.policy, names) for check in priced.evaluation.breaches],
        auto_approved=priced.evaluation.outcome == "AUTO_APPROVED",
    )


def largest_discount(priced: Priced, *, cap: Fraction) -> str | None:
    """The discount on the whole quote that brings every line just to ``cap``; None when a line's own is over it."""
    deepest = max((Fraction(line.item.discount_pct) for line in priced.lines), default=Fraction(0))
    if deepest > cap:
        return None
    room = (cap - deepest) / (100 - deepest) if deepest < 100 else Fraction(0)
    # Downwards, so that asking for just this much passes.
    return shown(readable_pct(Fraction(int(room * 1_000_000), 10_000)))


def _violation(check: Check, policy: Policy, names: dict[str, str]) -> Violation:
    blocked = check.outcome == "BLOCKED"
    subject = "" if check.subject == QUOTE else f"{names[check.subject]} ({check.subject}): "
    # Upwards, so that what is just above a cap does not read as just on it.
    actual = readable_pct(Fraction(math.ceil(check.actual * 10_000), 10_000))
    cap, end = ("hard maximum", ", which nobody can approve") if blocked else ("auto-approval cap", "")
    return Violation(
        policy_id=policy.id,
        policy_name=policy.name,
        line_id=None if check.subject == QUOTE else check.subject,
        severity="blocked" if blocked else "approval_required",
        description=f"{subject}{shown(actual)}% discount exceeds "
        f"{shown(check.threshold)}% {cap} for {policy.segment_name} segment{end}",
        threshold=check.threshold,
        actual=actual,
        required_approver_role=check.approver_role,
    )
