"""One pricing run: the locked quote is checked again, priced, held against policy, and written with its trace."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from secrets import token_hex

from cpq import audit, policy_wording, pricing_queries, pricing_readiness, pricing_writes, versions
from cpq.model import PolicyEvaluation
from cpq.pricing import engine, preconditions
from cpq.pricing.books import Ranking, rank
from cpq.pricing.engine import Order, Priced
from cpq.pricing.policies import Policy
from cpq.pricing.trace import Trace, trace_of
from cpq.pricing_queries import Quoted
from quarry.data.database import Connection
from quarry.spelling import alike
from quarry.tool.errors import Conflict, NotFound, PolicyViolation, ValidationFailed
from quarry.tool.identity import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """``discount_pct`` is for the whole quote; no price_book_id: the one that fits best; the rest is as read."""

    quote_id: str
    discount_pct: Decimal
    price_book_id: str | None
    expected_version: int | None = None
    expected_trace_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """``before`` is the quote as it was; ``voided`` are approval requests that hold no longer."""

    before: Quoted
    version: int
    voided: Sequence[str]
    priced: Priced
    evaluation: PolicyEvaluation
    trace: Trace
    trace_id: str
    priced_at: datetime


def price_quote(connection: Connection, request: Request, *, caller: Caller) -> Run:
    """Prices the newest version in place, or as the next version when somebody relies on this one.

    Raises NotFound, Conflict, ValidationFailed with all problems, PolicyViolation above the hard maximum; then
    nothing is written.
    """
    current = versions.lock(
        connection, caller.tenant, quote_id=request.quote_id, expected_version=request.expected_version
    )
    quote = pricing_queries.quoted(connection, caller.tenant, quote_id=current.quote_id, version=current.version)
    if request.expected_trace_id not in (None, quote.trace_id):
        raise _overtaken(quote)
    priced = _computed(connection, caller.tenant, quote, request)
    evaluation = policy_wording.evaluation_of(priced)
    if evaluation.status == "BLOCKED":
        raise _blocked(quote, priced, evaluation)
    version, voided = current.version, list[str]()
    if quote.settled:
        version, voided = versions.replace(connection, caller.tenant, current, reason="The quote was priced again.")
        pricing_writes.copy_version(
            connection, caller=caller, quote_id=quote.quote_id, from_version=current.version, version=version
        )
    trace, trace_id = trace_of(priced), f"pt_{token_hex(10)}"
    priced_at = pricing_writes.store(
        connection,
        caller=caller,
        quote_id=quote.quote_id,
        version=version,
        priced=priced,
        trace=trace,
        trace_id=trace_id,
        evaluation=evaluation,
    )
    run = Run(
        before=quote,
        version=version,
        voided=voided,
        priced=priced,
        evaluation=evaluation,
        trace=trace,
        trace_id=trace_id,
        priced_at=priced_at,
    )
    _record(connection, run, caller=caller)
    return run


def _computed(connection: Connection, tenant: str, quote: Quoted, request: Request) -> Priced:
    lines = pricing_queries.lines(connection, tenant, quote=quote)
    ranking = _ranking(connection, tenant, quote, price_book_id=request.price_book_id)
    entries = pricing_queries.entries(
        connection,
        tenant,
        product_ids={line.item.product_id for line in lines},
        book_ids=[book.id for book in ranking.fitting],
    )
    order = Order(
        currency=quote.currency,
        buyer=quote.buyer,
        term_months=quote.term_months,
        discount_pct=request.discount_pct,
        on=quote.today,
        tax_on=quote.start_date or quote.today,
        items=tuple(line.item for line in lines),
    )
    problems = [
        *pricing_readiness.problems(connection, tenant, quote=quote, lines=lines),
        *preconditions.problems(order, ranking=ranking, entries=entries),
    ]
    if problems:
        raise ValidationFailed(
            f"{quote.quote_id} version {quote.version} cannot be priced. "
            + " ".join(f"{problem.path}: {problem.message}" for problem in problems),
            details={"problems": [problem.model_dump() for problem in problems]},
        )
    return engine.price(
        order,
        ranking=ranking,
        entries=entries,
        tax_rules=pricing_queries.tax_rules(connection, tenant, country=quote.buyer.country),
        policy=_policy(connection, tenant, quote),
    )


def _ranking(connection: Connection, tenant: str, quote: Quoted, *, price_book_id: str | None) -> Ranking:
    """Of every book in the quote's currency, or of the one that was named: no other may step in for it."""
    books = pricing_queries.books(connection, tenant, currency=quote.currency.code, price_book_id=price_book_id)
    if price_book_id is not None and not books:
        nearest = alike(price_book_id, pricing_queries.book_ids(connection, tenant))
        hint = f"Did you mean {', '.join(nearest)}?" if nearest else "Leave it out, and the right one is selected."
        raise NotFound(f"No price book '{price_book_id}'. {hint}", details={"nearest": nearest})
    return rank(books, buyer=quote.buyer, currency=quote.currency.code, on=quote.today)


def _policy(connection: Connection, tenant: str, quote: Quoted) -> Policy:
    """Without a policy nothing is priced: no cap must never read as no limit."""
    policy = pricing_queries.policy(connection, tenant, segment=quote.buyer.segment)
    if policy is None:
        raise ValidationFailed(
            f"There is no discount policy for segment {quote.buyer.segment} of {quote.account_name}: "
            "an administrator has to load one (discount_policies)."
        )
    return policy


def _overtaken(quote: Quoted) -> Conflict:
    by = f" by {quote.priced_by}, and comes to {quote.total:f} {quote.currency.code}" if quote.trace_id else ""
    return Conflict(
        f"{quote.quote_id} version {quote.version} was priced meanwhile{by}. Read it with quote_get, then try again.",
        details={"current_version": quote.version, "status": quote.status, "pricing_trace_id": quote.trace_id},
    )


def _blocked(quote: Quoted, priced: Priced, evaluation: PolicyEvaluation) -> PolicyViolation:
    fatal = [violation for violation in evaluation.violations if violation.severity == "blocked"]
    reasons = "; ".join(violation.description for violation in fatal)
    largest = policy_wording.largest_discount(priced, cap=Fraction(priced.policy.maximum))
    way_out = (
        "revise the quote with smaller discount_pct on its lines."
        if largest is None
        else f"ask for a requested_discount_pct of {largest} or less."
    )
    return PolicyViolation(
        f"{quote.quote_id} was not priced: {reasons}. Nothing was changed; {way_out}",
        details={
            "violations": [violation.model_dump(mode="json") for violation in fatal],
            "largest_requested_discount_pct": largest,
        },
    )


def _record(connection: Connection, run: Run, *, caller: Caller) -> None:
    quote = run.before
    audit.record(
        connection,
        caller=caller,
        action="quote.priced",
        subject=("quote", quote.quote_id),
        before={"version": quote.version, "status": quote.status, "total": quote.total},
        after={
            "version": run.version,
            "status": "priced",
            "total": run.priced.totals.total,
            "policy": run.evaluation.status,
            "trace": run.trace_id,
            "voided": list(run.voided),
        },
    )
