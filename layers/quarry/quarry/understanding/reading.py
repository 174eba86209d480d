"""Reads a request: from text to items with needs."""

import re
from dataclasses import replace
from datetime import date
from itertools import islice

from quarry.understanding.altitude import altitudes
from quarry.understanding.amounts import amounts, spoken_amounts
from quarry.understanding.assembly import Assembler
from quarry.understanding.dates import Said, times
from quarry.understanding.elapsed import bygone
from quarry.understanding.electrics import supplies
from quarry.understanding.extremes import EXTREMES
from quarry.understanding.implied import bare_power, equivalent_at
from quarry.understanding.items import segments
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark
from quarry.understanding.models import abridged_model_at, model_at, spaced_model_at
from quarry.understanding.names import Mention, Names
from quarry.understanding.needs import Operator, Request
from quarry.understanding.own_reading import OwnReader
from quarry.understanding.problems import read_problem
from quarry.understanding.purity import norms, purities
from quarry.understanding.quantities import Measure, Reader
from quarry.understanding.service_terms import service_terms
from quarry.understanding.space import spaces
from quarry.understanding.terms import TermReader, read_collocations
from quarry.understanding.text import MOST_CHARACTERS, MOST_TOKENS, fold, tokens
from quarry.understanding.traits import REFRIGERANT, refrigerant
from quarry.understanding.unknown_names import read_names, read_numbered_customers
from quarry.understanding.words import Vocabulary

ENUMERATED = frozenset(("item", "pos", "position", "posicion", "poste", "line", "nr", "no"))
MOST_NOT_UNDERSTOOD = 40
AFTER_THE_LAST = 8
"""Characters after the last word that is read: a unit may end with signs."""
MOST_COLOURS = MOST_QUOTES = 12
SPOKEN_QUOTE = re.compile(
    r"(?<![a-z0-9])(?:q[\s-]?|(?:quote|quotation|offer|angebot|cotizacion|oferta|devis|offre)s?\s(?:no\.?\s|number\s|nr\.?\s|#\s?)?)"
    r"(\d{2})[\s-](\d{4})(?![\w-])"
)
"""A number with its blanks, or without its letter behind the word for a quote: q22 0518, quote 22-0518."""
COLOUR = re.compile(r"\bral[\s-]?(\d{4})\b")
PAINT = frozenset(("painting",))
PAINTED = 5
"""Words before a colour among which paint is the coat of the machine."""
SERVED_BEHIND = 8
"""Words within which the machine follows that a part is for: "VFD with reactor for the blowers of a sewage plant"."""
NAMED_BEHIND = 3
"""Words within which a model or machine follows: "instead of our old Busch R5"."""
AGAINST = frozenset(("against",))
PARTS = {("drive", "variable-speed"): "frequency-drive", ("use", "heat-recovery"): "heat-recovery"}
"""What is a part of a machine, and an accessory by itself."""
HOUSING = frozenset({"sound-enclosure"})
POWERED = frozenset(("compressor", "vacuum_pump", "blower"))
TELLING_A_MACHINE = frozenset(("family", "hp", "compression", "model", "lubrication"))
OF_ARCHIVE = frozenset(("outcome", "customer", "salesperson", "contact", "quote_number", "reason"))
DISCOUNTS = frozenset(("discount", "off", "list", "liste", "lista", "tarif", "nachgelassen"))
OF_A_DISCOUNT = 4
"""Words between a percentage and the word that makes it one off list."""
ORDERED, WON, LOST = frozenset({"ordered"}), frozenset({"won"}), frozenset({"lost"})
TELLING_WHY = frozenset(("budget", "stopped", "direct", "rental", "relocation", "auction", "guarantee", "rebuild"))
ANY_WHY = frozenset(("price", "competitor"))
ENDING = frozenset(("budget", "stopped", "delivery", "direct", "rental", "relocation", "auction"))
"""Reasons that are only told of orders that were lost."""
BOUGHT = frozenset(("bought", "purchased", "gekauft", "comprado", "comprada", "achete", "achetee"))
"""What the customer did, and not what became of a quote, unless that is asked."""
TOLD_WITHIN = 2
"""Words between a verb of a customer's story and its year."""
OF_AN_OPTION = 2
"""Words between a negation and the word for an option: not as an option."""
PARTIES = frozenset(("customer", "salesperson", "contact"))
ORDINALS = {"first": "least", "last": "most"}
MOST_COUNTED = 12
"""Of the latest or largest that are asked for by number."""
ORDINAL_REACH = 5
"""Words between first or last and the word for the sale."""


def understand(text: str, *, words: Vocabulary, names: Names, today: date | None = None) -> Request:
    """What `text` asks for. `today` is needed to read "last year"; nothing that is typed makes this raise."""
    length = len(text)
    text = text[:MOST_CHARACTERS]
    folded = fold(text)
    found = tokens(folded)
    if not found:
        return Request((), (), "en")
    unread = length - found[-1].end if len(found) == MOST_TOKENS else length - len(text)
    text, folded = text[: found[-1].end + AFTER_THE_LAST], folded[: found[-1].end + AFTER_THE_LAST]
    language = words.language_of(found)
    marked = MarkedText(text, folded, found, language, words, names)
    _read(marked, today)
    parts = segments(found, marked.marks, marked.roles, stop=words.stop, numbers=words.numbers)
    assembler = Assembler(text, found, marked.roles, words, language)
    items = assembler.items(parts, marked.marks, marked.taken)
    absent = (*(need for item in items for need in item.needs if need.absent), *assembler.gone)
    return Request(items, _not_understood(marked), language, tuple(dict.fromkeys(absent)), unread,
                   any(role.value == "option" for role in marked.roles))  # fmt: skip


def _read(marked: MarkedText, today: date | None) -> None:
    """Each pass takes the tokens that it reads, so that what comes before goes before."""
    _enumerations(marked)
    _quote_numbers(marked)
    _supplies(marked)
    if marked.vocabulary.of_sales:
        read_numbered_customers(marked)
    _sites(marked)
    _norms(marked)
    _own_attributes(marked)
    _service_terms(marked)
    _colours(marked)
    _refrigerants(marked)
    _models(marked)
    vocabulary, language = marked.vocabulary, marked.language
    reader = Reader(marked.folded, marked.words, vocabulary=vocabulary, language=language)
    if today is not None:
        for said in bygone(marked.words, marked.taken, vocabulary=vocabulary, language=language, today=today):
            _said(marked, said)
    for said in amounts(marked.folded, marked.words, marked.taken, reader=reader):
        _said(marked, said)
    for said in spoken_amounts(marked.folded, marked.words, marked.taken, reader=reader, vocabulary=vocabulary):
        _said(marked, said)
    for measure in reader.measures(marked.taken):
        if measure.attribute == "percent" and vocabulary.of_quotes:
            _percentage(marked, measure)
        elif measure.attribute:
            marked.add(Mark(
                measure.attribute, measure.first, measure.last, measure.start, measure.end,
                operator=measure.operator, low=measure.low, high=measure.high, machines=measure.machines,
                absolute=measure.unit.absolute, unit=measure.unit.name,
            ))  # fmt: skip
    for said in times(marked.words, marked.taken, vocabulary=vocabulary, language=language, today=today):
        _said(marked, said)
    TermReader(marked).read()
    if vocabulary.of_sales:
        read_names(marked)
    _neither(marked)
    read_collocations(marked)
    read_problem(marked)
    _orders(marked)
    _stories(marked)
    _options(marked)
    _replaced(marked)
    _rivals(marked)
    _ordinals(marked)
    _separate_parts(marked)
    _housings(marked)
    power = bare_power(marked.words, marked.marks, marked.taken, language=language)
    if power is not None:
        marked.add(power)
    marked.marks.sort(key=lambda mark: (mark.first, mark.last))
    marked.roles.sort(key=lambda role: role.first)


def _percentage(marked: MarkedText, measure: Measure) -> None:
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


def _sites(marked: MarkedText) -> None:
    """Altitudes, spaces and classes of purity, whose figures are of nothing else."""
    said: list[tuple[str, Operator, float, int, int]] = [
        *(("altitude_ft", "exactly", each.feet, each.start, each.end) for each in altitudes(marked.folded)),
        *((each.attribute, "at_most", float(each.value), each.start, each.end) for each in purities(marked.folded)),
    ]
    said += [
        (side, "at_most", most, each.start, each.end)
        for each in spaces(marked.folded)
        for side, most in each.most.items()
    ]
    for attribute, operator, value, start, end in said:
        first, last = marked.tokens_within(start, end)
        if first < last:
            marked.add(Mark(attribute, first, last, start, end, operator=operator, low=value, high=value))


def _norms(marked: MarkedText) -> None:
    """Takes the name and the year of the norm that a class is of: "class 0 per ISO 8573-1:2010"."""
    for start, end in norms(marked.folded):
        marked.take(*marked.tokens_within(start, end))


def _service_terms(marked: MarkedText) -> None:
    """Visits and years; who says how often somebody visits asks for a service."""
    for each in service_terms(marked.folded, numbers=marked.vocabulary.numbers):
        first, last = marked.tokens_within(each.start, each.end)
        if first == last or any(marked.taken[first:last]):
            continue
        asked = [(each.attribute, each.value)]
        if each.attribute == "visits" and last - first > 1:
            asked += [("family", "service"), ("service", "maintenance")]
        for attribute, value in asked:
            marked.add(Mark(attribute, first, last, each.start, each.end, values=frozenset({value})))


def _own_attributes(marked: MarkedText) -> None:
    if marked.vocabulary.labels.attributes:
        reader = OwnReader(marked.folded, marked.words, vocabulary=marked.vocabulary, language=marked.language)
        marked.marks += reader.own(marked.vocabulary.labels, marked.taken)


def _not_understood(marked: MarkedText) -> tuple[str, ...]:
    """Words of content that no rule read, as they are typed."""
    left: dict[str, None] = {}
    for token, taken in zip(marked.words, marked.taken, strict=True):
        if not taken and token.text not in marked.vocabulary.stop and (len(token.text) > 1 or token.number):
            left[marked.text[token.start : token.end]] = None
        if len(left) == MOST_NOT_UNDERSTOOD:
            break
    return tuple(left)


def _said(marked: MarkedText, said: Said) -> None:
    marked.add(Mark(said.attribute, said.first, said.last, *marked.span(said.first, said.last),
                   values=said.values, operator=said.operator, low=said.low, high=said.high))  # fmt: skip


def _enumerations(marked: MarkedText) -> None:
    """Lets "1) … 2) …" part items as lines do, and keeps its figures from being read as quantities."""
    expected, found = 1, []
    for place in range(len(marked.words) - 1):
        token, following = marked.words[place], marked.words[place + 1].gap
        closed = following[:1] in (")", ".", ":") and following[1:2] in (" ", "\n")
        if token.text == str(expected) and closed and (place == 0 or token.gap[-1:] in (" ", "\n", "(", "#")):
            found.append(place)
            expected += 1
    if len(found) > 1:
        for place in found:
            first = place - 1 if place and marked.words[place - 1].text in ENUMERATED else place
            marked.words[first].gap = "\n"
            marked.words[first].soft = marked.words[place + 1].soft = False
            marked.take(first, place + 1)


def _quote_numbers(marked: MarkedText) -> None:
    for match in islice(SPOKEN_QUOTE.finditer(marked.folded), MOST_QUOTES):
        number = f"Q{match[1]}-{match[2]}"
        marked.mention(Mention("quote_number", frozenset({number}), *marked.tokens_within(*match.span())))


def _colours(marked: MarkedText) -> None:
    """ "Painted RAL 3020" tells a colour: the figure is no size, and paint is not the customer's trade."""
    for match in islice(COLOUR.finditer(marked.folded), MOST_COLOURS):
        first, last = marked.tokens_within(*match.span())
        for at in range(first - 1, max(-1, first - PAINTED), -1):
            if {each.value for each in marked.vocabulary.phrases.get(marked.words[at].text, ())} & PAINT:
                first = at
        start, end = marked.span(first, last)
        marked.add(Mark("feature", first, last, start, end, values=frozenset({f"RAL {match[1]}"})))


def _refrigerants(marked: MarkedText) -> None:
    """ "R-513A" and "refrigerant R134a" tell what a dryer cools with, and no model."""
    for match in islice(REFRIGERANT.finditer(marked.folded), MOST_COLOURS):
        first, last = marked.tokens_within(*match.span())
        start, end = marked.span(first, last)
        marked.add(Mark("feature", first, last, start, end, values=frozenset({refrigerant(match)})))


def _orders(marked: MarkedText) -> None:
    """Orders were won where nothing else is said of how they ended, and what a customer lacked money for was lost."""
    why = {value for mark in marked.marks if mark.attribute == "reason" for value in mark.values}
    if why & TELLING_WHY:
        # "Undercut us by selling direct" tells of the direct sale: any order is lost to somebody at some price.
        marked.marks = [mark for mark in marked.marks if mark.attribute != "reason" or not mark.values <= ANY_WHY]
    told = [mark for mark in marked.marks if mark.attribute == "outcome" and mark.values != ORDERED]
    ends = [mark for mark in marked.marks if mark.attribute == "reason" and mark.values & ENDING]
    ordered = [mark for mark in marked.marks if mark.attribute == "outcome" and mark.values == ORDERED]
    marked.marks = [mark for mark in marked.marks if mark not in ordered]
    if told or not (ends or ordered):
        return
    outcome = replace(ends[0], attribute="outcome", values=LOST) if ends else replace(ordered[0], values=WON)
    marked.marks.append(outcome)


def _neither(marked: MarkedText) -> None:
    """Lets the German "noch" deny only what follows on "weder": "noch offen" is still open."""
    denying = {place for place, token in enumerate(marked.words) if token.text == "weder"}
    marked.roles = [
        role
        for role in marked.roles
        if role.value != "negation"
        or marked.words[role.first].text != "noch"
        or any(place < role.first for place in denying)
    ]


def _replaced(marked: MarkedText) -> None:
    """Settles what "instead of" means: before a model the machine that goes, else a negation."""
    both = {(role.first, role.last) for role in marked.roles if role.value == "replace"} & {
        (role.first, role.last) for role in marked.roles if role.value == "negation"
    }
    for span in both:
        goes = any(mark.attribute == "model" and 0 <= mark.first - span[1] <= NAMED_BEHIND for mark in marked.marks)
        unmeant = "negation" if goes else "replace"
        marked.roles = [role for role in marked.roles if (role.first, role.last, role.value) != (*span, unmeant)]


def _options(marked: MarkedText) -> None:
    """Reads "not optional" as what was in the price."""
    denied = {role.last for role in marked.roles if role.value == "negation"}
    for role in [each for each in marked.roles if each.value == "option"]:
        if any(0 <= role.first - last <= OF_AN_OPTION and marked.words[role.first].soft for last in denied):
            marked.roles.remove(role)
            start, end = marked.span(role.first, role.last)
            marked.add(Mark("optional", role.first, role.last, start, end, values=frozenset({"optional"})))


def _rivals(marked: MarkedText) -> None:
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


def _ordinals(marked: MarkedText) -> None:
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


def _separate_parts(marked: MarkedText) -> None:
    """Reads "VFD for a blower" and "heat recovery for a screw" as the part itself; one "with a VFD" is a machine."""
    machine = min((mark.first for mark in marked.marks if mark.attribute == "family"), default=0)
    for mark in marked.marks:
        part = PARTS.get((mark.attribute, min(mark.values, default="")))
        if part is None:
            continue
        serves = any(role.value == "for" and mark.last <= role.first < machine for role in marked.roles)
        if serves and mark.last < machine <= mark.last + SERVED_BEHIND:
            marked.marks = [each for each in marked.marks if (each.first, each.last) != (mark.first, mark.last)]
            marked.marks.append(replace(mark, attribute="accessory_kind", values=frozenset({part})))
            marked.marks.append(replace(mark, attribute="family", values=frozenset({"accessory"})))
            return


def _housings(marked: MarkedText) -> None:
    """Reads the sound enclosure that stands behind a machine as what it has; one "for a blower", or on a line of its
    own, is a thing.
    """
    machines = [mark.last for mark in marked.marks if mark.attribute in TELLING_A_MACHINE and _is_powered(mark)]
    for mark in [each for each in marked.marks if each.attribute == "accessory_kind" and each.values == HOUSING]:
        begin = max((end for end in machines if end <= mark.first), default=None)
        serves = any(role.value == "for" and 0 <= role.first - mark.last <= 1 for role in marked.roles)
        if begin is None or serves or any("\n" in token.gap for token in marked.words[begin : mark.first + 1]):
            continue
        marked.marks = [each for each in marked.marks if (each.first, each.last) != (mark.first, mark.last)]
        marked.marks.append(replace(mark, attribute="feature", values=frozenset({"enclosure"})))


def _is_powered(mark: Mark) -> bool:
    return mark.attribute != "family" or bool(mark.values & POWERED)


def _stories(marked: MarkedText) -> None:
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


def _supplies(marked: MarkedText) -> None:
    place = 0
    for supply in supplies(marked.folded):
        while place < len(marked.words) and marked.words[place].end <= supply.start:
            place += 1
        last = place
        while last < len(marked.words) and marked.words[last].start < supply.end:
            last += 1
        if last > place:
            marked.add(Mark("voltage", place, last, supply.start, supply.end, values=supply.values))


def _models(marked: MarkedText) -> None:
    place = 0
    figures = [place for place, token in enumerate(marked.words) if token.number]
    near = {at for figure in figures for at in range(figure - 3, figure + 1)}
    while place < len(marked.words):
        token = marked.words[place]
        worth = place in near or (token.text not in marked.vocabulary.longest and token.text in marked.names.models)
        mention = None
        if worth and not marked.taken[place]:
            mention = model_at(
                marked.text, marked.words, place, marked.taken, names=marked.names, vocabulary=marked.vocabulary
            )
            if mention is None and token.text in marked.names.abridged_starts:
                mention = abridged_model_at(marked.text, marked.words, place, marked.taken, names=marked.names)
            if mention is None and marked.glued(place):
                mention = spaced_model_at(marked.words, place, marked.taken, names=marked.names)
        if mention is None and marked.vocabulary.equivalents and not marked.taken[place]:
            mention = equivalent_at(marked.text, marked.words, place, marked.taken, vocabulary=marked.vocabulary)
        if mention is not None:
            marked.mention(mention)
        place = mention.last if mention is not None else place + 1
