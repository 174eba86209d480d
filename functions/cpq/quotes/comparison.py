"""What differs between two versions of a quote, or two quotes: lines, money, terms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from pydantic import Field

from cpq.model import Percent, QuoteLine
from cpq.quotes.queries import WholeQuote
from quarry.money import Money
from quarry.tool.contract import Part

TERMS = (
    "account_id", "currency", "term_months", "start_date", "end_date", "billing_frequency", "payment_terms",
    "valid_until", "deal_id", "status",
)  # fmt: skip
MONEY = ("subtotal", "discount_total", "tax_total", "total")
OF_A_LINE = ("quantity", "unit_price", "discount_pct", "discount_amount", "line_total", "attributes", "notes")


class Difference(Part):
    field: str = Field(description="What differs.")
    before: str | None = Field(description="In the first.")
    after: str | None = Field(description="In the second.")


class AmountChange(Part):
    field: str = Field(description="Amount.")
    before: Money | None = Field(description="Null until priced.")
    after: Money | None = Field(description="Null until priced.")
    change: Money | None = Field(description="After less before; null across currencies.")
    change_pct: Percent | None = Field(description="The same in percent.")


class LineDifference(Part):
    change: Literal["added", "removed", "changed"] = Field(description="What happened.")
    product_id: str = Field(description="Product.")
    product_name: str = Field(description="Its name.")
    line_before: str | None = Field(description="Line id before.")
    line_after: str | None = Field(description="Line id after.")
    differences: list[Difference] = Field(description="Field by field.")
    line_total_change: Money | None = Field(description="Net; null until both are priced, or across currencies.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    money: list[AmountChange]
    terms: list[Difference]
    lines: list[LineDifference]
    same_lines: int


def compare(before: WholeQuote, after: WholeQuote) -> Comparison:
    same_currency = before.header.currency == after.header.currency
    pairs = list(matched(before.lines, after.lines))
    lines = [found for pair in pairs if (found := _line_difference(*pair, same_currency=same_currency))]
    return Comparison(
        money=list(_money(before, after, same_currency=same_currency)),
        terms=list(_differences(before.header, after.header, TERMS)),
        lines=lines,
        same_lines=len(pairs) - len(lines),
    )


def matched(
    before: Sequence[QuoteLine], after: Sequence[QuoteLine]
) -> Iterator[tuple[QuoteLine | None, QuoteLine | None]]:
    """Pairs lines of the same product: first those with the same configuration and quantity, then in their order.

    Line ids are not compared: a revision numbers its lines anew.
    """
    left = list(before)
    partners: dict[str, QuoteLine] = {}
    for alike in (_same_configuration, _same_product):
        for line in after:
            if line.id not in partners and (found := next((one for one in left if alike(one, line)), None)):
                partners[line.id] = found
                left.remove(found)
    yield from ((partners.get(line.id), line) for line in after)
    yield from ((line, None) for line in left)


def _same_configuration(one: QuoteLine, other: QuoteLine) -> bool:
    return _same_product(one, other) and one.attributes == other.attributes and one.quantity == other.quantity


def _same_product(one: QuoteLine, other: QuoteLine) -> bool:
    return one.product_id == other.product_id


def _line_difference(
    before: QuoteLine | None, after: QuoteLine | None, *, same_currency: bool
) -> LineDifference | None:
    differences = list(_differences(before, after, OF_A_LINE))
    known = after or before
    if known is None or not differences:
        return None
    totals = [Decimal(0) if line is None else line.line_total for line in (before, after)]
    change = None if not same_currency or None in totals else _less(totals[1], totals[0])
    return LineDifference(
        change="added" if before is None else "removed" if after is None else "changed",
        product_id=known.product_id,
        product_name=known.product_name,
        line_before=before.id if before else None,
        line_after=after.id if after else None,
        differences=differences,
        line_total_change=change,
    )


def _money(before: WholeQuote, after: WholeQuote, *, same_currency: bool) -> Iterator[AmountChange]:
    for name in MONEY:
        old, new = (getattr(quote.pricing, name, None) for quote in (before, after))
        if old == new and same_currency:
            continue
        change = _less(new, old) if same_currency else None
        yield AmountChange(
            field=name,
            before=old,
            after=new,
            change=change,
            change_pct=round(change * 100 / old, 2) if change is not None and old else None,
        )


def _less(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one - other


def _differences(before: Any, after: Any, names: Sequence[str]) -> Iterator[Difference]:
    for name in names:
        old, new = getattr(before, name, None), getattr(after, name, None)
        if old != new:
            yield Difference(field=name, before=_shown(old), after=_shown(new))


def _shown(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, dict):
        return ", ".join(f"{name}={value[name]}" for name in sorted(value))
    return format(value, "f") if isinstance(value, Decimal) else str(value)
