"""expire_approvals: settles unanswered approval requests, sends due notices, deletes old idempotency keys."""

from typing import Any

from cpq import idempotency
from cpq.approvals import notices, requesting
from quarry.data import database
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import operate

TIME_TO_FINISH_MS = 20_000
"""This is left over before the function's own time-out, so that a message in flight can be noted as sent."""


MOST_KEYS = 1000
"""A run deletes at most this many idempotency keys of a tenant; the next, a minute later, takes the rest."""


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Works through all tenants; those for which the time does not suffice wait for the next run."""
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
