"""What a letter's writer typed, with its facts filled, and the fields that are open in it."""

import re
from collections.abc import Iterator, Mapping

from cpq.drafts.blocks import Block, Opening, Points, Title
from cpq.drafts.facts import Facts
from cpq.drafts.grounds import Grounds
from cpq.drafts.value import AcceptedArgs
from cpq.model import Problem

_BLANK = re.compile(r"(?<!\])\[([^\]\[\n]{1,80})\](?![(\[:])")
_CHECKED = re.compile(r"[xX ]|\^?\d+")
"""What stands in brackets and is no blank: a box to tick, the number of a footnote."""


class TypedText:
    """Fills what was typed for one letter, and keeps what is open in it by name."""

    def __init__(self, grounds: Grounds, *, total: str, net: str) -> None:
        self._say, self._wording, self._today = grounds.wording.say, grounds.wording, grounds.today
        self._facts = Facts(grounds, total=total, net=net)
        self._accepted: Mapping[str, AcceptedArgs] = {each.field: each for each in grounds.content.accept_open}
        self.openings: dict[str, Opening] = {}

    @property
    def problems(self) -> list[Problem]:
        return self._facts.problems

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
                day = self._wording.day(accepted.by)
                told.append(self._say("will_tell", what=opening.told or opening.field, who=accepted.who, date=day))
        if told:
            yield Title(text=self._say("still"), level=3)
            yield Points(items=told)

    def filled(self, text: str, *, path: str) -> str:
        """What the writer typed, its facts filled; what stands in brackets is a blank."""

        def blank(match: re.Match[str]) -> str:
            if _CHECKED.fullmatch(match[1]):
                return match[0]
            return self.blank(Opening(field=match[1].strip(), who="whoever writes the page", told=match[1].strip()))

        return self._facts.filled(_BLANK.sub(blank, text), path=path, missing=self.blank)

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
            elif self._accepted[name].by < self._today:
                message = f"'{name}' cannot be told by {self._accepted[name].by}: that is past."
                yield Problem(code="OUT_OF_RANGE", path="accept_open", message=message)
