"""A draft as quote_create is asked for it: all that is wrong with it, found in one pass, and what it lacks."""

import calendar
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Annotated

from pydantic import Field, WithJsonSchema

from cpq.accounts import ProspectArgs
from cpq.catalogue import configuration
from cpq.catalogue import queries as catalogue
from cpq.catalogue.configuration import ConfigurableProduct, Relation, Wanted, iso_day
from cpq.model import PLAIN, BillingFrequency, IdempotencyKey, Percent, Problem, QuoteId
from cpq.payment import HOW, UNREAD, ProposedTerms
from cpq.pricing import queries as prices
from cpq.pricing.books import Account, PriceBook, PriceBookEntry, TaxRule, on_request, rank, tax_notice
from cpq.pricing.engine import sources
from cpq.quotes import queries
from quarry.attributes.units import Units
from quarry.data.database import Connection
from quarry.money import Count, plainly
from quarry.tool.contract import MOST_WHOLE, Args
from quarry.tool.errors import Conflict, NotFound, ToolError, ValidationFailed

VALID_FOR = timedelta(days=30)
"""How long a quote can be accepted when nobody says."""

LONGEST_TERM = 600
FURTHEST = timedelta(days=3660)
"""A date that is further away than ten years is taken for a typing error."""


MOST_LINES = 500

DayText = Annotated[str, Field(max_length=40), WithJsonSchema({"type": "string", "format": "date"})]
"""A date as text, so that a wrong one is reported beside whatever else is wrong."""


class LineArgs(Args):
    # Bounds that depend on data are not here: ``problems`` reports them all at once.
    product_id: Annotated[str, Field(min_length=1, max_length=100), PLAIN] = Field(description="Id, SKU or model.")
    quantity: Count = Field(
        le=MOST_WHOLE,
        description="Of what its price buys: 20 per_hundred are 2,000; parts of what is measured.",
    )
    attributes: dict[str, object] = Field(
        default_factory=dict,
        description="Values for its attributes.",
    )
    discount_pct: Annotated[
        Percent,
        WithJsonSchema({"type": "number"}),
        Field(default=0, validate_default=True, description="Discount of the line, 0 to 100."),
    ]
    notes: Annotated[str, Field(max_length=2000), PLAIN] | None = Field(
        default=None, description="Printed with the line; of a GAEB bill its OZ."
    )

    @property
    def wanted(self) -> Wanted:
        return Wanted(product_id=self.product_id, quantity=self.quantity, attributes=self.attributes)


class AskedQuote(Args):
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
    billing_frequency: BillingFrequency | None = Field(default=None, description="Unset: the account's, or one_time.")
    payment_terms: ProposedTerms | None = Field(
        default=None, description="net_30, or e.g. 30 days net, 2% in 10 days. Unset: the account's."
    )
    valid_until: DayText | None = Field(default=None, description="Last day to accept. Unset: in 30 days.")
    notes: Annotated[str, Field(max_length=5000), PLAIN] | None = Field(default=None, description="Not printed.")
    line_items: list[LineArgs] = Field(max_length=MOST_LINES, description="In the order to print.")
    revises: QuoteId | None = Field(
        default=None,
        description="Quote to revise: lines and terms are replaced as a whole.",
    )
    expected_version: int | None = Field(default=None, ge=1, description="Required with revises: as read.")
    idempotency_key: IdempotencyKey = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the database says of what was asked for; ``nearest`` has known ids that are spelt like an unknown one.

    ``books`` are those in the currency that fit the account; ``prices`` has by product the price that quote_price
    would take, with its book.
    """

    today: date
    account: Account | None
    offers: Mapping[str, ConfigurableProduct]
    relations: Sequence[Relation]
    books: Sequence[PriceBook]
    prices: Mapping[str, tuple[PriceBook, PriceBookEntry]]
    tax_rules: Sequence[TaxRule]
    booked_currencies: Sequence[str]
    units: Units
    decider: str | None = None
    """The role that decides first, where a price is on request."""
    nearest: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def recurs(self) -> bool:
        """Whether any of the lines is charged by the month or year."""
        return any(entry.recurring for _, entry in self.prices.values())


def with_ids(connection: Connection, lines: Sequence[LineArgs]) -> list[LineArgs]:
    """Returns the lines with product ids in place of SKUs and models."""
    ids = catalogue.ids_of_names(connection, names={line.product_id for line in lines})
    return [line.model_copy(update={"product_id": ids.get(line.product_id, line.product_id)}) for line in lines]


def surroundings(
    connection: Connection, *, account_id: str, product_ids: Collection[str], currency: str
) -> Surroundings:
    """Reads what a draft is held against, as it is now."""
    account, today = prices.account(connection, account_id=account_id), queries.today(connection)
    offers = catalogue.offers(connection, product_ids=product_ids)
    unknown = [product_id for product_id in product_ids if product_id not in offers]
    nearest = {product_id: catalogue.nearest(connection, product_id) for product_id in unknown}
    if account is None:
        nearest[account_id] = prices.accounts_alike(connection, account_id)
    books = prices.books(connection, currency=currency)
    entries = prices.entries(connection, product_ids=offers, book_ids=[book.id for book in books])
    decider, fitting = None, tuple[PriceBook, ...]()
    if account is not None:
        fitting = rank(books, buyer=account, currency=currency, on=today).fitting
        if any(entry.price is None for entry in entries):
            policy = prices.policy(connection, segment=account.segment)
            decider = policy.first_decider if policy else None
    return Surroundings(
        today=today,
        account=account,
        offers=offers,
        relations=catalogue.relations(connection, product_ids=offers),
        books=fitting,
        prices=sources(fitting, entries),
        tax_rules=prices.tax_rules(connection, country=account.country) if account else (),
        booked_currencies=catalogue.booked_currencies(connection),
        units=catalogue.units(connection),
        decider=decider,
        nearest=nearest,
    )


def problems(asked: AskedQuote, around: Surroundings) -> list[Problem]:
    """Finds everything that keeps a draft from being stored."""
    return [
        *_account_problems(asked.account_id, around),
        *_header_problems(asked, around),
        *_line_problems(asked.line_items, around),
        *_price_problems(asked, around),
    ]


def refusal(found: Sequence[Problem]) -> ToolError:
    """Makes one error of all problems; an unknown id decides its kind first, a product no longer sold last."""
    codes = {problem.code for problem in found}
    kind = NotFound if "NOT_FOUND" in codes else Conflict if codes == {"INACTIVE"} else ValidationFailed
    message = " ".join(f"{problem.path}: {problem.message}" for problem in found)
    count = "One thing has" if len(found) == 1 else f"{len(found)} things have"
    return kind(
        f"Nothing was written: {count} to change. {message}",
        details={"problems": [problem.model_dump() for problem in found]},
    )


def missing_fields(asked: AskedQuote, around: Surroundings) -> list[str]:
    """Returns the paths of what quote_price will need and the draft does not say yet."""
    found = ["term_months"] if asked.term_months is None and around.recurs else []
    for index, line in enumerate(asked.line_items):
        offer = around.offers[line.product_id]
        found += configuration.missing_attributes(line.wanted, offer, path=f"line_items[{index}]")
    return found


def rhythm(asked: AskedQuote, around: Surroundings) -> list[str]:
    """Tells which lines a billing rhythm taken from account or house is about, where other lines are charged once."""
    priced = dict.fromkeys(line.product_id for line in asked.line_items if line.product_id in around.prices)
    billed = [around.offers[name].name for name in priced if around.prices[name][1].recurring]
    if not billed or len(billed) == len(priced):
        return []
    return [f"Billed {asked.billing_frequency}: {', '.join(billed)}; the other lines once."]


def notices(asked: AskedQuote, around: Surroundings) -> list[str]:
    """Notes what is allowed and perhaps not meant, such as a start in the past."""
    start = iso_day(asked.start_date)
    past = start is not None and start < around.today
    said = [f"start_date {start} is in the past; today is {around.today}."] if past else []
    if around.account is None:
        return said
    if asked.payment_terms and around.account.due(asked.payment_terms) is None:
        said.append(
            f"'{asked.payment_terms}' {UNREAD}: a person has to approve it. {HOW} Give discounts as discount_pct."
        )
    if early := around.account.early_pct(asked.payment_terms or ""):
        name = around.account.name
        said.append(f"The {plainly(early)} % for paying early count as discount: they are not agreed with {name}.")
    tax = tax_notice(around.tax_rules, buyer=around.account, on=start or around.today)
    return [*said, tax] if tax else said


def violations(lines: Sequence[LineArgs], around: Surroundings) -> list[Problem]:
    """Finds what products require or exclude among themselves; a draft may break it, a priced quote may not."""
    return configuration.broken_relations(
        [line.wanted for line in lines],
        around.relations,
        names={offer.id: offer.name for offer in around.offers.values()},
        owned=around.account.owned_products if around.account else (),
    )


def awaited_prices(lines: Sequence[LineArgs], around: Surroundings) -> list[Problem]:
    """Finds the lines whose prices are on request; a draft may have them, a priced quote may not."""
    priced = [(index, line.product_id, *around.prices[line.product_id]) for index, line in enumerate(lines)]
    return [
        on_request(entry, book, name=around.offers[product_id].name, line=index, role=around.decider)
        for index, product_id, book, entry in priced
        if entry.price is None
    ]


def last_day(start: date, *, months: int) -> date:
    """Returns a term's last day: the day before the same day ``months`` later, or before that month's last one."""
    years, month = divmod(start.month - 1 + months, 12)
    year, month = start.year + years, month + 1
    same_day = min(start.day, calendar.monthrange(year, month)[1])
    return date(year, month, same_day) - timedelta(days=1)


def _account_problems(account_id: str, around: Surroundings) -> Iterator[Problem]:
    if around.account is None:
        message = f"No account '{account_id}'. {_nearest(account_id, around)}"
        yield Problem(code="NOT_FOUND", path="account_id", message=message)
    elif not around.account.active:
        yield Problem(code="INACTIVE", path="account_id", message=f"{around.account.name} is closed.")


def _header_problems(asked: AskedQuote, around: Surroundings) -> Iterator[Problem]:
    if asked.term_months is not None and not 1 <= asked.term_months <= LONGEST_TERM:
        message = f"{asked.term_months} is not within 1 and {LONGEST_TERM}."
        yield Problem(code="OUT_OF_RANGE", path="term_months", message=message)
    if asked.payment_terms is None:
        message = f"Neither the call, the account nor the house says when an invoice is due. {HOW}"
        yield Problem(code="MISSING", path="payment_terms", message=message)
    for path, text in (("start_date", asked.start_date), ("valid_until", asked.valid_until)):
        if text is None:
            continue
        given = iso_day(text)
        if given is None:
            yield Problem(code="INVALID_DATE", path=path, message=f"'{text}' is no date; write YYYY-MM-DD.")
        elif abs(given - around.today) > FURTHEST:
            yield Problem(code="OUT_OF_RANGE", path=path, message=f"{text} is more than ten years away.")
        elif path == "valid_until" and given < around.today:
            message = f"{text} is in the past; today is {around.today}."
            yield Problem(code="OUT_OF_RANGE", path=path, message=message)


def _line_problems(lines: Sequence[LineArgs], around: Surroundings) -> Iterator[Problem]:
    if not lines:
        yield Problem(code="MISSING", path="line_items", message="Give at least one line.")
    for index, line in enumerate(lines):
        path = f"line_items[{index}]"
        if not 0 <= line.discount_pct <= 100:
            message = f"{line.discount_pct} is not within 0 and 100."
            yield Problem(code="OUT_OF_RANGE", path=f"{path}.discount_pct", message=message)
        elif round(line.discount_pct, 4) != line.discount_pct:
            message = f"{line.discount_pct} has more than four decimals."
            yield Problem(code="OUT_OF_RANGE", path=f"{path}.discount_pct", message=message)
        if offer := around.offers.get(line.product_id):
            yield from configuration.line_problems(line.wanted, offer, path=path)
            continue
        message = f"No single product '{line.product_id}'. {_nearest(line.product_id, around)}"
        yield Problem(code="NOT_FOUND", path=f"{path}.product_id", message=message)
        if line.quantity <= 0:
            yield Problem(code="OUT_OF_RANGE", path=f"{path}.quantity", message=f"{line.quantity} is not above 0.")


def _price_problems(asked: AskedQuote, around: Surroundings) -> Iterator[Problem]:
    if asked.currency is None:
        if around.account is not None:
            message = "Neither the call, the account nor the house names one; write e.g. EUR."
            yield Problem(code="MISSING", path="currency", message=message)
        return
    if around.account is None:
        return
    if not around.books:
        sold = ", ".join(sorted(around.booked_currencies)) or "none"
        message = f"{around.account.name} has no price book in {asked.currency}; there are books in {sold}."
        yield Problem(code="NO_PRICE_BOOK", path="currency", message=message)
        return
    if asked.billing_frequency is None and around.recurs:
        message = "Prices recur, and neither the call, the account nor the house says how often they are billed."
        yield Problem(code="MISSING", path="billing_frequency", message=message)
    for index, line in enumerate(asked.line_items):
        offer, path = around.offers.get(line.product_id), f"line_items[{index}]"
        if line.product_id in around.prices:
            unit = around.prices[line.product_id][1].unit
            yield from configuration.parts(line.quantity, unit=unit, units=around.units, path=path)
            yield from configuration.contradictions(line.wanted, unit=unit, path=path)
        elif offer is not None and offer.active:
            message = f"{offer.name} has no price in {asked.currency} for {around.account.name}."
            if others := ", ".join(sorted({*around.booked_currencies} - {asked.currency})):
                message += f" Exchange rates convert no price: quote in {others} if it has one there, or load one."
            yield Problem(code="NO_PRICE", path=f"{path}.product_id", message=message)


def _nearest(unknown: str, around: Surroundings) -> str:
    near = around.nearest.get(unknown, ())
    return f"Nearest: {', '.join(near)}." if near else "Nothing is spelt alike."
