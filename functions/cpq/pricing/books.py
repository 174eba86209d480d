"""Price books, their prices and rules of sales tax: which of them holds for a buyer, a quantity and a day."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from cpq import payment
from cpq.model import Problem, Tier
from quarry.precedents.list_prices import preference, recurring
from quarry.text import key_of

REGION_CODE = re.compile(r"[A-Z0-9]{1,3}")
"""An ISO 3166-2 code, whether or not a tax rule is for it."""
_RATE = re.compile(r"(?<![\d.,])(\d++(?:[.,]\d++)?+)\s?%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """The part of an account that prices, taxes and policies depend on."""

    segment: str
    country: str
    region: str | None = None
    tax_exempt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(Buyer):
    """A customer as of now; ``owned_products`` are ids of what it has already, ``agreed_terms`` are the terms of
    payment that were agreed with it, else the house's.
    """

    id: str
    name: str
    active: bool
    usual_currency: str
    owned_products: Sequence[str]
    agreed_terms: str | None = None

    def early_pct(self, terms: str) -> Decimal:
        """Returns the discount for early payment in ``terms``; 0 where they are the agreed ones."""
        return Decimal(0) if terms == self.agreed_terms else payment.early_pct(terms)

    def due(self, terms: str) -> int | None:
        """Returns in how many days all is due; None where ``terms`` do not say it, or were not agreed and have a
        figure that nothing counts.
        """
        return None if terms != self.agreed_terms and payment.leaves_open(terms) else payment.due(terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """A record that is valid from one day to another, both included; None is open."""

    valid_from: date | None = None
    valid_to: date | None = None

    def outside(self, on: date) -> str | None:
        """Tells why it does not hold on a day; None when it does."""
        if self.valid_from is not None and on < self.valid_from:
            return f"it is valid from {self.valid_from}"
        if self.valid_to is not None and on > self.valid_to:
            return f"it was valid until {self.valid_to}"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook(Lasting):
    """A price book: None for segment or country means any."""

    id: str
    name: str
    currency: str
    segment: str | None = None
    country: str | None = None
    priority: int = 0
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBookEntry:
    """A version of a product's price in a book. ``price`` is what a quantity outside of all tiers pays; None is on
    request, and no other book steps in for it. ``allowance`` is the range of a price that is not firm; off a ``net``
    one, as every such price is, only a discount is taken that was typed on the line.

    ``unit`` is free in its noun (per_unit, per_seat) and says by its end how often a price is charged: once, or with
    _per_month and _per_year for each of the term.
    """

    price_book_id: str
    product_id: str
    version: int
    price: Decimal | None
    unit: str
    tiers: tuple[Tier, ...] = ()
    allowance: Sequence[Decimal] | None = None
    net: bool = False

    @property
    def recurring(self) -> bool:
        return recurring(self.unit)


def on_request(entry: PriceBookEntry, book: PriceBook, *, name: str, line: int, role: str | None) -> Problem:
    """Returns the problem of a line whose price a person has to name."""
    return Problem(
        code="ON_REQUEST",
        path=f"line_items[{line}].price",
        message=f"The price of {name} is on request in {book.name}: a person has to name it"
        f"{f', {role} decides' if role else ''}. Ask there; nothing is totalled before it is loaded into {book.id} "
        f"(prices) for {entry.product_id}, and quote_price takes it then.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The books that fit, best first, and each of the others with the reason why it does not."""

    fitting: tuple[PriceBook, ...]
    refused: tuple[tuple[PriceBook, str], ...]


def rank(books: Iterable[PriceBook], *, buyer: Buyer, currency: str, on: date) -> Ranking:
    """Sorts the fitting books by ``preference``, and tells why each of the others does not fit."""
    verdicts = [(book, objection(book, buyer=buyer, currency=currency, on=on)) for book in books]
    fitting = sorted((book for book, reason in verdicts if reason is None), key=_preference)
    refused = sorted(((book, reason) for book, reason in verdicts if reason), key=lambda pair: pair[0].id)
    return Ranking(fitting=tuple(fitting), refused=tuple(refused))


def objection(book: PriceBook, *, buyer: Buyer, currency: str, on: date) -> str | None:
    """Tells why ``book`` may not price a quote for ``buyer``; None when it may."""
    if not book.active:
        return "it is not active"
    if book.currency != currency:
        return f"it is in {book.currency}, the quote in {currency}"
    if book.segment not in (None, buyer.segment):
        return f"it is for segment {book.segment}, the account is {buyer.segment}"
    if book.country not in (None, buyer.country):
        return f"it is for country {book.country}, the account is in {buyer.country}"
    return book.outside(on)


def reason(book: PriceBook) -> str:
    """Tells why ``book`` stands where it does among those that fit."""
    fits = [f"segment {book.segment}" if book.segment else "any segment"]
    fits.append(f"country {book.country}" if book.country else "any country")
    return f"priority {book.priority}, {', '.join(fits)}, {book.currency}"


def _preference(book: PriceBook) -> tuple[int, bool, bool, int, str]:
    return preference(
        priority=book.priority,
        segment=book.segment,
        country=book.country,
        opens=book.valid_from,
        book_id=book.id,
    )


def tier_for(tiers: tuple[Tier, ...], quantity: Decimal | int) -> Tier | None:
    """Returns the tier that ``quantity`` falls in; of overlapping ones that with the highest minimum. Between 49 and
    50 the one that ends with 49 holds.
    """
    whole = max(int(quantity), 1)
    within = [tier for tier in tiers if tier.min <= whole and (tier.max is None or whole <= tier.max)]
    return max(within, key=lambda tier: (tier.min, tier.price), default=None)


def periods(unit: str, *, term_months: int | None) -> Fraction:
    """Returns how often a price is charged over the term: once, each month, or each year by twelfths.

    Raises ValueError when a price per month or year has no term to run for.
    """
    if not recurring(unit):
        return Fraction(1)
    if term_months is None:
        raise ValueError(f"a price {unit} needs a term")
    return Fraction(term_months, 1 if unit.endswith("_per_month") else 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxRule(Lasting):
    """A rule of sales tax in the buyer's country: None for region or tax_category means any."""

    id: str
    name: str
    rate_pct: Decimal
    region: str | None = None
    tax_category: str | None = None


def taxes_of(name: str, rate_pct: Decimal) -> list[tuple[str, Decimal]]:
    """Returns the taxes that a rule stands for with their rates: two where its name says those that make up its own
    ("GST 5 % + QST 9.975 %" of 14.975), else itself.
    """
    parts = [part.strip() for part in name.split("+")]
    rates = [Decimal(said[1].replace(",", ".")) for part in parts if (said := _RATE.search(part))]
    apart = rate_pct and len(rates) == len(parts) and sum(rates) == rate_pct
    return list(zip(parts, rates, strict=True)) if apart else [(name, rate_pct)]


def tax_known(rules: Sequence[TaxRule], *, buyer: Buyer) -> bool:
    """Whether tax can be told: in a country without any rule, no tax would be a claim that nobody has made."""
    return buyer.tax_exempt or bool(rules)


def tax_notice(rules: Sequence[TaxRule], *, buyer: Buyer, on: date) -> str | None:
    """Tells what to look at before a total without tax goes out; None where a rule holds or the buyer is exempt."""
    if buyer.tax_exempt:
        return None
    if not rules:
        return (
            f"Tax is not determined: no tax rule is on record for {buyer.country}. Prices and total are before tax. "
            "A discount may be decided on; the quote is neither released nor printed until an administrator has "
            "loaded one (tax_rules: its rate, or 0 where none is due) and it is priced again, which voids approvals."
        )
    holds = any(_is_there(rule, buyer=buyer) and rule.outside(on) is None for rule in rules)
    if buyer.region is None:
        depends = f"the customer's region is unknown, and tax in {buyer.country} depends on it"
        return None if holds else f"No tax is added: {depends}."
    if not holds:
        place = f"{buyer.region}, {buyer.country}"
        return f"No tax is added: no tax rule is on record for {place}. Check that none is due."
    taxed = sorted({rule.region for rule in rules if rule.region})
    if is_told_from(buyer.region, taxed):
        return None
    return (
        f"The tax is that of {buyer.country} as a whole: no tax rule is for '{buyer.region}' (they have "
        f"{', '.join(taxed)}). If it is one of these, have the account write it so."
    )


def is_told_from(region: str, taxed: Sequence[str]) -> bool:
    """Whether a region is one of those that have tax rules, or surely none of them: a code is no other code."""
    both_codes = bool(REGION_CODE.fullmatch(region)) and any(map(REGION_CODE.fullmatch, taxed))
    return both_codes or not taxed or key_of(region) in map(key_of, taxed)


def tax_rule_for(rules: Iterable[TaxRule], *, buyer: Buyer, tax_category: str | None, on: date) -> TaxRule | None:
    """Returns the closest rule: region before category, then the newest, then the id; None for an exempt buyer.

    Rates are never added up: where a state and a county both levy, the region's rule holds their sum.
    """
    if buyer.tax_exempt:
        return None
    holding = [
        rule
        for rule in rules
        if _is_there(rule, buyer=buyer) and rule.tax_category in (None, tax_category) and rule.outside(on) is None
    ]
    return min(holding, key=_tax_closeness, default=None)


def _is_there(rule: TaxRule, *, buyer: Buyer) -> bool:
    return rule.region is None or (buyer.region is not None and key_of(rule.region) == key_of(buyer.region))


def _tax_closeness(rule: TaxRule) -> tuple[bool, bool, int, str]:
    newest_first = -(rule.valid_from or date.min).toordinal()
    return (rule.region is None, rule.tax_category is None, newest_first, rule.id)
