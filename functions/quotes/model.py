"""Past quotes and line items as the quotes tools return them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field

from quarry.money import Money, in_currency
from quarry.precedents.line_parts import line_text
from quarry.precedents.mentions import Mentioning, MentionKind
from quarry.precedents.price_history import Quantity
from quarry.retrieval.vocabulary import Family, Lubrication
from quarry.tool.contract import OPAQUE, Part
from quarry.units import Metric, metric

Status = Literal["won", "lost", "open"]


class QuoteCard(Part):
    """What tells one past quote from another."""

    quote_number: str = Field(description="Pass it to get_quote.")
    customer: str = Field(description="Attribution only, never text for somebody else.")
    quote_date: date = Field(description="Date of the quote.")
    industry: str | None = Field(description="Customer's industry.")
    status: Status = Field(description="Outcome.")
    total_price: Money | None = Field(description="Total in currency, optional items left out.")
    price_rationale: str | None = Field(description="Why it was priced so.")


class Quote(QuoteCard):
    """A whole past quote, without its line items."""

    project: str = Field(description="Project title.")
    currency: str = Field(description="ISO 4217 code.")
    contact: str | None = Field(description="Customer's contact.")
    salesperson: str | None = Field(description="Who wrote it.")
    summary: str = Field(description="What the project was about.")
    terms: str | None = Field(description="Terms as quoted.")
    truncated: bool = Field(default=False, description="max_tokens cut the summary.")


class LineNumber(Part):
    quote_number: str = Field(description="Quote it stands in.")
    position: int = Field(description="Line number.")


class NamedInText(Part):
    """A person, company, place, quote number, date or price of the quote that a text is from."""

    model_config = ConfigDict(json_schema_extra={OPAQUE: True})

    kind: MentionKind = Field(description="What it is.")
    text: str = Field(description="As written.")
    start: int = Field(description="Where it begins in description.")


def _is_none(value: object) -> bool:
    return value is None


def parted(
    row: Mapping[str, Any], *, shown: str | None, quote: Mapping[str, Any], mentioning: Mentioning
) -> dict[str, object]:
    """The fields of a line that its text says beside what sells, and what ``shown`` names of its quote; where nothing
    is shown yet, the whole text is, whose other parts are told to be cut, and only what sells is read for names.
    """
    said = line_text(row["description"])
    text = row["description"] if shown is None else shown
    whole = shown is None
    cuts = said.beside if whole else ()
    found = mentioning.of(text, theirs=[quote["customer"], *([quote["contact"]] if quote["contact"] else [])])
    kept = [each for each in found if not any(cut.start <= each.start < cut.end for cut in cuts)]
    return {
        "cuts": [_begun(text[cut.start : cut.end].strip()) for cut in cuts] or None,
        "delivery_weeks": said.delivery_weeks,
        "warranty": None if whole else said.of("warranty")[:MOST_OF_A_TERM] or None,
        "payment": None if whole else said.of("payment")[:MOST_OF_A_TERM] or None,
        "alternate": said.alternate or None,
        "mentions": [
            NamedInText(kind=each.kind, text=text[each.start : each.end], start=each.start) for each in kept
        ] or None,
    }  # fmt: skip


def _begun(cut: str) -> str:
    """How a part begins and ends of a text that stands beside it."""
    return cut if len(cut) <= CUT_SHOWN else f"{cut[: CUT_SHOWN - CUT_END]} … {cut[-CUT_END:]}"


CUT_SHOWN, CUT_END = 60, 20
"""Characters that tell a part of a text, and of these those of its end."""

MOST_OF_A_TERM = 160
"""Characters of a warranty or of terms of payment, which precedents need and no letter does."""


class LineFacts(Part):
    """What a line may say; null means that it does not."""

    manufacturer: str | None = Field(description="Manufacturer.")
    model: str | None = Field(description="Model as quoted.")
    catalogue_model: str | None = Field(description="For get_specs; left out: the model.")
    unit_price: Money | None = Field(description="Then, per unit: a precedent, not a price.")
    extended_price: Money | None = Field(description="Then, for the line; left out: of one.")
    hp: float | None = Field(description="In HP.")
    cfm: float | None = Field(description="acfm.")
    psi: float | None = Field(description="PSIG.")
    vacuum_inhg: float | None = Field(description="inHg.")
    lubrication: Lubrication | None = Field(description="Where the text says it.")
    price_note: str | None = Field(description="Why this price was charged.")
    from_catalogue: list[str] | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="Values that the line does not say and its catalogue row does.",
    )
    disagrees: str | None = Field(
        default=None, exclude_if=lambda value: value is None, description="Where today's catalogue says otherwise."
    )
    cuts: list[str] | None = Field(
        default=None,
        exclude_if=_is_none,
        description="How parts of the description begin and end that may not go to somebody else.",
    )
    delivery_weeks: str | None = Field(default=None, exclude_if=_is_none, description="Told then.")
    warranty: str | None = Field(default=None, exclude_if=_is_none, description="Told then.")
    payment: str | None = Field(default=None, exclude_if=_is_none, description="Of that quote.")
    alternate: bool | None = Field(
        default=None, exclude_if=_is_none, description="Instead of or beside another line."
    )
    mentions: list[NamedInText] | None = Field(
        default=None, exclude_if=_is_none, description="Replace in the text before it is sent."
    )
    metric: Metric

    def with_metric(self) -> Self:
        return self.model_copy(update={"metric": metric(self.model_dump())})


class NumberedLine(LineNumber):
    category: str = Field(description="Printed heading.")
    family: Family = Field(description="Selects the characteristics template.")
    description: str = Field(description="Verbatim text: copy it to the letter.")
    truncated: bool = Field(default=False, description="max_tokens cut the description.")
    quantity: Quantity = Field(description="Quantity.")
    currency: str = Field(description="ISO 4217 code.")
    optional: bool = Field(description="An option, not in the total.")


class LineItem(LineFacts, NumberedLine):
    """One line of a past quote; the description is verbatim, typos included.

    Its fields are those that search_line_items' schema has.
    """

    model_config = ConfigDict(json_schema_extra={OPAQUE: True})


class QuoteSource(Part):
    """Attribution for a line item, beside its quote_number."""

    customer: str = Field(description="Customer.")
    quote_date: date = Field(description="Date.")
    project: str | None = Field(description="Only with full.")
    status: Status = Field(description="Outcome.")


class SameWords(Part):
    """Another line that says the same, whatever its case, order or punctuation."""

    model_config = ConfigDict(json_schema_extra={OPAQUE: True})

    quote_number: str = Field(description="Quote it stands in.")
    position: int = Field(description="Line number.")
    quote_date: date = Field(description="Date.")
    customer: str = Field(description="Customer.")
    status: Status = Field(description="Outcome.")
    unit_price: Money | None = Field(description="Price charged per unit then.")
    currency: str = Field(description="ISO 4217 code.")


AMOUNTS = ("total_price", "unit_price", "extended_price")


def with_digits(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row whose amounts have at least the digits of its currency, however the file had them."""
    amounts = {name: Decimal(str(row[name])) for name in AMOUNTS if row.get(name) is not None}
    return {**row, **{name: in_currency(amount, row["currency"]) for name, amount in amounts.items()}}


CURRENCY = "Of all prices, unless a result names its own."


def currency_of(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The commonest currency of the rows, to be said once; None without rows."""
    counted = Counter(str(row["currency"]) for row in rows).most_common(1)
    return counted[0][0] if counted else None


def refuse_empty_period(first: date | None, last: date | None) -> None:
    """Raises ValueError when no day lies between them."""
    if first and last and first > last:
        raise ValueError(f"date_from {first} is after date_to {last}; swap them, or drop one")
