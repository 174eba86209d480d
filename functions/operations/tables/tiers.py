"""Turns prices from a quantity on, in columns or rows of their own, into the tiers of a product's price, and a matrix
of discounts, with a column for each segment, into a row for each; tells the currency beside an amount."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from operations.tables.attributes import unit_named
from operations.tables.cells import SHARED, Doubtful, Mark, Unreadable, currency_of, number
from operations.tables.mapping import FieldRule
from operations.tables.names import is_net_or_gross
from quarry.attributes.units import Units
from quarry.ingestion import Rejected, UnreadRecord

TIER = re.compile(r"tiers\.(\d{1,7})")
FROM_QUANTITY = "from_quantity"
"""A column that is no field of a price: each row of a product is then a tier, from that quantity on."""

SAY_WHICH = "say in the mapping's values which figure each such cell means"
OFF = "discount_pct"
"""Beside FROM_QUANTITY: what such a row takes off the price of one piece, in place of a price of its own."""

CURRENCY_OF = {
    **dict.fromkeys(("price", "list_price", "unit_price", "extended_price", "total_price"), "currency"),
    "cost": "cost_currency",
}
"""Fields of amounts, each with the field of its currency."""

AMOUNTS_OF = {"prices": ("price", "tiers"), "discounts": ("discount_pct",)}
"""By kind the fields of an amount without which a row says nothing: lists have goods that one book does not price."""


PLAIN = re.compile(r"[\d\s.,'’+-]*")
"""Matches what has nothing beside its figure."""


def currency_field(name: str) -> str:
    """Returns the field of the currency that a field's amount is in; "" where it has none."""
    return CURRENCY_OF.get("price" if TIER.fullmatch(name) else name, "")


def currency_beside(cell: str, *, units: Units, decimal: Mark | None) -> str | None:
    """Returns the currency that surely stands beside the amount of a cell. Raises Doubtful where three capitals name
    neither a currency nor a unit.
    """
    _, beside = number(cell, decimal=decimal)
    if beside not in SHARED and (unit := unit_named(beside.lstrip("/ "), units)):
        return unit.currency
    strange = re.search(r"(?<![^\W_])(?<!/)[A-Z]{3}(?![^\W_])", cell)
    if strange and not is_net_or_gross(strange[0]) and currency_of(beside.upper()) is None:
        raise Doubtful(f"has {strange[0]}, which is no currency and no unit: it is not stored; ingest it as units")
    return currency_of(beside.upper(), is_sure=True)


def counted(value: Decimal, beside: str, *, units: Units, is_percent: bool) -> Decimal:
    """Returns a figure as what stands beside it says: of one of a currency, or of many at once. Raises Unreadable for
    what is no unit, and for another unit than per cent where these are meant.
    """
    unit = unit_named(beside, units)
    if not (unit or currency_of(beside) or re.fullmatch(r"[a-zäöüñé./%-]{1,12}", beside)):
        raise Unreadable(f"is not a number: {beside!r} is no known unit or currency; {SAY_WHICH}")
    if unit and unit.symbol != "%" and is_percent:
        raise Unreadable(f"is in {beside}, and percentages are in %: {SAY_WHICH}")
    return value * Decimal(f"{unit.factor:.15g}") if unit and unit.currency else value


def for_as_many_pieces(rules: Mapping[str, FieldRule]) -> dict[str, FieldRule]:
    """Prices from a quantity on are for as many pieces as the price itself, unless they say for how many they are."""
    price = rules.get("price")
    if price is None or price.per is None:
        return dict(rules)
    return {
        name: rule.model_copy(update={"per": price.per, "values": price.values | rule.values})
        if TIER.fullmatch(name) and rule.per is None
        else rule
        for name, rule in rules.items()
    }


def is_off(name: str, *, said: str) -> bool:
    """Whether a field is a discount, a segment's or competitors' too, or a tier of which ``said`` is in per cent."""
    return name.partition(".")[0].endswith(OFF) or (TIER.fullmatch(name) is not None and "%" in said)


def tiered(values: dict[str, Any]) -> dict[str, Any]:
    """Turns prices from a quantity on, which stood in columns of their own, into the tiers of a price. One such as
    "5%" is what comes off the price of one piece. Raises Unreadable where there is none.
    """
    given = values.pop("tiers", None)
    if not isinstance(given, dict):
        return values if given is None else {**values, "tiers": given}
    starts = sorted((int(start), _less(values.get("price"), price)) for start, price in given.items())
    if starts[0][0] > 1 and "price" in values:
        starts = [(1, values["price"]), *starts]
    ends = [start - 1 for start, _ in starts[1:]] + [None]
    tiers = [{"min": start, "max": end, "price": price} for (start, price), end in zip(starts, ends, strict=True)]
    return {**values, "price": values.get("price", starts[0][1]), "tiers": tiers}


def _less(price: Any, said: Any) -> Any:
    """Takes a percentage off a price and rounds it half-up to what prices have: the digits of this one, at least two,
    and below one two more.
    """
    if not str(said).endswith("%"):
        return said
    try:
        whole, share = Decimal(str(price)), Decimal(str(said)[:-1])
    except InvalidOperation:
        raise Unreadable(f"is {said} off a price that the row does not have") from None
    if not 0 <= share <= 100:
        raise Unreadable(f"is {said}, and a discount is between 0% and 100%")
    own = -int(whole.normalize().as_tuple().exponent)
    digits = min(6, max(2, own) + (2 if whole < 1 else 0))
    return (whole * (100 - share) / 100).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def tiers_joined(rows: Iterable[UnreadRecord | Rejected]) -> Iterator[UnreadRecord | Rejected]:
    """Joins rows of prices that each hold from a quantity on into one row per product, with its tiers."""
    joined: dict[tuple[str, str], UnreadRecord] = {}
    tiers: dict[tuple[str, str], dict[str, object]] = {}
    for item in rows:
        if isinstance(item, Rejected) or not isinstance(item.value, dict):
            yield item
            continue
        start, off = item.value.pop(FROM_QUANTITY, None) or 1, item.value.pop(OFF, None)
        if start != int(start) or start < 1 or ("price" not in item.value and not off):
            yield _refused(item, "a price holds from a whole number of pieces on")
            continue
        key = (str(item.value.get("price_book_id", "")), str(item.value.get("product_id", "")))
        joined.setdefault(key, item)
        tiers.setdefault(key, {})[str(int(start))] = f"{off}%" if off else item.value["price"]
    for key, item in joined.items():
        prices = tiers[key]
        if "1" not in prices:
            least = min(prices, key=int)
            yield _refused(item, f"no row says the price of fewer than {least}")
            continue
        value = {**item.value, "price": prices["1"]}  # type: ignore[dict-item]  # a dict, as looked at above
        try:
            yield replace(item, value=value if len(prices) == 1 else tiered({**value, "tiers": prices}))
        except Unreadable as trouble:
            yield _refused(item, f"the price {trouble}")


def _refused(item: UnreadRecord, why: str) -> Rejected:
    return Rejected(item.line, f"{FROM_QUANTITY}: {why}", item.raw, place=item.places.get("", ""))


def of_each_segment(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the row itself, or one for each segment whose discount stood in a column of its own."""
    given = values.get("discount_pct")
    if not isinstance(given, dict):
        yield values
        return
    for segment, discount in given.items():
        yield {**values, "segment": segment, "discount_pct": discount}
