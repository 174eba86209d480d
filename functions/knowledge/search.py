"""search: the documents that answer a query."""

from typing import Annotated

from pydantic import Field

from knowledge import queries
from knowledge.queries import Document
from quarry.paging.pages import PagedArgs, Pages
from quarry.retrieval.hits import Query
from quarry.retrieval.search import search
from quarry.retrieval.search_results import SearchHit, SearchResult
from quarry.tool.contract import retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "search",
    title="Search documents",
    toolset="knowledge",
    description="""
        The tenant's own documents nearest to a query, no quotes and no products: verbatim, best first, each
        with its number to cite; of a long one the passage that matters. Ask one fact at a time. The nearest
        always come: analog is the best that a document is called; where all are probable_miss expect that none
        is about it.
    """,
)

PAGES = Pages(tool=TOOL)


class SearchArgs(PagedArgs):
    query: Annotated[Query, Field(description="What to look for, in words.")]
    top_k: int = Field(default=3, ge=1, le=50, description="Most documents to return.")


class DocumentHit(SearchHit, Document):
    """A document that was found, with its score."""


class SearchDocumentsResult(SearchResult[DocumentHit]):
    """Hits on documents."""


def run(args: SearchArgs, caller: Caller) -> SearchDocumentsResult:
    outcome = search(
        queries.DOCUMENTS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
    )
    hits = [DocumentHit.of(hit, **hit.row) for hit in outcome.hits]
    page = SearchDocumentsResult(results=[], degraded=outcome.degraded, notice=outcome.notice)
    return PAGES.of_ranking(page, hits, keys=[(hit.doc_id,) for hit in hits], args=args, caller=caller)


handler = serve(TOOL, SearchArgs, run)
