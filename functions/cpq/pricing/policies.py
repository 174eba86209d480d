"""Discount policy: what a quote's discounts need, from nobody's approval to a refusal nobody can lift."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

Outcome = Literal["AUTO_APPROVED", "APPROVAL_REQUIRED", "BLOCKED"]
SEVERITY: tuple[Outcome, ...] = ("AUTO_APPROVED", "APPROVAL_REQUIRED", "BLOCKED")

QUOTE = "quote"
"""The subject of a check that is about the quote as a whole, where others have a line's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """``approver_role`` may approve discounts of up to and including ``max_pct``."""

    max_pct: Decimal
    approver_role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Caps of one segment: up to ``auto_approve_pct`` freely, above ``maximum`` never."""

    id: str
    name: str
    segment_name: str
    auto_approve_pct: Decimal
    bands: tuple[Band, ...]
    hard_max_pct: Decimal
    escalation_chain: tuple[str, ...] = ()

    @property
    def maximum(self) -> Decimal:
        """The hard cap; where the bands end below it, nobody may approve more than they reach."""
        reached = max((band.max_pct for band in self.bands), default=self.auto_approve_pct)
        return min(self.hard_max_pct, max(reached, self.auto_approve_pct))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One discount held against the policy; ``threshold`` is the cap it was measured by."""

    subject: str
    actual: Fraction
    threshold: Decimal
    outcome: Outcome
    approver_role: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    outcome: Outcome
    checks: tuple[Check, ...]

    @property
    def breaches(self) -> tuple[Check, ...]:
        """Checks that failed, the quote's first; a line that only repeats the quote's discount is left out."""
        of_quote = max((check.actual for check in self.checks if check.subject == QUOTE), default=Fraction(-1))
        failed = [check for check in self.checks if check.outcome != "AUTO_APPROVED"]
        return tuple(check for check in failed if check.subject == QUOTE or check.actual > of_quote)

    @property
    def approver_role(self) -> str | None:
        """Whose approval covers every breach: the role that the highest discount needs."""
        worst = max(self.breaches, key=lambda check: check.actual, default=None)
        return worst.approver_role if worst else None


def evaluate(policy: Policy, *, quote_pct: Fraction, line_pcts: Iterable[tuple[str, Decimal]]) -> Evaluation:
    """The quote's discount and each line's ``(id, percent)``, all of them effective; the strictest outcome holds."""
    checks = [_check(policy, QUOTE, quote_pct)]
    checks.extend(_check(policy, line, Fraction(pct)) for line, pct in line_pcts)
    outcome = max((check.outcome for check in checks), key=SEVERITY.index)
    return Evaluation(outcome=outcome, checks=tuple(checks))


def approver_for(policy: Policy, pct: Fraction) -> str | None:
    """The role of the lowest band that reaches ``pct``."""
    bands = sorted(policy.bands, key=lambda band: band.max_pct)
    return next((band.approver_role for band in bands if pct <= band.max_pct), None)


def _check(policy: Policy, subject: str, pct: Fraction) -> Check:
    outcome: Outcome = "APPROVAL_REQUIRED"
    if pct <= policy.auto_approve_pct:
        outcome = "AUTO_APPROVED"
    elif pct > policy.maximum:
        outcome = "BLOCKED"
    return Check(
        subject=subject,
        actual=pct,
        threshold=policy.maximum if outcome == "BLOCKED" else policy.auto_approve_pct,
        outcome=outcome,
        approver_role=approver_for(policy, pct) if outcome == "APPROVAL_REQUIRED" else None,
    )
