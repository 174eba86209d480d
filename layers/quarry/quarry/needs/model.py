"""Needs, those that could not be read, judgements of rows by needs, and the attributes that every row has."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.text import key_of

Operator = Literal["is", "=", ">=", "<=", ">", "<", "~", "?"]
"""``is`` asks in the sense of the attribute, ``=`` for the very figure."""
Verdict = Literal["met", "close", "unknown", "contradicted"]
KindOfRow = Literal["product", "line", "quote"]
"""The kind of row that is asked for. A quote is asked for by what was offered in it, as a line is."""

SIGNS: dict[Verdict, str] = {"met": "+", "close": "~", "unknown": "?", "contradicted": "-"}
BEST_FIRST: Sequence[Verdict] = tuple(SIGNS)

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
                                       "quote_number", "terms", "unit", "price_note", DESCRIPTION, DATE)),
        *(Attribute(name, kind="number", sense="at_most") for name in ("price", "total", "list_price",
                                                                        "extended_price")),
        *(Attribute(name, kind="number") for name in ("quantity", "year")),
        Attribute("discount_pct", kind="number", unit="%"),
        *(Attribute(name, kind="flag") for name in ("optional", "reference", "withdrawn", "on_request")),
    )
}  # fmt: skip
"""Attributes that rows of every trade have beside those that a tenant declares."""


class Choice(NamedTuple):
    """One alternative of a need: a figure or a range in the attribute's unit, a text, or yes or no. ``converted``
    says that it was given in another unit, so that goods in round figures may be slightly off it, ``absolute`` that
    its unit had no reference and was taken as absolute for a vacuum.
    """

    operator: Operator = "is"
    low: float | None = None
    high: float | None = None
    value: str = ""
    flag: bool | None = None
    converted: bool = False
    absolute: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of its figure or range, which a text and a flag do not have."""
        assert self.low is not None
        assert self.high is not None
        return self.low, self.high


def choices_of(value: Value, operator: Operator = "is") -> tuple[Choice, ...]:
    """Returns the alternatives that ask for a value: its figure or range by the operator, or each of its texts."""
    if value.flag is not None:
        return (Choice(flag=value.flag),)
    if value.low is not None:
        return (Choice(operator, value.low, value.high),)
    return tuple(Choice(value=text) for text in value.texts)


class Need(NamedTuple):
    """A requirement on one attribute; ``asked`` is what the caller wrote for ``is``. A wish never contradicts, and
    with ``or_silent`` rows without a value meet it, too.
    """

    attribute: Attribute
    choices: tuple[Choice, ...]
    asked: str
    negated: bool = False
    wish: bool = False
    or_silent: bool = False

    @property
    def is_silence(self) -> bool:
        """Whether rows without a value are asked for or, negated, rows with any value."""
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
    """How a row answers a need; ``has`` is its value as the row has it, empty where it has none. ``distance`` is how
    far its figure or place in an order is from what was asked, as a share; 0 where it has neither. ``lacking`` says
    that goods of the row's family have no such attribute, for which it ranks as one that contradicts.
    """

    need: Need
    verdict: Verdict
    has: str = ""
    distance: float = 0.0
    lacking: bool = False

    def __str__(self) -> str:
        return f"{self.need.name} {self.verdict}" + (f": {self.has}" if self.has else "")


@dataclass(frozen=True)
class Judgement:
    """The findings of a row for all needs; wishes are counted apart."""

    findings: tuple[Finding, ...] = ()

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on needs that are not wishes, as rows are ranked by them."""
        return ["contradicted" if one.lacking else one.verdict for one in self.findings if not one.need.wish]

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
        """Whether every need is met, none unknown or close."""
        return self.verdicts.count("met") == len(self.verdicts)

    @property
    def signs(self) -> str:
        """One sign per need: + met, ~ close, ? unknown, - contradicted; w for a wish that is not met."""
        return "".join("w" if one.need.wish and one.verdict != "met" else SIGNS[one.verdict] for one in self.findings)


def amounts_in(needs: Iterable[Need], *, attributes: Attributes) -> str | None:
    """Returns the currency that amounts are compared in: the house's, unless needs say of which currency rows are."""
    return None if any(need.name == "currency" for need in needs) else attributes.currency


def of_families(needs: Iterable[Need], *, attributes: Attributes) -> list[str]:
    """Returns the families that the needs ask for, by name or by synonym."""
    return [
        family
        for need in needs
        if need.name == "family" and not need.negated and not need.wish
        for choice in need.choices
        for family in (choice.value, *attributes.terms.get(("family", key_of(choice.value)), ()))
        if family in attributes.families
    ]
