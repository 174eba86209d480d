"""Turns prices from a quantity on, in columns or rows of their own, into the tiers of a product's price."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from quarry.ingestion import Rejected, UnreadRecord

TIER = re.compile(r"tiers\.(\d{1,7})")
FROM_QUANTITY = "from_quantity"
"""A column that is no field of a price: each row of a product is then a tier, from that quantity on."""


def tiered(values: dict[str, Any]) -> dict[str, Any]:
    """Turns prices from a quantity on, which stood in columns of their own, into the tiers of a price."""
    given = values.pop("tiers", None)
    if not isinstance(given, dict):
        return values if given is None else {**values, "tiers": given}
    starts = sorted((int(start), price) for start, price in given.items())
    if starts[0][0] > 1 and "price" in values:
        starts = [(1, values["price"]), *starts]
    ends = [start - 1 for start, _ in starts[1:]] + [None]
    tiers = [{"min": start, "max": end, "price": price} for (start, price), end in zip(starts, ends, strict=True)]
    return {**values, "price": values.get("price", starts[0][1]), "tiers": tiers}


def tiers_joined(rows: Iterable[UnreadRecord | Rejected]) -> Iterator[UnreadRecord | Rejected]:
    """Joins rows of prices that each hold from a quantity on into one row per product, with its tiers."""
    joined: dict[tuple[str, str], UnreadRecord] = {}
    tiers: dict[tuple[str, str], dict[str, object]] = {}
    for item in rows:
        if isinstance(item, Rejected) or not isinstance(item.value, dict):
            yield item
            continue
        start = item.value.pop(FROM_QUANTITY, None) or 1
        if start != int(start) or start < 1 or "price" not in item.value:
            yield Rejected(item.line, f"{FROM_QUANTITY}: a price holds from a whole number of pieces on", item.raw)
            continue
        key = (str(item.value.get("price_book_id", "")), str(item.value.get("product_id", "")))
        joined.setdefault(key, item)
        tiers.setdefault(key, {})[str(int(start))] = item.value["price"]
    for key, item in joined.items():
        prices = tiers[key]
        if "1" not in prices:
            least = min(prices, key=int)
            yield Rejected(item.line, f"{FROM_QUANTITY}: no row says the price of fewer than {least}", item.raw)
            continue
        first = prices["1"]
        value = {**item.value, "price": first}  # type: ignore[dict-item]  # a dict, as looked at above
        yield replace(item, value=value if len(prices) == 1 else tiered({**value, "tiers": prices}))
