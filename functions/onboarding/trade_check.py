"""trade_check: families, attributes and vocabulary as proposed, held against rows before anything is declared."""

from typing import ClassVar, Literal

from pydantic import Field

from onboarding import contents, inbox, queries
from onboarding.inbox import CheckId
from onboarding.trade import ValuesRead, collisions, proposed
from operations.findings import Shown, first
from operations.ingest import KINDS
from operations.own_words import attributes_of
from operations.tables.attributes import FIELD, OF_ATTRIBUTES
from operations.tables.cells import Habits, habits
from operations.tables.mapping import Mapping
from operations.tables.sheets import Sheet
from operations.tables.source import conversions, under_its_headings
from quarry.ingestion import Rejected
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

MOST_ROWS = 20_000

TOOL = retrieval_tool(
    "trade_check",
    title="Check what goods are told apart by",
    toolset="onboarding",
    description="""
        Families, attributes and vocabulary that you propose, as CSV, held against a file's rows or the stored ones:
        which values each attribute reads, what is unread, implausible or means two things. Declares nothing.
    """,
)


class TradeCheckArgs(Args):
    families: str | None = Field(default=None, max_length=40_000, description="CSV: family,name,words (a|b).")
    attributes: str | None = Field(
        default=None,
        max_length=40_000,
        description="CSV: name,families,kind,unit,sense,met,close,ordered,low,high,words,labels. kind: number, text, "
        "flag; sense: at_least, at_most, about, exactly.",
    )
    vocabulary: str | None = Field(
        default=None, max_length=40_000, description="CSV: term,language,attribute,value; attribute may be family."
    )
    check_id: CheckId | None = Field(
        default=None, description="Hold them against its file by its mapping; else what is stored."
    )
    kind: Literal["products", "line_items"] = Field(default="products", description="Of the stored rows.")
    shown: Shown = 40


class TradeCheckResult(Result):
    """What the proposal would read."""

    lean: ClassVar[bool] = True

    rows: int = Field(description="How many it was held against.")
    faults: list[str] = Field(default=[], description="Proposed rows that cannot be declared.")
    attributes: list[str] = Field(default=[], description="By attribute: where from, rows with a value, values.")
    families: list[str] = Field(default=[], description="Rows of each.")
    unread: list[str] = Field(default=[], description="Cells that no value comes from, by cause, with places.")
    collisions: list[str] = Field(default=[], description="What means two things.")
    unused: list[str] = Field(default=[], description="Columns and terms that nothing comes of.")


def run(args: TradeCheckArgs, caller: Caller) -> TradeCheckResult:
    texts = {"families": args.families, "attributes": args.attributes, "vocabulary": args.vocabulary}
    proposal = proposed(attributes_of(caller.tenant), texts)
    values, columns, left, doubts = ValuesRead(proposal.declared), {}, list[str](), list[str]()
    if args.check_id is None:
        lines = args.kind == "line_items"
        for place, row in enumerate(queries.stored_goods(caller.tenant, lines=lines, most=MOST_ROWS), start=1):
            values.add(row["family"], row["attributes"], place=place)
    else:
        sheets, mapping = _file(args.check_id, caller.tenant)
        left, doubts = _read(sheets, mapping, values)
        rules = [(name, rule) for table in mapping.tables for name, rule in table.fields.items()]
        columns = {name.removeprefix(OF_ATTRIBUTES): ", ".join(rule.columns) for name, rule in rules}
    return TradeCheckResult(
        rows=values.rows,
        faults=first(proposal.faults, most=args.shown),
        attributes=first(values.of_attributes(columns), most=args.shown),
        families=first(values.of_families(), most=args.shown),
        unread=first([*values.refused.causes(), *doubts], most=args.shown),
        collisions=first(collisions(proposal), most=args.shown),
        unused=first([*left, *values.unmet(proposal.vocabulary)], most=args.shown),
    )


def _file(check_id: str, tenant: str) -> tuple[list[Sheet], Mapping]:
    """What was checked, as tables and the mapping by which they are read. Raises ValidationFailed."""
    check = inbox.kept_check(tenant, check_id)
    if check.mapping is None or not KINDS[check.kind].attributed:
        raise ValidationFailed("check_id: it has to be of products or line_items by a mapping.")
    content, _ = inbox.content_of(tenant, check.name)
    mapping = Mapping.parse(check.mapping, source="checked")
    return contents.opened(content, check.name, encoding=mapping.encoding)[0], mapping


def _read(sheets: list[Sheet], mapping: Mapping, values: ValuesRead) -> tuple[list[str], list[str]]:
    """(what no field reads, what nobody would believe). Each cell is read by itself: a row that cannot be stored for
    another reason counts too.
    """
    left, doubts = list[str](), list[str]()
    how = habits(cell for sheet in sheets for row in sheet.rows for cell in row)
    how = Habits(mapping.habits.decimal or how.decimal, mapping.habits.dates or how.dates)
    tables = mapping.tables_in(sheets)
    for conversion, rows in conversions(tables, KINDS[mapping.kind], habits=how, attributes=values.declared):
        for item in under_its_headings(rows, conversion):
            if isinstance(item, Rejected):
                continue
            stated, faults = conversion.convert(item[1])
            values.add(stated.get("family"), stated.get(FIELD), place=item[0])
            if own := [fault for fault in faults if fault.field.startswith(OF_ATTRIBUTES)]:
                values.refuse(own, line=item[0])
        left += conversion.leftover.told()
        doubts += conversion.leftover.to_look_at()
    return left, doubts


handler = serve(TOOL, TradeCheckArgs, run)
