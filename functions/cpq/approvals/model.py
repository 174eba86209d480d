"""Approval requests as they are stored, the facts that an approver is told, and rules over costs that were broken."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from cpq.model import PLAIN, VersionLine
from cpq.pricing.rules import OF_COST, QUOTE, RuleCheck
from cpq.pricing.trace import Trace
from quarry.money import Money, minor_units
from quarry.precedents.list_prices import recurring
from quarry.tool.contract import Part

RequestStatus = Literal["pending", "waiting", "approved", "rejected", "expired", "escalated", "void"]
OPEN: tuple[RequestStatus, ...] = ("pending", "waiting")

STATUS = (
    "pending: somebody has to decide; waiting: another role decides first; expired: nobody did in time; escalated: "
    "passed on to the next role; void: the quote was changed."
)


class CompetitorClaim(Part):
    """A competing offer as somebody tells of it: a claim that nobody has checked, in the quote's currency."""

    name: Annotated[str, Field(min_length=1, max_length=200), PLAIN] = Field(description="Who offers it.")
    price: (
        Annotated[
            Money,
            Field(ge=0, max_digits=18, allow_inf_nan=False),
            WithJsonSchema({"type": "number"}, mode="validation"),
        ]
        | None
    ) = Field(default=None, description="Their price, before tax.")
    scope: Annotated[str, Field(max_length=1000), PLAIN] | None = Field(default=None, description="What for.")


class ApprovalContext(Part):
    """What the approver is told beside the justification: all of it from data, null where there is none."""

    customer_tenure_months: int | None = Field(description="Whole months since the account became a customer.")
    payment_history: str | None = Field(description="Share of invoices paid on time, from the account's record.")
    competitor_discount: str | None = Field(
        description="A competing offer on record for the account; a claim in the justification does not count."
    )
    requested_discount: str = Field(description="Effective discount on the whole quote.")
    annual_value: Money = Field(description="Net value of the first twelve months, without tax.")
    currency: str = Field(description="ISO 4217 code of annual_value.")
    competitor_claim: CompetitorClaim | None = Field(default=None, description="As the request tells it, unchecked.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A row of cpq.approval_requests; ``overdue`` says that it is pending and that its time has passed."""

    id: str
    quote_id: str
    version: int
    content_hash: str
    status: RequestStatus
    approver_role: str
    level: int
    justification: str
    context: dict[str, Any]
    requested_by: str
    created_at: datetime
    expires_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    approver_name: str | None
    decision_comment: str | None
    voided_at: datetime | None
    void_reason: str | None
    escalated_to: str | None
    approved_up_to_pct: Decimal | None
    overdue: bool

    @property
    def left_undecided(self) -> bool:
        """Whether it ended without anybody's decision."""
        return self.decided_at is None and self.status not in OPEN

    @property
    def ended_at(self) -> datetime:
        """When it was decided or became void, or when it would have expired."""
        return self.decided_at or self.voided_at or self.expires_at

    def approves(self, version: int, *, content_hash: str | None) -> bool:
        return (self.status, self.version, self.content_hash) == ("approved", version, content_hash)

    @property
    def status_now(self) -> RequestStatus:
        """The status; an overdue request is expired, whether or not the schedule has noted it yet."""
        return "expired" if self.overdue else self.status


def requested_pct(context: Mapping[str, Any]) -> Decimal:
    return Decimal(str(context["requested_discount"]).removesuffix("%"))


def quote_discount(trace: Trace) -> Decimal:
    """Returns the effective discount on the whole quote in percent, the lines' and the quote's own together."""
    return next(check.actual_pct for check in trace.checks if check.subject == QUOTE)


def broken(trace: Trace) -> list[RuleCheck]:
    """Returns the checks of rules over costs that the quote does not pass, as it was priced."""
    return [each for each in trace.rule_checks if each.rule.measure in OF_COST and each.outcome != "AUTO_APPROVED"]


def months_between(since: date | None, today: date) -> int | None:
    """Returns the whole months from ``since`` to ``today``; None where ``since`` is unknown."""
    if since is None:
        return None
    months = (today.year - since.year) * 12 + today.month - since.month
    return max(0, months - (today.day < since.day))


def payment_history(paid: int | None, on_time: int | None) -> str | None:
    """Tells the share of invoices paid on time, rounded down: one late invoice in a thousand is not 100%."""
    if not paid or on_time is None:
        return None
    share = on_time * 100 // paid
    return "100% on-time" if on_time == paid else f"{share}% on-time ({on_time} of {paid} invoices)"


def annual_value(lines: Iterable[VersionLine], *, term_months: int | None, currency: str) -> Decimal:
    """Sums twelve months of each recurring line that runs longer than a year, and the whole of every other line."""
    value = Decimal(0)
    for line in lines:
        longer = recurring(line.unit) and term_months is not None and term_months > 12
        value += line.line_total * 12 / term_months if longer and term_months else line.line_total
    return value.quantize(Decimal(1).scaleb(-minor_units(currency)), ROUND_HALF_UP)
