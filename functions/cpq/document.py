"""What a printed quote shows: the values the layouts in templates/pdf/ get as JSON, and nothing internal."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints

Template = Literal["standard", "executive", "detailed", "renewal"]
Watermark = Literal["DRAFT", "APPROVED"]

Figure = Annotated[Decimal, PlainSerializer(lambda value: format(value, "f"), return_type=str)]
"""With exactly the digits to print: a layout groups them, and never calculates."""

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$")]


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Term(_Shown):
    title: str
    text: str


class Seller(_Shown):
    """A company profile: templates/pdf/company.toml, or companies/<tenant>.toml, whose comments describe the keys."""

    name: str = Field(min_length=1)
    address: list[str]
    phone: str | None = None
    email: str | None = None
    website: str | None = None
    registration: str | None = None
    logo: FileName | None = None
    signatory: str
    paper: str = "us-letter"
    accent: Colour = "#0b4f6c"
    tint: Colour = "#eef4f7"
    group_mark: str = Field(default=",", max_length=1)
    decimal_mark: str = Field(default=".", min_length=1, max_length=1)
    date_format: str = "[month repr:long] [day padding:none], [year]"
    closing: str | None = None
    terms: list[Term] = []


class Customer(_Shown):
    name: str
    contact: str | None
    email: str | None
    address: list[str]
    country: str
    tax_id: str | None


class Heading(_Shown):
    """What stands beside the customer's address."""

    id: str
    version: int
    date: date
    valid_until: date
    reference: str | None
    term: str | None
    start_date: date | None
    end_date: date | None
    billing: str
    payment: str
    currency: str


class Attribute(_Shown):
    name: str
    value: str


class Line(_Shown):
    """``amount`` is after discount and before tax; ``unit`` says per what the unit price is, if it recurs."""

    position: int
    name: str
    sku: str | None
    description: str | None
    attributes: list[Attribute]
    note: str | None
    quantity: int
    unit: str | None
    list_price: Figure | None
    unit_price: Figure
    subtotal: Figure
    discount_pct: Figure | None
    discount: Figure | None
    amount: Figure


class Tax(_Shown):
    name: str
    base: Figure
    amount: Figure


class Totals(_Shown):
    subtotal: Figure
    discount: Figure | None
    net: Figure
    taxes: list[Tax]
    tax: Figure
    total: Figure


class Others(_Shown):
    """Lines that a summary does not list: how many, and what they come to."""

    count: int
    amount: Figure


class Approval(_Shown):
    name: str
    role: str
    date: date


class TraceStep(_Shown):
    subject: str
    rule: str
    result: str


class Compared(_Shown):
    """A product's line before and now; a side is None where it was not, or is no longer, quoted."""

    name: str
    sku: str | None
    quantity_before: int | None
    price_before: Figure | None
    amount_before: Figure | None
    quantity: int | None
    price: Figure | None
    amount: Figure | None
    change: Figure | None


class Renewal(_Shown):
    """The agreement that this quote renews or replaces."""

    heading: Heading
    total: Figure
    change: Figure | None
    change_pct: Figure | None
    lines: list[Compared]


class QuoteDocument(_Shown):
    title: str
    watermark: Watermark | None
    seller: Seller
    customer: Customer
    quote: Heading
    lines: list[Line] = Field(min_length=1)
    highlights: list[int] = Field(description="Positions of the largest lines, the largest first.")
    others: Others | None
    totals: Totals
    approvals: list[Approval]
    trace: list[TraceStep]
    previous: Renewal | None
