"""Quotes that wait for approval, and the environment of the functions that deal with them."""

from typing import Any

from cpq import approval_pending, approval_request, approval_status, quote_price
from tests.deployment import TENANT, Deployment, invoke
from tests.inbox import Inbox
from tests.integration.cpq.drafts import Line, draft, owner, rows

KEY = "a key of the tests, long enough to sign with"
PAGE = "https://approve.example/approve"


def variables(inbox: Inbox, aws_variables: dict[str, str], **more: str) -> dict[str, str]:
    return {
        **aws_variables,
        "APPROVAL_URL": PAGE,
        "APPROVAL_KEY": KEY,
        "APPROVAL_TOPIC_ARN": inbox.topic,
        "SLACK_API_URL": inbox.url,
        **more,
    }


def priced(
    deployment: Deployment,
    *lines: Line,
    discount: float = 10,
    account: str = "acct_acme_001",
    tenant: str = TENANT,
    **fields: object,
) -> str:
    quote_id = draft(deployment, *lines, account=account, tenant=tenant, **fields)
    price(quote_id, discount=discount, tenant=tenant)
    return quote_id


def price(quote_id: str, *, discount: float = 10, tenant: str = TENANT) -> dict[str, Any]:
    account = owner(quote_id, tenant=tenant)
    event = {"quote_id": quote_id, "requested_discount_pct": discount, "account_id": account}
    answer = invoke(quote_price.handler, event, tenant=tenant)
    assert "error" not in answer, answer
    return answer


def ask(quote_id: str, *, tenant: str = TENANT, **arguments: object) -> dict[str, Any]:
    event = {"quote_id": quote_id, "justification": "A customer for two years.", **arguments}
    return invoke(approval_request.handler, event, tenant=tenant)


def asked(quote_id: str, *, tenant: str = TENANT, **arguments: object) -> dict[str, Any]:
    """The request, which has to succeed."""
    answer = ask(quote_id, tenant=tenant, **arguments)
    assert "error" not in answer, answer
    request: dict[str, Any] = answer["approval_request"]
    return request


def status(quote_id: str, *, tenant: str = TENANT, **arguments: object) -> dict[str, Any]:
    return invoke(approval_status.handler, {"quote_id": quote_id, **arguments}, tenant=tenant)


def pending(*, tenant: str = TENANT, subject: str = "anonymous", **arguments: object) -> dict[str, Any]:
    return invoke(approval_pending.handler, arguments, tenant=tenant, subject=subject)


def let_expire(deployment: Deployment, request_id: str) -> None:
    rows(
        deployment,
        "UPDATE cpq.approval_requests SET expires_at = now() - interval '1 second' WHERE id = %s RETURNING id",
        request_id,
    )


def actions(deployment: Deployment, quote_id: str) -> list[str]:
    found = rows(deployment, "SELECT action FROM cpq.audit WHERE subject_id = %s ORDER BY seq", quote_id)
    return [row["action"] for row in found]
