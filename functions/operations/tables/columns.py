"""Guesses which columns of a file are which fields of a kind: by names in four languages, units and values."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from operations.tables.attributes import NO_ATTRIBUTES, OF_ATTRIBUTES, names_alike, unit_named
from operations.tables.cells import currency_of, habits, text_of
from operations.tables.conversion import OF_MONEY, FieldType, field_types
from operations.tables.fitting import SheetCells
from operations.tables.mapping import SECTION, SHEET, FieldRule, Mapping, TableMapping
from operations.tables.names import (
    AMOUNTS,
    FROM_QUANTITY,
    SURE,
    UNNAMED,
    bare,
    concepts_of,
    data,
    is_known,
    language_of,
    quantity_from,
    shortened,
    unknown_unit,
)
from operations.tables.sheets import Sheet, find_header
from quarry.attributes.model import Attribute, Attributes
from quarry.ingestion import Kind
from quarry.text import fold

COUNTED = {"line_items": {"position": "quote_number"}}
CONSTANTS = {"products_for_sale": {"product_type": "simple"}}
BESIDE = {"line_items": ("past_quotes",)}
"""Kinds that stand in the same rows: the status of a quote is no attribute of its lines."""

TOGETHER = {"products_for_sale": ("manufacturer", "model")}
NEVER_TOLD = frozenset(("price", "list_price", "discount", "cost", "currency"))
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

    ``constants`` are fields that no column says, ``attributes`` what the tenant has declared.
    """
    tables: list[GuessedTable] = []
    unread: list[str] = []
    every = [cell for sheet in sheets for row in sheet.rows for cell in row]
    how = habits(every)
    languages = Counter[str]()

    def is_name(text: str) -> bool:
        own = attributes.by_name.values() if kind.attributed else ()
        return is_known(text) or any(names_alike(bare(text)[0], one) >= SURE for one in own)

    for sheet in sheets:
        header = None if sheet.hidden else find_header(sheet, known=is_name)
        table = (
            _Guessing(SheetCells(sheet, header, kind, how), attributes, constants=dict(constants or {})).table()
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

    cells: SheetCells
    attributes: Attributes
    rules: dict[str, FieldRule] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    def table(self) -> GuessedTable | None:
        wanted = data()["kinds"].get(self.cells.kind.name, {})
        types = field_types(self.cells.kind.row)
        self._own_attributes()
        self._assign(wanted, types, first=True)
        if "id" in self.rules and "sku" in self.rules:
            self.rules["id"] = self.rules["id"].model_copy(update={"columns": self.rules["sku"].columns})
        self._assign(wanted, types, first=False)
        self._tiers()
        self._price_per()
        self._of_section(wanted)
        self._constants()
        self._values(types)
        if own := sorted(
            set(self.rules.get("family", FieldRule()).values.values()) - self.attributes.families.keys()
        ):
            self.doubts.append(f"family: declare {', '.join(own)} first, with its words: make ingest KIND=families.")
        needed = [
            name
            for name, type_ in types.items()
            if type_.required and name not in self.rules and name not in self.constants
        ]
        needed += self._currency(types)
        read = {column for rule in self.rules.values() for column in rule.columns if column in self.cells.names}
        if len(read) < 2 or len(needed) > len(self.rules):
            return None
        unused = self._unused()
        header = self.cells.header
        mapping = TableMapping(
            sheet=self.cells.sheet.name or None,
            skip=header.skip,
            header_rows=header.height,
            header=header.names,
            headings=any(row.section for row in self.cells.rows),
            fields=self.rules,
            constants=self.constants,
        )
        return GuessedTable(mapping, unused, tuple(needed), tuple(self.doubts))

    def _unused(self) -> tuple[str, ...]:
        """Columns that no field takes; of a product they are told in its description, for its words to be found."""
        used = {column for rule in self.rules.values() for column in rule.reads}
        unused = tuple(name for name in self.cells.names if name not in used and self.cells.of(name))
        if self.cells.kind.name != "products" or "description" not in self.rules:
            return unused
        told = [name for name in unused if not NEVER_TOLD & concepts_of(name).keys() and not self._is_amount(name)]
        if told:
            self.rules["description"] = FieldRule(columns=(*self.rules["description"].columns, *told), label=True)
        return tuple(name for name in unused if name not in told)

    def _assign(self, wanted: dict[str, list[str]], types: dict[str, FieldType], *, first: bool) -> None:
        """Each field takes the column most like its first concept; the others may share a column already taken."""
        taken = {column for rule in self.rules.values() for column in rule.columns} if first else set()
        of_lines = self._of_lines(wanted)
        found: list[tuple[float, int, str, str]] = []
        for name, concepts in wanted.items():
            type_ = types.get(name) or FieldType("text")
            for place, concept in enumerate(concepts[:1] if first else concepts):
                for column in self.cells.names:
                    score = concepts_of(column).get(concept, 0.0) - place * 0.01
                    if name in self.rules or column in taken or score < SURE - 0.05 * place:
                        continue
                    if column in of_lines or (name in AMOUNTS and quantity_from(column)):
                        continue
                    score *= self.cells.fitting(name, column, type_)
                    if score >= SURE - 0.05 * place:
                        found.append((score, -list(wanted).index(name), name, column))
        for _, _, name, column in sorted(found, reverse=True):
            if name in self.rules or (first and column in taken):
                continue
            taken.add(column)
            self.rules[name] = self._rule(column, types.get(name) or FieldType("text"))

    def _of_lines(self, wanted: dict[str, list[str]]) -> frozenset[str]:
        """Columns of an export of quotes that tell of its lines: no field of a quote is one of them."""
        if self.cells.kind.key != ("quote_number",):
            return frozenset()
        concept = wanted["quote_number"][0]
        likely = {column: concepts_of(column).get(concept, 0.0) for column in self.cells.names}
        key = max(likely, key=likely.__getitem__, default="")
        return self.cells.differing(key) if likely.get(key, 0.0) >= SURE else frozenset()

    def _rule(self, column: str, type_: FieldType) -> FieldRule:
        prefix = type_.prefix if type_.type == "id" else "" if type_.type == "key" else None
        return FieldRule(columns=(column,), prefix=prefix)

    def _price_per(self) -> None:
        """A column that says for how many pieces the prices are: 41.200,00 for 1000."""
        for name in ("price", "list_price", "unit_price", "cost"):
            column = next((each for each in self.cells.names if "price_per" in concepts_of(each)), None)
            if name in self.rules and column and self.cells.fitting(name, column, FieldType("number")):
                self.rules[name] = self.rules[name].model_copy(update={"per": column})

    def _columns_of(self, *names: str) -> list[str]:
        return [column for name in names if name in self.rules for column in self.rules[name].columns]

    def _own_attributes(self) -> None:
        """Columns that bear a name of one of the tenant's attributes go before what columns are usually called; the
        most alike first, and of those the one that says the attribute's unit.
        """
        if not self.cells.kind.attributed:
            return
        kinds = (self.cells.kind.name, *BESIDE.get(self.cells.kind.name, ()))
        usual = {name: concepts for kind in kinds for name, concepts in data()["kinds"].get(kind, {}).items()}
        found = []
        for place, column in enumerate(self.cells.names):
            likely = concepts_of(column)
            if any(likely.get(concepts[0], 0.0) == 1.0 for concepts in usual.values()):
                continue
            found += [
                (alike, unit is not None, -place, name, unit, column) for alike, name, unit in self._meant(column)
            ]
        for *_, name, unit, column in sorted(found, key=lambda each: each[:4], reverse=True):
            field_name = f"{OF_ATTRIBUTES}{name}"
            if field_name not in self.rules and column not in self._columns_of(*self.rules):
                self.rules[field_name] = self._own_rule(self.attributes.by_name[name], column, unit)

    def _meant(self, column: str) -> list[tuple[float, str, str | None]]:
        """(how alike, attribute, unit) of the attributes that a column may be. Of several its unit decides: those
        that are in it, else those that measure the same."""
        likely = [
            (alike, attribute, unit)
            for attribute in self.attributes.by_name.values()
            for alike, unit in [self._likeness_of(attribute, column)]
            if alike >= SURE
        ]
        numbers = [one for one in likely if one[1].unit]
        if numbers and (strange := unknown_unit(column, self.attributes.units)):
            self.doubts += [
                f"{one.name}: {column!r} is in {strange!r}, which is no unit that is known: the column is left out. "
                "Declare the unit (make ingest KIND=units), or name the column with its unit."
                for _, one, _ in numbers
            ]
            return [(alike, one.name, unit) for alike, one, unit in likely if not one.unit]
        said = next((unit_named(unit, self.attributes.units) for *_, unit in numbers if unit), None)
        if said is not None:
            same = [one for one in numbers if self.attributes.unit_of(one[1]) == said]
            kin = [one for one in numbers if one[1] in self.attributes.measured_in(said)]
            if not kin:
                names = " and ".join(one.name for _, one, _ in numbers)
                self.doubts.append(
                    f"{names}: {column!r} is in {said.symbol}, which measures something else: left out."
                )
            likely = same or kin
        return [
            (alike, one.name, unit)
            for alike, one, unit in likely
            if self.cells.states(one, column, unit, self.attributes)
        ]

    def _likeness_of(self, attribute: Attribute, column: str) -> tuple[float, str | None]:
        """How alike the column is to the attribute's names, and the unit that it says; a unit alone is a name where
        only this attribute is measured in it."""
        plain, unit = bare(column, self.attributes.units)
        measured = unit_named(column, self.attributes.units)
        if measured is not None and self.attributes.measured_in(measured) == [attribute]:
            return 0.9, column
        words, end = plain.split(), column.split()[-1]
        last = unit_named(end, self.attributes.units) if not unit and len(words) > 1 else None
        if last is not None and attribute in self.attributes.measured_in(last):
            plain, unit = " ".join(words[:-1]), end
        return names_alike(plain, attribute, short=shortened(column)), unit or None

    def _own_rule(self, attribute: Attribute, column: str, unit: str | None) -> FieldRule:
        if attribute.kind != "number" or not attribute.unit or unit or self.cells.has_units_in_cells(column):
            return FieldRule(columns=(column,), unit=unit)
        if beside := self.cells.unit_beside(attribute, column, self.attributes):
            return FieldRule(columns=(column, beside))
        if fold(attribute.unit) not in fold(column):
            self.doubts.append(
                f"{attribute.name}: {column!r} says no unit; its figures are taken in {attribute.unit}. "
                "Set unit if not."
            )
        return FieldRule(columns=(column,))

    def _tiers(self) -> None:
        if self.cells.kind.name != "prices":
            return
        for column in self.cells.names:
            found = quantity_from(column)
            if found and self.cells.fitting("price", column, FieldType("number")) and len(self.cells.of(column)) > 0:
                self.rules[f"tiers.{found}"] = FieldRule(columns=(column,))
                if not FROM_QUANTITY.fullmatch(bare(column)[0]):
                    self.doubts.append(f"tiers.{found}: {column!r} is taken as the price from {found} pieces on.")
        if "tiers.1" in self.rules and "price" not in self.rules:
            self.rules["price"] = self.rules["tiers.1"]
        taken = self._columns_of(*self.rules)
        others = [each for each in self.cells.names if self._is_amount(each) and each not in taken]
        if "price" in self.rules and others:
            said = ", ".join(map(repr, (*self.rules["price"].columns, *others)))
            self.doubts.append(f"price: {said} are amounts; the first is taken. Name another, or a tier of it.")

    def _is_amount(self, column: str) -> bool:
        """Whether a column has prices: it says so, or it is in a currency, or its cells are."""
        if concepts_of(column).keys() & set(AMOUNTS) or quantity_from(column):
            return True
        texts = [text for cell in self.cells.of(column)[:50] if any(map(str.isdigit, text := text_of(cell)))]
        return currency_of(bare(column)[1]) is not None or (bool(texts) and all(currency_of(text) for text in texts))

    def _of_section(self, wanted: dict[str, list[str]]) -> None:
        """Category and family are taken from headings between the rows, else from the sheet's name."""
        names = [name for name in ("category", "family") if name in wanted and name not in self.rules]
        sections = {row.section for row in self.cells.rows if row.section}
        source = (
            SECTION
            if sections
            else SHEET
            if self.cells.sheet.name and not UNNAMED.match(fold(self.cells.sheet.name))
            else ""
        )
        for name in names if source else ():
            self.rules[name] = FieldRule(
                columns=(source,), prefix="" if self.cells.kind.name == "products_for_sale" else None
            )

    def _constants(self) -> None:
        for name in self.constants:
            self.rules.pop(name, None)
        for name, value in CONSTANTS.get(self.cells.kind.name, {}).items():
            if name not in self.rules:
                self.constants.setdefault(name, value)
        for name, within in COUNTED.get(self.cells.kind.name, {}).items():
            if name not in self.rules and name not in self.constants:
                self.rules[name] = FieldRule(count_within=within)
        together = TOGETHER.get(self.cells.kind.name, ())
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
            titles = " ".join(
                text_of(cell) for row in self.cells.sheet.rows[: self.cells.header.skip] for cell in row
            )
            in_cells = any(currency_of(text_of(cell)) for cell in self.cells.of(columns[0])[:300])
            said = next((code for column in columns if (code := currency_of(bare(column)[1]))), None)
            if in_cells:
                self.rules[name] = FieldRule(columns=(columns[0],), take="currency")
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
                choices = type_.choices if type_ else ()
                values, doubts = self.cells.meanings(name, rule, choices=choices, families=self.attributes.families)
                self.doubts += doubts
                self.rules[name] = rule.model_copy(update={"values": values})
