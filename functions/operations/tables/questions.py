"""Says of a guess what whoever reviews it should look at: headings that may mean something else, and amounts."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from operations.tables.mapping import FieldRule
from operations.tables.names import AMOUNTS, Spoken, concepts_of, counts_columns, quantity_from, unsettled, with_tax
from operations.tables.tiers import TIER

TAXED = frozenset((*AMOUNTS, "total_price", "extended_price"))
"""The fields of amounts that are before tax."""

FEW = 5
"""At most this many words of a column are asked for."""

Rules = Mapping[str, FieldRule]
Wanted = dict[str, list[str]]
"""By field the concepts that its column may have, the likeliest first."""


def of_headings(rules: Rules, wanted: Wanted, languages: Spoken) -> Iterator[str]:
    """Tells which headings mean something else in another language, and which do not say what their field needs."""
    fields_of = {concept: name for name, concepts in reversed(wanted.items()) for concept in concepts[:1]}
    for name, [column, *_] in ((name, rule.columns) for name, rule in rules.items() if rule.columns):
        others = {
            fields_of[concept]: ", ".join(sorted(spoken))
            for concept, spoken in unsettled(column, languages).items()
            if concept in fields_of and concept not in wanted.get(name, ())
        }
        for other, spoken in others.items():
            yield f"{name}: {column!r} is taken; in another language ({spoken}) it is {other}."
        if name == "id" and "name" in rules and rules["name"].columns == (column,):
            yield f"{name}: {column!r} is taken, the name, for no column numbers them."
        if name == "manufacturer" and "supplier" in concepts_of(column, languages):
            yield f"{name}: {column!r} names suppliers, and no column who made the goods."
        if name in TAXED and with_tax(column):
            yield f"{name}: {column!r} has tax in it; they are stored as those before tax: per = 1.2 takes 20 % out."


def of_alike(
    rules: Rules, wanted: Wanted, unread: Sequence[str], languages: Spoken, *, agrees: Callable[[str, str], bool]
) -> Iterator[str]:
    """Names the columns that no field reads and whose whole names mean the same as those that are taken, and those of
    which fields of different meanings are read.
    """
    at = list(rules)
    for name, rule in rules.items():
        if not rule.columns or name in (*AMOUNTS, "unit_price"):
            continue
        own = concepts_of(rule.columns[0], languages)
        meant = [concept for concept in wanted.get(name, ()) if own.get(concept) == 1.0]
        alike = [
            column
            for column in unread
            if any(concepts_of(column, languages).get(concept) == 1.0 for concept in meant) and agrees(name, column)
        ]
        if alike:
            yield f"{name}: {rule.columns[0]!r} is taken; so may be {', '.join(map(repr, alike))}."
        for other in at[at.index(name) + 1 :]:
            concepts = {one for one in wanted.get(other, ()) if own.get(one) == 1.0}
            if rules[other].columns == rule.columns and meant and concepts and concepts.isdisjoint(wanted[name]):
                yield f"{name}: {rule.columns[0]!r} is taken, for {other} too; keep the one that is meant."


def of_amounts(
    name: str, rules: Rules, columns: Sequence[str], unread: Sequence[str], languages: Spoken
) -> list[str]:
    """Names the columns that may be the price ``name`` as well as the one that is taken."""
    taken = rules[name].columns[0] if name in rules else "none"
    meant = set(AMOUNTS) if name == "price" else {"price"}
    amounts = [
        column
        for column in columns
        if (column == taken or column in unread)
        and concepts_of(column, languages).keys() & meant
        and not quantity_from(column)
    ]
    if not set(amounts) - {taken}:
        return []
    return [f"{name}: {', '.join(map(repr, amounts))} are amounts; {taken!r} is taken."]


def of_totals(rules: Rules) -> Iterator[str]:
    """Asks whether the only amount of lines is that of the whole line."""
    if "extended_price" in rules and not rules.keys() & {"unit_price", "list_price"}:
        yield (
            f"extended_price: {rules['extended_price'].columns[0]!r} is taken as the amount of the whole line, so "
            "that unit prices are it divided by the quantity; if it is what one piece costs, call it unit_price."
        )


def of_tiers(rules: Rules) -> Iterator[str]:
    """Tells which prices from a quantity on have none but the small number that ends their heading."""
    for name, rule in rules.items():
        if TIER.fullmatch(name) and rule.at is None and counts_columns(rule.columns[0]):
            yield (
                f"{name}: {rule.columns[0]!r} is taken as the price from that many pieces on; if the number only "
                "tells it from other prices, say with at which column has the quantity, or take it out."
            )


def of_pieces(name: str, per: str, words: Sequence[str]) -> list[str]:
    """Asks what the words of a column mean that says for how many pieces an amount is."""
    return [
        f"{name}: {per!r} says {text!r}, which is no number of pieces: say in values how many it is, "
        "1 if goods are sold by it."
        for text in words[:FEW]
    ]
