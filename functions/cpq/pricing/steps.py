"""A priced line told step by step, as somebody would check it with a pocket calculator."""

from fractions import Fraction

from cpq.pricing.engine import Order, PricedLine
from cpq.pricing.percent import shown


def steps(line: PricedLine, order: Order) -> list[str]:
    return [_list_price(line), *_tier(line), _gross(line, order), *_discount(line, order), _tax(line, order)]


def _list_price(line: PricedLine) -> str:
    unit = line.entry.unit.replace("_", " ")
    return f"{line.book.name}, version {line.entry.version}: {line.entry.price:f} {line.book.currency} {unit}."


def _tier(line: PricedLine) -> list[str]:
    if line.tier is None:
        return [f"Quantity {line.item.quantity} is in no volume tier."] if line.entry.tiers else []
    reach = f"{line.tier.min} and more" if line.tier.max is None else f"{line.tier.min} to {line.tier.max}"
    return [f"Quantity {line.item.quantity} is in the tier {reach}: {line.tier.price:f} for every unit."]


def _gross(line: PricedLine, order: Order) -> str:
    factors = [str(line.item.quantity), f"{line.unit_price:f}"]
    if line.entry.unit.endswith("_per_month"):
        factors.append(f"{order.term_months} months")
    elif line.entry.unit.endswith("_per_year"):
        factors.append(f"{order.term_months}/12 years")
    exact = Fraction(line.unit_price) * line.item.quantity * line.periods
    equals = "=" if exact == Fraction(line.amounts.gross) else "≈"
    return f"{' × '.join(factors)} {equals} {line.amounts.gross:f}."


def _discount(line: PricedLine, order: Order) -> list[str]:
    if not line.discount_pct:
        return []
    taken = f"{shown(line.discount_pct)}% of {line.amounts.gross:f}"
    if line.item.discount_pct and order.discount_pct:
        taken = (
            f"the line's {shown(line.item.discount_pct)}%, then the quote's {shown(order.discount_pct)}% "
            f"of the rest: {taken}"
        )
    return [
        f"Discount, {taken}: {line.amounts.discount:f}.",
        f"{line.amounts.gross:f} − {line.amounts.discount:f} = {line.amounts.net:f}.",
    ]


def _tax(line: PricedLine, order: Order) -> str:
    if line.tax_rule is not None:
        rate = f"{line.tax_rule.name}, {shown(line.tax_rule.rate_pct)}%"
        return f"{rate} of {line.amounts.net:f}: {line.amounts.tax:f}."
    if order.buyer.tax_exempt:
        return "No tax: the account is exempt."
    place = ", ".join(part for part in (order.buyer.country, order.buyer.region) if part)
    what = f" for {line.item.tax_category}" if line.item.tax_category else ""
    return f"No tax: no rule holds{what} in {place} on {order.tax_on}."
