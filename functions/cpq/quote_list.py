"""quote_list: our quotes, filtered, sorted and paged."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from cpq.model import ListedQuote, Pagination, Status
from cpq.quotes import queries
from quarry.data import database
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "quote_list",
    title="List quotes",
    toolset="cpq",
    description="""
        Our quotes in their newest version, newest first. To read on, repeat the arguments with the next page and
        as_of of the first answer as created_before: then quotes created meanwhile shift nothing.
    """,
)


def _instant(text: str) -> str:
    """Reads a day, which begins at midnight UTC, or a time, which is in UTC where it has no zone."""
    try:
        found = datetime.fromisoformat(text)
        return (found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()
    except (ValueError, OverflowError):
        raise ValueError("write a day as YYYY-MM-DD, or a time as 2026-01-31T09:00:00Z") from None


Instant = Annotated[str, Field(max_length=40), AfterValidator(_instant), WithJsonSchema({"type": "string"})]
Filter = Literal[Status, "approval"]


class QuoteListArgs(Args):
    account_id: str | None = Field(default=None, min_length=1, max_length=100, description="Only this customer's.")
    status: Filter | None = Field(
        default=None, description="Of the newest version; approval is short for pending_approval."
    )
    created_after: Instant | None = Field(
        default=None, description="Created at or after this day (midnight UTC) or time."
    )
    created_before: Instant | None = Field(default=None, description="Created before this day or time.")
    limit: int = Field(default=20, ge=1, le=100, description="Most quotes of a page.")
    page: int = Field(default=1, ge=1, le=100_000, description="Page, from 1.")
    sort_by: Literal["created_at", "updated_at", "total", "valid_until", "account_name", "id"] = Field(
        default="created_at",
        description="Order; equal ones by id. Totals within each currency, null ones last.",
    )
    sort_order: Literal["asc", "desc"] = Field(default="desc", description="Direction.")


class QuoteListResult(Result):
    items: list[ListedQuote] = Field(description="This page; empty when nothing matches.")
    pagination: Pagination = Field(description="Where this page stands.")
    as_of: str = Field(description="When it was read.")
    notice: str | None = Field(description="What the reader should know about this answer, or null.")


def run(args: QuoteListArgs, caller: Caller) -> QuoteListResult:
    status = "pending_approval" if args.status == "approval" else args.status
    parameters = {**args.model_dump(), "status": status, "offset": (args.page - 1) * args.limit}
    notice, account = None, args.account_id
    with database.transaction(caller.tenant) as connection:
        rows = queries.listed(connection, sort_by=args.sort_by, sort_order=args.sort_order, parameters=parameters)
        total, as_of = rows[0]["matches"], rows[0]["as_of"]
        if account and not total and not queries.account_exists(connection, account_id=account):
            notice = f"There is no account '{account}'; account_search finds an id by a name."
    return QuoteListResult(
        items=[ListedQuote.model_validate(row, extra="ignore") for row in rows if row["id"] is not None],
        pagination=Pagination.of(total=total, page=args.page, per_page=args.limit),
        as_of=as_of.isoformat(),
        notice=notice,
    )


handler = serve(TOOL, QuoteListArgs, run)
