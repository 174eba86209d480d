"""quote_compare: two versions of a quote, or two quotes, line by line."""

from pydantic import Field

from cpq.model import QuoteId, ThisQuote
from cpq.quotes import versions
from cpq.quotes.comparison import AmountChange, Difference, LineDifference, compare
from quarry.data import database
from quarry.tool.contract import MOST_WHOLE, Args, LeanResult, Part, retrieval_tool
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "quote_compare",
    title="Compare two quotes or versions",
    toolset="cpq",
    description="""
        What differs between two versions of a quote, or two quotes: lines, money and terms, before and after.
        Unset: the newest version against the one before it.
    """,
)


class QuoteCompareArgs(Args):
    quote_id: ThisQuote
    version: int | None = Field(default=None, ge=1, le=MOST_WHOLE, description="The later one; unset: the newest.")
    with_quote_id: QuoteId | None = Field(default=None, description="Another quote to compare with.")
    with_version: int | None = Field(
        default=None, ge=1, le=MOST_WHOLE, description="The earlier one, or of with_quote_id."
    )


class ComparedVersion(Part):
    quote_id: str = Field(description="Quote.")
    version: int = Field(description="Version.")


class QuoteCompareResult(LeanResult):
    before: ComparedVersion = Field(description="The first.")
    after: ComparedVersion = Field(description="The second.")
    currencies: list[str] = Field(description="Of before and after.")
    money: list[AmountChange] = Field(description="Totals that differ.")
    terms: list[Difference] = Field(description="Terms that differ.")
    lines: list[LineDifference] = Field(description="Lines that differ, in the order of the later quote.")
    same_lines: int = Field(description="Lines that are the same.")


def run(args: QuoteCompareArgs, caller: Caller) -> QuoteCompareResult:
    with database.transaction(caller.tenant) as connection:
        after = versions.whole(connection, quote_id=args.quote_id, version=args.version)
        other, version = _other(args, newest=after.header.version)
        before = versions.whole(connection, quote_id=other, version=version)
    found = compare(before, after)
    return QuoteCompareResult(
        before=ComparedVersion(quote_id=before.header.id, version=before.header.version),
        after=ComparedVersion(quote_id=after.header.id, version=after.header.version),
        currencies=[before.header.currency, after.header.currency],
        money=found.money,
        terms=found.terms,
        lines=found.lines,
        same_lines=found.same_lines,
    )


def _other(args: QuoteCompareArgs, *, newest: int) -> tuple[str, int | None]:
    if args.with_quote_id is not None:
        return args.with_quote_id, args.with_version
    wanted = args.with_version or newest - 1
    if wanted < 1:
        raise ValidationFailed(
            f"{args.quote_id} has one version only: give with_quote_id, or revise it first.",
        )
    return args.quote_id, wanted


handler = serve(TOOL, QuoteCompareArgs, run)
