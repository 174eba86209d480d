"""quote_withdraw: takes back a request for approval, or gives up a quote that nobody relies on."""

from typing import Annotated

from pydantic import Field

from cpq.approvals import requesting
from cpq.model import PLAIN, ExpectedVersion, Status, ThisQuote
from cpq.quotes import versions
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.contract import Args, Result, Tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = Tool(
    name="quote_withdraw",
    title="Withdraw a request or discard a quote",
    toolset="cpq",
    description="Takes back a quote's open approval requests; with discard gives it up for good, unless it was "
    "approved, sent or printed.",
    read_only=False,
    destructive=True,
    idempotent=True,
    open_world=False,
)


class QuoteWithdrawArgs(Args):
    quote_id: ThisQuote
    reason: Annotated[str, Field(min_length=1, max_length=1000), PLAIN] = Field(description="Approvers read it.")
    discard: bool = Field(default=False, description="Give up the quote, too.")
    expected_version: ExpectedVersion = None


class QuoteWithdrawResult(Result):
    quote_id: str = Field(description="Quote.")
    version: int = Field(description="Its newest version.")
    status: Status = Field(description="Its status now.")
    withdrawn: list[str] = Field(description="Requests that were taken back by this call; none were open if empty.")


def run(args: QuoteWithdrawArgs, caller: Caller) -> QuoteWithdrawResult:
    with database.transaction(caller.tenant) as connection:
        return withdrawn(connection, args, caller=caller)


def withdrawn(connection: Connection, args: QuoteWithdrawArgs, *, caller: Caller) -> QuoteWithdrawResult:
    current = versions.lock(connection, quote_id=args.quote_id, expected_version=args.expected_version)
    if args.discard:
        versions.require_unused(connection, current)
    requests = requesting.withdraw(connection, current, reason=args.reason, caller=caller)
    if args.discard:
        versions.discard(connection, current, reason=args.reason, caller=caller)
    version = versions.find(connection, quote_id=current.quote_id)
    return QuoteWithdrawResult(
        quote_id=version.quote_id, version=version.version, status=version.status_now, withdrawn=requests
    )


handler = serve(TOOL, QuoteWithdrawArgs, run)
