"""Turns what was read of one item into its needs: one per attribute, in canonical units, with the words typed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from quarry.understanding.controlled import machines_asked
from quarry.understanding.demand import demanded
from quarry.understanding.extremes import settled
from quarry.understanding.heads import AUXILIARY, OF_CONTEXT, OF_MACHINES, POWERED, TREATING, Segment
from quarry.understanding.implied import CFM_PER_HP, equivalent_needs, power_in_a_name, shared
from quarry.understanding.lengths import is_of_a_vacuum
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark, Role, places
from quarry.understanding.needs import Item, Need
from quarry.understanding.negation import negated, waived
from quarry.understanding.numbers import is_a_label
from quarry.understanding.other_machines import OtherMachines
from quarry.understanding.text import Token, fold
from quarry.understanding.traits import PLEX
from quarry.understanding.units import shown
from quarry.understanding.wording import Wording

PASSED = frozenset(("cfm", "pressure"))
"""What a dryer, filter or separator has of the machine that it serves: its air passes, at its pressure."""
UNPASSED = frozenset((
    "drain", "zero-loss-drain", "sequencer", "control-panel", "sound-enclosure", "frequency-drive", "spare-parts",
    "kit", "heat-recovery", "lubricant", "relief-valve", "gauge", "nitrogen-generator", "chiller",
))  # fmt: skip
"""Accessories that no air of the machine passes, or not all of it."""
APART = frozenset((
    "chiller", "nitrogen-generator", "oil-water-separator", "spare-parts", "kit", "lubricant", "sequencer",
))  # fmt: skip
"""Accessories that no machine contains: who will not have one asks nothing of the machine by that."""
UNPRESSED = frozenset((
    "oil-water-separator", "sequencer", "control-panel", "chiller", "frequency-drive", "sound-enclosure",
))  # fmt: skip
"""Accessories beside which a pressure is that of the machines."""
BARE: Mapping[str, tuple[str, float]] = {
    "dryer": ("cfm", 10), "filtration": ("cfm", 10), "receiver": ("gallons", 20),
}  # fmt: skip
"""What a figure without a unit is the size of, by family, and the least that it can be."""
STEELS = frozenset(("304", "316"))
"""Figures that tell a stainless steel and no size."""
WITH = frozenset(("with", "w", "mit", "con", "avec"))
BOTH = frozenset(("both", "beide", "beiden", "ambos", "ambas"))
COUNTED = frozenset(("family", "compression", "hp", "cfm", "model"))
"""What a number before it counts, of the machines that an item is for."""
OF_A_USER = frozenset(("industry", "use", "elsewhere"))
"""What says whom a machine is for, or of whom others are."""
BLANKS = 2
TOGETHER = re.compile(
    r"\b(?:total (?:flow|of|capacity|demand|air)|gesamt(?:menge|luftmenge|bedarf|volumenstrom)|(?:caudal|debit) total"
    r"|together|combined|altogether|between them|in total|zusammen|gemeinsam|insgesamt|junt[oa]s|en conjunto"
    r"|en total|ensemble|au total)\b"
)
"""What says of a flow that several machines give it."""
BLOWN_PSI = 18
"""Up to which air is blown and not compressed."""
INFERRED: tuple[tuple[str, frozenset[str], str], ...] = (
    ("inhg", frozenset(), "vacuum_pump"),
    ("ppm", frozenset(), "filtration"),
    ("dewpoint_f", frozenset(), "dryer"),
    ("dryer_kind", frozenset(), "dryer"),
    ("filter_kind", frozenset(("coalescing", "particulate", "carbon")), "filtration"),
    ("accessory_kind", frozenset(), "accessory"),
    ("portability", frozenset(), "compressor"),
    ("compression", frozenset(("claw", "liquid-ring")), "vacuum_pump"),
    ("compression", frozenset(("lobe", "regenerative", "turbo")), "blower"),
    ("compression", frozenset(("scroll", "reciprocating", "centrifugal", "booster")), "compressor"),
)
MACHINES = POWERED | {"receiver"}
"""What has no kind of a dryer, and whose delivery is a date and no freight that it would have to have."""
OF_THE_AIR = re.compile(
    r"\b(?:is|will|does|comes|ist|wird|kommt|est|sera|sort|sale)\b[^.?!;]{0,12}\b(?:the|its|die|el|l.)\s?"
    r"(?:compressed )?(?:air|luft|druckluft|aire)\b(?! comp)[^.?!;]*$"
)
"""Before a dryer without which the customer asks whether the air is dry: it may have one."""
MACHINES_OF = {name: count for count, name in PLEX.items() if count > 1}


def _with_family(needs: list[Need], families: frozenset[str], *, makes: Mapping[str, str]) -> list[Need]:
    """Adds the family that only one kind of machine can mean: 27 inHg is a vacuum pump."""
    if families or any(need.attribute == "model" and not need.absent for need in needs):
        return needs
    of_a_machine = any(need.attribute in ("hp", "compression") for need in needs)
    for attribute, values, family in INFERRED:
        # "Screw with heat recovery" is a machine that has it.
        for need in () if family == "accessory" and of_a_machine else needs:
            if need.attribute != attribute or need.operator == "none_of" or (values and not need.values & values):
                continue
            return [*needs, _family(need, family)]
    said = {need.attribute for need in needs}
    if "gallons" in said and said & {"hp", "compression"} and "inhg" not in said:
        # A machine with a tank: "10 hp screw, 120 gallon".
        return [
            *needs,
            _family(next(need for need in needs if need.attribute in ("hp", "compression")), "compressor"),
        ]
    if "gallons" in said and not said & {"hp", "cfm", "lubrication", "compression"}:
        return [*needs, _family(next(need for need in needs if need.attribute == "gallons"), "receiver")]
    pressed = next((need for need in needs if need.attribute == "psi" and (need.low or need.high or 0) >= 40), None)
    blown = next(
        (need for need in needs if need.attribute == "psi" and 1 <= (need.high or need.low or 0) <= BLOWN_PSI),
        None,
    )
    if blown is not None and "cfm" in said:
        return [*needs, _family(blown, "blower")]
    if pressed is not None and said & {"hp", "lubrication", "compression"}:
        return [*needs, _family(pressed, "compressor")]
    return [*needs, *_made(needs, makes)]


def _made(needs: Sequence[Need], makes: Mapping[str, str]) -> list[Need]:
    """The family that an absent maker is known for; one that is here makes what the catalogue says."""
    named = [need for need in needs if need.attribute == "manufacturer" and need.operator == "one_of" and need.absent]
    families = {family for need in named for value in need.values if (family := makes.get(value))}
    return [_family(named[0], family) for family in families] if len(families) == 1 else []


def _family(need: Need, family: str) -> Need:
    """The family that a need implies, with the words of that need."""
    return Need(
        "family",
        "one_of",
        values=frozenset({family}),
        words=need.words,
        shown=family.replace("_", " "),
        start=need.start,
    )


def _measured_as(text: str, roles: Sequence[Role], marks: Sequence[Mark]) -> frozenset[str]:
    """The machine as whose the quantities of an item are read that names none."""
    if is_of_a_vacuum(text, roles, marks):
        return frozenset({"vacuum_pump"})
    return frozenset({"compressor"}) if any(mark.attribute == "hp" for mark in marks) else frozenset()


def _within(place: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(low <= place < high for low, high in ranges)


def _of_each(need: Need, quantity: int | None, *, text: str, counted: str) -> Need:
    """The size of one machine, where several are asked for; ``counted`` is how the ``text`` of a package tells of its
    machines, before their size.
    """
    machines = need.machines or quantity
    if machines is None or machines < 2 or need.attribute not in ("hp", "cfm") or need.spare:
        return need
    words = f"{counted}{need.words}"
    return replace(need, machines=machines, words=words if words in text else need.words)


def _with_one_out(needs: Sequence[Need]) -> tuple[Need, ...]:
    """The needs of an item whose flow the others give while one machine is out, where that is asked for."""
    flow = next((need for need in needs if need.attribute == "cfm" and need.low and not need.machines), None)
    spare = next((need for need in needs if need.attribute == "redundancy" and need.operator == "one_of"), None)
    if flow is None or spare is None:
        return tuple(needs)
    settled = {flow: replace(flow, spare=1), spare: replace(spare, low=flow.low)}
    return tuple(settled.get(need, need) for need in needs)


def _kinds(part: Segment, marks: Sequence[Mark]) -> set[str]:
    """Kinds of accessories that a part of the text names."""
    inside = places(marks, part.first, part.last)
    return {value for at in inside if marks[at].attribute == "accessory_kind" for value in marks[at].values}


class Assembler:
    def __init__(self, marked: MarkedText) -> None:
        self.text, self.folded, self.words, self.roles = marked.text, marked.folded, marked.words, marked.roles
        self.vocabulary, self.language = marked.vocabulary, marked.language
        self.wording = Wording(self.text, self.words, self.roles, attributes=self.vocabulary.labels.attributes)
        self.said = frozenset(role.value for role in self.roles)

    def items(self, parts: Sequence[Segment], marks: Sequence[Mark], taken: bytearray) -> tuple[Item, ...]:
        self.negated = negated(self.words, self.roles, marks, stop=self.vocabulary.stop)
        self.waived = waived(self.words, self.roles, marks)
        self.named = {mark.first for mark in marks if mark.attribute in COUNTED}
        self.joins = {place for role in self.roles if role.value == "and" for place in range(role.first, role.last)}
        items: list[Item] = []
        others = OtherMachines(self.folded, self.words, self.roles, marks, self.wording)
        for part in parts:
            inside = others.kept(self._inside(part, marks))
            needs = self._sequenced(part, self._needs(part, inside, marks), taken)
            quantity = self._quantity(part, inside, marks, taken)
            shares = [marks[at] for at in inside if marks[at].attribute == "percent"]
            needs = (*needs, *self._bare(part, needs, taken))
            needs = (*needs, *self._flow_served(part, needs, marks))
            needs = settled(demanded(needs, self.words, self.roles, shares, numbers=self.vocabulary.numbers))
            machines = quantity or (self._plex(needs) if "each" in self.said else None)
            needs = needs if "each" in self.said else self._shared_out(_with_one_out(needs), quantity)
            for low, high in part.context:
                if self._counted(low, high) > 1:
                    self._take_count(low, high, taken)
            counted = self._within_a_package(part, marks)
            needs = tuple(_of_each(need, machines, text=self.text, counted=counted) for need in needs)
            quantity = None if counted else quantity
            items.append(Item(self._text(part), quantity, needs, self._model_served(part, needs, marks)))
        self.gone = others.gone
        return tuple(shared(items, parts))

    def _shared_out(self, needs: Sequence[Need], quantity: int | None) -> tuple[Need, ...]:
        """The flow that several machines give together as what one of them has to: "two HGS-37 for 9.5 m3/min"."""
        flow = next((need for need in needs if need.attribute == "cfm" and need.low and not need.machines), None)
        if flow is None or flow.low is None or quantity is None or quantity < 2 or flow.implied_by or flow.spare:
            return tuple(needs)
        families = next((need.values for need in needs if need.attribute == "family"), frozenset())
        served = families <= POWERED and any(
            role.value == "for" and 0 <= flow.start - self.words[role.last - 1].end <= BLANKS for role in self.roles
        )
        if not served and TOGETHER.search(self.folded) is None:
            return tuple(needs)
        named = any(need.attribute == "model" and need.operator == "one_of" for need in needs)
        low, high = (None if end is None else end / quantity for end in (flow.low, flow.high))
        told = f"{flow.shown} by {quantity} together"
        each = replace(flow, low=low, high=high, machines=quantity, shown=told)
        # More than its share is what a model that is named may give.
        each = replace(each, operator="at_least", high=None) if named else each
        return tuple(each if need is flow else need for need in needs)

    def _within_a_package(self, part: Segment, marks: Sequence[Mark]) -> str:
        """As the "with" of "an air plant with four 5 hp scrolls", one machine, as far as the size does not say it."""
        sized = {marks[at].first for at in places(marks, part.first, part.last) if marks[at].attribute == "hp"}
        for place in range(part.first + 1, part.last - 1 if sized else part.first):
            last = place + (place + 1 not in sized)
            if self.words[place].text in WITH and (self._count(self.words[place + 1]) or 0) > 1 and last + 1 in sized:
                return self.text[self.words[place].start : self.words[last + 1].start]
        return ""

    def _sequenced(self, part: Segment, needs: Sequence[Need], taken: bytearray) -> Sequence[Need]:
        """The needs of a controller of so many machines, which is none of a flow."""
        kind = next(
            (need for need in needs if need.attribute == "accessory_kind" and "sequencer" in need.values), None
        )
        if kind is None or kind.operator == "none_of":
            return needs
        counted = machines_asked(
            self.text, self.words, part.first, part.last, numbers=self.vocabulary.numbers, taken=taken
        )
        if counted is None:
            return needs
        sequencer = replace(kind, values=frozenset({"sequencer"}), shown="sequencer")
        return [*(sequencer if need is kind else need for need in needs), counted]

    def _bare(self, part: Segment, needs: Sequence[Need], taken: bytearray) -> list[Need]:
        """The size that a figure without a unit must be: "heatless twin tower 150" is of 150 cfm."""
        families = next((need.values for need in needs if need.attribute == "family"), frozenset())
        attribute, least = BARE.get(next(iter(families)), ("", 0)) if len(families) == 1 else ("", 0)
        if not attribute or any(need.attribute in (attribute, "model") for need in needs):
            return []
        places = [place for place in range(part.first, part.last) if not taken[place] and self._is_bare(place, least)]
        if len(places) != 1:
            return []
        token = self.words[places[0]]
        taken[places[0]] = 1
        value = float(token.text)
        return [Need(attribute, "exactly", value, value, words=self.text[token.start : token.end],
                     shown=shown(attribute, "exactly", value, value), start=token.start)]  # fmt: skip

    def _flow_served(self, part: Segment, needs: Sequence[Need], marks: Sequence[Mark]) -> list[Need]:
        """The flow of a dryer, filter or separator of which only the power of its compressor is said."""
        said = {need.attribute for need in needs}
        if "cfm" not in self._passed(part, marks) or said & {"cfm", "model"}:
            return []
        inside = [marks[at] for at in places(marks, part.first, part.last)]
        powers = [mark for mark in inside if mark.attribute == "hp" and mark.low]
        if len({mark.low for mark in powers}) != 1 or not powers[0].low:
            return []
        mark = powers[0]
        served = self._served(mark, part)
        flow = powers[0].low * CFM_PER_HP * (served if served > 1 else mark.machines or 1)
        told = f"{shown('cfm', 'about', flow, flow)}, assumed of {shown('hp', 'exactly', mark.low, mark.low)}"
        return [Need("cfm", "about", flow, flow, words=self.text[mark.start : mark.end], shown=told,
                     start=mark.start, implied_by="served")]  # fmt: skip

    def _model_served(self, part: Segment, needs: Sequence[Need], marks: Sequence[Mark]) -> Need | None:
        """The model whose air passes the item, where no flow is said."""
        flow = next((need for need in needs if need.attribute == "cfm"), None)
        if "cfm" not in self._passed(part, marks) or (flow is not None and not flow.implied_by):
            return None
        inside = [marks[at] for at in places(marks, part.first, part.last)]
        models = [mark for mark in inside if mark.attribute == "model" and not mark.absent and len(mark.values) == 1]
        if len({mark.values for mark in models}) != 1:
            return None
        need = self.wording.worded(models[:1], "model", models[0].values)
        return replace(need, machines=self._served(models[0], part), implied_by="served")

    def _served(self, mark: Mark, part: Segment) -> int:
        """How many machines the item is for, whose size a mark says, among the words for them or behind these: "for
        both compressors together (2 x 5 m³/min)".
        """
        low, high = next(((low, high) for low, high in part.context if low <= mark.first < high), (0, 0))
        if high:
            return mark.machines or self._counted(low, mark.first)
        low, high = max((each for each in part.context if each[1] <= mark.first), default=(0, 0))
        count = self._counted(low, high) if mark.attribute == "cfm" else 1
        if count > 1 and mark.machines:
            return mark.machines
        of_each = any(role.value == "each" and low <= role.first <= mark.last for role in self.roles)
        return count if of_each else 1

    def _counted(self, begin: int, end: int) -> int:
        """How many machines words tell of that an item is for, 1 where they do not count them."""
        counts = (self._count(self.words[at]) for at in range(begin, end) if at + 1 in self.named)
        both = any(self.words[at].text in BOTH for at in range(begin, end))
        return next((count for count in counts if count), 2 if both else 1)

    def _take_count(self, begin: int, end: int, taken: bytearray) -> None:
        for at in range(begin, end):
            token = self.words[at]
            if token.text in BOTH or TOGETHER.fullmatch(token.text) or self._count(token):
                taken[at] = 1

    def _is_bare(self, place: int, least: float) -> bool:
        token = self.words[place]
        if (
            not token.number
            or is_a_label(self.words, place, self.folded)
            or not token.text.isdecimal()
            or token.text in STEELS
            or not least <= float(token.text) <= 20_000
        ):
            return False
        glued = token.gap in ("", "-", "/", "#") and place > 0
        following = self.words[place + 1].gap if place + 1 < len(self.words) else " "
        return not glued and following[:1] not in ("", "-", "/", ":", "%") and token.gap[-1:] not in ("-", "#", "$")

    def _plex(self, needs: Sequence[Need]) -> int | None:
        """Machines of "triplex, 10 hp each"."""
        values = next((need.values for need in needs if need.attribute == "arrangement"), frozenset())
        return next((MACHINES_OF[value] for value in values if value in MACHINES_OF), None)

    def _inside(self, part: Segment, marks: Sequence[Mark]) -> list[int]:
        of_another = OF_CONTEXT - self._passed(part, marks)
        return [
            at
            for at in (places(marks, part.first, part.last) if part.marks is None else part.marks)
            if at not in self.waived
            and not (marks[at].attribute in of_another and _within(marks[at].first, part.context))
        ]

    def _passed(self, part: Segment, marks: Sequence[Mark]) -> frozenset[str]:
        """What the item must have of the machine that it is for; several machines are several flows."""
        if not part.families or not part.families <= AUXILIARY:
            return frozenset()
        if part.families == {"receiver"}:
            return frozenset({"pressure"})
        kinds = _kinds(part, marks)
        if part.families == {"accessory"} and (not kinds or kinds & UNPASSED):
            return frozenset()
        return PASSED

    def _unpressed(self, part: Segment, marks: Sequence[Mark]) -> bool:
        kinds = _kinds(part, marks)
        return part.families == {"accessory"} and bool(kinds) and kinds <= UNPRESSED

    def _text(self, part: Segment) -> str:
        first, last = part.first, part.last
        while last - 1 > first and last - 1 in self.joins and last < len(self.words):
            last -= 1
        if last <= first:
            return ""
        end = self.words[last - 1].end
        return self.text[self.words[first].start : end + self.text.startswith("+", end)]

    def _needs(self, part: Segment, inside: Sequence[int], marks: Sequence[Mark]) -> tuple[Need, ...]:
        families = part.families or _measured_as(self.text, self.roles, [marks[at] for at in inside])
        needs: list[Need] = []
        if part.families:
            naming = [at for at, mark in enumerate(marks) if mark.attribute == "family" and mark.values & families]
            # Of one of several lines with a size each, the nearest line that names the thing says what it is.
            nearest = sorted(naming, key=lambda at: abs(marks[at].first - part.first))[:1]
            own = [at for at in naming if at in inside] or nearest or list(inside[:1])
            needs.append(self.wording.worded([marks[at] for at in own], "family", families))
        groups: dict[tuple[str, bool], list[Mark]] = {}
        for at in inside:
            mark = marks[at]
            of_another = families and families <= AUXILIARY and mark.attribute in OF_MACHINES
            of_another = of_another or (families == {"accessory"} and mark.attribute == "arrangement")
            of_another = of_another or (
                bool(families) and families <= TREATING and mark.attribute == "accessory_kind"
            )
            if mark.attribute == "cfm" and (machines := self._served(mark, part)) > 1:
                low, high = (None if end is None else end * machines for end in (mark.low, mark.high))
                mark = replace(mark, low=low, high=high, machines=None)
            of_another = of_another or (mark.attribute == "pressure" and self._unpressed(part, marks))
            machine = bool(families) and families <= MACHINES
            of_another = of_another or (machine and mark.attribute == "dryer_kind")
            of_another = of_another or (machine and mark.attribute == "service" and mark.values == {"freight"})
            if (mark.family and mark.family not in families) or of_another or mark.attribute == "percent":
                continue
            no = at in self.negated
            if mark.attribute == "oil":
                if not no:
                    continue
                # "No oil", "can't have oil in it", however it is said.
                mark, no = replace(mark, attribute="lubrication", values=frozenset({"oil-free"})), False
            if no and (mark.values & APART or (mark.attribute == "family" and mark.values == {"accessory"})):
                continue
            if mark.attribute == "accessory_kind" and families and families <= POWERED:
                # "A blower with silencer" has one; the thing itself would be an accessory.
                mark = replace(mark, attribute="feature")
            if mark.attribute == "family":
                if no and not mark.values & families and not OF_THE_AIR.search(fold(self.text[: mark.start])):
                    groups.setdefault(("included", True), []).append(mark)
                continue
            groups.setdefault((mark.attribute, no), []).append(mark)
        for (attribute, no), group in groups.items():
            needs.extend(self.wording.needs(attribute, no, group, families))
        needs = _with_family(needs, part.families, makes=self.vocabulary.makes)
        if any(need.attribute == "family" and need.values == {"dryer"} for need in needs):
            # "Heatless regenerative" tells no blower.
            needs = [need for need in needs if need.attribute != "compression"]
        needs.extend(equivalent_needs(needs, vocabulary=self.vocabulary))
        needs.extend(power_in_a_name(needs, vocabulary=self.vocabulary))
        if any(need.attribute == "dba" for need in needs):
            needs = [need for need in needs if need.attribute != "quiet"]
        needs.sort(key=lambda need: need.start)
        return tuple(needs)

    def _quantity(self, part: Segment, inside: Sequence[int], marks: Sequence[Mark], taken: bytearray) -> int | None:
        inside = [at for at in inside if not _within(marks[at].first, part.context)]
        for at in inside:
            if marks[at].machines and self._served(marks[at], part) == 1:
                return marks[at].machines
        begins = {mark.first for mark in marks}
        # Of "two paint guns" the guns are counted, which are no thing of ours; of "two paint compressors" these are.
        firsts = {
            marks[at].first for at in inside if marks[at].attribute not in OF_A_USER or marks[at].last in begins
        }
        counts = {role.first for role in self.roles if role.value == "count"}
        for place in range(part.first, part.last):
            if taken[place] or _within(place, part.context):
                continue
            token = self.words[place]
            number = self._count(token)
            of_a_name = token.number and place > 0 and token.gap == ""  # the figure of "R5 pump 100 cfm"
            if number is None or of_a_name or self._is_a_size(place, taken):
                continue
            if is_a_label(self.words, place, self.folded):
                continue
            following, before = place + 1, place - 1
            sized = following in firsts and (self.words[following].soft or self.words[following].gap.strip() == ")")
            skipped = following + 1 in firsts and self.words[following].text in self.vocabulary.stop
            counted = following in counts or before in counts
            if sized or counted or (skipped and number > 1):
                taken[place] = 1
                return number
        return None

    def _is_a_size(self, place: int, taken: bytearray) -> bool:
        """True for either figure of 10 x 12; of 2 x 50 hp the second is taken."""
        for by, other in ((place - 1, place - 2), (place + 1, place + 2)):
            if min(by, other) >= 0 and max(by, other) < len(self.words) and self.words[by].text == "x":
                return self.words[other].number and not taken[other]
        return False

    def _count(self, token: Token) -> int | None:
        if token.number:
            short = token.text.isdecimal() and len(token.text) < 3
            return int(token.text) if short and int(token.text) > 0 else None
        # Spanish "once" is no number in an English text, which has it too.
        if token.text == "once" and self.language == "en":
            return None
        if self.language not in self.vocabulary.languages.get(token.text, ()):
            return None
        value = self.vocabulary.numbers.get(token.text)
        return int(value) if value is not None and 1 < value < 25 else None
