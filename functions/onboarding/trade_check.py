"""trade_check: families, attributes and vocabulary as proposed, held against rows before anything is declared."""

from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import Field

from onboarding import contents, inbox, mappings, queries
from onboarding.inbox import FileName
from onboarding.mappings import Dates, Numbers, TableOf
from onboarding.trade import Values, collisions, merged, proposed, unmet_terms
from operations.findings import unused
from operations.ingest import KINDS
from operations.own_words import attributes_of
from operations.tables.attributes import FIELD, OF_ATTRIBUTES
from operations.tables.cells import Habits, habits, text_of
from operations.tables.columns import guess
from operations.tables.conversion import RowConversion
from operations.tables.mapping import Mapping
from operations.tables.sheets import Sheet, TableRow, rows_below, under_headings
from quarry.attributes.model import Attributes
from quarry.ingestion import Rejected
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

MOST_ROWS = 20_000
SHOWN = 40

TOOL = retrieval_tool(
    "trade_check",
    title="Check what goods are told apart by",
    toolset="onboarding",
    description="""
        Families, attributes and vocabulary that you propose, as CSV, held against a file's rows or the stored ones:
        which values each attribute reads, what is unread, implausible or means two things. Writes nothing.
    """,
)


class TradeCheckArgs(Args):
    families: str | None = Field(default=None, max_length=40_000, description="CSV: family,name,words (a|b).")
    attributes: str | None = Field(
        default=None,
        max_length=40_000,
        description="CSV: name,families,kind,unit,sense,met,close,ordered,low,high,words,labels; kind number, text or "
        "flag; sense at_least, at_most, about, exactly.",
    )
    vocabulary: str | None = Field(
        default=None, max_length=40_000, description="CSV: term,language,attribute,value; attribute may be family."
    )
    file: FileName | None = Field(default=None, description="Hold them against this file; else what is stored.")
    kind: Literal["products", "line_items"] = Field(default="products", description="Of the rows.")
    tables: list[TableOf] = Field(default=[], max_length=50, description="As for load_check; else guessed.")
    numbers: Numbers | None = Field(default=None, description="As for load_check.")
    dates: Dates | None = Field(default=None, description="As for load_check.")


class TradeCheckResult(Result):
    """What the proposal would read."""

    lean: ClassVar[bool] = True

    rows: int = Field(description="How many it was held against.")
    faults: list[str] = Field(default=[], description="Proposed rows that cannot be declared.")
    attributes: list[str] = Field(default=[], description="By attribute: where from, rows with a value, values.")
    families: list[str] = Field(default=[], description="Rows of each; words that rows have of it.")
    unread: list[str] = Field(default=[], description="Cells that no value comes from, by cause, with places.")
    collisions: list[str] = Field(default=[], description="What means two things.")
    unused: list[str] = Field(default=[], description="Columns and terms that nothing comes of.")


def run(args: TradeCheckArgs, caller: Caller) -> TradeCheckResult:
    own = attributes_of(caller.tenant)
    proposal = proposed(own, families=args.families, attributes=args.attributes, vocabulary=args.vocabulary)
    values, columns, left = Values(merged(own, proposal)), {}, []
    if args.file is None:
        for row in queries.stored_goods(caller.tenant, lines=args.kind == "line_items", most=MOST_ROWS):
            values.add(row["family"], row["said"], row["attributes"])
    else:
        content, _ = inbox.content_of(caller.tenant, args.file)
        sheets = contents.opened(content, args.file).sheets
        mapping = _mapping(args, sheets, values.declared)
        _read(sheets, mapping, values, kind=args.kind)
        left = list(unused(mapping, sheets))
        columns = _columns(mapping)
    return TradeCheckResult(
        rows=values.rows,
        faults=proposal.faults[:SHOWN],
        attributes=values.of_attributes(columns)[:SHOWN],
        families=values.of_families()[:SHOWN],
        unread=values.unread()[:SHOWN],
        collisions=collisions(values.declared, proposal.vocabulary)[:SHOWN],
        unused=[*left, *unmet_terms(proposal.vocabulary, values)][:SHOWN],
    )


def _mapping(args: TradeCheckArgs, sheets: list[Sheet], declared: Attributes) -> Mapping:
    """As given, or guessed. Raises ValidationFailed."""
    if args.tables:
        return mappings.mapping_of(args.kind, args.tables, numbers=args.numbers, dates=args.dates)
    guessed = guess(sheets, KINDS[args.kind], attributes=declared).mapping
    if guessed is None:
        raise ValidationFailed(f"tables: no table of the file looks like {args.kind}; say which columns are what.")
    return guessed


def _read(sheets: list[Sheet], mapping: Mapping, values: Values, *, kind: str) -> None:
    """Each cell by itself: a row that cannot be stored for want of something else counts too."""
    how = habits(cell for sheet in sheets for row in sheet.rows for cell in row)
    how = Habits(mapping.habits.decimal or how.decimal, mapping.habits.dates or how.dates)
    for sheet, header, table in mapping.tables_in(sheets):
        conversion = RowConversion(KINDS[kind], table, habits=how, attributes=values.declared)
        rows: Iterable[tuple[int, TableRow] | Rejected] = ((row.row, row) for row in rows_below(sheet, header))
        for item in under_headings(rows) if table.has_headings else rows:
            if isinstance(item, Rejected):
                continue
            line, row = item
            stated, faults = conversion.convert(row)
            said = " ".join(text_of(cell) for cell in row.cells.values() if isinstance(cell, str))
            values.add(stated.get("family"), f"{row.section} {said}", stated.get(FIELD))
            if own := [fault for fault in faults if fault.field.startswith(OF_ATTRIBUTES)]:
                values.refuse(own, line=line)


def _columns(mapping: Mapping) -> dict[str, str]:
    return {
        name.removeprefix(OF_ATTRIBUTES): ", ".join(rule.columns)
        for table in mapping.tables
        for name, rule in table.fields.items()
    }


handler = serve(TOOL, TradeCheckArgs, run)
