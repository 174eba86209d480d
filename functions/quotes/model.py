"""Past quotes and line items as the quotes tools return them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from quarry.money import Money, in_currency
from quarry.tool.contract import Args, Part

Status = Literal["won", "lost", "open"]


class QuoteCard(Part):
    """The facts of a past quote that a list of quotes shows."""

    quote_number: str = Field(description="Pass it to get_quote.")
    customer: str = Field(description="Attribution only, never text for somebody else.")
    quote_date: date = Field(description="Date of the quote.")
    industry: str | None = Field(description="Customer's industry.")
    status: Status = Field(description="Outcome.")
    total_price: Money | None = Field(description="Total in currency, optional items left out.")
    price_rationale: str | None = Field(description="Why it was priced so.")
    project: str | None = Field(description="Project title.")
    currency: str = Field(description="ISO 4217 code.")


class Quote(QuoteCard):
    """A whole past quote, without its line items."""

    contact: str | None = Field(description="Customer's contact.")
    salesperson: str | None = Field(description="Who wrote it.")
    summary: str | None = Field(description="What the project was about.")
    terms: str | None = Field(description="Terms as quoted.")


class QuoteSource(Part):
    """Attribution of a line item, in addition to its quote_number."""

    customer: str = Field(description="Customer.")
    quote_date: date = Field(description="Date.")
    project: str | None = Field(description="Project title.")
    status: Status = Field(description="Outcome.")


AMOUNTS = ("total_price", "list_price", "unit_price", "extended_price")


def with_digits(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the row with its amounts written with at least the decimals of its currency, whatever the file had."""
    amounts = {name: Decimal(str(row[name])) for name in AMOUNTS if row.get(name) is not None}
    return {**row, **{name: in_currency(amount, row["currency"]) for name, amount in amounts.items()}}


class PeriodArgs(Args):
    date_from: date | None = Field(default=None, description="Earliest.")
    date_to: date | None = Field(default=None, description="Latest.")

    @model_validator(mode="after")
    def dates_hold_a_day(self) -> Self:
        if self.date_from and self.date_to and self.date_from > self.date_to:
            raise ValueError(f"date_from {self.date_from} is after date_to {self.date_to}; swap them, or drop one")
        return self

    @property
    def period(self) -> list[tuple[str, object]]:
        """The filters that the dates stand for."""
        ends = ((">=", self.date_from), ("<=", self.date_to))
        return [("date", f"{sign} {day}") for sign, day in ends if day]
