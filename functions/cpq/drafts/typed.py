"""What a letter's writer typed: facts named by id, such as {{QGV-100.flow}}, filled from rows; what is open in it;
the customer's demands, tested on the machine as it is set up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cpq.drafts import proven
from cpq.drafts.blocks import Block, Opening, Points, Title
from cpq.drafts.grounds import Grounds, machine_in
from cpq.drafts.value import HOUSE, ITEMS, LINE, MUST, REFERENCE, AcceptedArgs, RequirementArgs
from cpq.model import Problem
from quarry.attributes.model import values_of
from quarry.characteristics import label_of
from quarry.corpora import PRODUCTS
from quarry.needs.arguments import NeedRow, needs_of
from quarry.needs.model import Need, Unread, Verdict
from quarry.retrieval.judging import Judge
from quarry.text import alike, part_key

WORST_FIRST: Sequence[Verdict] = ("contradicted", "unknown", "close", "met")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """``verdict`` is None where the writer answered and nothing was judged; ``has`` is as the customer reads it,
    ``how`` for the house how it came about at the conditions of the job.
    """

    asked: RequirementArgs
    model: str
    has: str
    verdict: Verdict | None
    opening: Opening | None = None
    how: str = ""

    @property
    def set_up(self) -> str:
        """For the house: "2 machines, 1 down"; empty for one."""
        if self.asked.machines == 1 and not self.asked.down:
            return ""
        return f"{self.asked.machines} machines" + (f", {self.asked.down} down" if self.asked.down else "")


def tested(grounds: Grounds) -> tuple[list[Tested], list[Problem]]:
    """(each requirement with what came of it, those that cannot be read)."""
    found, wrong = [], list[Problem]()
    read = needs_asked(grounds)
    for place, (asked, needs, unread) in enumerate(read):
        path = f"requirements[{place}]"
        machine = _machine(grounds, asked)
        if (asked.attribute is None) != (asked.is_ is None):
            wrong.append(Problem(code="MISSING", path=path, message="A need has both attribute and is."))
        elif asked.attribute is None or asked.is_ is None:
            found.append(_answered(asked, place))
        elif machine is None:
            message = "No item is in the catalogue: name the model it is tested on, or give answer alone."
            wrong.append(Problem(code="MISSING", path=f"{path}.model", message=message))
        else:
            wrong += [Problem(code="INVALID", path=path, message=str(each)) for each in unread]
            if needs:
                model = machine["model"]
                beside = [need for other, more, _ in read for need in more
                          if (its := _machine(grounds, other)) and its["model"] == model]  # fmt: skip
                judge = Judge(PRODUCTS, needs, grounds.attributes, asked.machines, asked.down, beside=beside)
                found.append(_judged(grounds, asked, machine, judge, place))
    return found, wrong


def needs_together(grounds: Grounds) -> tuple[Need, ...]:
    """Those of all requirements."""
    return tuple(need for _, needs, _ in needs_asked(grounds) for need in needs)


def needs_asked(grounds: Grounds) -> list[tuple[RequirementArgs, Sequence[Need], Sequence[Unread]]]:
    """Each requirement with its need, or why it cannot be read."""
    return [
        (one, *needs_of([NeedRow(attribute=one.attribute, is_=one.is_)], attributes=grounds.attributes))
        if one.attribute is not None and one.is_ is not None
        else (one, (), ())
        for one in grounds.content.requirements
    ]


def _machine(grounds: Grounds, asked: RequirementArgs) -> Mapping[str, Any] | None:
    if asked.model:
        return grounds.machines.get(part_key(asked.model))
    return next((item.machine for item in grounds.of_role("item") if item.machine), None)


def _opening(asked: RequirementArgs, place: int, who: str) -> Opening:
    return Opening(field=f"requirement {place + 1}", who=who, told=asked.text.rstrip("."))


def _answered(asked: RequirementArgs, place: int) -> Tested:
    who = "whoever writes the letter: a need, or an answer"
    opening = None if asked.answer else _opening(asked, place, who)
    return Tested(asked=asked, model="", has=asked.answer or "", verdict=None, opening=opening)


def _judged(grounds: Grounds, asked: RequirementArgs, machine: Mapping[str, Any], judge: Judge, place: int) -> Tested:
    findings = judge.of(machine).findings
    worst = min(findings, key=lambda each: WORST_FIRST.index(each.verdict))
    values = judge.values(machine, [worst.need.name])
    attribute, value = worst.need.attribute, values.get(worst.need.name)
    known = attribute.name in grounds.attributes.by_name
    units = grounds.units.saying(f"{asked.text}\n{asked.is_}", grounds.attributes.unit_of(attribute))
    has = units.told(value, attribute) if value is not None and known else worst.has
    verdict: Verdict | None = worst.verdict
    opening = None
    if verdict == "unknown":
        if asked.answer:
            return Tested(asked=asked, model=str(machine["model"]), has=asked.answer, verdict=None)
        opening = _opening(asked, place, "the maker, asked by the salesperson")
    how = worst.has if value is not None and value.how else ""
    return Tested(asked=asked, model=str(machine["model"]), has=has, verdict=verdict, opening=opening, how=how)


LIST_PRICE, LEAD_TIME, NAMES = "list_price", "lead_time", ("model", "manufacturer")
MAKER = "the maker, asked by the salesperson"
"""Who knows what the catalogue does not say."""
_BLANK = re.compile(r"(?<!\])\[([^\]\[\n]{1,80})\](?![(\[:])")
_CHECKED = re.compile(r"[xX ]|\^?\d+")
"""What stands in brackets and is no blank: a box to tick, the number of a footnote."""


class TypedText:
    """Fills what was typed for one letter, and keeps what is open in it by name; ``totals`` are by what names them.

    ``problems`` are ids that name nothing, ``answered`` the places of the musts that a text answers by id.
    """

    def __init__(self, grounds: Grounds, tested: Sequence[Tested], *, totals: Mapping[str, str]) -> None:
        self._grounds, self._tested, self._totals = grounds, tested, totals
        self._say = grounds.wording.say
        self._accepted: Mapping[str, AcceptedArgs] = {each.field: each for each in grounds.content.accept_open}
        self.problems: list[Problem] = []
        self.openings: dict[str, Opening] = {}
        self.answered = set[int]()

    def blank(self, opening: Opening) -> str:
        """What stands where a value is missing."""
        accepted = opening.field in self._accepted and opening.acceptable
        self.openings[opening.field] = opening.model_copy(update={"accepted": accepted})
        return self._say("to_follow") if accepted else f"**[open: {opening.field}]**"

    def still(self) -> Iterator[Block]:
        told = []
        for opening in self.openings.values():
            if opening.accepted:
                accepted = self._accepted[opening.field]
                day = self._grounds.wording.day(accepted.by)
                told.append(self._say("will_tell", what=opening.told or opening.field, who=accepted.who, date=day))
        if told:
            yield Title(text=self._say("still"), level=3)
            yield Points(items=list(dict.fromkeys(told)))

    def filled(self, text: str, *, path: str) -> str:
        """What the writer typed, its facts filled; what stands in brackets is a blank."""

        def blank(match: re.Match[str]) -> str:
            if _CHECKED.fullmatch(match[1]):
                return match[0]
            return self.blank(Opening(field=match[1].strip(), who="whoever writes the page", told=match[1].strip()))

        def value(match: re.Match[str]) -> str:
            found = match[0] if match[1].strip() == ITEMS else self._value(match[1].strip(), path)
            return self.blank(found) if isinstance(found, Opening) else found

        return REFERENCE.sub(value, _BLANK.sub(blank, text))

    def offered(self, one: Tested) -> tuple[str, str]:
        """(what answers the must as the customer reads it, whether that meets it); no verdict where nobody says."""
        if one.opening:
            return one.model, self.blank(one.opening)
        answer = self.filled(one.asked.answer, path="requirements.answer") if one.asked.answer else ""
        if one.verdict is None:
            met = {True: "met", False: "contradicted", None: ""}[one.asked.met]
            return answer, self._say(met) if met else ""
        told = ": ".join(filter(None, [one.model, one.has]))
        if one.asked.machines > 1 or one.asked.down:
            set_up = [self._say("machines", count=one.asked.machines)] if one.asked.machines > 1 else []
            set_up += [self._say("down", count=one.asked.down)] if one.asked.down else []
            told = f"{', '.join(set_up)}: {told}"
        return "; ".join(filter(None, [told, answer])), self._say(one.verdict)

    def not_acceptable(self, names: frozenset[str]) -> Iterator[Problem]:
        """What of these cannot be accepted, and why."""
        for name in sorted(names):
            opening = self.openings.get(name)
            if opening is None:
                named = f"open are {', '.join(self.openings)}" if self.openings else "nothing is"
                yield Problem(code="NOT_FOUND", path="accept_open", message=f"'{name}' is not open; {named}.")
            elif not opening.acceptable:
                message = f"'{name}' cannot be accepted; it needs {opening.who}."
                yield Problem(code="NOT_ALLOWED", path="accept_open", message=message)
            elif self._accepted[name].by < self._grounds.today:
                message = f"'{name}' cannot be told by {self._accepted[name].by}: that is past."
                yield Problem(code="OUT_OF_RANGE", path="accept_open", message=message)

    # Facts by id

    def _value(self, name: str, path: str) -> str | Opening:
        if name in self._totals:
            told = self._say("total")
            return self._totals[name] or Opening(field=name, who="quote_create and quote_price", told=told)
        if name.startswith(HOUSE):
            return self._of_house(name, path)
        if name.startswith(MUST):
            return self._of_must(name, path)
        if thing := machine_in(name, self._grounds.machines):
            machine = self._grounds.machines[part_key(thing)]
            return self._of_machine(name, machine, name[len(thing) + 1 :], path)
        if line := LINE.fullmatch(name):
            return self._of_line(line[1], line[2], path)
        return self._wrong(
            path, name, f"Write {{{{model.attribute}}}}, {{{{total}}}} or {{{{items}}}}, not '{name}'."
        )

    def _wrong(self, path: str, name: str, message: str) -> str:
        self.problems.append(Problem(code="NOT_FOUND", path=path, message=message))
        return name

    def _of_house(self, name: str, path: str) -> str:
        known, asked = self._grounds.house, name.removeprefix(HOUSE)
        if asked in known:
            return known[asked]
        near = alike(asked, known) or list(known)
        return self._wrong(path, name, f"The house says nothing of '{asked}'; it says {', '.join(near)}.")

    def _of_must(self, name: str, path: str) -> str:
        number = name.removeprefix(MUST)
        place = int(number) - 1 if number.isdecimal() else -1
        if not 0 <= place < len(self._tested):
            return self._wrong(path, name, f"'{name}' is none of {len(self._tested)} requirements, from {MUST}1.")
        self.answered.add(place)
        offered, verdict = self.offered(self._tested[place])
        return f"{verdict} ({offered})" if verdict and offered else verdict or offered

    def _of_line(self, name: str, what: str | None, path: str) -> str | Opening:
        line, wording = self._grounds.lines[name], self._grounds.wording
        if not line.released:
            return self._wrong(path, name, f"{name} is another customer's, and no reference that may be told.")
        if what is None:
            paid = wording.money(line.unit_price, line.currency) if line.unit_price is not None else ""
            return proven.told(line, f"{paid} {self._say('each')}" if paid and line.quantity != 1 else paid)
        return self._attribute(f"{name}.{what}", {"attributes": line.attributes or {}}, what, path)

    def _of_machine(self, name: str, machine: Mapping[str, Any], what: str, path: str) -> str | Opening:
        grounds = self._grounds
        if not what:
            return f"{machine['manufacturer']} {machine['model']}"
        if what in NAMES:
            return str(machine[what])
        if what in (LIST_PRICE, "price"):
            told = self._say("price_of", what=machine["model"])
            listed = grounds.list_price(machine)
            return listed or Opening(field=name, who="whoever keeps the price book", told=told)
        if what == LEAD_TIME:
            sale = grounds.sale_of(machine)
            if sale and sale.lead_time:
                return grounds.wording.value(sale.lead_time.replace("..", "–"))
            return Opening(field=name, who=MAKER, told=self._say(LEAD_TIME, what=machine["model"]))
        return self._attribute(name, machine, what, path)

    def _attribute(self, name: str, row: Mapping[str, Any], what: str, path: str) -> str | Opening:
        grounds = self._grounds
        attribute = grounds.attributes.named(what)
        if attribute is None:
            near = alike(what, grounds.attributes.by_name)
            return self._wrong(
                path, name, f"No attribute '{what}'. Nearest: {', '.join(near) or 'see list_attributes'}."
            )
        value = values_of(row["attributes"]).get(attribute.name)
        if value is None:
            told = f"{label_of(attribute, grounds.wording.language)} {row.get('model') or ''}".strip()
            return Opening(field=name, who=MAKER, told=told)
        return grounds.units.told(value, attribute)
