"""list_documents: every document of the tenant, page by page."""

from pydantic import Field

from knowledge import queries
from knowledge.queries import WholeDocument
from quarry.paging.pages import Paged, PagedArgs, Pages
from quarry.tool.contract import retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "list_documents",
    title="List documents",
    toolset="knowledge",
    description="""
        All documents in the order of their numbers, whole, those that search finds by passage too. Pass next_cursor
        back as cursor until it is null. To find the few that answer a question use search instead.
    """,
)

PAGES = Pages(tool=TOOL, into="documents", limit="limit")


class ListDocumentsArgs(PagedArgs):
    limit: int = Field(default=100, ge=1, le=100, description="Most documents in this page.")


class ListDocumentsResult(Paged):
    """One page of documents."""

    documents: list[WholeDocument] = Field(description="In the order of doc_id.")


def run(args: ListDocumentsArgs, caller: Caller) -> ListDocumentsResult:
    place = PAGES.place(args, caller)
    after = int(place.after[0]) if place.after else -1
    documents, more = queries.page(caller.tenant, after=after, most=args.limit)
    return PAGES.of_listing(
        ListDocumentsResult(documents=[]),
        documents,
        keys=[(document.doc_id,) for document in documents],
        more=more,
        args=args,
        caller=caller,
    )


handler = serve(TOOL, ListDocumentsArgs, run)
