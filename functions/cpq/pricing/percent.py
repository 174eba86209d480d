"""Percentages: how two discounts combine, and how a percentage reads."""

from decimal import Decimal

HUNDRED = Decimal(100)


def compounded(first: Decimal, second: Decimal) -> Decimal:
    """The one discount that equals ``second`` taken off what ``first`` leaves: 10 and 5 make 14.5.

    Exact, symmetric, and never over 100 for discounts of up to 100.
    """
    return first + second - first * second / HUNDRED


def shown(value: Decimal) -> str:
    """Without trailing zeros or exponent: 10, 14.5, 0."""
    return format(value.normalize(), "f") if value else "0"
