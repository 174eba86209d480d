"""What a request says of other machines than the one it asks for: what goes, what won, what was offered first."""

import re
from collections.abc import Sequence
from itertools import islice

from quarry.understanding.heads import OF_CONTEXT, OF_MACHINES
from quarry.understanding.marks import Mark, Role
from quarry.understanding.needs import SIZES, Need
from quarry.understanding.text import Token
from quarry.understanding.wording import Wording

LEAST_CFM_PER_HP, MOST_CFM_PER_HP = 2.8, 5.6
QUESTION = re.compile(
    r"(?:^|(?<=[.!?;\n]))[^\w\n]{0,4}(?:(?:do|does|should|must|would|will|can|could|is|are|am)\s(?:i|we|it|this|that)"
    r"|(?:muss|mussen|brauche|brauchen|sollte|sollten|kann|konnen|reicht|ist)\s(?:ich|wir|das|es)"
    r"|necesito|necesitamos|debo|debemos|tengo|tenemos|puedo|podemos|dois-je|devons-nous|faut-il|est-ce que)"
    r"\s[^.!?;\n]{0,200}\?"
)
"""A question about what is asked for, which begins a sentence; "can you quote" asks for it."""
MOST_QUESTIONS = 8
BEHIND = frozenset(("behind", "downstream of", "ahead of", "fed by", "hinter", "detras de", "derriere", "en aval de"))
OFFERED_BESIDE = frozenset(("to", "zu", "zum", "zur", "a", "al"))
"""Behind the word for an option, before what it was an option to."""
MAIN_OFFER = 6
"""Words behind "an alternate to" within which the other machine is told."""
UNTIL = frozenset(("until", "till", "til", "bis", "hasta", "jusqu"))
CLOSED = re.compile(r"[);\n]|\.\s")
"""What ends a remark on the machine that goes."""
BEFORE_THE_VERB = 4
"""Words before a verb that ends its clause in which what goes stands."""
OF_A_TIME = 4
"""Words between until and the work: until the new one is installed."""


class OtherMachines:
    """Of the marks of an item, which are of another machine; ``gone`` gathers what is replaced and unknown here."""

    def __init__(
        self, folded: str, words: Sequence[Token], roles: Sequence[Role], marks: Sequence[Mark], wording: Wording
    ) -> None:
        self.folded, self.words, self.roles, self.marks, self.wording = folded, words, roles, marks, wording
        self.said = frozenset(role.value for role in roles)
        self.gone: list[Need] = []

    def kept(self, inside: Sequence[int]) -> list[int]:
        """Without what is said of other machines than the one that is asked for."""
        replaced = self._of_the_replaced(inside) | self._of_a_question(inside)
        kept = [at for at in inside if at not in replaced]
        others = self._of_the_winner(kept) | self._of_the_line(kept) | self._of_a_time(kept)
        if "option" in self.said:
            others |= self._of_the_main_offer(kept)
        if "replace" in self.said:
            others |= self._of_the_one_that_goes(kept)
        return [at for at in kept if at not in others]

    def _of_a_question(self, inside: Sequence[int]) -> set[int]:
        """Sizes of "Do I need to go to 100 hp?", which asks of what is told elsewhere."""
        sized = [at for at in inside if self.marks[at].attribute in SIZES]
        if len(sized) < 2:
            return set()
        asked: set[int] = set()
        for match in islice(QUESTION.finditer(self.folded), MOST_QUESTIONS):
            asked |= {at for at in sized if match.start() <= self.marks[at].start < match.end()}
        return asked if len(asked) < len(sized) else set()

    def _of_the_one_that_goes(self, inside: Sequence[int]) -> set[int]:
        """Of "replace a 50 hp recip with a 40 hp screw" what the new one is told apart by; else it may have the same
        size.
        """
        ends = sorted(role.first for role in self.roles if role.value in ("and", "replace_end"))
        gone: set[int] = set()
        for role in self.roles:
            if role.value != "replace":
                continue
            if any(each.value == "replace_end" and each.first == role.last for each in self.roles):
                # "Kältetrockner ersetzen durch": what goes stands before.
                begin, stop = max(0, role.first - BEFORE_THE_VERB), role.first
            else:
                begin, stop = role.last, role.last + 8
                stop = min(next((at for at in ends if at >= role.last), role.last + 6), stop)
            closed = (at for at in range(role.last, len(self.words)) if CLOSED.search(self.words[at].gap))
            stop = min(stop, next(closed, stop))
            gone |= {
                at
                for at in inside
                if begin <= self.marks[at].first < stop and self.marks[at].attribute in OF_CONTEXT - {"family"}
            }
        said_again = {self.marks[at].attribute for at in inside if at not in gone}
        kept = {at for at in gone if self.marks[at].attribute == "hp"} if self._of_one_size(inside, gone) else set()
        self.gone += [self.wording.worded([self.marks[at]], self.marks[at].attribute, self.marks[at].values)
                      for at in sorted(gone) if self.marks[at].absent]  # fmt: skip
        if said_again & SIZES:
            # What comes is told by its own figures: it need not be like the model that goes.
            said_again |= SIZES | {"model"}
        if any(self._is_below_zero(at) for at in inside if at not in gone):
            said_again |= {"dryer_kind"}
        if not any(self.marks[at].attribute in said_again for at in gone):
            # What comes need not be of the maker of what goes.
            told = any(self.marks[at].first >= stop for at in inside for stop in ends) and said_again - {"family"}
            return {at for at in gone if told and self.marks[at].attribute == "manufacturer"}
        return {at for at in gone if self.marks[at].attribute in said_again | {"manufacturer", "model"}} - kept

    def _is_below_zero(self, at: int) -> bool:
        """Whether a mark is a dew point that tells the kind of the dryer to come: none that cools reaches it."""
        return self.marks[at].attribute.startswith("temperature") and (self.marks[at].low or 0.0) < 0

    def _of_one_size(self, inside: Sequence[int], gone: set[int]) -> bool:
        """Whether the power of what goes delivers the flow that is said beside it: then both are of what comes."""
        power = next((self.marks[at].low for at in sorted(gone) if self.marks[at].attribute == "hp"), None)
        flow = next(
            (self.marks[at].low for at in inside if self.marks[at].attribute == "cfm" and at not in gone), None
        )
        again = any(self.marks[at].attribute == "hp" and at not in gone for at in inside)
        if not power or not flow or again:
            return False
        return LEAST_CFM_PER_HP <= flow / power <= MOST_CFM_PER_HP

    def _of_a_time(self, inside: Sequence[int]) -> set[int]:
        """Work that tells how long: of "ten percent held back till the verifier signs"."""
        ends = [
            place + 1
            for place, token in enumerate(self.words[:-1])
            if token.text in UNTIL and not self.words[place + 1].number
        ]
        of_work = [
            at
            for at in inside
            if self.marks[at].attribute == "service"
            or (self.marks[at].attribute == "family" and "service" in self.marks[at].values)
        ]
        return {at for at in of_work for end in ends if 0 <= self.marks[at].first - end <= OF_A_TIME}

    def _of_the_replaced(self, inside: Sequence[int]) -> set[int]:
        """Of "liquid ring replaced because of the water bill" what says which kind it was."""
        ends = [role.first for role in self.roles if role.value == "replaced"]
        leaving = [role.first for role in self.roles if role.value == "leaving"]
        kinds = OF_MACHINES - {"hp"}
        return {
            at
            for at in inside
            if (self.marks[at].attribute in kinds and any(0 <= end - self.marks[at].last <= 3 for end in ends))
            or (
                self.marks[at].attribute in OF_CONTEXT and any(0 <= end - self.marks[at].last <= 1 for end in leaving)
            )
        }

    def _of_the_line(self, inside: Sequence[int]) -> set[int]:
        """The model that stands before what is asked for in the line of machines: "what goes behind a ZT75?"."""
        behind = {
            role.last
            for role in self.roles
            if role.value == "for" and " ".join(token.text for token in self.words[role.first : role.last]) in BEHIND
        }
        models = [at for at in inside if self.marks[at].attribute == "model"]
        return {at for at in models if any(0 <= self.marks[at].first - last <= 1 for last in behind)}

    def _of_the_main_offer(self, inside: Sequence[int]) -> set[int]:
        """What stands behind "the alternate to": the machine that was offered first, and no need of the other one."""
        ends = {role.last for role in self.roles if role.value == "option"}
        begins = {end + 1 for end in ends if end < len(self.words) and self.words[end].text in OFFERED_BESIDE}
        found = {
            at
            for at in inside
            for begin in begins
            if 0 <= self.marks[at].first - begin <= MAIN_OFFER and self.marks[at].attribute in OF_CONTEXT
        }
        return found if any(self.marks[at].attribute in OF_CONTEXT for at in inside if at not in found) else set()

    def _of_the_winner(self, inside: Sequence[int]) -> set[int]:
        """What is said of the machine that a quote lost to: no need of what was offered."""
        beaten = [
            at for at in inside if self.marks[at].attribute == "reason" and "competitor" in self.marks[at].values
        ]
        won = {self.marks[at].first for at in beaten}
        found = {at for at in inside if self.marks[at].attribute == "model" and self.marks[at].last in won}
        for lost in (self.marks[at] for at in beaten):
            end = lost.last
            while end < min(lost.last + 8, len(self.words)) and not re.search(r"[,;.!?()\n]", self.words[end].gap):
                end += 1
            of_a_machine = OF_CONTEXT | {"certificate", "dewpoint_f", "dryer_kind", "inhg"}
            found |= {
                at
                for at in inside
                if lost.last <= self.marks[at].first < end and self.marks[at].attribute in of_a_machine
            }
        return found
