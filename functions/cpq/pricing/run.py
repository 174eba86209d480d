"""One pricing run: the locked quote is checked again, priced, held against policy, and written with its trace."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from secrets import token_hex

from cpq import audit
from cpq.catalogue import configuration
from cpq.catalogue import queries as catalogue
from cpq.catalogue.configuration import Relation
from cpq.model import PolicyEvaluation, Problem
from cpq.pricing import earlier_prices, engine, queries
from cpq.pricing.arithmetic import Rate
from cpq.pricing.books import PriceBook, PriceBookEntry, Ranking, TaxRule, on_request, rank
from cpq.pricing.engine import Order, Priced, Terms, sources
from cpq.pricing.policies import Policy, largest_request, worded
from cpq.pricing.queries import Quoted, QuotedLine
from cpq.pricing.trace import Trace, trace_of
from cpq.quotes import queries as quotes
from cpq.quotes import versions
from quarry.attributes.units import Units
from quarry.data.database import Connection
from quarry.text import alike
from quarry.tool.errors import Conflict, NotFound, PolicyViolation, ValidationFailed
from quarry.tool.identity import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Priceable:
    """A version with all that it is priced from, as it is now: read once for any number of variants of it."""

    quote: Quoted
    lines: Sequence[QuotedLine]
    books: Sequence[PriceBook]
    entries: Sequence[PriceBookEntry]
    tax_rules: Sequence[TaxRule]
    policy: Policy
    relations: Sequence[Relation]
    units: Units
    rates: tuple[Rate, ...]

    def at(self, discount_pct: Decimal) -> Priced:
        """Prices the lines, with a discount on the quote, without writing.

        Raises ValidationFailed with all that keeps them from being priced.
        """
        quote = self.quote
        ranking = rank(self.books, buyer=quote.account, currency=quote.currency, on=quote.today)
        order = order_of(quote, self.lines, requested_discount_pct=discount_pct, rates=self.rates)
        # Everything is checked again, because the catalogue may have changed since the quote was drafted.
        found = [
            *_problems(quote, self.lines),
            *configuration.broken_relations(
                [line.wanted for line in self.lines],
                self.relations,
                names={line.item.product_id: line.item.product_name for line in self.lines},
                owned=quote.account.owned_products,
            ),
            *price_problems(
                order, ranking=ranking, entries=self.entries, units=self.units, decider=self.policy.first_decider
            ),
        ]
        if found:
            raise ValidationFailed(
                "Nothing was written: the quote cannot be priced. "
                + " ".join(f"{problem.path}: {problem.message}" for problem in found),
                details={"problems": [problem.model_dump() for problem in found]},
            )
        return engine.price(
            order, ranking=ranking, entries=self.entries, tax_rules=self.tax_rules, policy=self.policy
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PricingRun:
    """What a run came to; ``found`` has the quote as it was, ``voided`` are approval requests that it made void."""

    found: Priceable
    version: int
    voided: Sequence[str]
    priced: Priced
    evaluation: PolicyEvaluation
    trace: Trace
    trace_id: str
    priced_at: datetime


def price_quote(
    connection: Connection,
    *,
    quote_id: str,
    requested_discount_pct: Decimal,
    price_book_id: str | None,
    account_id: str | None = None,
    expected_version: int | None = None,
    caller: Caller,
) -> PricingRun:
    """Prices the newest version in place, or as the next version when somebody relies on this one. It takes the book
    ``price_book_id``, else the best fit, and refuses a quote of another account than ``account_id``.

    Raises NotFound, Conflict, ValidationFailed with all problems, and PolicyViolation above the hard maximum.
    """
    current = versions.lock(connection, quote_id=quote_id, expected_version=expected_version, account_id=account_id)
    versions.require_kept(current)
    quote = queries.quoted(connection, quote_id=current.quote_id, version=current.version)
    found = priceable(connection, quote, price_book_ids=[price_book_id])
    priced = found.at(requested_discount_pct)
    evaluation = evaluated(priced)
    if evaluation.status == "BLOCKED":
        raise _blocked(priced, evaluation)
    if account_id is None and expected_version is None:
        _require_unchanged(quote, priced)
    version, voided = current.version, list[str]()
    if quote.settled:
        version, voided = quotes.supersede(connection, current, reason="The quote was priced again.")
        quotes.copy_version(
            connection, quote_id=quote.quote_id, from_version=current.version, version=version, by=caller.subject
        )
    return _written(connection, found, priced, evaluation=evaluation, version=version, voided=voided, caller=caller)


def _require_unchanged(quote: Quoted, priced: Priced) -> None:
    """Raises Conflict where a quote would come to something else, or an approval be void: whoever guesses an id may
    have another's.
    """
    total = priced.totals.total
    if quote.total is not None and (quote.settled or quote.total != total):
        anew = ", as a new version" if quote.settled else ""
        raise Conflict(
            f"{quote.quote_id} of {quote.account.name} came to {quote.total:f} and would come to {total:f}{anew}. "
            "Nothing was changed: give its account_id, or the expected_version that you read."
        )


def price_problems(
    order: Order,
    *,
    ranking: Ranking,
    entries: Iterable[PriceBookEntry],
    units: Units,
    decider: str | None = None,
) -> Iterator[Problem]:
    """Says which book, price or term is missing; without any problem ``engine.price`` may run. ``decider`` is the
    role that names a price on request.
    """
    if not ranking.fitting:
        refusals = "; ".join(f"{book.id}: {why}" for book, why in ranking.refused) or "there is none"
        message = f"No price book fits this quote in {order.currency} on {order.on}: {refusals}."
        yield Problem(code="NO_PRICE_BOOK", path="price_book_id", message=message)
        return
    prices, books = sources(ranking.fitting, entries), ", ".join(book.id for book in ranking.fitting)
    for index, item in enumerate(order.items):
        path, name = f"line_items[{index}]", item.product_name
        if item.product_id not in prices:
            message = (
                f"{name} ({item.product_id}) has no price in {order.currency} in {books}. "
                "Name another price_book_id, or revise the quote without the product."
            )
            yield Problem(code="NO_PRICE", path=f"{path}.product_id", message=message)
            continue
        book, entry = prices[item.product_id]
        yield from configuration.parts(item.quantity, unit=entry.unit, units=units, path=path)
        if entry.price is None:
            yield on_request(entry, book, name=name, line=index, role=decider)
        elif entry.recurring and order.term_months is None:
            message = f"{name} is priced {entry.unit.replace('_', ' ')}: give quote_create its term_months."
            yield Problem(code="MISSING", path="term_months", message=message)


def priceable(connection: Connection, quote: Quoted, *, price_book_ids: Collection[str | None]) -> Priceable:
    """Reads what the quote is priced from; None among ``price_book_ids`` stands for every book in its currency. Where
    only one is named, no other steps in for it.

    Raises NotFound for an unknown book, and ValidationFailed where no policy is on record: a missing cap must never
    read as no limit.
    """
    lines = queries.quoted_lines(connection, quote=quote)
    product_ids = {line.item.product_id for line in lines}
    books = {book.id: book for wanted in price_book_ids for book in _books(connection, quote, price_book_id=wanted)}
    return Priceable(
        quote=quote,
        lines=lines,
        books=list(books.values()),
        entries=queries.entries(connection, product_ids=product_ids, book_ids=books),
        tax_rules=queries.tax_rules(connection, country=quote.account.country),
        policy=_policy(connection, quote),
        relations=catalogue.relations(connection, product_ids=product_ids),
        units=catalogue.units(connection),
        rates=queries.rates(connection, on=quote.today),
    )


def evaluated(priced: Priced) -> PolicyEvaluation:
    """Returns what the policy says of the priced quote, in words."""
    names = {line.item.line_id: line.item.product_name for line in priced.lines}
    return worded(priced.evaluation, priced.policy, product_names=names)


def order_of(
    quote: Quoted, lines: Sequence[QuotedLine], *, requested_discount_pct: Decimal, rates: tuple[Rate, ...]
) -> Order:
    """Returns the order that the engine prices for the quote as of today."""
    due = quote.account.due(quote.payment_terms)
    return Order(
        currency=quote.currency,
        buyer=quote.account,
        term_months=quote.term_months,
        requested_discount_pct=requested_discount_pct,
        on=quote.today,
        tax_on=quote.start_date or quote.today,
        items=tuple(line.item for line in lines),
        terms=Terms(
            payment_days=due,
            proposed=quote.payment_terms if due is None else None,
            early_pct=quote.account.early_pct(quote.payment_terms),
            invoices_per_year=INVOICES_PER_YEAR.get(quote.billing_frequency),
            validity_days=(quote.valid_until - quote.today).days,
            start_days=(quote.start_date - quote.today).days if quote.start_date else None,
        ),
        rates=rates,
    )


INVOICES_PER_YEAR = {"one_time": 0, "annual": 1, "quarterly": 4, "monthly": 12}


def _books(connection: Connection, quote: Quoted, *, price_book_id: str | None) -> list[PriceBook]:
    books = queries.books(connection, currency=quote.currency, price_book_id=price_book_id)
    if price_book_id is not None and not books:
        nearest = alike(price_book_id, queries.book_ids(connection))
        hint = f"Did you mean {', '.join(nearest)}?" if nearest else "Leave it out, and the right one is selected."
        raise NotFound(f"No price book '{price_book_id}'. {hint}", details={"nearest": nearest})
    return books


def _policy(connection: Connection, quote: Quoted) -> Policy:
    policy = queries.policy(connection, segment=quote.account.segment)
    if policy is None:
        raise ValidationFailed(
            f"There is no discount policy for segment {quote.account.segment} of {quote.account.name}: "
            "an administrator has to load one (discount_policies)."
        )
    return policy


def _problems(quote: Quoted, lines: Sequence[QuotedLine]) -> Iterator[Problem]:
    """Finds what keeps the quote from being priced at any price."""
    if not quote.account.active:
        yield Problem(code="INACTIVE", path="account_id", message=f"{quote.account.name} is closed.")
    if quote.valid_until < quote.today:
        message = f"The offer ended on {quote.valid_until}: revise the quote with quote_create and a new date."
        yield Problem(code="EXPIRED", path="valid_until", message=message)
    for index, line in enumerate(lines):
        path = f"line_items[{index}]"
        yield from configuration.line_problems(line.wanted, line.offer, path=path)
        for missing in configuration.missing_attributes(line.wanted, line.offer, path=path):
            yield Problem(code="MISSING", path=missing, message=f"{line.offer.name} cannot be priced without it.")


def _blocked(priced: Priced, evaluation: PolicyEvaluation) -> PolicyViolation:
    fatal = [violation for violation in evaluation.violations if violation.severity == "blocked"]
    reasons = "; ".join(violation.description for violation in fatal)
    own = [line.item.line_discount_pct for line in priced.lines]
    measures = {violation.measure for violation in fatal}
    largest = largest_request(own, cap=priced.policy.hard_max_pct) if "discount_pct" in measures else None
    ways = []
    if largest is not None:
        ways.append(f"ask for a requested_discount_pct of {largest} or less.")
    elif "discount_pct" in measures:
        ways.append("with quote_create ask for a smaller discount_pct on its lines.")
    if "discount_amount" in measures:
        ways.append("price it with less discount.")
    if measures - {"discount_amount", "discount_pct"}:
        ways.append("change its terms or amounts with quote_create.")
    way_out = " ".join(ways)
    return PolicyViolation(
        f"Nothing was written: {reasons}; {way_out}",
        details={
            "violations": [violation.model_dump(mode="json") for violation in fatal],
            "largest_requested_discount_pct": largest,
        },
    )


def _written(
    connection: Connection,
    found: Priceable,
    priced: Priced,
    *,
    evaluation: PolicyEvaluation,
    version: int,
    voided: Sequence[str],
    caller: Caller,
) -> PricingRun:
    quote = found.quote
    earlier = earlier_prices.of_products(
        connection, priced, account=quote.account, quote_id=quote.quote_id, units=found.units
    )
    trace, trace_id = trace_of(priced, earlier=earlier), f"pt_{token_hex(10)}"
    priced_at = queries.store(
        connection,
        quote_id=quote.quote_id,
        version=version,
        priced=priced,
        trace=trace,
        trace_id=trace_id,
        evaluation=evaluation,
        by=caller.subject,
    )
    audit.record(
        connection,
        caller=caller,
        action="quote.priced",
        quote_id=quote.quote_id,
        before={"version": quote.version, "status": quote.status, "total": quote.total},
        after={
            "version": version,
            "status": "priced",
            "total": priced.totals.total,
            "policy": evaluation.status,
            "trace": trace_id,
            "voided": list(voided),
        },
    )
    return PricingRun(
        found=found,
        version=version,
        voided=voided,
        priced=priced,
        evaluation=evaluation,
        trace=trace,
        trace_id=trace_id,
        priced_at=priced_at,
    )
