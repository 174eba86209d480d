"""What the models of a quote's lines were charged for before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from psycopg.sql import SQL

from cpq.model import QuoteVersion, VersionLine
from cpq.pricing.arithmetic import as_precise
from quarry.data import database
from quarry.precedents.list_prices import list_entries, recurring
from quarry.precedents.past_prices import of_models, with_lists
from quarry.precedents.price_history import PriceHistory
from quarry.text import model_key

MODELS = SQL("""
    SELECT id, manufacturer, model FROM cpq.products
    WHERE tenant = %(tenant)s AND id = ANY (%(product_ids)s) AND model IS NOT NULL
""")


@dataclass(frozen=True, slots=True)
class ModelPrices:
    model: str
    history: PriceHistory


def of_lines(
    tenant: str, version: QuoteVersion, lines: Sequence[VersionLine], *, today: date
) -> dict[str, ModelPrices]:
    """By line id, the history of its model in the quote's currency; only of lines that have one.

    What is charged by month or year has none: past quotes hold prices of goods.
    """
    goods = [line for line in lines if not recurring(line.unit)]
    asked = {"tenant": tenant, "product_ids": sorted({line.product_id for line in goods})}
    models = {row["id"]: (row["manufacturer"], row["model"]) for row in database.fetch(tenant, MODELS, asked)}
    past = of_models(tenant, set(models.values()), customer=version.account["name"])
    entries = list_entries(tenant, [model for _, model in models.values()])
    found = {}
    for line in goods:
        if line.product_id not in models:
            continue
        maker, model = models[line.product_id]
        own = [entry for entry in entries if entry["model_key"] == model_key(model)]
        net = Fraction(line.unit_price) * (100 - Fraction(line.effective_discount_pct)) / 100
        price = as_precise(net, line.unit_price, currency=version.currency)
        histories = with_lists(past[maker, model], entries=own, today=today, asked=price, currency=version.currency)
        if histories and histories[0].currency == version.currency:
            found[line.id] = ModelPrices(f"{maker} {model}", histories[0])
    return found
