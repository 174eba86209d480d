"""What the customer asked and listed, and whether the letter takes it up."""

import re
from collections.abc import Iterator, Sequence

from cpq.drafts.evidence import Evidence
from cpq.drafts.findings import Remark
from cpq.drafts.letter import BULLET, Section, plain, sentences
from cpq.drafts.promises import telling
from quarry.understanding.text import fold, tokens

LISTED = re.compile(r"^\s*(?:[-*•+]|\d{1,3}[.)]|[a-z][.)])\s+(?=\S)", re.IGNORECASE)
REPEATED = 0.5
"""Share of the telling words of a question or a position that one place of the letter has to repeat."""
FEWEST = 2
"""Telling words of a question that can be looked for."""
COMPLIANCE_CELLS = 3
SHOWN = 160


def left_out(found: Sequence[Section], evidence: Evidence) -> Iterator[Remark]:
    """Questions and positions of the request that no question, item, option or row of the letter is about."""
    told = [section for section in found if section.title and not section.internal]
    items = [_Told(section, evidence) for section in told if section.item]
    units = [_words(unit.text) for section in told for unit in section.units]
    complying = [unit for section in told for unit in section.units
                 if unit.kind == "row" and len(unit.cells) == COMPLIANCE_CELLS
                 and unit.cells != unit.heads]  # fmt: skip
    rows = [_words(unit.text) for unit in complying]
    asked = [_words(unit.text) for section in told for unit in section.units if unit.bold]
    last = max((unit.line for section in found for unit in section.units), default=1)
    every = [_words(unit.text) for section in found if not section.internal for unit in section.units]
    for text in questions(evidence.request):
        clauses = [each for each in re.split(r"[,;:]\s|\s[-–]\s", text) if len(_words(each)) >= FEWEST]
        if len(_words(text)) >= FEWEST and not any(_repeated(each, every) for each in (text, *clauses)):
            yield Remark("missing", "question", last, text[:SHOWN], "request", why="the letter does not answer it")
    row_kinds = [kinds(unit.text, evidence) for unit in complying]
    listed = [kinds(text, evidence) for text in positions(evidence.request)]
    for text in positions(evidence.request):
        answered = _repeated(text, asked)
        alike = kinds(text, evidence)
        same = sum(1 for each in row_kinds if each & alike) >= sum(1 for each in listed if each & alike) > 0
        if rows and not (answered or same or _repeated(text, rows)):
            why = "no row of the compliance section is about it"
            yield Remark("missing", "position", last, text[:SHOWN], "request", why=why)
        elif not (answered or _repeated(text, units) or any(each.is_about(text) for each in items)):
            why = "no item, option or answer is about it"
            yield Remark("missing", "position", last, text[:SHOWN], "request", why=why)


class _Told:
    """An item of the letter by the kinds of goods that it names."""

    def __init__(self, section: Section, evidence: Evidence) -> None:
        self.evidence = evidence
        self.kinds = kinds(" ".join(unit.text for unit in section.units), evidence)

    def is_about(self, text: str) -> bool:
        return bool(self.kinds & kinds(text, self.evidence))


def kinds(text: str, evidence: Evidence) -> frozenset[str]:
    """The families and services that a text names, in any language."""
    words, vocabulary = tokens(fold(text)), evidence.reading.vocabulary
    return frozenset(
        meaning.value for place in range(len(words)) for meaning in vocabulary.match(words, place)[1]
        if meaning.attribute in ("family", "service")
    )  # fmt: skip


def questions(request: str) -> list[str]:
    """What ends in a question mark, without the mark of a list before it."""
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*•]|\w{1,2}[.)])\s)", request)
    asked = [LISTED.sub("", sentence) for part in parts for sentence in sentences(plain(part))]
    return list(dict.fromkeys(each for each in asked if each.endswith("?")))


def positions(request: str) -> list[str]:
    """The entries of its lists, each with the lines that go on with it; of one entry there is no list."""
    found: list[str] = []
    for line in request.splitlines():
        if LISTED.match(line):
            found.append(LISTED.sub("", line))
        elif found and line.strip() and line[0].isspace():
            found[-1] += " " + line.strip()
    return [each for each in found if not plain(each).endswith("?")] if len(found) > 1 else []


def _words(text: str) -> frozenset[str]:
    return telling(fold(text))


def _repeated(text: str, places: Sequence[frozenset[str]]) -> bool:
    words = _words(BULLET.sub("", text))
    return not words or any(len(words & place) >= REPEATED * len(words) for place in places)
