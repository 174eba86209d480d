"""What is not said of an item itself: a competitor's model stands for needs, and some words hold for all items."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from quarry.understanding.heads import AUXILIARY, POWERED, Segment
from quarry.understanding.marks import OIL, Mark
from quarry.understanding.models import LONGEST_MODEL, is_a_name
from quarry.understanding.names import Mention, ModelName
from quarry.understanding.needs import SIZES, Item, Language, Need
from quarry.understanding.text import Token, fold, key_of
from quarry.understanding.units import HP_PER_KW, shown, unit_at
from quarry.understanding.words import Vocabulary

SHARED = frozenset((
    "industry", "use", "date", "outcome", "reason", "price", "customer", "salesperson", "quiet", "altitude_ft",
    "ambient_f", "particle_class", "water_class", "oil_class",
))  # fmt: skip
"""What is said once for all items of a request."""
TREATING = frozenset(("dryer", "filtration"))
"""What the air of a compressor passes, all of it."""
CFM_PER_HP = 4.5
"""What a rotary screw compressor delivers at 100 psi; the trade counts with 4 to 5."""
MOTORS_KW = frozenset((5.5, 7.5, 11, 15, 18.5, 22, 30, 37, 45, 55, 75, 90, 110, 132, 160, 200))
MOTORS: Mapping[Language, tuple[frozenset[float], float]] = MappingProxyType(
    {
        "en": (frozenset((5, 7.5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200)), 1.0),
        "de": (MOTORS_KW, HP_PER_KW),
        "fr": (MOTORS_KW, HP_PER_KW),
    }
)
"""Sizes of motors as they are counted in a language, and what one is in HP; 125 would be a pressure as well."""
OF_COMPRESSORS = frozenset(("screw", "scroll", "reciprocating", "centrifugal", "booster"))
NAMING_A_MACHINE = frozenset(("manufacturer", "family", "lubrication", "compression"))
COUNTED = 25
MOTOR = re.compile(r"\d{1,3}(?:[.,]5)?")
SIZES_SOLD = frozenset((
    5, 7, 7.5, 10, 11, 15, 18, 20, 22, 25, 30, 37, 40, 45, 50, 55, 60, 75, 90, 100, 110, 125,
    132, 150, 160, 175, 200, 250, 300, 350,
))  # fmt: skip
"""HP and kW of compressors as they are sold; another figure in a name is a number of the series."""
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
                    start=named.start, implied_by="equivalent")  # fmt: skip
    number = float(value)
    told = shown(attribute, "exactly", number, number)
    return Need(attribute, "about", number, number, words=named.words, shown=told,
                start=named.start, implied_by="equivalent")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """A model that is here, as far as another machine is compared with it."""

    maker: str
    family: str
    sizes: tuple[tuple[str, float], ...]
    lubrication: str = ""
    flow: float | None = None


REPLACED = re.compile(
    r"\b(?:ersatz (?:fur|von)|ersetzt|replac(?:es|ing|ement (?:for|of))|remplac(?:e|ant|ement (?:de|d|du))"
    r"|(?:reemplaz|sustitu)\w+(?: (?:a|de|del|por))?)"
    r"(?: (?:an?|the|our|den|die|das|unser\w*|einen?|l|le|la|un|une|el))?"
    r"(?: [\w-]+){0,2}\W{1,3}$"
)
"""What stands before a machine that is to be replaced, with its maker."""


def _is_replaced(item: Item, named: Need) -> bool:
    """Whether the model is the one that goes, "replaces a ZT 37": its size and kind are wanted, and not itself."""
    at = item.text.find(named.words)
    return at > 0 and REPLACED.search(fold(item.text[max(0, at - 60) : at])) is not None


def compared(item: Item, models: Mapping[str, Named]) -> Item:
    """The item with what a model is worth that is named for comparison: "alternative to GA75", "replacing a GA75".

    The model itself is not meant where another maker is asked for or what it is not: "… with something oil-free".
    """
    needs = [need for need in item.needs if need.attribute != "elsewhere"]
    named = item.need("model")
    known = [models[key] for key in map(key_of, named.values) if key in models] if named is not None else []
    replaced = named is not None and named.operator != "none_of" and _is_replaced(item, named)
    if named is None or (named.operator != "about" and not replaced) or len(known) != 1:
        return replace(item, needs=tuple(needs))
    [model] = known
    if item.families and model.family not in item.families:
        return replace(item, needs=tuple(needs))
    oil, makers = item.need("lubrication"), item.need("manufacturer")
    other = oil is not None and bool(model.lubrication) and model.lubrication not in oil.values
    if item.need("elsewhere") is not None:
        other, denied = True, replace(named, attribute="manufacturer", operator="none_of", hard=True,
                                      values=frozenset({model.maker}), shown=f"not {model.maker}")  # fmt: skip
        needs = [*(need for need in needs if need.attribute != "manufacturer"), denied]
    elif replaced:
        other = True
        needs = [need for need in needs if need is not makers or model.maker not in need.values]
    elif makers is not None and makers.operator == "one_of" and model.maker in makers.values:
        others = makers.values - {model.maker}
        other = other or bool(others)
        wanted = [replace(makers, values=others, shown=", ".join(sorted(others)), hard=True)] if others else []
        needs = [*(need for need in needs if need is not makers), *wanted]
    if other:
        needs = [need for need in needs if need is not named]
    said = {need.attribute for need in needs}
    sizes = () if said & SIZES else model.sizes
    worth: list[tuple[str, str | float]] = [("family", model.family), *sizes, ("lubrication", model.lubrication)]
    added = [_worth(attribute, value, named=named) for attribute, value in worth if value and attribute not in said]
    return replace(item, needs=(*needs, *added))


VARIANTS: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {("feature", "stainless"): ("ss",), ("drive", "variable-speed"): ("vsd", "vfd", "vs")}
)
"""What makers write behind a model for what tells its variant apart."""


def as_variant(item: Item, *, names: Mapping[str, Sequence[ModelName]]) -> Item:
    """The item with the variant of its model that its words ask for: "VR-1060 stainless" is VR-1060SS."""
    named = item.need("model")
    if named is None or named.absent or named.operator != "one_of" or len(named.values) != 1:
        return item
    key = key_of(next(iter(named.values)))
    for need in item.needs:
        for value in need.values if need.operator == "one_of" else ():
            for ending in VARIANTS.get((need.attribute, value), ()):
                if len(meant := names.get(key + ending, ())) == 1:
                    [model] = meant
                    variant = replace(named, values=frozenset({model.model}), shown=model.model)
                    return replace(item, needs=tuple(variant if each is named else each for each in item.needs))
    return item


def bare_power(words: Sequence[Token], marks: Sequence[Mark], taken: bytearray, *, language: Language) -> Mark | None:
    """A compressor's power as a figure without a unit, "Quincy 100 oilless"; None where several figures may be it."""
    said = {mark.attribute for mark in marks}
    families = {value for mark in marks if mark.attribute == "family" for value in mark.values}
    kinds = {value for mark in marks if mark.attribute == "compression" for value in mark.values}
    told = families or "lubrication" in said or kinds
    if "hp" in said or language not in MOTORS or families - {"compressor"} or kinds - OF_COMPRESSORS or not told:
        return None
    sizes, factor = MOTORS[language]
    naming = [mark for mark in marks if mark.attribute in NAMING_A_MACHINE]
    begins, ends = {mark.first for mark in naming}, {mark.last for mark in naming}
    figures = [
        (place, token, float(token.text.replace(",", ".")))
        for place, token in enumerate(words)
        if token.number and not taken[place] and MOTOR.fullmatch(token.text)
    ]
    if len(figures) != 1 or figures[0][2] not in sizes:
        return None
    [(place, token, size)] = figures
    # Before a machine a small number counts machines.
    last = place + 1
    if language == "de" and last < len(words) and words[last].text == "er" and words[last].gap == "":
        last += 1  # a "37er" is a machine of 37 kW
    beside = (place in ends and token.gap == " ") or (last in begins and size >= COUNTED) or last > place + 1
    apart = last == len(words) or words[last].gap[:1] in (" ", ",", "\n")
    if not beside or not apart:
        return None
    value = size * factor
    return Mark("hp", place, last, token.start, words[last - 1].end, operator="about", low=value, high=value)


def power_in_a_name(needs: Sequence[Need], *, vocabulary: Vocabulary) -> list[Need]:
    """The size that the name of an absent compressor tells: Sierra 100, QMB60. Some makers count in kW."""
    said = {need.attribute for need in needs}
    family = next((need.values for need in needs if need.attribute == "family"), frozenset({"compressor"}))
    absent = (need for need in needs if need.attribute == "model" and need.absent and need.operator != "none_of")
    model = next(absent, None)
    if model is None or said & {"hp", "cfm"} or family != {"compressor"} or len(model.values) != 1:
        return []
    figures = [float(figure) for figure in re.findall(r"(?<!\d)\d{1,3}(?!\d)", next(iter(model.values)))]
    if len(figures) != 1 or figures[0] not in SIZES_SOLD:
        return []
    makers = {value for need in needs if need.attribute == "manufacturer" for value in need.values}
    power = round(figures[0] * HP_PER_KW) if makers & vocabulary.counting_kw else figures[0]
    return [Need("hp", "about", power, power, words=model.words, shown=shown("hp", "about", power, power),
                 start=model.start, implied_by="name")]  # fmt: skip


def shared(items: Sequence[Item], parts: Sequence[Segment]) -> list[Item]:
    """Items with what the request says once for all of them, and what an adjective says of two machines."""
    if len(items) < 2:
        return list(items)
    common: dict[str, list[Need]] = {}
    for item in items:
        for need in item.needs:
            if need.attribute in SHARED:
                common.setdefault(need.attribute, []).append(need)
    flow = _passing(items)
    result: list[Item] = []
    for place, (item, part) in enumerate(zip(items, parts, strict=True)):
        said = {need.attribute for need in item.needs}
        if item.families and item.families <= UNPOWERED:
            said = said | {"voltage", "dba", "quiet"}
        added = [need for attribute, needs in common.items() if attribute not in said for need in needs]
        own = item.need("cfm")
        passed = bool(item.families) and item.families <= TREATING and "model" not in said
        if flow is not None and passed and (own is None or own.implied_by):
            item = replace(item, needs=tuple(need for need in item.needs if need is not own))
            added.append(flow)
            said = said | {"cfm"}
        elif passed and own is None and (flow_of_them := _made_beside(items)) is not None:
            added.append(flow_of_them)
            said = said | {"cfm"}
        if place and part.bare:
            added.extend(_of_the_one_before(items[place - 1], item, said))
        result.append(replace(item, needs=(*item.needs, *added)))
    return result


def _passing(items: Sequence[Item]) -> Need | None:
    """The flow that a request says once, of what air passes: "a prefilter and an afterfilter, 330 cfm"."""
    said = [
        (item, need)
        for item in items
        for need in item.needs
        if need.attribute == "cfm" and need.operator in ("exactly", "about", "at_least") and not need.implied_by
    ]
    flows = {need.low: need for _, need in said}
    several = any(need.machines or (item.quantity or 1) > 1 for item, need in said if not item.families <= TREATING)
    return next(iter(flows.values())) if len(flows) == 1 and not several else None


def _made_beside(items: Sequence[Item]) -> Need | None:
    """What the only compressor that is asked for beside a dryer or filter gives, by its power."""
    machines = [item for item in items if item.need("hp") is not None and item.families <= {"compressor"}]
    others = [item for item in items if not item.families <= AUXILIARY and item not in machines]
    power = machines[0].need("hp") if len(machines) == 1 and not others else None
    if power is None or power.operator not in ("exactly", "about") or not power.low:
        return None
    flow = power.low * CFM_PER_HP * (power.machines or machines[0].quantity or 1)
    told = f"{shown('cfm', 'about', flow, flow)}, assumed of {power.shown}"
    return replace(power, attribute="cfm", operator="about", low=flow, high=flow, hard=False, machines=None,
                   shown=told, implied_by="served")  # fmt: skip


def _of_the_one_before(before: Item, item: Item, said: set[str]) -> list[Need]:
    added = []
    oil = before.need("lubrication")
    if oil is not None and "lubrication" not in said and item.families & POWERED:
        added.append(oil)
    flow = before.need("cfm")
    if flow is not None and "cfm" not in said and item.families & {"dryer", "filtration"}:
        added.append(flow)
    return added
