"""What a price book says of a product: price, volume tiers, and what one price buys."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """``price`` holds for every unit of a line whose quantity is in [min, max]; max None is open."""

    min: int
    max: int | None
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One version of a price; ``price`` is what a quantity outside of all tiers pays.

    ``unit`` is free in its noun (per_unit, per_seat) and says by its end how often a price is charged:
    once, or with _per_month and _per_year for each of the term.
    """

    price_book_id: str
    product_id: str
    version: int
    price: Decimal
    unit: str
    tiers: tuple[Tier, ...] = ()

    @property
    def recurring(self) -> bool:
        return self.unit.endswith(("_per_month", "_per_year"))


def tier_for(tiers: tuple[Tier, ...], quantity: int) -> Tier | None:
    """The tier that ``quantity`` falls in; of overlapping ones that with the highest minimum."""
    within = [tier for tier in tiers if tier.min <= quantity and (tier.max is None or quantity <= tier.max)]
    return max(within, key=lambda tier: (tier.min, tier.price), default=None)


def periods(unit: str, *, term_months: int | None) -> Fraction:
    """How often a price is charged over the term: once, each month, or each year by twelfths.

    Raises ValueError when a price per month or year has no term to run for.
    """
    if not unit.endswith(("_per_month", "_per_year")):
        return Fraction(1)
    if term_months is None:
        raise ValueError(f"a price {unit} needs a term")
    return Fraction(term_months, 1 if unit.endswith("_per_month") else 12)
