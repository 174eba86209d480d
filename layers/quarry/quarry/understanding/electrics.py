"""Voltage, phases and frequency, as asked for and as a row prints them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from quarry.understanding.units import unit_at

FULL = re.compile(
    r"(?<![\d.,/])(\d{3}(?:\s?[-/]\s?\d{3}){0,3})\s?(?:v(?:olts?|ac)?)?\s?[/-]\s?([13])\s?(?:ph?(?:ase)?|~)?\s?[/-]\s?(50|60)"
    r"\s?(?:hz)?(?!\d)"
)
VOLT_PHASE = re.compile(
    r"(?<![\d.,/a-z-])(115|120|208|220|230|240|380|400|415|440|460|480|575|600)\s?/\s?([13])(?![\d/]|[.,]\d)"
)
VOLTS = re.compile(
    r"(?<![\d.,a-z-])(?<!\d/)(\d{3}(?:(?:\s?[-/]\s?|\s(?:or|oder|o|ou|u)\s)\d{3}){0,3})"
    r"[\s-]?(?:v|volts?|vac|voltios|volt)(?![a-z0-9])"
)
_PHASED = (
    r"(?:(?:[13]|single|three|one)[\s-]?(?:ph|phase|phasen|phases|phasig\w{0,2}|fases?)(?![a-z])"
    r"|drehstrom|dreiphasig\w{0,2}|kraftstrom|trifasic[oa]s?|triphasee?s?"
    r"|wechselstrom|einphasig\w{0,2}|lichtstrom|monofasic[oa]s?|monophasee?s?)"
)
PHASE = re.compile(rf"(?<![\d.,a-z]){_PHASED}")
SINGLE = re.compile(r"1|single|one|wechsel|ein|licht|mono")
_KNOWN = r"(?:1(?:10|15|20|27)|2(?:00|08|20|30|40)|3(?:80)|4(?:00|15|40|60|80)|5(?:50|75)|600)"
_BARE = rf"(?<![\d.,/a-z$€#-])(?P<volts>{_KNOWN}(?:[-/]{_KNOWN}){{0,2}})(?![\d/.-]\d|\d)"
_OF_A_SUPPLY = r"(?:power|service|supply|feed(?:er)?s?|mains|delta|wye|netz|anschluss|acometida|alimentacion|reseau)"
_FED = (
    rf"(?:(?:wired|wound|connected) (?:for|at|to)|{_OF_A_SUPPLY} (?:is|are|of|at|von|ist|de|es de|est de|en|a)"
    r"|runs? on|(?:only|just) have)"
)
BARE_VOLTS = (
    re.compile(rf"{_BARE}(?=,?[\s-]{_PHASED})"),
    re.compile(rf"{_PHASED}(?:\s|,\s|\s(?:a|at|de|en|mit|bei)\s){_BARE}(?!\s(?:or|oder|o|ou|u)\s\d{{3}})"),
    re.compile(rf"\b{_FED}\s(?:a |an )?{_BARE}"),
    re.compile(rf"{_BARE}(?=\s{_OF_A_SUPPLY}\b|\s?[-/,]?\s?(?:50|60)\s?(?:hz|hertz))"),
)
"""Volts that are not called so, beside a phase, a frequency or the supply: 208 three phase, wired for 480."""
HERTZ = re.compile(r"(?<![\d.,a-z])(50|60)\s?-?\s?(?:hz|hertz|cycles?|ciclos)(?![a-z0-9])")
MOST = 20
"""Mentions of one kind in one text that are read."""
NOMINAL = {
    "110": "115", "120": "115", "127": "115", "220": "230", "240": "230", "440": "460", "480": "460", "600": "575",
    "550": "575", "380": "400", "415": "400", "200": "208",
}  # fmt: skip


NEVER = {"3 ph": frozenset({"115 V"}), "1 ph": frozenset({"400 V", "460 V", "575 V"})}
"""Volts that mains of so many phases do not have."""


@dataclass(frozen=True, slots=True)
class Supply:
    start: int
    end: int
    values: frozenset[str]
    """Of "460 V", "3 ph" and "60 Hz", those that are said; volts by their nominal value."""


def supplies(folded: str) -> list[Supply]:
    """Every mention of electric supply in a folded text, in order."""
    found: list[Supply] = []
    for match in islice(FULL.finditer(folded), MOST):
        values = _volts(match[1]) | {f"{match[2]} ph", f"{match[3]} Hz"}
        found.append(Supply(match.start(), match.end(), frozenset(values)))
    for match in islice(VOLT_PHASE.finditer(folded), MOST):
        found.append(Supply(match.start(), match.end(), frozenset(_volts(match[1]) | {f"{match[2]} ph"})))
    for pattern in BARE_VOLTS:
        for match in islice(pattern.finditer(folded), MOST):
            if unit_at(folded, match.end("volts")) is None and not _overlap(found, match.span("volts")):
                found.append(Supply(*match.span("volts"), frozenset(_volts(match["volts"]))))
    for pattern in (VOLTS, PHASE, HERTZ):
        for match in islice(pattern.finditer(folded), MOST):
            if _overlap(found, match.span()):
                continue
            if pattern is VOLTS:
                values = _volts(match[1])
            elif pattern is HERTZ:
                values = {f"{match[1]} Hz"}
            else:
                values = {"1 ph" if SINGLE.match(match[0]) else "3 ph"}
            found.append(Supply(match.start(), match.end(), frozenset(values)))
    return sorted(found, key=lambda each: each.start)


def _overlap(found: Sequence[Supply], span: tuple[int, int]) -> bool:
    return any(known.start < span[1] and span[0] < known.end for known in found)


def _volts(text: str) -> set[str]:
    return {f"{NOMINAL.get(each, each)} V" for each in re.findall(r"\d{3}", text)}


def alternative_supplies(said: Sequence[Sequence[frozenset[str]]]) -> tuple[frozenset[str], ...]:
    """Supplies of which any will do, from the mentions of each as they stand between one "or" and the next. What is
    said before the first volts or behind the last ones is said of all that do not say it: "208 or 460 V three phase".
    So is a frequency wherever it stands, for a site has one. Empty where not each of them has volts.
    """
    whole: list[frozenset[str]] = [frozenset().union(*mentions) for mentions in said]
    if len(whole) < 2 or not all(any(value.endswith(" V") for value in one) for one in whole):
        return ()
    before = frozenset().union(*takewhile(lambda mention: not _has(mention, " V"), said[0]))
    hertz = {value for one in whole for value in one if value.endswith(" Hz")}
    everywhere = before | whole[-1] | (hertz if len(hertz) == 1 else frozenset())
    found = []
    for one in whole:
        passed = {
            value
            for kind in (" ph", " Hz")
            if not _has(one, kind)
            for value in everywhere
            if value.endswith(kind) and not NEVER.get(value, frozenset()) & one
        }
        found.append(one | passed)
    return tuple(dict.fromkeys(found))


def _has(values: frozenset[str], kind: str) -> bool:
    return any(value.endswith(kind) for value in values)


def shown_supply(values: frozenset[str]) -> str:
    return ", ".join(sorted(values, key=lambda each: (each[-1] != "V", each[-1] != "h", each)))
