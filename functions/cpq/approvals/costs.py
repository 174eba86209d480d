"""What rules over costs say of a quote, for approvers alone: beside a price, any of it tells a cost."""

from cpq.approvals import queries
from cpq.approvals.model import Approval, rank
from cpq.pricing.rules import OF_COST
from cpq.pricing.trace import Trace, TracedRuleCheck
from cpq.quotes import queries as quotes
from quarry.data.database import Connection

COUNTING = ("pending", "waiting", "approved")


def broken(trace: Trace) -> list[TracedRuleCheck]:
    """The rules over costs that the quote does not keep, as it was priced."""
    return [each for each in trace.rule_checks if each.rule.measure in OF_COST and each.outcome != "AUTO_APPROVED"]


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
    needed = [check.approver_role for check in broken(trace)]
    roles = [role for role in (approval.approver_role, *needed) if role]
    if None in needed:
        return None
    return max(roles, key=lambda role: rank(role, chain=trace.policy.escalation_chain))
