"""expire_approvals: settles approval requests that nobody answered, sends the notices that are still due, and forgets
what writes were answered a month ago.
"""

from typing import Any

from cpq import idempotency
from cpq.approvals import notices, requesting
from quarry.data import database
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import operate

TIME_TO_FINISH_MS = 20_000
"""Left over before the function's own time-out, so that a message in flight can be noted as sent."""


MOST_KEYS = 1000
"""Idempotency keys that one run deletes of a tenant: the next one, a minute later, takes the rest."""


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """All tenants, one after the other; those that time did not suffice for wait for the next run."""
    done = {"escalated": 0, "expired": 0, "notices_sent": 0, "keys_forgotten": 0}
    for tenant in database.every_tenant():
        if context.get_remaining_time_in_millis() < TIME_TO_FINISH_MS:
            return {**done, "stopped": True}
        schedule = Caller(tenant=tenant, request_id=caller.request_id, subject="schedule:expire_approvals")
        settled = requesting.settle_overdue(schedule)
        notices.plan_for_newcomers(tenant)
        sent = notices.send(tenant)
        with database.transaction(tenant) as connection:
            forgotten = idempotency.forget_old(connection, most=MOST_KEYS)
        of_tenant = {**settled, "notices_sent": sent, "keys_forgotten": forgotten}
        done = {name: done[name] + of_tenant[name] for name in done}
    return {**done, "stopped": False}


handler = operate("expire_approvals", run)
