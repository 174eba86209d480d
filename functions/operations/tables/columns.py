"""Guesses which columns of a file are which fields of a kind, for a person to mend: by names and units."""

from collections.abc import Iterator, Sequence

from operations.tables.agreement import attributes_meant
from operations.tables.attributes import NO_ATTRIBUTES, OF_ATTRIBUTES, names_alike
from operations.tables.cells import habits
from operations.tables.guessed_table import GuessedTable, list_values
from operations.tables.mapping import SECTION, SHEET, FieldRule, Mapping
from operations.tables.names import (
    AMOUNTS,
    SURE,
    bare,
    concepts_of,
    families_among,
    family_named,
    is_unnamed,
    quantity_from,
    with_tax,
)
from operations.tables.priced_columns import question_totals, take_currencies, take_prices
from operations.tables.sheets import Sheet, above_names, header_at, header_rows
from quarry.attributes.model import Attributes
from quarry.ingestion import Kind
from quarry.text import fold, slug

NEARLY = 0.9
"""The likeness of a heading that is a whole name but for words such as net."""

SHARED = 0.65
"""The likeness above which a column that one field has may be another's too; one word of three is less."""

TAXED = frozenset((*AMOUNTS, "total_price", "extended_price"))
"""The fields of amounts that are before tax."""

CLASSES = frozenset(("category", "family", "series", "model"))
"""What a column may be called whose cells are families: a line, a type."""


def guess(
    sheets: Sequence[Sheet],
    kind: Kind,
    *,
    constants: dict[str, str] | None = None,
    attributes: Attributes = NO_ATTRIBUTES,
) -> tuple[Mapping | None, tuple[str, ...]]:
    """Returns (mapping, doubts for whoever reviews it); the mapping is None where no sheet has a header.
    Where no sheet has enough of the kind's columns, it is what the likeliest sheet has, to be mended.

    ``constants`` are fields that no column says, ``attributes`` what the tenant has declared.
    """

    def is_name(text: str) -> bool:
        own = attributes.by_name.values() if kind.attributed else ()
        named = (one.is_called(text) or names_alike(bare(text, attributes.units)[0], one) >= SURE for one in own)
        return bool(concepts_of(text)) or any(named)

    guesses = []
    for sheet in sheets:
        rows = [] if sheet.hidden else header_rows(sheet, known=is_name)
        skip = above_names(sheet, rows[0], units=attributes.units) if rows else 0
        if rows and (header := header_at(sheet, skip=skip, units=attributes.units)) is not None:
            guesses.append(GuessedTable(sheet, header, kind, attributes, dict(constants or {})))
    for one in guesses:
        _take_fields(one)
    likely = [one for one in guesses if one.has_enough]
    if not likely:
        likely = [max(guesses, key=lambda one: (len(one.read), len(one.header.names)))] if guesses else []
    if any(not one.needed for one in likely):
        likely = [one for one in likely if len(one.needed) <= 1]
    chosen = [one.sheet for one in likely]
    doubts = [f"sheet {sheet.name!r} has no such table" for sheet in sheets if sheet.rows and sheet not in chosen]
    doubts += [line for one in likely for line in one.open_questions()]
    cells = (cell for sheet in sheets for row in sheet.rows for cell in row)
    how = habits(cells, language=attributes.language)
    if not likely:
        return None, tuple(doubts)
    numbers = "1.234,56" if how.decimal == "," else "1,234.56" if how.decimal == "." else None
    mapping = Mapping(kind=kind.name, numbers=numbers, dates=how.dates, tables=tuple(one.mapping() for one in likely))
    return mapping, tuple(doubts)


def _take_fields(table: GuessedTable) -> None:
    """Each step takes or mends what those before it have left open or taken, so that their order counts."""
    left_out = _take_attributes(table)
    _take_named(table, first=True)
    if "id" in table.rules and "sku" in table.rules:
        table.rules["id"] = table.rules["id"].model_copy(update={"columns": table.rules["sku"].columns})
    _take_named(table, first=False)
    take_prices(table)
    if table.is_of_stored_rows:
        for part in table.kind.key:
            table.rules.pop(part, None)
    else:
        _take_sections(table)
    _add_constants(table)
    take_currencies(table)
    list_values(table)
    table.doubts += [doubt for column in table.unread for doubt in left_out.get(column, ())]
    question_totals(table)
    _question_headings(table)


def _take_attributes(table: GuessedTable) -> dict[str, list[str]]:
    """Assigns columns named like the tenant's attributes, before columns are matched by their usual names: the
    most alike first, and among equals the one that states a unit, then one by its own name. Returns why columns
    are no attribute.
    """
    left_out: dict[str, list[str]] = {}
    if not table.kind.attributed:
        return left_out
    named = (text for column in table.header.names if "family" in table.meant(column) for text in table.texts(column))
    families = {family for text in named if (family := family_named(text, table.attributes.families))}
    found = []
    for place, column in enumerate(table.header.names):
        likely, plain = table.meant(column), bare(column, table.attributes.units)[0]
        usual = any(likely.get(concepts[0], 0.0) == 1.0 for concepts in table.wanted.values())
        is_field = slug(column) in table.kind.row.model_fields
        meant, left_out[column] = attributes_meant(column, table.attributes)
        found += [
            (alike, bool(unit), -place, names_alike(plain, one._replace(words=())), one, unit, column)
            for alike, one, unit in meant
            if one.is_of_any(families)
            if (one.is_called(column) and not (usual and is_field))
            or not (usual or (one.kind == "text" and table.is_of_figures(column)))
        ]
    taken = set[str]()
    for *_, attribute, unit, column in sorted(found, key=lambda each: each[:4], reverse=True):
        name = f"{OF_ATTRIBUTES}{attribute.name}"
        if name in table.rules or column in taken:
            continue
        taken.add(column)
        table.rules[name] = FieldRule(columns=(column,), unit=unit)
        if attribute.unit and not unit and fold(attribute.unit) not in fold(column):
            table.doubts.append(
                f"{attribute.name}: {column!r} says no unit; figures without one are taken in {attribute.unit}. "
                "Set unit if not."
            )
    return left_out


def _take_named(table: GuessedTable, *, first: bool) -> None:
    """Each field takes the column most like its first concept; the others may share a column already taken, unless it
    is one of the tenant's attributes.
    """
    taken = {column for rule in table.rules.values() for column in rule.columns}
    declared = {rule.columns[0] for name, rule in table.rules.items() if name.startswith(OF_ATTRIBUTES)}
    left = [each for each in table.header.names if each not in declared and not quantity_from(each)]
    found: list[tuple[float, int, str, str]] = []
    for order, (name, concepts) in enumerate(table.wanted.items()):
        for place, concept in enumerate(concepts[:1] if first else concepts):
            for column in left:
                score = table.meant(column).get(concept, 0.0) - place * 0.01
                if score < SURE - 0.05 * place or not table.agrees(name, column):
                    continue
                if first and score < NEARLY and _is_named_wholly(table, name, concepts):
                    continue
                if name in TAXED and with_tax(column):
                    if first:
                        continue
                    score -= 1
                found.append((score, -order, name, column))
    for score, _, name, column in sorted(found, key=lambda each: each[:2], reverse=True):
        is_others = column in taken and (first or score <= SHARED)
        if name not in table.rules and not is_others and not _is_in_key(table, name, column):
            taken.add(column)
            table.take(name, column)


def _is_in_key(table: GuessedTable, name: str, column: str) -> bool:
    """Whether another part of the kind's key is this column: no two of them say the same."""
    key = table.kind.key
    return name in key and any(column in table.rules[part].columns for part in key if part in table.rules)


def _is_named_wholly(table: GuessedTable, name: str, concepts: Sequence[str]) -> bool:
    """Whether a column has a whole name of an id, a SKU or an amount, beside which a part of a heading counts
    less: "Price 1" is not the price where a "List price" stands.
    """
    meant = concepts if name in AMOUNTS else concepts[:1] if name in ("id", "sku") else ()
    said = [table.meant(column) for column in table.header.names]
    return any(each.get(concept) == 1.0 for each in said for concept in meant)


def _take_sections(table: GuessedTable) -> None:
    """Category and family are taken from headings between the rows, else from the sheet's name; the family from
    the sheet's name too where it alone names one, but first from a column of classes whose cells are families.
    """
    said = bool(table.sheet.name) and not is_unnamed(table.sheet.name)
    sources = [SECTION] if any(row.section for row in table.rows) else []
    sources += [SHEET] if said else []
    families = table.attributes.families
    named = [each for each in sources if any(family_named(text, families) for text in table.texts(each))]
    for name, likely in (("category", []), ("family", [*_columns_of_families(table), *named])):
        # What may be left out is not filled with "Lines", or with what stands above some of them.
        likely = likely or (sources if table.types[name].required else named) if name in table.wanted else []
        if likely and name not in table.rules:
            table.take(name, likely[0])


def _columns_of_families(table: GuessedTable) -> Iterator[str]:
    for column in (each for each in table.header.names if not CLASSES.isdisjoint(table.meant(each))):
        texts = table.texts(column)
        if 2 * families_among(texts, table.attributes.families) > len(texts):
            yield column


def _add_constants(table: GuessedTable) -> None:
    """Adds what a kind needs and few files say: simple goods, lines in their order."""
    for name in table.constants:
        table.rules.pop(name, None)
    known = table.rules.keys() | table.constants.keys()
    if table.kind.name == "line_items" and "position" not in known:
        table.rules["position"] = FieldRule(count_within="quote_number")
        table.doubts.append(
            "position: no column numbers the lines, so they are counted: the file has to have all of each quote."
        )
    if table.kind.name == "products_for_sale":
        if "product_type" not in known and not table.is_of_stored_rows:
            table.constants["product_type"] = "simple"
        if not {"manufacturer", "model"} <= known:
            table.rules.pop("manufacturer", None)
            table.rules.pop("model", None)
        if table.rules.get("description") == table.rules.get("name"):
            # A product without a description is described by its name.
            table.rules.pop("description", None)


def _question_headings(table: GuessedTable) -> None:
    """Asks about columns whose headings do not say what their field needs, or that others beside them say as well."""
    later = [*table.rules]
    for name, column in ((name, rule.columns[0]) for name, rule in table.rules.items() if rule.columns):
        later = later[later.index(name) + 1 :]
        if name == "id" and "name" in table.rules and table.rules["name"].columns == (column,):
            table.doubts.append(f"{name}: {column!r} is taken, the name, for no column numbers them.")
        if name == "manufacturer" and "supplier" in table.meant(column):
            table.doubts.append(f"{name}: {column!r} names suppliers, and no column who made the goods.")
        if name in TAXED and with_tax(column):
            table.doubts.append(
                f"{name}: {column!r} has tax in it; they are stored as those before tax: per = 1.2 takes 20 % out."
            )
        if name in AMOUNTS or name == "unit_price":
            continue
        own = [concept for concept in table.wanted.get(name, ()) if table.meant(column).get(concept) == 1.0]
        alike = [
            each
            for each in table.unread
            if any(table.meant(each).get(concept) == 1.0 for concept in own) and table.agrees(name, each)
        ]
        for other in later:
            too = {one for one in table.wanted.get(other, ()) if table.meant(column).get(one) == 1.0}
            if own and too and table.rules[other].columns == (column,) and too.isdisjoint(table.wanted[name]):
                table.doubts.append(f"{name}: {column!r} is taken, for {other} too; keep the one that is meant.")
        if alike:
            table.doubts.append(f"{name}: {column!r} is taken; so may be {', '.join(map(repr, alike))}.")
