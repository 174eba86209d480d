"""Needs that ask for goods like a given row: what it replaces, what it stands behind."""

from collections.abc import Iterator, Mapping

from quarry.attributes.model import Attributes, Value
from quarry.needs.model import BUILT_IN, Choice, Need, choices_of

MOST = 6
"""Attributes that tell goods apart at a glance: the first that a block of characteristics prints."""

FLOWS = frozenset(("volume flow", "mass flow"))
"""Dimensions of what runs through one machine into the next."""


def like(family: str, values: Mapping[str, Value], *, attributes: Attributes) -> list[Need]:
    """The family and the row's first attributes: figures in their own sense, texts and flags as wishes."""
    of_family = Need(BUILT_IN["family"], (Choice(value=family),), family)
    return [of_family, *_printed(family, values, attributes)]


def behind(family: str, values: Mapping[str, Value], *, attributes: Attributes, machines: float = 1) -> list[Need]:
    """What goods of the family have to take that stand behind the row: the flow of all its machines together, or
    their share of it.
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


def _printed(family: str, values: Mapping[str, Value], attributes: Attributes) -> Iterator[Need]:
    printed = [one for one in attributes.by_name.values() if one.position is not None and one.is_of(family)]
    has = [one for one in sorted(printed, key=lambda one: (one.position or 0, one.name)) if one.name in values]
    for attribute in has[:MOST]:
        value = values[attribute.name]
        wish = attribute.kind != "number"
        yield Need(attribute, choices_of(value), value.shown(attribute.unit), wish=wish)
