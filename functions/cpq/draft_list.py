"""draft_list: letters in their newest version, what is open in them, newest first."""

from pydantic import AwareDatetime, Field

from cpq.drafts import queries
from cpq.model import Pagination
from quarry.data import database
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "draft_list",
    title="List letters",
    toolset="cpq",
    description="Letters in their newest version, newest first.",
)


class DraftListArgs(Args):
    customer: str | None = Field(
        default=None, min_length=2, max_length=200, description="Account's id or part of a name."
    )
    limit: int = Field(default=20, ge=1, le=100, description="Most of a page.")
    page: int = Field(default=1, ge=1, le=100_000, description="Page, from 1.")


class ListedDraft(Part):
    draft_id: str = Field(description="For draft_get.")
    version: int = Field(description="Newest.")
    customer: str = Field(description="Whom it is for.")
    quote_ids: list[str] = Field(description="Its quotes.")
    open: int = Field(description="Open fields.")
    withdrawn: str | None = Field(description="Why it is not to go out.")
    at: AwareDatetime = Field(description="When that version was composed.")
    by: str = Field(description="By whom.")


class DraftListResult(Result):
    items: list[ListedDraft] = Field(description="This page; empty when nothing matches.")
    pagination: Pagination = Field(description="Where this page stands.")


def run(args: DraftListArgs, caller: Caller) -> DraftListResult:
    asked = {"customer": args.customer, "limit": args.limit, "offset": (args.page - 1) * args.limit}
    with database.transaction(caller.tenant) as connection:
        rows = connection.execute(queries.LIST_DRAFTS, asked).fetchall()
        total = rows[0]["matches"] if rows else 0
        if not rows and args.page > 1:
            first = connection.execute(queries.LIST_DRAFTS, {**asked, "limit": 1, "offset": 0}).fetchone()
            total = first["matches"] if first else 0
    return DraftListResult(
        items=[ListedDraft.model_validate(row, extra="ignore") for row in rows],
        pagination=Pagination.of(total=total, page=args.page, per_page=args.limit),
    )


handler = serve(TOOL, DraftListArgs, run)
