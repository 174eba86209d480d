"""approval_request: asks the people in charge to approve a priced quote."""

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import AwareDatetime, Field

from cpq import idempotency
from cpq.approvals import notices, queries, requesting
from cpq.approvals.model import STATUS, Approval, ApprovalContext, CompetitorClaim, RequestStatus
from cpq.approvals.notices import Notified
from cpq.model import ExpectedVersion, IdempotencyKey, OwnersId, ThisQuote
from cpq.quotes import versions
from quarry.data import database
from quarry.data.database import Connection
from quarry.money import Money
from quarry.tool.contract import Args, Part, Result, Tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = Tool(
    name="approval_request",
    title="Request approval",
    toolset="cpq",
    description="Submits a priced quote that is APPROVAL_REQUIRED to the people who may approve it. They decide on a "
    "page of their own: no tool can approve. Any later change of the quote voids it.",
    read_only=False,
    destructive=False,
    idempotent=False,
    open_world=True,
)


class ApprovalRequestArgs(Args):
    quote_id: ThisQuote
    justification: str = Field(
        min_length=1,
        max_length=4000,
        description="Why: only what the user said or a tool returned. The approver sees it as your claim.",
    )
    competitor: CompetitorClaim | None = Field(
        default=None, description="An offer that the user told of, in the quote's currency."
    )
    escalation: bool = Field(
        default=False,
        description="Ask the next role up; a pending request goes to it.",
    )
    account_id: OwnersId = None
    expected_version: ExpectedVersion = None
    idempotency_key: IdempotencyKey = None


class RequestedApproval(Part):
    id: str = Field(description="Request id, e.g. APR-2026-0089.")
    quote_id: str = Field(description="Quote.")
    account_name: str = Field(
        default="", description="Its customer; not the one you meant: quote_withdraw takes the request back."
    )
    total: Money | None = Field(default=None, description="What it comes to, tax included.")
    version: int = Field(description="The one version it is about.")
    status: RequestStatus = Field(description=STATUS)
    requested_by: str = Field(description="Who asked.")
    approver_role: str = Field(description="Role that decides.")
    approver_id: str | None = Field(description="Who decided; null while nobody has.")
    justification: str = Field(description="As given.")
    context: ApprovalContext = Field(description="Facts on record that the approver sees beside it.")
    created_at: AwareDatetime = Field(description="When it was asked for.")
    expires_at: AwareDatetime = Field(
        description="Until when it can be decided; then it goes to the next role, or expires at the last."
    )


class OtherRequest(Part):
    id: str = Field(description="Request id.")
    approver_role: str = Field(description="Role that decides.")
    status: RequestStatus = Field(description="pending, or waiting until those before it have approved.")


class ApprovalRequestResult(Result):
    approval_request: RequestedApproval = Field(description="The request, or the first of several.")
    other_requests: list[OtherRequest] = Field(description="Where policy asks several roles, those of the others.")
    notification_sent: bool = Field(description="True when at least one approver has been sent their link.")
    notification_problem: str | None = Field(description="Why somebody was not; the request stands all the same.")
    slack_message_ts: str | None = Field(description="Slack's timestamp of the message; null without Slack.")
    slack_channel: str | None = Field(description="Channel of that message.")


def run(args: ApprovalRequestArgs, caller: Caller) -> ApprovalRequestResult:
    plea = requesting.Plea(caller=caller, **{name: said for name, said in args if name != "idempotency_key"})
    with database.transaction(caller.tenant) as connection:
        answer = idempotency.once(
            connection,
            tool=TOOL.name,
            key=args.idempotency_key,
            args=args,
            answer=ApprovalRequestResult,
            write=lambda: _answer(connection, requesting.request(connection, plea)),
        )
        # As the requests are now: an answer that was stored earlier must not call a void one pending.
        ids = [answer.approval_request.id, *(other.id for other in answer.other_requests)]
        quote_id = answer.approval_request.quote_id
        asked = {request.id: request for request in queries.of_quote(connection, quote_id=quote_id)}
        answer = _answer(connection, [asked[each] for each in ids])
    # Notices go out after the commit: a message about a request that was rolled back could not be taken back.
    for each in ids:
        notices.send(caller.tenant, request_id=each)
    return answer.model_copy(update=asdict(notices.state(caller.tenant, request_id=ids[0])))


def _answer(connection: Connection, approvals: Sequence[Approval]) -> ApprovalRequestResult:
    first, *others = ({**asdict(each), "status": each.status_now} for each in approvals)
    version = versions.find(connection, quote_id=first["quote_id"], version=first["version"])
    owner = {"account_name": version.account["name"], "total": version.total}
    request = {**first, **owner, "approver_id": first["decided_by"]}
    answer = {"approval_request": request, "other_requests": others, **asdict(Notified())}
    return ApprovalRequestResult.model_validate(answer, extra="ignore")


handler = serve(TOOL, ApprovalRequestArgs, run)
