"""account_search: customers by name, domain, deal or city."""

from typing import ClassVar

from pydantic import Field

from cpq import accounts
from cpq.accounts import FoundAccount
from cpq.model import Pagination
from quarry.data import database
from quarry.spelling import alike
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "account_search",
    title="Find a customer",
    toolset="cpq",
    description="""
        Customers by name, web or mail domain, deal, city or addressee, in part and whatever the case and blanks: with
        segment, addressee, open and past quotes. Ask here for an account_id.
    """,
)


class AccountSearchArgs(Args):
    query: str = Field(min_length=2, max_length=300, description="'acme', 'acme.example', 'Portland' or a deal's id.")
    limit: int = Field(default=5, ge=1, le=50, description="Most customers of a page.")
    page: int = Field(default=1, ge=1, le=10_000, description="Page, from 1.")


class AccountSearchResult(Result):
    lean: ClassVar[bool] = True

    accounts: list[FoundAccount] = Field(description="Who is meant exactly first; empty when nobody matches.")
    pagination: Pagination = Field(description="Where this page stands.")
    notice: str | None = Field(description="The nearest names where nobody matches, or null.")


def run(args: AccountSearchArgs, caller: Caller) -> AccountSearchResult:
    with database.transaction(caller.tenant) as connection:
        total, found = accounts.search(connection, args.query, limit=args.limit, offset=(args.page - 1) * args.limit)
        names = [] if total or args.page > 1 else accounts.names(connection)
        past = [] if total or args.page > 1 else accounts.without_account(connection, args.query)
    near = alike(args.query, names)
    notice = None
    if not found and args.page == 1:
        notice = f"No account matches '{args.query}'." + (f" Nearest: {'; '.join(near)}." if near else "")
        if past:
            notice += f" In past quotes alone: {'; '.join(past)}; quote_create takes such a company as a prospect."
    return AccountSearchResult(
        accounts=found,
        pagination=Pagination.of(total=total, page=args.page, per_page=args.limit),
        notice=notice,
    )


handler = serve(TOOL, AccountSearchArgs, run)
