"""Figures of a text: with the unit behind them, as ranges and alternatives, with bounds, and whose they are."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quarry.attributes.model import Attribute, Attributes
from quarry.attributes.units import Unit, convert
from quarry.needs.grammar import number_of
from quarry.reading.context import Mark, TextContext
from quarry.reading.languages import OPERATORS
from quarry.reading.lexicon import LexiconHit
from quarry.text import readings

_ROOM = r"\d++(?:[.,]\d++)?(?: ?[\"a-z]{0,4} ?[x×*] ?\d++(?:[.,]\d++)?){2,}"
"""51 x 35 are two sizes, 51 x 35 x 49 the room that a thing takes: which is which, their order does not tell."""
_FRACTION = r"(?<![\d/])(?:\d{1,3}[ \-])?\d{1,2}/(?:2|3|4|8|16|32|64)(?![\d/.,])"
_PLAIN = r"\d++(?:[.,'’\u00a0]\d++)*"
_FIGURE = re.compile(f"{_ROOM}|{_FRACTION}|{_PLAIN}")
_FIGURE_WITH_BLANKS = re.compile(rf"{_ROOM}|{_FRACTION}|\d{{1,3}}(?: \d{{3}})+(?!\d)(?:,\d+)?|{_PLAIN}")
_SIGN = re.compile(r"(>=|=>|≥|<=|=<|≤|>|<|~|≈|±|\+/-)\s?$")
_SIGNS = {"=>": ">=", "≥": ">=", "=<": "<=", "≤": "<=", "≈": "~"}
_TOLERANCES = frozenset(("±", "+/-"))
_BEFORE_UNIT = re.compile(r"(\+?)[ \u00a0]{0,2}-?")
_DASH = re.compile(r"\s?(?:-|–|—|‐|‑|\.\.\.?)\s?")


@dataclass(frozen=True, slots=True)
class ReadFigure:
    """``start`` to ``end`` is the figure with its unit, ``digits_end`` where its own digits end; ``glued`` to a word
    before it, or with a plus for ``more`` behind it.
    """

    start: int
    digits_end: int
    end: int
    text: str
    unit: Unit | None
    glued: bool
    more: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure, the two ends of a range, or alternatives."""

    figures: tuple[ReadFigure, ...]
    unit: Unit | None
    is_range: bool = False

    @property
    def start(self) -> int:
        return self.figures[0].start

    @property
    def end(self) -> int:
        return self.figures[-1].end


def quantities_of(context: TextContext, attributes: Attributes) -> list[Quantity]:
    """Figures that nothing read, put together where words or a dash join them: "350-400 cfm", "30 or 40 hp"."""
    found: list[Quantity] = []
    for figure in _figures(context, attributes):
        last = found[-1] if found else None
        joined = _join(context, last, figure) if last is not None else None
        if last is None or joined is None:
            found.append(Quantity((figure,), figure.unit))
        else:
            found[-1] = Quantity((*last.figures, figure), figure.unit or last.unit, is_range=joined == "to")
    return found


def _figures(context: TextContext, attributes: Attributes) -> Iterator[ReadFigure]:
    source, numbers = context.source, context.words.numbers
    pattern = _FIGURE_WITH_BLANKS if context.words.blank else _FIGURE
    found = [(*one.span(), one[0]) for one in pattern.finditer(source.folded)]
    for at, piece in enumerate(source.pieces):
        if piece.word in numbers and source.is_whole(at, at):
            found.append((piece.start, piece.end, f"{numbers[piece.word]:.0f}"))
    for start, end, text in sorted(found):
        if source.is_free(start, end):
            before, further = (
                source.folded[max(start - 1, 0) : start],
                source.folded[max(start - 2, 0) : max(start - 1, 0)],
            )
            glued = before.isalnum() and not (before in "x×" and further.isdigit())
            if before and before in "-−–+" and not (further.isalnum() or further == "/"):
                start, text = start - 1, ("+" if before == "+" else "-") + text
            unit, unit_end, more = _unit_behind(context, attributes, end)
            yield ReadFigure(start, end, unit_end, text, unit, glued, more)


def _unit_behind(context: TextContext, attributes: Attributes, end: int) -> tuple[Unit | None, int, bool]:
    """The unit behind a figure, where it ends, and whether a plus stands before or behind it."""
    folded, units = context.source.folded, attributes.units
    gap = _BEFORE_UNIT.match(folded, end)
    assert gap is not None
    more = len(gap[1])
    said = units.pattern.match(folded, gap.end())
    unit = said and (units.named(context.source.written(*said.span())) or units.named(said[0]))
    if not said or not unit or not context.source.is_free(*said.span()) or _is_plain_word(context, said):
        return None, end + more, more > 0
    per = context.words.per.match(folded, said.end())
    time = units.pattern.match(folded, per.end()) if per else None
    if time and (whole := units.named(time[0])):
        # In so many words: "litres per minute". If no unit is called so, the figure is none of litres either.
        symbol = f"{unit.symbol}/{whole.symbol}"
        return units.named(symbol) or Unit(symbol, symbol, 1), time.end(), more > 0
    behind = folded[said.end() : said.end() + 1] == "+"
    return unit, said.end() + behind, more > 0 or behind


def _is_plain_word(context: TextContext, unit: re.Match[str]) -> bool:
    """Whether what may be a unit is a plain word of the language, since the text goes on: "2 in stock", "3 a day"."""
    source, words = context.source, context.words
    is_letter = len(unit[0]) == 1 and words.language is None
    if is_letter or source.written(*unit.span()).isupper():
        return False
    if unit[0] not in words.stop and (unit[0],) not in words.bounds:
        return False
    at = source.piece_at(unit.end())
    following = source.pieces[at] if at < len(source.pieces) else None
    return following is not None and source.is_near(unit.end(), following.start) and not context.is_known(at)


def _join(context: TextContext, last: Quantity, figure: ReadFigure) -> str | None:
    """``to`` for a range, ``or`` for alternatives."""
    one, source, words = last.figures[-1], context.source, context.words
    if last.is_range or figure.glued or (one.unit is not None and figure.unit not in (None, one.unit)):
        return None
    between = source.folded[one.end : figure.start]
    said = tuple(piece.word for piece in source.pieces[source.piece_at(one.end) : source.piece_at(figure.start)])
    joined = words.joins.get(said) if between.replace(" ", "") == "".join(said) else None
    if between.strip() == "/":
        joined = "or"
    elif joined == "and":
        opened = context.before(one.start, words.bounds)
        joined = "to" if opened is not None and opened[1] == "between" else None
    elif _DASH.fullmatch(between):
        joined = "to"
    if joined == "to":
        low, high = number_of(one.text), number_of(figure.text)
        rises = low is not None and high is not None and low < high
        return "to" if rises and len(last.figures) == 1 else None
    return joined


class Binder:
    """Which attribute the figures of a text belong to."""

    def __init__(self, context: TextContext, attributes: Attributes, families: Sequence[str]) -> None:
        self.context = context
        self.attributes = attributes
        self.families = families
        self._used: set[LexiconHit] = set()

    def marks(self, quantities: Sequence[Quantity]) -> Iterator[Mark | Quantity]:
        """A mark for each figure whose attribute is clear; a figure with a unit whose attribute is not, as it is."""
        for quantity in quantities:
            mark = (self._measured(quantity) if quantity.unit is not None else None) or self._bare(quantity)
            if mark is not None:
                yield mark
            elif not quantity.figures[0].glued and (
                quantity.unit is not None or set("x×*") & set(quantity.figures[0].text)
            ):
                yield quantity

    def _measured(self, quantity: Quantity) -> Mark | None:
        assert quantity.unit is not None
        sign = _SIGN.search(self.context.source.folded[max(0, quantity.start - 4) : quantity.start])
        if quantity.figures[0].glued or (sign is not None and sign[1] in _TOLERANCES):
            return None
        candidates = self.attributes.measured_in(quantity.unit, families=self.families)
        name, told = self._nearest(quantity, candidates)
        told = self._main(quantity, quantity.unit, told) if len(told) > 1 else told
        return self._mark(quantity, told[0], name) if len(told) == 1 else None

    def _bare(self, quantity: Quantity) -> Mark | None:
        """A figure without a unit is of the attribute whose name stands right beside it: "DN 80", "3 stages".

        What seems to be a unit may be the next name, behind a figure that needs none: "PN16 kv 25".
        """
        source, glued, had_unit = self.context.source, quantity.figures[0].glued, quantity.unit is not None
        if had_unit:
            figures = tuple(replace(one, unit=None, end=one.digits_end) for one in quantity.figures)
            quantity = replace(quantity, figures=figures, unit=None)
        first, last = source.piece_at(quantity.start), source.piece_at(quantity.end) - 1
        for hit in self.context.names_beside(first, last):
            if hit in self._used or ((glued or had_unit) and hit.last >= first) or (glued and hit.last != first - 1):
                continue
            is_next = hit.last == first - 1 or hit.first == last + 1
            named = [
                one
                for one in map(self.attributes.by_name.get, sorted(hit.names))
                if one is not None
                and one.kind == "number"
                and (not one.unit or (is_next and not had_unit))
                and (not self.families or any(one.is_of(family) for family in self.families))
                and self._fits(quantity, one)
            ]
            if len(named) == 1:
                return self._mark(quantity, named[0], hit)
        return None

    def _nearest(
        self, quantity: Quantity, candidates: Sequence[Attribute]
    ) -> tuple[LexiconHit | None, list[Attribute]]:
        """The candidates that the nearest name in the same clause stands for, all of them where none is named."""
        source = self.context.source
        clause = source.pieces[min(source.piece_at(quantity.start), len(source.pieces) - 1)].clause
        by_name = {one.name: one for one in candidates}
        names = self.context.names_near(quantity.start, clause)
        names = [hit for hit in names if hit not in self._used and hit.names & by_name.keys()]
        if not names:
            return None, list(candidates)
        nearest = min(names, key=lambda hit: (max(quantity.start - hit.end, hit.start - quantity.end, 0), hit.start))
        return nearest, [by_name[name] for name in sorted(nearest.names & by_name.keys())]

    def _main(self, quantity: Quantity, unit: Unit, candidates: list[Attribute]) -> list[Attribute]:
        """What the figure is likely of: possible there, in its own unit, among the characteristics, said from where
        its unit counts; of these the first, if it is clear.
        """
        own = {one.name: self.attributes.unit_of(one) for one in candidates}
        vacuum = {name for name, one in own.items() if one is not None and one.reference == "vacuum"}
        for fits in (
            lambda one: self._fits(quantity, one),
            lambda one: own[one.name] == unit,
            lambda one: one.position is not None,
            lambda one: unit.reference == "absolute" or (one.name in vacuum) == (unit.reference == "vacuum"),
        ):
            candidates = list(filter(fits, candidates)) or candidates
        candidates.sort(key=lambda one: one.position or 0)
        # Width and height ask for the same in the same unit: nobody can tell which is meant.
        first, *others = candidates
        return (
            [first] if first.position is not None and first.sense not in {one.sense for one in others} else candidates
        )

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
            value = number_of(text[0] + text[1:].replace("-", " "))
            return [] if value is None else [value]
        found = list(readings(text.replace(" ", "")))
        if len(found) == 2 and self.context.words.point is not None:
            found.sort(reverse=self.context.words.point != ("." in text))
        return found

    def _mark(self, quantity: Quantity, attribute: Attribute, name: LexiconHit | None) -> Mark | None:
        figures = [self._written(figure.text, quantity.unit, attribute) for figure in quantity.figures]
        if "" in figures:
            return None
        unit = f" {quantity.unit.symbol}" if quantity.unit else ""
        start, end, operator = self._bounded(quantity)
        if operator == "~" and attribute.sense != "exactly":
            # "about 500" asks no more than a bare 500, for which the attribute says which way it may be off.
            operator = ""
        denial = None if operator else self.context.denial(start, over=frozenset((attribute.name,)))
        start = denial[0] if denial else start
        asked = [f"{operator} {figure}{unit}".strip() for figure in figures]
        if quantity.is_range:
            asked = ["..".join(figures) + unit]
        places = [(start, end)]
        if name is not None:
            self._used.add(name)
            places.append((name.start, name.end))
        return Mark(attribute.name, " | ".join(asked), tuple(places), negated=denial is not None)

    def _written(self, text: str, unit: Unit | None, attribute: Attribute) -> str:
        """The figure as the grammar of needs writes it: the first of its readings that the attribute may have."""
        found = self._readings(text)
        if not found:
            return ""
        value = next((one for one in found if self._is_plausible(one, unit, attribute)), found[0])
        plain = f"{value:.10g}"
        return plain if "e" not in plain else f"{value:.6f}".rstrip("0").rstrip(".")

    def _bounded(self, quantity: Quantity) -> tuple[int, int, str]:
        """A quantity with the words of its bound: where they start and end, and the operator."""
        start, end, words = quantity.start, quantity.end, self.context.words
        before = self.context.before(start, words.bounds)
        if quantity.is_range:
            return before[0] if before else start, end, ""
        if (sign := _SIGN.search(self.context.source.folded[max(0, start - 4) : start])) is not None:
            return start - len(sign[0]), end, _SIGNS.get(sign[1], sign[1])
        if before is not None and before[1] in OPERATORS.values():
            return before[0], end, before[1]
        behind = self.context.behind(end, words.behind)
        if behind is not None:
            return start, behind[0], behind[1]
        return start, end, ">=" if quantity.figures[-1].more else ""
