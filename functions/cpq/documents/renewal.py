"""What a renewal changes: the agreement before and the quote now, product by product."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from psycopg.rows import DictRow

from cpq.documents.content import Compared, Renewal
from cpq.documents.heading import heading

TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """All lines of one product; ``price`` is None where they differ in it."""

    name: str
    sku: str
    quantity: int
    price: Decimal | None
    amount: Decimal


def renewal(
    before: DictRow, before_lines: Sequence[DictRow], *, now: DictRow, now_lines: Sequence[DictRow]
) -> Renewal:
    comparable = before["currency"] == now["currency"]
    change = now["total"] - before["total"] if comparable else None
    return Renewal(
        heading=heading(before),
        total=before["total"],
        change=change,
        change_pct=(100 * change / before["total"]).quantize(TENTH) if change and before["total"] else None,
        lines=_compared(_sides(before_lines), _sides(now_lines), comparable=comparable),
    )


def _sides(lines: Iterable[DictRow]) -> dict[str, _Side]:
    """By product, in the order of the quote."""
    sides: dict[str, _Side] = {}
    for line in lines:
        known = sides.get(line["product_id"])
        sides[line["product_id"]] = _Side(
            name=line["product_name"],
            sku=line["sku"],
            quantity=line["quantity"] + (known.quantity if known else 0),
            price=line["unit_price"] if known is None or known.price == line["unit_price"] else None,
            amount=line["line_total"] + (known.amount if known else 0),
        )
    return sides


def _compared(before: dict[str, _Side], now: dict[str, _Side], *, comparable: bool) -> list[Compared]:
    """The products of today's quote first, then those that end."""
    found = []
    for product_id in [*now, *(product_id for product_id in before if product_id not in now)]:
        old, new = before.get(product_id), now.get(product_id)
        shown = new or before[product_id]
        change = (new.amount if new else 0) - (old.amount if old else 0)
        found.append(
            Compared(
                name=shown.name,
                sku=shown.sku,
                quantity_before=old.quantity if old else None,
                price_before=old.price if old else None,
                amount_before=old.amount if old else None,
                quantity=new.quantity if new else None,
                price=new.price if new else None,
                amount=new.amount if new else None,
                change=Decimal(change) if comparable else None,
            )
        )
    return found
