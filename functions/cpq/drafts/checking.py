"""Checks a letter: each figure, name, model, number, date and link is held against the evidence."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from difflib import SequenceMatcher
from typing import Literal

from cpq.drafts.figures import ANY, Figure, is_time
from cpq.drafts.letter import Folded, Piece, compact, named, pieces, windows
from cpq.drafts.support import Evidence, Stated, comparable, days, nearest, support
from quarry.text import alike, part_key

Verdict = Literal["supported", "unsupported", "contradicted", "foreign"]

LINK = re.compile(
    r"(?i)(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:)?[/\\]{2}[^\s<>()\[\]\"']+|www\.[^\s<>()\[\]\"']+|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]+"
    r"|(?:javascript|data|file|vbscript):[^\s<>\"']+|<(?:img|script|style|svg|[a-z][\w:-]{0,20}\s)[^>]{0,300}>"
    r"|(?<![\w.@-])(?:[a-z][\w-]{1,62}[.\u3002\uff0e\uff61]){1,5}"
    r"(?:(?:com|net|org|info|biz|io|eu|app|dev|shop|site|online|top|xyz|link|page|cloud|example)(?![\w-])|[a-z]{2,24}/)\S{0,500}"
    r"|(?<=\]\()[^)\s#][^)\s]{0,500}"
)
NUMBERED = re.compile(r"[^\W_][\w./-]*")
MOST_FIGURES, MOST_PIECES = 5_000, 100
"""The most figures that are checked, and the largest number before a cross that may be a count: 2 × 30 kW."""
MOST_FINDINGS = 8
"""How many findings a writer is told at once."""
SLIP = 0.25
"""By which share a figure is off at most that another one is advised for: 19,800 is no miswritten 25,850."""


@dataclass(frozen=True, slots=True)
class Remark:
    """The verdict on a statement; ``line`` is of the draft; ``right`` is what the source says, where known."""

    verdict: Verdict
    kind: str
    line: int
    text: str
    source: str = ""
    right: str = ""

    @property
    def remedy(self) -> str:
        """What the writer should do about it."""
        if self.verdict == "foreign":
            return "take it out: it is another customer's"
        if self.verdict == "contradicted":
            if self.kind in ("figure", "amount") and _digits_differ(self.text, self.right) > 1:
                return f"{self.source} says {self.right}: if it is worked out, tell in notes of what"
            return f"write {self.right}, which {self.source} says, or say what else it is of"
        return f"write {self.right}" if self.right else "name it by id, or tell in notes where it is from"


def check(letter: str, evidence: Evidence) -> list[Remark]:
    """Returns remarks on the letter's statements, supported ones too, in the order of its lines."""
    found = list(pieces(letter))
    stated = [each for piece in found for each in _stated(piece, evidence)][:MOST_FIGURES]
    support(stated, evidence)
    remarks = [remark for each in stated if (remark := _of_figure(each, evidence))]
    for piece in found:
        remarks += _of_models(piece, evidence)
        if piece.block != found[0].block:  # the first block has the letter's own date
            remarks += _of_days(piece, evidence)
    remarks += [*_of_names(letter, evidence), *_of_lines(letter, evidence)]
    return sorted(remarks, key=lambda remark: remark.line)


def first(remarks: Iterable[Remark]) -> tuple[list[Remark], int]:
    """Returns each statement once, the gravest first, and how many more there are than are told."""
    grave: Sequence[Verdict] = ("foreign", "contradicted", "unsupported")
    once = {each.text: each for each in sorted(remarks, key=lambda each: -grave.index(each.verdict))}
    faults = sorted(once.values(), key=lambda each: (grave.index(each.verdict), each.line))
    return faults[:MOST_FINDINGS], max(0, len(faults) - MOST_FINDINGS)


def _stated(piece: Piece, evidence: Evidence) -> list[Stated]:
    """Returns the figures of a piece that belong to no name and no date."""
    text = piece.text
    told = ({what for _, _, what in named(place, evidence.aliases) if what} for place in (piece.beside, piece.head))
    scope = frozenset(next((each for each in told if each), ()))
    spans = [(start, end) for start, end, _ in named(text, evidence.aliases)]
    spans += [(at, at + len(day)) for day, _ in days(text) if (at := text.find(day)) >= 0]
    for start, end in spans:
        text = text[:start] + "_" * (end - start) + text[end:]
    return [Stated(piece, each, scope) for each in evidence.reader.figures(text, head=piece.head)]


def _of_figure(stated: Stated, evidence: Evidence) -> Remark | None:
    figure, line = stated.figure, stated.piece.line
    kind = "amount" if figure.currency else "figure"
    if stated.source:
        return Remark("supported", kind, line, figure.text, stated.source)
    if not figure.unit or figure.weak:
        return None  # a bare number may count anything
    if not any(each.value for each in figure.readings) or (figure.factor and figure.count <= MOST_PIECES):
        return None
    of_scope = [each for each in comparable(figure, stated.scope, evidence) if each[0].of in stated.scope]
    own = [(source, each) for source, figures in of_scope for each in figures if _may_mean(figure, each, evidence)]
    if own:
        own = [(source, each) for source, each in own if source.quoted] or own
        right = nearest(figure, [each for _, each in own])
        # Rounded where the source has it so, too: what its thing has at conditions stands rounded in tables.
        right = next((each for _, each in own if each.unit == right.unit and each is not right
                      and each.readings[0].step > right.readings[0].step and each.is_near(right)), right)  # fmt: skip
        # Its one period may be of something else than the period that was written.
        only = len({each.text for _, each in own}) == 1 and not is_time(figure.unit)
        if only or _is_slip(figure, right):
            name = next(source.name for source, each in own if each is right)
            return Remark("contradicted", kind, line, figure.text, name, right.text)
    foreign = (source.name for source in evidence.sources if figure.currency and not source.money
               for each in source.figures if figure.measures(each) and figure.is_near(each))  # fmt: skip
    name = next(foreign, "")
    return Remark("foreign" if name else "unsupported", kind, line, figure.text, name)


def _is_slip(figure: Figure, right: Figure) -> bool:
    """Whether a figure may be a source's that was written wrongly: a quarter off at most, or in one digit."""
    value, meant = figure.readings[0].value, figure.values_of(right)[0]
    return abs(value - meant) <= SLIP * abs(meant) or _digits_differ(figure.text, right.text) <= 1


def _digits_differ(one: str, other: str) -> int:
    """Returns how many digits two figures do not share; those of fewer than three all count."""
    written, said = (re.sub(r"\D", "", each) for each in (one, other))
    same = sum(each.size for each in SequenceMatcher(None, written, said).get_matching_blocks())
    return max(len(written), len(said), 3) - same


def _may_mean(figure: Figure, other: Figure, evidence: Evidence) -> bool:
    """Whether a source's ``other`` figure contradicts this one. Zero does not; nor does another currency than the
    letter's where this one has a sign of several, such as $.
    """
    foreign = figure.currency == ANY and evidence.currency and other.currency not in (ANY, evidence.currency)
    return not foreign and any(each.value for each in other.readings)


def _of_models(piece: Piece, evidence: Evidence) -> Iterator[Remark]:
    """Yields remarks on designations that match a model except in digits, and on models of another maker."""
    text = piece.text
    models, makers = named(text, evidence.aliases), named(text, {key: key for key in evidence.makers})
    for start, _, what in models:
        own, before = evidence.makers_of.get(what), next((one for one in makers if 0 < start - one[1] <= 2), None)
        if own and before and before[2] not in own:
            right = " / ".join(evidence.makers.get(key, key) for key in sorted(own))
            yield Remark("contradicted", "maker", piece.line, text[before[0] : before[1]], what, right)
    strange = ((key, *place) for key, places in windows(text).items() for place in places
               if shape_of(key) in evidence.alike and key not in evidence.aliases)  # fmt: skip
    for key, start, end in strange:
        written = text[start:end]
        free = all(end <= other[0] or start >= other[1] for other in models)
        if free and written != written.lower() and not evidence.said.places(compact(written)):
            models.append((start, end, ""))
            [near] = alike(written, evidence.alike[shape_of(key)], most=1, close=0)
            yield Remark("unsupported", "model", piece.line, written, right=near)


def _of_days(piece: Piece, evidence: Evidence) -> Iterator[Remark]:
    today = {evidence.today + timedelta(days=off) for off in (-1, 0, 1)}  # today in any time zone
    for written, meant in days(piece.text):
        yield Remark("supported" if meant & (evidence.dates | today) else "unsupported", "date", piece.line, written)


def _of_names(letter: str, evidence: Evidence) -> Iterator[Remark]:
    """Yields remarks on names of other customers and their people; a name of one word needs a capital letter."""
    folded = Folded(letter)
    for name, shown in evidence.others.items():
        for at in folded.places(name):
            if not evidence.said.places(name) and (" " in shown.strip() or not letter[at].islower()):
                yield Remark("foreign", "customer", letter.count("\n", 0, at) + 1, shown)


def _of_lines(letter: str, evidence: Evidence) -> Iterator[Remark]:
    """Yields remarks on links that are neither the house's nor the customer's, and on all numbers of quotes."""
    hosts = {_host(each) for each in re.findall(r"[\w@.-]+", evidence.own_words) if "." in each.strip(".")}
    for line, text in enumerate(letter.split("\n"), 1):
        links = (match[0] for match in LINK.finditer(text) if _host(match[0]) not in hosts)
        yield from (Remark("unsupported", "link", line, link) for link in links)
        for number in (match[0].rstrip("./-").upper() for match in _numbers(text, evidence)):
            known = number in evidence.own or evidence.said.places(compact(number))
            strange: Verdict = "foreign" if number in evidence.foreign else "unsupported"
            yield Remark("supported" if known else strange, "quote number", line, number)


def _host(link: str) -> str:
    """Returns the host of a link or mail address; look-alike letters are left as they are."""
    bare = re.sub(r"(?i)^(?:[a-z]+:)?(?://)?(?:[^/@]*@)?(?:www\.)?", "", link)
    return re.split(r"[/:?#>\s]", bare.casefold())[0].strip(".!,;*_") or link


def _numbers(text: str, evidence: Evidence) -> Iterator[re.Match[str]]:
    """Finds numbers of quotes, those of several words first."""
    broken = [re.escape(shape).replace("0", r"\d") for shape in sorted(evidence.numbered) if " " in shape]
    if broken:
        yield from re.finditer(rf"(?i)(?<!\w)(?:{'|'.join(broken)})(?!\w)", text)
    yield from (match for match in NUMBERED.finditer(text) if _is_numbered(match[0], evidence))


def _is_numbered(word: str, evidence: Evidence) -> bool:
    """Whether a word is the number of a quote, or looks like one and is no model."""
    number = word.rstrip("./-").upper()
    looks_so = shape_of(number) in evidence.numbered and part_key(number) not in evidence.aliases
    return looks_so or number in evidence.own or number in evidence.foreign


def shape_of(key: str) -> str:
    return re.sub(r"\d", "0", key)
