"""What an item asks of one kind of rows and of one tenant: its makers, models and flows as they are there."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from quarry.retrieval.names_here import Known
from quarry.understanding.extremes import EXTREMES
from quarry.understanding.heads import AUXILIARY
from quarry.understanding.implied import OF_COMPRESSORS, as_variant, compared
from quarry.understanding.needs import Item, Need
from quarry.understanding.text import STEM, fold, key_of
from quarry.understanding.units import shown

LETTERS = re.compile(r"[a-z]{2,}(?=\d)")
"""How the key of a model begins."""
OF_A_COMPRESSOR = frozenset(("hp", "cfm", "psi", "lubrication"))
TELLING_A_FAMILY = frozenset(
    ["family", "model", "inhg", "dewpoint_f", "gallons", "dryer_kind", "filter_kind", "accessory_kind", "service"]
)
QUOTE_LEVEL = frozenset(
    [
        "outcome", "competitor", "reason", "date", "industry", "customer", "salesperson", "contact", "price", "use",
        "currency", "country", "quote_number", "discount", "reference", "name",
    ]
)  # fmt: skip
"""Needs that a past quote answers itself; what was sold answers the others."""
OF_QUOTES_ALONE = frozenset(("date", "outcome", "reason", "competitor"))
"""What no product of a catalogue has."""
OF_LINES_ALONE = frozenset(("visits", "years", "optional"))
"""What only a line of a quote tells."""
FAMILY_OF_USE: Mapping[str, str] = {"aeration": "blower", "hold-down": "vacuum_pump"}
"""What a use is sold, where the request does not say."""


def of_one_quote(items: Sequence[Item]) -> list[Item]:
    """The items, each with what is asked of the quote itself, wherever that was said."""
    own = {need.shown: need for item in items for need in item.needs if need.attribute in QUOTE_LEVEL | EXTREMES}
    sold = [tuple(need for need in item.needs if need.attribute not in QUOTE_LEVEL | EXTREMES) for item in items]
    return [replace(item, needs=(*own.values(), *needs)) for item, needs in zip(items, sold, strict=True)]


def of_a_line(item: Item) -> Item:
    """The item without why an order was lost, where nothing else is said of how it ended: no line tells that. Work
    that is asked for stands in a line of its own.
    """
    work = item.need("service")
    if work is not None and work.operator == "one_of" and not item.families and item.need("model") is None:
        item = replace(item, needs=(*item.needs, _family(frozenset({"service"}), by=work)))
    ended = any(need.attribute in ("outcome", "competitor") for need in item.needs)
    return item if ended else replace(item, needs=tuple(need for need in item.needs if need.attribute != "reason"))


def of_the_catalogue(item: Item) -> Item:
    needs = tuple(need for need in item.needs if need.attribute not in OF_QUOTES_ALONE)
    used = next((need for need in needs if need.attribute == "use" and need.values & FAMILY_OF_USE.keys()), None)
    if used is not None and not TELLING_A_FAMILY & {need.attribute for need in needs}:
        family = FAMILY_OF_USE[min(used.values & FAMILY_OF_USE.keys())]
        needs = (*needs, replace(_family(frozenset({family}), by=used), implied_by=None))
    return replace(item, needs=needs)


def as_asked(item: Item, *, known: Known) -> Item:
    """The item without what only names its surroundings, and with the family that its quantities imply.

    A dryer "behind a ZT75" is a dryer: a model of another family than the one asked for is none that is wanted.
    Pressure, power and lubrication without a word for the machine are a compressor's.
    """
    meant = as_variant(item, names=known.names.models)
    item = _of_its_attributes(compared(meant, known.models), known=known)
    item = _without_a_strange_power(
        replace(item, needs=tuple(_as_here(need, known=known) for need in item.needs)), known=known
    )
    if item.families:
        item = _of_the_part(item, known=known)
        item = _of_the_served(item, known=known)
        needs = tuple(
            need
            for need in item.needs
            if need.attribute != "model"
            or not need.values
            or any(known.family(value) in ("", *item.families) for value in need.values)
        )
        return replace(item, needs=needs)
    attributes = {need.attribute: need for need in item.needs if need.operator != "none_of"}
    telling = next((need for name, need in attributes.items() if name in OF_A_COMPRESSOR), None)
    maker = item.need("manufacturer")
    made = {family for value in maker.values for family in known.made_by.get(value, ())} if maker else set()
    if (
        telling is not None
        and not attributes.keys() & TELLING_A_FAMILY
        and not any(need.attribute == "compression" and not need.values & OF_COMPRESSORS for need in item.needs)
        and (not made or "compressor" in made)
    ):
        return replace(item, needs=(*item.needs, _family(frozenset({"compressor"}), by=telling)))
    return item


def _without_a_strange_power(item: Item, *, known: Known) -> Item:
    """The item without the power that the name of a model seems to tell, where its maker, or models that are called
    alike, are of other things here: KC-75HL is no compressor among the dryers KC-75R and KC-150R.
    """
    if not any(need.implied_by == "name" for need in item.needs):
        return item
    made = {
        family
        for need in item.needs
        if need.attribute == "manufacturer"
        for value in need.values
        for family in known.made_by.get(value, ())
    }
    starts = {
        start[0]
        for need in item.needs
        if need.attribute == "model"
        for value in need.values
        if (start := LETTERS.match(key_of(value)))
    }
    alike = {
        row.family
        for key, row in known.models.items()
        if (start := LETTERS.match(key)) is not None and start[0] in starts
    }
    if not any(families and "compressor" not in families for families in (made, alike)):
        return item
    return replace(item, needs=tuple(need for need in item.needs if need.implied_by != "name"))


def _of_the_part(item: Item, *, known: Known) -> Item:
    """The item without the machine for which a part is named: "SAM 4.0-16, how many compressors can it take"."""
    model, family = item.need("model"), item.need("family")
    families = {known.family(value) for value in model.values} if model is not None and not model.absent else set()
    if model is None or family is None or not families or not families <= AUXILIARY or family.values & AUXILIARY:
        return item
    return replace(item, needs=tuple(need for need in item.needs if need is not family))


def _of_the_served(item: Item, *, known: Known) -> Item:
    """The item with the flow of the model that it serves, as the catalogue has it, where it says none itself."""
    named = (
        [known.models[key] for key in map(key_of, item.served.values) if key in known.models] if item.served else []
    )
    flow = item.need("cfm")
    if item.served is None or len(named) != 1 or not named[0].flow or named[0].family in item.families:
        return item
    if flow is not None and not flow.implied_by:
        return item
    value = named[0].flow * (item.served.machines or 1)
    told = f"{shown('cfm', 'about', value, value)}, of {item.served.shown}"
    passing = replace(item.served, attribute="cfm", operator="about", low=value, high=value, values=frozenset(),
                      machines=None, hard=False, shown=told)  # fmt: skip
    return replace(item, needs=(*(need for need in item.needs if need is not flow), passing))


def _as_here(need: Need, *, known: Known) -> Need:
    """An amount is in the tenant's currency unless it says another, and a trade is also what the tenant calls so."""
    if (
        need.attribute == "price"
        and need.operator not in ("one_of", "none_of")
        and not need.values
        and known.currency
    ):
        return replace(need, values=frozenset({known.currency}), shown=f"{need.shown} {known.currency}")
    if need.attribute == "industry":
        typed = {word[:STEM] for word in fold(need.words).split()}
        return replace(need, values=need.values | {trade for trade in known.trades if fold(trade)[:STEM] in typed})
    return need


def _of_its_attributes(item: Item, *, known: Known) -> Item:
    """The item with the families of the tenant's own attributes that it names, where it names no family."""
    own = {attribute.name: attribute.families for attribute in known.own.attributes if attribute.families}
    telling = [need for need in item.needs if need.attribute in own]
    if item.families or not telling or item.need("model") is not None:
        return item
    families: frozenset[str] = frozenset().union(*(own[need.attribute] for need in telling))
    return replace(item, needs=(*item.needs, _family(families, by=telling[0])))


def _family(families: frozenset[str], *, by: Need) -> Need:
    told = " or ".join(sorted(families)).replace("_", " ")
    return Need("family", "one_of", values=families, words=by.words, shown=told, start=by.start,
                implied_by="attribute")  # fmt: skip
