"""Turns what was read of one item into its needs: one per attribute, in canonical units, with the words typed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from quarry.understanding.electrics import shown_supply
from quarry.understanding.items import AUXILIARY, OF_CONTEXT, Segment
from quarry.understanding.marks import ALL_OIL, OIL, Mark, Role
from quarry.understanding.measured import measured
from quarry.understanding.needs import Item, Language, Need
from quarry.understanding.negation import negated, waived
from quarry.understanding.text import Token, key_of
from quarry.understanding.units import shown
from quarry.understanding.words import Vocabulary

SHARED = frozenset(
    ("industry", "use", "date", "outcome", "reason", "price", "customer", "salesperson", "voltage", "quiet")
)
"""What is said once for all items of a request."""
ALONE = frozenset(("feature", "certificate", "drive", "service", "use", "industry"))
"""Attributes of which each value is a need of its own: stainless and vertical."""
HARD = frozenset(("cooling", "drive", "lubrication", "compression", "dryer_kind", "family", "portability"))
OILED_FAMILIES = frozenset(("compressor", "vacuum_pump", "blower"))
OF_MACHINES = frozenset(("hp", "lubrication", "compression"))
"""What no dryer, receiver, filter or drain has: "separator for a 300 hp plant"."""
UNPOWERED = frozenset(("receiver", "filtration"))
PLEX = {"duplex": 2, "triplex": 3, "quadruplex": 4}
QUIET_DBA = 68.0
INFERRED: tuple[tuple[str, frozenset[str], str], ...] = (
    ("inhg", frozenset(), "vacuum_pump"),
    ("dewpoint_f", frozenset(), "dryer"),
    ("dryer_kind", frozenset(), "dryer"),
    ("filter_kind", frozenset(("coalescing", "particulate", "carbon")), "filtration"),
    ("accessory_kind", frozenset(), "accessory"),
    ("compression", frozenset(("claw", "liquid-ring")), "vacuum_pump"),
    ("compression", frozenset(("lobe", "regenerative")), "blower"),
    ("compression", frozenset(("scroll", "reciprocating", "centrifugal")), "compressor"),
)


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


def _within(place: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(low <= place < high for low, high in ranges)


def _of_each(need: Need, quantity: int | None) -> Need:
    """The size of one machine, where several are asked for."""
    if quantity is None or quantity < 2 or need.machines or need.attribute not in ("hp", "cfm"):
        return need
    return replace(need, machines=quantity)


class Assembler:
    def __init__(
        self, text: str, words: Sequence[Token], roles: Sequence[Role], vocabulary: Vocabulary, language: Language
    ) -> None:
        self.text, self.words, self.roles, self.vocabulary, self.language = text, words, roles, vocabulary, language

    def items(self, parts: Sequence[Segment], marks: Sequence[Mark], taken: bytearray) -> tuple[Item, ...]:
        self.negated = negated(self.words, self.roles, marks)
        self.waived = waived(self.words, self.roles, marks)
        items: list[Item] = []
        for part in parts:
            inside = self._kept(self._inside(part, marks), marks)
            quantity = self._quantity(part, inside, marks, taken)
            needs = self._needs(part, inside, marks)
            machines = quantity or (self._plex(needs) if any(role.value == "each" for role in self.roles) else None)
            needs = tuple(_of_each(need, machines) for need in needs)
            items.append(Item(self._text(part), quantity, needs))
        return tuple(self._shared(items, parts))

    def _plex(self, needs: Sequence[Need]) -> int | None:
        """Machines of "triplex, 10 hp each"."""
        values = next((need.values for need in needs if need.attribute == "arrangement"), frozenset())
        return next((PLEX[value] for value in values if value in PLEX), None)

    def _inside(self, part: Segment, marks: Sequence[Mark]) -> list[int]:
        places = part.marks
        if places is None:
            places = tuple(at for at, mark in enumerate(marks) if part.first <= mark.first < part.last)
        return [
            at
            for at in places
            if at not in self.waived
            and not (
                marks[at].attribute in OF_CONTEXT and any(low <= marks[at].first < high for low, high in part.context)
            )
        ]

    def _text(self, part: Segment) -> str:
        joins = {place for role in self.roles if role.value == "and" for place in range(role.first, role.last)}
        first, last = part.first, part.last
        while last - 1 > first and last - 1 in joins and last < len(self.words):
            last -= 1
        return self.text[self.words[first].start : self.words[last - 1].end] if last > first else ""

    def _needs(self, part: Segment, inside: Sequence[int], marks: Sequence[Mark]) -> tuple[Need, ...]:
        families = part.families
        for name in ("vacuum_pump",):
            if not families and any(marks[at].family == name for at in inside) and "vacuum" in self.text.lower():
                families = frozenset({name})
        needs: list[Need] = []
        if families:
            family = [marks[at] for at in inside if marks[at].attribute == "family" and marks[at].values & families]
            needs.append(self._worded(family, "family", families))
        groups: dict[tuple[str, bool], list[Mark]] = {}
        for at in inside:
            mark = marks[at]
            of_another = families and families <= AUXILIARY and mark.attribute in OF_MACHINES
            if (mark.family and mark.family not in families) or of_another:
                continue
            no = at in self.negated
            if mark.attribute == "family":
                if no and not mark.values & families:
                    groups.setdefault(("included", True), []).append(mark)
                continue
            groups.setdefault((mark.attribute, no), []).append(mark)
        for (attribute, no), group in groups.items():
            needs.extend(self._group(attribute, no, group, families))
        needs = self._inferred(needs, families)
        needs.extend(self._equivalents(needs))
        needs.sort(key=lambda need: need.start)
        return tuple(needs)

    def _group(self, attribute: str, no: bool, group: Sequence[Mark], families: frozenset[str]) -> list[Need]:
        first = group[0]
        if first.operator != "one_of" and attribute not in ("date", "price"):
            return measured(self.text, self.roles, group, families=families, negated=no)
        if attribute in ("date", "price"):
            return [self._said(mark) for mark in group]
        if attribute == "quiet":
            return [] if no else [self._quiet(first)]
        if attribute == "lubrication":
            return [self._lubrication(group, no)]
        if attribute in ("manufacturer", "model", "customer", "salesperson"):
            return self._names(attribute, group, no)
        if attribute == "voltage":
            return [
                self._worded(group, attribute, frozenset().union(*(mark.values for mark in group)), no=no, hard=True)
            ]
        if attribute in ALONE and not no and not self._alternatives(group):
            seen: dict[frozenset[str], Mark] = {}
            for mark in group:
                seen.setdefault(mark.values, mark)
            return [self._worded([mark], attribute, mark.values) for mark in seen.values()]
        values: frozenset[str] = frozenset().union(*(mark.values for mark in group))
        return [self._worded(group, attribute, values, no=no)]

    def _alternatives(self, group: Sequence[Mark]) -> bool:
        return any(role.value == "or" and group[0].last <= role.first < group[-1].first for role in self.roles)

    def _worded(
        self, group: Sequence[Mark], attribute: str, values: frozenset[str], *, no: bool = False, hard: bool = False
    ) -> Need:
        start = group[0].start if group else 0
        words = self._words(group)
        shown_values = shown_supply(values) if attribute == "voltage" else ", ".join(sorted(values)).replace("_", " ")
        return Need(
            attribute,
            "none_of" if no else "one_of",
            values=values,
            words=words,
            hard=hard or no or attribute in HARD or self._only(group),
            shown=("not " if no else "") + shown_values,
            start=start,
        )

    def _words(self, group: Sequence[Mark]) -> str:
        """The words of the marks where they stand together, else those of the first."""
        if not group:
            return ""
        together = all(
            other.first - one.last <= 2 and "\n" not in self.text[one.end : other.start]
            for one, other in pairwise(group)
        )
        return self.text[group[0].start : max(mark.end for mark in group) if together else group[0].end]

    def _only(self, group: Sequence[Mark]) -> bool:
        return self._near_role(group, "only", before=2, after=2)

    def _near_role(self, group: Sequence[Mark], value: str, *, before: int, after: int) -> bool:
        for role in self.roles:
            if role.value != value:
                continue
            for mark in group:
                low, high = (
                    sorted((role.last, mark.first)) if role.last <= mark.first else sorted((mark.last, role.first))
                )
                reach = before if role.last <= mark.first else after
                gaps = " ".join(token.gap for token in self.words[low : min(high + 1, len(self.words))])
                if high - low <= reach and not re.search(r"[;\n]|\.\s", gaps):
                    return True
        return False

    def _lubrication(self, group: Sequence[Mark], no: bool) -> Need:
        admitted = [OIL.get(value, frozenset({value})) for mark in group for value in mark.values]
        values: frozenset[str] = frozenset().union(*admitted)
        if no:
            values = (ALL_OIL - values) or ALL_OIL - {"oil-flooded"}
            return replace(self._worded(group, "lubrication", values), shown="not " + self._words(group))
        common = admitted[0].intersection(*admitted[1:])
        if common and not self._alternatives(group):
            values = common
        return self._worded(group, "lubrication", values)

    def _names(self, attribute: str, group: Sequence[Mark], no: bool) -> list[Need]:
        needs: list[Need] = []
        for absent in (False, True):
            marks = [mark for mark in group if mark.absent is absent]
            if not marks:
                continue
            values: frozenset[str] = frozenset().union(*(mark.values for mark in marks))
            need = self._worded(marks, attribute, values, no=no)
            like = self._near_role(marks, "equal", before=2, after=3)
            hard = need.hard or (attribute in ("model", "customer", "salesperson") and not absent)
            need = replace(need, absent=absent, hard=hard and not like)
            if attribute == "model" and like and not no:
                need = replace(need, operator="about")
            needs.append(need)
        return needs

    def _said(self, mark: Mark) -> Need:
        if mark.operator == "one_of":
            return self._worded([mark], mark.attribute, mark.values)
        words = self.text[mark.start : mark.end]
        ends = [value for value in (mark.low, mark.high) if value is not None]
        if mark.attribute == "date":
            spoken = "–".join(
                f"{value:.0f}"[:4] + "-" + f"{value:.0f}"[4:6] + "-" + f"{value:.0f}"[6:] for value in ends
            )
        else:
            spoken = "–".join(f"{value:,.0f}" for value in dict.fromkeys(ends))
        sign = {"at_least": "from ", "at_most": "up to ", "about": "about "}.get(mark.operator, "")
        currency = " ".join(sorted(mark.values))
        return Need(mark.attribute, mark.operator, mark.low, mark.high, mark.values, words,
                    mark.operator != "about", f"{sign}{spoken} {currency}".strip(), start=mark.start)  # fmt: skip

    def _quiet(self, mark: Mark) -> Need:
        return Need("dba", "at_most", None, QUIET_DBA, words=self.text[mark.start : mark.end],
                    shown=shown("dba", "at_most", None, QUIET_DBA), start=mark.start)  # fmt: skip

    def _inferred(self, needs: list[Need], families: frozenset[str]) -> list[Need]:
        """Adds the family that only one kind of machine can mean: 27 inHg is a vacuum pump."""
        if families or any(need.attribute == "model" for need in needs):
            return needs
        for attribute, values, family in INFERRED:
            for need in needs:
                if need.attribute != attribute or need.operator == "none_of" or (values and not need.values & values):
                    continue
                return [*needs, _family(need, family)]
        said = {need.attribute for need in needs}
        if "gallons" in said and not said & {"hp", "cfm", "lubrication", "compression"}:
            return [*needs, _family(next(need for need in needs if need.attribute == "gallons"), "receiver")]
        pressed = next(
            (need for need in needs if need.attribute == "psi" and (need.low or need.high or 0) >= 40), None
        )
        if pressed is not None and said & {"hp", "lubrication", "compression"}:
            return [*needs, _family(pressed, "compressor")]
        return needs

    def _equivalents(self, needs: Sequence[Need]) -> list[Need]:
        """What a competitor's model that is named is worth; its own words win over what its equivalent says."""
        if not self.vocabulary.equivalents:
            return []
        named = key_of(self.text)
        said = {need.attribute for need in needs}
        found: list[Need] = []
        for known in self.vocabulary.equivalents:
            key = key_of(known.model) or key_of(known.maker)
            words = self._named(known.model or known.maker) if key and key in named else ""
            if not words:
                continue
            start = self.text.find(words)
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

    def _named(self, name: str) -> str:
        """The words of the text that name it, as typed; "" where it is not named by whole words."""
        parts = [re.escape(part) for part in re.findall(r"[^\W_]+", name)]
        if not parts:
            return ""
        match = re.search(r"(?<![^\W_])" + r"[\W_]{0,2}".join(parts) + r"(?![^\W_])", self.text, re.IGNORECASE)
        return match[0] if match else ""

    def _kept(self, inside: Sequence[int], marks: Sequence[Mark]) -> list[int]:
        """Without what is said of the machine that goes: "replace a 50 hp recip with a 40 hp screw"."""
        ends = sorted(role.first for role in self.roles if role.value in ("and", "replace_end"))
        gone: set[int] = set()
        for role in self.roles:
            if role.value != "replace":
                continue
            stop = min(next((at for at in ends if at >= role.last), role.last + 6), role.last + 8)
            gone |= {
                at
                for at in inside
                if role.last <= marks[at].first < stop and marks[at].attribute in OF_CONTEXT - {"family"}
            }
        said_again = {marks[at].attribute for at in inside if at not in gone}
        if not any(marks[at].attribute in said_again for at in gone):
            return list(inside)
        return [at for at in inside if at not in gone]

    def _quantity(self, part: Segment, inside: Sequence[int], marks: Sequence[Mark], taken: bytearray) -> int | None:
        for at in inside:
            if marks[at].machines:
                return marks[at].machines
        firsts = {marks[at].first for at in inside}
        counts = {role.first for role in self.roles if role.value == "count"}
        for place in range(part.first, part.last):
            if taken[place]:
                continue
            token = self.words[place]
            number = self._count(token)
            if number is None:
                continue
            following, before = place + 1, place - 1
            sized = following in firsts and (self.words[following].soft or self.words[following].gap.strip() == ")")
            skipped = following + 1 in firsts and self.words[following].text in self.vocabulary.stop
            counted = following in counts or before in counts
            if sized or counted or (skipped and number > 1):
                taken[place] = 1
                return number
        return None

    def _count(self, token: Token) -> int | None:
        if token.number:
            return (
                int(token.text)
                if token.text.isdecimal() and len(token.text) < 3 and 0 < int(token.text) < 100
                else None
            )
        value = self.vocabulary.numbers.get(token.text)
        return int(value) if value is not None and 1 < value < 25 and token.text in self._own_numbers() else None

    def _own_numbers(self) -> frozenset[str]:
        """Number words of the request's language; Spanish "once" is no number in an English text."""
        return frozenset(
            word for word in self.vocabulary.numbers if self.language in self.vocabulary.languages.get(word, ())
        )

    def _shared(self, items: Sequence[Item], parts: Sequence[Segment]) -> list[Item]:
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
                added.extend(self._of_the_one_before(items[place - 1], item, said))
            result.append(replace(item, needs=(*item.needs, *added)))
        return result

    def _of_the_one_before(self, before: Item, item: Item, said: set[str]) -> list[Need]:
        added = []
        oil = before.need("lubrication")
        if oil is not None and "lubrication" not in said and item.families & OILED_FAMILIES:
            added.append(oil)
        flow = before.need("cfm")
        if flow is not None and "cfm" not in said and item.families & {"dryer", "filtration"}:
            added.append(flow)
        return added
