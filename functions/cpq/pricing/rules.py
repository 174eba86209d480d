"""Rules of a policy beside its discount caps: margins, terms and amounts, each with bands of who may approve."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from cpq.model import Key
from cpq.pricing.arithmetic import readable_pct
from quarry.money import Currency, Money
from quarry.tool.contract import Part

Outcome = Literal["AUTO_APPROVED", "APPROVAL_REQUIRED", "BLOCKED"]

QUOTE = "quote"
"""The subject of a check that is about the quote as a whole, where others have a line's id or category:<its name>."""

Measure = Literal[
    "margin_pct",
    "loss_pct",
    "payment_days",
    "term_months",
    "validity_days",
    "start_days",
    "invoices_per_year",
    "net_amount",
    "discount_amount",
]
"""loss_pct: how far below cost, in percent of the cost. start_days: from the day of pricing; negative is in the past.
net_amount: before tax.
"""
Scope = Literal["quote", "category", "line"]

MONEY: tuple[Measure, ...] = ("net_amount", "discount_amount")
OF_COST: tuple[Measure, ...] = ("margin_pct", "loss_pct")
"""Measures of costs: only approvers are told a verdict on them, because trying discounts would reveal a cost."""


Limit = Annotated[Money, Field(max_digits=18, decimal_places=4, allow_inf_nan=False)]


class RuleBand(BaseModel):
    """A band in which ``approver_role`` may approve, as far as ``limit``, itself included; None is without an end."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Limit | None = None
    approver_role: Key


class Rule(BaseModel):
    """A limit on a measure. Nobody is asked up to ``at_most`` or down to ``at_least``, one of which is given; bands
    lead away from it, and what the last does not reach is blocked. ``category`` narrows a rule of lines or
    categories; ``currency`` is that of an amount. A rule over costs with ``below_list_only`` asks nobody where all
    stands at list.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    measure: Measure
    scope: Scope = "quote"
    category: Key | None = None
    at_most: Limit | None = None
    at_least: Limit | None = None
    currency: Currency | None = None
    below_list_only: bool = False
    bands: tuple[RuleBand, ...] = Field(default=(), max_length=20)

    @model_validator(mode="after")
    def says_what_it_measures(self) -> Self:
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError(f"{self.measure}: give at_most or at_least")
        if (self.measure in MONEY) != (self.currency is not None):
            raise ValueError(f"{self.measure}: an amount has a currency, and nothing else has")
        if self.scope != "quote" and self.measure not in OF_COST:
            raise ValueError(f"{self.measure}: only margin_pct and loss_pct are measured by {self.scope}")
        if self.below_list_only and self.measure not in OF_COST:
            raise ValueError(f"{self.measure}: only margin_pct and loss_pct can be below_list_only")
        if self.scope == "quote" and self.category is not None:
            raise ValueError(f"{self.measure}: a rule about the whole quote has no category")
        return self

    @model_validator(mode="after")
    def bands_lead_away_from_what_is_free(self) -> Self:
        limits = [band.limit for band in self.bands]
        if None in limits[:-1]:
            raise ValueError(f"{self.measure}: only the last band may be without a limit")
        known = [self.free, *(limit for limit in limits if limit is not None)]
        rising = self.at_most is not None
        if any(nearer >= further if rising else nearer <= further for nearer, further in pairwise(known)):
            raise ValueError(f"{self.measure}: bands have to lead away from {known[0]}, one after the other")
        return self

    @property
    def free(self) -> Decimal:
        limit = self.at_least if self.at_most is None else self.at_most
        if limit is None:
            raise ValueError("a rule has at_most or at_least")
        return limit

    def keeps(self, actual: Fraction, limit: Decimal) -> bool:
        return actual >= limit if self.at_most is None else actual <= limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The reading of a measure; ``value`` is None where it cannot be known, and ``unknown`` says why."""

    measure: Measure
    scope: Scope
    subject: str
    category: str | None = None
    currency: str | None = None
    value: Fraction | None = None
    unknown: str | None = None


class RuleCheck(Part):
    """A reading held against a rule. What was measured is rounded so that it never reads as just kept."""

    rule: Rule = Field(description="The rule.")
    subject: str = Field(description="quote, a line's id, or category:<its name>.")
    actual: Money | None = Field(description="What the quote has, to four decimals; null where it cannot be known.")
    unknown: str | None = Field(description="Why it cannot be known.")
    threshold: Money = Field(description="Limit it was measured by.")
    outcome: Outcome = Field(description="What came of it.")
    approver_role: str | None = Field(description="Who would have to approve.")


def held_against(
    rules: Iterable[Rule], readings: Iterable[Measured], *, chain: Sequence[str]
) -> tuple[RuleCheck, ...]:
    """Checks every rule against every reading that it is about."""
    readings = tuple(readings)
    return tuple(
        check(rule, subject=reading.subject, actual=reading.value, unknown=reading.unknown, chain=chain)
        for rule in rules
        for reading in readings
        if _is_about(rule, reading)
    )


def check(
    rule: Rule, *, subject: str, actual: Fraction | None, unknown: str | None = None, chain: Sequence[str] = ()
) -> RuleCheck:
    """Checks a reading. An unknown one could be anything, so it needs the role that may approve most."""
    outcome: Outcome = "APPROVAL_REQUIRED"
    role: str | None = None
    threshold = rule.free
    if actual is None:
        role = rule.bands[-1].approver_role if rule.bands else next(reversed(chain), None)
        outcome = "APPROVAL_REQUIRED" if role else "BLOCKED"
    elif rule.keeps(actual, rule.free):
        outcome = "AUTO_APPROVED"
    else:
        reaching = (band for band in rule.bands if band.limit is None or rule.keeps(actual, band.limit))
        role = next((band.approver_role for band in reaching), None)
        if role is None:
            outcome = "BLOCKED"
            threshold = next((band.limit for band in reversed(rule.bands) if band.limit is not None), rule.free)
    limits = [rule.free, *(band.limit for band in rule.bands if band.limit is not None)]
    return RuleCheck(
        rule=rule,
        subject=subject,
        actual=None if actual is None else readable_pct(actual, limits=limits, decimals=4),
        unknown=unknown,
        threshold=threshold,
        outcome=outcome,
        approver_role=role,
    )


def _is_about(rule: Rule, reading: Measured) -> bool:
    return (
        rule.measure == reading.measure
        and rule.scope == reading.scope
        and rule.category in (None, reading.category)
        and (rule.measure not in MONEY or rule.currency == reading.currency)
    )
