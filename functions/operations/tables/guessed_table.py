"""A table whose columns are being guessed: what is found of it so far, and the fields that only its cells tell."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from operations.tables.agreement import ALIKE, agrees, are_currencies
from operations.tables.cells import figure_in, text_of
from operations.tables.field_types import FieldType, field_types
from operations.tables.mapping import SECTION, SHEET, FieldRule, TableMapping
from operations.tables.names import (
    Spoken,
    choice_named,
    concepts_of,
    data,
    family_named,
    prices_and_quantities,
    spoken,
)
from operations.tables.questions import Wanted
from operations.tables.sheets import Header, Sheet, TableRow, rows_below, under_headings
from operations.tables.tiers import FROM_QUANTITY
from quarry.attributes.model import Attributes
from quarry.ingestion import Kind
from quarry.text import slug

OF_EACH_LINE = frozenset(("description", "extended_price"))
"""Fields of lines that a column of the quote's own, its title or its total, is easily mistaken for."""

OF_EACH_QUOTE = ("total_price", "project", "summary", "price_rationale")
"""Fields of quotes that a column of its lines is easily mistaken for."""

NAMED_ONCE = frozenset(("quote_number", "product_id", "account_id", "segment", "discount_group"))
"""Parts of keys that a report names once, on the first of the rows that belong to them."""

MOST_VALUES = 80
"""At most this many different values of a column are listed with what they mean."""


@dataclass(slots=True)
class GuessedTable:
    sheet: Sheet
    header: Header
    kind: Kind
    attributes: Attributes
    constants: dict[str, str]
    rules: dict[str, FieldRule] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    types: dict[str, FieldType] = field(init=False)
    wanted: Wanted = field(init=False)
    rows: list[TableRow] = field(init=False)
    spoken: Spoken = field(init=False)
    pairs: dict[str, FieldRule] = field(init=False)
    """The tiers of prices whose quantities have columns of their own."""
    quote: str | None = field(init=False)
    """The column that numbers quotes."""

    def __post_init__(self) -> None:
        self.types = field_types(self.kind.row)
        self.wanted = data()["kinds"].get(self.kind.name, {})
        self.spoken = spoken(self.header.names)
        rows = under_headings(rows_below(self.sheet, self.header))
        self.rows = [row for row in rows if isinstance(row, TableRow)]
        named = (each for each in self.header.names if "quote_number" in concepts_of(each, self.spoken))
        self.quote = next(named, None)
        names = self.header.names if self.kind.name == "prices" else ()
        self.pairs = prices_and_quantities(names, counts=self._is_of_counts)

    @property
    def read(self) -> set[str]:
        return {column for rule in self.rules.values() for column in rule.columns if column in self.header.names}

    @property
    def unread(self) -> list[str]:
        read = self.read
        return [column for column in self.header.names if column not in read]

    @property
    def needed(self) -> list[str]:
        """The fields that the kind needs and nothing says."""
        return [
            name
            for name, type_ in self.types.items()
            if type_.required
            and name not in self.constants
            and not any(each == name or each.startswith(f"{name}.") for each in self.rules)
        ]

    @property
    def has_enough(self) -> bool:
        return len(self.read) > 1 and len(self.needed) <= len(self.rules)

    def take(self, name: str, column: str) -> None:
        self.rules[name] = FieldRule(columns=(column,))

    def texts(self, column: str) -> list[str]:
        said = ({SECTION: row.section, SHEET: row.sheet}.get(column) or row.cells.get(column) for row in self.rows)
        return list(dict.fromkeys(filter(None, map(text_of, said))))

    @property
    def families(self) -> set[str]:
        """The families that the rows' classes or headings, or the sheet's name, say; none if one says none."""
        if "family" in self.constants:
            return {self.constants["family"]}
        classes = [
            column
            for column in self.header.names
            if concepts_of(column, self.spoken).keys() & {"family", "category"} and self.agrees("category", column)
        ]
        for source in (*classes, SECTION, SHEET):
            named = {family_named(text, self.attributes.families) for text in self.texts(source)}
            if named and None not in named:
                return {family for family in named if family}
        return set()

    def agrees(self, name: str, column: str) -> bool:
        """Whether the cells of a column may be those of the field."""
        if self.kind.name == "accounts" and name == "id" and 5 * len(self.texts(column)) < 4 * len(self.rows):
            return False
        type_ = self.types.get(name)
        if self.kind.name == "line_items" and name in OF_EACH_LINE:
            seldom = 2 * sum(bool(text_of(row.cells.get(column))) for row in self.rows) < len(self.rows)
            if self._is_of_quotes(column) or (type_ and type_.required and seldom):
                return False
        names_rows = self.kind.name == "discounts" and name == "discount_group"
        is_exact = names_rows or 1.0 in concepts_of(column, self.spoken).values()
        cells = [row.cells.get(column) for row in self.rows]
        return agrees(name, type_.type if type_ else "text", cells, is_exact=is_exact)

    def _is_of_quotes(self, column: str) -> bool:
        """Whether a column says the same in all lines of each quote, so that it is the quote's own."""
        if self.quote is None:
            return False
        said = defaultdict[str, list[str]](list)
        for row in self.rows:
            said[text_of(row.cells.get(self.quote))].append(text_of(row.cells.get(column)))
        several = [texts for texts in said.values() if len(texts) > 1]
        return len(several) >= ALIKE and all(len(set(texts)) == 1 for texts in several)

    def is_of_figures(self, column: str) -> bool:
        cells = [cell for row in self.rows if text_of(cell := row.cells.get(column))]
        return bool(cells) and all(figure_in(cell) for cell in cells)

    def _is_of_counts(self, column: str) -> bool:
        figures = [figure_in(text) for text in self.texts(column)]
        return bool(figures) and all(
            each is not None and each[1] != "%" and each[0] >= 1 and each[0] == int(each[0]) for each in figures
        )

    def mapping(self) -> TableMapping:
        return TableMapping(
            sheet=self.sheet.name or None,
            skip=self.header.skip,
            header_rows=self.header.height,
            headings=any(row.section for row in self.rows),
            fields=self.rules,
            constants=self.constants,
        )

    def open_questions(self) -> Iterator[str]:
        where = f" of sheet {self.sheet.name!r}" if self.sheet.name else ""
        for name in self.needed:
            yield f"NEEDED{where}: {name} has no column: set it in constants, or name one{self.types[name].says}."
        yield from (f"PLEASE CHECK{where}: {doubt}" for doubt in self.doubts)


def take_told_by_cells(table: GuessedTable) -> None:
    """Closed fields and a currency may be told by what their cells mean, the numbers of lines by their order."""
    if "currency" in table.types and "currency" not in table.rules and len(table.rows) >= ALIKE:
        codes = [each for each in table.unread if (texts := table.texts(each)) and are_currencies(texts)]
        if len(codes) == 1:
            table.take("currency", codes[0])
    for name in (data()["values"].keys() & table.types.keys()) - table.rules.keys():
        for column in table.unread:
            texts = table.texts(column)
            known = [text for text in texts if choice_named(name, text, table.types[name].choices)]
            if texts and 2 * len(known) > len(texts):
                table.take(name, column)
                break
    if table.kind.name == "line_items" and "position" not in table.rules:
        numbering = [each for each in table.unread if _numbers_lines(table, each)]
        if numbering:
            table.take("position", numbering[0])


def _numbers_lines(table: GuessedTable, column: str) -> bool:
    """Whether a column has whole numbers that rise within each quote, and begin anew with the next."""
    rising, again = dict[str, list[int]](), False
    for row in table.rows:
        text = text_of(row.cells.get(column))
        if table.quote is None or not text.isdecimal():
            return False
        numbers = rising.setdefault(text_of(row.cells.get(table.quote)), [])
        again |= bool(numbers)
        numbers.append(int(text))
    firsts = [numbers[0] for numbers in rising.values()]
    return (
        again
        and all(numbers == sorted(set(numbers)) for numbers in rising.values())
        and firsts != sorted(set(firsts))
    )


def drop_what_is_of_lines(table: GuessedTable) -> None:
    """A quote has one total and one project: a column that differs between its rows has those of lines. Rows without
    a number go on with the quote above, but for the last amount of the sheet, which may be the sum of all.
    """
    of = table.rules.get("quote_number")
    if table.kind.name != "past_quotes" or of is None:
        return
    for name in (each for each in OF_EACH_QUOTE if each in table.rules):
        [column] = table.rules[name].columns
        if _differs_within(table, column, number=of.columns[0]):
            del table.rules[name]
            table.doubts.append(
                f"{name}: {column!r} differs between rows of one quote, so it is that of a line: left out. "
                "A quote's lines have their own kind, line_items."
            )


def _differs_within(table: GuessedTable, column: str, *, number: str) -> bool:
    cells = [(text_of(row.cells.get(number)), text_of(row.cells.get(column))) for row in table.rows]
    cells = [(quote, amount) for quote, amount in cells if quote or amount]
    if cells and not cells[-1][0]:
        cells.pop()
    pairs, begun = set[tuple[str, str]](), ""
    for quote, amount in cells:
        begun = quote or begun
        pairs |= {(begun, amount)} if begun and amount else set()
    return len(pairs) > len({quote for quote, _ in pairs})


def fill_down(table: GuessedTable) -> None:
    """A part of a key stands on the first of its rows alone where others below have all the rest: no key of one
    part, for what lacks that is another thing.
    """
    parts = [name for name in (*table.kind.key, FROM_QUANTITY) if name in table.rules]
    first = next((name for name in parts if name in NAMED_ONCE and table.rules[name].columns), None)
    if len(parts) < 2 or first is None:
        return
    [column, *_] = table.rules[first].columns
    types = table.types
    needed = {name for name in table.rules if name in parts or (name in types and types[name].required)} - {first}
    others = [each for name in needed for each in table.rules[name].columns]
    empty = [not text_of(row.cells.get(column)) for row in table.rows]
    below = table.rows[empty.index(False) :] if False in empty else []
    count = sum(
        not text_of(row.cells.get(column)) and all(text_of(row.cells.get(each)) for each in others) for row in below
    )
    if count:
        table.rules[first] = table.rules[first].model_copy(update={"fill": "down"})
        table.doubts.append(
            f"{first}: {count} rows have no {column!r} and are taken to go on with the one above (fill): "
            "take fill out if they do not."
        )


def list_values(table: GuessedTable) -> None:
    """Lists what each value of a closed field means, for a person to review."""
    for name, rule in list(table.rules.items()):
        choices = table.types[name].choices if name in table.types and table.types[name].type == "choice" else ()
        texts = [text for column in rule.columns for text in table.texts(column)][:MOST_VALUES]
        if name == "family":
            values = {text: family_named(text, table.attributes.families) or slug(text) or text for text in texts}
            if new := sorted(set(values.values()) - table.attributes.families.keys()):
                table.doubts.append(
                    f"family: declare {', '.join(new)} first, with its words: make ingest KIND=families."
                )
        elif choices:
            meant = {text: choice_named(name, text, choices) for text in texts}
            values = {text: choice for text, choice in meant.items() if choice is not None}
            table.doubts += [
                f"{name}: what does {text!r} mean? Write one of {', '.join(choices)} into values."
                for text in texts
                if text not in values
            ]
        else:
            continue
        table.rules[name] = rule.model_copy(update={"values": values})
