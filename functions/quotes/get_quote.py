"""get_quote: one past quote with all its line items."""

import difflib

from pydantic import Field

from quarry.contract import Args, Result, retrieval_tool
from quarry.errors import NotFound
from quarry.identity import Caller
from quarry.runtime import serve
from quotes import queries
from quotes.model import LineItem, Quote

TOOL = retrieval_tool(
    "get_quote",
    title="Get one past quote",
    toolset="quotes",
    description="""
        A past quote in full: its facts, what was charged and why, and every line item verbatim in order.
        Long installation blocks come whole.
    """,
)


class GetQuoteArgs(Args):
    quote_id: str = Field(
        min_length=1, max_length=100, description="Quote number as search results give it (quote_number)."
    )


class GetQuoteResult(Result):
    quote: Quote = Field(description="The quote.")
    line_items: list[LineItem] = Field(description="In the order of the quote.")


def run(args: GetQuoteArgs, caller: Caller) -> GetQuoteResult:
    row = queries.quote(caller.tenant, quote_number=args.quote_id)
    if row is None:
        near = difflib.get_close_matches(args.quote_id, queries.quote_numbers(caller.tenant), n=5)
        hint = f"Nearest: {', '.join(near)}." if near else "Find one with search_past_quotes."
        raise NotFound(f"No past quote '{args.quote_id}'. {hint}", details={"nearest": near})
    lines = queries.lines_of_quote(caller.tenant, quote_number=row["quote_number"])
    return GetQuoteResult(
        quote=Quote.model_validate(row), line_items=[LineItem.model_validate(line) for line in lines]
    )


handler = serve(TOOL, GetQuoteArgs, run)
