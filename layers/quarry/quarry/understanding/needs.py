"""What a request asks for, as values: needs, items, and what a row answers to them."""

from dataclasses import dataclass
from typing import Literal

Operator = Literal["exactly", "about", "at_least", "at_most", "between", "one_of", "none_of"]
Verdict = Literal["met", "close", "unknown", "contradicted"]
VERDICTS: tuple[Verdict, ...] = ("met", "close", "unknown", "contradicted")
"""Best first."""
Language = Literal["en", "de", "es", "fr"]
Implied = Literal["equivalent", "name", "served", "attribute", "problem"]
SIZES = frozenset(("hp", "cfm", "gallons"))
"""Attributes by which a machine or a tank is called by its size."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing asked for, in canonical units: hp, cfm, psi, inhg (depth below atmosphere), dewpoint_f, gallons, dba,
    lb, in. A date is a number as well: 20240131. `words` is a verbatim part of the request, or of its first half
    where a compound says two things.
    """

    attribute: str
    operator: Operator
    low: float | None = None
    high: float | None = None
    values: frozenset[str] = frozenset()
    words: str = ""
    hard: bool = False
    """True: nothing else will do; a row that has something else is contradicted, never merely close."""
    shown: str = ""
    absent: bool = False
    """True for a maker or a model that the tenant's data does not hold."""
    machines: int | None = None
    """How many machines share the value: 2 for "two at 50 HP"; the value is that of one."""
    spare: int = 0
    """How many machines of a plant may be out while the others give the value: 1 for n+1."""
    start: int = 0
    unit: str | None = None
    """Of a figure of the tenant's own attributes, its unit, "" for none; None for what the trade measures."""
    implied_by: Implied | None = None
    """What it follows from where it is not said: a competitor's machine, the name of a model, the machine served, an
    attribute that only such a machine has, a problem that such a product answers.
    """
    alternatives: tuple[frozenset[str], ...] = ()
    """Parts of `values` of which any one will do: 400 V of three phases, or 230 V."""


@dataclass(frozen=True, slots=True)
class Item:
    text: str
    quantity: int | None
    needs: tuple[Need, ...]
    served: Need | None = None
    """The model that it is for, and of how many: "a dryer for two QGS-40"; no need of the item itself."""

    def need(self, attribute: str) -> Need | None:
        """The first need of that attribute, or None."""
        return next((need for need in self.needs if need.attribute == attribute), None)

    @property
    def families(self) -> frozenset[str]:
        found = self.need("family")
        return found.values if found is not None and found.operator == "one_of" else frozenset()


@dataclass(frozen=True, slots=True)
class Request:
    items: tuple[Item, ...]
    not_understood: tuple[str, ...]
    language: Language
    absent: tuple[Need, ...] = ()
    """Makers and models that are named and that the tenant's data does not hold."""

    unread: int = 0
    """Characters at the end of a long text that were not read."""

    options: bool = False
    """True where an option or an alternate is asked for."""

    @property
    def needs(self) -> tuple[Need, ...]:
        return tuple(need for item in self.items for need in item.needs)

    @property
    def families(self) -> frozenset[str]:
        """Of all its items; empty where it does not say."""
        return frozenset(family for item in self.items for family in item.families)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a row has for one need: "308 cfm" of a row that was asked for 350."""

    verdict: Verdict
    has: str
    need: Need


@dataclass(frozen=True, slots=True)
class Judgement:
    findings: tuple[Finding, ...]
    met: int
    close: int
    unknown: int
    contradicted: int
    overall: Verdict
