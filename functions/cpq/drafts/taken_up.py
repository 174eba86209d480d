"""What the customer asked and listed, and whether the letter takes it up."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from cpq.drafts.evidence import Evidence, digits_of
from cpq.drafts.facts import meant
from cpq.drafts.findings import Remark
from cpq.drafts.letter import BULLET, COMPLIANCE_CELLS, Block, Section, plain, sentences
from cpq.drafts.written_numbers import WRITTEN_FIGURE, telling
from quarry.understanding.text import fold

LISTED = re.compile(r"^\s*(?:[-*•+]|(?P<number>\d{1,3})[.)]|[a-z][.)])\s+(?=\S)", re.IGNORECASE)
NAMED = re.compile(r"\s*(?:item|pos(?:ition)?\.?|partida|poste)\s*(\d{1,3})\b", re.IGNORECASE)
"""How a row begins that names the position that it answers."""
KNOWN = re.compile(
    r"\b(?:know\w*|given|conditions?|situation|circumstances|facts|wei(?:ss|s)|wissen|bekannt|gegeben\w*|verhaltnisse|umstande|sabemos|se\s+sabe"
    r"|lo\s+que\s+se|condiciones|datos|situacion|sais|savons|connu\w*|conditions|donnees)\b"
)
"""Of the line that leads to a list of circumstances, folded."""
WITHDRAWN = re.compile(
    r"(?:(?:no|ah|oh|well|nein|ach|non)\W+)?(?:never\s*mind|disregard|forget\s+(?:it|that|about)|scratch\s+that|ignore\s+(?:it|that|this)"
    r"|vergessen\s+sie|hat\s+sich\s+erledigt|egal\b|olvid\w+|no\s+importa|dejelo|laissez\s+tomber|oubliez|peu\s+importe)"
)
"""How a sentence begins by which a question is taken back, folded."""
REPEATED = 0.5
"""Share of the telling words of a question or a position that one place of the letter has to repeat."""
REPEATED_BELOW_ITS_NUMBER = 0.3
"""The same for the rows that have the position's own number."""
HELD_OPEN = re.compile(
    r"(?=.*\b(?:offers?|quot\w+|proposals?|bids?|pric\w+|angebot\w*|preise?\w*|ofertas?|cotizacion|precios?|presupuesto|offres?|devis|prix)\b)"
    r".*\b(?:keep|hold|leave|extend|valid|halten|gultig\w*|manten\w+|vigen\w+|valid[oa]s?|mainten\w+|valables?)\b"
    r".*\b(?:until|till|through|bis|hasta|jusqu\w*)\b"
)
"""A wish for how long the offer holds, folded: no question in form, and it wants an answer."""
LEFT_OPEN = "[ANSWER]"
FEWEST = 2
"""Telling words of a question that can be looked for."""
SHOWN = 160


def left_out(found: Sequence[Section], evidence: Evidence) -> Iterator[Remark]:
    """Questions and positions of the request that no question, item, option or row of the letter is about."""
    told = [section for section in found if section.title and not section.internal]
    items = [kinds(" ".join(unit.text for unit in section.units), evidence) for section in told if section.item]
    units = [_words(unit.text) for section in told for unit in section.units]
    complying = [unit for section in told for unit in section.units
                 if unit.kind == "row" and len(unit.cells) == COMPLIANCE_CELLS
                 and unit.cells != unit.heads]  # fmt: skip
    parted = _parted(complying)
    rows = [*(_words(unit.text) for unit in complying), *(words for _, words in parted)]
    asked = [_words(unit.text) for section in told for unit in section.units if unit.bold or unit.kind == "heading"]
    last = max((unit.line for section in found for unit in section.units), default=1)
    every = [_words(unit.text) for section in found if not section.internal for unit in section.units]
    for text in questions(evidence.request):
        if len(_words(text)) >= FEWEST and not any(_repeated(each, every) for each in (text, *_clauses(text))):
            yield Remark("missing", "question", last, text[:SHOWN], "request", why="the letter does not answer it")
    numbered = _positions(evidence.request)
    wanted = list(numbered)
    row_kinds = [kinds(unit.text, evidence) for unit in complying]
    listed = {text: kinds(text, evidence) for text in wanted}
    for text in wanted:
        answered = _repeated(text, asked)
        alike = listed[text]
        same = sum(1 for each in row_kinds if each & alike) >= sum(1 for each in wanted if listed[each] & alike) > 0
        own = [words for number, words in parted if number == numbered[text] > 0]
        by_number = _repeated(text, own, share=REPEATED_BELOW_ITS_NUMBER) if own else False
        if rows and not (answered or same or by_number or _repeated(text, rows)):
            why = "no row of the compliance section is about it"
            yield Remark("missing", "position", last, text[:SHOWN], "request", why=why)
        elif not (answered or any(_repeated(each, asked) for each in questions(text))
                  or _repeated(text, units) or any(each & alike for each in items)
                  or (not alike and any(_repeated(each, every) for each in _clauses(text)))):  # fmt: skip
            why = "no item, option or answer is about it"
            yield Remark("missing", "position", last, text[:SHOWN], "request", why=why)
        if rows and not answered:
            yield from _without_a_row(text, numbered[text] or wanted.index(text) + 1, complying, last, evidence)


def _without_a_row(
    text: str, number: int, complying: Sequence[Block], last: int, evidence: Evidence
) -> Iterator[Remark]:
    """The figures of a position of which none of its rows speaks, where its rows name its number."""
    own = " ".join(row.text for row in complying if (told := NAMED.match(row.cells[0])) and int(told[1]) == number)
    if not own:
        return
    have = {digits_of(each) for each in WRITTEN_FIGURE.findall(own)}
    for fact in evidence.reading.facts(text):
        if fact.kind == "figure" and have.isdisjoint(map(digits_of, WRITTEN_FIGURE.findall(fact.text))):
            why = f"no row of position {number} in the compliance section is about it"
            yield Remark("missing", "requirement", last, fact.text, "request", why=why)


def _clauses(text: str) -> list[str]:
    return [each for each in re.split(r"[,;:.]\s|\s[-–]\s", text) if len(_words(each)) >= FEWEST]


def _parted(rows: Sequence[Block]) -> list[tuple[int, frozenset[str]]]:
    """The words of the rows together that answer one position, with its number, 0 for none. The first row of it opens
    it, or each names it.
    """
    found: list[tuple[int, frozenset[str]]] = []
    for row in rows:
        opened = LISTED.match(row.cells[0]) or NAMED.match(row.cells[0])
        number = int((re.findall(r"\d+", opened[0]) or [0])[0]) if opened is not None else 0
        if opened is not None and not (found and number == found[-1][0] > 0):
            found.append((number, frozenset()))
        if found:
            found[-1] = (found[-1][0], found[-1][1] | _words(row.text))
    return found


def without_a_note(found: Sequence[Section]) -> Iterator[Remark]:
    """Answers that are left open and of which no review note speaks: neither one below them, before the next
    question, nor one elsewhere that repeats the words of the question.
    """
    notes = [unit for section in found for unit in section.reviews]
    said = [_words(note.text) for note in notes]
    for section in found:
        questions = [unit for unit in section.units if unit.bold] if section.title and not section.internal else []
        for place, question in enumerate(questions):
            end = questions[place + 1].line if place + 1 < len(questions) else max(
                each.line for each in (*section.units, *section.reviews)) + 1  # fmt: skip
            answers = [unit for unit in section.units if question.line < unit.line < end and LEFT_OPEN in unit.text]
            asked = _words(question.text)
            below = any(question.line < note.line < end for note in notes)
            if answers and not below and not any(len(asked & note) >= min(FEWEST, len(asked)) for note in said):
                why = "no review note says what a person has to settle"
                yield Remark(
                    "missing", "review note", answers[0].line, question.text[:SHOWN], "house template", why=why
                )


def kinds(text: str, evidence: Evidence) -> frozenset[str]:
    """The families and services that a text names, in any language."""
    return meant(text, evidence.reading.vocabulary, of=("family", "service"))


def questions(request: str) -> list[str]:
    """What ends in a question mark, without the mark of a list before it."""
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*•]|\w{1,2}[.)])\s)", request)
    told = [[LISTED.sub("", sentence) for sentence in sentences(plain(part))] for part in parts]
    asked = [one for each in told for one, behind in pairwise([*each, ""])
             if one.endswith("?") and WITHDRAWN.match(fold(behind)) is None]  # fmt: skip
    asked += [one for each in told for one in each if not one.endswith("?") and HELD_OPEN.search(fold(one))]
    return list(dict.fromkeys(asked))


def positions(request: str) -> list[str]:
    """The entries of its lists, each with the lines that go on with it; of one entry there is no list."""
    return list(_positions(request))


def _positions(request: str) -> Mapping[str, int]:
    """The same with their numbers, 0 for a mark; without circumstances, which are told and not asked for."""
    found: list[tuple[str, int]] = []
    lead = before = ""
    for line in request.splitlines():
        listed = LISTED.match(line)
        if listed is not None:
            lead = before or lead
            before = ""
            told = listed["number"] is None and KNOWN.search(fold(lead)) and lead.rstrip().endswith(":")
            found.append(("" if told else LISTED.sub("", line), int(listed["number"] or 0)))
        elif found and line.strip() and line[0].isspace():
            found[-1] = (f"{found[-1][0]} {line.strip()}" if found[-1][0] else "", found[-1][1])
        elif line.strip():
            before = line
    wanted = {text: number for text, number in found if text and not plain(text).endswith("?")}
    return wanted if len(found) > 1 else {}


def _words(text: str) -> frozenset[str]:
    return telling(fold(text))


def _repeated(text: str, places: Sequence[frozenset[str]], *, share: float = REPEATED) -> bool:
    words = _words(BULLET.sub("", text))
    return not words or any(len(words & place) >= share * len(words) for place in places)
