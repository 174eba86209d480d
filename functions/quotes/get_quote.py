"""get_quote: one past quote with all its line items."""

from typing import Annotated

from psycopg.rows import DictRow
from pydantic import Field

from quarry.attributes.model import Attributes, texts_of
from quarry.money import Money, Quantity
from quarry.paging.pages import Paged, PagedArgs, Pages
from quarry.retrieval.here import attributes_of
from quarry.text import alike
from quarry.tool.contract import LeanResult, OpaquePart, retrieval_tool
from quarry.tool.errors import NotFound
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes import queries
from quotes.model import Quote, with_digits

TOOL = retrieval_tool(
    "get_quote",
    title="Get one past quote",
    toolset="quotes",
    description="""
        One quote of the archive (Q24-0101): what was charged and why, every line item verbatim; quotes made
        with quote_create are quote_get's. A long one comes in pages.
    """,
)

PAGES = Pages(tool=TOOL, into="line_items")


MOST_LINES = 200
BUDGET = 2500
"""Tokens of a page when the call gives neither a budget nor lines."""


class GetQuoteArgs(PagedArgs):
    quote_id: str = Field(min_length=1, max_length=100, description="As search results give it.")
    lines: list[Annotated[int, Field(ge=1, le=10_000)]] | None = Field(
        default=None, max_length=MOST_LINES, description="Only these positions."
    )


class LineItem(OpaquePart):
    """One line of a past quote; the description is verbatim, typos included."""

    position: int = Field(description="Line number.")
    category: str = Field(description="Printed heading.")
    family: str = Field(description="Family of goods or work.")
    manufacturer: str | None = Field(description="Manufacturer.")
    model: str | None = Field(description="Model as quoted.")
    description: str = Field(description="Verbatim text.")
    quantity: Quantity = Field(description="Quantity.")
    unit: str | None = Field(description="What quantity counts.")
    list_price: Money | None = Field(description="Of one unit then, before discount_pct.")
    discount_pct: Quantity | None = Field(description="Off list_price.")
    unit_price: Money | None = Field(description="Then, per unit: a precedent, not a price.")
    extended_price: Money | None = Field(description="Then, for the line; left out: of one.")
    currency: str | None = Field(description="Left out: the quote's.")
    optional: bool = Field(default=False, description="An option, not in the total.")
    price_note: str | None = Field(description="Why this price was charged.")
    attributes: dict[str, str] = Field(default={}, description="What the line says, by attribute, with its unit.")


class GetQuoteResult(LeanResult, Paged):
    """A quote and its line items."""

    quote: Quote | None = Field(description="The quote; null on later pages.")
    line_items: list[LineItem] = Field(description="In the order of the quote.")
    omitted: int = Field(default=0, description="Line items left to the next pages.")


def run(args: GetQuoteArgs, caller: Caller) -> GetQuoteResult:
    if args.lines is None and "max_tokens" not in args.model_fields_set:
        args = args.model_copy(update={"max_tokens": BUDGET})
    row = _found(args.quote_id, tenant=caller.tenant)
    rows = _of_positions(queries.lines_of_quote(caller.tenant, quote_number=row["quote_number"]), args.lines)
    attributes = attributes_of(caller.tenant)
    lines = [_line(line, attributes=attributes, currency=row["currency"]) for line in rows]
    page = GetQuoteResult(quote=None if args.cursor else Quote.model_validate(with_digits(row)), line_items=[])
    return PAGES.of_ranking(page, lines, keys=[(line.position,) for line in lines], args=args, caller=caller)


def _found(number: str, *, tenant: str) -> DictRow:
    """Returns the quote's row. Raises NotFound if none has the number, or several but for blanks and hyphens."""
    rows = queries.quotes_of_number(tenant, quote_number=number)
    if len(rows) == 1 or (rows and rows[0]["quote_number"].lower() == number.lower()):
        return rows[0]
    near = [row["quote_number"] for row in rows] or alike(number, queries.quote_numbers(tenant), most=5)
    hint = f"Nearest: {', '.join(near)}." if near else "Find one with search_line_items."
    hint += " One that quote_create made is quote_get's."
    raise NotFound(f"No past quote '{number}'. {hint}", details={"nearest": near})


def _of_positions(rows: list[DictRow], positions: list[int] | None) -> list[DictRow]:
    """Keeps the rows of the positions asked for, or all. Raises NotFound for a position that the quote lacks."""
    there = [row["position"] for row in rows]
    missing = sorted(set(positions or ()) - set(there))
    if missing:
        has = f"its lines are {', '.join(map(str, there))}" if there else "it has no lines"
        raise NotFound(f"No line {', '.join(map(str, missing))} in this quote: {has}.", details={"lines": there})
    return [row for row in rows if row["position"] in positions] if positions else rows


def _line(row: DictRow, *, attributes: Attributes, currency: str) -> LineItem:
    held = with_digits(row)
    if row["currency"] == currency:
        held["currency"] = None
    if row["quantity"] == 1 and row["extended_price"] == row["unit_price"]:
        held["extended_price"] = None
    held["attributes"] = texts_of(row["attributes"], attributes)
    return LineItem.model_validate(held, extra="ignore")


handler = serve(TOOL, GetQuoteArgs, run)
