"""Past quotes and line items as the quotes tools return them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, PlainSerializer

from quarry.retrieval.vocabulary import Family, Lubrication
from quarry.tool.contract import Part
from quarry.units import Metric, metric

Status = Literal["won", "lost", "open"]

Money = Annotated[
    Decimal,
    PlainSerializer(
        lambda value: format(value.normalize() if value % 1 else value.quantize(Decimal(1)), "f"),
        return_type=str,
    ),
]


class QuoteCard(Part):
    """What a list of past quotes shows of each."""

    quote_number: str = Field(description="Pass it to get_quote.")
    customer: str = Field(description="Customer: attribution only, never text of a draft for somebody else.")
    quote_date: date = Field(description="Date of the quote.")
    project: str = Field(description="Project title.")
    industry: str | None = Field(description="Customer's industry.")
    status: Status = Field(description="What became of it.")
    total_price: Money | None = Field(description="Total in currency, optional items left out.")
    currency: str = Field(description="ISO 4217 code.")
    price_rationale: str | None = Field(description="Why it was priced so.")


class Quote(QuoteCard):
    """A whole past quote, without its line items."""

    contact: str | None = Field(description="Customer's contact.")
    salesperson: str | None = Field(description="Who wrote it.")
    summary: str = Field(description="What the project was about.")
    terms: str | None = Field(description="Terms as quoted.")
    truncated: bool = Field(description="True when max_tokens cut the summary; ask without it for all of it.")


class LineItem(Part):
    """One line of a past quote; the description is verbatim, typos included."""

    quote_number: str = Field(description="Quote it stands in.")
    position: int = Field(description="Line number in the quote.")
    category: str = Field(description="Heading it was printed under.")
    family: Family = Field(description="Selects the characteristics template.")
    manufacturer: str | None = Field(description="Manufacturer; null for services.")
    model: str | None = Field(description="Model as quoted.")
    catalogue_model: str | None = Field(description="Model in today's catalogue for get_product, if it is there.")
    description: str = Field(description="Verbatim text: copy it to the letter.")
    truncated: bool = Field(description="True when max_tokens cut the description; ask get_quote for all of it.")
    quantity: Money = Field(description="Quantity.")
    unit_price: Money | None = Field(description="Price charged per unit then; a precedent, not a price.")
    extended_price: Money | None = Field(description="Price charged for the line then.")
    currency: str = Field(description="ISO 4217 code.")
    optional: bool = Field(description="Offered as an option, not part of the total.")
    hp: float | None = Field(description="HP, where the text says it.")
    cfm: float | None = Field(description="CFM, where the text says it.")
    psi: float | None = Field(description="PSIG, where the text says it.")
    vacuum_inhg: float | None = Field(description="Vacuum in inHg, where the text says it.")
    lubrication: Lubrication | None = Field(description="null where the text does not say.")
    price_note: str | None = Field(description="Why this price was charged.")
    disagrees: str | None = Field(
        default=None, exclude_if=lambda value: value is None, description="Where today's catalogue says otherwise."
    )
    metric: Metric

    def with_metric(self) -> Self:
        return self.model_copy(update={"metric": metric(self.model_dump())})


class QuoteSource(Part):
    """Attribution for a line item."""

    customer: str = Field(description="Customer of the source quote.")
    quote_number: str = Field(description="Number of the source quote.")
    quote_date: date = Field(description="Date of the source quote.")
    project: str = Field(description="Project of the source quote.")
    status: Status = Field(description="What became of the source quote.")


class SameWords(Part):
    """Another line that says the same, whatever its case, order or punctuation."""

    quote_number: str = Field(description="Quote it stands in.")
    position: int = Field(description="Line number in the quote.")
    quote_date: date = Field(description="Date of that quote.")
    customer: str = Field(description="Customer of that quote.")
    status: Status = Field(description="What became of that quote.")
    unit_price: Money | None = Field(description="Price charged per unit then.")
    currency: str = Field(description="ISO 4217 code.")


def refuse_empty_period(first: date | None, last: date | None) -> None:
    """Raises ValueError when no day lies between them."""
    if first and last and first > last:
        raise ValueError(f"date_from {first} is after date_to {last}; swap them, or drop one")


APART = 0.05
"""Share by which a line's quantity may differ from its catalogue row's; figures are rounded in texts."""

COMPARED = ("hp", "cfm", "psi", "vacuum_inhg", "lubrication")


def disagreement(line: Mapping[str, object], catalogue: Mapping[str, object] | None) -> str | None:
    """What a line says and its catalogue row denies, such as "hp 100 here, 75 in the catalogue"."""
    apart = []
    for name in COMPARED:
        ours, theirs = line.get(name), (catalogue or {}).get(name)
        if isinstance(ours, int | float) and isinstance(theirs, int | float):
            if abs(ours - theirs) > APART * abs(theirs):
                apart.append(f"{name} {ours:g} here, {theirs:g} in the catalogue")
        elif ours is not None and theirs is not None and ours != theirs:
            apart.append(f"{name} {ours} here, {theirs} in the catalogue")
    return "; ".join(apart) or None
