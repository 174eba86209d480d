"""verify_audit: computes every audit chain anew and says where one is broken."""

from typing import Any

from cpq import audit
from quarry.data import database
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Takes {"tenant"?}; a broken chain is an entry of ``broken`` and an error in the log, for alarms to see."""
    chosen = event.get("tenant")
    broken, rows = [], 0
    tenants = [chosen] if isinstance(chosen, str) else database.every_tenant()
    for tenant in tenants:
        with database.transaction(tenant) as connection:
            verdict = audit.verify(connection)
        rows += verdict.rows
        if verdict.reason is not None:
            broken.append({"tenant": tenant, "seq": verdict.broken_seq, "reason": verdict.reason})
            logger("verify_audit").error("audit_chain_broken", extra=broken[-1])
    return {"tenants": len(tenants), "rows": rows, "intact": not broken, "broken": broken}


handler = operate("verify_audit", run, repeat=True)
