"""What a printed quote shows: the values that the layouts in templates/pdf/ get as JSON, and nothing internal."""

import calendar
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


def written_day(day: date, form: str) -> str:
    """Formats a date as the layouts do: the format is that of Typst's datetime.display."""

    def part(found: re.Match[str]) -> str:
        name, *said = found[1].split()
        how = dict(each.split(":") for each in said)
        number = {"day": day.day, "month": day.month, "year": day.year}[name]
        long = calendar.month_name[day.month]
        words = {"long": long, "short": long[:3]} if name == "month" else {"last_two": f"{day.year % 100:02}"}
        fill = {"zero": "0", "space": " ", "none": ""}[how.get("padding", "zero")]
        if (form_of := how.get("repr")) in words:
            return words[form_of]
        if form_of != {"year": "full", "month": "numerical"}.get(name) and form_of is not None:
            raise ValueError(form_of)
        return f"{number:{fill}>2}" if fill else str(number)

    return _DAY_PART.sub(part, form)


def _writable(form: str) -> str:
    try:
        written_day(date(2000, 1, 1), form)
        if set("[]") & set(_DAY_PART.sub("", form)):
            raise ValueError(form)
    except (KeyError, ValueError):
        raise ValueError(
            f"'{form}' is no date: write [day], [month] and [year], as [day padding:none], [month repr:long] or "
            "[year repr:last_two]"
        ) from None
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
    """The company that sends the quotes: templates/pdf/companies/sample.toml, whose comments describe the keys."""

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
    amount_mark: str | None = Field(default=None, min_length=1, max_length=1)
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
    """All lines of one product in a quote; ``price`` is None where they differ in it."""

    quantity: Count
    price: Figure | None
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
    """What every layout reads; ``country`` is the reader's."""

    language: Language = "en"
    country: str = ""
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
