"""What is not said of an item itself: a competitor's model stands for needs, and some words hold for all items."""

import re
from collections.abc import Sequence
from dataclasses import replace

from quarry.understanding.items import Segment
from quarry.understanding.marks import OIL
from quarry.understanding.needs import Item, Need
from quarry.understanding.text import key_of
from quarry.understanding.units import HP_PER_KW, shown
from quarry.understanding.words import Vocabulary

SHARED = frozenset(("industry", "use", "date", "outcome", "reason", "price", "customer", "salesperson", "quiet"))
"""What is said once for all items of a request."""
OILED_FAMILIES = frozenset(("compressor", "vacuum_pump", "blower"))
SIZES_SOLD = frozenset(
    [
        5,
        7,
        7.5,
        10,
        11,
        15,
        18,
        20,
        22,
        25,
        30,
        37,
        40,
        45,
        50,
        55,
        60,
        75,
        90,
        100,
        110,
        125,
        132,
        150,
        160,
        175,
        200,
        250,
        300,
        350,
    ]
)
"""HP and kW of compressors as they are sold; another figure in a name is a number of the series."""
UNPOWERED = frozenset(("receiver", "filtration"))


def equivalent_needs(text: str, spoken: str, needs: Sequence[Need], *, vocabulary: Vocabulary) -> list[Need]:
    """What a competitor's model that is named is worth; its own words win over what its equivalent says."""
    if not vocabulary.equivalents:
        return []
    named = key_of(spoken)
    said = {need.attribute for need in needs}
    found: list[Need] = []
    for known in vocabulary.equivalents:
        key = key_of(known.model) or key_of(known.maker)
        words = _named(spoken, known.model or known.maker) if key and key in named else ""
        if not words:
            continue
        start = text.find(words)
        for attribute, value in known.needs:
            if attribute in said:
                continue
            if isinstance(value, str):
                values = OIL.get(value, frozenset({value})) if attribute == "lubrication" else frozenset({value})
                found.append(Need(attribute, "one_of", values=values, words=words, shown=value, start=start))
            else:
                number = float(value)
                found.append(Need(attribute, "about", number, number, words=words,
                                  shown=shown(attribute, "about", number, number), start=start))  # fmt: skip
        said |= {need.attribute for need in found}
    return found


def power_in_a_name(needs: Sequence[Need], *, vocabulary: Vocabulary) -> list[Need]:
    """The size that the name of an absent compressor tells: Sierra 100, QMB60. Some makers count in kW."""
    said = {need.attribute for need in needs}
    family = next((need.values for need in needs if need.attribute == "family"), frozenset({"compressor"}))
    model = next((need for need in needs if need.attribute == "model" and need.absent), None)
    if model is None or said & {"hp", "cfm"} or family != {"compressor"} or len(model.values) != 1:
        return []
    figures = [float(figure) for figure in re.findall(r"(?<!\d)\d{1,3}(?!\d)", next(iter(model.values)))]
    if len(figures) != 1 or figures[0] not in SIZES_SOLD:
        return []
    makers = {value for need in needs if need.attribute == "manufacturer" for value in need.values}
    power = round(figures[0] * HP_PER_KW) if makers & vocabulary.counting_kw else figures[0]
    return [Need("hp", "about", power, power, words=model.words, shown=shown("hp", "about", power, power),
                 start=model.start)]  # fmt: skip


def _named(text: str, name: str) -> str:
    """The words of the text that name it, as typed; "" where it is not named by whole words."""
    parts = [re.escape(part) for part in re.findall(r"[^\W_]+", name)]
    if not parts:
        return ""
    match = re.search(r"(?<![^\W_])" + r"[\W_]{0,2}".join(parts) + r"(?![^\W_])", text, re.IGNORECASE)
    return match[0] if match else ""


def shared(items: Sequence[Item], parts: Sequence[Segment]) -> list[Item]:
    """Items with what the request says once for all of them, and what an adjective says of two machines."""
    if len(items) < 2:
        return list(items)
    common: dict[str, list[Need]] = {}
    for item in items:
        for need in item.needs:
            if need.attribute in SHARED:
                common.setdefault(need.attribute, []).append(need)
    result: list[Item] = []
    for place, (item, part) in enumerate(zip(items, parts, strict=True)):
        said = {need.attribute for need in item.needs}
        if item.families and item.families <= UNPOWERED:
            said = said | {"voltage", "dba", "quiet"}
        added = [need for attribute, needs in common.items() if attribute not in said for need in needs]
        if place and part.bare:
            added.extend(_of_the_one_before(items[place - 1], item, said))
        result.append(replace(item, needs=(*item.needs, *added)))
    return result


def _of_the_one_before(before: Item, item: Item, said: set[str]) -> list[Need]:
    added = []
    oil = before.need("lubrication")
    if oil is not None and "lubrication" not in said and item.families & OILED_FAMILIES:
        added.append(oil)
    flow = before.need("cfm")
    if flow is not None and "cfm" not in said and item.families & {"dryer", "filtration"}:
        added.append(flow)
    return added
