"""What the customer demands, tested on the machine as it is set up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cpq.drafts.blocks import Opening
from cpq.drafts.grounds import Grounds
from cpq.drafts.value import RequirementArgs
from cpq.model import Problem
from quarry.corpora import PRODUCTS
from quarry.needs.arguments import NeedRow, needs_of
from quarry.needs.model import Verdict
from quarry.retrieval.judging import Judge
from quarry.text import part_key

WORST_FIRST: Sequence[Verdict] = ("contradicted", "unknown", "close", "met")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """``verdict`` is None where the writer answered and nothing was judged; ``has`` is as the customer reads it."""

    asked: RequirementArgs
    model: str
    has: str
    verdict: Verdict | None
    opening: Opening | None = None

    @property
    def set_up(self) -> str:
        """For the house: "2 machines, 1 down"; empty for one."""
        if self.asked.machines == 1 and not self.asked.down:
            return ""
        return f"{self.asked.machines} machines" + (f", {self.asked.down} down" if self.asked.down else "")


def tested(grounds: Grounds) -> tuple[list[Tested], list[Problem]]:
    """(each requirement with what came of it, those that cannot be read)."""
    found, wrong = [], list[Problem]()
    for place, asked in enumerate(grounds.content.requirements):
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
            row = NeedRow(attribute=asked.attribute, is_=asked.is_)
            needs, unread = needs_of([row], attributes=grounds.attributes)
            wrong += [Problem(code="INVALID", path=path, message=str(each)) for each in unread]
            if needs:
                judge = Judge(PRODUCTS, needs, grounds.attributes, machines=asked.machines, down=asked.down)
                found.append(_judged(grounds, asked, machine, judge, place))
    return found, wrong


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
    has = grounds.told(value, attribute) if value is not None and known else worst.has
    verdict: Verdict | None = worst.verdict
    opening = None
    if verdict == "unknown":
        if asked.answer:
            return Tested(asked=asked, model=str(machine["model"]), has=asked.answer, verdict=None)
        opening = _opening(asked, place, "the maker, asked by the salesperson")
    return Tested(asked=asked, model=str(machine["model"]), has=has, verdict=verdict, opening=opening)
