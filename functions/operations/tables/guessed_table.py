"""A table whose columns are being guessed: what is found of it so far, and what its cells say of a guess."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from operations.tables.agreement import agrees
from operations.tables.cells import figure_in, text_of
from operations.tables.field_types import FieldType, field_types
from operations.tables.mapping import SECTION, SHEET, FieldRule, TableMapping
from operations.tables.names import (
    Spoken,
    choice_named,
    concepts_of,
    data,
    family_named,
    spoken,
)
from operations.tables.sheets import Header, Sheet, TableRow, rows_below, under_headings
from quarry.attributes.model import Attributes
from quarry.ingestion import Kind
from quarry.text import slug

MOST_VALUES = 80
"""At most this many different values of a column are listed with what they mean."""


@dataclass(slots=True)
class GuessedTable:
    """``wanted`` has by field the concepts that its column may have, the likeliest first."""

    sheet: Sheet
    header: Header
    kind: Kind
    attributes: Attributes
    constants: dict[str, str]
    rules: dict[str, FieldRule] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    types: dict[str, FieldType] = field(init=False)
    wanted: dict[str, list[str]] = field(init=False)
    rows: list[TableRow] = field(init=False)
    spoken: Spoken = field(init=False)

    def __post_init__(self) -> None:
        self.types = field_types(self.kind.row)
        self.wanted = data()["kinds"].get(self.kind.name, {})
        self.spoken = spoken(self.header.names)
        rows = under_headings(rows_below(self.sheet, self.header))
        self.rows = [row for row in rows if isinstance(row, TableRow)]

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
            and not self.is_of_stored_rows
            and name not in self.constants
            and not any(each == name or each.startswith(f"{name}.") for each in self.rules)
        ]

    @property
    def is_of_stored_rows(self) -> bool:
        """Whether one column names stored rows, and no other has what a new row needs."""
        known = self.rules.get(self.kind.known_by or "")
        required = [name for name, type_ in self.types.items() if type_.required]
        said = [name for name in required if name in self.constants or self.rules.get(name, known) != known]
        return known is not None and not said

    @property
    def has_enough(self) -> bool:
        return len(self.read) > 1 and len(self.needed) <= len(self.rules)

    def take(self, name: str, column: str) -> None:
        self.rules[name] = FieldRule(columns=(column,))

    def meant(self, column: str) -> dict[str, float]:
        """Returns by concept how likely the column's name stands for it, in the language of the others."""
        return concepts_of(column, self.spoken)

    def texts(self, column: str) -> list[str]:
        said = ({SECTION: row.section, SHEET: row.sheet}.get(column) or row.cells.get(column) for row in self.rows)
        return list(dict.fromkeys(filter(None, map(text_of, said))))

    def agrees(self, name: str, column: str) -> bool:
        """Whether the cells of a column may be those of the field."""
        if self.kind.name == "accounts" and name == "id" and 5 * len(self.texts(column)) < 4 * len(self.rows):
            return False
        type_ = self.types.get(name)
        cells = [row.cells.get(column) for row in self.rows]
        if (
            self.kind.name == "line_items"
            and name == "description"
            and 2 * sum(map(bool, map(text_of, cells))) < len(cells)
        ):
            return False  # remarks, which few lines have
        names_rows = self.kind.name == "discounts" and name == "discount_group"
        is_exact = names_rows or 1.0 in self.meant(column).values()
        units = self.attributes.units
        return agrees(name, type_.type if type_ else "text", cells, is_exact=is_exact, units=units)

    def is_of_figures(self, column: str) -> bool:
        cells = [cell for row in self.rows if text_of(cell := row.cells.get(column))]
        return bool(cells) and all(figure_in(cell) for cell in cells)

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
