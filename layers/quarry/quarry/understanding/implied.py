"""What is not said of an item itself: a competitor's model stands for needs, and some words hold for all items."""

import re
from collections.abc import Sequence
from dataclasses import replace

from quarry.understanding.items import Segment
from quarry.understanding.marks import OIL
from quarry.understanding.needs import Item, Need
from quarry.understanding.text import key_of
from quarry.understanding.units import shown
from quarry.understanding.words import Vocabulary

SHARED = frozenset(("industry", "use", "date", "outcome", "reason", "price", "customer", "salesperson", "quiet"))
"""What is said once for all items of a request."""
OILED_FAMILIES = frozenset(("compressor", "vacuum_pump", "blower"))
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
