"""Guesses which columns are prices, from which quantity on, for how many pieces and in which currency, and asks where
a heading does not tell.
"""

from operations.tables.attributes import PIECES, currency_named, pieces_said, unit_named
from operations.tables.cells import currency_of, text_of
from operations.tables.guessed_table import GuessedTable
from operations.tables.names import (
    AMOUNTS,
    bare,
    counts_columns,
    is_net,
    known_part,
    prices_and_quantities,
    quantity_from,
)

OF_MONEY = {"currency": ("total_price", "unit_price", "extended_price"), "cost_currency": ("cost",)}
"""The fields of currencies, each with the amounts whose columns may say it."""

FEW = 5
"""At most this many words of a column are asked for."""


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
        _take_tiers(table)
        _take_net(table)
    for name in table.types.keys() & {"price", "unit_price"}:
        _question_amounts(table, name)


def _take_tiers(table: GuessedTable) -> None:
    """Assigns columns of prices from a quantity on; the number that ends a heading may only tell it from others."""
    pairs = prices_and_quantities(table.header.names)
    paired = {column for rule in pairs.values() for column in rule.reads}
    for column in table.header.names:
        if (start := quantity_from(column)) and column not in paired:
            table.take(f"tiers.{start}", column)
            if counts_columns(column):
                table.doubts.append(
                    f"tiers.{start}: {column!r} is taken as the price from that many pieces on; if the number only "
                    "tells it from other prices, say with at which column has the quantity, or take it out."
                )
    if "tiers.1" in table.rules and "price" not in table.rules:
        table.rules["price"] = table.rules["tiers.1"]
    table.rules |= pairs


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
    likely = ((concept, each) for concept in concepts for each in table.unread)
    per = next((each for concept, each in likely if concept in table.meant(each)), None)
    if per is None:
        return
    units = table.attributes.units
    said = {text: pieces_said(text, units) for text in table.texts(per)}
    known = {text: unit for text, pieces in said.items() if pieces and (unit := unit_named(text, units))}
    measured = next((text for text, unit in known.items() if unit.dimension != PIECES), None)
    is_said = "unit" in table.rules.keys() | table.constants.keys()
    if measured and not is_said and "price" in table.rules and "unit" in table.types:
        table.doubts.append(
            f"unit: {per!r} says {measured!r}, and a price is of one piece where nothing else is said: set unit "
            f"from {per!r}, with what each text means in values, such as per_metre, or leave it if goods are counted."
        )
    if set(said.values()) <= {1} or any(pieces % 1 for pieces in said.values() if pieces is not None):
        return
    for name in AMOUNTS:
        if name in table.rules:
            table.rules[name] = table.rules[name].model_copy(update={"per": per})
            table.doubts += [
                f"{name}: {per!r} says {text!r}, which is no number of pieces: say in values how many it is, "
                "1 if goods are sold by it."
                for text in [text for text, pieces in said.items() if pieces is None][:FEW]
            ]
    if "cost" in table.rules and "price" not in table.rules:
        table.doubts.append(
            f"cost: {per!r} makes it that of one piece. A cost is of what one price buys: take per out where prices "
            "are kept by the hundred or the thousand."
        )


def _question_amounts(table: GuessedTable, name: str) -> None:
    """Names the columns that may be the price ``name`` as well as the one that is taken."""
    taken = table.rules[name].columns[0] if name in table.rules else "none"
    meant, unread = set(AMOUNTS) if name == "price" else {"price"}, table.unread
    amounts = [
        column
        for column in table.header.names
        if (column == taken or column in unread) and table.meant(column).keys() & meant and not quantity_from(column)
    ]
    if set(amounts) - {taken}:
        table.doubts.append(f"{name}: {', '.join(map(repr, amounts))} are amounts; {taken!r} is taken.")


def question_totals(table: GuessedTable) -> None:
    """Asks whether the only amount of lines is that of the whole line, and that of quotes one of a line."""
    number, total = (table.rules.get(name) for name in ("quote_number", "total_price"))
    if table.kind.name == "past_quotes" and number and total:
        said = {tuple(text_of(row.cells.get(one.columns[0])) for one in (number, total)) for row in table.rows}
        quotes = [quote for quote, amount in said if quote and amount]
        if len(quotes) > len(set(quotes)):
            table.doubts.append("total_price: differs between rows of one quote. Lines have their kind, line_items.")
    if "extended_price" in table.rules and not table.rules.keys() & {"unit_price", "list_price"}:
        table.doubts.append(
            f"extended_price: {table.rules['extended_price'].columns[0]!r} is taken as the amount of the whole line, "
            "so that unit prices are it divided by the quantity; if it is what one piece costs, call it unit_price."
        )


def take_currencies(table: GuessedTable) -> None:
    """Takes a currency that no column says from a header, cells or a title; prices are in their book's, to which the
    load holds the one that their header says.
    """
    titles = " ".join(text_of(cell) for row in table.sheet.rows[: table.header.skip] for cell in row)
    known, units = table.rules.keys() | table.constants.keys(), table.attributes.units
    left = [column for column in table.unread if "currency" in table.meant(column) and table.texts(column)]
    for column in left if "currency" in table.wanted.keys() - known else ():
        strange = [each for each in table.texts(column) if not currency_named(each, units)]
        if not table.is_of_figures(column):
            table.doubts.append(
                f"currency: {column!r} says {', '.join(map(repr, strange[:FEW]))}, which is no currency that is "
                "known, and is left out: set currency from it, with the code of each in values."
            )
    for name, priced in OF_MONEY.items():
        columns = [table.rules[each].columns[0] for each in priced if each in table.rules]
        if name not in table.types or name in known or not columns:
            continue
        if any(map(currency_of, table.texts(columns[0]))):
            table.take(name, columns[0])
        else:
            labels = (*(bare(each, units)[1] for each in columns), titles)
            if said := next(filter(None, (currency_of(label, units=units) for label in labels)), None):
                table.constants[name] = said
    is_priced = table.kind.name == "prices" and "price" in table.rules and "currency" not in known
    if not is_priced:
        return
    column, own = table.rules["price"].columns[0], table.attributes.currency
    if code := currency_of(column, is_sure=True):
        table.constants["currency"] = code
    elif own and (code := currency_of(column, units=units)) not in (own, None):
        table.doubts.append(
            f"currency: {column!r} may be in {code}, and prices are in their book's where nothing else is said: "
            f"set currency to {code} in constants if it is in that."
        )
