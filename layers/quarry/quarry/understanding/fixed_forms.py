"""Reads what has a form of its own: numbered items, quote numbers, supplies, classes, colours, refrigerants."""

import re
from itertools import islice

from quarry.understanding.altitude import altitudes
from quarry.understanding.electrics import supplies
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import NO_VALUES, Mark
from quarry.understanding.names import Mention
from quarry.understanding.needs import Operator
from quarry.understanding.purity import norms, purities
from quarry.understanding.service_terms import service_terms
from quarry.understanding.space import FLOOR, spaces
from quarry.understanding.standby import N_PLUS_1, standbys
from quarry.understanding.traits import REFRIGERANT, refrigerant

ENUMERATED = frozenset(("item", "pos", "position", "posicion", "poste", "line", "nr", "no"))
REGULATION = re.compile(
    r"\b(?:ce|ec|eg|eu|ue|vo|verordnung|reglement|regulation|reglamento)\s(?:\(\w+\)\s|n[ro]?[.o°]?\s)?"
    r"(?!2014/68)(\d{2,4}/\d{2,4})(?![\d/])"
)
MOST_COLOURS = MOST_QUOTES = 12
SPOKEN_QUOTE = re.compile(
    r"(?<![a-z0-9])(?:q[\s-]?|(?:quote|quotation|offer|angebot|cotizacion|oferta|devis|offre)s?\s(?:no\.?\s|number\s|nr\.?\s|#\s?)?)"
    r"(\d{2})[\s-](\d{4})(?![\w-])"
)
"""A number with its blanks, or without its letter behind the word for a quote: q22 0518, quote 22-0518."""
COLOUR = re.compile(r"\bral[\s-]?(\d{4})\b")
MEDICAL = re.compile(r"medic|medizin|nfpa|surgical|surg vac|hospital|krankenh|klinik|hopital|clinique")
CATEGORY = re.compile(
    r"(?<!atex )(?:\bnfpa[\s-]?99[\s,:]{0,3})?\b(?:category|cat\.?|kategorie|kat\.?|categoria|categorie)\s?[1-4]\b"
)
ROUND_THE_CLOCK = re.compile(r"(?<![\w.,])(?:24\s?[/x]\s?(?:7|365)|24\s?h?\s?/\s?24)(?![\w.,]\d|\w)")
PAINT = frozenset(("painting",))
PAINTED = 5
"""Words before a colour among which paint is the coat of the machine."""


def read_sites(marked: MarkedText) -> None:
    """Altitudes, spaces and classes of purity, whose figures are of nothing else."""
    said: list[tuple[str, Operator, float, int, int, frozenset[str]]] = [
        *(
            ("altitude_ft", "exactly", each.feet, each.start, each.end, NO_VALUES)
            for each in altitudes(marked.folded)
        ),
        *(
            (each.attribute, "at_most", float(each.value), each.start, each.end, NO_VALUES)
            for each in purities(marked.folded)
        ),
    ]
    said += [
        (side, "at_most", most, each.start, each.end, FLOOR if each.floor and side != "height_in" else NO_VALUES)
        for each in spaces(marked.folded)
        for side, most in each.most.items()
    ]
    for attribute, operator, value, start, end, values in said:
        first, last = marked.tokens_within(start, end)
        if first < last:
            marked.add(Mark(attribute, first, last, start, end, values, operator, low=value, high=value))


def read_standbys(marked: MarkedText) -> None:
    """The machine that a plant does without, whose words name no second thing."""
    for each in standbys(marked.folded):
        first, last = marked.tokens_within(each.start, each.end)
        if first == last or any(marked.taken[first:last]):
            continue
        said = [("redundancy", N_PLUS_1), *([("family", each.family)] if each.family else [])]
        for attribute, value in said:
            marked.add(Mark(attribute, first, last, *marked.span(first, last), values=frozenset({value})))


def read_categories(marked: MarkedText) -> None:
    """The category of NFPA 99, which a hospital names without the norm; ATEX has categories too."""
    if not MEDICAL.search(marked.folded):
        return
    for match in islice(CATEGORY.finditer(marked.folded), MOST_COLOURS):
        first, last = marked.tokens_within(*match.span())
        start, end = marked.span(first, last)
        marked.add(Mark("certificate", first, last, start, end, values=frozenset({"nfpa 99"})))


def read_norms(marked: MarkedText) -> None:
    """Takes the name and the year of the norm that a class is of, "class 0 per ISO 8573-1:2010", and the number of a
    regulation, whose year is none of a quote: "CE 1935/2004".
    """
    regulations = (match.span(1) for match in islice(REGULATION.finditer(marked.folded), MOST_QUOTES))
    for start, end in (*norms(marked.folded), *regulations):
        marked.take(*marked.tokens_within(start, end))


def read_service_terms(marked: MarkedText) -> None:
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


def read_enumerations(marked: MarkedText) -> None:
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


def read_round_the_clock(marked: MarkedText) -> None:
    """Takes "24/7": its figures are of nothing that is asked for."""
    for match in islice(ROUND_THE_CLOCK.finditer(marked.folded), MOST_COLOURS):
        marked.take(*marked.tokens_within(*match.span()))


def read_quote_numbers(marked: MarkedText) -> None:
    for match in islice(SPOKEN_QUOTE.finditer(marked.folded), MOST_QUOTES):
        number = f"Q{match[1]}-{match[2]}"
        marked.mention(Mention("quote_number", frozenset({number}), *marked.tokens_within(*match.span())))


def read_colours(marked: MarkedText) -> None:
    """ "Painted RAL 3020" tells a colour: the figure is no size, and paint is not the customer's trade."""
    for match in islice(COLOUR.finditer(marked.folded), MOST_COLOURS):
        first, last = marked.tokens_within(*match.span())
        for at in range(first - 1, max(-1, first - PAINTED), -1):
            if {each.value for each in marked.vocabulary.phrases.get(marked.words[at].text, ())} & PAINT:
                first = at
        start, end = marked.span(first, last)
        marked.add(Mark("feature", first, last, start, end, values=frozenset({f"RAL {match[1]}"})))


def read_refrigerants(marked: MarkedText) -> None:
    """ "R-513A" and "refrigerant R134a" tell what a dryer cools with, and no model."""
    for match in islice(REFRIGERANT.finditer(marked.folded), MOST_COLOURS):
        first, last = marked.tokens_within(*match.span())
        start, end = marked.span(first, last)
        marked.add(Mark("feature", first, last, start, end, values=frozenset({refrigerant(match)})))


def read_supplies(marked: MarkedText) -> None:
    place = 0
    for supply in supplies(marked.folded):
        while place < len(marked.words) and marked.words[place].end <= supply.start:
            place += 1
        last = place
        while last < len(marked.words) and marked.words[last].start < supply.end:
            last += 1
        if last > place:
            marked.add(Mark("voltage", place, last, supply.start, supply.end, values=supply.values))
