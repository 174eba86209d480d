"""What a letter's writer typed: facts named by id, such as {{QGV-100.flow}}, filled from rows; what is open in it;
and the customer's requirements, tested on the machine as it is set up.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from cpq.documents.wording import allowance
from cpq.drafts import proven
from cpq.drafts.blocks import Block, Opening, Points, Title
from cpq.drafts.goods import DraftedItem, Offer
from cpq.drafts.grounds import Grounds
from cpq.drafts.value import HOUSE, ITEMS, LINE, MUST, REFERENCE, AcceptedArgs, RequirementArgs, machine_in
from cpq.model import Problem
from quarry.attributes.model import Attribute, Value
from quarry.attributes.points import conditions
from quarry.corpora import PRODUCTS
from quarry.needs.judge import find
from quarry.needs.model import BEST_FIRST, Need, Verdict
from quarry.retrieval.judging import Judge
from quarry.text import alike, goods_named, part_key

WORST_FIRST: Sequence[Verdict] = BEST_FIRST[::-1]
PRICE = ("list_price", "price")
MAKER = "the maker, asked by the salesperson"
"""Who is asked for what the catalogue does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A requirement with its ``verdict``, None where the writer answered and nothing was judged. ``has`` is the
    machine's value as the customer reads it; ``how`` tells the house how it was worked out at the conditions of the
    job. ``ways`` are the same requirement on each offer that can be taken in place of another one, in their order.
    """

    asked: RequirementArgs
    model: str = ""
    has: str = ""
    verdict: Verdict | None = None
    opening: Opening | None = None
    how: str = ""
    ways: Sequence["Tested"] = ()


class MustAnswer(NamedTuple):
    """What answers a requirement: ``has`` of which machine, ``as_set_up``, and what the writer ``said``."""

    of: str = ""
    has: str = ""
    as_set_up: tuple[str, ...] = ()
    said: str = ""
    verdict: str = ""


def tested(grounds: Grounds) -> tuple[list[Tested], list[Problem]]:
    """Returns what came of each requirement, and problems of those that cannot be read."""
    found, wrong = [], list[Problem]()
    rows = [*dict.fromkeys(must.asked.text for must in grounds.musts)]
    for place, must in enumerate(grounds.musts):
        machine, path = grounds.machine_of(must.asked), f"requirements[{place}]"
        asked = _counted(must.asked, [item for item in grounds.items if machine and item.machine == machine])
        number = rows.index(asked.text) + 1
        open_to = Opening(field=f"requirement {number}", who=MAKER, told=asked.text.rstrip("."))
        if (asked.attribute is None) != (asked.is_ is None):
            wrong.append(Problem(code="MISSING", path=path, message="A need has both attribute and is."))
        elif asked.attribute is None:
            writer = open_to.model_copy(update={"who": "whoever writes the letter: a need, or an answer"})
            found.append(Tested(asked=asked, opening=None if asked.answer else writer))
        elif machine is None:
            message = "No item is in the catalogue: name the model it is tested on, or give answer alone."
            wrong.append(Problem(code="MISSING", path=f"{path}.model", message=message))
        else:
            wrong += [Problem(code="INVALID", path=path, message=str(each)) for each in must.unread]
            if must.needs:
                one = _judged(grounds, asked, must.needs, machine)
                one = replace(one, opening=open_to if one.verdict == "unknown" else None)
                found.append(replace(one, ways=_on_each_offer(grounds, one, must.needs, machine)))
    return found, wrong


def _counted(asked: RequirementArgs, items: Sequence[DraftedItem]) -> RequirementArgs:
    """Returns the requirement with as many machines as are offered, where some are down and it does not say of how
    many.
    """
    offered = int(max((item.quantity for item in items), default=0))
    return (
        asked if asked.down < asked.machines else asked.model_copy(update={"machines": max(offered, asked.machines)})
    )


def _on_each_offer(
    grounds: Grounds, one: Tested, needs: Sequence[Need], machine: Mapping[str, Any]
) -> Sequence[Tested]:
    """Returns the requirement on each offer, where the machine that it is tested on is offered."""
    offers = grounds.offers
    mains = [offer for offer in offers if offer.machine["model"] == machine["model"]]
    main = next((offer for offer in mains if offer.item.quantity == one.asked.machines), mains[0] if mains else None)
    return [one if offer is main else _instead(grounds, one, needs, offer, main) for offer in offers if main]


def _instead(grounds: Grounds, one: Tested, needs: Sequence[Need], offer: Offer, main: Offer) -> Tested:
    """Tests what can be taken in place of the ``main`` offer: as the same requirement says of that, else in its own
    quantity, if all machines of the main offer are meant. One more of what meets it already is a reserve.
    """
    asked, model = one.asked, part_key(offer.machine["model"])
    own = [each for each in grounds.content.requirements
           if each.text == asked.text and part_key(each.model or "") == model]  # fmt: skip
    said = next((each for each in own if (each.attribute, each.is_) == (asked.attribute, asked.is_)), asked)
    if said is asked and (offer.others or any(each.attribute is None for each in own)):
        # The writer answers for it himself, or it has several machines, of which one says nothing of all.
        return Tested(asked=RequirementArgs(text=asked.text))
    more = model == part_key(main.machine["model"]) and offer.item.quantity > main.item.quantity
    in_reserve = more and one.verdict == "met"
    is_all = said is asked and asked.machines == main.item.quantity and not in_reserve
    count = int(offer.item.quantity) if is_all else said.machines
    on_it = said.model_copy(update={"machines": count, "down": min(said.down, count), "answer": None})
    way = _judged(grounds, on_it, needs, offer.machine)
    adds_up = any(need.attribute.adds in ("sum", "decibels") for need in needs)
    if way.verdict == "unknown" and adds_up and said.down < said.machines and on_it.down == count:
        way = replace(way, verdict="contradicted")  # whole machines are meant, and this offer has none left
    return way


def _judged(grounds: Grounds, asked: RequirementArgs, needs: Sequence[Need], machine: Mapping[str, Any]) -> Tested:
    beside, model = grounds.needs_on(machine), str(machine["model"])
    judge = Judge(PRODUCTS, needs, grounds.attributes, asked.machines, asked.down, beside=beside)
    worst = min(judge.of(machine).findings, key=lambda each: WORST_FIRST.index(each.verdict))
    if worst.verdict == "unknown" and asked.answer:
        return Tested(asked=asked, model=model)
    attribute, value = worst.need.attribute, judge.values(machine, [worst.need.name]).get(worst.need.name)
    if worst.verdict == "met" and value is not None and len(value.texts) > 1:
        # Of all that a machine can be had with, the customer reads what he asked for.
        each = ((text, find(worst.need, Value(texts=(text,)), attributes=grounds.attributes)) for text in value.texts)
        value = Value(texts=tuple(text for text, found in each if found.verdict == "met") or value.texts)
    units = grounds.units.saying(asked.text, asked.is_ or "", grounds.attributes.unit_of(attribute))
    known = value is not None and attribute.name in grounds.attributes.by_name
    told = units.told(value, attribute) if value is not None and known else worst.has
    if known and attribute.kind != "text" and not attribute.unit:
        told = f"{grounds.label(attribute)} {told}"  # a bare number or yes says nothing
    # For a condition of the job the customer reads what is left at it, not how far makers rate it; where another
    # requirement tells what is left, he reads the condition.
    judged = judge.values(machine, sorted(conditions(grounds.attributes).get(attribute.name, ())))
    left = [units.told(each, grounds.attributes.by_name[name]) for name, each in judged.items() if each and each.how]
    tells = [must.asked.text for must in grounds.musts if must.asked.attribute in judged]
    if left and judge.asked and tells:
        span = judge.asked.conditions[attribute.name]
        # In the same row his own words have the condition, unless it is what fails.
        left = [units.told(Value(span.low, span.high), attribute)]
        left, told = ([], "") if asked.text in tells and worst.verdict in ("met", "close") else (left, told)
    return Tested(
        asked=asked,
        model=model,
        has=", ".join(left) or told,
        verdict=worst.verdict,
        how=worst.has if value is not None and value.how else "",
    )


def at_conditions(
    grounds: Grounds, judge: Judge, machine: Mapping[str, Any], attribute: Attribute
) -> tuple[Value | None, list[str] | None]:
    """Returns a machine's value at the conditions of the job, and the conditions it depends on as the customer reads
    them; None for these where the attribute is no condition and depends on none.
    """
    value = judge.values(machine, [attribute.name]).get(attribute.name)
    if judge.asked is None or attribute.name not in judge.asked.judged:
        return value, None
    where = [grounds.units.told(Value(span.low, span.high), grounds.attributes.by_name[name])
             for name, span in judge.asked.conditions.items()
             if attribute.name in conditions(grounds.attributes)[name]]  # fmt: skip
    return value, where


_BLANK = re.compile(r"(?<!\])\[([^\]\[\n]{1,80})\](?![(\[:])")
_CHECKED = re.compile(r"[xX ]|\^?\d+")
"""What stands in brackets and is no blank: a box to tick, the number of a footnote."""


class TypedText:
    """Fills the facts in what was typed for one letter, and keeps open fields; ``totals`` are by name.

    ``rows`` are requirements of the same words, ``answered`` the places of those that a text answers by number, and
    ``problems`` ids that name nothing.
    """

    def __init__(self, grounds: Grounds, tested: Sequence[Tested], *, totals: Mapping[str, str]) -> None:
        self._grounds, self._totals = grounds, totals
        alike = dict[str, list[Tested]]()
        for one in tested:
            alike.setdefault(one.asked.text, []).append(one)
        self.rows = [*alike.values()]
        self._say = grounds.wording.say
        self._accepted: Mapping[str, AcceptedArgs] = {each.field: each for each in grounds.content.accept_open}
        self.problems: list[Problem] = []
        self.openings: dict[str, Opening] = {}
        self.answered = set[int]()

    def blank(self, opening: Opening) -> str:
        """Keeps the open field and returns what stands in its place."""
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
        """Returns what the writer typed with its facts filled; what stands in brackets is a blank."""

        def blank(match: re.Match[str]) -> str:
            if _CHECKED.fullmatch(match[1]):
                return match[0]
            return self.blank(Opening(field=match[1].strip(), who="whoever writes the page", told=match[1].strip()))

        def value(match: re.Match[str]) -> str:
            name = match[1].strip()
            found = match[0] if name == ITEMS else self._value(name, path, alone=_is_alone(match))
            if isinstance(found, Opening):
                return self.blank(found)
            # An abbreviation's point ends the sentence, too.
            return found.removesuffix(".") if match.string.startswith(".", match.end()) else found

        return REFERENCE.sub(value, _BLANK.sub(blank, text))

    def _answer(self, one: Tested) -> MustAnswer:
        if one.opening:
            return MustAnswer(one.model, verdict=self.blank(one.opening))
        answer = self.filled(one.asked.answer, path="requirements.answer") if one.asked.answer else ""
        if one.verdict is None:
            met = {True: "met", False: "contradicted", None: ""}[one.asked.met]
            return MustAnswer(said=answer, verdict=self._say(met) if met else "")
        set_up = [self._say("machines", count=one.asked.machines)] if one.asked.machines > 1 else []
        set_up += [self._say("down", count=one.asked.down)] if one.asked.down else []
        has = "" if one.has == one.model else one.has
        return MustAnswer(one.model, has, tuple(set_up), answer, self._say(one.verdict))

    def not_acceptable(self, names: frozenset[str]) -> Iterator[Problem]:
        """Yields the names that cannot be accepted, and why."""
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

    def _value(self, name: str, path: str, *, alone: bool) -> str | Opening:
        if name in self._totals:
            told = self._say("total")
            return self._totals[name] or Opening(field=name, who="quote_create and quote_price", told=told)
        if name.startswith(HOUSE):
            return self._of_house(name, path)
        if name.startswith(MUST):
            return self._of_must(name, path, alone=alone)
        if thing := machine_in(name, self._grounds.machines):
            machine = self._grounds.machines[part_key(thing)]
            return self._of_machine(name, machine, name[len(thing) + 1 :], path)
        if thing := machine_in(name, self._grounds.services):
            service = self._grounds.services[part_key(thing)]
            return self._of_service(name, service, name[len(thing) + 1 :], path)
        if name in self._grounds.lines:
            return self._of_line(name, path)
        if LINE.fullmatch(name):
            return self._wrong(path, name, f"'{name}' is no line of that quote.")
        return self._wrong(
            path,
            name,
            "Write {{model.attribute}}, {{items}}, {{net}}, the total before tax, or {{gross}}, the one with it, "
            f"not '{name}'.",
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

    def _of_must(self, name: str, path: str, *, alone: bool) -> str:
        """Returns the verdict; inside a sentence only what answers it: what is not met stands in the annex, too."""
        number = name.removeprefix(MUST)
        place = int(number) - 1 if number.isdecimal() else -1
        if not 0 <= place < len(self.rows):
            return self._wrong(path, name, f"'{name}' is none of {len(self.rows)} requirements, from {MUST}1.")
        # The same need on another machine is told where all ways stand.
        first = dict[tuple[str | None, str | None], Tested]()
        for one in self.rows[place]:
            first.setdefault((one.asked.attribute, one.asked.is_), one)
        ones = [*first.values()]
        if alone or all(one.verdict in ("met", "unknown", None) and one.asked.met is not False for one in ones):
            self.answered.add(place)
        if alone:
            return self.verdict(*ones)
        answers = [self._answer(one) for one in sorted(ones, key=_how_bad)]
        return self._together(each._replace(of="", as_set_up=()) for each in answers) or answers[0].verdict

    def verdict(self, *ones: Tested) -> str:
        """Tells whether requirements are met, the worst first, and what answers them."""
        answers = dict[str, list[MustAnswer]]()
        for one in sorted(ones, key=_how_bad):
            answer = self._answer(one)
            if len(ones) == 1 and self._is_flag(one):
                answer = answer._replace(has="")  # the verdict is the value
            answers.setdefault(answer.verdict, []).append(answer)
        told = {verdict: self._together(each) for verdict, each in answers.items()}
        # With nothing behind it a verdict says nothing beside what the writer answers, a yes nothing beside others.
        answered = any(one.verdict is None and one.asked.answer for one in ones)
        bare = {*told} if answered else {self._say("met")}
        kept = {verdict: text for verdict, text in told.items() if text or verdict not in bare} or told
        of_writer = len(kept) == 1 and all(each.said and not each.has and not each.as_set_up
                                           for own in answers.values() for each in own)  # fmt: skip
        return "; ".join(told_once(verdict, text, as_sentence=of_writer and text[:1].isupper())
                         for verdict, text in kept.items())  # fmt: skip

    def _is_flag(self, one: Tested) -> bool:
        attribute = self._grounds.attributes.named(one.asked.attribute or "")
        return attribute is not None and attribute.kind == "flag"

    def offered_together(self, ones: Sequence[Tested]) -> tuple[str, str]:
        """Returns what answers several requirements, and the verdict of the worst."""
        answers = [self._answer(one) for one in sorted(ones, key=_how_bad)]
        return self._together(answers), answers[0].verdict

    def _together(self, answers: Iterable[MustAnswer]) -> str:
        """Names each machine once, with all that it has and what was said of it."""
        of_each, told = dict[str, list[MustAnswer]](), list[str]()
        for answer in answers:
            of_each.setdefault(answer.of, []).append(answer)
        for of, own in of_each.items():
            has = [*(each.has for each in own), *(part for each in own for part in each.as_set_up)]
            had = ", ".join(filter(None, dict.fromkeys(has)))
            told += [self._grounds.wording.pair(of, had) if of and had else of or had]
            told += [each.said for each in own]
        return "; ".join(filter(None, dict.fromkeys(told)))

    def _of_line(self, name: str, path: str) -> str:
        line, wording = self._grounds.lines[name], self._grounds.wording
        if not line.released:
            return self._wrong(path, name, f"{name} is another customer's, and no reference that may be told.")
        paid = wording.money(line.unit_price, line.currency) if line.unit_price is not None else ""
        return proven.told(line, f"{paid} {self._say('each')}" if paid and line.quantity != 1 else paid)

    def _of_service(self, name: str, service: DraftedItem, what: str, path: str) -> str | Opening:
        """Returns what goods that are in no catalogue are called, or their list price."""
        if not what:
            return service.name
        if what not in PRICE:
            return self._wrong(path, name, f"Write {{{{{name.rpartition('.')[0]}.price}}}}, not '{name}'.")
        if service.unit_price is None:
            told = self._say("price_of", what=service.name)
            return Opening(field=name, who="whoever keeps the price book", told=told)
        price = " ".join(filter(None, [self._grounds.money(service.unit_price), service.buys]))
        labels = self._grounds.wording.labels
        return told_once(price, allowance(service.allowance, self._grounds.currency, labels=labels) or "")

    def _of_machine(self, name: str, machine: Mapping[str, Any], what: str, path: str) -> str | Opening:
        grounds = self._grounds
        if not what:
            return goods_named(machine["manufacturer"], machine["model"])
        if what in ("model", "manufacturer"):
            return str(machine[what])
        model = machine["model"]
        if what in PRICE:
            told = self._say("price_of", what=model)
            listed = grounds.list_price(machine)
            return listed or Opening(field=name, who="whoever keeps the price book", told=told)
        if what == "lead_time":
            sale = grounds.sale_of(machine)
            if sale and sale.lead_time:
                return grounds.wording.value(sale.lead_time.replace("..", "–"))
            return Opening(field=name, who=MAKER, told=self._say("lead_time", what=model))
        attribute = grounds.attributes.named(what)
        if attribute is None:
            near = ", ".join(alike(what, grounds.attributes.by_name)) or "see list_attributes"
            return self._wrong(path, name, f"No attribute '{what}'. Nearest: {near}.")
        needs = grounds.needs_on(machine) or grounds.needs()
        judge = Judge(PRODUCTS, (), grounds.attributes, beside=needs)
        value, where = at_conditions(grounds, judge, machine, attribute)
        if value is None or (where and value.low is None):
            return Opening(field=name, who=MAKER, told=f"{grounds.label(attribute)} {model}")
        said = grounds.units.told(value, attribute)
        return f"{said} ({', '.join(where)})" if where and value.how else said


def _how_bad(one: Tested) -> int:
    answered: Mapping[bool | None, Verdict] = {True: "met", False: "contradicted", None: "unknown"}
    return WORST_FIRST.index(one.verdict or answered[one.asked.met])


def told_once(first: str, second: str, *, as_sentence: bool = False) -> str:
    """Returns the second in brackets, or behind a colon as a sentence, where it says more than the first, and alone,
    where it begins with it.
    """
    if first and re.match(rf"{re.escape(first)}(?=$|[\s,;:])", second, re.IGNORECASE):
        return second
    if not (first and second):
        return first or second
    return f"{first}: {second}" if as_sentence else f"{first} ({second})"


def _is_alone(match: re.Match[str]) -> bool:
    """Whether the reference has its line, point or cell for itself."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    around = re.split(r"[\n|]", before)[-1] + re.split(r"[\n|]", after)[0]
    return not re.sub(r"^\s*(?:[-*+>]|\d+[.)])\s|[*_\s]", "", around)
