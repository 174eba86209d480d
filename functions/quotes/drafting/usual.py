"""What usually goes with what is asked for: services of quotes that sold the like, lead times of what is offered."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quarry.money import written
from quarry.precedents.line_parts import line_text
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.retrieval.part_numbers import model_key
from quotes.drafting import queries
from quotes.drafting.queries import Size

MOST_SERVICES = 5
MOST_LEAD_TIMES = 6


def sizes_of(tenant: str, texts: Iterable[str]) -> list[Size]:
    """The kinds and sizes of things that the texts ask for."""
    found: dict[Size, None] = {}
    for text in texts:
        request = requests.read(PRODUCTS, text, tenant=tenant).request
        for item in request.items if request else ():
            power = item.need("hp")
            hp = None if power is None else power.low if power.low is not None else power.high
            found |= {Size(family, hp): None for family in sorted(item.families - {"service"})}
    return list(found)


def quoted(tenant: str, sizes: Sequence[Size], *, models: Iterable[str]) -> tuple[list[str], list[str]]:
    """(services, lead times of the models) as sentences that name their quotes."""
    if not sizes:
        return [], []
    services, lines = queries.with_the_like(tenant, sizes, keys=[model_key(model) for model in models])
    by_category: dict[str, Mapping[str, Any]] = {}
    for row in services:  # a category that is sold in several currencies is told in its commonest
        by_category.setdefault(row["category"], row)
    return [_service(row) for row in by_category.values()][:MOST_SERVICES], lead_times(lines)


def _service(row: Mapping[str, Any]) -> str:
    said = f"{row['category']}: in {row['quotes']} of {row['of_quotes']} quotes"
    if row["low"] is not None:
        prices = " to ".join(dict.fromkeys(written(row[end], row["currency"]) for end in ("low", "high")))
        said += f", {prices} {row['currency']}"
    return f"{said}; newest {row['newest']}"


def lead_times(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """The newest of each model."""
    found: dict[str, str] = {}
    for line in lines:
        weeks = line_text(line["description"]).delivery_weeks
        if weeks is not None:
            name = " ".join(filter(None, (line["manufacturer"], line["model"])))
            source = f"{line['quote_number']}/{line['position']}, {line['quote_date']}"
            found.setdefault(model_key(line["model"]), f"{name}: {weeks} weeks ({source})")
    return list(found.values())[:MOST_LEAD_TIMES]
