"""Notices of a request: planned with it, sent after it is safe, tried again by the schedule."""

import time
from dataclasses import dataclass

from psycopg.rows import DictRow

from cpq.approvals import channels, link_queries, links, message
from cpq.approvals.channels import NotSentError
from cpq.approvals.model import Approval
from quarry.data import database
from quarry.data.database import Connection
from quarry.data.settings import Settings, settings
from quarry.tool.errors import Unavailable

SECONDS = 12.0
"""For all messages of one call; what is left is sent by the schedule."""

AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Notified:
    """``people`` counts approvers who were sent their link; ``problem`` says why somebody was not."""

    people: int
    problem: str | None
    slack_channel: str | None
    slack_message_ts: str | None


def plan(connection: Connection, approval: Approval) -> None:
    """Writes down what has to be sent, in the transaction that makes the request."""
    _plan(connection, settings(), request_id=approval.id, role=approval.approver_role)


def plan_for_newcomers(tenant: str) -> None:
    """Approvers and channels that were added while requests were open get their notice, too."""
    with database.transaction(tenant) as connection:
        for row in link_queries.open_requests(connection):
            _plan(connection, settings(), request_id=row["id"], role=row["approver_role"])


def send(tenant: str, *, request_id: str | None = None) -> int:
    """Sends what is due, of one request or of all; returns how many went out. Never raises for a failed message."""
    configuration = settings()
    deadline = time.monotonic() + SECONDS
    with database.transaction(tenant) as connection:
        due = link_queries.claim(connection, request_id=request_id, limit=AT_ONCE)
    sent = 0
    for notice in due:
        if time.monotonic() > deadline:
            break
        sent += _send(configuration, notice, tenant=tenant)
    return sent


def state(tenant: str, *, request_id: str) -> Notified:
    with database.transaction(tenant) as connection:
        rows = link_queries.notices(connection, request_id=request_id)
    on_slack = [row for row in rows if row["channel"] == "slack" and row["sent_at"]]
    return Notified(
        people=len({row["approver_id"] for row in rows if row["approver_id"] and row["sent_at"]}),
        problem=_problem(rows),
        slack_channel=on_slack[0]["recipient"] if on_slack else None,
        slack_message_ts=on_slack[0]["reference"] if on_slack else None,
    )


def _plan(connection: Connection, configuration: Settings, *, request_id: str, role: str) -> None:
    if configuration.approval_topic_arn:
        link_queries.plan_for_people(connection, request_id=request_id, channel="sns", role=role)
    if configuration.slack_bot_token or configuration.slack_secret_id:
        link_queries.plan_for_people(connection, request_id=request_id, channel="slack", role=role)
        if configuration.slack_channel:
            link_queries.plan_for_channel(connection, request_id=request_id, channel=configuration.slack_channel)


def _send(configuration: Settings, notice: DictRow, *, tenant: str) -> bool:
    try:
        reference = _deliver(configuration, notice, tenant=tenant)
    except (NotSentError, Unavailable) as error:
        with database.transaction(tenant) as connection:
            link_queries.note_failed(connection, notice, error=str(error))
        return False
    with database.transaction(tenant) as connection:
        link_queries.note_sent(connection, notice, reference=reference)
    return True


def _deliver(configuration: Settings, notice: DictRow, *, tenant: str) -> str:
    with database.transaction(tenant) as connection:
        facts = link_queries.facts(connection, request_id=notice["request_id"], recipient=notice["recipient"])
        if facts is None:
            raise NotSentError("the request is gone")
        link = _new_link(connection, configuration, facts, tenant=tenant) if facts["approver_id"] else None
    body = message.body(facts, link=link)
    if notice["channel"] == "slack":
        return channels.post(configuration, channel=facts["slack_user_id"] or notice["recipient"], body=body)
    attributes = {"tenant": tenant, "approver_role": facts["approver_role"], "approver_id": facts["approver_id"]}
    return channels.publish(
        configuration,
        subject=message.subject(facts),
        body=body,
        attributes={**attributes, "approver_email": facts["approver_email"], "request_id": facts["id"]},
    )


def _new_link(connection: Connection, configuration: Settings, facts: DictRow, *, tenant: str) -> str:
    """A link for each message: what was sent before a failure may have arrived, and works as well."""
    if not configuration.approval_url:
        raise NotSentError("APPROVAL_URL, the address of the approval page, is not set")
    token = links.mint(
        links.signing_key(configuration), tenant=tenant, request_id=facts["id"], expires_at=facts["expires_at"]
    )
    link_queries.add_link(
        connection,
        token_hash=links.hash_of(token),
        request_id=facts["id"],
        approver_id=facts["approver_id"],
        expires_at=facts["expires_at"],
    )
    return f"{configuration.approval_url.rstrip('/')}/{token}"


def _problem(rows: list[DictRow]) -> str | None:
    if not rows:
        return "No channel is configured, or nobody has the approver's role: no link was sent."
    unsent = [row for row in rows if row["sent_at"] is None]
    if not unsent:
        return None
    reasons = sorted({row["last_error"] or "not tried yet" for row in unsent})
    return f"{len(unsent)} of {len(rows)} messages were not sent ({'; '.join(reasons)}); they are tried again."
