"""Guesses which columns are prices, from which quantity on, for how many pieces, in which currency, and discounts."""

from operations.tables.attributes import pieces_said
from operations.tables.cells import currency_of, text_of
from operations.tables.guessed_table import GuessedTable
from operations.tables.mapping import FieldRule
from operations.tables.names import AMOUNTS, bare, concepts_of, is_net, known_part, quantity_from
from operations.tables.questions import of_amounts, of_pieces, of_tiers
from quarry.text import slug

OF_MONEY = {"currency": ("total_price", "unit_price", "extended_price"), "cost_currency": ("cost",)}
"""The fields of currencies, each with the amounts whose columns may say it."""


def take_prices(table: GuessedTable) -> None:
    """Assigns columns of prices, also from a quantity on, and tells which columns may be the price as well."""
    if table.kind.name == "prices" and "price" not in table.rules:
        # What stands below the name of a currency and nothing else is the price in it.
        named = [column for column in table.unread if not known_part(column) and currency_of(column)]
        only = [column for column in named if table.agrees("price", column)]
        if len(only) == 1:
            table.take("price", only[0])
    _take_per(table)
    if table.kind.name == "prices":
        tiers = {
            f"tiers.{found}": column
            for column in table.header.names
            if (found := quantity_from(column)) and not any(column in rule.reads for rule in table.pairs.values())
        }
        table.rules |= {name: FieldRule(columns=(column,)) for name, column in tiers.items()} | table.pairs
        table.doubts += of_tiers(table.rules)
        if "tiers.1" in tiers and "price" not in table.rules:
            table.rules["price"] = table.rules["tiers.1"]
        _take_net(table)
    for name in table.types.keys() & {"price", "unit_price"}:
        table.doubts += of_amounts(name, table.rules, table.header.names, table.unread, table.spoken)


def _take_net(table: GuessedTable) -> None:
    """Takes a price as net, of which no discount comes off, where its column says so."""
    columns = table.rules["price"].columns if "price" in table.rules else ()
    if columns and is_net(columns[0]) and "net" not in table.constants:
        table.constants["net"] = "true"
        table.doubts.append(
            f"net: {columns[0]!r} is taken as net: no discount of customer, group or quote comes off it. "
            "Leave net out if one does."
        )


def _take_per(table: GuessedTable) -> None:
    """Assigns the column that says for how many pieces prices are, or else the one of units: a price buys what it
    says, though not that of a line, whose quantity is in the unit too.
    """
    concepts = ("price_per",) if "unit" in table.wanted else ("price_per", "unit_of_measure")
    likely = ((concept, each) for concept in concepts for each in table.header.names if each not in table.read)
    per = next((each for concept, each in likely if concept in concepts_of(each, table.spoken)), None)
    if per is None:
        return
    said = {text: pieces_said(text, table.attributes.units) for text in table.texts(per)}
    if set(said.values()) <= {1} or any(pieces % 1 for pieces in said.values() if pieces is not None):
        return
    for name in AMOUNTS:
        if name in table.rules:
            table.rules[name] = table.rules[name].model_copy(update={"per": per})
            table.doubts += of_pieces(name, per, [text for text, pieces in said.items() if pieces is None])


def take_discounts_of_segments(table: GuessedTable) -> None:
    """Of discounts by group each further column of figures has those of a segment, which its heading names."""
    if table.kind.name != "discounts" or "discount_pct" in table.rules or "discount_group" not in table.rules:
        return
    if "account_id" in table.rules and table.is_of_figures(table.rules["account_id"].columns[0]):
        del table.rules["account_id"]
    columns = [column for column in table.unread if table.texts(column) and table.agrees("discount_pct", column)]
    table.rules |= {f"discount_pct.{slug(column)}": FieldRule(columns=(column,)) for column in columns}
    if columns:
        table.doubts.append(f"discount_pct: {', '.join(map(repr, columns))} are taken for segments of that name.")


def take_currencies(table: GuessedTable) -> None:
    _take_currency_of_amounts(table)
    _take_currency_of_prices(table)


def _take_currency_of_amounts(table: GuessedTable) -> None:
    """A currency that no column says may stand in a header, in cells or in a title."""
    titles = " ".join(text_of(cell) for row in table.sheet.rows[: table.header.skip] for cell in row)
    for name, priced in OF_MONEY.items():
        columns = [table.rules[each].columns[0] for each in priced if each in table.rules]
        if name not in table.types or name in table.rules or name in table.constants or not columns:
            continue
        if any(map(currency_of, table.texts(columns[0]))):
            table.take(name, columns[0])
        elif said := next(filter(None, (currency_of(bare(each)[1]) for each in columns)), currency_of(titles)):
            table.constants[name] = said


def _take_currency_of_prices(table: GuessedTable) -> None:
    """Prices are in their book's currency, to which the load holds the one that their header says."""
    if table.kind.name != "prices" or "price" not in table.rules:
        return
    if "currency" in table.rules or "currency" in table.constants:
        return
    [column] = table.rules["price"].columns
    if code := currency_of(column, is_sure=True):
        table.constants["currency"] = code
