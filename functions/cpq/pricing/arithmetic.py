"""Money, percentages and exchange rates: the amounts of a line, its share of tax and sums, each rounded once."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import cycle, islice

from quarry.money import Money, digits, in_currency, minor_units

HALF = Fraction(1, 2)


def half_up(amount: Fraction, digits: int) -> Decimal:
    """Rounds half-up to digits after the point; ``amount`` is a Fraction, so that nothing was rounded before."""
    return Decimal(math.floor(amount * 10**digits + HALF)).scaleb(-digits)


def rounded(amount: Fraction, currency: str) -> Decimal:
    """Rounds half-up to the minor unit of the currency."""
    return half_up(amount, minor_units(currency))


def as_precise(amount: Fraction, price: Decimal, *, currency: str) -> Decimal:
    """Rounds the amount of one piece half-up to the digits that its ``price`` has: the currency's, or more.

    A price below one gets two digits more, because a cent would be too much of it.
    """
    return in_currency(half_up(amount, digits(price, currency) + (2 if price < 1 else 0)), currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """The amounts of a line, or of a quote as the sum of its lines; each is a whole number of minor units."""

    gross: Decimal
    discount: Decimal
    net: Decimal
    tax: Decimal

    @property
    def total(self) -> Decimal:
        return self.net + self.tax


def line_amounts(
    *,
    currency: str,
    unit_price: Decimal,
    quantity: Decimal | int,
    periods: Fraction,
    effective_discount_pct: Decimal,
) -> Amounts:
    """Rounds gross, takes net as a rounded share of it, and discount as a difference; tax is nothing yet.

    So whoever reads the document can check it with a pocket calculator.
    """
    gross = rounded(Fraction(unit_price) * Fraction(quantity) * periods, currency)
    net = rounded(Fraction(gross) * (100 - Fraction(effective_discount_pct)) / 100, currency)
    return Amounts(gross=gross, discount=gross - net, net=net, tax=rounded(Fraction(0), currency))


def shared_tax(nets: Sequence[Decimal], rates_pct: Sequence[Decimal], *, currency: str) -> list[Decimal]:
    """Returns the tax of each line. All together are, of each rate, the rounded share of what the lines come to, as
    a document prints it; minor units that rounding left are of the lines that are nearest to the next one.
    """
    unit = Fraction(10) ** -minor_units(currency)
    due = sum(rounded(Fraction(sum(nets)) * Fraction(rate) / 100, currency) for rate in rates_pct)
    exact = [Fraction(net) * Fraction(sum(rates_pct)) / 100 / unit for net in nets]
    told = [math.floor(each) for each in exact]
    left = int(Fraction(due) / unit) - sum(told)
    # What is given away has no tax, and no tax is negative.
    bearing = [place for place, net in enumerate(nets) if (net if left > 0 else told[place] > 0)]
    nearest = sorted(bearing, key=lambda place: told[place] - exact[place])
    for place in islice(cycle(nearest if left > 0 else nearest[::-1]), abs(left)):
        told[place] += 1 if left > 0 else -1
    return [rounded(each * unit, currency) for each in told]


def summed(lines: Iterable[Amounts], *, currency: str) -> Amounts:
    lines, zero = tuple(lines), rounded(Fraction(0), currency)
    return Amounts(
        gross=sum((line.gross for line in lines), zero),
        discount=sum((line.discount for line in lines), zero),
        net=sum((line.net for line in lines), zero),
        tax=sum((line.tax for line in lines), zero),
    )


def weighted_pct(shares: Iterable[tuple[Decimal, Decimal]]) -> Fraction:
    """Returns the discount of a whole quote in percent, from each line's (gross, percent).

    It comes from percentages, not from rounded amounts: ten percent off every line is ten percent to the digit, and
    no cent of rounding can push a quote over a cap.
    """
    pairs = tuple(shares)
    gross = sum((Fraction(amount) for amount, _ in pairs), Fraction(0))
    weighted = sum((Fraction(amount) * Fraction(pct) for amount, pct in pairs), Fraction(0))
    return weighted / gross if gross else Fraction(0)


def margin_pct(net: Decimal | Fraction, cost: Fraction | None) -> Decimal | None:
    """Returns what percentage of ``net`` is left after ``cost``, to two digits; None where nothing is charged or the
    cost is unknown.
    """
    if cost is None or not net:
        return None
    share = (Fraction(net) - cost) / Fraction(net) * 10_000
    return Decimal(round(share)).scaleb(-2)


def compounded(first: Decimal, second: Decimal) -> Decimal:
    """Returns the one discount that equals ``second`` taken off what ``first`` leaves: 10 and 5 make 14.5.

    It is exact, symmetric, and never over 100 for discounts of up to 100.
    """
    return first + second - first * second / 100


def readable_pct(value: Fraction, *, limits: Collection[Decimal], decimals: int = 2) -> Decimal:
    """Rounds a figure half-up for people to read, and to the four decimals that limits have where it would else read
    as on one of them, or beyond it; comparisons take the exact fraction.
    """
    above, below = (Decimal(whole).scaleb(-4) for whole in (math.ceil(value * 10**4), math.floor(value * 10**4)))
    shown = [figure.normalize() for figure in (half_up(value, decimals), above, below)]
    sides = [(value > limit, value < limit) for limit in limits]
    kept = (each for each in shown if [(each > limit, each < limit) for limit in limits] == sides)
    return next(kept, shown[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One unit of ``from_currency`` is ``rate`` units of ``to_currency``, as ``source`` has it for ``as_of``."""

    from_currency: str
    to_currency: str
    rate: Money
    as_of: date
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """What one unit of a currency is in another, and the rates it was computed from."""

    factor: Fraction
    rates: tuple[Rate, ...]


UNCHANGED = Conversion(factor=Fraction(1), rates=())


def conversion(rates: Iterable[Rate], *, source: str, target: str) -> Conversion | None:
    """Returns the conversion by the newest rate of the pair, in either direction, else over one third currency.

    Central banks publish one currency against all others, so that two foreign ones meet in it. None says that no rate
    is known.
    """
    if source == target:
        return UNCHANGED
    ordered = sorted(rates, key=lambda rate: (rate.as_of, rate.source))
    newest = {(rate.from_currency, rate.to_currency): rate for rate in ordered}
    if direct := _step(newest, source, target):
        return direct
    crossings = [
        (first, second)
        for third in sorted({code for pair in newest for code in pair} - {source, target})
        if (first := _step(newest, source, third)) and (second := _step(newest, third, target))
    ]
    if not crossings:
        return None
    first, second = max(crossings, key=lambda pair: min(rate.as_of for leg in pair for rate in leg.rates))
    return Conversion(factor=first.factor * second.factor, rates=first.rates + second.rates)


def _step(newest: dict[tuple[str, str], Rate], source: str, target: str) -> Conversion | None:
    """Returns the conversion by the rate or its inverse, whichever is newer; None where neither is known."""
    given, inverse = newest.get((source, target)), newest.get((target, source))
    if given is not None and (inverse is None or given.as_of >= inverse.as_of):
        return Conversion(factor=Fraction(given.rate), rates=(given,))
    return None if inverse is None else Conversion(factor=1 / Fraction(inverse.rate), rates=(inverse,))
