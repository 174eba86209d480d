"""Whether lines can be sold together: attributes, quantities, and what products require and exclude."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cpq import attributes
from cpq.attributes import AttributeSpec
from cpq.model import Problem

MOST_UNITS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a line needs to know of its product."""

    id: str
    name: str
    active: bool
    attributes: Mapping[str, AttributeSpec]
    min_quantity: int
    max_quantity: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """``product_id`` requires, excludes or recommends ``related_id``."""

    product_id: str
    kind: Literal["requires", "excludes", "recommends"]
    related_id: str
    related_name: str
    related_active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A line as it was asked for."""

    product_id: str
    quantity: int
    attributes: Mapping[str, object]


def line_problems(line: Wanted, offer: Offer, *, path: str) -> Iterator[Problem]:
    """What no draft may hold: an inactive product, a quantity out of bounds, a wrong attribute."""
    if not offer.active:
        yield Problem(
            code="INACTIVE",
            path=f"{path}.product_id",
            message=f"{offer.name} is no longer sold; find another with catalog_search.",
        )
    if complaint := _quantity_complaint(line.quantity, offer):
        yield Problem(code="OUT_OF_RANGE", path=f"{path}.quantity", message=complaint)
    for fault in attributes.faults(offer.attributes, line.attributes):
        yield Problem(code=fault.code, path=f"{path}.attributes.{fault.name}", message=fault.message)


def missing_attributes(line: Wanted, offer: Offer, *, path: str) -> list[str]:
    """Paths of required attributes that are not set."""
    return [f"{path}.attributes.{name}" for name in attributes.missing(offer.attributes, line.attributes)]


def broken_relations(
    lines: Sequence[Wanted], relations: Collection[Relation], *, names: Mapping[str, str], owned: Collection[str]
) -> list[Problem]:
    """What products require and exclude among themselves, line by line.

    What the customer has already (``owned``) satisfies a requires, but never breaks an excludes: it may be
    the very thing that is replaced.
    """
    return [
        problem
        for index, line in enumerate(lines)
        for problem in (
            *_unmet(line, index, relations, chosen={line.product_id for line in lines}, owned=owned, names=names),
            *_clashes(line, index, lines, relations, names=names),
        )
    ]


def _unmet(
    line: Wanted,
    index: int,
    relations: Collection[Relation],
    *,
    chosen: Collection[str],
    owned: Collection[str],
    names: Mapping[str, str],
) -> Iterator[Problem]:
    for relation in relations:
        if relation.kind != "requires" or relation.product_id != line.product_id:
            continue
        if relation.related_id not in chosen and relation.related_id not in owned:
            yield Problem(
                code="REQUIRES",
                path=f"line_items[{index}].product_id",
                message=f"{names[line.product_id]} requires {relation.related_name}: add {relation.related_id}.",
            )


def _clashes(
    line: Wanted, index: int, lines: Sequence[Wanted], relations: Collection[Relation], *, names: Mapping[str, str]
) -> Iterator[Problem]:
    """Reported at the later of the two lines, once, whichever side says it."""
    pairs = {(item.product_id, item.related_id) for item in relations if item.kind == "excludes"}
    for earlier in dict.fromkeys(other.product_id for other in lines[:index]):
        if (line.product_id, earlier) in pairs or (earlier, line.product_id) in pairs:
            yield Problem(
                code="EXCLUDES",
                path=f"line_items[{index}].product_id",
                message=f"{names[line.product_id]} cannot be sold together with {names[earlier]}: drop one of them.",
            )


def _quantity_complaint(quantity: int, offer: Offer) -> str | None:
    if quantity < offer.min_quantity:
        return f"{quantity} is below the minimum of {offer.min_quantity}."
    most = min(offer.max_quantity or MOST_UNITS, MOST_UNITS)
    return f"{quantity} is above the maximum of {most}." if quantity > most else None
