"""What rules over costs say of a quote, for approvers alone: beside a price, any of it tells a cost."""

from fractions import Fraction

from cpq.approvals import queries
from cpq.approvals.model import Approval, rank
from cpq.model import Violation
from cpq.pricing.policies import breaches
from cpq.pricing.rules import OF_COST, RuleCheck
from cpq.pricing.trace import Trace, TracedRuleCheck
from cpq.quotes import queries as quotes
from quarry.data.database import Connection

COUNTING = ("pending", "waiting", "approved")


def findings(trace: Trace) -> list[Violation]:
    """The rules over costs that the quote breaks, as it was priced."""
    names = {line.line_id: line.product_name for line in trace.lines}
    checks = [_check(each) for each in trace.rule_checks if each.rule.measure in OF_COST]
    return breaches(checks, trace.policy, product_names=names)


def approving_role(connection: Connection, approval: Approval) -> str | None:
    """The role that may approve the request: the one that was asked, or a higher one that costs need; None where
    nobody may at these costs.

    Of several requests about a version, that of the highest role answers for the costs.
    """
    version = quotes.version(connection, quote_id=approval.quote_id, version=approval.version)
    if version is None:
        raise LookupError(f"{approval.quote_id} has no version {approval.version}")
    requests = queries.of_quote(connection, quote_id=approval.quote_id)
    if any(
        (each.version, each.level > approval.level) == (approval.version, True) and each.status in COUNTING
        for each in requests
    ):
        return approval.approver_role
    trace = Trace.model_validate(version.trace)
    needed = [violation.required_approver_role for violation in findings(trace)]
    roles = [role for role in (approval.approver_role, *needed) if role]
    if None in needed:
        return None
    return max(roles, key=lambda role: rank(role, chain=trace.policy.escalation_chain))


def _check(traced: TracedRuleCheck) -> RuleCheck:
    return RuleCheck(
        rule=traced.rule,
        subject=traced.subject,
        actual=None if traced.actual is None else Fraction(traced.actual),
        unknown=traced.unknown,
        threshold=traced.threshold,
        outcome=traced.outcome,
        approver_role=traced.approver_role,
    )
