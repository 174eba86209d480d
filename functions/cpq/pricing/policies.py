"""Discount policies: which discounts, margins, terms and amounts pass, which need approval, and which are refused."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from pydantic import BaseModel, ConfigDict

from cpq.model import Exact, Key, Pct, PolicyEvaluation, Violation
from cpq.pricing import rules
from cpq.pricing.arithmetic import readable_pct
from cpq.pricing.rules import OF_COST, QUOTE, Measured, Outcome, Rule, RuleCheck
from quarry.money import plainly

SEVERITY: tuple[Outcome, ...] = ("AUTO_APPROVED", "APPROVAL_REQUIRED", "BLOCKED")

PROPOSED = Rule(measure="payment_days", at_most=Decimal(0))

Routing = Literal["highest", "serial", "parallel"]
"""Who is asked where several roles have to approve: the highest alone, one after the other, or all at once."""


class Band(BaseModel):
    """A step of a policy: ``approver_role`` may approve discounts of up to and including ``max_pct``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_pct: Pct
    approver_role: Key


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A segment's discounts pass up to ``auto_approve_pct``, never above ``maximum``; ``rules`` are on the rest."""

    id: str
    name: str
    segment_name: str
    auto_approve_pct: Exact
    bands: tuple[Band, ...]
    hard_max_pct: Exact
    escalation_chain: tuple[str, ...] = ()
    routing: Routing = "highest"
    rules: tuple[Rule, ...] = ()

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
    """A policy's verdict. ``checks`` are about discounts, ``rule_checks`` about terms and amounts; the strictest is
    the ``outcome``, which asks for a person as soon as there are ``reviewed`` rules.

    ``reviewed`` are the rules over costs that are about the quote, whatever they come to; that is in ``cost_checks``,
    for approvers alone.
    """

    outcome: Outcome
    checks: tuple[Check, ...]
    rule_checks: tuple[RuleCheck, ...] = ()
    reviewed: tuple[Rule, ...] = ()
    cost_checks: tuple[RuleCheck, ...] = ()

    @property
    def breaches(self) -> tuple[Check, ...]:
        """The checks that failed, the quote's first; a line that only repeats the quote's discount is left out."""
        of_quote = max((check.actual for check in self.checks if check.subject == QUOTE), default=Fraction(-1))
        failed = [check for check in self.checks if check.outcome != "AUTO_APPROVED"]
        return tuple(check for check in failed if check.subject == QUOTE or check.actual > of_quote)


def evaluate(
    policy: Policy,
    *,
    quote_pct: Fraction,
    line_pcts: Iterable[tuple[str, Decimal]],
    readings: Iterable[Measured] = (),
    categories: Collection[str | None] = (),
) -> Evaluation:
    """Holds the quote's effective discount, each line's ``(id, percent)`` and all ``readings`` against ``policy``;
    ``categories`` are those of the lines.
    """
    readings = tuple(readings)
    checks = [_check(policy, QUOTE, quote_pct)]
    checks.extend(_check(policy, line, Fraction(pct)) for line, pct in line_pcts)
    at_list = not any(check.actual for check in checks)
    held = rules.held_against(_rules(policy, readings), readings, chain=policy.escalation_chain)
    rule_checks = tuple(check for check in held if check.rule.measure not in OF_COST)
    about = {None, *categories}
    of_cost = [rule for rule in policy.rules if rule.measure in OF_COST and rule.category in about]
    reviewed = tuple(rule for rule in of_cost if not (rule.below_list_only and at_list))
    outcomes = [check.outcome for check in checks] + [check.outcome for check in rule_checks]
    if reviewed:
        outcomes.append("APPROVAL_REQUIRED" if policy.escalation_chain else "BLOCKED")
    return Evaluation(
        outcome=max(outcomes, key=SEVERITY.index),
        checks=tuple(checks),
        rule_checks=rule_checks,
        reviewed=reviewed,
        cost_checks=tuple(check for check in held if check.rule.measure in OF_COST),
    )


def _rules(policy: Policy, readings: Iterable[Measured]) -> tuple[Rule, ...]:
    """Adds a rule that asks for a person, where terms of payment are proposed and no rule looks at them."""
    measured = {rule.measure for rule in policy.rules}
    proposed = any(each.measure == "payment_days" and each.value is None for each in readings)
    return (*policy.rules, PROPOSED) if proposed and "payment_days" not in measured else policy.rules


def approver_for(policy: Policy, pct: Fraction) -> str | None:
    """Returns the role of the lowest band that reaches ``pct``."""
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


def worded(evaluation: Evaluation, policy: Policy, *, product_names: Mapping[str, str]) -> PolicyEvaluation:
    """Returns the evaluation as tools return it and the database keeps it; ``product_names`` are by line id."""
    return PolicyEvaluation(
        status=evaluation.outcome,
        violations=[_violation(check, policy, product_names) for check in evaluation.breaches]
        + [_rule_violation(check, policy) for check in evaluation.rule_checks if check.outcome != "AUTO_APPROVED"],
        reviewed=reviewed(evaluation),
        auto_approved=evaluation.outcome == "AUTO_APPROVED",
    )


def violations(policy: Policy, readings: Iterable[Measured]) -> list[Violation]:
    """Tells what the policy says of readings that are no single quote's, such as the sum of several."""
    held = rules.held_against(policy.rules, readings, chain=policy.escalation_chain)
    return [_rule_violation(check, policy) for check in held if check.outcome != "AUTO_APPROVED"]


def largest_request(line_discount_pcts: Iterable[Decimal], *, cap: Decimal) -> str | None:
    """Returns the largest discount on the quote that takes no line above ``cap``; None when one is above already."""
    deepest = max(map(Fraction, line_discount_pcts), default=Fraction(0))
    if deepest > cap:
        return None
    room = (Fraction(cap) - deepest) / (100 - deepest) if deepest < 100 else Fraction(0)
    # Rounded down, so that asking for just this much passes.
    return plainly(Decimal(int(room * 1_000_000)).scaleb(-4))


def first_decider(policy: Policy) -> str | None:
    """Returns the role that is asked first where a person has to decide; None where the policy names none."""
    bands = sorted(policy.bands, key=lambda band: band.max_pct)
    return next(iter((*policy.escalation_chain, *(band.approver_role for band in bands))), None)


def limits(evaluation: Evaluation, policy: Policy, *, currency: str) -> list[str]:
    """Tells how far each rule that looked at the quote goes without approval, and who decides beyond that; beside a
    limit in another currency it tells what the quote comes to in that currency.
    """
    steps = sorted((band.max_pct, band.approver_role) for band in policy.bands)
    reached = [(min(to, policy.maximum), role) for to, role in steps]
    said = [_limit("discount", "%", free=policy.auto_approve_pct, bands=reached)]
    first: dict[Rule, RuleCheck] = {}
    for check in evaluation.rule_checks:
        if check.rule is not PROPOSED:
            first.setdefault(check.rule, check)
    for rule, check in first.items():
        name, unit = WORDS[rule.measure]
        bands = [(band.limit, band.approver_role) for band in rule.bands]
        limit = _limit(name, f" {rule.currency}" if rule.currency else unit, free=rule.free, bands=bands)
        said.append(limit if rule.currency in (None, currency) else f"{limit}; this quote: {_converted(check)}")
    return said


def _converted(check: RuleCheck) -> str:
    """Formats what the check measured, in its rule's currency."""
    if check.actual is None:
        return check.unknown or "unknown"
    return f"{_number(Decimal(round(check.actual)))} {check.rule.currency}"


def _limit(name: str, unit: str, *, free: Decimal, bands: Sequence[tuple[Decimal | None, str]]) -> str:
    steps = [f"to {_number(to)}{unit} {role}" if to is not None else f"beyond that {role}" for to, role in bands]
    end = [] if bands and bands[-1][0] is None else ["beyond that nobody"]
    return f"{name}: free to {_number(free)}{unit}, {', '.join(steps + end)}"


def _violation(check: Check, policy: Policy, product_names: Mapping[str, str]) -> Violation:
    blocked = check.outcome == "BLOCKED"
    subject = "" if check.subject == QUOTE else f"{product_names[check.subject]} ({check.subject}): "
    actual = readable_pct(check.actual)
    cap, end = ("hard maximum", ", which nobody can approve") if blocked else ("auto-approval cap", "")
    return Violation(
        policy_id=policy.id,
        policy_name=policy.name,
        line_id=None if check.subject == QUOTE else check.subject,
        severity="blocked" if blocked else "approval_required",
        description=f"{subject}{plainly(actual)}% discount exceeds "
        f"{plainly(check.threshold)}% {cap} for {policy.segment_name} segment{end}",
        threshold=check.threshold,
        actual=actual,
        required_approver_role=check.approver_role,
    )


WORDS: dict[rules.Measure, tuple[str, str]] = {
    "margin_pct": ("margin", "%"),
    "loss_pct": ("loss below cost", "%"),
    "payment_days": ("payment term", " days"),
    "term_months": ("contract term", " months"),
    "validity_days": ("validity", " days"),
    "start_days": ("start from today", " days"),
    "invoices_per_year": ("billing", " invoices a year"),
    "net_amount": ("net amount", ""),
    "discount_amount": ("discount amount", ""),
}
"""What a measure is called and counted in; an amount is followed by its currency."""


def _rule_violation(check: RuleCheck, policy: Policy) -> Violation:
    """Returns the violation of a rule about the whole quote, as all rules are except those over costs."""
    rule = check.rule
    blocked = check.outcome == "BLOCKED"
    return Violation(
        policy_id=policy.id,
        policy_name=policy.name,
        measure=rule.measure,
        severity="blocked" if blocked else "approval_required",
        description=_rule_words(check, policy),
        threshold=check.threshold,
        actual=readable(check),
        required_approver_role=check.approver_role,
    )


def readable(check: RuleCheck) -> Decimal | None:
    """Rounds what was measured to four decimals, away from the threshold so that it never reads as just kept."""
    if check.actual is None:
        return None
    away = -1 if check.rule.at_most is None else 1
    return away * readable_pct(away * check.actual, decimals=4)


def _rule_words(check: RuleCheck, policy: Policy) -> str:
    rule, blocked = check.rule, check.outcome == "BLOCKED"
    name, unit = WORDS[rule.measure]
    unit = f" {rule.currency}" if rule.currency else unit
    end = f"for {policy.segment_name} segment" + (", which nobody can approve" if blocked else "")
    actual = readable(check)
    if actual is None:
        return f"{name} is unknown, because {check.unknown}, and the policy does not pass it unseen {end}"
    side = "is below the floor" if rule.at_most is None else "exceeds the limit"
    return f"{name} of {_number(actual)}{unit} {side} of {_number(check.threshold)}{unit} {end}"


def reviewed(evaluation: Evaluation) -> list[str]:
    """Names the rules that approvers look at, without their limits, such as "margin of each line (saas)"."""
    said = []
    for rule in evaluation.reviewed:
        about = "the quote" if rule.scope == "quote" else f"each {rule.scope}"
        said.append(f"{WORDS[rule.measure][0]} of {about}" + (f" ({rule.category})" if rule.category else ""))
    return list(dict.fromkeys(said))


def _number(value: Decimal) -> str:
    return f"{Decimal(plainly(value)):,f}"
