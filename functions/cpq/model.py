"""Types that modules of cpq share: money, ids, pages, quotes as tools return them and as they are stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, AwareDatetime, Field, PlainSerializer, WithJsonSchema

from quarry.money import Count, Money
from quarry.tool.contract import OpaquePart, Part

Percent = Annotated[Decimal, PlainSerializer(float, return_type=float)]
"""A JSON number: percentages are compared, never summed, and have at most four decimals."""

PercentArgument = Annotated[
    Decimal,
    Field(ge=0, le=100, decimal_places=4, allow_inf_nan=False),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 100}),
]

PLAIN = WithJsonSchema({"type": "string"})
"""Text whose bounds are checked and not shown: they would cost every client's context more than they tell."""

QuoteId = Annotated[str, Field(pattern=r"^[^\W_][\w ./#№+-]{0,39}$"), AfterValidator(str.upper), PLAIN]
"""A quote's number, accepted in any case and kept in capitals, as quotes are numbered."""

Status = Literal[
    "draft", "priced", "pending_approval", "approved", "rejected", "expired", "sent", "superseded", "discarded"
]
BillingFrequency = Literal["one_time", "monthly", "quarterly", "annual"]

Language = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
"""An ISO 639-1 code; documents exist in the languages that have a file of labels in templates/pdf/labels."""

Key = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]
"""The key of a segment, a role or a category."""

Pct = Annotated[Money, Field(ge=0, le=100, decimal_places=4, allow_inf_nan=False)]
Amount = Annotated[Money, Field(ge=0, max_digits=18, decimal_places=6, allow_inf_nan=False)]

# Arguments that several tools have.
ThisQuote = Annotated[QuoteId, Field(description="E.g. Q-2026-0042.")]
ExpectedVersion = Annotated[int | None, Field(ge=1, description="As read; another is a CONFLICT.")]
IdempotencyKey = Annotated[
    Annotated[str, Field(min_length=1, max_length=200)] | None,
    Field(description="New per write; a retry gets the stored answer."),
]
OwnersId = Annotated[
    Annotated[str, Field(min_length=1, max_length=100), PLAIN] | None,
    Field(description="Whose quote it is: another's is refused."),
]


class Tier(Part):
    """A volume tier; both of its ends belong to it."""

    min: int = Field(ge=1, description="From this quantity.")
    max: int | None = Field(default=None, ge=1, description="Up to this quantity; null is open.")
    price: Amount = Field(description="Price of every unit of a line whose quantity is in the tier.")


class Pagination(Part):
    total: int = Field(description="How many there are on all pages.")
    page: int = Field(description="This page, from 1.")
    per_page: int = Field(description="Most items of a page.")
    has_more: bool = Field(description="True when a later page holds more.")

    @classmethod
    def of(cls, *, total: int, page: int, per_page: int) -> Self:
        return cls(total=total, page=page, per_page=per_page, has_more=page * per_page < total)


class QuoteHeader(OpaquePart):
    """A version of a quote, without its lines."""

    id: str = Field(description="Quote id.")
    version: int = Field(description="Version: a change of an approved quote makes the next one.")
    current_version: int = Field(description="The newest version; where it is higher, this one is history.")
    account_id: str = Field(description="Customer.")
    account_name: str = Field(description="Customer's name as of this version.")
    deal_id: str | None = Field(description="Deal in the CRM.")
    status: Status = Field(
        description="draft: quote_price it; priced: approval_status says whether it may go out; pending_approval: a "
        "person decides; superseded: a newer version replaces it."
    )
    currency: str = Field(description="ISO 4217 code of every amount.")
    term_months: int | None = Field(description="Contract term; null when nothing recurs.")
    start_date: date | None = Field(description="First day of the term.")
    end_date: date | None = Field(description="Last day of the term.")
    billing_frequency: BillingFrequency = Field(description="How often the customer is billed.")
    payment_terms: str = Field(description="When an invoice is due.")
    valid_until: date = Field(description="Last day on which the customer can accept.")
    notes: str | None = Field(description="Internal notes: not for the customer.")
    created_at: AwareDatetime = Field(description="When the quote was created.")
    created_by: str = Field(description="Who created it.")
    updated_at: datetime = Field(description="When this version last changed.")
    finalized_at: datetime | None = Field(description="When it was approved, by a person or by policy.")
    sent_at: datetime | None = Field(description="When it was sent to the customer.")


class QuoteLine(Part):
    """A line of a quote; amounts are null until quote_price has run."""

    id: str = Field(description="Line id, unique within the quote's version.")
    quote_id: str = Field(description="Quote it stands in.")
    product_id: str = Field(description="Product.")
    product_name: str = Field(description="Product name as of this version.")
    sku: str = Field(description="SKU as of this version.")
    quantity: Count = Field(description="Units.")
    unit: str | None = Field(description="What one price buys, e.g. per_seat_per_month.")
    allowance: list[Money] | None = Field(default=None, description="From what to what the unit price may come.")
    unit_price: Money | None = Field(description="Price of one unit after the volume tier, before discount.")
    discount_pct: Percent = Field(description="Discount asked for this line.")
    discount_amount: Money = Field(default=Decimal(0), description="Amount taken off, the quote's discount included.")
    subtotal: Money | None = Field(description="Before discount and tax, over the whole term.")
    line_total: Money | None = Field(description="After discount, before tax.")
    attributes: dict[str, Any] = Field(default_factory=dict, description="Configuration.")
    notes: str | None = Field(description="Note on the line.")
    sort_order: int = Field(description="Position, from 1.")


class QuotePricing(Part):
    subtotal: Money = Field(description="Before discount and tax.")
    discount_total: Money = Field(description="Taken off.")
    tax_total: Money | None = Field(description="Tax on top; null: not determined, and total is before tax.")
    total: Money = Field(description="To pay.")
    currency: str = Field(description="ISO 4217 code.")
    requested_discount_pct: Percent = Field(
        description="Discount asked for the whole quote, on top of the lines' own."
    )
    price_book_id: str | None = Field(description="Price book.")
    price_book_name: str | None = Field(description="Its name.")
    priced_at: AwareDatetime = Field(description="When it happened.")
    pricing_trace_id: str = Field(description="Record of this pricing run; include_trace shows it.")


class VersionCard(OpaquePart):
    version: int = Field(description="Version.")
    status: Status = Field(description="Its status.")
    total: Money | None = Field(description="Its total; null when it was never priced.")
    created_at: AwareDatetime = Field(description="When it was made.")
    created_by: str = Field(description="By whom.")


class AuditEntry(OpaquePart):
    seq: int = Field(description="Place in the tenant's chain of records.")
    at: AwareDatetime = Field(description="When it happened.")
    actor: str = Field(description="Who did it.")
    action: str = Field(description="What was done, e.g. quote.priced.")
    before: dict[str, object] | None = Field(description="State before.")
    after: dict[str, object] | None = Field(description="State after.")


class ListedQuote(Part):
    id: str = Field(description="Quote id for quote_get.")
    version: int = Field(description="Newest version.")
    account_id: str = Field(description="Customer.")
    account_name: str = Field(description="Customer's name.")
    deal_id: str | None = Field(description="Deal in the CRM.")
    status: Status = Field(description="Status of that version.")
    currency: str = Field(description="ISO 4217 code of total.")
    total: Money | None = Field(description="Total with tax, before it where none is determined; null until priced.")
    valid_until: date = Field(description="Last day to accept.")
    created_at: AwareDatetime = Field(description="When the quote was created.")
    created_by: str = Field(description="By whom.")


class Problem(Part):
    """One thing that is wrong with a quote as it was asked for."""

    code: str = Field(description="What kind, e.g. NOT_FOUND, OUT_OF_RANGE, REQUIRES, EXCLUDES.")
    path: str = Field(description="Where in the arguments, e.g. line_items[1].quantity.")
    message: str = Field(description="What to change.")
    repair: str | None = Field(default=None, description="The change in short where there is one, e.g. add prod_sso.")


class Violation(Part):
    """A policy that the quote does not keep."""

    policy_id: str = Field(description="Policy.")
    policy_name: str = Field(description="Its name.")
    measure: str = Field(
        default="discount_pct",
        description="What was measured, the discount unless another is said; its unit is that of both numbers.",
    )
    line_id: str | None = Field(default=None, description="The line it is about; null: the quote as a whole.")
    severity: Literal["approval_required", "blocked"] = Field(
        description="approval_required: approval_request it; blocked: above the hard maximum, nobody can approve it."
    )
    description: str = Field(description="The breach in words.")
    threshold: Percent = Field(description="The cap or floor.")
    actual: Percent | None = Field(description="What the quote has; null where it cannot be known.")
    required_approver_role: str | None = Field(description="Who has to approve; null when nobody can.")


class PolicyEvaluation(Part):
    status: Literal["AUTO_APPROVED", "APPROVAL_REQUIRED", "APPROVED", "BLOCKED"] = Field(
        description="What the policies say; APPROVED: they asked for approval, and people gave it."
    )
    violations: list[Violation] = Field(description="Every rule that is not kept; empty when auto-approved.")
    reviewed: list[str] = Field(
        default_factory=list,
        description="What approvers alone see and look at, whatever the discount: approval_request hands it over.",
    )
    auto_approved: bool = Field(description="True: it may go to the customer without a person's approval.")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteVersion:
    """A version as it is stored. Amounts, ``priced_at`` and ``trace`` are None until it is priced; ``tax_total``
    stays None where tax is not determined.

    ``status`` is the stored one; ``ended`` says that ``valid_until`` has passed. ``account`` is the customer's row as
    it was when this version was drafted or priced.
    """

    quote_id: str
    version: int
    current_version: int
    account_id: str
    deal_id: str | None
    status: Status
    ended: bool
    account: Mapping[str, Any]
    currency: str
    term_months: int | None
    start_date: date | None
    end_date: date | None
    billing_frequency: str
    payment_terms: str
    valid_until: date
    notes: str | None
    subtotal: Decimal
    discount_total: Decimal
    tax_total: Decimal
    total: Decimal
    policy_evaluation: Mapping[str, Any] | None
    content_hash: str | None
    priced_at: datetime | None
    trace: Mapping[str, Any] | None

    @property
    def name(self) -> str:
        return f"{self.quote_id} version {self.version}"

    @property
    def net(self) -> Decimal:
        """The total before tax."""
        return self.subtotal - self.discount_total

    @property
    def status_now(self) -> Status:
        """The status as every answer gives it: an offer whose validity has ended is expired."""
        ends_by_itself = self.status in ("draft", "priced", "approved", "sent")
        return "expired" if self.ended and ends_by_itself else self.status

    @property
    def tax_missing(self) -> str | None:
        """Why a priced version may not go out: its total is before a tax that nobody knows."""
        if self.priced_at is None or self.tax_total is not None:
            return None
        return (
            f"Tax is not determined, because no tax rule is on record for {self.account['country']}: an "
            "administrator has to load one (tax_rules), then quote_price it again."
        )

    @property
    def evaluation(self) -> PolicyEvaluation | None:
        return None if self.policy_evaluation is None else PolicyEvaluation.model_validate(self.policy_evaluation)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """A line of a version as it is stored; fields that pricing sets are None until then."""

    id: str
    sort_order: int
    product_id: str
    sku: str
    product_name: str
    description: str
    quantity: Decimal | int
    attributes: Mapping[str, Any]
    discount_pct: Decimal
    notes: str | None
    unit: str
    allowance: Sequence[Decimal] | None
    base_unit_price: Decimal
    unit_price: Decimal
    subtotal: Decimal
    effective_discount_pct: Decimal
    discount_amount: Decimal
    tax_rate_pct: Decimal
    tax_amount: Decimal
    line_total: Decimal

    @property
    def is_described(self) -> bool:
        """Whether it says more than its name."""
        return self.description not in ("", self.product_name)
