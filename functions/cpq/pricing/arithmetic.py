"""The arithmetic of one line and of the sums: every amount is rounded once, from the printed one before it."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from cpq.pricing.currency import Currency


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """Of a line, or of a quote as the sum of its lines; each is a whole number of minor units."""

    gross: Decimal
    discount: Decimal
    net: Decimal
    tax: Decimal

    @property
    def total(self) -> Decimal:
        return self.net + self.tax


def line_amounts(
    *,
    currency: Currency,
    unit_price: Decimal,
    quantity: int,
    periods: Fraction,
    discount_pct: Decimal,
    tax_pct: Decimal,
) -> Amounts:
    """Gross is rounded, discount and tax are rounded shares of printed amounts, net is a difference.

    So whoever reads the document can check it with a pocket calculator.
    """
    gross = currency.rounded(Fraction(unit_price) * quantity * periods)
    discount = currency.rounded(Fraction(gross) * Fraction(discount_pct) / 100)
    net = gross - discount
    tax = currency.rounded(Fraction(net) * Fraction(tax_pct) / 100)
    return Amounts(gross=gross, discount=discount, net=net, tax=tax)


def summed(lines: Iterable[Amounts], *, currency: Currency) -> Amounts:
    lines = tuple(lines)
    return Amounts(
        gross=sum((line.gross for line in lines), currency.zero),
        discount=sum((line.discount for line in lines), currency.zero),
        net=sum((line.net for line in lines), currency.zero),
        tax=sum((line.tax for line in lines), currency.zero),
    )


def weighted_pct(shares: Iterable[tuple[Decimal, Decimal]]) -> Fraction:
    """The discount of a whole quote in percent, from each line's (gross, percent).

    Taken from percentages, not from rounded amounts: ten percent off every line is ten percent to the digit,
    and no cent of rounding can push a quote over a cap.
    """
    pairs = tuple(shares)
    gross = sum((Fraction(amount) for amount, _ in pairs), Fraction(0))
    weighted = sum((Fraction(amount) * Fraction(pct) for amount, pct in pairs), Fraction(0))
    return weighted / gross if gross else Fraction(0)


def margin_pct(net: Decimal, cost: Fraction) -> Decimal | None:
    """Share of ``net`` that is left after ``cost``, to two digits; None where nothing is charged."""
    if not net:
        return None
    share = (Fraction(net) - cost) / Fraction(net) * 10_000
    return Decimal(round(share)).scaleb(-2)
