"""The items of a request as a caller read them, and the needs that stored rows add to theirs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from psycopg.rows import DictRow
from pydantic import ConfigDict, Field

from quarry.attributes.model import Attributes, Value, unmarked, values_of
from quarry.money import Count
from quarry.needs.arguments import NeedRow, needs_of
from quarry.needs.model import BUILT_IN, Choice, Need, Unread, choices_of, of_families
from quarry.reading.languages import spelled
from quarry.text import fold, goods_named
from quarry.tool.contract import Args
from quotes import queries

MOST_ITEMS = 60
LINE_ID = re.compile(r"\s*(\S.*?)/(\d+)\s*")
Kind = Literal["goods", "service", "removal", "question"]


class RequestItem(Args):
    """One thing that is asked for, as the caller read it; nothing is split, resolved or guessed from its words."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    what: str = Field(min_length=1, max_length=400, description="A few words of the goods or the work.")
    kind: Kind = Field(default="goods", description="removal: past lines only; question: brings house, no search.")
    quantity: Annotated[Count, Field(default=1, validate_default=True, gt=0, le=100_000, description="How many.")]
    needs: list[NeedRow] = Field(default=[], max_length=20, description="Its musts, and wishes with wish.")
    machines: int = Field(default=1, ge=1, le=100, description="So many together meet the needs.")
    down: int = Field(default=0, ge=0, le=99, description="So many of them may be out.")
    like: str | None = Field(default=None, max_length=100, description="A past line to go by: Q24-0101/2.")
    replaces: str | None = Field(default=None, max_length=200, description="Model that goes; tells its size.")
    behind: Annotated[int, Field(ge=1, le=MOST_ITEMS)] | None = Field(
        default=None, alias="for", description="Number of the item it serves: takes that one's flow."
    )
    budget: float | None = Field(default=None, gt=0, description="Most for one, in currency.")

    @property
    def pieces(self) -> int:
        return max(1, int(self.quantity))


@dataclass(frozen=True, slots=True)
class First:
    """The first candidate of an item: model, attributes, and how many machines of it there will be."""

    name: str
    values: Mapping[str, Value]
    machines: int


type Derived = tuple[Sequence[Need], str | None]
"""(needs derived from stored rows, a note about them or None)."""


def asked_for(
    item: RequestItem, *, served: Mapping[int, First], attributes: Attributes, tenant: str
) -> tuple[Sequence[Need], Sequence[Unread], list[str]]:
    """Returns (the item's needs, those unread, where derived ones come from). Its own override those derived from the
    line that it is like, the model that it replaces and the item that it serves, whose first candidate ``served``
    has by item number.
    """
    needs, unread = needs_of(item.needs, attributes=attributes)
    said = {need.name for need in needs}
    derived = list(_derived(item, needs, served=served, attributes=attributes, tenant=tenant))
    also: dict[str, Need] = {}
    for need in (need for found, _ in derived for need in found):
        if need.name not in said:
            also.setdefault(need.name, need)
    return (*needs, *also.values()), unread, [note for _, note in derived if note]


def _derived(
    item: RequestItem, needs: Sequence[Need], *, served: Mapping[int, First], attributes: Attributes, tenant: str
) -> Iterator[Derived]:
    if item.like:
        yield _like(item.like, attributes=attributes, tenant=tenant)
    if item.replaces:
        yield _replaced(item.replaces, attributes=attributes, tenant=tenant)
    if item.behind is not None:
        yield _flow_needs(item, needs, served.get(item.behind), attributes=attributes)
    if item.kind in ("service", "removal") and (work := _families_of_work(attributes)):
        yield [Need(BUILT_IN["family"], tuple(Choice(value=each) for each in work), " | ".join(work))], None
    if item.budget:
        price = Choice("<=", item.budget, item.budget)
        yield [Need(BUILT_IN["price"], (price,), f"<= {item.budget:g}")], None


def _families_of_work(attributes: Attributes) -> list[str]:
    """Returns the families that are services by their key, name or synonym, in whatever language."""
    called = re.compile(spelled("service"))
    return [
        family
        for family, words in attributes.families.items()
        if any(called.fullmatch(fold(unmarked(word)[1])) for word in (family, *words))
    ]


def _like(line: str, *, attributes: Attributes, tenant: str) -> Derived:
    """Derives needs for goods like those of a past line, with a wish for the line's own model."""
    named = LINE_ID.fullmatch(line)
    row = queries.line_of(tenant, quote_number=named[1], position=int(named[2])) if named else None
    if row is None:
        return [], f"like: no line '{line}'; write Q24-0101/2."
    model = row["model"]
    same = [Need(BUILT_IN["model"], (Choice(value=model),), model, wish=True)] if model else []
    told = goods_named(row["manufacturer"], model) or row["category"]
    return [*same, *like(row, attributes=attributes)], f"Like {line}: {told}."


def _replaced(model: str, *, attributes: Attributes, tenant: str) -> Derived:
    row = queries.worth_of(tenant, model=model)
    if row is None:
        return [], f"replaces: nothing is known of '{model}'."
    goods = goods_named(row["manufacturer"], row["model"])
    told = f"Replaces {goods}, whose figures are asked for unless needs say otherwise."
    sold = Need(BUILT_IN["withdrawn"], (Choice(flag=False),), "no")
    return [sold, *like(row, attributes=attributes)], told


def _common_families(needs: Sequence[Need]) -> list[str]:
    """Returns the families that have every attribute needed; attributes that all families have are not counted."""
    had = [need.attribute.families for need in needs if need.attribute.families and not need.wish]
    return sorted(frozenset.intersection(*had)) if had else []


def _flow_needs(item: RequestItem, needs: Sequence[Need], first: First | None, *, attributes: Attributes) -> Derived:
    """Derives the flow that each machine of the item has to take: its share of what the machines before it give."""
    if first is None:
        return [], f"for: nothing was found for item {item.behind} whose flow it could take."
    families = of_families(needs, attributes=attributes) or _common_families(needs)
    if not families:
        told = f"for: name its family in needs, and it is judged by what {first.name} of item {item.behind} gives."
        return [], told
    share = first.machines / item.pieces
    found = [
        need for family in families for need in behind(family, first.values, attributes=attributes, machines=share)
    ]
    several = f"{first.machines} x " if first.machines > 1 else ""
    return found, f"Has to take what {several}{first.name} of item {item.behind} gives."


MOST_PRINTED = 6
"""How many attributes make goods alike: the first ones that a block of characteristics prints."""

FLOWS = frozenset(("volume flow", "mass flow"))
"""Dimensions of what flows from one machine into the next."""


def like(row: DictRow, *, attributes: Attributes) -> list[Need]:
    """Returns needs for goods like a row: its family, what it gives and its size as needs, the rest as wishes."""
    family, values = row["family"], values_of(row["attributes"])
    needs = [Need(BUILT_IN["family"], (Choice(value=family),), family)]
    printed = [one for one in attributes.by_name.values() if one.position is not None and one.is_of(family)]
    has = [one for one in sorted(printed, key=lambda one: (one.position or 0, one.name)) if one.name in values]
    for attribute in has[:MOST_PRINTED]:
        value = values[attribute.name]
        # How long or loud a row is says nothing of how long or loud another one may be.
        wish = attribute.kind != "number" or attribute.sense == "at_most"
        needs.append(Need(attribute, choices_of(value), value.shown(attribute.unit), wish=wish))
    return needs


def behind(family: str, values: Mapping[str, Value], *, attributes: Attributes, machines: float) -> list[Need]:
    """Returns the needs of goods of the family that are fed by the row's machines: the flow of ``machines`` of them,
    a fraction where several share it.
    """
    needs = []
    for name, value in values.items():
        attribute = attributes.by_name.get(name)
        unit = attributes.unit_of(attribute) if attribute else None
        if attribute is None or unit is None or value.high is None or not attribute.is_of(family):
            continue
        if unit.dimension in FLOWS and attribute.sense == "at_least":
            figure = value.high * machines
            asked = f">= {figure:.10g} {attribute.unit}"
            needs.append(Need(attribute, (Choice(">=", figure, figure),), asked))
    return needs
