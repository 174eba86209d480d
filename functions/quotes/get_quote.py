"""get_quote: one past quote with all its line items."""

from typing import Annotated, ClassVar

from psycopg.rows import DictRow
from pydantic import Field

from quarry.paging.budget import LongText, shortened
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.precedents.mentions import Mentioning
from quarry.precedents.past_lines import disagreement
from quarry.spelling import alike
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.errors import NotFound
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quarry.understanding.names import Names
from quarry.understanding.words import Vocabulary
from quarry.units import BESIDE, Units, units_of
from quotes import queries
from quotes.model import LineItem, Quote, parted, with_digits

TOOL = retrieval_tool(
    "get_quote",
    title="Get one past quote",
    toolset="quotes",
    description="""
        One quote of the archive (Q24-0101): what was charged and why, every line item verbatim; quotes made
        with quote_create are quote_get's. A long one comes in pages, unless lines picks or max_tokens is null.
    """,
)

PAGES = Pages(tool=TOOL, into="line_items", text=LongText("description"))


MOST_LINES = 200
BUDGET = 2500
"""Tokens of a page of a call that names neither a budget nor lines."""


class GetQuoteArgs(PagedArgs):
    quote_id: str = Field(
        min_length=1, max_length=100, description="Quote number as search results give it (quote_number)."
    )
    lines: list[Annotated[int, Field(ge=1, le=10_000)]] | None = Field(
        default=None, max_length=MOST_LINES, description="Only these positions."
    )
    units: Units | None = Field(default=None, description=BESIDE)


class QuotePart(Part):
    quote: Quote | None = Field(description="The quote; null on later pages.")
    line_items: list[LineItem] = Field(description="In the order of the quote.")
    omitted: int = Field(default=0, description="Line items left to the next pages.")


class GetQuoteResult(PagedTexts, QuotePart):
    """A quote and its line items."""

    lean: ClassVar[bool] = True


def run(args: GetQuoteArgs, caller: Caller) -> GetQuoteResult:
    if args.lines is None and "max_tokens" not in args.model_fields_set:
        args = args.model_copy(update={"max_tokens": BUDGET})
    row = _found(args.quote_id, tenant=caller.tenant)
    rows = _of_positions(queries.lines_of_quote(caller.tenant, quote_number=row["quote_number"]), args.lines)
    lines = [_line(line, quote=row) for line in rows]
    if units_of(args.units, tenant=caller.tenant) == "metric":
        lines = [line.with_metric() for line in lines]
    page = GetQuoteResult(quote=None if args.cursor else _quote(row, max_tokens=args.max_tokens), line_items=[])
    return PAGES.of_ranking(page, lines, keys=[(line.position,) for line in lines], args=args, caller=caller)


def _found(number: str, *, tenant: str) -> DictRow:
    """The quote's row. Raises NotFound where no quote has the number, or several but for blanks and hyphens."""
    rows = queries.quotes_of_number(tenant, quote_number=number)
    if len(rows) == 1 or (rows and rows[0]["quote_number"].lower() == number.lower()):
        return rows[0]
    near = [row["quote_number"] for row in rows] or alike(number, queries.quote_numbers(tenant), most=5)
    hint = f"Nearest: {', '.join(near)}." if near else "Find one with search_past_quotes."
    raise NotFound(f"No past quote '{number}'. {hint}", details={"nearest": near})


def _of_positions(rows: list[DictRow], positions: list[int] | None) -> list[DictRow]:
    """Raises NotFound where a position is asked for that the quote does not have."""
    there = [row["position"] for row in rows]
    missing = sorted(set(positions or ()) - set(there))
    if missing:
        has = f"its lines are {', '.join(map(str, there))}" if there else "it has no lines"
        raise NotFound(f"No line {', '.join(map(str, missing))} in this quote: {has}.", details={"lines": there})
    return [row for row in rows if row["position"] in positions] if positions else rows


def _line(row: DictRow, *, quote: DictRow) -> LineItem:
    held = with_digits(row)
    if row["quantity"] == 1:
        held["extended_price"] = None
    if row["catalogue_model"] == row["model"]:
        held["catalogue_model"] = None
    shown = {name: held[name] for name in LineItem.model_fields if name in held}
    told = parted(row, shown=None, quote=quote, mentioning=Mentioning(Names(), Vocabulary.shipped()))
    return LineItem.model_validate({**shown, **told, "disagrees": disagreement(row, row["_catalogue"])})


def _quote(row: DictRow, *, max_tokens: int | None) -> Quote:
    """Half of the page is for the lines, which are what it is read for."""
    half = None if max_tokens is None else max_tokens // 2
    return shortened(Quote.model_validate(with_digits(row)), text=LongText("summary"), max_tokens=half)


handler = serve(TOOL, GetQuoteArgs, run)
