"""search_line_items: how past quotes worded and priced a thing, line item by line item."""

from functools import partial

from pydantic import Field

from quarry.attributes.model import Attributes, texts_of
from quarry.corpora import LINE_ITEMS
from quarry.money import Money, Quantity
from quarry.paging.pages import Pages
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Hit
from quarry.retrieval.search_results import PASSAGE, SearchHit, TableArgs, TableResult, answer, passage_of
from quarry.text import key_of
from quarry.tool.contract import OpaquePart, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes.model import PeriodArgs, QuoteSource, Status, with_digits

TOOL = retrieval_tool(
    "search_line_items",
    title="Search the description library",
    toolset="quotes",
    description="""
        How the company described and priced a thing before: lines of past quotes as a table, the first with
        their words, verbatim, with customer, quote number and date to cite. Treat prices as precedents.
    """,
)

PAGES = Pages(tool=TOOL, into="rows")


class SearchLineItemsArgs(PeriodArgs, TableArgs):
    category: str | None = Field(default=None, max_length=200, description="Printed heading, or a family.")
    customer: str | None = Field(default=None, description="A part.")
    status: Status | None = Field(default=None, description="Outcome.")
    optional: bool | None = Field(default=None, description="Only options, or none.")


class FoundLine(OpaquePart):
    quote_number: str = Field(description="Quote it stands in.")
    position: int = Field(description="Line number.")
    category: str = Field(description="Printed heading.")
    manufacturer: str | None = Field(description="Manufacturer.")
    model: str | None = Field(description="Model as quoted.")
    description: str = Field(description=PASSAGE)
    quantity: Quantity = Field(description="Quantity.")
    unit: str | None = Field(default=None, description="What quantity counts.")
    list_price: Money | None = Field(default=None, description="Of one unit then, before discount_pct.")
    discount_pct: Quantity | None = Field(default=None, description="Off list_price.")
    unit_price: Money | None = Field(description="Then, per unit: a precedent, not a price.")
    currency: str = Field(description="ISO 4217 code.")
    optional: bool = Field(description="An option, not in the total.")
    price_note: str | None = Field(description="Why this price was charged.")
    attributes: dict[str, str] = Field(default={}, description="What the line says, by attribute, with its unit.")


class LineItemHit(SearchHit):
    line_item: FoundLine = Field(description="The line.")
    source_quote: QuoteSource = Field(description="Cite customer, quote number and date above the text.")
    same_words_count: int | None = Field(default=None, description="Other lines of the same words, all older.")


class SearchLineItemsResult(TableResult[LineItemHit]):
    """Lines as a table."""


def run(args: SearchLineItemsArgs, caller: Caller) -> SearchLineItemsResult:
    attributes = attributes_of(caller.tenant)
    family = key_of(args.category or "").replace(" ", "_")
    short = [
        ("family", family) if family in attributes.families else ("category", args.category),
        ("customer", args.customer),
        ("status", args.status),
        *args.period,
        ("optional", None if args.optional is None else "yes" if args.optional else "no"),
    ]
    found = answer(LINE_ITEMS, args, tenant=caller.tenant, short=short)
    told = partial(_shape, args=args, attributes=attributes)
    return found.page(SearchLineItemsResult, told, pages=PAGES, args=args, caller=caller)


def _shape(hit: Hit, among: int, *, args: SearchLineItemsArgs, attributes: Attributes) -> LineItemHit:
    row = with_digits(hit.row)
    text, more = passage_of(row["description"], args, among=among, whole_in="get_quote")
    line = {**row, "description": text, "attributes": texts_of(row["attributes"], attributes)}
    return LineItemHit.of(
        hit,
        full=args.full,
        line_item=FoundLine.model_validate(line, extra="ignore"),
        source_quote=QuoteSource.model_validate(row, extra="ignore"),
        same_words_count=hit.copies or None,
        more=more,
    )


handler = serve(TOOL, SearchLineItemsArgs, run)
