"""quote_create: a new quote, or the next version of one, as a draft that has been checked against the catalogue."""

from dataclasses import asdict
from typing import Annotated, Self

from pydantic import Field, model_validator

from cpq import accounts, audit, house, idempotency
from cpq.accounts import Addressee, ProspectArgs
from cpq.model import PLAIN, BillingFrequency, IdempotencyKey, Problem, QuoteHeader, QuoteId, QuoteLine
from cpq.payment import ProposedTerms
from cpq.quotes import drafting, queries, versions
from cpq.quotes.drafting import DayText, LineArgs, RequestedHeader, Surroundings
from cpq.quotes.queries import CurrentVersion
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.contract import Args, LeanResult, Part, Tool
from quarry.tool.identity import Caller
from quarry.tool.questions import Round
from quarry.tool.runtime import serve_asking

TOOL = Tool(
    name="quote_create",
    title="Create or revise a quote",
    toolset="cpq",
    description=(
        "Drafts a quote for an account, or with revises the next version of one, which voids its approvals. "
        "quote_price comes next."
    ),
    read_only=False,
    destructive=False,
    idempotent=False,
    open_world=False,
    asks=True,
)


class QuoteCreateArgs(Args):
    account_id: Annotated[str, Field(min_length=1, max_length=100), PLAIN] = Field(
        description="Customer, e.g. acct_acme_001."
    )
    prospect: ProspectArgs | None = Field(
        default=None, description="No account yet: entered as account_id, which you choose."
    )
    deal_id: Annotated[str, Field(min_length=1, max_length=200), PLAIN] | None = Field(
        default=None, description="Deal in the CRM."
    )
    currency: str | None = Field(default=None, max_length=10, description="ISO 4217 code. Unset: the account's.")
    term_months: int | None = Field(default=None, description="1 to 600. Needed where a price recurs.")
    start_date: DayText | None = Field(default=None, description="First day of the term.")
    billing_frequency: BillingFrequency | None = Field(
        default=None, description="Unset: the account's or, where nothing recurs, one_time."
    )
    payment_terms: ProposedTerms | None = Field(
        default=None, description="net_30, or e.g. 30 days net, 2% in 10 days. Unset: the account's."
    )
    valid_until: DayText | None = Field(default=None, description="Last day to accept. Unset: in 30 days.")
    notes: Annotated[str, Field(max_length=5000), PLAIN] | None = Field(default=None, description="Not printed.")
    line_items: list[LineArgs] = Field(max_length=drafting.MOST_LINES, description="In the order to print.")
    revises: QuoteId | None = Field(
        default=None,
        description="Quote to revise: lines and terms are replaced as a whole.",
    )
    expected_version: int | None = Field(
        default=None, ge=1, description="Required with revises: the version you read."
    )
    idempotency_key: IdempotencyKey = None

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
    quote: QuoteHeader = Field(description="The draft.")
    addressee: Addressee | None = Field(default=None, description="Whom it is addressed to.")
    line_items: list[QuoteLine] = Field(description="In order; without prices until quote_price.")
    validation: Validation = Field(description="What is left to do.")
    notice: str | None = Field(description="What the reader should know about this draft, or null.")


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
    header = RequestedHeader(**{name: getattr(args, name) for name in RequestedHeader.__slots__})
    if rhythm_unsaid and not drafting.recurs(header, args.line_items, around):
        # The account's rhythm is that of its subscriptions: what is sold once is not billed by the month.
        args = args.model_copy(update={"billing_frequency": "one_time"})
    found = drafting.problems(account_id=args.account_id, header=header, lines=args.line_items, around=around)
    if current is not None and args.account_id != current.account_id:
        message = f"{current.quote_id} is {current.account_id}'s, and stays so. Create another quote instead."
        found.append(Problem(code="NOT_ALLOWED", path="account_id", message=message))
    if found:
        raise drafting.refusal(found)
    quote_id, notices = _store(connection, args, caller, around=around, current=current)
    stored = versions.whole(connection, quote_id=quote_id)
    currency, account = stored.header.currency, around.account
    if account is not None and account.currency != currency:
        notices.append(f"{account.name} is usually quoted in {account.currency}; this quote is in {currency}.")
    notices += drafting.notices(header, around)
    if args.prospect is not None:
        notices.append(
            f"{args.prospect.name} is entered as a prospect, {args.account_id} in {args.prospect.country}; an ingest "
            "of the account makes a customer of it."
        )
        if args.prospect.tax_exempt:
            notices.append("No tax, as they say: somebody has to see their certificate.")
    notices += drafting.rhythm(header, args.line_items, around) if rhythm_unsaid else []
    awaited = drafting.awaited_prices(header, args.line_items, around)
    missing = drafting.missing_fields(header, args.line_items, around) + [problem.path for problem in awaited]
    violations = drafting.violations(args.line_items, around) + awaited
    return QuoteCreateResult(
        quote=stored.header,
        addressee=accounts.addressee(connection, account_id=args.account_id),
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
        version, voided = queries.supersede(connection, current, reason=reason)
        queries.change_deal(connection, quote_id=quote_id, deal_id=args.deal_id)
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
    start = drafting.day(args.start_date) if args.start_date else None
    until = drafting.day(args.valid_until) if args.valid_until else around.today + drafting.VALID_FOR
    return {
        **args.model_dump(include={"currency", "term_months", "payment_terms", "notes"}),
        "start_date": start,
        "end_date": drafting.last_day(start, months=args.term_months) if start and args.term_months else None,
        "billing_frequency": args.billing_frequency or "one_time",
        "valid_until": until,
    }


handler = serve_asking(TOOL, QuoteCreateArgs, run)
