"""What the goods of a quote's lines were charged for before, for the approval page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.attributes.model import values_of
from quarry.data import database
from quarry.money import minor_units
from quarry.needs.alike import comparable as needs_of
from quarry.precedents.comparable_goods import comparable
from quarry.precedents.list_prices import list_entries, recurring
from quarry.precedents.past_prices import of_models, with_lists
from quarry.precedents.price_history import PriceHistory
from quarry.retrieval.here import attributes_of
from quarry.text import model_key

PRODUCTS = SQL("""
    SELECT p.id, p.manufacturer, p.model, e.family, lower(e.category) AS category, e.attributes
    FROM cpq.products p
    LEFT JOIN equipment.products e ON e.tenant = p.tenant AND e.model_key = p.model_key
        AND e.manufacturer_key = search.name_key(p.manufacturer)
    WHERE p.tenant = %(tenant)s AND p.id = ANY (%(product_ids)s) AND p.model IS NOT NULL
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Charged:
    """A line of a quote: what one unit costs net, before tax."""

    line_id: str
    product_id: str
    unit_price: Decimal

    @classmethod
    def of(
        cls, *, line_id: str, product_id: str, unit: str, unit_price: Decimal, discount_pct: Decimal, currency: str
    ) -> "Charged | None":
        """None for what is charged by month or year: past quotes hold prices of goods."""
        if recurring(unit):
            return None
        net = unit_price * (100 - discount_pct) / 100
        digits = Decimal(1).scaleb(-minor_units(currency))
        return cls(line_id=line_id, product_id=product_id, unit_price=net.quantize(digits))


@dataclass(frozen=True, slots=True)
class Guidance:
    """``of`` says what the prices are of: a model, or goods described by their size."""

    of: str
    history: PriceHistory


def of_same_models(
    tenant: str, lines: Sequence[Charged], *, customer: str, currency: str, today: date
) -> dict[str, Guidance]:
    """By line id, the history in ``currency`` of each line's own model; lines without one are left out."""
    rows = _products(tenant, lines)
    models = {product: (row["manufacturer"], row["model"]) for product, row in rows.items()}
    past = of_models(tenant, set(models.values()), customer=customer)
    entries = list_entries(tenant, [model for _, model in models.values()])
    found = {}
    for line in lines:
        if line.product_id not in models:
            continue
        maker, model = models[line.product_id]
        own = [entry for entry in entries if entry["model_key"] == model_key(model)]
        histories = with_lists(past[maker, model], entries=own, today=today, asked=line.unit_price, currency=currency)
        if histories and histories[0].currency == currency:
            found[line.line_id] = Guidance(f"{maker} {model}", histories[0])
    return found


def of_comparable_goods(
    tenant: str, lines: Sequence[Charged], *, customer: str, currency: str, today: date
) -> dict[str, Guidance]:
    """By line id, the history in ``currency`` of goods of the same family and first figure, whatever their model.

    Raises Unavailable when embeddings are down and no word matches.
    """
    attributes = attributes_of(tenant)
    rows = _products(tenant, lines)
    found = {}
    for line in lines:
        row = rows.get(line.product_id)
        if row is None or row["family"] is None:
            continue
        needs = needs_of(row["family"], values_of(row["attributes"]), attributes=attributes)
        if not needs:
            continue
        prices = comparable(tenant, None, needs=needs, customer=customer).prices
        histories = with_lists(prices, entries=[], today=today, asked=line.unit_price, currency=currency)
        if histories and histories[0].currency == currency:
            told = ", ".join(need.asked for need in needs[1:])
            found[line.line_id] = Guidance(f"{row['category']}, {told}", histories[0])
    return found


def _products(tenant: str, lines: Sequence[Charged]) -> dict[str, DictRow]:
    ids = sorted({line.product_id for line in lines})
    rows = database.fetch(tenant, PRODUCTS, {"tenant": tenant, "product_ids": ids})
    return {row["id"]: row for row in rows}
