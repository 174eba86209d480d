"""What is a part of a machine, and what of such parts is asked for by itself: drives, housings, dryers on a tank."""

import re
from dataclasses import replace
from itertools import islice

from quarry.understanding.heads import CARRIED, POWERED
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark

SERVED_BEHIND = 8
"""Words within which the machine follows that a part is for: "VFD with reactor for the blowers of a sewage plant"."""
PARTS = {("drive", "variable-speed"): "frequency-drive", ("use", "heat-recovery"): "heat-recovery"}
"""What is a part of a machine, and an accessory by itself."""
HOUSING = frozenset({"sound-enclosure"})
TELLING_A_MACHINE = frozenset(("family", "hp", "compression", "model", "lubrication"))
OF_A_MACHINE = TELLING_A_MACHINE | {"cfm"}
DRYING = frozenset(("dry", "drying", "trocknen", "secar", "secher"))
OF_A_DRYER = frozenset(("cfm", "dewpoint_f", "dryer_kind"))
"""What is said of a dryer that is bought by itself."""
ON_A_TANK_HP = 30.0
"""Up to which compressors are sold with a dryer on a tank."""
TANK_BEHIND = 5
"""Words between what carries and the tank: auf einem 500-l-Kessel."""
_HOUSING = (
    r"(?:cabinet|skin|housing|enclosure|package|canopy|box|frame|machine|unit|gehause|schrank|gerat|rahmen|gabinete"
    r"|mueble|carcasa|armario|carenado|equipo|coffret|capot|caisson|chassis|carrosserie|appareil)"
)
_BUILT_IN = (
    r"(?:integr(?:al|ated|iert\w*|ado|e)|on[ -]?board|internal|built[ -]in|eingebaut\w*|incorporad[oa]|incorpore)"
)
DRYER_INSIDE = re.compile(
    rf"\b{_BUILT_IN} (?:[a-z]+ ){{0,2}}(?:dr[iy]er|\w*trockner)\b"
    r"|\b(?:dr[iy]er|\w*trockner|secador|secheur)s?\b(?: (?:frigor\w+|refriger\w+))?"
    r"(?: (?:is|ist|to be|that is|which is|squeezed|housed|fitted|mounted|sitting|right|already|schon|bereits|ya))*"
    rf" (?:{_BUILT_IN}(?! \d)\b"
    rf"|(?:in|inside|within|under|into) (?:the |one |a )?(?:same |one |single |common )?{_HOUSING}\b"
    rf"|(?:im|in) (?:selben|gleichen|einem|demselben)? ?{_HOUSING}\b"
    rf"|(?:en|dentro de|bajo)l? (?:el |la )?mism[oa] {_HOUSING}\b"
    rf"|(?:dans|sous) (?:le|la) meme {_HOUSING}\b)"
)
"""Of a folded text that a dryer is in the machine: built in, in the same cabinet."""
MOST_DRYERS = 8


def read_packages(marked: MarkedText) -> None:
    _dried(marked)
    _dryer_inside(marked)
    _separate_parts(marked)
    _housings(marked)
    _dryer_on_the_tank(marked)


def _dried(marked: MarkedText) -> None:
    """Reads "dry 800 cfm to 35 °F" as asking for a dryer, where no thing is named."""
    if any(mark.attribute in ("family", "model") for mark in marked.marks):
        return
    for mark in marked.marks:
        at = mark.first - 1
        if (
            mark.attribute != "cfm"
            or at < 0
            or marked.words[at].text not in DRYING
            or not marked.words[mark.first].soft
        ):
            continue
        marked.add(Mark("family", at, at + 1, *marked.span(at, at + 1), values=frozenset({"dryer"})))
        return


def _dryer_inside(marked: MarkedText) -> None:
    """Reads the dryer of "15 cfm, oilless, with the dryer inside the same cabinet" as what the machine has."""
    if not any(mark.attribute in OF_A_MACHINE and _is_powered(mark) for mark in marked.marks):
        return
    for match in islice(DRYER_INSIDE.finditer(marked.folded), MOST_DRYERS):
        within = [mark for mark in marked.marks if match.start() <= mark.start < match.end()]
        dryer = next((mark for mark in within if mark.attribute == "family" and mark.values == {"dryer"}), None)
        if dryer is None:
            continue
        first, last = marked.tokens_within(match.start(), match.end())
        of_it = [mark for mark in within if mark.attribute in ("family", "dryer_kind", "feature")]
        marked.marks = [mark for mark in marked.marks if mark not in of_it]
        marked.roles = [role for role in marked.roles if not first <= role.first < last]
        marked.add(Mark("feature", first, last, *marked.span(first, last), values=frozenset({"integrated-dryer"})))


def _separate_parts(marked: MarkedText) -> None:
    """Reads "VFD for a blower" and "heat recovery for a screw" as the part itself; one "with a VFD" is a machine."""
    told = [mark for mark in marked.marks if mark.attribute in TELLING_A_MACHINE and _is_powered(mark)]
    machine = min((mark.first for mark in told), default=0)
    for mark in marked.marks:
        part = PARTS.get((mark.attribute, min(mark.values, default="")))
        if part is None:
            continue
        serves = any(role.value == "for" and mark.last <= role.first < machine for role in marked.roles)
        if serves and mark.last < machine <= mark.last + SERVED_BEHIND:
            marked.marks = [each for each in marked.marks if (each.first, each.last) != (mark.first, mark.last)]
            marked.marks.append(replace(mark, attribute="accessory_kind", values=frozenset({part})))
            marked.marks.append(replace(mark, attribute="family", values=frozenset({"accessory"})))
            return


def _housings(marked: MarkedText) -> None:
    """Reads the sound enclosure that stands behind a machine as what it has; one "for a blower", or on a line of its
    own, is a thing.
    """
    machines = [mark.last for mark in marked.marks if mark.attribute in TELLING_A_MACHINE and _is_powered(mark)]
    for mark in [each for each in marked.marks if each.attribute == "accessory_kind" and each.values == HOUSING]:
        begin = max((end for end in machines if end <= mark.first), default=None)
        serves = any(role.value == "for" and 0 <= role.first - mark.last <= 1 for role in marked.roles)
        if begin is None or serves or any("\n" in token.gap for token in marked.words[begin : mark.first + 1]):
            continue
        marked.marks = [each for each in marked.marks if (each.first, each.last) != (mark.first, mark.last)]
        marked.marks.append(replace(mark, attribute="feature", values=frozenset({"enclosure"})))


def _is_powered(mark: Mark) -> bool:
    return mark.attribute != "family" or bool(mark.values & POWERED)


def _dryer_on_the_tank(marked: MarkedText) -> None:
    """Reads the dryer of "a 10 hp screw with dryer on a tank", of which nothing else is said, as a part of it."""
    dryers = [mark for mark in marked.marks if mark.attribute == "family" and mark.values == {"dryer"}]
    powers = [mark.high or mark.low or 0.0 for mark in marked.marks if mark.attribute == "hp"]
    own = any(mark.attribute in OF_A_DRYER or mark.attribute == "model" for mark in marked.marks)
    if len(dryers) != 1 or own or not _is_on_a_tank(marked) or any(power > ON_A_TANK_HP for power in powers):
        return
    dryer = dryers[0]
    machine = any(
        mark.attribute in ("family", "compression", "hp") and mark.first < dryer.first for mark in marked.marks
    )
    if machine and any(role.value == "fitted" and 0 <= dryer.first - role.last <= 1 for role in marked.roles):
        marked.marks.remove(dryer)
        marked.marks.append(replace(dryer, attribute="feature", values=frozenset({"integrated-dryer"})))


def _is_on_a_tank(marked: MarkedText) -> bool:
    """Whether a machine is on a tank: "tank mounted", "auf 500 l Kessel"."""
    carrying = {place for place, token in enumerate(marked.words) if token.text in CARRIED}
    return any(
        (mark.attribute == "feature" and mark.values == {"tank-mounted"})
        or (
            mark.attribute == "family"
            and mark.values == {"receiver"}
            and not carrying.isdisjoint(range(mark.first - TANK_BEHIND, mark.first))
        )
        for mark in marked.marks
    )
