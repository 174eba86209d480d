"""A trace computed anew from itself: the proof that its amounts follow from what it cites."""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from cpq.pricing import policies, rules
from cpq.pricing.arithmetic import Amounts, compounded, line_amounts, shared_tax, summed, weighted_pct
from cpq.pricing.books import periods, taxes_of, tier_for
from cpq.pricing.policies import SEVERITY
from cpq.pricing.rules import OF_COST, Outcome, RuleCheck
from cpq.pricing.trace import Trace, TracedLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    lines: tuple[Amounts, ...]
    totals: Amounts
    outcome: Outcome

    def confirms(self, trace: Trace) -> bool:
        """Whether the trace says of every line, of the sums and of the policy what its own facts come to."""
        said = [(line.subtotal, line.discount_amount, line.line_total, line.tax_amount or 0) for line in trace.lines]
        # Tax that is not determined is no part of the total.
        sums = (trace.subtotal, trace.discount_total, trace.tax_total or 0, trace.total)
        return (
            said == [(line.gross, line.discount, line.net, line.tax) for line in self.lines]
            and sums == (self.totals.gross, self.totals.discount, self.totals.tax, self.totals.total)
            and trace.outcome == self.outcome
        )


def replay(trace: Trace) -> Replay:
    """Reads prices, tiers, percentages and caps from ``trace`` and none of its amounts."""
    currency = trace.currency
    discounts = [
        compounded(line.line_discount_pct, Decimal(0) if line.net else trace.quote_discount_pct)
        for line in trace.lines
    ]
    lines = [_amounts(line, pct, trace, currency) for line, pct in zip(trace.lines, discounts, strict=True)]
    for rule in {line.tax.id: line.tax for line in trace.lines if line.tax}.values():
        places = [place for place, line in enumerate(trace.lines) if line.tax and line.tax.id == rule.id]
        rates = [rate for _, rate in taxes_of(rule.name, rule.rate_pct)]
        due = shared_tax([lines[place].net for place in places], rates, currency=currency)
        for place, tax in zip(places, due, strict=True):
            lines[place] = replace(lines[place], tax=tax)
    evaluation = policies.evaluate(
        replace(trace.policy, rules=()),
        quote_pct=weighted_pct((line.gross, pct) for line, pct in zip(lines, discounts, strict=True)),
        line_pcts=((line.line_id, pct) for line, pct in zip(trace.lines, discounts, strict=True)),
    )
    held = [check for check in trace.rule_checks if check.rule.measure not in OF_COST]
    outcomes = [evaluation.outcome, *(_rule_outcome(check, trace) for check in held)]
    outcomes += ["APPROVAL_REQUIRED"] if trace.reviewed else []
    outcome = max(outcomes, key=SEVERITY.index)
    return Replay(lines=tuple(lines), totals=summed(lines, currency=currency), outcome=outcome)


def _rule_outcome(traced: RuleCheck, trace: Trace) -> Outcome:
    """What comes of the reading that the trace gives, by the rule that it gives."""
    actual = None if traced.actual is None else Fraction(traced.actual)
    chain = trace.policy.escalation_chain
    return rules.check(traced.rule, subject=traced.subject, actual=actual, chain=chain).outcome


def _amounts(line: TracedLine, effective_discount_pct: Decimal, trace: Trace, currency: str) -> Amounts:
    tier = tier_for(tuple(line.tiers), line.quantity)
    return line_amounts(
        currency=currency,
        unit_price=tier.price if tier else line.list_price,
        quantity=line.quantity,
        periods=periods(line.unit, term_months=trace.term_months),
        effective_discount_pct=effective_discount_pct,
    )
