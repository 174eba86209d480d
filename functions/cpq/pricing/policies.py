"""Discount policies: which discounts, margins, terms and amounts pass, which need approval, and which are refused."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from cpq.model import Key, Pct, PolicyEvaluation, Violation
from cpq.pricing import rules
from cpq.pricing.arithmetic import readable_pct
from cpq.pricing.rules import OF_COST, QUOTE, Measured, Outcome, Rule, RuleCheck
from quarry.money import Money, plainly
from quarry.tool.contract import Part

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
    """A segment's discounts pass up to ``auto_approve_pct``, never above ``hard_max_pct``; ``rules`` are on the rest.
    Its bands rise from the one to the other, and their roles are in the chain: what is ingested is held to it.
    """

    id: str
    name: str
    segment_name: str
    auto_approve_pct: Money
    bands: tuple[Band, ...]
    hard_max_pct: Money
    escalation_chain: tuple[str, ...] = ()
    routing: Routing = "highest"
    rules: tuple[Rule, ...] = ()

    @property
    def caps(self) -> list[Decimal]:
        """The discounts that it tells apart."""
        return [self.auto_approve_pct, self.hard_max_pct, *(band.max_pct for band in self.bands)]

    @property
    def first_decider(self) -> str | None:
        """The role that is asked first where a person has to decide; None where the policy names none."""
        return next(iter(self.escalation_chain), None)

    def level(self, role: str) -> int:
        """Returns the role's place in the chain, from 1."""
        return self.escalation_chain.index(role) + 1

    def above(self, role: str, *, besides: Collection[str] = ()) -> str | None:
        """Returns the role that a request is passed on to: the next that is not ``besides``; None at the top."""
        return next((each for each in self.escalation_chain[self.level(role) :] if each not in besides), None)

    def deciders(self, evaluation: PolicyEvaluation) -> list[str]:
        """Returns the roles that violations require, from the lowest to the highest, or with the routing ``highest``
        that one alone; the first of the chain where only costs are to be looked at.
        """
        named = {violation.required_approver_role for violation in evaluation.violations}
        roles = sorted((role for role in named if role), key=self.level)
        if not roles and evaluation.reviewed:
            return list(self.escalation_chain[:1])
        return roles[-1:] if self.routing == "highest" else roles


class Check(Part):
    """A discount held against the policy."""

    subject: str = Field(description="quote, or a line's id.")
    actual_pct: Money = Field(description="Effective discount, to two decimals, four where two read as a cap.")
    threshold_pct: Money = Field(description="Cap it was held against.")
    outcome: Outcome = Field(description="What came of it.")
    approver_role: str | None = Field(description="Who would have to approve.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A policy's verdict. ``checks`` are about discounts, ``rule_checks`` about terms and amounts; the strictest is
    the ``outcome``, which asks for a person as soon as there are ``reviewed`` rules.

    ``breaches`` are the discounts that failed, the quote's first; a line that only repeats the quote's is left out.
    ``reviewed`` names the rules over costs that are about the quote, whatever they come to; that is in
    ``cost_checks``, for approvers alone.
    """

    outcome: Outcome
    checks: tuple[Check, ...]
    breaches: tuple[Check, ...]
    rule_checks: tuple[RuleCheck, ...]
    reviewed: list[str]
    cost_checks: tuple[RuleCheck, ...]


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
    discounts = [(QUOTE, quote_pct), *((line, Fraction(pct)) for line, pct in line_pcts)]
    checks = [(_check(policy, subject, pct), pct) for subject, pct in discounts]
    failed = [(check, pct) for check, pct in checks if check.outcome != "AUTO_APPROVED"]
    held = rules.held_against(_rules(policy, readings), readings, chain=policy.escalation_chain)
    rule_checks = tuple(check for check in held if check.rule.measure not in OF_COST)
    at_list = not any(pct for _, pct in discounts)
    about = {None, *categories}
    of_cost = [rule for rule in policy.rules if rule.measure in OF_COST and rule.category in about]
    reviewed = [rule for rule in of_cost if not (rule.below_list_only and at_list)]
    outcomes = [check.outcome for check, _ in checks] + [check.outcome for check in rule_checks]
    if reviewed:
        outcomes.append("APPROVAL_REQUIRED" if policy.escalation_chain else "BLOCKED")
    return Evaluation(
        outcome=max(outcomes, key=SEVERITY.index),
        checks=tuple(check for check, _ in checks),
        breaches=tuple(check for check, pct in failed if check.subject == QUOTE or pct > quote_pct),
        rule_checks=rule_checks,
        reviewed=list(dict.fromkeys(map(_looked_at, reviewed))),
        cost_checks=tuple(check for check in held if check.rule.measure in OF_COST),
    )


def _rules(policy: Policy, readings: Iterable[Measured]) -> tuple[Rule, ...]:
    """Adds a rule that asks for a person, where terms of payment are proposed and no rule looks at them."""
    measured = {rule.measure for rule in policy.rules}
    proposed = any(each.measure == "payment_days" and each.value is None for each in readings)
    return (*policy.rules, PROPOSED) if proposed and "payment_days" not in measured else policy.rules


def _check(policy: Policy, subject: str, pct: Fraction) -> Check:
    """Checks a discount. Above the highest band nobody may approve it."""
    passes = pct <= policy.auto_approve_pct
    role = None if passes else next((band.approver_role for band in policy.bands if pct <= band.max_pct), None)
    outcome: Outcome = "AUTO_APPROVED" if passes else "APPROVAL_REQUIRED" if role else "BLOCKED"
    return Check(
        subject=subject,
        actual_pct=readable_pct(pct, limits=policy.caps),
        threshold_pct=policy.hard_max_pct if outcome == "BLOCKED" else policy.auto_approve_pct,
        outcome=outcome,
        approver_role=role,
    )


def worded(evaluation: Evaluation, policy: Policy, *, product_names: Mapping[str, str]) -> PolicyEvaluation:
    """Returns the evaluation as tools return it and the database keeps it; ``product_names`` are by line id."""
    return PolicyEvaluation(
        status=evaluation.outcome,
        violations=[_violation(check, policy, product_names) for check in evaluation.breaches]
        + _rule_violations(evaluation.rule_checks, policy),
        reviewed=evaluation.reviewed,
        auto_approved=evaluation.outcome == "AUTO_APPROVED",
    )


def violations(policy: Policy, readings: Iterable[Measured]) -> list[Violation]:
    """Tells what the policy says of readings that are no single quote's, such as the sum of several."""
    return _rule_violations(rules.held_against(policy.rules, readings, chain=policy.escalation_chain), policy)


def largest_request(line_discount_pcts: Iterable[Decimal], *, cap: Decimal) -> str | None:
    """Returns the largest discount on the quote that takes no line above ``cap``; None when one is above already."""
    deepest = max(map(Fraction, line_discount_pcts), default=Fraction(0))
    if deepest > cap:
        return None
    room = (Fraction(cap) - deepest) / (100 - deepest) if deepest < 100 else Fraction(0)
    # Rounded down, so that asking for just this much passes.
    return plainly(Decimal(int(room * 1_000_000)).scaleb(-4))


def limits(evaluation: Evaluation, policy: Policy, *, currency: str) -> list[str]:
    """Tells how far each rule that looked at the quote goes without approval, and who decides beyond that; beside a
    limit in another currency it tells what the quote comes to in that currency.
    """
    steps = [(band.max_pct, band.approver_role) for band in policy.bands]
    said = [_limit("discount", "%", free=policy.auto_approve_pct, bands=steps)]
    held = {check.rule: check for check in evaluation.rule_checks if check.rule is not PROPOSED}
    for rule, check in held.items():
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
    cap, end = ("hard maximum", ", which nobody can approve") if blocked else ("auto-approval cap", "")
    return Violation(
        policy_id=policy.id,
        policy_name=policy.name,
        line_id=None if check.subject == QUOTE else check.subject,
        severity="blocked" if blocked else "approval_required",
        description=f"{subject}{plainly(check.actual_pct)}% discount exceeds "
        f"{plainly(check.threshold_pct)}% {cap} for {policy.segment_name} segment{end}",
        threshold=check.threshold_pct,
        actual=check.actual_pct,
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


def _rule_violations(checks: Iterable[RuleCheck], policy: Policy) -> list[Violation]:
    """Returns the violations of rules about the whole quote, as all rules are except those over costs."""
    return [
        Violation(
            policy_id=policy.id,
            policy_name=policy.name,
            measure=check.rule.measure,
            severity="blocked" if check.outcome == "BLOCKED" else "approval_required",
            description=_rule_words(check, policy),
            threshold=check.threshold,
            actual=check.actual,
            required_approver_role=check.approver_role,
        )
        for check in checks
        if check.outcome != "AUTO_APPROVED"
    ]


def _rule_words(check: RuleCheck, policy: Policy) -> str:
    rule, blocked = check.rule, check.outcome == "BLOCKED"
    name, unit = WORDS[rule.measure]
    unit = f" {rule.currency}" if rule.currency else unit
    end = f"for {policy.segment_name} segment" + (", which nobody can approve" if blocked else "")
    if check.actual is None:
        return f"{name} is unknown, because {check.unknown}, and the policy does not pass it unseen {end}"
    side = "is below the floor" if rule.at_most is None else "exceeds the limit"
    return f"{name} of {_number(check.actual)}{unit} {side} of {_number(check.threshold)}{unit} {end}"


def _looked_at(rule: Rule) -> str:
    """Names a rule that approvers look at, without its limits, such as "margin of each line (saas)"."""
    about = "the quote" if rule.scope == "quote" else f"each {rule.scope}"
    return f"{WORDS[rule.measure][0]} of {about}" + (f" ({rule.category})" if rule.category else "")


def _number(value: Decimal) -> str:
    return f"{Decimal(plainly(value)):,f}"
