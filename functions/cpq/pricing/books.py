"""Price books: which of them may serve a buyer, in which order, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """What prices, taxes and policies depend on in an account."""

    segment: str
    country: str
    region: str | None = None
    tax_exempt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook:
    """None for segment or country means any; validity includes both days, and None is open."""

    id: str
    name: str
    currency: str
    segment: str | None = None
    country: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    priority: int = 0
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Books that may serve, best first, and why each of the others may not."""

    fitting: tuple[PriceBook, ...]
    refused: tuple[tuple[PriceBook, str], ...]


def rank(books: Iterable[PriceBook], *, buyer: Buyer, currency: str, on: date) -> Ranking:
    """Priority decides, then the closer fit, then the newer book, then the id; so the order is total."""
    verdicts = [(book, objection(book, buyer=buyer, currency=currency, on=on)) for book in books]
    fitting = sorted((book for book, reason in verdicts if reason is None), key=_preference)
    refused = sorted(((book, reason) for book, reason in verdicts if reason), key=lambda pair: pair[0].id)
    return Ranking(fitting=tuple(fitting), refused=tuple(refused))


def objection(book: PriceBook, *, buyer: Buyer, currency: str, on: date) -> str | None:
    """Why ``book`` may not price a quote for ``buyer``; None when it may."""
    if not book.active:
        return "it is not active"
    if book.currency != currency:
        return f"it is in {book.currency}, the quote in {currency}"
    if book.segment not in (None, buyer.segment):
        return f"it is for segment {book.segment}, the account is {buyer.segment}"
    if book.country not in (None, buyer.country):
        return f"it is for country {book.country}, the account is in {buyer.country}"
    if book.valid_from is not None and on < book.valid_from:
        return f"it is valid from {book.valid_from}"
    if book.valid_to is not None and on > book.valid_to:
        return f"it was valid until {book.valid_to}"
    return None


def reason(book: PriceBook) -> str:
    """Why ``book`` stands where it does among those that fit."""
    fits = [f"segment {book.segment}" if book.segment else "any segment"]
    fits.append(f"country {book.country}" if book.country else "any country")
    return f"priority {book.priority}, {', '.join(fits)}, {book.currency}"


def _preference(book: PriceBook) -> tuple[int, bool, bool, int, str]:
    newest_first = -(book.valid_from or date.min).toordinal()
    return (-book.priority, book.segment is None, book.country is None, newest_first, book.id)
