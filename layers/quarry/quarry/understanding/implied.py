"""What is not said of an item itself: a competitor's model stands for needs, and some words hold for all items."""

from collections.abc import Sequence
from dataclasses import replace

from quarry.understanding.items import Segment
from quarry.understanding.marks import OIL
from quarry.understanding.names import LONGEST_MODEL, Mention, is_a_name
from quarry.understanding.needs import Item, Need
from quarry.understanding.text import Token, fold, key_of
from quarry.understanding.units import shown, unit_at
from quarry.understanding.words import Vocabulary

SHARED = frozenset(("industry", "use", "date", "outcome", "reason", "price", "customer", "salesperson", "quiet"))
"""What is said once for all items of a request."""
OILED_FAMILIES = frozenset(("compressor", "vacuum_pump", "blower"))
UNPOWERED = frozenset(("receiver", "filtration"))


def equivalent_at(
    text: str, words: Sequence[Token], place: int, taken: bytearray, *, vocabulary: Vocabulary
) -> Mention | None:
    """The longest model that begins at a token and of which the tenant says what it is worth."""
    if words[place].text[:2] not in vocabulary.equivalent_starts and len(words[place].text) > 1:
        return None
    key, best = "", None
    for last in range(place, min(place + LONGEST_MODEL, len(words))):
        token = words[last]
        if taken[last] or (last > place and not token.soft):
            break
        key += token.text
        known = next((each for each in vocabulary.equivalents.get(key, ()) if each.model), None)
        if known is None or not is_a_name(text, key, words, place, last + 1, vocabulary=vocabulary):
            continue
        # "Sierra 100 HP" names the power too, which is read as such.
        sized = token.number and last > place and unit_at(fold(text[token.end : token.end + 12]), 0) is not None
        if not sized or len(token.text) < len(key) - 1:
            best = Mention("model", frozenset({known.model}), place, last + (not sized), absent=True)
    return best


def equivalent_needs(needs: Sequence[Need], *, vocabulary: Vocabulary) -> list[Need]:
    """What competitors' machines that are named are worth; what the request says itself goes before."""
    if not vocabulary.equivalents:
        return []
    absent = [need for need in needs if need.absent and need.operator != "none_of"]
    makers = {fold(value) for need in absent if need.attribute == "manufacturer" for value in need.values}
    said = {need.attribute for need in needs}
    found: list[Need] = []
    for need in sorted(absent, key=lambda need: need.attribute != "model"):
        known = [
            each
            for value in sorted(need.values)
            for each in vocabulary.equivalents.get(key_of(value), ())
            if bool(each.model) == (need.attribute == "model")
        ]
        known.sort(key=lambda each: fold(each.maker) not in makers)
        for attribute, value in known[0].needs if known else ():
            if attribute not in said:
                found.append(_worth(attribute, value, named=need))
                said.add(attribute)
    return found


def _worth(attribute: str, value: str | float, *, named: Need) -> Need:
    if isinstance(value, str):
        values = OIL[value] if attribute == "lubrication" else frozenset({value})
        return Need(attribute, "one_of", values=values, words=named.words, shown=value.replace("_", " "),
                    start=named.start, of_equivalent=True)  # fmt: skip
    number = float(value)
    return Need(attribute, "about", number, number, words=named.words,
                shown=shown(attribute, "exactly", number, number), start=named.start, of_equivalent=True)  # fmt: skip


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
