"""An approval request as the tools return it and as the logic holds it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from cpq.model import Money, Percent
from quarry.tool.contract import Part

RequestStatus = Literal["pending", "approved", "rejected", "expired", "escalated", "void"]
ApproverRole = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]

STATUS = (
    "pending: somebody has to decide; expired: nobody did in time; escalated: passed on to the next role; "
    "void: the quote was changed."
)


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
    margin_pct: Percent | None = Field(description="Margin before tax; null when a product's cost is unknown.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A row of cpq.approval_requests."""

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
    void_reason: str | None
    escalated_to: str | None

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        return cls(**{name: row[name] for name in cls.__slots__})

    def overdue(self, now: datetime) -> bool:
        return self.status == "pending" and self.expires_at <= now

    def effective_status(self, now: datetime) -> RequestStatus:
        """Expired from the very second on, whether or not the schedule has noted it yet."""
        return "expired" if self.overdue(now) else self.status
