"""Which source a figure of a letter has: one that says the same, or others that it follows from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cpq.drafts.figures import ANY, Figure, alike
from cpq.drafts.letter import Piece
from cpq.drafts.sources import Evidence, Source

SMALL = 3
"""A count up to this needs no source: it counts what the letter itself names."""
MOST_COUNTED = 1_000
WORKED_OUT = "worked out"


@dataclass
class Stated:
    """A figure of the letter; ``scope`` are the things that its sentence or row names."""

    piece: Piece
    figure: Figure
    scope: frozenset[str]
    source: str = ""


def bound(stated: Stated, sources: Iterable[Source]) -> Iterator[Source]:
    """The sources that a figure may have: none of another thing where its sentence or row names one."""
    return (each for each in sources if not (stated.scope and each.of) or each.of in stated.scope)


def support(stated: Sequence[Stated], evidence: Evidence) -> None:
    """Gives each figure its source where it has one; what follows from figures with a source has one too."""
    for each in stated:
        each.source = _direct(each, evidence) or ""
    blocks: dict[int, list[Stated]] = {}
    for each in stated:
        blocks.setdefault(each.piece.block, []).append(each)
    for block in blocks.values():
        for _ in range(3):
            for each in block:
                if not each.source and _follows(each, block, evidence):
                    each.source = WORKED_OUT


def _direct(stated: Stated, evidence: Evidence) -> str | None:
    figure = stated.figure
    if figure.unit or figure.currency:
        return next((each.name for each in bound(stated, evidence.sources) if _in(figure, each)), None)
    if figure.whole in evidence.counts:
        return "the quote"
    beside = (each.name for each in evidence.sources for other in each.figures if _beside_same_word(figure, other))
    return next(beside, None)


def _beside_same_word(figure: Figure, other: Figure) -> bool:
    near = any(figure.is_near(each.value) for each in other.readings)
    return near and (alike(figure.word, other.word) or alike(figure.before, other.before))


def _in(figure: Figure, source: Source) -> bool:
    if figure.currency:
        told = (each for each in source.figures if each.currency and each.same_money(figure)) if source.money else ()
        if any(figure.is_near(reading.value) for each in told for reading in each.readings):
            return True
        plain = [each for each in source.figures if not each.currency] if figure.currency == ANY else []
        return any(figure.is_near(reading.value) for each in plain for reading in each.readings)
    own = comparable(figure, source)
    if not own and source.of:  # 460 V of a row that says 460/3/60
        return any(figure.is_near(reading.value) for each in source.figures if not (each.unit or each.currency)
                   for reading in each.readings)  # fmt: skip
    return any(figure.says(each) for each in own)


def comparable(figure: Figure, source: Source) -> list[Figure]:
    """The figures of a source that measure what the figure measures."""
    if figure.currency:
        return [each for each in source.figures if each.currency and each.same_money(figure)] if source.money else []
    dimension = figure.unit.dimension if figure.unit else ""
    return [each for each in source.figures if each.unit is not None and each.unit.dimension == dimension]


def _follows(stated: Stated, block: Sequence[Stated], evidence: Evidence) -> bool:
    """Whether it is a multiple, a sum, a difference, a share or a total of figures that have a source."""
    figure = stated.figure
    if not (figure.unit or figure.currency):
        return False
    around = [each for each in block if each is not stated and each.source]
    near = [value for each in around for value in _values(figure, each.figure)]
    if figure.unit and figure.unit.dimension == "share":
        return _is_share(figure, around)
    known = [value for source in bound(stated, evidence.sources) for other in comparable(figure, source)
             for value in _values(figure, other)]  # fmt: skip
    counts = {each.figure.whole for each in block if each.piece.beside == stated.piece.beside
              and (each.figure.factor or not (each.figure.unit or each.figure.currency))}  # fmt: skip
    results = {count * value for count in counts if count and 1 < count <= MOST_COUNTED for value in (*near, *known)}
    results |= {one + sign * other for one in near for other in (*near, *known) for sign in (1, -1)}
    if figure.currency:
        shares = [reading.value / 100 for each in block if each.figure.unit and each.figure.unit.symbol == "%"
                  for reading in each.figure.readings[:1]]  # fmt: skip
        results |= {value * part for share in shares for value in (*near, *known) for part in (share, 1 - share, 1 + share)}
    above = [each for each in around if each.piece.line < stated.piece.line and each.piece.column == stated.piece.column]
    results.add(sum(value for each in above for value in _values(figure, each.figure)[:1]))
    return any(figure.is_near(abs(value)) for value in results)


def _values(figure: Figure, other: Figure) -> list[float]:
    """What another figure says in the unit of this one."""
    if figure.currency:
        return [each.value for each in other.readings] if other.currency and other.same_money(figure) else []
    if other.unit is None or figure.unit is None:
        return []
    return [value for each in other.readings if (value := other.in_unit(each, figure.unit)) is not None]


def _is_share(figure: Figure, around: Sequence[Stated]) -> bool:
    """Whether it is what one figure is of another, or is more or less than it, in per cent."""
    for one in around:
        for other in around:
            parts = _values(one.figure, other.figure)
            if one is not other and parts and (whole := one.figure.readings[0].value):
                share = 100 * parts[0] / whole
                if any(figure.is_near(value) for value in (share, abs(share - 100))):
                    return True
    return False


def nearest(figure: Figure, others: Iterable[Figure]) -> str:
    """What of a source's figures comes next to it, as the source writes it."""
    value = figure.readings[0].value
    apart = [(abs(told - value), other.text) for other in others for told in (_values(figure, other)
             or [each.value for each in other.readings])[:1]]  # fmt: skip
    return min(apart, default=(0.0, ""))[1]
