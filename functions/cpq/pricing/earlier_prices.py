"""What the same products were sold or quoted for before: to this customer, and the newest to anybody."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from psycopg.sql import SQL
from pydantic import Field

from cpq.pricing.arithmetic import as_precise
from cpq.pricing.books import Account, periods
from cpq.pricing.engine import Priced, PricedLine
from quarry.attributes.units import Units, shipped
from quarry.data.database import Connection
from quarry.money import Money, in_currency, with_code, written
from quarry.precedents.list_prices import buys, in_words, times
from quarry.tool.contract import Part

QUOTED = SQL("""
    SELECT l.product_id, l.quote_id AS source, v.priced_at::date AS day, q.account_id = %(account_id)s AS own,
        l.line_total, l.quantity, l.unit, l.unit_price, v.term_months
    FROM cpq.quote_lines l
    JOIN cpq.quote_versions v ON v.tenant = l.tenant AND v.quote_id = l.quote_id AND v.version = l.version
    JOIN cpq.quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
    WHERE l.tenant = quarry.current_tenant() AND l.product_id = ANY(%(product_ids)s) AND l.quote_id <> %(quote_id)s
        AND v.currency = %(currency)s AND v.status IN ('approved', 'sent')
""")
ARCHIVED = SQL("""
    SELECT p.id AS product_id, q.quote_number AS source, q.quote_date AS day,
        d.unit, d.unit_price,
        CASE WHEN round(d.extended_price / d.quantity, 4) = d.unit_price
            THEN d.extended_price / d.quantity END AS exact,
        q.company_key = (SELECT search.company_key(%(account_name)s)) AS own
    FROM cpq.products p
    JOIN quotes.line_items d ON d.tenant = p.tenant AND d.model_key = p.model_key
        AND search.name_key(d.manufacturer) = search.name_key(p.manufacturer)
    JOIN quotes.past_quotes q ON q.tenant = d.tenant AND q.id = d.quote_id
    WHERE p.tenant = quarry.current_tenant() AND p.id = ANY(%(product_ids)s) AND q.status = 'won' AND NOT d.optional
        AND d.currency = %(currency)s AND d.unit_price > 0
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierPrice:
    """What one unit was ``sold`` for per period, or quoted without an order; ``own`` says that it was to this
    quote's customer. ``unit`` is what that price buys, as per_hour, or what a line of the archive counts, read by
    the house's ``units``.
    """

    product_id: str
    source: str
    day: date
    price: Decimal
    unit: str | None
    own: bool
    sold: bool = True
    units: Units = field(default_factory=shipped)
    exact: Decimal | None = None
    """The price with more digits than the archive keeps, of which a thousand takes them."""

    def counted_as(self, unit: str, *, currency: str) -> "EarlierPrice | None":
        """Returns the price of as much as a price in ``unit`` buys; None where it buys something else."""
        count = Fraction(1) if unit == self.unit else buys(unit, self.unit, units=self.units)
        if count is None:
            return None
        one = self.exact if self.exact and count != 1 else self.price
        return replace(self, unit=unit, price=times(one, count, currency))


class PriceNote(Part):
    """A line's net price that is under an earlier one, or above what this customer had."""

    line_id: str = Field(description="Line.")
    under: Literal["own_price", "newest_sale"] | None = Field(
        default=None,
        description="own_price: what this customer had last; newest_sale: what anybody did; null: it is above it.",
    )
    price: Money = Field(description="Net price of one unit now.")
    earlier: Money = Field(description="Then.")
    source: str = Field(description="Quote it was sold or quoted with.")
    sold_on: date = Field(description="When.")
    description: str = Field(description="The same in words.")


def of_products(
    connection: Connection, priced: Priced, *, account: Account, quote_id: str, units: Units
) -> list[EarlierPrice]:
    """Returns what the products were sold for before, in the currency of the quote, which is left out itself."""
    currency = priced.order.currency
    named = {
        "product_ids": list({line.item.product_id for line in priced.lines}),
        "account_id": account.id,
        "account_name": account.name,
        "currency": currency,
        "quote_id": quote_id,
    }
    quoted = [
        EarlierPrice(
            price=as_precise(
                Fraction(row["line_total"])
                / Fraction(row["quantity"])
                / periods(row["unit"], term_months=row["term_months"]),
                row["unit_price"],
                currency=currency,
            ),
            sold=False,
            units=units,
            **{name: row[name] for name in ("product_id", "source", "day", "unit", "own")},
        )
        for row in connection.execute(QUOTED, named)
    ]
    archived = [
        EarlierPrice(price=in_currency(row.pop("unit_price"), currency), units=units, **row)
        for row in connection.execute(ARCHIVED, named)
    ]
    return quoted + archived


def notes(priced: Priced, earlier: Iterable[EarlierPrice]) -> list[PriceNote]:
    """Notes each line whose net price is not what this customer had last, or is under the newest to anybody."""
    sold = sorted(earlier, key=lambda sale: (sale.day, sale.source))
    return [note for line in priced.lines for note in _of_line(line, priced, sold)]


def _of_line(line: PricedLine, priced: Priced, sold: list[EarlierPrice]) -> Iterator[PriceNote]:
    of_product = (sale for sale in sold if sale.product_id == line.item.product_id)
    counted = (sale.counted_as(line.entry.unit, currency=priced.order.currency) for sale in of_product)
    same = [sale for sale in counted if sale is not None]
    own = next((sale for sale in reversed(same) if sale.own), None)
    newest = same[-1] if same else None
    net = Fraction(line.amounts.net) / Fraction(line.item.quantity) / line.periods
    price = as_precise(net, line.unit_price, currency=priced.order.currency)
    if own is not None and price != own.price:
        yield _note(line, priced, own, price=price, under="own_price" if price < own.price else None)
    if newest is not None and newest is not own and price < newest.price:
        yield _note(line, priced, newest, price=price, under="newest_sale")


def _note(
    line: PricedLine,
    priced: Priced,
    sale: EarlierPrice,
    *,
    price: Decimal,
    under: Literal["own_price", "newest_sale"] | None,
) -> PriceNote:
    currency = priced.order.currency
    who = "another customer" if under == "newest_sale" else "this customer"
    had = "paid" if sale.sold else "was quoted"
    each = in_words(line.entry.unit) or " each"
    side = "under" if under else "above"
    return PriceNote(
        line_id=line.item.line_id,
        under=under,
        price=price,
        earlier=sale.price,
        source=sale.source,
        sold_on=sale.day,
        description=f"{line.item.product_name} ({line.item.line_id}): {with_code(price, currency)}{each} is {side} "
        f"the {written(sale.price, currency)} that {who} {had} on {sale.day} ({sale.source}).",
    )
