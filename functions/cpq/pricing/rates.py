"""Exchange rates: which one holds on a day, and what an amount is in another currency."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from cpq.model import Exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One unit of ``from_currency`` is ``rate`` units of ``to_currency``, as ``source`` has it for ``as_of``."""

    from_currency: str
    to_currency: str
    rate: Exact
    as_of: date
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """What one unit of a currency is in another, and the rates it was computed from."""

    factor: Fraction
    rates: tuple[Rate, ...]


UNCHANGED = Conversion(factor=Fraction(1), rates=())


def conversion(rates: Iterable[Rate], *, source: str, target: str) -> Conversion | None:
    """The conversion by the newest rate of the pair, in either direction, else over one third currency.

    Central banks publish one currency against all others, so that two foreign ones meet in it.
    None says that no rate is known.
    """
    if source == target:
        return UNCHANGED
    newest = _newest(rates)
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


def _newest(rates: Iterable[Rate]) -> dict[tuple[str, str], Rate]:
    ordered = sorted(rates, key=lambda rate: (rate.as_of, rate.source))
    return {(rate.from_currency, rate.to_currency): rate for rate in ordered}


def _step(newest: dict[tuple[str, str], Rate], source: str, target: str) -> Conversion | None:
    """The newer of the rate and its inverse."""
    given, inverse = newest.get((source, target)), newest.get((target, source))
    if given is not None and (inverse is None or given.as_of >= inverse.as_of):
        return Conversion(factor=Fraction(given.rate), rates=(given,))
    return None if inverse is None else Conversion(factor=1 / Fraction(inverse.rate), rates=(inverse,))
