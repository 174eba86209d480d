"""Guesses which columns of a file are which fields of a kind: by names in four languages, units and values."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from operations.tables.cells import (
    MEASURES,
    Cell,
    Habits,
    Unreadable,
    country,
    currency_of,
    day,
    flag,
    habits,
    number,
    text_of,
    unit_named,
)
from operations.tables.conversion import (
    FROM_QUANTITY,
    NO_ATTRIBUTES,
    NOTHING,
    OF_ATTRIBUTES,
    OF_MONEY,
    Attributes,
    FieldType,
    field_types,
    own_value,
)
from operations.tables.mapping import SECTION, SHEET, Mapping, Rule, TableMapping
from operations.tables.meanings import MOST_VALUES, meanings
from operations.tables.names import (
    SURE,
    UNNAMED,
    bare,
    data,
    family_named,
    is_known,
    language_of,
    likeness,
    quantity_from,
)
from operations.tables.sheets import Header, Sheet, TableRow, find_header, rows_below, under_headings
from quarry.ingestion import Kind
from quarry.retrieval.vocabulary import SHIPPED
from quarry.understanding.own_attributes import OwnAttribute, tokens_of
from quarry.understanding.text import fold

COUNTED = {"line_items": {"position": "quote_number"}}
CONSTANTS = {"products_for_sale": {"product_type": "simple"}}
TOGETHER = {"products_for_sale": ("manufacturer", "model")}
WORDY = frozenset(["customer", "name", "description", "manufacturer", "category", "project", "summary", "contact"])
"""Fields that no column of mere figures is taken for."""

UNIQUE = frozenset(("id", "sku", "product_id"))
"""Fields whose values seldom repeat in a file."""

NEVER_TOLD = frozenset(("price", "cost", "currency"))
"""What has no place in a description."""


@dataclass(frozen=True, slots=True)
class GuessedTable:
    """``unused`` columns are taken by no field; ``needed`` fields have no column; ``doubts`` are to be looked at."""

    mapping: TableMapping
    unused: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Guess:
    """``unread`` sheets have no table for the kind."""

    mapping: Mapping | None
    tables: tuple[GuessedTable, ...]
    unread: tuple[str, ...] = ()


def guess(
    sheets: Sequence[Sheet],
    kind: Kind,
    *,
    constants: dict[str, str] | None = None,
    attributes: Attributes = NO_ATTRIBUTES,
) -> Guess:
    """The mapping that a person then looks through; None where no sheet has columns of the kind.

    ``constants`` are fields that no column says, ``attributes`` those that the tenant has declared for its goods.
    """
    tables: list[GuessedTable] = []
    unread: list[str] = []
    every = [cell for sheet in sheets for row in sheet.rows for cell in row]
    how = habits(every)
    languages = Counter[str]()
    for sheet in sheets:
        header = None if sheet.hidden else find_header(sheet, known=is_known)
        table = (
            _Guessing(sheet, header, kind, how, attributes, constants=dict(constants or {})).table()
            if header is not None
            else None
        )
        if table is None:
            unread += [sheet.name] if sheet.rows else []
            continue
        tables.append(table)
        languages.update(language_of(name) for name in table.mapping.header)
    if not tables:
        return Guess(None, (), tuple(unread))
    numbers = "1.234,56" if how.decimal == "," else "1,234.56" if how.decimal == "." else None
    if numbers is None:
        foreign = sum(languages[language] for language in ("de", "es", "fr")) > languages["en"]
        numbers = "1.234,56" if foreign else "1,234.56"
    mapping = Mapping(
        kind=kind.name,
        numbers=numbers,
        dates=how.dates or ("day first" if numbers == "1.234,56" else None),
        tables=tuple(table.mapping for table in tables),
    )
    return Guess(mapping, tuple(tables), tuple(unread))


@dataclass(slots=True)
class _Guessing:
    """The guess for one sheet."""

    sheet: Sheet
    header: Header
    kind: Kind
    how: Habits
    attributes: Attributes = NO_ATTRIBUTES
    rules: dict[str, Rule] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    rows: list[TableRow] = field(init=False)

    def table(self) -> GuessedTable | None:
        wanted = data()["kinds"].get(self.kind.name, {})
        types = field_types(self.kind.row)
        self._own_attributes()
        self._assign(wanted, types, first=True)
        direct = len(self.rules)
        if "id" in self.rules and "sku" in self.rules:
            self.rules["id"] = self.rules["id"].model_copy(update={"columns": self.rules["sku"].columns})
        self._assign(wanted, types, first=False)
        self._tiers()
        self._price_per()
        self._of_section(wanted)
        self._of_description(wanted)
        self._constants()
        self._values(types)
        if own := sorted(set(self.rules.get("family", Rule()).values.values()) - SHIPPED):
            self.doubts.append(f"family: declare {', '.join(own)} first, with its words: make ingest KIND=families.")
        needed = [
            name
            for name, type_ in types.items()
            if type_.required and name not in self.rules and name not in self.constants
        ]
        needed += self._currency(types)
        if direct < 2 or len(needed) > len(self.rules):
            return None
        unused = self._unused()
        header = self.header
        mapping = TableMapping(
            sheet=self.sheet.name or None,
            skip=header.skip,
            header_rows=header.height,
            header=header.names,
            headings=any(row.section for row in self.rows),
            fields=self.rules,
            constants=self.constants,
        )
        return GuessedTable(mapping, unused, tuple(needed), tuple(self.doubts))

    def _unused(self) -> tuple[str, ...]:
        """Columns that no field takes; of a product they are told in its description, for its words to be found."""
        used = {column for rule in self.rules.values() for column in rule.reads}
        unused = tuple(name for name in self.header.names if name not in used and self._cells(name))
        if self.kind.name != "products" or "description" not in self.rules:
            return unused
        told = [
            name for name in unused if not NEVER_TOLD & likeness(bare(name)[0]).keys() and not quantity_from(name)
        ]
        if told:
            self.rules["description"] = Rule(columns=(*self.rules["description"].columns, *told), label=True)
        return tuple(name for name in unused if name not in told)

    def _cells(self, column: str) -> list[Cell]:
        return [cell for row in self.rows if (cell := row.cells.get(column)) is not None and text_of(cell)]

    def __post_init__(self) -> None:
        rows = ((row.row, row) for row in rows_below(self.sheet, self.header))
        self.rows = [item[1] for item in under_headings(rows) if isinstance(item, tuple)]

    def _assign(self, wanted: dict[str, list[str]], types: dict[str, FieldType], *, first: bool) -> None:
        """Each field takes the column most like its first concept; the others may share a column already taken."""
        taken = {column for rule in self.rules.values() for column in rule.columns} if first else set()
        found: list[tuple[float, int, str, str]] = []
        for name, concepts in wanted.items():
            type_ = types.get(name) or FieldType("text")
            for place, concept in enumerate(concepts[:1] if first else concepts):
                for column in self.header.names:
                    score = likeness(bare(column)[0]).get(concept, 0.0) - place * 0.01
                    if name in self.rules or column in taken or score < SURE - 0.05 * place:
                        continue
                    score *= self._fitting(name, column, type_)
                    if score >= SURE - 0.05 * place:
                        found.append((score, -list(wanted).index(name), name, column))
        for _, _, name, column in sorted(found, reverse=True):
            if name in self.rules or (first and column in taken):
                continue
            taken.add(column)
            self.rules[name] = self._rule(name, column, types.get(name) or FieldType("text"))

    def _fitting(self, name: str, column: str, type_: FieldType) -> float:
        """The share of the column's cells that say what the field needs; an empty column fits nothing."""
        cells = self._cells(column)[:300]
        if type_.type in ("number", "integer"):
            cells = [cell for cell in cells if text_of(cell).lower() not in NOTHING]
        if not cells or (name == FROM_QUANTITY and quantity_from(column)):
            return 0.0
        if name in MEASURES and (unit := unit_named(bare(column)[1])) and unit.attribute not in MEASURES[name]:
            return 0.0
        if name in UNIQUE and not self._has_tier_rows and len({text_of(cell) for cell in cells}) < SURE * len(cells):
            return 0.0
        good = sum(1 for cell in cells if self._says(cell, type_, name))
        return 1.0 if good / len(cells) >= SURE else 0.0

    @property
    def _has_tier_rows(self) -> bool:
        """Whether rows of one product are the prices from quantities on."""
        return self.kind.name == "prices" and any(
            FROM_QUANTITY in likeness(bare(column)[0]) and not quantity_from(column) for column in self.header.names
        )

    def _says(self, cell: Cell, type_: FieldType, name: str) -> bool:
        try:
            if type_.type in ("number", "integer"):
                value, beside = number(cell, decimal=self.how.decimal or ".")
                return type_.type == "number" or (value == value.to_integral_value() and not beside)
            if type_.type == "date":
                day(cell, order=self.how.dates or "day first")
            elif type_.type == "flag":
                flag(cell)
            elif type_.type == "country":
                country(cell)
            elif type_.type == "currency":
                return currency_of(text_of(cell)) is not None
        except Unreadable:
            return False
        if name.endswith("email"):
            return "@" in text_of(cell)
        wordy = name in (
            "customer",
            "name",
            "description",
            "manufacturer",
            "category",
            "project",
            "summary",
            "contact",
        )
        return not wordy or any(character.isalpha() for character in text_of(cell))

    def _rule(self, name: str, column: str, type_: FieldType) -> Rule:
        unit = bare(column)[1] if name in MEASURES else None
        if name in MEASURES and not unit and unit_named(column):
            unit = column
        if name in MEASURES and not unit and (beside := self._unit_beside(name, column)):
            return Rule(columns=(column, beside))
        if name in MEASURES and not unit and not self._unit_in_cells(column) and name not in fold(column):
            self.doubts.append(f"{name}: {column!r} says no unit; its figures are taken as {name}. Set unit if not.")
        prefix = type_.prefix if type_.type == "id" else "" if type_.type == "key" else None
        return Rule(columns=(column,), unit=unit or None, prefix=prefix)

    def _unit_beside(self, name: str, column: str) -> str | None:
        """The next column but one at most, where all its cells are units of what the field measures: 68,5 | KG."""
        at = self.header.names.index(column)
        for other in self.header.names[at + 1 : at + 3]:
            units = [unit_named(text_of(cell)) for cell in self._cells(other)]
            if units and all(unit is not None and unit.attribute in MEASURES[name] for unit in units):
                return other
        return None

    def _price_per(self) -> None:
        """A column that says for how many pieces the prices are: 41.200,00 for 1000."""
        for name in ("price", "unit_price", "cost"):
            column = next((each for each in self.header.names if "price_per" in likeness(bare(each)[0])), None)
            if name in self.rules and column and self._fitting(name, column, FieldType("number")):
                self.rules[name] = self.rules[name].model_copy(update={"per": column})

    def _unit_in_cells(self, column: str) -> bool:
        cells = [cell for cell in self._cells(column)[:50] if isinstance(cell, str)]
        return bool(cells) and all(cell[-1:].isalpha() or cell[-1:] in "³)°" for cell in cells)

    def _columns_of(self, *names: str) -> list[str]:
        return [column for name in names if name in self.rules for column in self.rules[name].columns]

    def _own_attributes(self) -> None:
        """Columns that bear the name of one of the tenant's attributes; it goes before what the trade calls them."""
        for attribute in self.attributes.values() if self.kind.name == "products" else ():
            names = {column: tokens_of(bare(column)[0]) for column in self.header.names if self._cells(column)}
            alike = [(label != name, column) for column, name in names.items() for label in attribute.labels
                     if name[: len(label)] == label or name[-len(label) :] == label]  # fmt: skip
            taken = self._columns_of(*self.rules)
            for _, column in sorted(alike, key=lambda pair: pair[0]):
                unit = bare(column)[1] or None
                cells = self._cells(column)[:300]
                good = sum(1 for cell in cells if self._is_of(attribute, cell, unit))
                if column not in taken and good >= SURE * len(cells):
                    self.rules[f"{OF_ATTRIBUTES}{attribute.name}"] = Rule(columns=(column,), unit=unit)
                    break

    def _is_of(self, attribute: OwnAttribute, cell: Cell, unit: str | None) -> bool:
        own = {attribute.name: attribute}
        try:
            own_value(attribute.name, cell, own, unit=unit, habits=Habits(self.how.decimal or ".", self.how.dates))
        except Unreadable:
            return False
        return True

    def _tiers(self) -> None:
        if self.kind.name != "prices":
            return
        for column in self.header.names:
            found = quantity_from(column)
            if found and self._fitting("price", column, FieldType("number")) and len(self._cells(column)) > 0:
                self.rules[f"tiers.{found[1]}"] = Rule(columns=(column,))
        if "tiers.1" in self.rules and "price" not in self.rules:
            self.rules["price"] = self.rules["tiers.1"]

    def _of_section(self, wanted: dict[str, list[str]]) -> None:
        """Category and family are taken from headings between the rows, else from the sheet's name."""
        names = [name for name in ("category", "family") if name in wanted and name not in self.rules]
        sections = {row.section for row in self.rows if row.section}
        source = (
            SECTION if sections else SHEET if self.sheet.name and not UNNAMED.match(fold(self.sheet.name)) else ""
        )
        for name in names if source else ():
            self.rules[name] = Rule(columns=(source,), prefix="" if self.kind.name == "products_for_sale" else None)

    def _of_description(self, wanted: dict[str, list[str]]) -> None:
        """Where nothing else says the family, descriptions that name one do, each written down."""
        names = [
            name for name in ("category", "family") if name in wanted and name not in {**self.rules, **self.constants}
        ]
        columns = self._columns_of("description")[:1]
        said = {text_of(cell) for column in columns for cell in self._cells(column)}
        found = {text: family for text in sorted(said) if (family := family_named(text))}
        if "family" in names and said and len(said) <= MOST_VALUES and len(found) >= SURE * len(said):
            for name in names:
                self.rules[name] = Rule(columns=tuple(columns), values=found)

    def _constants(self) -> None:
        for name in self.constants:
            self.rules.pop(name, None)
        for name, value in CONSTANTS.get(self.kind.name, {}).items():
            if name not in self.rules:
                self.constants.setdefault(name, value)
        for name, within in COUNTED.get(self.kind.name, {}).items():
            if name not in self.rules and name not in self.constants:
                self.rules[name] = Rule(count_within=within)
        together = TOGETHER.get(self.kind.name, ())
        if any(name not in self.rules and name not in self.constants for name in together):
            for name in together:
                self.rules.pop(name, None)

    def _currency(self, types: dict[str, FieldType]) -> list[str]:
        """The currencies that no column says and that amounts need; a header, a cell or a title may say one."""
        needed = []
        for name, priced in OF_MONEY.items():
            columns = [self.rules[each].columns[0] for each in priced if each in self.rules]
            if name not in types or name in self.rules or name in self.constants or not columns:
                continue
            titles = " ".join(text_of(cell) for row in self.sheet.rows[: self.header.skip] for cell in row)
            in_cells = any(currency_of(text_of(cell)) for cell in self._cells(columns[0])[:300])
            said = next((code for column in columns if (code := currency_of(bare(column)[1]))), None)
            if in_cells:
                self.rules[name] = Rule(columns=(columns[0],), take="currency")
            elif said := said or currency_of(titles):
                self.constants[name] = said
            else:
                needed.append(name)
        return needed

    def _values(self, types: dict[str, FieldType]) -> None:
        """What the values of a closed field mean, each written down to be looked at."""
        for name, rule in list(self.rules.items()):
            type_ = types.get(name)
            if rule.values:
                continue
            if name == "family" or (type_ is not None and type_.type == "choice"):
                beside = self._columns_of("name", "description")
                values, doubts = meanings(
                    name, rule, self.rows, beside=beside, choices=type_.choices if type_ else ()
                )
                self.doubts += doubts
                self.rules[name] = rule.model_copy(update={"values": values})
