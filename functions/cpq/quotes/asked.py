"""What a draft of a quote is made of: its header and lines, as quote_create is asked for them."""

from typing import Annotated

from pydantic import Field, WithJsonSchema

from cpq.accounts import ProspectArgs
from cpq.catalogue.configuration import Wanted
from cpq.model import PLAIN, BillingFrequency, IdempotencyKey, Percent, QuoteId
from cpq.payment import ProposedTerms
from quarry.money import Count
from quarry.tool.contract import MOST_WHOLE, Args

MOST_LINES = 500

DayText = Annotated[str, Field(max_length=40), WithJsonSchema({"type": "string", "format": "date"})]
"""A date as text; ``drafting`` reads it, so that a wrong one is reported beside whatever else is wrong."""


class LineArgs(Args):
    # Bounds that depend on data are not here: ``drafting.problems`` reports them all at once.
    product_id: Annotated[str, Field(min_length=1, max_length=100), PLAIN] = Field(description="Id, SKU or model.")
    quantity: Count = Field(le=MOST_WHOLE, description="Units, from 1; of what is measured parts, too.")
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
