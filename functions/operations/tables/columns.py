"""Guesses which columns of a file are which fields of a kind, for a person to mend: by names and units."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from operations.tables.agreement import ALIKE, agrees, are_currencies, attributes_meant
from operations.tables.attributes import NO_ATTRIBUTES, OF_ATTRIBUTES, is_named, names_alike, pieces_said
from operations.tables.cells import currency_of, figure_in, habits, text_of
from operations.tables.field_types import FieldType, field_types, slug
from operations.tables.mapping import SECTION, SHEET, FieldRule, Mapping, TableMapping
from operations.tables.names import (
    AMOUNTS,
    SHORTENED,
    SURE,
    Spoken,
    bare,
    choice_named,
    concepts_of,
    data,
    family_named,
    foreign,
    is_net,
    is_unnamed,
    prices_and_quantities,
    quantity_from,
    spoken,
    with_tax,
)
from operations.tables.questions import TAXED, of_alike, of_amounts, of_headings, of_pieces, of_tiers
from operations.tables.sheets import Header, Sheet, TableRow, header_at, header_rows, rows_below, under_headings
from operations.tables.tiers import FROM_QUANTITY
from quarry.attributes.model import Attributes
from quarry.ingestion import Kind
from quarry.text import fold

OF_MONEY = {"currency": ("total_price", "unit_price", "extended_price"), "cost_currency": ("cost",)}
"""The fields of currencies, each with the amounts that are in that currency."""

SHARED = frozenset("$¥")
"""Signs of several countries' currencies: a book of Canadian dollars has them too."""

OF_EACH_LINE = frozenset(("description", "extended_price"))
"""Fields of lines that a column of the quote's own, its title or its total, is easily mistaken for."""

NAMED_ONCE = frozenset(("quote_number", "product_id", "account_id", "segment", "discount_group"))
"""Parts of keys that a report names once, on the first of the rows that belong to them."""

NEARLY = 0.9
"""The likeness of a heading that is a whole name but for words such as net."""

MOST_VALUES = 80
"""At most this many different values of a column are listed with what they mean."""


def guess(
    sheets: Sequence[Sheet],
    kind: Kind,
    *,
    constants: dict[str, str] | None = None,
    attributes: Attributes = NO_ATTRIBUTES,
) -> tuple[Mapping | None, tuple[str, ...]]:
    """Returns (mapping, doubts for whoever reviews it); the mapping is None where no sheet has columns of the kind.
    Where no sheet has enough of them, it is what the likeliest sheet has, to be mended.

    ``constants`` are fields that no column says, ``attributes`` what the tenant has declared.
    """

    def is_name(text: str) -> bool:
        own = attributes.by_name.values() if kind.attributed else ()
        named = (is_named(text, one) or names_alike(bare(text)[0], one) >= SURE for one in own)
        return bool(concepts_of(text)) or any(named)

    guesses = []
    for sheet in sheets:
        rows = [] if sheet.hidden else header_rows(sheet, known=is_name)
        if rows and (header := header_at(sheet, skip=rows[0])) is not None:
            guesses.append(_Guessing(sheet, header, kind, attributes, dict(constants or {})))
    likely = [one for one in guesses if one.table_fits()]
    if not likely:
        some = [one for one in guesses if one.read]
        likely = [max(some, key=lambda one: len(one.read))] if some else []
    likely = [one for one in likely if not any(other.has_all_of(one) for other in likely)]
    if any(not one.needed for one in likely):
        likely = [one for one in likely if len(one.needed) <= 1]
    chosen = [one.sheet for one in likely]
    doubts = [f"sheet {sheet.name!r} has no such table" for sheet in sheets if sheet.rows and sheet not in chosen]
    doubts += [line for one in likely for line in one.open_questions()]
    how = habits(cell for sheet in sheets for row in sheet.rows for cell in row)
    if not likely:
        return None, tuple(doubts)
    numbers = "1.234,56" if how.decimal == "," else "1,234.56" if how.decimal == "." else None
    mapping = Mapping(kind=kind.name, numbers=numbers, dates=how.dates, tables=tuple(one.table() for one in likely))
    return mapping, tuple(doubts)


@dataclass(slots=True)
class _Guessing:
    sheet: Sheet
    header: Header
    kind: Kind
    attributes: Attributes
    constants: dict[str, str]
    rules: dict[str, FieldRule] = field(default_factory=dict)
    needed: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    rows: list[TableRow] = field(init=False)
    spoken: Spoken = field(init=False)
    pairs: dict[str, FieldRule] = field(init=False)
    quote: str | None = field(init=False)
    """The column that numbers quotes."""

    def __post_init__(self) -> None:
        self.spoken = spoken(self.header.names)
        rows = under_headings(rows_below(self.sheet, self.header))
        self.rows = [row for row in rows if isinstance(row, TableRow)]
        named = (each for each in self.header.names if "quote_number" in concepts_of(each, self.spoken))
        self.quote = next(named, None)
        names = self.header.names if self.kind.name == "prices" else ()
        self.pairs = prices_and_quantities(names, counts=self._is_of_counts)

    def table_fits(self) -> bool:
        """Guesses, and says whether the sheet has enough of what the kind needs."""
        wanted = data()["kinds"].get(self.kind.name, {})
        types = field_types(self.kind.row)
        self._own_attributes(wanted)
        self._assign(wanted, first=True)
        if "id" in self.rules and "sku" in self.rules:
            self.rules["id"] = self.rules["id"].model_copy(update={"columns": self.rules["sku"].columns})
        self._assign(wanted, first=False)
        self._told_by_values(types)
        self._matrix()
        self._model(wanted)
        self._prices(wanted)
        self._of_section(wanted)
        self._constants()
        self._currency(types)
        self._currency_of_prices()
        self._totals()
        self._fill_down(types)
        self._values(types)
        self.doubts += of_headings(self.rules, wanted, self.spoken)
        self.doubts += of_alike(self.rules, wanted, self.unread, self.spoken, agrees=self._agrees)
        self.needed = [
            name
            for name, type_ in types.items()
            if type_.required
            and name not in self.constants
            and not any(each == name or each.startswith(f"{name}.") for each in self.rules)
        ]
        return len(self.read) > 1 and len(self.needed) <= len(self.rules)

    def has_all_of(self, other: "_Guessing") -> bool:
        """Whether all customers of another sheet are this one's, which tells more of them: that one is about them."""
        if self.kind.name != "accounts" or "id" not in self.rules.keys() & other.rules.keys():
            return False
        own, others = (set(one._texts(one.rules["id"].columns[0])) for one in (self, other))
        return len(self.read) > len(other.read) and others <= own

    @property
    def read(self) -> set[str]:
        return {column for rule in self.rules.values() for column in rule.columns if column in self.header.names}

    @property
    def unread(self) -> list[str]:
        read = self.read
        return [column for column in self.header.names if column not in read]

    def table(self) -> TableMapping:
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
            yield f"NEEDED{where}: {name} has no column: set it in constants, or name one."
        yield from (f"PLEASE CHECK{where}: {doubt}" for doubt in self.doubts)

    def _texts(self, column: str) -> list[str]:
        said = ({SECTION: row.section, SHEET: row.sheet}.get(column) or row.cells.get(column) for row in self.rows)
        return list(dict.fromkeys(filter(None, map(text_of, said))))

    def _assign(self, wanted: dict[str, list[str]], *, first: bool) -> None:
        """Each field takes the column most like its first concept; the others may share a column already taken
        unless its name means them in another language only or is shortened, or it is one of the tenant's attributes.
        """
        taken = {column: "" for rule in self.rules.values() for column in rule.columns}
        declared = {rule.columns[0] for name, rule in self.rules.items() if name.startswith(OF_ATTRIBUTES)}
        paired = {column for rule in self.pairs.values() for column in rule.reads}
        found: list[tuple[float, int, str, str, str]] = []
        for order, (name, concepts) in enumerate(wanted.items()):
            for place, concept in enumerate(concepts[:1] if first else concepts):
                for column in self.header.names:
                    score = concepts_of(column, self.spoken).get(concept, 0.0) - place * 0.01
                    if score < SURE - 0.05 * place or quantity_from(column) or not self._agrees(name, column):
                        continue
                    if column in paired | declared or (
                        first and score < NEARLY and self._is_named_wholly(name, concepts)
                    ):
                        continue
                    if name in TAXED and with_tax(column):
                        if first:
                            continue
                        score -= 1
                    found.append((score, -order, name, column, concept))
        for score, _, name, column, concept in sorted(found, key=lambda each: each[:2], reverse=True):
            shares = not first and concept not in foreign(column, self.spoken)
            shares &= score > SHORTENED or taken.get(column, concept) == concept
            if name in self.rules or (column in taken and not shares) or self._is_in_key(name, column):
                continue
            taken.setdefault(column, concept)
            self.rules[name] = FieldRule(columns=(column,))

    def _matrix(self) -> None:
        """Of discounts by group each further column of figures has those of a segment, which its heading names."""
        if self.kind.name != "discounts" or "discount_pct" in self.rules or "discount_group" not in self.rules:
            return
        if "account_id" in self.rules and self._is_of_figures(self.rules["account_id"].columns[0]):
            del self.rules["account_id"]
        columns = [column for column in self.unread if self._texts(column) and self._agrees("discount_pct", column)]
        self.rules |= {f"discount_pct.{slug(column)}": FieldRule(columns=(column,)) for column in columns}
        if columns:
            self.doubts.append(f"discount_pct: {', '.join(map(repr, columns))} are taken for segments of that name.")

    def _told_by_values(self, types: dict[str, FieldType]) -> None:
        """Closed fields and a currency may be told by what their cells mean, the numbers of lines by their order."""
        if "currency" in types and "currency" not in self.rules and len(self.rows) >= ALIKE:
            codes = [each for each in self.unread if (texts := self._texts(each)) and are_currencies(texts)]
            self.rules |= {"currency": FieldRule(columns=(codes[0],))} if len(codes) == 1 else {}
        for name in (data()["values"].keys() & types.keys()) - self.rules.keys():
            for column in self.unread:
                texts = self._texts(column)
                known = [text for text in texts if choice_named(name, text, types[name].choices)]
                if texts and 2 * len(known) > len(texts):
                    self.rules[name] = FieldRule(columns=(column,))
                    break
        if self.kind.name == "line_items" and "position" not in self.rules:
            numbering = [each for each in self.unread if self._numbers_lines(each)]
            self.rules |= {"position": FieldRule(columns=(numbering[0],))} if numbering else {}

    def _numbers_lines(self, column: str) -> bool:
        """Whether a column has whole numbers that rise within each quote, and begin anew with the next."""
        rising, again = dict[str, list[int]](), False
        for row in self.rows:
            text = text_of(row.cells.get(column))
            if self.quote is None or not text.isdecimal():
                return False
            numbers = rising.setdefault(text_of(row.cells.get(self.quote)), [])
            again |= bool(numbers)
            numbers.append(int(text))
        firsts = [numbers[0] for numbers in rising.values()]
        return (
            again
            and all(numbers == sorted(set(numbers)) for numbers in rising.values())
            and firsts != sorted(set(firsts))
        )

    def _is_in_key(self, name: str, column: str) -> bool:
        """Whether another part of the kind's key is this column: no two of them say the same."""
        key = self.kind.key
        return name in key and any(column in self.rules[part].columns for part in key if part in self.rules)

    def _is_named_wholly(self, name: str, concepts: Sequence[str]) -> bool:
        """Whether a column has a whole name of an id, a SKU or an amount, beside which a part of a heading counts
        less: "Price 1" is not the price where a "List price" stands.
        """
        meant = concepts if name in AMOUNTS else concepts[:1] if name in ("id", "sku") else ()
        said = [concepts_of(column, self.spoken) for column in self.header.names]
        return any(each.get(concept) == 1.0 for each in said for concept in meant)

    def _model(self, wanted: dict[str, list[str]]) -> None:
        """A name that no field reads is the model rather than the SKU again, where each row has its own."""
        model, sku = self.rules.get("model"), self.rules.get("sku")
        if model is None or sku is None or model.columns != sku.columns or "name" not in wanted["model"]:
            return
        for column in self.header.names:
            if (
                column not in self.read
                and concepts_of(column, self.spoken).get("name", 0) >= SURE
                and self._agrees("name", column)
            ):
                if len(self._texts(column)) == len(self.rows):
                    self.rules["model"] = FieldRule(columns=(column,))
                    self.doubts.append(f"model: {column!r} is taken; {sku.columns[0]!r} is the SKU.")
                return

    def _agrees(self, name: str, column: str) -> bool:
        if self.kind.name == "accounts" and name == "id" and 5 * len(self._texts(column)) < 4 * len(self.rows):
            return False
        if self.kind.name == "line_items" and name in OF_EACH_LINE and self._is_of_quotes(column):
            return False
        type_ = field_types(self.kind.row).get(name)
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

    def _own_attributes(self, wanted: dict[str, list[str]]) -> None:
        """Assigns columns named like the tenant's attributes, before columns are matched by their usual names: the
        most alike first, and among equals the one that states a unit.
        """
        if not self.kind.attributed:
            return
        found = []
        for place, column in enumerate(self.header.names):
            likely = concepts_of(column, self.spoken)
            usual = any(likely.get(concepts[0], 0.0) == 1.0 for concepts in wanted.values())
            is_field = slug(column) in self.kind.row.model_fields
            meant, doubts = attributes_meant(column, self.attributes)
            self.doubts += doubts
            found += [
                (alike, bool(unit), -place, one, unit, column)
                for alike, one, unit in meant
                if (is_named(column, one) and not (usual and is_field))
                or not (usual or (one.kind == "text" and self._is_of_figures(column)))
            ]
        taken = set[str]()
        for *_, attribute, unit, column in sorted(found, key=lambda each: each[:3], reverse=True):
            name = f"{OF_ATTRIBUTES}{attribute.name}"
            if name in self.rules or column in taken:
                continue
            taken.add(column)
            self.rules[name] = FieldRule(columns=(column,), unit=unit)
            if attribute.unit and not unit and fold(attribute.unit) not in fold(column):
                self.doubts.append(
                    f"{attribute.name}: {column!r} says no unit; figures without one are taken in {attribute.unit}. "
                    "Set unit if not."
                )

    def _is_of_figures(self, column: str) -> bool:
        cells = [cell for row in self.rows if text_of(cell := row.cells.get(column))]
        return bool(cells) and all(figure_in(cell) for cell in cells)

    def _is_of_counts(self, column: str) -> bool:
        figures = [figure_in(text) for text in self._texts(column)]
        return bool(figures) and all(
            each is not None and each[1] != "%" and each[0] >= 1 and each[0] == int(each[0]) for each in figures
        )

    def _prices(self, wanted: dict[str, list[str]]) -> None:
        """Assigns columns of prices, also from a quantity on, and tells which columns may be the price as well."""
        if self.kind.name == "prices" and "price" not in self.rules:
            # What stands below the name of a currency and nothing else is the price in it.
            named = [column for column in self.unread if not bare(column)[0] and currency_of(column)]
            only = [column for column in named if self._agrees("price", column)]
            self.rules |= {"price": FieldRule(columns=(only[0],))} if len(only) == 1 else {}
        self._per(wanted)
        if self.kind.name == "prices":
            tiers = {
                f"tiers.{found}": column
                for column in self.header.names
                if (found := quantity_from(column)) and not any(column in rule.reads for rule in self.pairs.values())
            }
            self.rules |= {name: FieldRule(columns=(column,)) for name, column in tiers.items()} | self.pairs
            self.doubts += of_tiers(self.rules)
            if "tiers.1" in tiers and "price" not in self.rules:
                self.rules["price"] = self.rules["tiers.1"]
            self._net()
        for name in field_types(self.kind.row).keys() & {"price", "unit_price"}:
            self.doubts += of_amounts(name, self.rules, self.header.names, self.unread, self.spoken)

    def _net(self) -> None:
        """Takes a price as net, of which no discount comes off, where its column says so."""
        columns = self.rules["price"].columns if "price" in self.rules else ()
        if columns and is_net(columns[0]) and "net" not in self.constants:
            self.constants["net"] = "true"
            self.doubts.append(
                f"net: {columns[0]!r} is taken as net: no discount of customer, group or quote comes off it. "
                "Leave net out if one does."
            )

    def _per(self, wanted: dict[str, list[str]]) -> None:
        """Assigns the column that says for how many pieces prices are, or else the one of units: a price buys what it
        says, though not that of a line, whose quantity is in the unit too.
        """
        concepts = ("price_per",) if "unit" in wanted else ("price_per", "unit_of_measure")
        likely = ((concept, each) for concept in concepts for each in self.header.names if each not in self.read)
        per = next((each for concept, each in likely if concept in concepts_of(each, self.spoken)), None)
        if per is None:
            return
        said = {text: pieces_said(text, self.attributes.units) for text in self._texts(per)}
        if set(said.values()) <= {1} or any(pieces % 1 for pieces in said.values() if pieces is not None):
            return
        for name in AMOUNTS:
            if name in self.rules:
                self.rules[name] = self.rules[name].model_copy(update={"per": per})
                self.doubts += of_pieces(name, per, [text for text, pieces in said.items() if pieces is None])

    def _totals(self) -> None:
        """A quote has one total: a column that differs between its rows has those of lines. Rows without a number go
        on with the quote above, but for the last amount of the sheet, which may be the sum of all.
        """
        of, total = self.rules.get("quote_number"), self.rules.get("total_price")
        if of is None or total is None:
            return
        [number], [column] = of.columns, total.columns
        cells = [(text_of(row.cells.get(number)), text_of(row.cells.get(column))) for row in self.rows]
        cells = [(quote, amount) for quote, amount in cells if quote or amount]
        if cells and not cells[-1][0]:
            cells.pop()
        pairs, begun = set[tuple[str, str]](), ""
        for quote, amount in cells:
            begun = quote or begun
            pairs |= {(begun, amount)} if begun and amount else set()
        if len(pairs) > len({quote for quote, _ in pairs}):
            del self.rules["total_price"]
            self.doubts.append(
                f"total_price: {column!r} differs between rows of one quote, so it is that of a line: left out. "
                "A quote's lines have their own kind, line_items."
            )

    def _fill_down(self, types: dict[str, FieldType]) -> None:
        """A part of a key stands on the first of its rows alone where others below have all the rest: no key of one
        part, for what lacks that is another thing.
        """
        parts = [name for name in (*self.kind.key, FROM_QUANTITY) if name in self.rules]
        first = next((name for name in parts if name in NAMED_ONCE and self.rules[name].columns), None)
        if len(parts) < 2 or first is None:
            return
        [column, *_] = self.rules[first].columns
        needed = {name for name in self.rules if name in parts or (name in types and types[name].required)} - {first}
        others = [each for name in needed for each in self.rules[name].columns]
        empty = [not text_of(row.cells.get(column)) for row in self.rows]
        below = self.rows[empty.index(False) :] if False in empty else []
        count = sum(
            not text_of(row.cells.get(column)) and all(text_of(row.cells.get(each)) for each in others)
            for row in below
        )
        if count:
            self.rules[first] = self.rules[first].model_copy(update={"fill": "down"})
            self.doubts.append(
                f"{first}: {count} rows have no {column!r} and are taken to go on with the one above (fill): "
                "take fill out if they do not."
            )

    def _of_section(self, wanted: dict[str, list[str]]) -> None:
        """Category and family are taken from headings between the rows, else from the sheet's name; the family from
        the sheet's name too where it alone names one.
        """
        said = bool(self.sheet.name) and not is_unnamed(self.sheet.name)
        sources = [SECTION] if any(row.section for row in self.rows) else []
        sources += [SHEET] if said else []
        families, types = self.attributes.families, field_types(self.kind.row)
        named = [each for each in sources if any(family_named(text, families) for text in self._texts(each))]
        for name, likely in (("category", []), ("family", named)):
            # What may be left out is not filled with "Lines", or with what stands above some of them.
            likely = likely or (sources if types[name].required else named) if name in wanted else []
            if likely and name not in self.rules:
                self.rules[name] = FieldRule(columns=(likely[0],))

    def _constants(self) -> None:
        """Adds what a kind needs and few files say: simple goods, lines in their order."""
        for name in self.constants:
            self.rules.pop(name, None)
        known = self.rules.keys() | self.constants.keys()
        if self.kind.name == "line_items" and "position" not in known:
            self.rules["position"] = FieldRule(count_within="quote_number")
            self.doubts.append(
                "position: no column numbers the lines, so they are counted: the file has to have all of each quote."
            )
        if self.kind.name == "products_for_sale":
            if "product_type" not in known:
                self.constants["product_type"] = "simple"
            if not {"manufacturer", "model"} <= known:
                self.rules.pop("manufacturer", None)
                self.rules.pop("model", None)
            if self.rules.get("description") == self.rules.get("name"):
                # A product without a description is described by its name.
                self.rules.pop("description", None)

    def _currency(self, types: dict[str, FieldType]) -> None:
        """A currency that no column says may stand in a header, in cells or in a title."""
        titles = " ".join(text_of(cell) for row in self.sheet.rows[: self.header.skip] for cell in row)
        for name, priced in OF_MONEY.items():
            columns = [self.rules[each].columns[0] for each in priced if each in self.rules]
            if name not in types or name in self.rules or name in self.constants or not columns:
                continue
            if any(map(currency_of, self._texts(columns[0]))):
                self.rules[name] = FieldRule(columns=(columns[0],))
            elif said := next(filter(None, (currency_of(bare(each)[1]) for each in columns)), currency_of(titles)):
                self.constants[name] = said

    def _currency_of_prices(self) -> None:
        """Prices are in their book's currency, to which the load holds the one that their header or cells say."""
        if self.kind.name != "prices" or "price" not in self.rules:
            return
        if "currency" in self.rules or "currency" in self.constants:
            return
        [column] = self.rules["price"].columns
        said = {(currency_of(text), text) for text in (column, *self._texts(column))}
        codes = {code for code, text in said if code and (code in text or SHARED.isdisjoint(text))}
        if len(codes) == 1:
            self.constants["currency"] = codes.pop()

    def _values(self, types: dict[str, FieldType]) -> None:
        """Lists what each value of a closed field means, for a person to review."""
        for name, rule in list(self.rules.items()):
            choices = types[name].choices if name in types and types[name].type == "choice" else ()
            texts = [text for column in rule.columns for text in self._texts(column)][:MOST_VALUES]
            if name == "family":
                values = {text: family_named(text, self.attributes.families) or slug(text) for text in texts}
                if new := sorted(set(values.values()) - self.attributes.families.keys()):
                    self.doubts.append(
                        f"family: declare {', '.join(new)} first, with its words: make ingest KIND=families."
                    )
            elif choices:
                meant = {text: choice_named(name, text, choices) for text in texts}
                values = {text: choice for text, choice in meant.items() if choice is not None}
                self.doubts += [
                    f"{name}: what does {text!r} mean? Write one of {', '.join(choices)} into values."
                    for text in texts
                    if text not in values
                ]
            else:
                continue
            self.rules[name] = rule.model_copy(update={"values": values})
