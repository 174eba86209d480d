"""What a printed quote shows: the values that the layouts in templates/pdf/ get as JSON, and nothing internal."""

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from cpq.model import Language
from quarry.money import Count, Money

Template = Literal["standard", "executive", "detailed", "renewal"]
Watermark = Literal["DRAFT", "APPROVED"]

Figure = Money
"""A number with exactly the digits to print: a layout groups them, and never calculates."""

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")]
_DAY_PART = re.compile(r"\[([^\[\]]++)\]")


_DAY_FORMS = {
    "day": "{:%d}", "day padding:zero": "{:%d}", "day padding:none": "{0.day}", "day padding:space": "{0.day:>2}",
    "month": "{:%m}", "month padding:zero": "{:%m}", "month padding:none": "{0.month}",
    "month padding:space": "{0.month:>2}", "month repr:numerical": "{:%m}", "month repr:long": "{:%B}",
    "month repr:short": "{:%b}", "year": "{0.year}", "year repr:full": "{0.year}", "year repr:last_two": "{:%y}",
}  # fmt: skip


def written_day(day: date, form: str) -> str:
    """Formats a date as the layouts do: the format is that of Typst's datetime.display."""
    return _DAY_PART.sub(lambda part: _DAY_FORMS[part[1]].format(day), form)


def _writable(form: str) -> str:
    if not _DAY_FORMS.keys() >= set(_DAY_PART.findall(form)) or set("[]") & set(_DAY_PART.sub("", form)):
        raise ValueError(
            f"'{form}' is no date: write [day], [month] and [year], as [day padding:none], [month repr:long] or "
            "[year repr:last_two]"
        )
    return form


DayFormat = Annotated[str, AfterValidator(_writable)]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$")]


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Term(FrozenModel):
    """A term of sale. With a ``language`` it replaces, in documents of that language, those without one. ``about``
    delivery: a letter with a term of its own leaves it out; signature: one that nobody signs does.
    """

    title: str
    text: str
    language: Language | None = None
    about: Literal["delivery", "signature"] | None = None


class Seller(FrozenModel):
    """The company that sends the quotes: templates/pdf/company.toml, whose comments describe the keys."""

    name: str = Field(min_length=1)
    address: list[str]
    phone: str | None = None
    email: str | None = None
    website: str | None = None
    registration: str | None = None
    logo: FileName | None = None
    signatory: str | None = None
    paper: str = "us-letter"
    accent: Colour = "#0b4f6c"
    tint: Colour = "#eef4f7"
    group_mark: str | None = Field(default=None, max_length=1)
    groups: int | None = Field(default=None, ge=2, le=4)
    decimal_mark: str | None = Field(default=None, min_length=1, max_length=1)
    date_format: DayFormat | None = None
    closing: str | None = None
    terms: list[Term] = []


class Customer(FrozenModel):
    name: str
    contact: str | None
    email: str | None
    address: list[str]
    country: str
    tax_id: str | None


class Heading(FrozenModel):
    """The facts that stand beside the customer's address."""

    id: str
    version: int
    issued: date
    valid_until: date
    reference: str | None
    term: str | None
    start_date: date | None
    end_date: date | None
    billing: str
    payment: str
    currency: str


class PrintedAttribute(FrozenModel):
    name: str
    value: str


class Line(FrozenModel):
    """A printed line; ``amount`` is after discount, before tax; ``unit`` is what a price buys, None for one piece;
    ``measure`` is the symbol in which a quantity is measured that is no number of pieces.
    """

    position: int
    name: str
    sku: str
    description: str | None
    attributes: list[PrintedAttribute]
    note: str | None
    quantity: Count
    measure: str | None = None
    unit: str | None
    list_price: Figure | None
    unit_price: Figure
    subtotal: Figure
    discount_pct: Figure | None
    discount: Figure | None
    amount: Figure


class Others(FrozenModel):
    """The lines that a summary does not list, as a number, which may be 0, and a sum."""

    count: int
    amount: Figure


class Tax(FrozenModel):
    name: str
    base: Figure
    amount: Figure


class Totals(FrozenModel):
    """``subtotal`` less ``discount`` is ``net``; with ``tax``, the sum of ``taxes``, it is ``total``."""

    subtotal: Figure
    discount: Figure | None
    net: Figure
    taxes: list[Tax]
    tax: Figure
    total: Figure


class Charge(FrozenModel):
    """A payment before tax, made once or each period of the term; ``exact`` says that ``each`` is not rounded."""

    period: Literal["once", "month", "quarter", "year"]
    count: int
    each: Figure
    exact: bool
    total: Figure


class Signature(FrozenModel):
    name: str
    role: str
    decided: date


class TraceStep(FrozenModel):
    subject: str
    rules: list[str]
    result: Figure


class Side(FrozenModel):
    quantity: Count
    price: Figure
    amount: Figure


class ChangedProduct(FrozenModel):
    """A product before and now; a side is None where it was not, or is no longer, quoted."""

    name: str
    sku: str
    before: Side | None
    now: Side | None
    change: Figure | None


class Renewal(FrozenModel):
    """The agreement that this quote renews; ``change`` is None where the currency is another."""

    heading: Heading
    total: Figure
    change: Figure | None
    change_pct: Figure | None
    lines: list[ChangedProduct]


class Printed(FrozenModel):
    """What every layout reads."""

    language: Language = "en"
    seller: Seller


class QuoteDocument(Printed):
    """A quote as its layout reads it. ``highlights`` are positions of the largest lines, the largest first, and
    ``others`` sums up the rest.
    """

    title: str
    watermark: Watermark | None
    customer: Customer
    quote: Heading
    lines: list[Line] = Field(min_length=1)
    highlights: list[int]
    others: Others
    totals: Totals
    charges: list[Charge] = []
    approvals: list[Signature]
    trace: list[TraceStep]
    previous: Renewal | None
