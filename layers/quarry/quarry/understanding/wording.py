"""Needs of one attribute of one item, with the words typed and what is insisted on."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from quarry.understanding.electrics import alternative_supplies, shown_supply
from quarry.understanding.extremes import EXTREMES, SHOWN
from quarry.understanding.marks import ALL_OIL, KIND_OF, OIL, Mark, Role
from quarry.understanding.measured import measured
from quarry.understanding.needs import Need
from quarry.understanding.own_attributes import OwnAttribute
from quarry.understanding.text import Token

ALONE = frozenset(("feature", "certificate", "drive", "service", "use", "industry", "reason"))
"""Attributes of which each value is a need of its own: stainless and vertical."""
HARD = frozenset(("cooling", "drive", "lubrication", "compression", "dryer_kind", "family", "portability"))
NAMED = frozenset(("manufacturer", "model", "customer", "salesperson", "contact", "quote_number"))
OR = re.compile(r"[\s,]*(?:or|oder|o|u|ou|bzw\.?|either|resp\.?)\s+(?:with\s|at\s|mit\s|con\s|avec\s|en\s)?")
"""Between two supplies of which either will do, in whatever language the text is taken to be."""
PARTING = re.compile(r"[,;()\n]|\.\s")


class Wording:
    def __init__(
        self, text: str, words: Sequence[Token], roles: Sequence[Role], *, attributes: Mapping[str, OwnAttribute]
    ) -> None:
        self.text, self.words, self.roles, self.attributes = text, words, roles, attributes

    def needs(self, attribute: str, no: bool, group: Sequence[Mark], families: frozenset[str]) -> list[Need]:
        first = group[0]
        if first.own:
            return self.attributes[attribute].needs(group, text=self.text, negated=no)
        if first.operator != "one_of" and attribute not in ("date", "price"):
            wished = {mark.start for mark in group if self._soft([mark])}
            found = measured(self.text, self.roles, group, families=families, negated=no)
            return [replace(need, hard=False) if need.start in wished else need for need in found]
        if attribute in ("date", "price"):
            return [self._said(mark) for mark in group]
        if attribute == "quiet":
            return [] if no else [replace(self.worded(group, attribute, first.values), hard=False)]
        if attribute in EXTREMES:
            return [] if no else [self._extreme(first)]
        if attribute == "lubrication":
            return [self._lubrication(group, no)]
        if attribute == "name":
            found = [self.worded([mark], attribute, mark.values, no=no) for mark in group]
            return [replace(need, shown=need.words) for need in found]
        if attribute in NAMED:
            return self._names(attribute, group, no)
        if attribute == "voltage":
            return [self._supply(group, no)]
        if attribute in ALONE and not no and not self._alternatives(group):
            seen: dict[frozenset[str], Mark] = {}
            for mark in group:
                if mark.values not in seen or self._names_it(seen[mark.values]):
                    seen[mark.values] = mark
            return [self.worded([mark], attribute, mark.values) for mark in seen.values()]
        values: frozenset[str] = frozenset().union(*(mark.values for mark in group))
        if not self._alternatives(group):
            values -= {KIND_OF[value] for value in values if value in KIND_OF}
        return [self.worded(group, attribute, values, no=no)]

    def _names_it(self, mark: Mark) -> bool:
        """Whether the words of a mark are the name of its value: installation, of which "hot tap" tells more."""
        said = self.text[mark.start : mark.end].lower()
        return any(said[:4] == value[:4] for value in mark.values)

    def _alternatives(self, group: Sequence[Mark]) -> bool:
        return any(role.value == "or" and group[0].last <= role.first < group[-1].first for role in self.roles)

    def worded(
        self, group: Sequence[Mark], attribute: str, values: frozenset[str], *, no: bool = False, hard: bool = False
    ) -> Need:
        shown_values = shown_supply(values) if attribute == "voltage" else ", ".join(sorted(values)).replace("_", " ")
        return Need(
            attribute,
            "none_of" if no else "one_of",
            values=values,
            words=self._words(group),
            hard=(hard or no or attribute in HARD or self._only(group)) and not self._soft(group),
            shown=("not " if no else "") + shown_values,
            start=group[0].start,
            implied_by="problem" if all(mark.problem for mark in group) else None,
        )

    def _words(self, group: Sequence[Mark]) -> str:
        """The words of the marks where they stand together, else those of the first."""
        together = all(
            other.first - one.last <= 2 and "\n" not in self.text[one.end : other.start]
            for one, other in pairwise(group)
        )
        return self.text[group[0].start : max(mark.end for mark in group) if together else group[0].end]

    def _soft(self, group: Sequence[Mark]) -> bool:
        """Whether a word of wishing goes with it: of "a screw, ideally 460 V" with what no comma parts from it."""
        return self._near_role(group, "soft", before=2, after=1, to_one_side=True)

    def _only(self, group: Sequence[Mark]) -> bool:
        return self._near_role(group, "only", before=2, after=2)

    def _near_role(
        self, group: Sequence[Mark], value: str, *, before: int, after: int, to_one_side: bool = False
    ) -> bool:
        for role in self.roles:
            if role.value != value:
                continue
            for mark in group:
                low, high = (
                    sorted((role.last, mark.first)) if role.last <= mark.first else sorted((mark.last, role.first))
                )
                reach = before if role.last <= mark.first else after
                gaps = " ".join(token.gap for token in self.words[low : min(high + 1, len(self.words))])
                elsewhere = to_one_side and (
                    self._goes_with_the_other_side(role, mark) or self._is_another_clause(role, mark)
                )
                if high - low <= reach and not re.search(r"[;\n]|\.\s", gaps) and not elsewhere:
                    return True
        return False

    def _goes_with_the_other_side(self, role: Role, mark: Mark) -> bool:
        """Whether a sign parts the words of a role from the mark and none parts them from what stands on their other
        side.
        """
        left = bool(role.first) and PARTING.search(self.words[role.first].gap) is None
        right = role.last < len(self.words) and PARTING.search(self.words[role.last].gap) is None
        return (left and not right) if role.last <= mark.first else (right and not left)

    def _supply(self, group: Sequence[Mark], no: bool) -> Need:
        need = self.worded(group, "voltage", frozenset().union(*(mark.values for mark in group)), no=no, hard=True)
        said = [[group[0].values]]
        for one, other in pairwise(group):
            if OR.fullmatch(self.text[one.end : other.start].lower()):
                said.append([])
            said[-1].append(other.values)
        any_of = () if no else alternative_supplies(said)
        if len(any_of) < 2:
            return need
        return replace(need, alternatives=any_of, shown=" or ".join(map(shown_supply, any_of)))

    def _is_another_clause(self, role: Role, mark: Mark) -> bool:
        """Whether a sign stands between the mark and the words that stand beside the role: of "screw, oilless if you
        can" the screw is a must.
        """
        between = (
            self.words[role.last + 1 : mark.first + 1]
            if role.last <= mark.first
            else self.words[mark.last : role.first]
        )
        return any(PARTING.search(token.gap) for token in between)

    def _lubrication(self, group: Sequence[Mark], no: bool) -> Need:
        admitted = [OIL.get(value, frozenset({value})) for mark in group for value in mark.values]
        values: frozenset[str] = frozenset().union(*admitted)
        if no:
            values = (ALL_OIL - values) or ALL_OIL - {"oil-flooded"}
            return replace(self.worded(group, "lubrication", values), shown="not " + self._words(group))
        common = admitted[0].intersection(*admitted[1:])
        if common and not self._alternatives(group):
            values = common
        return self.worded(group, "lubrication", values)

    def _names(self, attribute: str, group: Sequence[Mark], no: bool) -> list[Need]:
        needs: list[Need] = []
        for absent in (False, True):
            marks = [mark for mark in group if mark.absent is absent]
            if not marks:
                continue
            values: frozenset[str] = frozenset().union(*(mark.values for mark in marks))
            need = self.worded(marks, attribute, values, no=no)
            like = self._near_role(marks, "equal", before=2, after=3) or (
                attribute == "model" and self._near_role(marks, "replace", before=2, after=0)
            )
            hard = need.hard or (attribute != "manufacturer" and not absent)
            need = replace(need, absent=absent, hard=hard and not like)
            if attribute == "model" and like and not no:
                need = replace(need, operator="about")
            needs.append(need)
        return needs

    def _said(self, mark: Mark) -> Need:
        if mark.operator == "one_of":
            return self.worded([mark], mark.attribute, mark.values)
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

    def _extreme(self, mark: Mark) -> Need:
        """One of several meanings stands for all: "largest" says the size."""
        value = min(mark.values)
        need = self.worded([mark], mark.attribute, frozenset({value}))
        return replace(need, hard=False, shown=SHOWN[value][mark.attribute == "least"], machines=mark.machines)
