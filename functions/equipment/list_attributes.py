"""list_attributes: the attributes of goods, family by family, with their units, ranges and values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from pydantic import Field

from equipment import queries
from quarry.attributes.model import Attribute, Attributes
from quarry.attributes.points import Point, points_of
from quarry.needs.grammar import GRAMMAR
from quarry.retrieval.here import AGAIN_S, attributes_of
from quarry.text import key_of
from quarry.tool.contract import Args, LeanResult, Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "list_attributes",
    title="List attributes",
    toolset="equipment",
    description=f"""
        Read it before needs and filters: families with their counts, and of each family named its attributes with
        unit, what a bare figure asks for, range or commonest values. `is` is {GRAMMAR}. Words that stand in
        descriptions alone are asked of attribute description.
    """,
)

MOST_VALUES = 40
MOST_CHARACTERS = 3400
"""Most characters that describe one family."""

LONGEST_VALUE = 40

SENSES = {
    "at_least": "or more",
    "at_most": "or less",
    "about": "about",
    "exactly": "exactly",
    "covers": "a range that covers it",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """The commonest values of a text attribute, and how many different values it has."""

    values: list[str]
    of: int


NONE = Listed([], 0)


class ListAttributesArgs(Args):
    families: list[str] = Field(default=[], max_length=8, description="Of which families; unset: the families alone.")


class FamilyAttributes(Part):
    family: str = Field(description="Family.")
    rows: int = Field(description="Rows of the catalogue.")
    attributes: str = Field(
        description="A line each: name (unit, what a bare figure asks ±met..close), values, [rows having it], note."
    )


class ListAttributesResult(LeanResult):
    """The attributes that needs and filters can name."""

    families: dict[str, int] = Field(
        default={},
        description="All families, with rows of the catalogue where none or an unknown one was named.",
    )
    attributes: list[FamilyAttributes] = Field(default=[], description="Of the families asked for.")
    unknown: list[str] = Field(default=[], description="No families of this house.")


def run(args: ListAttributesArgs, caller: Caller) -> ListAttributesResult:
    counts = {str(row["family"]): int(row["rows"]) for row in queries.families(caller.tenant)}
    attributes = attributes_of(caller.tenant, kept_s=AGAIN_S)
    known = {family: counts.get(family, 0) for family in (*counts, *attributes.families)}
    called = {name: of[0] for (what, name), of in attributes.terms.items() if what == "family"}
    called |= {key_of(family): family for family in known}
    wanted = list(dict.fromkeys(called.get(key_of(family), family) for family in args.families))
    unknown = [family for family in wanted if family not in known]
    return ListAttributesResult(
        families={} if wanted and not unknown else known,
        attributes=[
            FamilyAttributes(
                family=family,
                rows=known[family],
                attributes=told_of(family, known[family], attributes, caller.tenant),
            )
            for family in wanted
            if family in known
        ],
        unknown=unknown,
    )


def told_of(family: str, rows: int, attributes: Attributes, tenant: str) -> str:
    """Describes a family's attributes, those that most of its rows have first, in at most MOST_CHARACTERS.

    Values are cut before attributes are, and the longest lists of values first.
    """
    ranges, values = queries.held(tenant, family=family, most=MOST_VALUES)
    listed: dict[str, Listed] = {}
    spelled = {name: {key_of(text): text for text in attributes.listed.get(name, ())} for name in attributes.by_name}
    for row in values:
        text = spelled.get(row["attribute"], {}).get(row["code"], str(row["value"]))
        listed.setdefault(row["attribute"], Listed([], row["of"])).values.append(_value(text, row["rows"]))
    held: dict[str, Mapping[str, Any]] = {row["attribute"]: row for row in ranges}
    of = _conditions(held, attributes)
    order = sorted(held, key=lambda name: (-held[name]["rows"], name))
    texts = [(f"{name}:", listed.get(name, NONE), "") for name in ("category", "manufacturer")]
    for name in order:
        attribute = attributes.by_name.get(name)
        if attribute is not None:
            texts.append(_of_attribute(attribute, held[name], listed.get(name, NONE), rows=rows, of=of.get(name)))
    return _within(texts)


def _conditions(held: dict[str, Mapping[str, Any]], attributes: Attributes) -> Mapping[str, str]:
    """Returns for each condition the attributes whose value depends on it.

    In ``held``, attributes that give a value at one point of a condition are replaced by the condition and its range.
    """
    found: dict[str, list[Point]] = {}
    for point in points_of(attributes):
        if point.name in held:
            found.setdefault(point.condition, []).append(point)
    for name, points in found.items():
        figures, rows = [one.figure for one in points], max(held.pop(one.name)["rows"] for one in points)
        held.setdefault(name, {"rows": rows, "low": min(figures), "high": max(figures)})
    return {name: ", ".join(dict.fromkeys(one.of for one in points)) for name, points in found.items()}


def _of_attribute(
    attribute: Attribute, held: Mapping[str, Any], values: Listed, *, rows: int, of: str | None
) -> tuple[str, Listed, str]:
    """Returns (name with unit, sense and range, its values, how many rows have it with notes)."""
    having = "" if held["rows"] == rows else f" [{held['rows']}]"
    having += f" · {attribute.note}" if attribute.note else ""
    having += f" · a need, at which {of} is judged" if of else ""
    match attribute.kind:
        case "number":
            asks = SENSES[attribute.sense] + _slack(attribute) if "kind" in held else ""
            told = ", ".join(filter(None, [attribute.unit, asks]))
            ends = "..".join(f"{end:g}" for end in dict.fromkeys((held["low"], held["high"])))
            return f"{attribute.name} ({told}): {ends}", NONE, having
        case "flag":
            return f"{attribute.name} (yes/no): {held['yes']} yes", NONE, having
    ordered = f" (ordered, {SENSES[attribute.sense]})" if attribute.ordered else ""
    return f"{attribute.name}{ordered}:", values, having


def _slack(attribute: Attribute) -> str:
    """Writes how far off a figure may be to be met and, if that is more, to be close, such as " ±10%..34%"."""
    sizes = [f"{size:g}" if attribute.absolute else f"{size:.0%}" for size in (attribute.met, attribute.close)]
    return f" ±{'..'.join(dict.fromkeys(sizes))}" if attribute.met or attribute.close else ""


def _value(text: str, rows: int) -> str:
    short = text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
    return f"{short} {rows}"


def _within(texts: Sequence[tuple[str, Listed, str]]) -> str:
    """Joins the lines, with as many values in each as fit together into MOST_CHARACTERS."""
    room = MOST_CHARACTERS
    while True:
        lines = [_line(name, values, having, room) for name, values, having in texts]
        text = "\n".join(lines)
        if len(text) <= MOST_CHARACTERS:
            return text
        if room == 1:
            return text[: text.rfind("\n", 0, MOST_CHARACTERS)]
        room = max(1, room * 9 // 10)


def _line(name: str, listed: Listed, having: str, room: int) -> str:
    """Writes an attribute's line with its first value and as many more as fit into ``room`` characters."""
    if not listed.values:
        return f"{name}{having}"
    lengths = accumulate(len(value) for value in listed.values)
    shown = listed.values[: max(1, sum(length <= room for length in lengths))]
    more = f", +{listed.of - len(shown)}" if listed.of > len(shown) else ""
    return f"{name} {', '.join(shown)}{more}{having}"


handler = serve(TOOL, ListAttributesArgs, run)
