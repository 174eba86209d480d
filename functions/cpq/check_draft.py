"""check_draft: which figures, names, models, numbers, dates and links of a drafted letter have a source."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from cpq.documents import queries as documents
from cpq.drafts.checking import Remark, Verdict, check
from cpq.drafts.letter import outside
from cpq.drafts.reading import Gathering
from cpq.drafts.value import Named
from cpq.model import PLAIN, QuoteId
from cpq.quotes.versions import find
from quarry.data import database
from quarry.retrieval.here import attributes_of
from quarry.text import part_key
from quarry.tool.contract import Args, LeanResult, Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "check_draft",
    title="Check a drafted letter",
    toolset="cpq",
    description="""
        Figures, amounts, periods, models, makers, customers, links, quote numbers and dates of a draft that have no
        source or another one, in any language. It judges no sentences. Run it before handing a draft over.
    """,
)

MOST_SHOWN = 100
SHOWN = 240
"""How many characters of a statement a finding repeats."""


class CheckDraftArgs(Args):
    draft: Annotated[str, Field(min_length=1, max_length=60_000), PLAIN] = Field(description="Markdown.")
    quote_id: QuoteId | None = Field(default=None, description="Whose prices it states.")
    products: list[Named] = Field(default=[], max_length=60, description="Models beside those it names.")
    past_quotes: list[Named] = Field(default=[], max_length=60, description="Quote numbers beside those it names.")
    account: Named | None = Field(default=None, description="Customer's id or name.")
    request: Annotated[str, Field(max_length=20_000), PLAIN] | None = Field(
        default=None, description="What the customer wrote."
    )
    full: bool = Field(default=False, description="Also what has a source.")


class CheckedStatement(Part):
    verdict: Verdict = Field(description="contradicted: its source says otherwise; foreign: another customer's.")
    kind: str = Field(description="What it is, e.g. amount.")
    line: int = Field(description="In the draft, from 1.")
    also: list[int] | None = Field(default=None, description="Further lines of the same fault.")
    text: str = Field(description="As written.")
    source: str | None = Field(default=None, description="Where it is from, or what denies it.")
    right: str | None = Field(default=None, description="What comes next to it there.")


class CheckDraftResult(LeanResult):
    """What was found in a draft."""

    faults: int = Field(description="0: all has a source.")
    supported: int = Field(description="Statements that have one.")
    findings: list[CheckedStatement] = Field(description="The first hundred faults; with full, every statement.")
    notice: str | None = Field(default=None, description="Sources that were named and are not here.")


def run(args: CheckDraftArgs, caller: Caller) -> CheckDraftResult:
    letter, notes = outside(args.draft)
    with database.transaction(caller.tenant) as connection:
        version = find(connection, quote_id=args.quote_id) if args.quote_id else None
        stored = [documents.with_lines(connection, version)] if version else []
        attributes, today = attributes_of(caller.tenant), datetime.now(UTC).date()
        found = Gathering(connection, f"{letter}\n{notes}", today=today, attributes=attributes)
        found.rows(
            request=args.request or "",
            account=args.account or (version.account_id if version else ""),
            things=[*args.products, *(line.product_id for quote in stored for line in quote.lines)],
            numbers=args.past_quotes,
            quotes=stored,
        )
    remarks = check(letter, found.evidence)
    faults = [each for each in remarks if each.verdict != "supported"]
    absent = [name for name in args.products if part_key(name) not in found.known]
    known = found.evidence.own | found.evidence.foreign
    absent += [number for number in args.past_quotes if number.upper() not in known]
    return CheckDraftResult(
        faults=len(faults),
        supported=len(remarks) - len(faults),
        findings=_shown(remarks if args.full else faults, every=args.full),
        notice=f"Not found: {', '.join(absent)}." if absent else None,
    )


def _shown(remarks: Sequence[Remark], *, every: bool) -> list[CheckedStatement]:
    """Returns the first hundred different faults, each with all its lines; with ``every``, each remark by itself."""
    lines: dict[Remark, list[int]] = {}
    for each in remarks:
        lines.setdefault(each if every else replace(each, line=0), []).append(each.line)
    return [
        CheckedStatement(
            verdict=each.verdict, kind=each.kind, line=at[0], also=list(dict.fromkeys(at[1:])) or None,
            text=each.text[:SHOWN], source=each.source or None, right=each.right[:SHOWN] or None,
        )
        for each, at in list(lines.items())[: None if every else MOST_SHOWN]
    ]  # fmt: skip


handler = serve(TOOL, CheckDraftArgs, run)
