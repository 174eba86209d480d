"""A currency's smallest amount, and the one way to round to it."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Currency:
    code: str
    minor_units: int
    """Digits after the point, as ISO 4217 lists them: 2 for USD, 0 for JPY, 3 for KWD."""

    def rounded(self, amount: Fraction) -> Decimal:
        """``amount`` to the minor unit, half-up; a Fraction comes in, so that nothing was rounded before."""
        return Decimal(math.floor(amount * 10**self.minor_units + HALF)).scaleb(-self.minor_units)

    @property
    def zero(self) -> Decimal:
        return Decimal(0).scaleb(-self.minor_units)
