"""quote_list: our quotes, filtered, sorted and paged without skipping or repeating any."""

from datetime import UTC, date, datetime, time
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, WithJsonSchema

from cpq import cursor, quote_queries
from cpq.cursor import Pin
from cpq.model import Money, Pagination, Status
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "quote_list",
    title="List quotes",
    toolset="cpq",
    description="""
        Our quotes in their newest version, newest first. To read on, repeat the arguments with the next page and the
        cursor of the first answer: then quotes created meanwhile shift nothing.
    """,
)


def _instant(text: str) -> str:
    """A day begins at midnight UTC, and a time without a zone is in UTC."""
    try:
        found = (
            datetime.combine(date.fromisoformat(text), time.min) if len(text) == 10 else datetime.fromisoformat(text)
        )
    except ValueError:
        raise ValueError("write a day as YYYY-MM-DD, or a time as 2026-01-31T09:00:00Z") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()


Instant = Annotated[str, Field(max_length=40), AfterValidator(_instant), WithJsonSchema({"type": "string"})]
Filter = Literal[
    "draft", "priced", "pending_approval", "approval", "approved", "rejected", "expired", "sent", "superseded"
]


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
        default="created_at", description="Order; equal ones by id. Null totals come last."
    )
    sort_order: Literal["asc", "desc"] = Field(default="desc", description="Direction.")
    cursor: str | None = Field(
        default=None, min_length=1, max_length=cursor.LONGEST, description="From the first page's answer."
    )


class ListedQuote(Part):
    id: str = Field(description="Quote id for quote_get.")
    version: int = Field(description="Newest version.")
    account_id: str = Field(description="Customer.")
    account_name: str = Field(description="Customer's name.")
    deal_id: str | None = Field(description="Deal in the CRM.")
    status: Status = Field(description="Status of that version.")
    currency: str = Field(description="ISO 4217 code of total.")
    total: Money | None = Field(description="Total with tax; null until quote_price has run.")
    valid_until: date = Field(description="Last day to accept.")
    created_at: AwareDatetime = Field(description="When the quote was created.")
    created_by: str = Field(description="By whom.")


class QuoteListResult(Result):
    items: list[ListedQuote] = Field(description="This page; empty when nothing matches.")
    pagination: Pagination = Field(description="Where this page stands; with a cursor total counts the pinned list.")
    cursor: str = Field(description="Send it with the other pages: it pins which quotes this list holds.")
    notice: str | None = Field(description="What the reader should know about this answer, or null.")


def run(args: QuoteListArgs, caller: Caller) -> QuoteListResult:
    question = args.model_dump(mode="json", exclude={"page", "cursor"})
    pin = cursor.decode(args.cursor, question=question) if args.cursor else None
    rows = quote_queries.listed(
        caller.tenant,
        sort_by=args.sort_by,
        sort_order=args.sort_order,
        parameters={
            "account_id": args.account_id,
            "status": "pending_approval" if args.status == "approval" else args.status,
            "created_after": args.created_after,
            "created_before": args.created_before,
            "snapshot": pin.snapshot if pin else None,
            "as_of": pin.as_of if pin else None,
            "limit": args.limit,
            "offset": (args.page - 1) * args.limit,
        },
    )
    held = pin or Pin(rows[0]["snapshot"], rows[0]["as_of"])
    items = [
        ListedQuote.model_validate({name: row[name] for name in ListedQuote.model_fields})
        for row in rows
        if row["id"]
    ]
    matches = rows[0]["matches"]
    return QuoteListResult(
        items=items,
        pagination=Pagination.of(total=matches, page=args.page, per_page=args.limit),
        cursor=cursor.encode(held, question=question),
        notice=None if matches else _notice(args.account_id, tenant=caller.tenant),
    )


def _notice(account_id: str | None, *, tenant: str) -> str | None:
    if account_id is None or quote_queries.account_exists(tenant, account_id=account_id):
        return None
    return f"There is no account '{account_id}'."


handler = serve(TOOL, QuoteListArgs, run)
