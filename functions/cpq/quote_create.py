"""quote_create: a new quote, or the next version of one, as a draft that has been checked against the catalogue."""

from dataclasses import asdict
from typing import Annotated, Self

from pydantic import Field, WithJsonSchema, model_validator

from cpq import accounts, audit, house, idempotency
from cpq.accounts import Addressee
from cpq.catalogue.configuration import in_pieces, iso_day
from cpq.model import PercentArgument, PolicyEvaluation, Problem, QuoteHeader, QuoteLine
from cpq.pricing.run import price_quote
from cpq.quote_price import LinePricing, PricingTotals, answer_of, remarks
from cpq.quotes import drafting, queries, versions
from cpq.quotes.drafting import AskedQuote, Surroundings
from cpq.quotes.queries import CurrentVersion
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.contract import LeanResult, Part, Tool
from quarry.tool.identity import Caller
from quarry.tool.questions import Round
from quarry.tool.runtime import serve_asking

TOOL = Tool(
    name="quote_create",
    title="Create or revise a quote",
    toolset="cpq",
    description=(
        "Drafts a quote for an account, or with revises the next version of one, which voids its approvals; with "
        "price, prices it."
    ),
    read_only=False,
    destructive=False,
    idempotent=False,
    open_world=False,
    asks=True,
)


class QuoteCreateArgs(AskedQuote):
    price: bool = Field(
        default=False, description="Price it as quote_price does; where it cannot be, nothing is written."
    )
    requested_discount_pct: Annotated[
        PercentArgument,
        WithJsonSchema({"type": "number"}),
        Field(default=0, validate_default=True, description="As quote_price's; prices it, too."),
    ]

    @model_validator(mode="after")
    def says_which_version_it_revises(self) -> Self:
        if self.expected_version is not None and self.revises is None:
            raise ValueError("expected_version is for a quote that is revised: give revises, or leave it out")
        if self.expected_version is None and self.revises is not None:
            raise ValueError(
                "expected_version: required with revises, so that nobody's version is replaced unread; "
                f"read {self.revises} with quote_get and give the version you have read"
            )
        return self


class Validation(Part):
    valid: bool = Field(description="True: quote_price can price it. False: what keeps it from that stands below.")
    missing_fields: list[str] = Field(description="Paths of what quote_price needs and the draft does not say yet.")
    constraint_violations: list[Problem] = Field(
        description="What products require and exclude, and prices on request, which a person has to name; "
        "quote_price refuses the draft until it is mended."
    )


class QuoteCreateResult(LeanResult):
    notice: str | None = Field(description="What the reader should know about this draft, or null.")
    quote: QuoteHeader = Field(description="The draft.")
    addressee: Addressee | None = Field(default=None, description="Whom it is addressed to.")
    line_items: list[QuoteLine] | None = Field(default=None, description="In order, until line_pricing has them.")
    validation: Validation | None = Field(default=None, description="What is left to do, until it is priced.")
    pricing: PricingTotals | None = Field(default=None, description="This and what follows as quote_price answers.")
    line_pricing: list[LinePricing] | None = Field(default=None, description="Line by line.")
    policy_evaluation: PolicyEvaluation | None = Field(default=None, description="What the discount policy says.")
    policy_limits: list[str] | None = Field(default=None, description="What passes; not for the customer.")
    approval_required: bool | None = Field(default=None, description="True: approval_request before it goes out.")
    price_notes: list[str] | None = Field(default=None, description="Lines at another price than before.")


def run(args: QuoteCreateArgs, caller: Caller, round_: Round) -> QuoteCreateResult:
    with database.transaction(caller.tenant) as connection:
        return idempotency.once(
            connection,
            tool=TOOL.name,
            key=args.idempotency_key,
            args=args,
            answer=QuoteCreateResult,
            write=lambda: _write(connection, _with_account(connection, args, round_), caller),
        )


def _with_account(connection: Connection, args: QuoteCreateArgs, round_: Round) -> QuoteCreateArgs:
    """Resolves an unknown account id to the account that is meant, or to a prospect; a revision is left alone."""
    if args.prospect is not None or args.revises is not None:
        return args
    if queries.account_exists(connection, account_id=args.account_id):
        return args
    meant = accounts.account_meant(connection, args.account_id, round_=round_)
    if meant == args.account_id and (known := accounts.bought_before(connection, meant)):
        return args.model_copy(update={"account_id": known[0], "prospect": known[1]})
    return args.model_copy(update={"account_id": meant})


def _write(connection: Connection, args: QuoteCreateArgs, caller: Caller) -> QuoteCreateResult:
    args = args.model_copy(update={"line_items": drafting.with_ids(connection, args.line_items)})
    current = None
    if args.revises is not None:
        current = versions.lock(connection, quote_id=args.revises, expected_version=args.expected_version)
        versions.require_kept(current)
    rhythm_unsaid = args.billing_frequency is None
    usual = asdict(house.defaults(connection, account_id=args.account_id))
    args = args.model_copy(update={name: value for name, value in usual.items() if getattr(args, name) is None})
    if args.prospect is not None and args.currency is not None:
        refused = accounts.enter_prospect(
            connection, args.prospect, account_id=args.account_id, currency=args.currency
        )
        if refused:
            raise drafting.refusal(refused)
    around = drafting.surroundings(
        connection,
        account_id=args.account_id,
        product_ids={line.product_id for line in args.line_items},
        currency=args.currency or "",
    )
    if rhythm_unsaid and not around.recurs:
        # The account's rhythm is that of its subscriptions: what is sold once is not billed by the month.
        args = args.model_copy(update={"billing_frequency": "one_time"})
    found = drafting.problems(args, around)
    if current is not None and args.account_id != current.account_id:
        message = f"{current.quote_id} is {current.account_id}'s, and stays so. Create another quote instead."
        found.append(Problem(code="NOT_ALLOWED", path="account_id", message=message))
    if found:
        raise drafting.refusal(found)
    quote_id, notices = _store(connection, args, caller, around=around, current=current)
    run = None
    if args.price or args.requested_discount_pct:
        run = price_quote(
            connection,
            quote_id=quote_id,
            requested_discount_pct=args.requested_discount_pct,
            price_book_id=None,
            account_id=args.account_id,
            caller=caller,
        )
    stored = versions.whole(connection, quote_id=quote_id)
    currency, account = stored.header.currency, around.account
    if account is not None and account.usual_currency != currency:
        notices.append(f"{account.name} is usually quoted in {account.usual_currency}; this quote is in {currency}.")
    notices += drafting.notices(args, around)
    counted = [(line.id, line.quantity, around.prices[line.product_id][1].unit) for line in stored.lines]
    notices = [*in_pieces(counted, around.units), *notices]
    if args.prospect is not None:
        notices.append(
            f"{args.prospect.name} is entered as a prospect, {args.account_id} in {args.prospect.country}; an ingest "
            "of the account makes a customer of it."
        )
        if args.prospect.tax_exempt:
            notices.append("No tax, as they say: somebody has to see their certificate.")
    notices += drafting.rhythm(args, around) if rhythm_unsaid else []
    addressee = accounts.addressee(connection, account_id=args.account_id)
    if run is not None:
        notice = " ".join(dict.fromkeys([*notices, *remarks(run)])) or None
        told = {"quote": stored.header, "addressee": addressee, "notice": notice}
        return QuoteCreateResult.model_validate(dict(answer_of(run)) | told, extra="ignore")
    awaited = drafting.awaited_prices(args.line_items, around)
    missing = drafting.missing_fields(args, around) + [problem.path for problem in awaited]
    violations = drafting.violations(args.line_items, around) + awaited
    return QuoteCreateResult(
        quote=stored.header,
        addressee=addressee,
        line_items=stored.lines,
        validation=Validation(
            valid=not missing and not violations, missing_fields=missing, constraint_violations=violations
        ),
        notice=" ".join(notices) or None,
    )


def _store(
    connection: Connection,
    args: QuoteCreateArgs,
    caller: Caller,
    *,
    around: Surroundings,
    current: CurrentVersion | None,
) -> tuple[str, list[str]]:
    """Writes the draft; returns the quote's id and notices for the caller."""
    notices: list[str] = []
    if current is None:
        version, before = 1, None
        # The number is taken last, because others wait for it.
        quote_id = queries.insert_quote(
            connection, year=around.today.year, account_id=args.account_id, deal_id=args.deal_id, by=caller.subject
        )
    else:
        quote_id = current.quote_id
        before = {"version": current.version, "status": current.status}
        reason = f"{quote_id} was revised as version {current.version + 1}"
        version, voided = queries.supersede(connection, current, reason=reason, deal_id=args.deal_id)
        void = f" Void now: {', '.join(voided)}." if voided else ""
        notices.append(f"Version {current.version} was {current.status}; this is version {version}.{void}")
    queries.insert_version(
        connection,
        quote_id=quote_id,
        version=version,
        account_id=args.account_id,
        by=caller.subject,
        terms=_terms(args, around),
        lines=[
            {**line.model_dump(), "discount_pct": str(line.discount_pct), "sort_order": number}
            for number, line in enumerate(args.line_items, 1)
        ],
    )
    audit.record(
        connection,
        caller=caller,
        action="quote.created" if current is None else "quote.revised",
        quote_id=quote_id,
        before=before,
        after={"version": version, "status": "draft", "account_id": args.account_id, "lines": len(args.line_items)},
    )
    return quote_id, notices


def _terms(args: QuoteCreateArgs, around: Surroundings) -> dict[str, object]:
    start = iso_day(args.start_date)
    return {
        **args.model_dump(include={"currency", "term_months", "billing_frequency", "payment_terms", "notes"}),
        "start_date": start,
        "end_date": drafting.last_day(start, months=args.term_months) if start and args.term_months else None,
        "valid_until": iso_day(args.valid_until) or around.today + drafting.VALID_FOR,
    }


handler = serve_asking(TOOL, QuoteCreateArgs, run)
