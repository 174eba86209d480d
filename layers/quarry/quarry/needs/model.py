"""Needs, what of them could not be read, and what a row answers to them; the attributes that every row has."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.text import key_of

Operator = Literal["is", "=", ">=", "<=", ">", "<", "~", "?"]
"""``is`` asks in the sense of the attribute, ``=`` for the very figure."""
Verdict = Literal["met", "close", "unknown", "contradicted"]
KindOfRow = Literal["product", "line", "quote"]
"""What the needs are for. A quote is asked for by what was offered in it, as a line is."""

SIGNS: dict[Verdict, str] = {"met": "+", "close": "~", "unknown": "?", "contradicted": "-"}

DATE = "date"
DESCRIPTION = "description"
NAMES = frozenset(("customer", "manufacturer", "salesperson", "project", "contact"))
"""Attributes whose value is a name: a part of it is enough."""
PART_NUMBERS = frozenset(("model", "sku", "quote_number"))
"""Attributes whose value is compared by its letters and digits alone."""

BUILT_IN = {
    one.name: one
    for one in (
        *(Attribute(name) for name in ("family", "category", "manufacturer", "model", "series", "sku", "industry",
                                       "customer", "contact", "salesperson", "status", "project", "currency",
                                       "quote_number", "terms", "unit", DESCRIPTION, DATE)),
        *(Attribute(name, kind="number", sense="at_most") for name in ("price", "total", "list_price",
                                                                        "extended_price")),
        *(Attribute(name, kind="number") for name in ("quantity", "year")),
        Attribute("discount_pct", kind="number", unit="%"),
        *(Attribute(name, kind="flag") for name in ("optional", "reference", "withdrawn", "on_request")),
    )
}  # fmt: skip
"""What rows of every trade have beside the attributes that a tenant declares."""


class Choice(NamedTuple):
    """One of the alternatives of a need: a figure or a range in the attribute's unit, or a value.

    ``converted``: it was said in another unit, so that what is sold in round figures of this one may be a little off.
    """

    operator: Operator = "is"
    low: float | None = None
    high: float | None = None
    value: str = ""
    flag: bool | None = None
    converted: bool = False


def choices_of(value: Value, operator: Operator = "is") -> tuple[Choice, ...]:
    """What asks for the value: a figure or a range by the operator, or each of its texts."""
    if value.flag is not None:
        return (Choice(flag=value.flag),)
    if value.low is not None:
        return (Choice(operator, value.low, value.high),)
    return tuple(Choice(value=text) for text in value.texts)


class Need(NamedTuple):
    """``asked`` is what the caller wrote for ``is``. A wish is judged and never contradicts."""

    attribute: Attribute
    choices: tuple[Choice, ...]
    asked: str
    negated: bool = False
    wish: bool = False

    @property
    def is_silence(self) -> bool:
        """Rows are asked for that say nothing of the attribute, or negated those that say anything."""
        return self.choices[0].operator == "?"

    def __hash__(self) -> int:
        return hash((self.attribute.name, self.asked))

    @property
    def name(self) -> str:
        return self.attribute.name


class Unread(NamedTuple):
    """A need that could not be read, with how to ask instead."""

    attribute: str
    asked: str
    why: str

    def __str__(self) -> str:
        return f"{' '.join(filter(None, (self.attribute, self.asked)))}: {self.why}"


class Finding(NamedTuple):
    """``has`` is the row's value as the row has it, empty where it says nothing; ``distance`` how far its ``figure``
    is from what was asked, as a share, 0 where that is no figure.
    """

    need: Need
    verdict: Verdict
    has: str = ""
    distance: float = 0.0
    figure: float | None = None

    def __str__(self) -> str:
        return f"{self.need.name} {self.verdict}" + (f": {self.has}" if self.has else "")


@dataclass(frozen=True)
class Judgement:
    """What a row answers to all needs; those of wishes count apart."""

    findings: tuple[Finding, ...] = ()

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Of needs that are no wishes."""
        return [one.verdict for one in self.findings if not one.need.wish]

    def count(self, verdict: Verdict) -> int:
        return self.verdicts.count(verdict)

    @cached_property
    def contradicted(self) -> int:
        return self.verdicts.count("contradicted")

    @property
    def wishes_missed(self) -> int:
        return sum(one.need.wish and one.verdict != "met" for one in self.findings)

    @cached_property
    def is_met(self) -> bool:
        """Every need is met, none unknown or close."""
        return self.verdicts.count("met") == len(self.verdicts)

    @property
    def signs(self) -> str:
        """One sign a need: + met, ~ close, ? unknown, - contradicted; w for a wish that is not met."""
        return "".join("w" if one.need.wish and one.verdict != "met" else SIGNS[one.verdict] for one in self.findings)


def of_families(needs: Iterable[Need], *, attributes: Attributes) -> list[str]:
    """The families that the needs ask for, by name or in other words."""
    return [
        family
        for need in needs
        if need.name == "family" and not need.negated and not need.wish
        for choice in need.choices
        for family in (choice.value, *attributes.terms.get(("family", key_of(choice.value)), ()))
        if family in attributes.families
    ]
