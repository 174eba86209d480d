"""Figures of a text: with the unit behind them, as ranges and alternatives, with bounds, and whose they are."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quarry.attributes.model import Attribute, Attributes
from quarry.attributes.units import Unit, convert
from quarry.needs.grammar import number_of
from quarry.reading.context import Context, Mark
from quarry.reading.lexicon import Hit
from quarry.reading.languages import OPERATORS
from quarry.text import readings

_FIGURE = re.compile(r"\d+(?:[.,'’\u00a0]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?: \d{3})+(?![\d.,'’])(?:,\d+)?")
_FRACTION = re.compile(r"(?:\d{1,3}[ \-])?(\d{1,2})/(\d{1,2})(?![\d/.,])")
_DENOMINATORS = frozenset((2, 3, 4, 8, 16, 32, 64))
_SIGN = re.compile(r"(?:(>=|=>|≥|<=|=<|≤|>|<|~|≈|±|\+/-)\s?)$")
_SIGNS = {"=>": ">=", "≥": ">=", "=<": "<=", "≤": "<=", "≈": "~"}
_TOLERANCES = frozenset(("±", "+/-"))
_BEFORE_UNIT = re.compile(r"(?P<more>\+)?[ \u00a0]{0,2}-?")
_DASH = re.compile(r"\s?(?:-|–|—|‐|‑|\.\.\.?)\s?")
_TIMES = re.compile(r"\s?[x×*]\s?")
_MOST_OF_A_CHAIN = 2
"""51 x 35 are two sizes, 51 x 35 x 49 the room that a thing takes: whose which is, its order does not tell."""


@dataclass(frozen=True, slots=True)
class Figure:
    """``start`` to ``end`` is the figure with its unit, ``digits_end`` where its own digits end."""

    start: int
    digits_end: int
    end: int
    text: str
    unit: Unit | None = None
    glued: bool = False
    more: bool = False
    chained: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure, the two ends of a range, or alternatives."""

    figures: tuple[Figure, ...]
    unit: Unit | None
    is_range: bool = False

    @property
    def start(self) -> int:
        return self.figures[0].start

    @property
    def end(self) -> int:
        return self.figures[-1].end


def figures_of(context: Context, attributes: Attributes) -> list[Figure]:
    """All figures that nothing read yet, in order."""
    source, words = context.source, context.words
    found: list[Figure] = []
    at, folded = 0, source.folded
    while (one := _FIGURE.search(folded, at)) is not None:
        match = _whole(folded, one, blank=words.blank)
        start, at = match.start(), match.end()
        if source.is_free(start, at):
            found.append(_with_unit(context, attributes, start, at, match[0]))
    if words.numbers:
        found += _in_words(context, attributes)
    found.sort(key=lambda figure: figure.start)
    return _chained(context, found)


def _whole(folded: str, figure: re.Match[str], *, blank: bool) -> re.Match[str]:
    """The longest way to read on from where a figure starts: a fraction, or thousands with blanks."""
    start = figure.start()
    fraction = _FRACTION.match(folded, start)
    is_one = fraction is not None and int(fraction[2]) in _DENOMINATORS and int(fraction[1]) < int(fraction[2])
    if fraction is not None and is_one and folded[start - 1 : start] != "/":
        return fraction
    return (blank and _THOUSANDS.match(folded, start)) or figure


def _with_unit(context: Context, attributes: Attributes, start: int, end: int, text: str) -> Figure:
    folded = context.source.folded
    before, further = folded[start - 1 : start], folded[start - 2 : start - 1] if start > 1 else ""
    glued = before.isalnum() and not (before in "x×" and further.isdigit())
    if before and before in "-−–+" and not (further.isalnum() or further == "/"):
        start, text = start - 1, before.replace("–", "-").replace("−", "-") + text
    unit, unit_end, more = _unit_behind(context, attributes, end)
    return Figure(start, end, unit_end, text, unit, glued, more)


def _in_words(context: Context, attributes: Attributes) -> Iterator[Figure]:
    """Figures in words: "sixty", "fifteen hundred"."""
    source, numbers = context.source, context.words.numbers
    at = 0
    while at < len(source.pieces):
        first, total, current = at, 0.0, 0.0
        while at < len(source.pieces) and (value := numbers.get(source.pieces[at].word)) is not None:
            if at > first and not source.is_phrase(at - 1, at):
                break
            if value == 1000:
                total, current = total + (current or 1) * value, 0
            else:
                current = (current or 1) * value if value == 100 else current + value
            at += 1
        if at == first:
            at += 1
            continue
        start, end = source.pieces[first].start, source.pieces[at - 1].end
        if source.is_whole(first, at - 1) and source.is_free(start, end):
            unit, unit_end, more = _unit_behind(context, attributes, end)
            yield Figure(start, end, unit_end, f"{total + current:.0f}", unit, more=more)


def _unit_behind(context: Context, attributes: Attributes, end: int) -> tuple[Unit | None, int, bool]:
    """The unit behind a figure, where it ends, and whether a plus stands between."""
    source, units = context.source, attributes.units
    gap = _BEFORE_UNIT.match(source.folded, end)
    assert gap is not None
    more = gap["more"] is not None
    match = units.pattern.match(source.folded, gap.end())
    if match is None or not source.is_free(*match.span()):
        return None, end + more, more
    unit = units.named(source.written(*match.span())) or units.named(match[0])
    if unit is None or _is_plain_word(context, match):
        return None, end + more, more
    stop = match.end()
    per = source.piece_at(stop)
    if source.folded[stop : stop + 1] == "/":
        further = units.pattern.match(source.folded, stop + 1)
    elif (
        per < len(source.pieces)
        and source.pieces[per].word in context.words.per
        and source.is_near(stop, source.pieces[per].start)
    ):
        further = units.pattern.match(source.folded, min(source.pieces[per].end + 1, len(source.folded)))
    else:
        further = None
    if further is not None and (time := units.named(further[0])) is not None:
        # In so many words: "gallons per minute". What no unit is told like that is no figure of the first either.
        whole = units.named(f"{unit.symbol}/{time.symbol}")
        return (whole, further.end(), more) if whole else (None, end, more)
    more = more or source.folded[stop : stop + 1] == "+"
    return unit, stop + (source.folded[stop : stop + 1] == "+"), more


def _is_plain_word(context: Context, unit: re.Match[str]) -> bool:
    """Whether what may be a unit is a plain word of the language, since the text goes on: "2 in stock", "3 a day"."""
    source, words = context.source, context.words
    if unit[0] not in words.stop and (unit[0],) not in words.bounds:
        return False
    at = source.piece_at(unit.end())
    if at >= len(source.pieces) or not source.is_near(unit.end(), source.pieces[at].start):
        return False
    return not context.is_known(at) and source.pieces[at].word != "x"


def _chained(context: Context, figures: Sequence[Figure]) -> list[Figure]:
    """Figures with a mark on those of three or more that are multiplied."""
    chains: list[list[int]] = []
    for at, figure in enumerate(figures):
        last = figures[at - 1] if at else None
        if last is not None and _TIMES.fullmatch(context.source.folded, last.end, figure.start):
            chains[-1].append(at)
        else:
            chains.append([at])
    of_a_room = {at for chain in chains if len(chain) > _MOST_OF_A_CHAIN for at in chain}
    return [replace(figure, chained=at in of_a_room) for at, figure in enumerate(figures)]


def quantities_of(context: Context, figures: Sequence[Figure]) -> list[Quantity]:
    """Figures put together where words or a dash join them: "350-400 cfm", "between 10 and 12 bar", "30 or 40 hp"."""
    found: list[Quantity] = []
    for figure in figures:
        last = found[-1] if found else None
        joined = _join(context, last, figure) if last is not None else None
        if last is None or joined is None:
            found.append(Quantity((figure,), figure.unit))
        else:
            unit = figure.unit or last.unit
            found[-1] = Quantity((*last.figures, figure), unit, is_range=joined == "to")
    return found


def _join(context: Context, last: Quantity, figure: Figure) -> str | None:
    """``to`` for a range, ``or`` for alternatives."""
    one, source = last.figures[-1], context.source
    if last.is_range or figure.glued or one.chained or figure.chained:
        return None
    if one.unit is not None and figure.unit is not None and one.unit.dimension != figure.unit.dimension:
        return None
    if (one.unit is not None or len(last.figures) > 1) and figure.unit not in (None, one.unit):
        return None
    between = source.folded[one.end : figure.start]
    if _DASH.fullmatch(between):
        joined: str | None = "to"
    elif between.strip() == "/":
        joined = "or"
    else:
        first, behind = source.piece_at(one.end), source.piece_at(figure.start)
        words = tuple(piece.word for piece in source.pieces[first:behind])
        joined = context.words.joins.get(words) if between.replace(" ", "") == "".join(words) else None
    if joined == "and":
        opened = context.before(one.start, context.words.bounds)
        joined = "to" if opened is not None and opened[1] == "between" else None
    if joined == "to" and (len(last.figures) > 1 or not _rises(one.text, figure.text)):
        return None
    return joined


def _rises(one: str, other: str) -> bool:
    low, high = number_of(one), number_of(other)
    return low is not None and high is not None and low < high


class Binder:
    """Which attribute the figures of a text belong to."""

    def __init__(self, context: Context, attributes: Attributes, families: Sequence[str]) -> None:
        self.context = context
        self.attributes = attributes
        self.families = families
        self._used: set[Hit] = set()

    def marks(self, quantities: Sequence[Quantity]) -> Iterator[Mark | Quantity]:
        """A mark for each figure whose attribute is clear; a figure with a unit whose attribute is not, as it is."""
        for quantity in quantities:
            mark = (self._measured(quantity) if quantity.unit is not None else None) or self._bare(quantity)
            if mark is not None:
                yield mark
            elif quantity.unit is not None:
                yield quantity

    def _measured(self, quantity: Quantity) -> Mark | None:
        assert quantity.unit is not None
        if any(figure.glued for figure in quantity.figures) or self._is_tolerance(quantity):
            return None
        candidates = self.attributes.measured_in(quantity.unit, families=self.families)
        name, told = self._nearest(quantity, candidates)
        if len(told) > 1 and not quantity.figures[0].chained:
            told = self._main(quantity, told)
        if len(told) != 1 or (quantity.figures[0].chained and name is None):
            return None
        return self._mark(quantity, told[0], name)

    def _bare(self, quantity: Quantity) -> Mark | None:
        """A figure without a unit is of the attribute whose name stands right beside it: "DN 80", "3 stages".

        What seems to be a unit may be the next name, behind a figure that needs none: "PN16 kv 25".
        """
        source = self.context.source
        has_unit = quantity.unit is not None
        if has_unit:
            bare = tuple(replace(figure, unit=None, end=figure.digits_end) for figure in quantity.figures)
            quantity = replace(quantity, figures=bare, unit=None)
        glued = quantity.figures[0].glued
        first = source.piece_at(quantity.start + (quantity.figures[0].text[0] in "+-"))
        last = source.piece_at(quantity.end) - 1
        for hit in self.context.names_beside(first, last, only_before=glued or has_unit):
            if hit in self._used or (glued and hit.last != first - 1):
                continue
            named = [
                one
                for one in map(self.attributes.by_name.get, sorted(hit.names))
                if one is not None
                and one.kind == "number"
                and not (has_unit and one.unit)
                and self._is_of_families(one)
                and self._fits(quantity, one)
            ]
            if len(named) == 1:
                return self._mark(quantity, named[0], hit)
        return None

    def _is_of_families(self, attribute: Attribute) -> bool:
        return not self.families or any(attribute.is_of(family) for family in self.families)

    def _is_tolerance(self, quantity: Quantity) -> bool:
        sign = _SIGN.search(self.context.source.folded[max(0, quantity.start - 4) : quantity.start])
        return sign is not None and sign[1] in _TOLERANCES

    def _nearest(self, quantity: Quantity, candidates: Sequence[Attribute]) -> tuple[Hit | None, list[Attribute]]:
        """The candidates that the nearest name in the same clause stands for, all of them where none is named."""
        source = self.context.source
        at = source.piece_at(quantity.start)
        clause = source.pieces[min(at, len(source.pieces) - 1)].clause
        by_name = {one.name: one for one in candidates}
        near = [hit for hit in self.context.names_in(clause) if hit not in self._used and hit.names & by_name.keys()]
        if not near:
            return None, list(candidates)
        hit = min(near, key=lambda one: (max(quantity.start - one.end, one.start - quantity.end, 0), one.start))
        return hit, [by_name[name] for name in sorted(hit.names & by_name.keys())]

    def _main(self, quantity: Quantity, candidates: list[Attribute]) -> list[Attribute]:
        """The one that the figure is most likely of: said from where its unit counts, in its own unit, possible there,
        and before the others in the characteristics of the family.
        """
        assert quantity.unit is not None
        unit = quantity.unit
        own = {one.name: self.attributes.unit_of(one) for one in candidates}

        def is_vacuum(attribute: Attribute) -> bool:
            its = own[attribute.name]
            return its is not None and its.reference == "vacuum"

        for fits in (
            lambda one: self._fits(quantity, one),
            lambda one: own[one.name] == unit,
            lambda one: one.position is not None,
            lambda one: is_vacuum(one) == (unit.reference == "vacuum") or unit.reference == "absolute",
        ):
            candidates = list(filter(fits, candidates)) or candidates
        placed = sorted((one for one in candidates if one.position is not None), key=lambda one: one.position or 0)
        # Width and height ask for the same in the same unit: nobody can tell which is meant.
        is_clear = placed and all(one.sense != placed[0].sense for one in placed[1:])
        return placed[:1] if is_clear else candidates

    def _fits(self, quantity: Quantity, attribute: Attribute) -> bool:
        return all(
            any(self._is_plausible(value, quantity.unit, attribute) for value in self._readings(figure.text))
            for figure in quantity.figures
        )

    def _is_plausible(self, value: float, unit: Unit | None, attribute: Attribute) -> bool:
        for own in (self.attributes.unit_of(attribute), self.attributes.also_of(attribute)):
            converted = value if unit is None or own is None else convert(value, unit, own)
            if converted is not None:
                low, high = attribute.low, attribute.high
                return (low is None or converted >= low) and (high is None or converted <= high)
        return True

    def _readings(self, text: str) -> list[float]:
        """All that a figure may mean, first what the language writes so."""
        if "/" in text:
            value = number_of(text.replace("-", " ") if text[0] != "-" else text)
            return [] if value is None else [value]
        found = list(readings(text))
        marks = {letter for letter in text if letter in ".,"}
        if len(found) == 2 and self.context.words.commas is not None:
            is_decimal = marks == {","} if self.context.words.commas else marks == {"."}
            found.sort(reverse=not is_decimal)
        return found

    def _mark(self, quantity: Quantity, attribute: Attribute, name: Hit | None) -> Mark | None:
        figures = [self._written(figure.text, quantity.unit, attribute) for figure in quantity.figures]
        if not all(figures):
            return None
        unit = f" {quantity.unit.symbol}" if quantity.unit else ""
        start, end, operator = self._bounded(quantity)
        if operator == "~" and attribute.sense != "exactly":
            # "about 500" asks no more than a bare 500, for which the attribute says which way it may be off.
            operator = ""
        denial = None if operator else self.context.denial(start, over=frozenset((attribute.name,)))
        asked = (
            "..".join(filter(None, figures)) + unit
            if quantity.is_range
            else " | ".join(f"{operator} {figure}{unit}".strip() for figure in figures)
        )
        if name is not None:
            self._used.add(name)
        named = [] if name is None else [(name.start, name.end)]
        first = denial[0] if denial else start
        return Mark(attribute.name, asked, ((first, end), *named), negated=denial is not None)

    def _written(self, text: str, unit: Unit | None, attribute: Attribute) -> str | None:
        """The figure as the grammar of needs writes it: the first of its readings that the attribute may have."""
        found = self._readings(text)
        if not found:
            return None
        value = next((one for one in found if self._is_plausible(one, unit, attribute)), found[0])
        plain = f"{value:.10g}"
        return plain if "e" not in plain else f"{value:.6f}".rstrip("0").rstrip(".")

    def _bounded(self, quantity: Quantity) -> tuple[int, int, str]:
        """A quantity with the words of its bound: where they start and end, and the operator."""
        context, folded = self.context, self.context.source.folded
        start, end = quantity.start, quantity.end
        sign = _SIGN.search(folded[max(0, start - 4) : start])
        before = context.before(start, context.words.bounds)
        behind = context.behind(end, context.words.behind)
        if quantity.is_range:
            return (before[0] if before and before[1] != "~" else start), end, ""
        if sign is not None:
            return start - len(sign[0]), end, _SIGNS.get(sign[1], sign[1])
        if before is not None and before[1] in OPERATORS.values():
            return before[0], end, before[1]
        if behind is not None:
            return start, behind[0], behind[1]
        return start, end, ">=" if quantity.figures[-1].more else ""
