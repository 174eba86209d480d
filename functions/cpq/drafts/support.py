"""Finds the source of each figure in a letter: one that says the same, or others that the figure follows from."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property, lru_cache
from itertools import combinations, groupby, permutations
from math import prod

from cpq.drafts.figures import ANY, Figure, Reader, is_time, normalised
from cpq.drafts.letter import Folded, Piece
from quarry.needs.set_up import louder
from quarry.reading.languages import words_of
from quarry.text import fold

WORKED_OUT = "worked out"
MOST_COUNTED, LARGE = 1_000, 100
MOST_TOLD, MOST_ADDED = 60, 8
MOST_FACTOR, MOST_FACTORS = 2, 6
NEAR = 60
"""How many figures around it, in its paragraph, list or table, a figure may follow from."""
_DAY = re.compile(
    r"(?<!\d)(?:(?P<y1>\d{4})[-./](?P<a1>\d\d?)[-./](?P<b1>\d\d?)"
    r"|(?P<a2>\d\d?)([-./]) ?(?P<b2>\d\d?)\5 ?(?P<y2>(?:\d\d)?\d\d)"
    r"|(?P<a3>\d\d?)(?:\.|[^\W\d_]{2})?(?: [^\W\d_]{2,3})? [^\W\d_]{3,}+\.?,?"
    r"(?: [^\W\d_]{2,3})? (?P<y3>(?:19|20)\d\d)"
    r"|(?<![^\W\d_])[^\W\d_]{3,}+\.? (?P<a4>\d\d?),? (?P<y4>(?:19|20)\d\d))(?!\d)"
)
"""A date whose month is a word may be in any month, because months have other names in every language."""


@dataclass(frozen=True)
class FactSource:
    """A source of figures. ``of`` is the key of its thing, or "" without a single one; ``money``: a letter may state
    its amounts.

    ``listed``: it is one of many of a list, which may be stated and from which nothing follows. ``quoted``: it is the
    letter's own quote, which comes before any list; ``asked``: the customer wrote it.
    """

    name: str
    figures: Sequence[Figure]
    of: str = ""
    money: bool = True
    listed: bool = False
    quoted: bool = False
    asked: bool = False


@dataclass(kw_only=True)
class Evidence:
    """All that a letter may rest on. ``aliases`` map keys of models, numbers and names to the things that they name.

    ``alike`` are models of the catalogue by their key with 0 for each digit; ``makers`` are by key, ``makers_of`` are
    those of a thing; ``others`` are names of other customers and their people, compact; ``own_words`` are what house
    and customer say. Numbers of quotes are the customer's ``own`` or ``foreign``; ``numbered`` is what they look
    like. ``table`` has the amounts beside the text in tables of the letter or its quote, in its ``currency``, and
    ``shares`` are what money is multiplied by: 1.06 with a tax, 0.95 less a discount.
    """

    reader: Reader
    today: date
    sources: list[FactSource] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    alike: dict[str, list[str]] = field(default_factory=dict)
    makers: dict[str, str] = field(default_factory=dict)
    makers_of: dict[str, set[str]] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    own_words: str = ""
    own: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    numbered: set[str] = field(default_factory=set)
    dates: set[date] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)
    table: list[Figure] = field(default_factory=list)
    currency: str = ""
    shares: set[float] = field(default_factory=set)
    comparable: dict[object, list[tuple[FactSource, list[Figure]]]] = field(default_factory=dict)

    @cached_property
    def said(self) -> Folded:
        return Folded(self.own_words)


@dataclass
class Stated:
    """A figure of the letter; ``scope`` are the things that its sentence or row names."""

    piece: Piece
    figure: Figure
    scope: frozenset[str]
    source: str = ""

    def settle(
        self, source: str, *, says: Sequence[Figure] = (), near: Sequence[Figure] = (), results: Iterable[float] = ()
    ) -> bool:
        """Takes the source if one reading agrees with it; from then on 33.905 is read only that way."""
        for reading in self.figure.readings:
            one = replace(self.figure, readings=(reading,))
            close = [result for result in results if abs(result - reading.value) <= reading.step]
            if any(map(one.says, says)) or any(map(one.is_near, near)) or any(map(one.is_worked_out, close)):
                self.source, self.figure = source, one
                return True
        return False


def days(text: str) -> Iterator[tuple[str, set[date]]]:
    """Yields dates as they are written, each with all days that it may mean."""
    for match in _DAY.finditer(normalised(text)):
        said = {name[0]: int(number) for name, number in match.groupdict().items() if number}
        year = said["y"] + (2000 if said["y"] < LARGE else 0)
        orders = [(said["a"], said["b"]), (said["b"], said["a"])] if "b" in said else []
        orders = orders or [(month, said["a"]) for month in range(1, 13)]
        fit = [
            (month, day) for month, day in orders if 0 < month <= 12 and 0 < day <= monthrange(year or 1, month)[1]
        ]
        if fit:
            yield match[0], {date(year or 1, month, day) for month, day in fit}


def comparable(figure: Figure, scope: frozenset[str], evidence: Evidence) -> list[tuple[FactSource, list[Figure]]]:
    """Returns the sources that a figure may have, with their figures that measure the same; none is of another thing
    where the figure's row names one.
    """
    key = (figure.unit and (figure.unit.dimension, figure.unit.reference), scope)
    if key not in evidence.comparable:
        sources = [each for each in evidence.sources if not (scope and each.of) or each.of in scope]
        evidence.comparable[key] = [
            (
                each,
                [other for other in each.figures if (each.money or not figure.currency) and figure.measures(other)],
            )
            for each in sources
        ]
    return evidence.comparable[key]


def support(stated: Sequence[Stated], evidence: Evidence) -> None:
    """Gives each figure its source where it has one; what follows from figures with a source has one too."""
    for each in stated:
        _direct(each, evidence)
    blocks = [[*block] for _, block in groupby(stated, key=lambda each: each.piece.block)]
    factors = _factors(stated)
    for _ in range(2):
        told = [*evidence.table, *[each.figure for each in stated if each.source][:MOST_TOLD]]
        for block in blocks:
            for place, each in enumerate(block):
                if not each.source and each.figure.unit:
                    around = [*block[max(0, place - NEAR) : place], *block[place + 1 : place + NEAR]]
                    each.settle(WORKED_OUT, results={*map(abs, _results(each, around, told, factors, evidence))})


def _direct(stated: Stated, evidence: Evidence) -> None:
    """Gives the figure the first source that says the same."""
    figure = stated.figure
    for source, same in comparable(figure, stated.scope, evidence) if figure.unit else ():
        # A source may say a number without its unit, as 460/3/60 does; small ones fit only a named thing.
        placed = source.of in stated.scope or figure.readings[0].value >= LARGE
        # What the customer wrote may lack a unit.
        plain = figure.currency == ANY or (
            not figure.currency and placed and (source.asked or (source.of and not same))
        )
        told = [each for each in source.figures if each.weak or not each.unit] if plain else []
        if stated.settle(source.name, says=same, near=told):
            return


def _results(
    stated: Stated, around: Sequence[Stated], told: Sequence[Figure], factors: Sequence[float], evidence: Evidence
) -> Iterator[float]:
    """Yields multiples, parts, sums, differences and shares of figures that have a source. ``around`` are those of
    its paragraph, list or table, ``told`` all of letter and table; ``factors`` are what the letter multiplies by.
    """
    figure, scope, sourced = stated.figure, stated.scope, [each for each in around if each.source]
    if figure.unit and figure.unit.dimension == "share":
        yield from _shares([each.figure for each in sourced])
        return
    near, far = _values(figure, [each.figure for each in sourced]), _values(figure, told)
    things: dict[str, list[float]] = {}
    for source, same in comparable(figure, frozenset(), evidence):
        if not source.listed:
            things.setdefault(source.of, []).extend(value for each in same for value in figure.values_of(each))
    own = [value for thing, values in things.items() if not (thing and scope) or thing in scope for value in values]
    known = [*near, *own][:MOST_COUNTED]
    counts, parts = _counts(stated, around, evidence), _parts(figure, around, factors, evidence)
    yield from (factor * value for factor in (*counts, *parts) for value in (*known, *far))
    yield from () if is_time(figure.unit) else (value / 2 for value in (*near, *far))
    yield from _sums(stated, sourced)
    if figure.unit and figure.unit.dimension == "sound level":
        levels = list(dict.fromkeys(known))[:NEAR]
        yield from (level + louder(count) for level in levels for count in counts)
        yield from (one + louder(1 + 10 ** ((other - one) / 10)) for one, other in combinations(levels, 2))
    pairs = [(near, known), (far, far)]
    # Of two things one figure each: of any two where the row names none, else of its own and another.
    goods = [(thing, values[:NEAR]) for thing, values in things.items() if thing][:NEAR]
    pairs += [(first, second) for (one, first), (other, second) in combinations(goods, 2)
              if not scope or {one, other} & scope]  # fmt: skip
    if figure.currency:  # what one costs more than what stands in the table
        times = {count * part for count in (1, *_in_words(stated.piece.beside)) for part in (1, *parts)}
        pairs.append(([each * value for thing in scope for value in things.get(thing, ()) for each in times], far))
    yield from (one + sign * other for some, others in pairs for one in some for other in others for sign in (1, -1))


def _values(figure: Figure, others: Iterable[Figure]) -> list[float]:
    """Returns the values of the others that measure the same, in the figure's unit."""
    return list(dict.fromkeys(figure.values_of(each)[0] for each in others if figure.measures(each)))


def _counts(stated: Stated, around: Sequence[Stated], evidence: Evidence) -> list[int]:
    """Returns what the figure may be a multiple by: counts in its sentence or row, and the draft's own."""
    beside = {each.figure.count for each in around if each.piece.beside == stated.piece.beside
              and (each.figure.factor or not each.figure.unit)}  # fmt: skip
    counts = beside | evidence.counts | _in_words(stated.piece.beside)
    return [count for count in counts if 1 < count <= MOST_COUNTED]


@lru_cache(maxsize=64)
def _in_words(text: str) -> frozenset[int]:
    """Returns the counts that a text has as words, in any language: "two of them"."""
    said = words_of(None).numbers
    return frozenset(int(number) for word in fold(text).split() if (number := said.get(word, "")).isdigit())


def _parts(figure: Figure, around: Sequence[Stated], factors: Sequence[float], evidence: Evidence) -> Iterable[float]:
    """Returns percentages of its paragraph and what they leave or add, and shares for money, else ``factors``."""
    rates = [each.figure.readings[0].value / 100 for each in around
             if each.figure.unit and each.figure.unit.symbol == "%"]  # fmt: skip
    shares = evidence.shares if figure.currency else factors
    return {*rates, *(1 - rate for rate in rates), *(1 + rate for rate in rates), *shares}


def _factors(stated: Sequence[Stated]) -> list[float]:
    """Returns the fractions that a letter multiplies by, and their products: 0.75 × 0.9."""
    bare = [figure.readings[0].value for each in stated if not (figure := each.figure).currency
            and (figure.weak or not figure.unit)]  # fmt: skip
    single = [value for value in dict.fromkeys(bare) if 0 < value < MOST_FACTOR and value % 1][:MOST_FACTORS]
    return [prod(some) for many in range(1, len(single) + 1) for some in combinations(single, many)]


def _shares(others: Sequence[Figure]) -> list[float]:
    """Returns what percentage each figure is of each other one, and by what percentage it is more or less."""
    pairs = permutations([each for each in others if each.readings[0].value], 2)
    shares = [100 * one.values_of(other)[0] / one.readings[0].value for one, other in pairs if one.measures(other)]
    return [abs(share - off) for share in shares for off in (0, 100)]


def _sums(stated: Stated, sourced: Sequence[Stated]) -> Iterator[float]:
    """Yields the sum of the column above, and sums of any figures of the row or sentence."""
    figure, place = stated.figure, stated.piece
    same = [each for each in sourced if figure.measures(each.figure)]
    beside = [each for each in same if each.piece.beside == place.beside and each.piece.line == place.line]
    column = [each for each in same if each.piece.line < place.line and each.piece.column == place.column]
    yield sum(figure.values_of(each.figure)[0] for each in column)
    values = [figure.values_of(each.figure)[0] for each in beside][:MOST_ADDED]
    for many in range(2, len(values) + 1):
        yield from map(sum, combinations(values, many))


def nearest(figure: Figure, others: Iterable[Figure]) -> Figure:
    """Returns the one of a source's figures that is nearest."""
    value = figure.readings[0].value
    return min(others, key=lambda each: (abs(figure.values_of(each)[0] - value), each.text))
