"""What a request says of orders: how they ended and why, to whom they went, which of several, at what discount."""

from dataclasses import replace

from quarry.understanding.extremes import EXTREMES
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark
from quarry.understanding.quantities import Measure

AGAINST = frozenset(("against",))
OF_ARCHIVE = frozenset(("outcome", "customer", "salesperson", "contact", "quote_number", "reason"))
DISCOUNTS = frozenset(("discount", "off", "list", "liste", "lista", "tarif", "nachgelassen"))
OF_A_DISCOUNT = 4
"""Words between a percentage and the word that makes it one off list."""
ORDERED, WON, LOST = frozenset({"ordered"}), frozenset({"won"}), frozenset({"lost"})
RENTED = frozenset({"rental"})
TELLING_WHY = frozenset(("budget", "stopped", "direct", "rental", "relocation", "auction", "guarantee", "rebuild"))
ANY_WHY = frozenset(("price", "competitor"))
ENDING = frozenset(("budget", "stopped", "delivery", "direct", "rental", "relocation", "auction"))
"""Reasons that are only told of orders that were lost."""
BOUGHT = frozenset(("bought", "purchased", "gekauft", "comprado", "comprada", "achete", "achetee"))
"""What the customer did, and not what became of a quote, unless that is asked."""
SUPPLIED = frozenset(("geliefert", "lieferte", "delivered", "supplied", "entrego", "suministro", "livre", "fourni"))
"""What a competitor did where one is named: the order was his."""
TOLD_WITHIN = 2
"""Words between a verb of a customer's story and its year."""
PARTIES = frozenset(("customer", "salesperson", "contact"))
ORDINALS = {"first": "least", "last": "most"}
MOST_COUNTED = 12
"""Of the latest or largest that are asked for by number."""
ORDINAL_REACH = 5
"""Words between first or last and the word for the sale."""


def read_discount(marked: MarkedText, measure: Measure) -> None:
    """Reads "more than 20 percent off list" as a discount; any other share is not understood, and shown so."""
    near = range(max(0, measure.first - OF_A_DISCOUNT), min(len(marked.words), measure.last + OF_A_DISCOUNT))
    said = {marked.words[at].text for at in near} | {
        each.value
        for at in near
        for each in marked.vocabulary.match(marked.words, at)[1]
        if each.attribute == "price"
    }
    if not said & DISCOUNTS:
        marked.taken[measure.first : measure.last] = bytes(measure.last - measure.first)
        return
    marked.add(Mark("discount", measure.first, measure.last, measure.start, measure.end,
                    operator=measure.operator, low=measure.low, high=measure.high,
                    unit=measure.unit.name))  # fmt: skip


def read_outcome(marked: MarkedText) -> None:
    """Orders were won where nothing else is said of how they ended, and what a customer lacked money for was lost."""
    if not marked.vocabulary.of_quotes:
        # Of a line "verlegt" is a pipe that was laid, and no plant that moved.
        work = {mark.first for mark in marked.marks if mark.attribute == "service"}
        marked.marks = [mark for mark in marked.marks if mark.attribute != "reason" or mark.first not in work]
    why = {value for mark in marked.marks if mark.attribute == "reason" for value in mark.values}
    if why & TELLING_WHY:
        # "Undercut us by selling direct" tells of the direct sale: any order is lost to somebody at some price.
        marked.marks = [mark for mark in marked.marks if mark.attribute != "reason" or not mark.values <= ANY_WHY]
    if "rental" in why:
        # Who rented instead bought no rental: it is why the order was lost, and no line of it.
        marked.marks = [mark for mark in marked.marks if mark.attribute != "service" or mark.values != RENTED]
    if "competitor" in why:
        marked.marks = [
            replace(mark, values=LOST) if mark.attribute == "outcome" and _written(marked, mark) in SUPPLIED else mark
            for mark in marked.marks
        ]
    told = [mark for mark in marked.marks if mark.attribute == "outcome" and mark.values != ORDERED]
    ends = [mark for mark in marked.marks if mark.attribute == "reason" and mark.values & ENDING]
    ordered = [mark for mark in marked.marks if mark.attribute == "outcome" and mark.values == ORDERED]
    marked.marks = [mark for mark in marked.marks if mark not in ordered]
    if told or not (ends or ordered):
        return
    outcome = replace(ends[0], attribute="outcome", values=LOST) if ends else replace(ordered[0], values=WON)
    marked.marks.append(outcome)


def read_rivals(marked: MarkedText) -> None:
    """Reads the maker of "Kaeser beat us" and "lost to Kaeser" as who won, and not as what was offered."""
    if not any(mark.attribute == "outcome" and "lost" in mark.values for mark in marked.marks):
        # "What do we have against an Edwards?" asks for an equal, and tells of no order that went there.
        marked.marks = [mark for mark in marked.marks if marked.text[mark.start : mark.end].lower() not in AGAINST]
        return
    won = [mark for mark in marked.marks if mark.attribute == "reason" and "competitor" in mark.values]
    marked.marks = [
        replace(mark, attribute="competitor", absent=False)
        if mark.attribute == "manufacturer" and any(_beside(marked, mark, reason) for reason in won)
        else mark
        for mark in marked.marks
    ]


def _beside(marked: MarkedText, mark: Mark, reason: Mark) -> bool:
    behind = range(reason.last, mark.first)
    return mark.last == reason.first or (
        mark.first >= reason.last and all(marked.words[at].text in marked.vocabulary.stop for at in behind)
    )


def read_ordinals(marked: MarkedText) -> None:
    """Reads "first RB-800 we quoted" and "last dryer Ironwood asked for" as the earliest and the latest such sale."""
    sales = sorted(
        [role.first for role in marked.roles if role.value == "sale"]
        + [mark.first for mark in marked.marks if mark.attribute in PARTIES]
    )
    for role in marked.roles:
        sale = next((sale for sale in sales if 0 <= sale - role.last <= ORDINAL_REACH), None)
        if role.value not in ORDINALS or sale is None:
            continue
        between = range(role.last, sale)
        joined = all(marked.words[at].soft for at in (*between, sale))
        counted = _count_at(marked, role.last)
        if joined and all(
            marked.taken[at] or marked.words[at].text in marked.vocabulary.stop for at in between[bool(counted) :]
        ):
            last = role.last + bool(counted)
            start, end = marked.span(role.first, last)
            marked.add(Mark(ORDINALS[role.value], role.first, last, start, end, values=frozenset({"date"}),
                            machines=counted))  # fmt: skip
    for place, mark in enumerate(marked.marks):
        if mark.attribute in EXTREMES and mark.machines is None and mark.first:
            counted = _count_at(marked, mark.first - 1)
            if counted:
                marked.marks[place] = replace(mark, machines=counted)
                marked.take(mark.first - 1, mark.first)


def _count_at(marked: MarkedText, place: int) -> int | None:
    """How many a superlative asks for: the last three, two most recent."""
    token = marked.words[place]
    if marked.taken[place]:
        return None
    count = float(token.text) if token.text.isdecimal() else marked.vocabulary.numbers.get(token.text, 0.0)
    return int(count) if 1 < count <= MOST_COUNTED else None


def leave_out_stories(marked: MarkedText) -> None:
    """Lets what a customer tells of his machine say nothing of our quotes: "bought 1984", "(75 hp, 1984)"."""
    outcomes = [mark for mark in marked.marks if mark.attribute == "outcome"]
    bought = [mark for mark in outcomes if _written(marked, mark) in BOUGHT]
    of_archive = any(role.value == "archive" for role in marked.roles) or any(
        mark.attribute in OF_ARCHIVE and mark not in bought for mark in marked.marks
    )
    if of_archive:
        return
    ends = {mark.last for mark in bought} | {role.last for role in marked.roles if role.value == "story"}
    begins = {role.first for role in marked.roles if role.value == "story"}
    told = [mark for mark in marked.marks if mark.attribute == "date" and _is_told(marked, mark, ends, begins)]
    marked.marks = [mark for mark in marked.marks if mark not in told and mark not in bought]


def _is_told(marked: MarkedText, date: Mark, ends: set[int], begins: set[int]) -> bool:
    """Whether a date stands beside a verb of the story, or in brackets behind what is described."""
    near = any(0 <= date.first - end <= TOLD_WITHIN for end in ends) or date.last in begins
    opened = marked.text.rfind("(", 0, date.start)
    return near or (opened > marked.text.rfind(")", 0, date.start) and ")" in marked.text[date.end :])


def _written(marked: MarkedText, mark: Mark) -> str:
    return " ".join(token.text for token in marked.words[mark.first : mark.last])
