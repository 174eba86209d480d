"""Reads a request: from text to items with needs."""

from datetime import date

from quarry.understanding.amounts import amounts, spoken_amounts
from quarry.understanding.assembly import Assembler
from quarry.understanding.dates import Said, times
from quarry.understanding.elapsed import bygone
from quarry.understanding.fixed_forms import (
    read_categories,
    read_colours,
    read_enumerations,
    read_norms,
    read_quote_numbers,
    read_refrigerants,
    read_round_the_clock,
    read_service_terms,
    read_sites,
    read_standbys,
    read_supplies,
)
from quarry.understanding.heads import AN
from quarry.understanding.implied import bare_power, equivalent_at
from quarry.understanding.items import WANTS, segments
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark, Role
from quarry.understanding.models import abridged_model_at, model_at, spaced_model_at
from quarry.understanding.names import Names
from quarry.understanding.needs import Request
from quarry.understanding.own_reading import OwnReader
from quarry.understanding.packages import read_packages
from quarry.understanding.parting import is_parted
from quarry.understanding.problems import read_problem
from quarry.understanding.quantities import SAID_OF, Measure, Reader, as_cold, as_depth, as_purge
from quarry.understanding.sales import leave_out_stories, read_discount, read_ordinals, read_outcome, read_rivals
from quarry.understanding.terms import KINDS, TermReader, read_collocations
from quarry.understanding.text import MOST_CHARACTERS, MOST_TOKENS, fold, tokens
from quarry.understanding.unknown_names import read_names, read_numbered_customers
from quarry.understanding.words import Vocabulary

MOST_NOT_UNDERSTOOD = 40
AFTER_THE_LAST = 8
"""Characters after the last word that is read: a unit may end with signs."""
NAMED_BEHIND = 3
"""Words within which a model or machine follows: "instead of our old Busch R5"."""
MOST_OF_WHAT_GOES = 6
"""Words between "instead of" and the name of the thing that goes."""
TRADED = frozenset(("swap", "swapping", "trade", "trading"))
"""How what goes for something is begun."""
PURGE_REACH = 5
"""Words between a share and what it is of."""
OF_AN_OPTION = 2
"""Words between a negation and the word for an option: not as an option."""


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
    assembler = Assembler(marked)
    items = assembler.items(parts, marked.marks, marked.taken)
    absent = (*(need for item in items for need in item.needs if need.absent), *assembler.gone)
    return Request(items, _not_understood(marked), language, tuple(dict.fromkeys(absent)), unread,
                   any(role.value == "option" for role in marked.roles))  # fmt: skip


def _read(marked: MarkedText, today: date | None) -> None:
    """Each pass takes the tokens that it reads, so that what comes before goes before."""
    read_enumerations(marked)
    read_round_the_clock(marked)
    read_quote_numbers(marked)
    read_supplies(marked)
    if marked.vocabulary.of_sales:
        read_numbered_customers(marked)
    read_sites(marked)
    read_categories(marked)
    read_standbys(marked)
    read_norms(marked)
    _own_attributes(marked)
    read_service_terms(marked)
    read_colours(marked)
    read_refrigerants(marked)
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
        measure = as_purge(marked.folded, as_depth(marked.folded, as_cold(marked.folded, measure)))
        if measure.attribute == "percent" and vocabulary.of_quotes:
            read_discount(marked, measure)
        elif measure.attribute:
            marked.add(Mark(
                measure.attribute, measure.first, measure.last, measure.start, measure.end,
                operator=measure.operator, low=measure.low, high=measure.high, machines=measure.machines,
                absolute=measure.unit.absolute, unit=measure.unit.name,
                family="dryer" if measure.attribute == "purge" else "",
            ))  # fmt: skip
            if measure.attribute in SAID_OF:
                _take_said_of(marked, measure)
    for said in times(marked.words, marked.taken, vocabulary=vocabulary, language=language, today=today):
        _said(marked, said)
    TermReader(marked).read()
    if vocabulary.of_sales:
        read_names(marked)
    _neither(marked)
    read_collocations(marked)
    read_problem(marked)
    read_outcome(marked)
    leave_out_stories(marked)
    _options(marked)
    _replaced(marked)
    read_rivals(marked)
    read_ordinals(marked)
    read_packages(marked)
    power = bare_power(marked.words, marked.marks, marked.taken, language=language)
    if power is not None:
        marked.add(power)
    marked.marks.sort(key=lambda mark: (mark.first, mark.last))
    marked.roles.sort(key=lambda role: role.first)


def _take_said_of(marked: MarkedText, measure: Measure) -> None:
    """Takes the words beside a figure that tell what it is of."""
    for at in range(max(0, measure.first - PURGE_REACH), min(len(marked.words), measure.last + PURGE_REACH)):
        if SAID_OF[measure.attribute].match(marked.words[at].text):
            marked.take(at, at + 1)


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
    traded = [role for role in marked.roles if role.value == "replace" and marked.words[role.first].text in TRADED]
    ends = [role for role in marked.roles if role.value == "replace_end"]
    for role in traded:
        # "Swap the refrigerated dryer for a desiccant one" serves no other machine.
        end = next((each for each in ends if 0 <= each.first - role.last <= NAMED_BEHIND * 2), None)
        if end is not None:
            marked.roles = [each for each in marked.roles if (each.value, each.first) != ("for", end.first)]
    for role in marked.roles:
        if role.value == "stead":
            _leave_out_what_goes(marked, role)


def _leave_out_what_goes(marked: MarkedText, stead: Role) -> None:
    """Takes the thing that goes for none that is asked for, where its sentence names the one that comes: "a dryer
    with a dew point of -40 instead of our 300 cfm refrigerated dryer". Its kind stays, as what is not wanted.
    """
    families = [mark for mark in marked.marks if mark.attribute == "family"]
    goes = next((mark for mark in families if mark.first >= stead.last), None)
    if goes is None or goes.first - stead.last > MOST_OF_WHAT_GOES or not _is_one_phrase(marked, stead.last, goes):
        return
    denied = any(
        role.value == "negation" and (role.first, role.last) == (stead.first, stead.last) for role in marked.roles
    )
    comes = any(
        mark.values == goes.values
        and mark is not goes
        and (mark.last <= stead.first or (denied and mark.first >= goes.last))
        and not is_parted(marked.words, min(mark.last, goes.last), max(mark.first, stead.first))
        for mark in families
    )
    if comes:
        # What "in place of many vane pumps" says of them no negation reaches, so that it would be asked for.
        kinds = [mark for mark in marked.marks if stead.last <= mark.first < goes.last and mark.attribute in KINDS]
        first = min((mark.first for mark in kinds), default=stead.last)
        between = marked.words[stead.last : first]
        denied = denied and all(token.text in marked.vocabulary.stop for token in between)
        marked.marks = [
            mark
            for mark in marked.marks
            if not stead.last <= mark.first < goes.last or (denied and mark in kinds and mark is not goes)
        ]


def _is_one_phrase(marked: MarkedText, first: int, goes: Mark) -> bool:
    """Whether nothing but the words of one thing stands before its name: of "instead of desiccant a refrigerated
    dryer" the dryer is what is wanted.
    """
    said = {at for mark in marked.marks for at in range(mark.first, mark.last)}
    before = marked.words[first : goes.first]
    counted = (at for at in range(first, goes.first) if marked.words[at].text in AN)
    again = any(at > first and not said.isdisjoint(range(first, at)) for at in counted)
    return not again and all(token.soft for token in before[1:]) and not any(token.text in WANTS for token in before)


def _options(marked: MarkedText) -> None:
    """Reads "not optional" as what was in the price."""
    denied = {role.last for role in marked.roles if role.value == "negation"}
    for role in [each for each in marked.roles if each.value == "option"]:
        if any(0 <= role.first - last <= OF_AN_OPTION and marked.words[role.first].soft for last in denied):
            marked.roles.remove(role)
            start, end = marked.span(role.first, role.last)
            marked.add(Mark("optional", role.first, role.last, start, end, values=frozenset({"optional"})))


def _models(marked: MarkedText) -> None:
    place = 0
    figures = {place for place, token in enumerate(marked.words) if token.number}
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
            if mention is None and (marked.glued(place) or (place + 1 in figures and marked.words[place + 1].soft)):
                mention = spaced_model_at(marked.words, place, marked.taken, names=marked.names)
        if mention is None and marked.vocabulary.equivalents and not marked.taken[place]:
            mention = equivalent_at(marked.text, marked.words, place, marked.taken, vocabulary=marked.vocabulary)
        if mention is not None:
            marked.mention(mention)
        place = mention.last if mention is not None else place + 1
