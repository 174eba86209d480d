"""Checks a letter: every figure, name, model, number, date and link of it against what it may rest on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from cpq.drafts.figures import alike
from cpq.drafts.folding import Folded, compact, model_key, named, visible, windows
from cpq.drafts.letter import Draft, Piece, pieces
from cpq.drafts.sources import Evidence, around, days
from cpq.drafts.support import SMALL, Stated, bound, comparable, nearest, support

Verdict = Literal["supported", "unsupported", "contradicted", "foreign"]

LINK = re.compile(
    r"(?i)(?:https?:|ftp:)?//[^\s<>()\[\]\"']+|www\.[^\s<>()\[\]\"']+|(?:mailto:)?[^\s<>()\[\]\"',;|:]+@[^\s<>()\[\]\"',;|]+"
    r"|(?:javascript|data|file|vbscript):[^\s<>\"']+|<(?:img|script|iframe|a|link|object|embed)\b[^>]{0,300}>"
)
NUMBERED = re.compile(r"[^\W_][\w./-]*")
DESIGNATION = re.compile(r"(?<![^\W_])([^\W\d_]{2,8})[ -]?\d[\w-]*")
TEN = 10
MOST_PIECES = 100
"""A whole number before a cross may count things: 2 × 30 kW."""


@dataclass(frozen=True, slots=True)
class Remark:
    """``line`` is of the draft; ``right`` is what its source says where that is known."""

    verdict: Verdict
    kind: str
    line: int
    text: str
    source: str = ""
    right: str = ""


def check(draft: Draft, evidence: Evidence) -> list[Remark]:
    """What there is to say of a draft, in the order of its lines."""
    found = list(pieces(draft.outside))
    stated = [each for piece in found for each in _stated(piece, evidence)]
    support(stated, evidence)
    remarks = [remark for each in stated if (remark := _of_figure(each, evidence))]
    for piece in found:
        remarks += [*_of_models(piece, evidence), *_of_makers(piece, evidence), *_of_days(piece, found, evidence)]
    remarks += [*_of_names(draft, evidence), *_of_links(draft, evidence), *_of_numbers(draft, evidence)]
    return sorted(remarks, key=lambda remark: remark.line)


def _stated(piece: Piece, evidence: Evidence) -> list[Stated]:
    scope = frozenset(what for _, _, what in named(piece.beside, evidence.aliases) if what)
    if not scope and piece.column >= 0:
        scope = frozenset(what for _, _, what in named(piece.head, evidence.aliases) if what)
    text = visible(piece.text)
    spans = [(start, end) for start, end, _ in named(text, evidence.aliases)]
    spans += [match.span() for match in LINK.finditer(text)]
    spans += [match.span() for match in NUMBERED.finditer(text) if _is_numbered(match[0], evidence)]
    spans += [(at, at + len(day)) for day, _ in days(text) if (at := text.find(day)) >= 0]
    for start, end in spans:
        text = text[:start] + "_" * (end - start) + text[end:]
    return [Stated(piece, figure, scope) for figure in evidence.reader.figures(text, head=piece.head)]


def _of_figure(stated: Stated, evidence: Evidence) -> Remark | None:
    figure, line = stated.figure, stated.piece.line
    kind = "amount" if figure.currency else "figure" if figure.unit else "period"
    if stated.source:
        return Remark("supported", kind, line, figure.text, stated.source)
    if not (figure.unit or figure.currency) or figure.weak:
        return _of_count(stated, evidence)
    if not any(each.value for each in figure.readings) or (figure.factor and (figure.whole or 0) <= MOST_PIECES):
        return None
    own = [(each.name, comparable(figure, each)) for each in bound(stated, evidence.sources) if each.of in stated.scope]
    if stated.scope and any(figures for _, figures in own):
        name = next(name for name, figures in own if figures)
        right = nearest(figure, (other for _, figures in own for other in figures))
        return Remark("contradicted", kind, line, figure.text, name, right)
    foreign = (each.name for each in evidence.sources if figure.currency and not each.money
               for other in each.figures if other.currency and other.same_money(figure)
               and any(figure.is_near(reading.value) for reading in other.readings))  # fmt: skip
    if (name := next(foreign, None)) is not None:
        return Remark("foreign", kind, line, figure.text, name)
    return Remark("unsupported", kind, line, figure.text)


def _of_count(stated: Stated, evidence: Evidence) -> Remark | None:
    """A number beside a word: a term, a period, a count. It is wrong where sources say another of the same word, or
    where no source has it at all.
    """
    figure, piece = stated.figure, stated.piece
    everywhere = [(each.name, other) for each in evidence.sources for other in each.figures]
    anywhere = any(figure.is_near(reading.value) for _, other in everywhere for reading in other.readings)
    same = [(name, other) for name, other in everywhere if figure.word and alike(figure.word, other.word)]
    if not same and not figure.word and piece.column < 0 and not piece.heading and (figure.whole or 0) >= TEN:
        same = [(name, other) for name, other in everywhere if not anywhere and alike(figure.before, other.before)]
    small = figure.whole is not None and figure.whole <= SMALL
    if anywhere and (small or not same or figure.weak):
        return None
    if same:
        right = nearest(figure, (other for _, other in same))
        return Remark("contradicted", "period", piece.line, figure.text, same[0][0], right)
    bare = not figure.word or (piece.column < 0 and not re.search(r"[.!?:;,。]", piece.text))
    return None if small or bare else Remark("unsupported", "period", piece.line, figure.text)


def _of_models(piece: Piece, evidence: Evidence) -> Iterator[Remark]:
    """Designations that are nearly a model of the sources, or that begin as models of the catalogue do."""
    text = visible(piece.text)
    known = named(text, evidence.aliases)
    shapes = {_shape(key): what for key, what in evidence.aliases.items() if what and len(key) > SMALL}
    told: list[tuple[int, int]] = [(start, end) for start, end, _ in known]
    candidates = [(start, end, shapes.get(_shape(key))) for key, places in windows(text).items()
                  if key not in evidence.aliases and _shape(key) in shapes for start, end in places]  # fmt: skip
    candidates += [(*match.span(), None) for match in DESIGNATION.finditer(text)
                   if match[1].isupper() and model_key(match[1]) in evidence.prefixes]  # fmt: skip
    own = Folded(evidence.own_words)
    for start, end, what in candidates:
        written = text[start:end]
        if any(start < other[1] and end > other[0] for other in told) or own.places(compact(written)):
            continue
        told.append((start, end))
        if what is None:
            near = get_close_matches(model_key(written), list(evidence.aliases), n=1, cutoff=0.7)
            what = evidence.aliases[near[0]] if near else ""
        yield Remark("unsupported", "model", piece.line, written, right=evidence.shown.get(what, ""))


def _shape(key: str) -> str:
    return re.sub(r"\d", "0", key) if re.search(r"\d", key) and re.search(r"[^\W\d]", key) else key


def _of_makers(piece: Piece, evidence: Evidence) -> Iterator[Remark]:
    """A model is its maker's: Kaeser before a model of Quincy's is wrong."""
    text = visible(piece.text)
    makers = named(text, {key: key for key in evidence.makers})
    for start, _, what in named(text, evidence.aliases):
        own = evidence.makers_of.get(what)
        before = next((maker for maker in makers if 0 < start - maker[1] <= 2), None)
        if own and before is not None and before[2] not in own:
            right = " / ".join(sorted(evidence.makers[key] for key in own if key in evidence.makers))
            yield Remark("contradicted", "maker", piece.line, text[before[0] : before[1]], what, right)


def _of_days(piece: Piece, found: Sequence[Piece], evidence: Evidence) -> Iterator[Remark]:
    for written, meant in days(visible(piece.text)):
        alone = piece.column < 0 and len(piece.text) <= len(written) + 1
        if alone and piece.block == found[0].block:
            continue  # the letter's own date
        known = meant & (evidence.dates | around(evidence.today))
        yield Remark("supported" if known else "unsupported", "date", piece.line, written)


def _of_names(draft: Draft, evidence: Evidence) -> Iterator[Remark]:
    letter, own = Folded(draft.text), Folded(evidence.own_words)
    for name, shown in evidence.others.items():
        places = letter.places(name)
        if places and not own.places(name):
            # A name of one word is also a word: only a capital makes it a name.
            several = len(windows(shown, words=1)) > 1
            for at in places:
                if several or not draft.text[at].islower():
                    yield Remark("foreign", "customer", _line(draft, at), shown)


def _of_links(draft: Draft, evidence: Evidence) -> Iterator[Remark]:
    text = visible(draft.text)
    for match in LINK.finditer(text):
        if host_of(match[0]) not in evidence.hosts:
            yield Remark("unsupported", "link", text.count("\n", 0, match.start()) + 1, match[0])
    for match in re.finditer(r"!\[[^\]]{0,300}\]\(([^)\s]{1,500})", text):
        if not LINK.match(match[1]):
            yield Remark("unsupported", "link", text.count("\n", 0, match.start()) + 1, match[1])


def host_of(link: str) -> str:
    """Of a link or mail address, folded but for look-alike letters; "" where it names none."""
    bare = re.sub(r"(?i)^(?:mailto:|[a-z]+:)?(?://)?(?:[^/@]*@)?(?:www\.)?", "", link)
    return re.split(r"[/:?#>\s]", bare.casefold())[0].strip(".!,;*_")


def _of_numbers(draft: Draft, evidence: Evidence) -> Iterator[Remark]:
    text = visible(draft.text)
    for match in NUMBERED.finditer(text):
        number = match[0].rstrip("./-").upper()
        line = text.count("\n", 0, match.start()) + 1
        if number in evidence.quotes:
            yield Remark("supported", "quote number", line, number)
        elif number in evidence.foreign_quotes:
            yield Remark("foreign", "quote number", line, number)
        elif _is_numbered(number, evidence) and not Folded(evidence.own_words).places(compact(number)):
            yield Remark("unsupported", "quote number", line, number)


def _is_numbered(word: str, evidence: Evidence) -> bool:
    """Whether a word looks as the numbers of quotes do."""
    number = word.rstrip("./-").upper()
    known = number in evidence.quotes or number in evidence.foreign_quotes
    return known or (shape_of(number) in evidence.shapes and model_key(number) not in evidence.aliases)


def shape_of(number: str) -> str:
    return re.sub(r"\d", "9", number)


def _line(draft: Draft, at: int) -> int:
    return draft.text.count("\n", 0, at) + 1
