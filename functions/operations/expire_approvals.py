"""expire_approvals: settles approval requests that nobody answered, and sends the notices that are still due."""

from typing import Any

from cpq.approvals import expiry, notices
from operations.tenants import every_tenant
from quarry.identity import Caller, LambdaContext
from quarry.runtime import operate

TIME_TO_FINISH_MS = 20_000
"""Left over before the function's own time-out, so that a message in flight can be noted as sent."""


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """All tenants, one after the other; those that time did not suffice for wait for the next run."""
    done = {"escalated": 0, "expired": 0, "notices_sent": 0}
    for tenant in every_tenant():
        if context.get_remaining_time_in_millis() < TIME_TO_FINISH_MS:
            return {**done, "stopped": True}
        schedule = Caller(tenant=tenant, request_id=caller.request_id, subject="schedule:expire_approvals")
        settled = expiry.settle_overdue(schedule)
        notices.plan_for_newcomers(tenant)
        sent = notices.send(tenant)
        done = {name: done[name] + {**settled, "notices_sent": sent}[name] for name in done}
    return {**done, "stopped": False}


handler = operate("expire_approvals", run)
