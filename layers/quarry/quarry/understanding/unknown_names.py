"""Names of people, customers and places that a request says and that neither the tenant's names nor any list has."""

from collections.abc import Iterator
from dataclasses import replace

from quarry.understanding.makers import BEFORE_A_NAME, STREETS, TITLES, person_at
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark
from quarry.understanding.names import Mention
from quarry.understanding.terms import GREETINGS
from quarry.understanding.text import Token, fold, one_slip
from quarry.understanding.words import Vocabulary

BEFORE_A_GERMAN_NAME = frozenset(("firma", "kunde", "kunden", "kundin", "ansprechpartner", "namens"))
BEFORE_TWO = frozenset(("von", "an", "bei", "fur", "hat", "mit", "hatte"))
"""German words behind which two nouns without an article are a name."""
FAREWELLS = frozenset((
    "regards", "thanks", "cheers", "gruss", "gruse", "grusse", "saludos", "cordialement", "merci", "gracias", "danke",
))  # fmt: skip
ALSO_WORDS = frozenset(("hr", "fr", "dr", "ms", "sr", "miss"))
"""Titles that are something else too: 8 hr shift."""
SHORTEST, SHORTEST_SLIP = 3, 5
LONGEST = 4
"""Words of one name."""
MOST_NAMES = 4
MOST_CAPITALS = 0.6
"""Share of words with a capital from which on capitals tell nothing."""
OF_PEOPLE = frozenset(("contact", "salesperson"))
OF_SALES = frozenset(("sale", "archive"))


def read_numbered_customers(marked: MarkedText) -> None:
    """Marks customers whose names begin with a figure, before the figure is read as a size: 4M is no four metres."""
    for place, token in enumerate(marked.words):
        if token.number and not marked.taken[place] and token.text in marked.names.people_starts:
            found = person_at(marked.text, marked.words, place, names=marked.names, vocabulary=marked.vocabulary)
            if found is not None:
                marked.mention(found)


def read_names(marked: MarkedText) -> None:
    """Marks each as a name, or as the customer or colleague whose name it misses by one slip."""
    _read_full_names(marked)
    shouted = _shouted(marked)
    for count, (first, last) in enumerate(_runs(marked)):
        if count == MOST_NAMES:
            return
        titled = _titled(marked, first)
        if any(token.text in STREETS for token in marked.words[first:last]):
            continue
        if not titled and (shouted or not _stands_as_a_name(marked, first, last)):
            continue
        meant = _with_a_slip(marked, first) if last - first == 1 else None
        if meant is not None:
            marked.mention(meant)
            continue
        begin = _with_first_name(marked, first)
        start, end = marked.span(begin, last)
        words = " ".join(token.text for token in marked.words[first:last])
        marked.add(Mark("name", begin, last, start, end, values=frozenset({words})))


def _runs(marked: MarkedText) -> Iterator[tuple[int, int]]:
    """Words beside one another that are written as names and that nothing has read."""
    place = 0
    while place < len(marked.words):
        if not _may_name(marked, place, titled=_titled(marked, place)):
            place += 1
            continue
        last = place + 1
        while last < len(marked.words) and last - place < LONGEST and _joined(marked.words[last]):
            if not _may_name(marked, last):
                break
            last += 1
        yield place, last
        place = last


def _joined(token: Token) -> bool:
    return token.gap in (" ", "-", " & ")


def _may_name(marked: MarkedText, place: int, *, titled: bool = False) -> bool:
    token, vocabulary = marked.words[place], marked.vocabulary
    written = marked.text[token.start : token.end]
    return (
        not marked.taken[place]
        and not token.number
        and len(token.text) >= SHORTEST
        and (written[0].isupper() or titled)
        and token.text not in vocabulary.stop
        and token.text not in Vocabulary.shipped().idle
        and not (marked.language == "de" and token.text in vocabulary.idle)
        and token.text not in vocabulary.languages
        and token.text not in vocabulary.months
        and token.text not in TITLES
        and token.text not in FAREWELLS
    )


def _titled(marked: MarkedText, place: int) -> bool:
    """Whether a title stands before: Hr. Brinkmann, and "mr hobbs", but not "dr" of a word in small letters."""
    if not place or marked.words[place - 1].text not in TITLES or marked.words[place].gap.strip() not in ("", "."):
        return False
    hours = place > 1 and marked.words[place - 2].number
    return not hours and (
        marked.text[marked.words[place].start].isupper() or marked.words[place - 1].text not in ALSO_WORDS
    )


def _stands_as_a_name(marked: MarkedText, first: int, last: int) -> bool:
    """Whether the words around say that a name stands here: to Toyota, did Brad Simmons sell, the Toyota job."""
    if not first or marked.words[first].gap != " ":
        return False
    before = marked.words[first - 1].text
    if before in FAREWELLS or all(token.text in GREETINGS for token in marked.words[:first]):
        return False
    if marked.language == "de":
        offered = before == "an" and first > 1 and _tells_a_sale(marked, first - 1)
        return before in BEFORE_A_GERMAN_NAME or offered or (last - first > 1 and before in BEFORE_TWO)
    followed = last < len(marked.words) and marked.words[last].soft and marked.words[last].gap == " "
    sold = followed and (
        any(role.first == last and role.value in OF_SALES for role in marked.roles)
        or any(mark.first == last and mark.attribute in ("outcome", "date") for mark in marked.marks)
    )
    written = marked.text[marked.words[first].start : marked.words[last - 1].end]
    if written.isupper() and followed and not sold and marked.words[last].text not in BEFORE_A_NAME:
        return False  # An MRI room is no name.
    known_before = any(mark.last == first and mark.attribute in OF_PEOPLE for mark in marked.marks)
    return before in BEFORE_A_NAME or sold or known_before or last - first > 1


def _tells_a_sale(marked: MarkedText, last: int) -> bool:
    """Whether the words before a token tell an offer or an order: Angebote an."""
    return any(role.last == last and role.value in OF_SALES for role in marked.roles) or any(
        mark.last == last and mark.attribute == "outcome" for mark in marked.marks
    )


def _with_first_name(marked: MarkedText, first: int) -> int:
    """Where the name begins; a first name that was read before is part of it: "Tina Miller" is no Tina Vance."""
    for mark in marked.marks:
        if mark.last == first and mark.attribute in OF_PEOPLE and mark.last - mark.first == 1:
            marked.marks.remove(mark)
            return mark.first
    return first


def _read_full_names(marked: MarkedText) -> None:
    """Marks whom a first name and a surname with a slip name, in small letters too: "bert halversen"."""
    for place in range(1, len(marked.words)):
        if marked.taken[place - 1] or marked.taken[place] or not marked.words[place].soft:
            continue
        meant = _with_a_slip(marked, place)
        if meant is not None and fold(min(meant.values)).split()[0] == marked.words[place - 1].text:
            marked.mention(replace(meant, first=place - 1))


def _with_a_slip(marked: MarkedText, place: int) -> Mention | None:
    token = marked.words[place]
    if len(token.text) < SHORTEST_SLIP:
        return None
    found = {
        marked.names.people[word]
        for length in (len(token.text), len(token.text) - 1, len(token.text) + 1)
        for word in marked.names.people_spelt.get((token.text[0], length), ())
        if one_slip(token.text, word)
    }
    if len(found) != 1:
        return None
    kind, name = found.pop()
    return Mention(kind, frozenset({name}), place, place + 1)


def _shouted(marked: MarkedText) -> bool:
    """Whether most words have a capital, in a text of more than a few."""
    words = [marked.text[token.start] for token in marked.words if not token.number]
    return len(words) > LONGEST and sum(letter.isupper() for letter in words) > MOST_CAPITALS * len(words)
