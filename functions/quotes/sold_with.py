"""What goods of some families were sold with: services and accessories of the quotes that had them, with prices."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from psycopg.rows import DictRow

from quarry.data import database
from quarry.money import with_code
from quarry.precedents import references
from quarry.precedents import sold_with as precedents
from quarry.precedents.list_prices import list_entries, list_on, price_for
from quarry.precedents.sales import Market
from quarry.retrieval.tables import Cells, Table

MOST_REFERENCES = 8
MOST_SERVICES = 30


def sold_with(
    tenant: str, families: Collection[str], *, industries: Collection[str], currency: str | None
) -> tuple[Table, list[DictRow]]:
    """(what went with such goods, the customers who may be named to another)."""
    named = references.parameters(industries=industries, families=families, currency=currency, most=MOST_REFERENCES)
    asked = precedents.parameters(tenant, families, currency=currency)
    rows, may_be_named = database.fetch_each(tenant, [(precedents.SOLD_WITH, asked), (references.REFERENCES, named)])
    columns = ["what", "family", "quotes", "price each", "newest line", "product_id"]
    return Table(columns=columns, rows=[_cells(row) for row in rows], total=len(rows)), may_be_named


def services(tenant: str, *, currency: str | None, market: Market | None) -> Table | None:
    """What the house sells beside goods, with today's list price; None without a currency or without any."""
    if currency is None:
        return None
    of_each: dict[str, list[DictRow]] = {}
    for entry in list_entries(tenant, (), services=True):
        of_each.setdefault(entry["product_id"], []).append(entry)
    today = datetime.now(UTC).date()
    rows = []
    for entries in of_each.values():
        if market is None:
            price = list_on(entries, currency, today, of_a_term=True)
        else:
            price = price_for(
                entries, currency, today, segment=market.segment, country=market.country, of_a_term=True
            )
        if price is not None:
            unit = "" if entries[0]["unit"] == "per_unit" else f" {entries[0]['unit'].replace('_', ' ')}"
            rows.append([entries[0]["sku"], entries[0]["name"], price.shown(currency) + unit])
    if not rows:
        return None
    shown = [Cells(row) for row in sorted(rows)[:MOST_SERVICES]]
    return Table(columns=["sku", "service", "list price"], rows=shown, total=len(rows))


def _cells(row: Mapping[str, Any]) -> Cells:
    ends = dict.fromkeys(with_code(row[end], row["currency"]) for end in ("low", "high") if row[end] is not None)
    share = f"{row['quotes']} of {row['of_quotes']}"
    return Cells([row["what"], row["family"], share, " to ".join(ends), row["newest"], row["product_id"] or ""])
