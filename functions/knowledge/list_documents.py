"""list_documents: every document of the tenant, page by page."""

from pydantic import Field

from knowledge import queries
from knowledge.model import Document
from quarry.contract import Args, Result, retrieval_tool
from quarry.identity import Caller
from quarry.runtime import serve

TOOL = retrieval_tool(
    "list_documents",
    title="List documents",
    toolset="knowledge",
    description="""
        All documents, whole, in the order of their numbers. Pass next_cursor back as cursor until it is null. To
        find the few that answer a question use search instead.
    """,
)


class ListDocumentsArgs(Args):
    limit: int = Field(default=100, ge=1, le=100, description="Most documents in this page.")
    cursor: str | None = Field(
        default=None, pattern=r"^[0-9]{1,9}$", description="next_cursor of the page before; leave out for the first."
    )


class ListDocumentsResult(Result):
    documents: list[Document] = Field(description="In the order of doc_id.")
    next_cursor: str | None = Field(description="Where the next page starts; null after the last document.")


def run(args: ListDocumentsArgs, caller: Caller) -> ListDocumentsResult:
    after = -1 if args.cursor is None else int(args.cursor)
    found = queries.page(caller.tenant, after=after, most=args.limit + 1)
    documents = found[: args.limit]
    more = len(found) > args.limit
    return ListDocumentsResult(documents=documents, next_cursor=str(documents[-1].doc_id) if more else None)


handler = serve(TOOL, ListDocumentsArgs, run)
