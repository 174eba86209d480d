"""load_check: what a file would store as a kind of data by a mapping, found out by loading it and rolling back."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from psycopg import Rollback
from pydantic import Field

from onboarding import contents, inbox, queries
from onboarding.evidence import ASSUMED, LetterEvidence
from onboarding.inbox import FileName, KeptCheck
from operations import ingest
from operations.ingest import KINDS, Invocation
from operations.own_words import attributes_of
from operations.reading import SAMPLE, TABLES, form_of
from operations.tables import names
from operations.tables.attributes import attribute_of
from operations.tables.cells import text_of
from operations.tables.columns import guess
from operations.tables.field_types import field_types
from operations.tables.leftover import Shown, first
from operations.tables.mapping import FieldRule, Mapping, TableMapping, mappings_of
from operations.tables.sheets import Sheet
from operations.tables.source import column_names, fitting, own_header
from quarry.attributes.model import Attributes
from quarry.data import database
from quarry.data.database import Connection
from quarry.ingestion import Kind
from quarry.text import alike
from quarry.tool.contract import Args, LeanResult, OpaquePart, Tool
from quarry.tool.errors import Conflict, ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

SECONDS = 75.0
"""A check that takes longer covers only the rows that it reached."""

OF_FILE = {"numbers", "dates", "encoding"}
LoadedKind = Literal[
    "families", "units", "attributes", "vocabulary", "equivalents", "products", "past_quotes", "line_items",
    "house", "exchange_rates", "products_for_sale", "product_relationships", "accounts", "discounts",
    "price_books", "prices", "tax_rules", "documents", "stories", "highlights", "readwise",
]  # fmt: skip
"""All kinds but those that say who may approve what, which no agent may load, whatever a file tells it."""

WRITTEN: tuple[str, ...] = ("families", "units", "attributes", "vocabulary", "price_books")
"""Kinds whose rows an agent may write itself; those of goods and prices have to come from a file."""

FROM_LETTERS: tuple[str, ...] = ("past_quotes", "line_items", "accounts")
"""Kinds whose rows an agent may read out of a letter, with which they are compared."""

NEAR = 0.85

MAPPING = """TOML, as a guess is answered: kind, numbers ("1.234,56"), dates ("day first"), encoding of a CSV; a
[[tables]] for each sheet with sheet, skip (rows above the header), header_rows (2: units below), headings,
aside = ["Not needed"], prose = [{ of = "SKU", attribute = "volume", from = "Text", says = "200 l" }];
[tables.constants]; [tables.fields] with model = { from = "Typ" } or "attributes.x" = { from, unit, part = 2,
values = { Says = "means", "(others)" = "" } }; also label, join, per, count_within, fill, complement; "tiers.10"
is a price or % off from 10 on (at: the column that says from how many), "discount_pct.SEGMENT" a matrix's column;
(section), (sheet) and a cell above the header, (B2), are columns, says the words meant in one; aside takes them and
other sheets.
Empty [tables.fields]: guessed, constants set."""

TOOL = Tool(
    name="load_check",
    title="Check a load",
    description="What load would store, keeping the check and its text alone: counts, first rows, rejects, doubts, "
    "unused columns, what changes in stored rows. Without mapping columns are guessed: look, mend, check again. "
    "Declare families, units, attributes, vocabulary first, as text; a letter's rows as text with source.",
    toolset="onboarding",
    read_only=False,
    destructive=False,
    idempotent=True,
    open_world=False,
)


class LoadCheckArgs(Args):
    kind: LoadedKind = Field(description="Kind of data.")
    file: FileName | None = Field(default=None, description="Of the inbox.")
    text: str | None = Field(
        default=None,
        max_length=40_000,
        description="CSV of your own: families, units, attributes, vocabulary, price_books; with source past_quotes, "
        "line_items, accounts, its columns their fields.",
    )
    source: FileName | None = Field(
        default=None,
        description="Letter that text was read in. What it does not say is rejected, but for fields named in the "
        "row's column assumed: status category.",
    )
    mapping: str | None = Field(default=None, max_length=100_000, description=MAPPING)
    shown: Shown = 20


class WouldBe(OpaquePart):
    read: int = Field(description="All of the file.")
    new: int = Field(default=0, description="Not stored yet.")
    changed: int = Field(default=0, description="Stored otherwise.")
    unchanged: int = Field(default=0, description="Stored so already.")
    merged: int = Field(default=0, description="With the key of a row before.")
    rejected: int = Field(default=0, description="Not stored, for the causes given.")
    removed: int = Field(default=0, description="Taken out: the file or the document has them no more.")


class LoadCheckResult(LeanResult):
    check_id: str = Field(description="For load.")
    rows: WouldBe = Field(description="What would be stored.")
    first_rows: list[str] = Field(default=[], description="As the file states them.")
    rejects: list[str] = Field(default=[], description="By cause, with count and places.")
    doubts: list[str] = Field(default=[], description="To be looked at before the load.")
    unused: list[str] = Field(default=[], description="What the file says and no row stores.")
    changes: list[str] = Field(default=[], description="In how many stored rows each field changes.")
    gaps: list[str] = Field(default=[], description="Rows that have a field, of all; filters never find the others.")
    mapping: str | None = Field(default=None, description="Where none was given: what was used.")
    notice: str | None = Field(default=None, description="How the file was read, and what to do.")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The mapping by which a file is read; ``whence`` says that it was given, remembered, guessed or not needed."""

    mapping: Mapping | None
    whence: str
    doubts: tuple[str, ...] = ()


def run(args: LoadCheckArgs, caller: Caller) -> LoadCheckResult:
    name = _name(args, caller.tenant)
    content, etag = inbox.content_of(caller.tenant, name)
    chosen = _chosen(args, name, content, tenant=caller.tenant)
    toml = chosen.mapping.written() if chosen.mapping else None
    letter = inbox.etag_of(caller.tenant, args.source) if args.source else None
    check = KeptCheck(
        name=name,
        etag=etag,
        kind=args.kind,
        mapping=toml,
        source=args.source,
        source_etag=letter,
        after=queries.newest_load(caller.tenant),
    )
    evidence = holding(check, caller.tenant)
    report, changes, found = _rehearsed(caller, check, evidence)
    told = [*report["doubts"]]
    if report["stopped"]:
        told.insert(0, f"Not read to its end: {report['stopped']}")
    elif not report["finished"]:
        told.insert(0, f"Only the first {report['rows_read']} rows were checked; load goes on to the end.")
    separated = f", separated by {report['separator']!r}" if report["separator"] else ""
    looked = " Look the mapping through, mend it, and check again with it." if chosen.whence == "guessed" else ""
    return LoadCheckResult(
        check_id=inbox.keep_check(caller.tenant, check),
        rows=counted(report),
        first_rows=report["first_rows"],
        rejects=first(report["causes"], most=args.shown),
        doubts=first([*chosen.doubts, *told, *found], most=args.shown),
        unused=first(report["leftover"], most=args.shown),
        changes=first(changes, most=args.shown),
        gaps=first(report["gaps"], most=args.shown),
        mapping=toml if chosen.whence != "given" else None,
        notice=f"{name} read as {report['encoding']}{separated}; columns {chosen.whence}.{looked}",
    )


def counted(report: dict[str, Any]) -> WouldBe:
    same = {name: report[name] for name in ("unchanged", "merged", "rejected", "removed")}
    return WouldBe(read=report["rows_read"], new=report["inserted"], changed=report["updated"], **same)


def _name(args: LoadCheckArgs, tenant: str) -> str:
    if args.source is not None and args.text is None:
        raise ValidationFailed("source: it is what text was read in; give its rows as text.")
    if (args.file is None) == (args.text is None):
        raise ValidationFailed("file: give either the name of a file, or rows as text.")
    if args.text is None:
        return str(args.file)
    if args.kind not in (FROM_LETTERS if args.source else WRITTEN):
        raise ValidationFailed(
            f"text: only {', '.join(WRITTEN)} may be of your own writing, and {', '.join(FROM_LETTERS)} with source, "
            f"the letter that you read them in; {args.kind} have to come from a file."
        )
    return inbox.put_text(tenant, args.kind, args.text)


def _chosen(args: LoadCheckArgs, name: str, content: bytes, *, tenant: str) -> _Chosen:
    """Raises ValidationFailed where nothing says which columns are which fields."""
    kind = KINDS[args.kind]
    given = Mapping.parse(args.mapping, source="given") if args.mapping else None
    if given is not None and given.kind != args.kind:
        raise ValidationFailed(f"mapping: it is of {given.kind}, and these are {args.kind}.")
    tabular = form_of(name, content[:SAMPLE], passages=kind.passages) in TABLES
    own, sheets = attributes_of(tenant), list[Sheet]()
    if tabular:
        encoding = given.encoding if given else None
        sheets, _ = contents.opened(content, name, encoding=encoding, language=own.language, names=column_names(kind))
    if given is not None and given.reads:
        if not given.tables_in(sheets):
            why = "; ".join(given.unfit(sheets)) or "file_open shows those that are there"
            raise ValidationFailed(f"mapping: no table of '{name}' has all these columns: {why}.")
        return _Chosen(given, "given", tuple(given.unfit(sheets)))
    if args.source is not None:
        # The columns are the kind's fields, except the one that names what the letter does not state.
        header = [each for row in sheets[0].rows[:1] for each in map(text_of, row) if each and each != ASSUMED]
        table = TableMapping(fields={each: FieldRule(columns=(each,)) for each in header}, aside=(ASSUMED,))
        return _Chosen(Mapping(kind=args.kind, tables=(table,)), "given")
    if given is None and (known := fitting(mappings_of(tenant, kind=args.kind), sheets, kind)) is not None:
        return _Chosen(known, "remembered")
    constants = (
        {name: str(value) for table in given.tables for name, value in table.constants.items()} if given else {}
    )
    if not tabular:
        return _Chosen(None, "by the kind's own names")
    if not constants and (form := _own_form(sheets, kind, own)) is not None:
        return form
    written = given.model_dump(include=OF_FILE, exclude_none=True) if given else {}
    return _guessed(sheets, kind, own, constants=constants, written=written)


def _own_form(sheets: Sequence[Sheet], kind: Kind, own: Attributes) -> _Chosen | None:
    """Reads tables of the kind's own names without a mapping, and one table of mostly these by those that it has, if
    one column has another or no required field is missing. Attributes alone are no names of the kind's.
    """
    headers = [own_header(sheet, kind, own) for sheet in sheets]
    if any(header.fits for header in headers):
        return _Chosen(None, "by the kind's own names")
    if len(headers) != 1:
        return None
    [header] = headers
    mostly = len(header.known) > len(header.unknown) and not header.is_repeated
    if not mostly or set(header.known).isdisjoint(column_names(kind)) or (header.missing and len(header.unknown) > 1):
        return None
    told = []
    for name in header.unknown:
        near = alike(name, set(column_names(kind)) - set(header.known))
        told.append(f"column {name!r} is no field of {kind.name}" + (f", is {near[0]} meant?" if near else ""))
    return _Chosen(Mapping(kind=kind.name, tables=(header.table(),)), "by the kind's own names", tuple(told))


def _guessed(
    sheets: Sequence[Sheet], kind: Kind, own: Attributes, *, constants: dict[str, str], written: dict[str, str]
) -> _Chosen:
    """Raises ValidationFailed if no table has the kind's columns, or a constant is no field of the kind."""
    fields = field_types(kind.row)
    if strange := [name for name in constants if name not in fields and attribute_of(name, kind, own) is None]:
        raise ValidationFailed(
            f"{', '.join(strange)}: no field of {kind.name}, whose fields are {', '.join(fields)}."
        )
    known_kind = kind.name in names.data()["kinds"]
    mapping, doubts = guess(sheets, kind, constants=constants, attributes=own) if known_kind else (None, ())
    if mapping is None:
        needed = ", ".join(name for name, type_ in fields.items() if type_.required)
        others = ", ".join(name for name, type_ in fields.items() if not type_.required)
        raise ValidationFailed(
            f"mapping: say which columns are which fields of {kind.name}. Needed: {needed}; also: {others}."
        )
    return _Chosen(mapping.model_copy(update=written), "guessed", doubts)


def holding(check: KeptCheck, tenant: str) -> LetterEvidence | None:
    """Returns what compares rows with their letter; None for a file's rows. Raises Conflict if the letter changed."""
    if check.source is None:
        return None
    letter, etag = inbox.content_of(tenant, check.source)
    if etag != check.source_etag:
        raise Conflict(f"'{check.source}' is not the letter that was checked: check it again.")
    text, _ = inbox.content_of(tenant, check.name)
    return LetterEvidence(letter, name=check.source, text=text.decode("utf-8-sig"), units=attributes_of(tenant).units)


def _rehearsed(
    caller: Caller, check: KeptCheck, evidence: LetterEvidence | None
) -> tuple[dict[str, Any], list[str], list[str]]:
    """Loads and rolls back; returns the load's report, what changes in stored rows, and doubts."""
    until = time.monotonic() + SECONDS
    clock = Invocation(caller.request_id, lambda: time.monotonic() < until, checks=True, mapping=check.mapping)
    clock = replace(clock, holds=evidence) if evidence else clock
    tenant, key, kind = caller.tenant, inbox.key_of(caller.tenant, check.name), KINDS[check.kind]
    with database.transaction(tenant) as connection:
        report = ingest.ingest_file(inbox.bucket(), key, clock, tenant=tenant, kind_name=check.kind, etag=check.etag)
        changes = queries.changes(connection, kind, tenant=tenant, ingest_id=report["ingest_id"])
        doubts = _letter_doubts(connection, tenant, evidence) if evidence else []
        raise Rollback
    return report, changes, doubts


def _letter_doubts(connection: Connection, tenant: str, evidence: LetterEvidence) -> list[str]:
    """Lists what to look at in a letter's rows: totals, names and models close to stored ones, and assumed fields."""
    told = "quote {quote_number}: its lines are {lines:f}, its total is {total_price:f}"
    sums = queries.sums(connection, tenant, evidence.values("quote_number"))
    customers = [*evidence.values("customer"), *evidence.values("name")]
    keys = queries.companies(connection, tenant, customers) if customers else {}
    near = {
        name: ", ".join(alike(name, keys.keys() - {name}, close=NEAR, key=keys.__getitem__)) for name in customers
    }
    near |= queries.same_models(connection, tenant, evidence.values("model"))
    alikes = [f"{name} may be what is stored as {others}" for name, others in near.items() if others]
    return [*(told.format(**quote) for quote in sums), *alikes, *evidence.doubts()]


handler = serve(TOOL, LoadCheckArgs, run)
