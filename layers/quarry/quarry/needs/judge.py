"""How well a row meets a need: met, close, unknown or contradicted, by the attribute's sense and tolerances."""

import math
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from quarry.attributes.model import Attribute, Attributes, Sense, Value
from quarry.needs.model import BEST_FIRST, BUILT_IN, DESCRIPTION, NAMES, PART_NUMBERS, Choice, Finding, Need, Verdict
from quarry.text import decimal_fractions, key_of, part_key, stem_of, words_of

ROUNDING = 0.006
"""Share by which a figure that is written with three digits may be off."""

CONVERTED = 0.02
"""Tolerance of a converted bound, a share: sizes are round in one system only, 100 hp is sold as 75 kW."""

ABOVE_A_RANGE = 0.3
"""Share by which a value may exceed a range and still be close, where more is what the attribute asks for."""

SPELLED_ALIKE = 0.86
"""Similarity from which two texts may be spellings of one value: unknown, and no contradiction."""

TINY = 1e-9
"""Tolerance for figures that were computed in two ways, as a share of what is not small itself."""

_DECIMALS = re.compile(r"(?<![\d.,])(\d+)[.,](\d+)(?![.,]?\d)")


def find(need: Need, value: Value | None, *, words: frozenset[str] = frozenset(), attributes: Attributes) -> Finding:
    """Judges a row that has ``value`` by a need; ``words`` are the stems of all its text."""
    if need.name == DESCRIPTION:
        return _of_words(need, words)
    if value is not None and value.covers is not None:
        verdict: Verdict = "met" if value.covers and not need.negated else "unknown"
        return Finding(need, verdict, value.shown(need.attribute.unit))
    return Finding(need, "unknown") if value is None else _of_value(need, value, attributes)


@lru_cache(maxsize=20_000)
def _of_value(need: Need, value: Value, attributes: Attributes) -> Finding:
    """Cached, because rows share values and searches share needs."""
    found = [_of_choice(choice, value, need.attribute, attributes) for choice in need.choices]
    has = value.shown(need.attribute.unit)
    if need.negated:
        worst = max((_DENIED[verdict] for verdict, _ in found), key=BEST_FIRST.index)
        return Finding(need, worst, has)
    verdict, distance = min(found, key=lambda one: (BEST_FIRST.index(one[0]), one[1]))
    return Finding(need, verdict, has, distance)


_DENIED: dict[Verdict, Verdict] = {"met": "contradicted", "close": "met", "unknown": "unknown", "contradicted": "met"}


def machines_for(finding: Finding, value: Value | None, *, most: int = 20) -> int | None:
    """Returns how many machines would together meet a need that one misses; None where more do not help."""
    need = finding.need
    if finding.verdict != "contradicted" or need.negated or value is None or not value.high:
        return None
    wanted = [choice.low for choice in need.choices if choice.low is not None]
    if need.attribute.adds != "sum" or need.attribute.sense == "at_most" or not wanted or value.high <= 0:
        return None
    count = math.ceil(min(wanted) * (1 - ROUNDING) / value.high)
    return count if 1 < count <= most else None


def _of_words(need: Need, words: frozenset[str]) -> Finding:
    """Judges by the row's text: what stands there is met, and what does not is unknown, for it may still be so."""
    told = any(all(stem_of(word) in words for word in words_of(choice.value)) for choice in need.choices)
    if need.negated:
        return Finding(need, "contradicted" if told else "met")
    return Finding(need, "met" if told else "unknown")


def _of_choice(choice: Choice, value: Value, attribute: Attribute, attributes: Attributes) -> tuple[Verdict, float]:
    """Returns (verdict, distance) of one alternative."""
    if choice.flag is not None:
        return ("unknown" if value.flag is None else "met" if value.flag == choice.flag else "contradicted"), 0.0
    if choice.low is not None:
        if value.low is None or value.high is None:
            return "unknown", 0.0
        return _figures(choice, value.low, value.high, attribute)
    verdict = _text(choice, value, attribute, attributes)
    return verdict, _places_apart(choice, value, attribute) if verdict == "contradicted" else 0.0


def _figures(choice: Choice, low: float, high: float, attribute: Attribute) -> tuple[Verdict, float]:
    """Judges a row's range by its window; the distance is a share of the figure asked for."""
    verdict: Verdict = "contradicted"
    for better, close in _WINDOWS:
        least, most, first = window(choice, attribute, close=close)
        if least <= high <= most and low <= first:
            verdict = better
    a, b = choice.ends
    covers = attribute.sense == "covers"
    if covers and choice.operator in _PLAIN:
        return verdict, (abs(a - low) + abs(high - b)) / ((b - a) or abs(b) or 1.0)
    plain = choice.operator in ("is", "=") and (b > a or _sense(choice, attribute) in ("about", "exactly"))
    if plain or choice.operator == "~":
        return verdict, max(a - high, low - b, 0.0) / (abs(b) or 1.0)
    is_low = choice.operator == "<" or (covers and choice.operator == "<=")
    figure, value = b if choice.operator == "<=" else a, low if is_low else high
    return verdict, abs(value - figure) / (abs(figure) or 1.0)


_WINDOWS: Sequence[tuple[Verdict, bool]] = (("close", True), ("met", False))
_PLAIN = frozenset(("is", "=", "~"))
"""Operators that ask for what the figures say, and for nothing beyond them."""


def _sense(choice: Choice, attribute: Attribute) -> Sense:
    return "exactly" if choice.operator == "=" else attribute.sense


def window(choice: Choice, attribute: Attribute, *, close: bool = False) -> tuple[float, float, float]:
    """Returns the bounds of a row's range that meets a figure, or is close to it: least and most of its upper end,
    most of its lower end. Rows are judged by them, and SQL asks by them.
    """
    a, b = choice.ends
    tiny = TINY * min(1.0, max(abs(a), abs(b), 1e-3))
    slack, met, near = _room(choice, attribute, a)
    off = (max(met, near) if close else met) + tiny
    if attribute.sense == "covers" and choice.operator in _PLAIN:
        # Each end gives way by its own size: 0..10 is not held by 0.5..10.
        _, met, near = _room(choice, attribute, b)
        return b - (max(met, near) if close else met) - tiny, math.inf, a + off
    match choice.operator:
        case ">":
            return math.nextafter(max(a, b), math.inf), math.inf, math.inf
        case "<":
            return -math.inf, math.inf, math.nextafter(a, -math.inf)
        case ">=":
            return a - (met if close else slack) - tiny, math.inf, math.inf
        case "<=":
            most = b + (met if close else slack) + tiny
            return (-math.inf, math.inf, most) if attribute.sense == "covers" else (-math.inf, most, math.inf)
        case "~":
            told = _tolerance(attribute, a, attribute.met), _tolerance(attribute, a, attribute.close)
            off = (max(told) if close else told[0] or told[1]) + tiny
            return a - off, math.inf, a + off
    if b > a:
        more = max(near, ABOVE_A_RANGE * abs(b)) if attribute.sense == "at_least" else near
        return a - (near if close else slack) - tiny, math.inf, b + (more if close else slack) + tiny
    sense = _sense(choice, attribute)
    if sense == "at_least":
        return a - off, math.inf, math.inf
    if sense == "at_most":
        return (-math.inf, math.inf, a + off) if close else (-math.inf, a + off, math.inf)
    return a - off, math.inf, a + off


def _room(choice: Choice, attribute: Attribute, end: float) -> tuple[float, float, float]:
    """Returns the tolerances of an end of what is asked: for rounded figures, to be met, and to be close."""
    slack = _slack(choice, attribute, end)
    met = max(_tolerance(attribute, end, attribute.met), slack)
    return slack, met, max(_tolerance(attribute, end, attribute.close), _slack(choice, attribute, end, close=True))


def _slack(choice: Choice, attribute: Attribute, end: float, *, close: bool = False) -> float:
    """Returns the tolerance for rounded figures; built-in attributes (days, years, amounts) have none."""
    low, high = choice.ends
    if attribute.name in BUILT_IN:
        return 0.0
    is_bound = choice.operator in (">=", "<=") or high != low
    if not choice.converted:
        return (0.0 if is_bound else ROUNDING) * abs(end)
    # What has to stay below a limit stays below it in every system: a door of 75 cm is none of 30 inches.
    is_limit = choice.operator == "<=" and attribute.sense == "at_most"
    # What is asked for exactly is met as in its own unit: the nearest size of the other system is only close.
    is_exact = not is_bound and not close and _sense(choice, attribute) == "exactly"
    return (ROUNDING if is_limit or is_exact else CONVERTED) * abs(end)


def _tolerance(attribute: Attribute, figure: float, share: float) -> float:
    return share if attribute.absolute else share * abs(figure)


def _text(choice: Choice, value: Value, attribute: Attribute, attributes: Attributes) -> Verdict:
    if not value.texts:
        return "unknown"
    if attribute.name in PART_NUMBERS:
        return "met" if part_key(choice.value) in map(part_key, value.texts) else "contradicted"
    if attribute.ordered and (found := _by_order(choice, value, attribute)) is not None:
        return found
    wanted = meant(attribute.name, choice.value, attributes=attributes)
    if attribute.name in NAMES and any(is_named(text, one) for text in value.texts for one in wanted):
        return "met"
    listed = keys_of(attributes.listed.get(attribute.name, frozenset()))
    alone = {one: attribute.name not in NAMES and key_of(one) in listed for one in wanted}
    if any(_is_one(text, one, listed=alone[one]) for text in value.texts for one in wanted):
        return "met"
    if any(_spelled_alike(text, one) for text in value.texts for one in wanted):
        return "unknown"
    return "contradicted"


def is_named(text: str, asked: str) -> bool:
    """Returns whether a name has all words asked for, in any order: Sandusky Art Glass is Sandusky Glass."""
    words = words_of(asked)
    return bool(words) and set(words) <= set(words_of(text))


def meant(attribute: str, asked: str, *, attributes: Attributes) -> tuple[str, ...]:
    """Returns the values that a term stands for, itself first; a class stands for all its members."""
    return (asked, *attributes.terms.get((attribute, key_of(asked)), ()))


@lru_cache(maxsize=4096)
def keys_of(values: frozenset[str]) -> frozenset[str]:
    return frozenset(map(key_of, values))


def _places_apart(choice: Choice, value: Value, attribute: Attribute) -> float:
    """Returns the distance in the attribute's order of values, a share of all places; 0 without an order."""
    asked, has = attribute.place_of(choice.value), [attribute.place_of(text) for text in value.texts]
    apart = [abs(place - asked) for place in has if place is not None and asked is not None]
    return min(apart) / len(attribute.ordered) if apart else 0.0


def _by_order(choice: Choice, value: Value, attribute: Attribute) -> Verdict | None:
    """Compares places in the attribute's order of values; None where one of the values has no place."""
    asked, has = attribute.place_of(choice.value), [attribute.place_of(text) for text in value.texts]
    places = [place for place in has if place is not None]
    if asked is None or not places:
        return None
    operator = choice.operator
    if operator == "is":
        operator = {"at_least": ">=", "at_most": "<="}.get(attribute.sense, "is")  # type: ignore[assignment]
    compared = {
        ">=": max(places) >= asked,
        ">": max(places) > asked,
        "<=": min(places) <= asked,
        "<": min(places) < asked,
        "~": any(abs(place - asked) <= 1 for place in places),
    }.get(operator, asked in places)
    return "met" if compared else "contradicted"


@lru_cache(maxsize=100_000)
def _is_one(text: str, asked: str, *, listed: bool) -> bool:
    """Returns whether a text is the value asked for or, unless that is ``listed``, contains it as whole words."""
    # A fraction is one word, for 1 1/2" has no 2" and 1/2" is no 12"; beside one a decimal figure is one, too.
    sizes = [decimal_fractions(each, point="d", sizes=True) for each in (text, asked)]
    if sizes != [text, asked]:
        sizes = [_DECIMALS.sub(lambda found: f"{found[1]}d{found[2]:0<4}", each) for each in sizes]
    text, asked = sizes
    has, wanted = key_of(text), key_of(asked)
    if has == wanted or has.replace(" ", "") == wanted.replace(" ", ""):
        return True
    inside, sought = ([stem_of(word) for word in words_of(each)] for each in (text, asked))
    if inside == sought and sought:
        return True
    if listed or not sought:
        return False
    return any(inside[at : at + len(sought)] == sought for at in range(len(inside) - len(sought) + 1))


@lru_cache(maxsize=100_000)
def _spelled_alike(text: str, asked: str) -> bool:
    """Returns whether two texts may be spellings of one value; their digits have to be the same."""
    has, wanted = key_of(text), key_of(asked)
    digits = ["".join(filter(str.isdigit, each)) for each in (has, wanted)]
    return digits[0] == digits[1] and SequenceMatcher(None, has, wanted).ratio() >= SPELLED_ALIKE
