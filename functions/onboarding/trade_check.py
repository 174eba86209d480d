"""trade_check: compares proposed families, attributes and vocabulary with rows, before anything is declared."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from onboarding import contents, inbox, queries
from onboarding.inbox import CheckId
from operations.ingest import KINDS
from operations.own_words import VocabularyRow, attributes_of, declared
from operations.reading import read
from operations.tables.attributes import FIELD, OF_ATTRIBUTES, is_plausible
from operations.tables.leftover import RowsSeen, Shown, few, first
from operations.tables.mapping import Mapping
from operations.tables.sheets import Sheet
from operations.tables.source import column_names, conversions, habits_by
from quarry.attributes.model import Attribute, Attributes, names_of, unmarked, value_of
from quarry.ingestion import Accepted, CellFault, Rejected
from quarry.text import key_of
from quarry.tool.contract import Args, LeanResult, retrieval_tool
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Proposal:
    """The tenant's declarations with the proposed ones added, and why some proposed rows cannot be declared."""

    declared: Attributes
    vocabulary: tuple[VocabularyRow, ...]
    faults: tuple[str, ...]


def proposed(own: Attributes, texts: dict[str, str | None]) -> Proposal:
    """Reads ``texts``, CSV by kind with families first, as a load of the kind would."""
    rows: dict[str, list[Any]] = defaultdict(list)
    faults: list[str] = []
    known = own
    for kind, text in texts.items():
        if text is None:
            continue
        seen = RowsSeen()
        for item in read(io.BytesIO(text.encode()), KINDS[kind], file_name=f"{kind}.csv", attributes=known):
            seen(item)
            rows[kind] += [item.row] if isinstance(item, Accepted) else []
        faults += [f"{kind}: {cause}" for cause in seen.causes()]
        new = declared(map(dict, rows["attributes"]), map(dict, rows["families"]))
        families, names = {**own.families, **new.families}, {**own.by_name, **new.by_name}
        known = Attributes(names, families=families, units=own.units)
    faults += [
        f"attributes: {row.name}: {family} is no family of yours and none proposed"
        for row in rows["attributes"]
        for family in row.families
        if family not in known.families
    ]
    return Proposal(known, tuple(rows["vocabulary"]), tuple(faults))


@dataclass(slots=True)
class ValuesRead:
    """Counts the values that the added rows have, by attribute and family."""

    declared: Attributes
    rows: int = 0
    refused: RowsSeen = field(default_factory=RowsSeen)
    _figures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _texts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _stated: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    _families: Counter[str | None] = field(default_factory=Counter)

    def add(self, family: str | None, attributes: dict[str, object] | None, *, place: int) -> None:
        self.rows += 1
        self._families[family] += 1
        for name, stored in (attributes or {}).items():
            attribute, value = self.declared.by_name.get(name), value_of(stored)
            if attribute is None or value is None:
                continue
            self._stated[name, family] += 1
            figures = [one for one in (value.low, value.high) if one is not None]
            self._figures[name] += figures
            self._texts[name].update(value.texts or ([value.shown(None)] if value.flag is not None else []))
            if not is_plausible(figures, attribute):
                self.refuse(
                    [CellFault(name, "is not plausible as declared", value.shown(attribute.unit))], line=place
                )

    def refuse(self, faults: Sequence[CellFault], *, line: int) -> None:
        self.refused(Rejected(line, "", "", tuple(faults)))

    def said(self, attribute: Attribute, columns: dict[str, str]) -> Iterator[str]:
        """Yields remarks on an attribute's values; ``columns`` names the columns that each attribute is read from."""
        name = attribute.name
        stated = {family: count for (one, family), count in self._stated.items() if one == name}
        whence = f" from {columns[name]}" if name in columns else ""
        yield f"{name}{whence}: {sum(stated.values())} of {self.rows} rows"
        if figures := self._figures[name]:
            yield f"{min(figures):g}..{max(figures):g} {attribute.unit or ''}".rstrip()
        if texts := self._texts[name]:
            yield few([f"{text} ({count})" for text, count in texts.most_common()], most=SHOWN)
        yield from (
            f"{count} in {family}, which does not have it"
            for family, count in stated.items()
            if not attribute.is_of(family)
        )
        if unplaced := [text for text in texts if attribute.ordered and attribute.place_of(text) is None]:
            yield f"not in its order: {', '.join(unplaced[:SHOWN])}"

    def of_families(self) -> list[str]:
        names = dict.fromkeys([*self.declared.families, *self._families])
        return [
            f"{name or 'without one'}: {self._families[name]} rows"
            + ("; not declared" if name and name not in self.declared.families else "")
            for name in names
        ]

    def unmet(self, vocabulary: Sequence[VocabularyRow]) -> Iterator[str]:
        """Yields terms by which a search finds nothing, because no row has the value or there is no such family."""
        for row in vocabulary:
            attribute = self.declared.by_name.get(row.attribute)
            values = {key_of(text) for text in self._texts[row.attribute]}
            if attribute is not None and attribute.kind == "text" and key_of(row.value) not in values:
                yield f"term {row.term!r}: no row has {row.attribute} {row.value!r}"
            if row.attribute == "family" and row.value not in self.declared.families:
                yield f"term {row.term!r}: {row.value} is no family"


def collisions(proposal: Proposal) -> list[str]:
    """Lists words that mean two things; a word for several values of one attribute is meant so, and left out."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for one in proposal.declared.by_name.values():
        for name in names_of(one):
            found[key_of(name)][f"attribute {one.name}"] = None
    for family, names in proposal.declared.families.items():
        for name in names:
            found[key_of(name)][f"family {family}"] = None
    for row in proposal.vocabulary:
        said = f"family {row.value}" if row.attribute == "family" else f"a value of {row.attribute}"
        found[key_of(unmarked(row.term)[1])][said] = None
    return [f"{word!r} means {' and '.join(said)}" for word, said in found.items() if len(said) > 1]


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
        description="CSV: name,families,kind,unit,sense,met,close,ordered,low,high,words,labels,point. kind: number, "
        "text, flag; sense: at_least, at_most, about, exactly, covers (a range); point: flow at head 20 m.",
    )
    vocabulary: str | None = Field(
        default=None, max_length=40_000, description="CSV: term,language,attribute,value; attribute may be family."
    )
    check_id: CheckId | None = Field(
        default=None, description="Hold them against its file by its mapping; else what is stored."
    )
    kind: Literal["products", "line_items"] = Field(default="products", description="Of the stored rows.")
    shown: Shown = 40


class TradeCheckResult(LeanResult):
    rows: int = Field(description="How many it was held against.")
    faults: list[str] = Field(default=[], description="Proposed rows that cannot be declared.")
    attributes: list[str] = Field(default=[], description="By attribute: where from, rows with a value, values.")
    families: list[str] = Field(default=[], description="Rows of each.")
    unread: list[str] = Field(default=[], description="Cells that no value comes from, by cause, with places.")
    collisions: list[str] = Field(default=[], description="What means two things.")
    unused: list[str] = Field(default=[], description="Columns and terms that nothing comes of.")


def run(args: TradeCheckArgs, caller: Caller) -> TradeCheckResult:
    texts = {"families": args.families, "attributes": args.attributes, "vocabulary": args.vocabulary}
    own = attributes_of(caller.tenant)
    proposal = proposed(own, texts)
    values, columns, left, doubts = ValuesRead(proposal.declared), {}, list[str](), list[str]()
    if args.check_id is None:
        stored = queries.stored_goods(caller.tenant, KINDS[args.kind], most=MOST_ROWS)
        for place, row in enumerate(stored, start=1):
            values.add(row["family"], row["attributes"], place=place)
    else:
        sheets, mapping = _file(args.check_id, caller.tenant, language=own.language)
        left, doubts = _read(sheets, mapping, values)
        rules = [(name, rule) for table in mapping.tables for name, rule in table.fields.items()]
        columns = {name.removeprefix(OF_ATTRIBUTES): ", ".join(rule.columns) for name, rule in rules}
    attributes = ["; ".join(values.said(one, columns)) for one in proposal.declared.by_name.values()]
    return TradeCheckResult(
        rows=values.rows,
        faults=first(proposal.faults, most=args.shown),
        attributes=first(attributes, most=args.shown),
        families=first(values.of_families(), most=args.shown),
        unread=first([*values.refused.causes(), *doubts], most=args.shown),
        collisions=first(collisions(proposal), most=args.shown),
        unused=first([*left, *values.unmet(proposal.vocabulary)], most=args.shown),
    )


def _file(check_id: str, tenant: str, *, language: str | None) -> tuple[list[Sheet], Mapping]:
    """Returns the checked file's tables and mapping. Raises ValidationFailed without a mapping or attributes."""
    check = inbox.kept_check(tenant, check_id)
    if check.mapping is None or not KINDS[check.kind].attributed:
        raise ValidationFailed("check_id: it has to be of products or line_items by a mapping.")
    content, _ = inbox.content_of(tenant, check.name)
    mapping = Mapping.parse(check.mapping, source="checked")
    names, encoding = column_names(KINDS[check.kind]), mapping.encoding
    return contents.opened(content, check.name, encoding=encoding, language=language, names=names)[0], mapping


def _read(sheets: list[Sheet], mapping: Mapping, values: ValuesRead) -> tuple[list[str], list[str]]:
    """Adds the file's values to ``values``; returns (what no field reads, doubts). Cells are read one by one: rows
    that cannot be stored for another reason count too.
    """
    left, doubts = list[str](), list[str]()
    cells = (cell for sheet in sheets for row in sheet.rows for cell in row)
    how = habits_by(mapping, cells, language=values.declared.language)
    tables = mapping.tables_in(sheets)
    for conversion, rows in conversions(tables, KINDS[mapping.kind], habits=how, attributes=values.declared):
        for item in rows:
            if isinstance(item, Rejected):
                continue
            stated, faults = conversion.convert(item)
            values.add(stated.get("family"), stated.get(FIELD), place=item.line)
            if own := [fault for fault in faults if fault.field.startswith(OF_ATTRIBUTES)]:
                values.refuse(own, line=item.line)
        left += conversion.leftover.told()
        doubts += conversion.leftover.to_look_at()
    return left, doubts


handler = serve(TOOL, TradeCheckArgs, run)
