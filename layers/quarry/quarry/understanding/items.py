"""Splits a request into the items that it asks for, so that each quantity and word goes to its own."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from quarry.understanding.heads import (
    AN,
    AUXILIARY,
    MOST_ITEMS,
    ONE_MORE,
    POWERED,
    THE,
    TREATING,
    Head,
    Segment,
    comes_with,
    is_carried,
    is_on_its_tank,
    merged,
    named_heads,
)
from quarry.understanding.implied_heads import FITTED, with_the_implied
from quarry.understanding.marks import Mark, Role, places
from quarry.understanding.needs import SIZES
from quarry.understanding.negation import negated, waived
from quarry.understanding.parting import Joints, cut_between, cut_by_style, is_parted, phrase_end, strength_of
from quarry.understanding.splitting import at_lines, at_sizes
from quarry.understanding.text import Token

MOST_HEADS = 60
"""Things that are named in one text; what is said of those behind is said of the last."""
OF_A_MACHINE = frozenset(("relief-valve", "gauge", "valve", "silencer"))
"""What a blower, compressor or pump is bought with and no item of its own."""
ARMATURES = frozenset(("relief-valve", "gauge"))
"""What nobody buys apart from the vessel that it is named behind."""
TELLING_APART = frozenset((
    "hp", "cfm", "gallons", "inhg", "dewpoint_f", "compression", "lubrication", "dryer_kind", "filter_kind",
    "accessory_kind", "arrangement", "drive", "service",
))  # fmt: skip
"""Of which two values make two items of two things that are called the same."""
PLANTS = frozenset(("compressor", "vacuum_pump"))
DONE_TOGETHER = frozenset(("installation", "start-up", "training", "freight"))
"""Services that go with one delivery: "instalación y arranque" is one item."""
SERVICES_WITH_PARTS = frozenset(("maintenance", "warranty", "repair"))
MACHINES = frozenset(("compressor", "vacuum_pump", "blower", "dryer"))
PARTS_OF_A_SERVICE = frozenset(("accessory", "filtration"))
"""What is changed or covered by such a service and is no item beside it: "PM with filters and belts"."""
AGAIN = frozenset(
    (
        "one",
        "another",
        "replacement",
        "ersatz",
        "neue",
        "neuen",
        "neuer",
        "reemplazo",
        "otro",
        "remplacement",
        "nouveau",
    )
)
"""Between a machine that is there and a part, where another machine is wanted: "need a new one with dryer"."""
IT = frozenset(("it", "them", "this", "that", "these", "those"))
"""What "for" points back with at the machine that was just named: "has a GA75 and wants a dryer for it"."""
HAS = frozenset((
    "has", "have", "had", "got", "runs", "run", "running", "owns", "own", "bought", "using", "uses", "our",
    "hat", "haben", "habe", "betreibt", "betreiben", "unser", "unsere", "lauft", "laufen", "tiene", "tenemos",
    "tengo", "compro", "usa", "usamos", "nuestro", "avons", "ai", "possede", "utilise", "utilisons", "notre",
    "nos",
))  # fmt: skip
DOES = frozenset((
    "runs", "run", "running", "starts", "stops", "trips", "hisses", "leaks", "keeps", "is", "are", "was",
    "lauft", "laufen", "startet", "ist", "sind", "funciona", "arranca", "esta", "tourne", "marche", "demarre", "est",
))  # fmt: skip
"""Behind a machine that is told of where work is asked for: "leak survey, the compressor runs all night"."""
HAS_REACH = 6
"""Words between the verb of having and the machine."""
WANTS = frozenset((
    "want", "wants", "need", "needs", "needed", "wanting", "looking", "require", "requires", "quote",
    "recommend", "suggest", "asks", "asking", "brauche", "braucht", "brauchen", "sucht", "suche", "suchen",
    "mochte", "mochten", "will", "wollen", "fehlt", "necesita", "necesitamos", "necesito", "quiere", "queremos",
    "quiero", "busca", "buscamos", "busco", "falta", "ocupa", "ocupamos", "besoin", "cherche", "cherchons",
    "veut", "voudrait", "voulons", "faut", "manque", "souhaite",
))  # fmt: skip
MEDICAL = frozenset(("nfpa 99", "hospital"))
WHOLE = frozenset((
    "package", "complete", "whole", "included", "komplett", "komplettes", "paket", "inklusive", "completo",
    "completa", "paquete", "incluido", "complet", "ensemble", "compris",
))  # fmt: skip
"""Behind the parts of a plant that is asked for with all that belongs to it: dryers, monitors, the whole package."""
WHOLE_REACH = 6
PAST = frozenset(("after", "behind", "past", "nach", "hinter", "despues", "tras", "apres", "derriere"))
"""Before a dryer at which air is measured."""
WHICH = frozenset(("which", "what", "welcher", "welchen", "welches", "que", "cual", "quel"))
"""Before a thing that is asked for, where what stands before is there already."""


def segments(
    words: Sequence[Token],
    marks: Sequence[Mark],
    roles: Sequence[Role],
    *,
    stop: frozenset[str],
    numbers: Collection[str] = (),
) -> list[Segment]:
    """The items in order; one that spans the whole text where nothing parts it. ``numbers`` are spelt out ones."""
    dropped = negated(words, roles, marks, stop=stop) | waived(words, roles, marks)
    joints = Joints(
        # "Druckluft- und Vakuumstation" is one word for one thing.
        {
            role.first: role.last
            for role in roles
            if role.value in ("and", "but") and not words[role.first].gap.startswith("-")
        },
        frozenset(place for mark in marks for place in range(mark.first + 1, mark.last))
        # The plus of "SF 4+ single phase" is of the name and joins nothing.
        | {
            mark.last
            for mark in marks
            if any(value.endswith("+") for value in mark.values)
            and mark.last < len(words)
            and words[mark.last].gap.strip() == "+"
        },
    )
    heads = with_the_implied(words, roles, marks, named_heads(marks, dropped), joints)
    whole = Segment(0, len(words), frozenset())
    if not heads:
        return at_lines(words, marks, [whole])
    found: list[Segment] = []
    context: list[tuple[int, int]] = []
    current, first = heads[0], 0
    bare = False
    for head in heads[1:MOST_HEADS]:
        if head.families == {"receiver"} and any(
            mark.attribute == "hp" and current.last <= mark.first and is_carried(words, mark, head) for mark in marks
        ):
            current = replace(current, last=head.last)
            continue
        on_a_tank = comes_with(words, roles, marks, current, head, heads)
        if on_a_tank or is_on_its_tank(words, roles, marks, current, head, heads):
            current = replace(current, last=head.last)
            continue
        if (
            current.families
            and current.families <= POWERED
            and head.families <= TREATING
            and _is_a_place(words, head)
        ):
            context.append((head.first, head.last))
            current = replace(current, last=head.last)
            continue
        between = [role.value for role in roles if current.last <= role.first < head.first]
        cut = cut_between(words, joints, current, head)
        joined = _relation(words, roles, current, head, between, cut)
        if _is_in_the_set(words, marks, current, head):
            joined = "fitted"
        if joined == "merge" and _controlled(words, current, head, numbers):
            joined = "controlled"
        elif joined == "split" and cut is not None:
            joined = _unsplit(words, marks, roles, current, head, cut, first, context)
        if joined == "split" and _serves(words, roles, current, head):
            context.append((first, head.first if cut is None else cut))
            current = head
        elif joined == "fitted":
            context.append((head.first, head.last))
            current = replace(current, last=head.last)
        elif joined == "served too":
            context[-1] = (context[-1][0], phrase_end(words, roles, head))
        elif joined == "context":
            end = phrase_end(words, roles, head)
            start = min(role.first for role in roles if current.last <= role.first and role.value == "for")
            if head.families != {"receiver"}:
                context.append((start, end))
        elif joined == "controlled":
            context.append((current.last, head.last))
        elif joined == "merge":
            current = merged(current, head)
        elif joined == "or":
            current = Head(current.first, head.last, current.families | head.families, current.models | head.models)
        else:
            at = cut if cut is not None else cut_by_style(marks, first, current, head)
            found.append(Segment(first, at, current.families, tuple(context), bare))
            bare = at >= head.first - 1 or not any(mark.first >= at and mark.last <= head.first for mark in marks)
            current, first, context = head, at, []
        if len(found) >= MOST_ITEMS:
            break
    found.append(Segment(first, len(words), current.families, tuple(context), bare))
    return at_sizes(words, marks, roles, at_lines(words, marks, _powered(found, marks)), dropped)


def _is_in_the_set(words: Sequence[Token], marks: Sequence[Mark], one: Head, other: Head) -> bool:
    """Whether a kit is asked for and told what is in it: "R5 major kit with vanes and exhaust filters"."""
    kinds = _told(marks, one.first, one.last).get("accessory_kind", set())
    is_a_kit = "kit" in kinds or any("kit" in model.lower().split() for model in one.models)
    own = any(token.number or token.text in ONE_MORE for token in words[one.last : other.last])
    own = own or "filter_kind" in _told(marks, one.last, other.last)
    contents = other.families <= PARTS_OF_A_SERVICE and not other.models
    return is_a_kit and contents and not own and not is_parted(words, one.last, other.first)


def _is_a_place(words: Sequence[Token], head: Head) -> bool:
    """Whether air is measured there, and no dryer asked for: "140 cfm at 100 psi after the dryer"."""
    before = [token.text for token in words[max(0, head.first - 2) : head.first]]
    return bool(before) and (before[-1] in PAST or (before[-1] in THE and before[0] in PAST))


def _powered(parts: list[Segment], marks: Sequence[Mark]) -> list[Segment]:
    """The items with the power that is said behind them all at the one machine: "compressor, dryer, tank, 25 HP"."""
    machines = [at for at, part in enumerate(parts) if part.families and part.families <= POWERED]
    last = parts[-1]
    powers = [at for at, mark in enumerate(marks) if mark.attribute == "hp"]
    behind = [at for at in powers if marks[at].first >= last.first]
    served = any(low <= marks[at].first < high for at in behind for low, high in last.context)
    if len(machines) != 1 or len(powers) != 1 or powers != behind or served or not last.families <= AUXILIARY:
        return parts
    machine = parts[machines[0]]
    own = places(marks, machine.first, machine.last) if machine.marks is None else machine.marks
    powered = replace(machine, marks=tuple(sorted({*own, *powers})))
    return [powered if part is machine else part for part in parts]


def _relation(
    words: Sequence[Token], roles: Sequence[Role], one: Head, other: Head, between: list[str], cut: int | None
) -> str:
    if cut is None and "or" in between:
        return "or"
    serves = [role for role in roles if one.last <= role.first < other.first and role.value == "for"]
    if (
        serves
        and (cut is None or cut <= serves[-1].first)
        and one.families
        and not is_parted(words, one.last, other.first)
    ):
        barred = (
            cut is not None
            and cut > one.last
            and any(
                role.value == "and" and role.first >= one.last and role.first < serves[-1].first for role in roles
            )
        )
        if not barred:
            return "context"
    if cut is not None:
        same = bool(one.families) and one.families == other.families
        lone = (not one.families or not other.families) and bool(one.models or other.models)
        comma = words[cut].gap.strip() == "," or "," in words[cut].gap
        if comma and lone and not (one.models and other.models):
            return "merge"
        return "split" if not same or one.models or other.models or not comma else "merge"
    near = other.first - one.last <= 3
    if near or not one.families or not other.families or one.families == other.families:
        return "merge"
    return "split"


def _controlled(words: Sequence[Token], one: Head, other: Head, numbers: Collection[str]) -> bool:
    """Whether an accessory serves so many machines: "sequencer MC-4, two screw compressors"."""
    counts = words[max(one.last, other.first - 2) : other.first]
    return (
        one.families == {"accessory"}
        and other.families == {"compressor"}
        and any(token.number or token.text in numbers for token in counts)
    )


def _unsplit(
    words: Sequence[Token],
    marks: Sequence[Mark],
    roles: Sequence[Role],
    one: Head,
    other: Head,
    cut: int,
    first: int,
    context: Sequence[tuple[int, int]],
) -> str:
    """What a second head is that is no item of its own: a part of the first, served by it too, or the same thing."""
    before = {token.text for token in words[cut : other.first]}
    measured = {at for mark in marks if mark.low is not None for at in range(mark.first, mark.last)}
    figure = any(words[at].number and at not in measured for at in range(cut, other.first))
    more = bool((before & ONE_MORE) - AN) or figure
    said = {mark.attribute for mark in marks if first <= mark.first < cut}
    again = any(mark.low is not None and cut <= mark.first < other.first and mark.attribute in said for mark in marks)
    counted = bool(before & ONE_MORE) or figure or again
    # "The engineer allows 1,000 pounds for the pump, not one more": that is the pump before.
    counted = counted and not (words[other.first - 1].text in THE and words[other.first].soft and not figure)
    if one.families and other.families == {"accessory"} and not more and not is_parted(words, cut, other.first):
        kinds = {value for mark in marks if mark.last == other.last for value in mark.values} - {"accessory"}
        fitted = any(role.value == "fitted" and one.last <= role.first < other.first for role in roles)
        if one.families <= POWERED and kinds and kinds <= OF_A_MACHINE and fitted:
            return "fitted"
        if one.families <= TREATING and kinds & FITTED and (fitted or context or kinds & ARMATURES):
            return "fitted"
    if context and context[-1][1] <= cut <= context[-1][1] + 1 and not counted and not is_parted(words, cut, cut):
        sizes = any(mark.attribute in SIZES and cut <= mark.first < other.first for mark in marks)
        if not sizes and (before & THE or one.families <= {"service", "accessory"}) and other.families:
            return "served too"
    if _comes_complete(words, marks, one, other, cut) and not counted:
        return "fitted"
    if one.families == {"service"} and (joined := _of_a_service(words, marks, roles, one, other, cut, first)):
        return joined
    if one.families and one.families == other.families and not (one.models or other.models or counted):
        end = next((at for at in range(other.last, len(words)) if is_parted(words, at, at)), len(words))
        told = [_told(marks, low, high) for low, high in ((first, cut), (cut, end))]
        shared = told[0].keys() & told[1].keys()
        if strength_of(words[cut].gap) < 4 and all(_alike(told[0][name], told[1][name]) for name in shared):
            return "merge"
    return "split"


def _comes_complete(words: Sequence[Token], marks: Sequence[Mark], one: Head, other: Head, cut: int) -> bool:
    """Whether a medical plant is asked for with what belongs to it: "NFPA 99 medical air, desiccant dryers"."""
    if not one.families <= PLANTS or not other.families or not other.families <= AUXILIARY or other.models:
        return False
    following = {token.text for token in words[other.last : other.last + WHOLE_REACH]}
    medical = any(
        mark.first < one.last and mark.attribute in ("certificate", "industry") and mark.values & MEDICAL
        for mark in marks
    )
    sized = any(mark.attribute in SIZES and other.last <= mark.first <= other.last + 2 for mark in marks)
    return medical and not sized and (bool(following & WHOLE) or not is_parted(words, cut, other.first))


def _of_a_service(
    words: Sequence[Token],
    marks: Sequence[Mark],
    roles: Sequence[Role],
    one: Head,
    other: Head,
    cut: int,
    first: int,
) -> str:
    """What a head behind a service is that is no item of its own: the same again, or a part that it changes."""
    before = words[cut : other.first]
    if strength_of(words[cut].gap) >= 4 or any(token.number for token in before):
        return ""
    if other.last < len(words) and words[other.last].text in DOES and not other.families & {"service"}:
        return "controlled"
    work = _told(marks, first, cut).get("service", set())
    if other.families == one.families:
        again = _told(marks, cut, other.last).get("service", set())
        return "merge" if work == again or not work or not again else ""
    served = any(role.value == "for" and one.last <= role.first <= one.last + 1 for role in roles)
    if (
        served
        and other.families <= MACHINES
        and not any(token.gap.strip(" -") for token in words[one.last : other.first])
    ):
        # "Start-up of the compressed air and vacuum station" is one work on both.
        return "" if not {token.text for token in before}.isdisjoint(ONE_MORE) else "controlled"
    sized = any(mark.attribute in SIZES and mark.first >= cut for mark in marks)
    counted = not {token.text for token in before}.isdisjoint(ONE_MORE)
    if work == {"repair"} and other.families <= MACHINES and not sized and not counted:
        # "Service visit, diagnose noise, compressor" is work on the one that is there.
        return "controlled"
    parts = bool(other.families) and other.families <= PARTS_OF_A_SERVICE
    return "controlled" if parts and work & SERVICES_WITH_PARTS and not counted else ""


def _told(marks: Sequence[Mark], first: int, last: int) -> dict[str, set[object]]:
    """What tells the thing of a part of the text apart from others of its name."""
    said: dict[str, set[object]] = {}
    for at in places(marks, first, last):
        mark = marks[at]
        if mark.attribute in TELLING_APART:
            said.setdefault(mark.attribute, set()).update(mark.values if mark.low is None else {round(mark.low)})
    return said


def _alike(one: set[object], other: set[object]) -> bool:
    return one == other or one | other <= DONE_TOGETHER


def _for_it(words: Sequence[Token], roles: Sequence[Role], head: Head) -> bool:
    """Whether what is asked for serves what was named before: "wants a dryer for it", "which dryer?"."""
    which = any(token.text in WHICH for token in words[max(0, head.first - 2) : head.first])
    return which or any(
        role.value == "for" and role.first == head.last and words[role.last].text in IT
        for role in roles
        if role.last < len(words)
    )


def _serves(words: Sequence[Token], roles: Sequence[Role], one: Head, other: Head) -> bool:
    """Whether the second of two is wanted for the first."""
    if not other.families or not other.families <= AUXILIARY:
        return False
    return (other.families <= TREATING and _for_it(words, roles, other)) or _behind_what_is_there(words, one, other)


def _behind_what_is_there(words: Sequence[Token], one: Head, other: Head) -> bool:
    """Whether the first of two is there and the second is wanted: "has a piston machine. He wants a dryer"."""
    start = next((at for at in range(one.first, 0, -1) if at < len(words) and is_parted(words, at, at)), 0)
    again = any(token.text in AGAIN for token in words[one.last : other.first])
    owned = not again and any(token.text in HAS for token in words[max(start, one.first - HAS_REACH) : one.first])
    asked = any(token.text in WANTS for token in words[start : one.first])
    return owned and not asked and any(token.text in WANTS for token in words[one.last : other.first])
