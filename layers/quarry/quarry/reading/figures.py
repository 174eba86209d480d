"""Finds the figures of a text with their unit or currency, joins them to ranges and alternatives, and pairs
them with the names of attributes beside them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from quarry.attributes.model import RATIO, Attributes
from quarry.attributes.units import APART, SIGN, Unit
from quarry.reading.context import TextContext
from quarry.reading.lexicon import LexiconHit
from quarry.text import DENOMINATORS, PARTS_OF_ONE, POINT_OF_FRACTION, decimal_power

_ROOM = r"\d++(?:[.,]\d++)?(?: ?[\"a-z]{0,4} ?[x×*] ?\d++(?:[.,]\d++)?){2,}"
"""Matches three or more dimensions (51 x 35 x 49), whose order says nothing; 51 x 35 are two sizes."""
_FRACTION = rf"(?<![\d/])(?:\d{{1,3}}(?:[ \-]|{POINT_OF_FRACTION}))?\d{{1,2}}/(?:{DENOMINATORS})(?![\d/.,])"
_PART = re.compile(rf"(?<![^\W_])(?<![./,-])1/(?:{PARTS_OF_ONE})(?!\d)")
_PLAIN = rf"(?:{RATIO})?\d++(?:[.,'’\u00a0]\d++)*"
_FIGURE = re.compile(f"{_ROOM}|{_FRACTION}|{_PLAIN}")
_FIGURE_WITH_BLANKS = re.compile(
    rf"{_ROOM}|{_FRACTION}|(?<![^\W_]|[.,])\d{{1,3}}(?: \d{{3}})+(?!\d)(?:,\d+)?|{_PLAIN}"
)
_BEFORE_UNIT = re.compile(r"(\+?)[ \u00a0]{0,2}-?")
_CURRENCIES = [
    re.compile(rf"(?<![^\W_])({said})\s?$")
    for said in (rf"[^\W\d_]{{2,3}}\s{SIGN}|{SIGN}\s?[^\W\d_]{{2,3}}", r"[^\W\d_]{3}|[^\W\d_]{0,3}[^\w\s]")
]
"""Match what an amount may be in, before it. Letters apart from the sign are capitals: US $, and not us $."""
_GOES_ON = re.compile(r"[^\W\d_]|\s?[x×*]\s?\d|:\d")
_SIZES = re.compile(r"[\s:=]*\d++(?:[.,]\d++)?\s?[x×*]\s?\d")
_DASH = re.compile(r"\s?(?:[-–—‐‑〜~]|\.\.\.?)\s?")


@dataclass(frozen=True, slots=True)
class ReadFigure:
    """A figure: ``start`` to ``end`` is all of it with its unit. It is ``glued`` to a word before it, or has a plus
    for ``more`` behind it.
    """

    start: int
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
    """Returns figures that were not read yet, joined by words or a dash: "350-400 cfm", "30 or 40 hp"."""
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
    folded = source.folded
    units = ((one, _unit_behind(context, attributes, one.end())[0]) for one in _PART.finditer(folded))
    parts = (one for one, unit in units if unit and unit.dimension == "power")
    found = [*_powers(context, attributes), *((*one.span(), one[0]) for one in parts)]
    for start, end, _ in found:
        folded = folded[:start] + "_" * (end - start) + folded[end:]
    found += [(*one.span(), one[0]) for one in pattern.finditer(folded)]
    for at, piece in enumerate(source.pieces):
        if piece.word in numbers and source.is_whole(at, at):
            found.append((piece.start, piece.end, numbers[piece.word]))
    for start, end, text in sorted(found):
        if source.is_free(start, end):
            before = source.folded[max(start - 1, 0) : start]
            further = source.folded[max(start - 2, 0) : max(start - 1, 0)]
            glued = before.isalnum() and not (before in "x×" and further.isdigit())
            if before and before in "-−–+" and not (further.isalnum() or further == "/"):
                start, text = start - 1, ("+" if before == "+" else "-") + text
            unit, unit_end, more = _unit_behind(context, attributes, end)
            text = text if unit else text.rpartition(":")[2].strip()
            if unit is None and (currency := _currency_before(context, attributes, start)) is not None:
                unit, start = currency
                glued = False
            yield ReadFigure(start, unit_end, text, unit, glued, more)


def _powers(context: TextContext, attributes: Attributes) -> Iterator[tuple[int, int, str]]:
    """Yields figures in scientific notation; what may be a name is one with a unit behind it or its range."""
    folded, ends = context.source.folded, dict[int, int]()
    for start, end, power in reversed([*context.source.powers()]):
        last = end
        if dash := _DASH.match(folded, end):
            other = _FIGURE.match(folded, dash.end())
            last = ends.get(dash.end()) or (other.end() if other else end)
        is_measured = any(_unit_behind(context, attributes, each)[0] for each in (end, last))
        if power["plain"] is None or is_measured:
            ends[start] = end
            yield start, end, decimal_power(power)


def _currency_before(context: TextContext, attributes: Attributes, start: int) -> tuple[Unit, int] | None:
    """Returns the currency before an amount, and where it starts: "$500", "R$ 500", "EUR 500"."""
    for pattern in _CURRENCIES:
        said = pattern.search(context.source.folded, max(start - 6, 0), start)
        written = context.source.written(*said.span(1)) if said else ""
        unit = written and attributes.units.named(written)
        is_word = said and (
            _has_a_word(said[1], written) or (said[1] in context.words.stop and not written.isupper())
        )
        if said and unit and unit.is_currency and not is_word:
            return unit, said.start()
    return None


def _has_a_word(said: str, written: str) -> bool:
    """Whether letters apart from a currency's sign are a word and no country's: $ au mètre, us $."""
    return " " in said and (not written.isupper() or re.sub(r"[\W\d_]", "", said) not in APART)


def _unit_behind(context: TextContext, attributes: Attributes, end: int) -> tuple[Unit | None, int, bool]:
    """Returns the unit behind a figure, where it ends, and whether a plus stands before or behind it."""
    folded, units = context.source.folded, attributes.units
    gap = _BEFORE_UNIT.match(folded, end)
    assert gap is not None
    more = len(gap[1])
    said = units.pattern.match(folded, gap.end())
    if said and re.match(rf"{SIGN} ", said[0]) and _has_a_word(said[0], context.source.written(*said.span())):
        said = units.pattern.match(folded, gap.end(), gap.end() + 1)
    spelled = (context.source.written(*said.span()), said[0]) if said else ()
    known = [*filter(None, map(units.named, spelled))]
    unit = next(filter(attributes.measured_in, known), known[0] if known else None)
    if not said or not unit or not context.source.is_free(*said.span()) or _is_plain_word(context, said):
        return None, end + more, more > 0
    per = context.words.per.match(folded, said.end())
    time = units.pattern.match(folded, per.end()) if per else None
    if time and (whole := units.named(time[0])):
        # The unit is put into words, "litres per minute". If it is not known, the figure is none of litres either.
        symbol = f"{unit.symbol}/{whole.symbol}"
        return units.named(symbol) or Unit(symbol, symbol, 1), time.end(), more > 0
    behind = folded[said.end() : said.end() + 1] == "+"
    return unit, said.end() + behind, more > 0 or behind


def _is_plain_word(context: TextContext, unit: re.Match[str]) -> bool:
    """Returns whether what may be a unit is a stop word, because the text goes on: "2 in stock", "3 a day"."""
    source, words = context.source, context.words
    is_letter, written = len(unit[0]) == 1 and words.language is None, source.written(*unit.span())
    # No word has a capital behind a small letter: mA.
    if is_letter or written.isupper() or not (written.islower() or written.istitle()):
        return False
    if unit[0] not in words.stop and (unit[0],) not in words.bounds:
        return False
    return source.piece_at(unit.end()) < len(source.pieces)


def _join(context: TextContext, last: Quantity, figure: ReadFigure) -> str | None:
    """Returns how two figures are joined: ``to`` is a range, ``or`` are alternatives."""
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
        return "to" if len(last.figures) == 1 else None
    return joined


class Neighbours(NamedTuple):
    """A figure and the name of an attribute that may be its own, with so many ``words`` between."""

    figure: Quantity
    name: LexiconHit
    words: int


def named_figures(
    context: TextContext, quantities: Sequence[Quantity], *, may_be_of: Callable[[Quantity, LexiconHit], bool]
) -> dict[Quantity, LexiconHit]:
    """Pairs figures with the names of attributes next to them: as many as can be, with the fewest words between. A
    name with a figure on either side is read in the order that the other names of the text have, else as standing
    before its figure.
    """
    said: list[Quantity | LexiconHit] = [*quantities, *context.names]
    said.sort(key=lambda one: (one.start, one.end))
    found = [_neighbours(context, one, other, may_be_of) for one, other in pairwise(said)]
    told = 0
    for one, before, behind in zip(said, (None, *found), (*found, None), strict=False):
        if isinstance(one, LexiconHit) and (before is None) != (behind is None):
            told += 1 if before is None else -1
    # What the pairs of all but the last one are worth, and of all, with these pairs.
    shorter: tuple[tuple[int, int, int], tuple[Neighbours, ...]] = ((0, 0, 0), ())
    longer = shorter
    for each in found:
        joined = longer
        if each is not None:
            (count, near, usual), pairs = shorter
            in_order = (each.name.start < each.figure.start) == (told >= 0)
            joined = (count + 1, near - each.words, usual + in_order), (*pairs, each)
        shorter, longer = longer, max(longer, joined, key=lambda one: one[0])
    return {each.figure: each.name for each in longer[1]}


def _neighbours(
    context: TextContext,
    one: Quantity | LexiconHit,
    other: Quantity | LexiconHit,
    may_be_of: Callable[[Quantity, LexiconHit], bool],
) -> Neighbours | None:
    match one, other:
        case (Quantity() as figure, LexiconHit() as name) | (LexiconHit() as name, Quantity() as figure):
            words = context.words_between(one.end, other.start)
            if words is not None and _is_free_for(context, figure, name) and may_be_of(figure, name):
                # A single word makes nothing further: "stroke of 600", "600 of stroke".
                return Neighbours(figure, name, words if words < 1 else words - 1)
    return None


def _is_free_for(context: TextContext, figure: Quantity, name: LexiconHit) -> bool:
    """Returns whether nothing between them keeps the two apart: a name glued to its figure has no other, a figure
    glued to letters no other name, and one without a unit only a name right beside it, and none before it where it
    goes on, for 4x1.5 is no 4, nor behind it where these sizes follow the name.
    """
    source, first = context.source, context.source.piece_at(figure.start)
    if figure.unit is None and name.end <= figure.start and _GOES_ON.match(source.folded, figure.end):
        return False
    if figure.unit is None and figure.end <= name.start and _SIZES.match(source.folded, name.end):
        return False
    is_glued = any(piece.glued and piece.word.isdigit() for piece in source.pieces[name.last + 1 : name.last + 2])
    if is_glued or figure.figures[0].glued:
        return name.last == first - 1
    return figure.unit is not None or name in context.names_beside(first, source.piece_at(figure.end) - 1)
