"""Assigns the figures of a text to attributes, and reads what is asked of each."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from quarry.attributes.model import Attribute, Attributes
from quarry.attributes.points import conditions
from quarry.attributes.units import NOMINAL, Unit, convert
from quarry.needs.grammar import number_of
from quarry.needs.model import BUILT_IN, KindOfRow
from quarry.reading.context import Mark, TextContext
from quarry.reading.figures import Quantity, ReadFigure, named_figures, quantities_of
from quarry.reading.languages import OPERATORS, words_of
from quarry.reading.lexicon import LexiconHit
from quarry.reading.source import SourceText
from quarry.text import part_key, readings

_SIGN = re.compile(r"(>=|=>|≥|<=|=<|≤|>|<|~|≈|±|\+/-)\s?$")
_SIGNS = {"=>": ">=", "≥": ">=", "=<": "<=", "≤": "<=", "≈": "~"}
_FRACTION = re.compile(r"(?<!\d)(\d{1,2}) (2|4|8|16|32|64)(?=\D)")
_TOLERANCES = frozenset(("±", "+/-"))
_BEYOND = 10.0
"""Factor by which a figure may be beyond what rows have of an attribute that nobody names. Nearer it may
ask for more than there is, of which the nearest is told.
"""


type WordedFigures = Mapping[tuple[float, str], Mapping[str, Sequence[str]]]
"""Attributes and values whose term or text begins with a figure and its unit, by (figure, unit symbol)."""


@lru_cache(maxsize=16)
def _worded_figures(attributes: Attributes) -> WordedFigures:
    found: dict[tuple[float, str], dict[str, list[str]]] = {}
    # Terms are kept folded, in which 1/2 is "1 2".
    terms = ((name, _FRACTION.sub(r"\1/\2", term), values) for (name, term), values in attributes.terms.items())
    listed = ((name, value, (value,)) for name, each in attributes.listed.items() for value in sorted(each))
    for name, said, values in (*terms, *listed):
        context = TextContext(SourceText(said), words_of(None), ())
        first = next(iter(quantities_of(context, attributes)), None) if name in attributes.by_name else None
        if first is not None and first.unit is not None and first.start == 0 and len(first.figures) == 1:
            key = number_of(first.figures[0].text) or 0.0, first.unit.symbol
            found.setdefault(key, {}).setdefault(name, []).extend(values)
    return found


def _amount_of(figure: str) -> float:
    """Reads an amount; three digits behind a mark are no cents: 100.000 € are a hundred thousand."""
    found = list(readings(figure)) or [number_of(figure) or 0.0]
    return max(found) if re.search(r"[.,]\d{3}$", figure) else found[0]


class Binder:
    """``goods`` maps the places in the text where goods are named to whether they are by their model; ``sold_in`` are
    the units in which goods are sold.
    """

    def __init__(
        self,
        context: TextContext,
        attributes: Attributes,
        families: Sequence[str],
        kind_of_row: KindOfRow,
        *,
        goods: Mapping[int, bool],
        sold_in: Collection[str],
    ) -> None:
        self.context = context
        self.attributes = attributes
        self.families = families
        self._goods = goods
        self._sold_in = [unit for said in sold_in if (unit := attributes.units.named(said)) is not None]
        self._is_dated = kind_of_row != "product"
        self._money = "total" if kind_of_row == "quote" else "price"
        self._named: dict[Quantity, LexiconHit] = {}
        self._used: set[LexiconHit] = set()
        self._misnamed: Mapping[Quantity, LexiconHit] = {}

    def marks(self, quantities: Sequence[Quantity]) -> Iterator[Mark | Quantity]:
        """Yields marks for figures whose attribute is clear, and others in digits or with a unit."""
        quantities = [self._of_temperature(quantity) for quantity in quantities]
        self._misnamed = {one: name for one in quantities if (name := self._misnamed_by(one)) is not None}
        self._named = named_figures(self.context, quantities, may_be_of=self._may_be_of)
        self._used = set(self._named.values())
        others = [quantity for quantity in quantities if quantity not in self._named]
        self._named |= named_figures(self.context, others, may_be_of=self._is_left_to)
        self._used |= set(self._named.values())
        unnamed = [one for one in quantities if one.unit is not None and one not in self._named]
        self._misnamed = {
            one: name
            for one, name in self._misnamed.items()
            if name not in self._used and not any(self._may_be_of(each, name, stored=False) for each in unnamed)
        }
        for quantity in quantities:
            found: list[Mark] = []
            if self._is_ordered(quantity):
                self.context.source.take(quantity.start, quantity.end)
            else:
                found = self._marks(quantity)
            yield from found
            written = self.context.source.folded[quantity.start : quantity.end]
            # A number in words alone tells no size.
            if not found and (quantity.unit is not None or any(map(str.isdigit, written))):
                yield quantity

    def _misnamed_by(self, quantity: Quantity) -> LexiconHit | None:
        """Returns the name right before a figure whose unit measures nothing that the name means."""
        first, last = map(self.context.source.piece_at, (quantity.start, quantity.end))
        name = next(iter(self.context.names_beside(first, last - 1)), None) if quantity.unit is not None else None
        if quantity.unit is None or name is None or name.start > quantity.start or name.meant:
            return None
        if self.context.source.ending(name.last, self.context.words.bounds):
            return None
        named = [self.attributes.by_name[one] for one in name.names & self.attributes.by_name.keys()]
        named = [one for one in named if one.is_of_any(self.families)]
        measured = self.attributes.measured_in(quantity.unit)
        # Behind the name of what is counted stands another's figure: "3 stages 400 V".
        own = [None if one in measured else self.attributes.unit_of(one) for one in named]
        is_other = named and all(unit is not None and unit.dimension != "pieces" for unit in own)
        return name if is_other else None

    def _is_ordered(self, quantity: Quantity) -> bool:
        """Returns whether a figure in front of goods tells how much of them is ordered: "250 m X" of what is sold by
        the metre, where X is a model, which has its size, or goods without an attribute in metres.
        """
        unit, source, words = quantity.unit, self.context.source, self.context.words
        if unit is None or quantity.is_range or quantity in self._named:
            return False
        # What is sold by the metre is ordered in metres and has sizes in inches.
        if not any(unit.dimension == sold.dimension and 10 * unit.factor >= sold.factor for sold in self._sold_in):
            return False
        at = source.piece_at(quantity.end)
        at += at < len(source.pieces) and source.pieces[at].word in words.stop
        by_model = self._goods.get(source.pieces[at].start) if at < len(source.pieces) else None
        if by_model is None or not source.is_phrase(at - 1, at) or self._bounded(quantity, of=frozenset())[2]:
            return False
        measured = self.attributes.measured_in(unit, families=self.families)
        return by_model or all(self.attributes.unit_of(one) != unit for one in measured)

    def _marks(self, quantity: Quantity) -> list[Mark]:
        if quantity.unit is None:
            return list(filter(None, [self._bare(quantity) or self._year(quantity)]))
        worded = self._worded(quantity)
        if worded is not None and self.attributes.by_name[worded.attribute].kind == "number":
            return [worded]
        # What a text begins with is nearer than what rows hardly have.
        mark = self._measured(quantity, beyond=_BEYOND if worded is None else 1 + NOMINAL) or worded
        if mark is None and quantity.unit is not None and quantity.unit.is_currency:
            return self._amount(quantity)
        return [] if mark is None else [mark]

    def _amount(self, quantity: Quantity) -> list[Mark]:
        """Reads an amount with a bound as a price in its currency; others may mean anything: "we paid 450 €"."""
        start, end, operator = self._bounded(quantity, of=frozenset((self._money,)))
        written = [f"{_amount_of(one.text):.10g}" for one in quantity.figures]
        bounded = quantity.is_range or (len(written) == 1 and operator not in ("", "~"))
        if not bounded or quantity.unit is None:
            return []
        asked = "..".join(written) if quantity.is_range else f"{operator} {written[0]}"
        last = quantity.figures[-1]
        return [
            Mark(self._money, asked, ((start, end),)),
            Mark("currency", quantity.unit.symbol, ((last.start, last.end),)),
        ]

    def _of_temperature(self, quantity: Quantity) -> Quantity:
        """Reads degrees as temperature where no angle is measured and they are bounded: "up to 120 degrees"."""
        degrees = quantity.unit
        if degrees is None or degrees.dimension != "angle" or self.attributes.measured_in(degrees):
            return quantity
        own = {self.attributes.unit_of(one) for one in self.attributes.by_name.values()}
        known = [unit for unit in own if unit is not None and unit.dimension == "temperature"]
        is_bounded = quantity.figures[0].text.startswith("-") or self._bounded(quantity, of=frozenset())[2]
        return replace(quantity, unit=known[0]) if len(known) == 1 and is_bounded else quantity

    def _year(self, quantity: Quantity) -> Mark | None:
        """Reads a bare figure as a year of the tenant's quotes, where rows with dates are asked for."""
        years = self.attributes.listed.get("year", frozenset()) if self._is_dated else frozenset[str]()
        if quantity.figures[0].glued or not all(one.text in years for one in quantity.figures):
            return None
        earlier = self.context.before(quantity.start, self.context.words.of_years)
        if earlier is not None and len(quantity.figures) == 1:
            return Mark("year", f"{earlier[1]} {quantity.figures[0].text}", ((earlier[0], quantity.end),))
        return self._mark(quantity, BUILT_IN["year"], None)

    def _worded(self, quantity: Quantity) -> Mark | None:
        """Reads a figure and unit that terms or texts begin with: 2 inch of a nominal size, 230 V of "230 V AC"."""
        assert quantity.unit is not None
        known, symbol = _worded_figures(self.attributes), quantity.unit.symbol
        found = [known.get((number_of(one.text) or 0.0, symbol), {}) for one in quantity.figures]
        if not all(found) or quantity.is_range or quantity.figures[0].glued:
            return None
        start, end, operator = self._bounded(quantity, of=frozenset(found[0]))
        is_number = {name: self.attributes.by_name[name].kind == "number" for name in found[0]}
        names = [
            name
            for name in found[0]
            if all(name in each for each in found)
            and self.attributes.by_name[name].is_of_any(self.families)
            and (is_number[name] or not (operator or self.context.is_said(quantity.start, name)))
        ]
        names = [name for name in names if is_number[name]] or names
        if len(names) != 1:
            return None
        denial = None if operator else self.context.denial(start, end, over=frozenset(names))
        said = [self._as_said(one, each[names[0]]) for one, each in zip(quantity.figures, found, strict=True)]
        asked = dict.fromkeys(f"{operator} {value}".strip() for each in said for value in each)
        place = denial[:2] if denial else (start, end)
        return Mark(names[0], " | ".join(asked), (place,), negated=denial is not None)

    def _measured(self, quantity: Quantity, *, beyond: float) -> Mark | None:
        assert quantity.unit is not None
        if quantity.figures[0].glued or self._is_tolerance(quantity) or quantity in self._misnamed:
            return None
        candidates = self.attributes.measured_in(quantity.unit, families=self.families)
        name, told = self._nearest(quantity, candidates)
        if name is None:
            # Nobody said that it is of an attribute, whose bounds or rows say that it is not.
            told = [one for one in told if self._fits(quantity, one, beyond=beyond)]
        # A condition of the job is meant only if it is named, else what the goods have.
        told = [one for one in told if one.name not in conditions(self.attributes)] or told
        told = self._main(quantity, quantity.unit, told) if len(told) > 1 else told
        return self._mark(quantity, told[0], name) if len(told) == 1 else None

    def _is_tolerance(self, quantity: Quantity) -> bool:
        sign = _SIGN.search(self.context.source.folded[max(0, quantity.start - 4) : quantity.start])
        return sign is not None and sign[1] in _TOLERANCES

    def _as_said(self, figure: ReadFigure, values: Sequence[str]) -> Sequence[str]:
        """Keeps the values that begin as the figure is written, or all if none does: 24 VDC is no "24 V AC"."""
        written = part_key(self.context.source.folded[figure.start : figure.end])
        return [value for value in values if part_key(value).startswith(written)] or values

    def _bare(self, quantity: Quantity) -> Mark | None:
        """Assigns a figure without a unit to the attribute named right beside it: "DN 80", "3 stages"."""
        name = self._named.get(quantity)
        if name is None:
            return None
        meant = self._meant(quantity, name) or self._meant(quantity, name, stored=False)
        return self._mark(quantity, meant[0], name)

    def _may_be_of(self, quantity: Quantity, name: LexiconHit, *, stored: bool = True) -> bool:
        meant = self._meant(quantity, name, stored=stored)
        return len(meant) == 1 if quantity.unit is None else bool(meant) and not self._is_tolerance(quantity)

    def _is_left_to(self, quantity: Quantity, name: LexiconHit) -> bool:
        """Returns whether a figure beyond what rows have stands at a name that has no other figure."""
        pieces, is_behind = self.context.source.pieces, name.start < quantity.start
        other = pieces[max(name.first - 1, 0) : name.first] if is_behind else pieces[name.last + 1 : name.last + 2]
        if name in self._used or any(piece.word.isdigit() for piece in other):
            return False
        return self._may_be_of(quantity, name, stored=False)

    def _meant(self, quantity: Quantity, name: LexiconHit, *, stored: bool = True) -> list[Attribute]:
        """Returns the attributes of a name that may have the figure, by its unit, their bounds and what is stored."""
        named = [self.attributes.by_name[one] for one in sorted(name.names & self.attributes.by_name.keys())]
        if quantity.unit is None:
            source = self.context.source
            is_next = source.piece_at(quantity.start) - 1 == name.last or source.piece_at(quantity.end) == name.first
            is_ratio = ":" in source.folded[quantity.start : quantity.end]
            named = [one for one in named if one.kind == "number" and (not one.unit or (is_next and not is_ratio))]
            if source.is_diameter(quantity.start):
                units = [(one, self.attributes.unit_of(one)) for one in named]
                is_sign = name.end == quantity.start - 1
                named = [one for one, unit in units if (unit.dimension == "length" if unit else is_sign)]
            if name.start > quantity.start and name in self._misnamed.values():
                named = [one for one in named if not one.unit]
            named = [one for one in named if one.is_of_any(self.families)]
        else:
            measured = self.attributes.measured_in(quantity.unit, families=self.families)
            named = [one for one in named if one in measured]
        return [one for one in named if self._fits(quantity, one, stored=stored)]

    def _nearest(
        self, quantity: Quantity, candidates: Sequence[Attribute]
    ) -> tuple[LexiconHit | None, list[Attribute]]:
        """Narrows candidates to those that its own name means, else the nearest free one in the clause; keeps all
        where none is named.
        """
        by_name = {one.name: one for one in candidates}
        name = self._named.get(quantity)
        if name is None:
            source = self.context.source
            clause = source.pieces[min(source.piece_at(quantity.start), len(source.pieces) - 1)].clause
            near = self.context.names_near(quantity.start, clause)
            name = min(
                (hit for hit in near if hit not in self._used and hit.names & by_name.keys()),
                key=lambda hit: (max(quantity.start - hit.end, hit.start - quantity.end, 0), hit.start),
                default=None,
            )
        if name is None:
            return None, list(candidates)
        return name, [by_name[one] for one in sorted(name.names & by_name.keys())]

    def _main(self, quantity: Quantity, unit: Unit, candidates: list[Attribute]) -> list[Attribute]:
        """Narrows candidates in turn to those for which the figure is plausible, to no values at one condition, to
        those in their own unit, with a position in print, and with the same reference of pressure. Of these the first
        is taken, if it is clear.
        """
        own = {one.name: self.attributes.unit_of(one) for one in candidates}
        vacuum = {name for name, one in own.items() if one is not None and one.reference == "vacuum"}
        for fits in (
            lambda one: self._fits(quantity, one),
            lambda one: one.point is None,
            lambda one: own[one.name] == unit,
            lambda one: one.position is not None,
            lambda one: unit.reference == "absolute" or (one.name in vacuum) == (unit.reference == "vacuum"),
        ):
            candidates = list(filter(fits, candidates)) or candidates
        candidates.sort(key=lambda one: one.position or 0)
        # Width and height ask for the same in the same unit: nobody can tell which is meant.
        first, *others = candidates
        is_clear = first.position is not None and first.sense not in {one.sense for one in others}
        return [first] if is_clear else candidates

    def _fits(
        self, quantity: Quantity, attribute: Attribute, *, stored: bool = True, beyond: float = _BEYOND
    ) -> bool:
        """Returns whether an attribute may have a figure, by its bounds and, if ``stored``, by what rows have, of
        which it may be ``beyond`` by that factor.
        """
        bounds = [(attribute.low, attribute.high)]
        # Of a bound, "at least 10 m", rows may be all on its other side.
        beyond = beyond if attribute.sense == "exactly" else _BEYOND
        if stored and attribute.name in self.attributes.stored:
            low, high = self.attributes.stored[attribute.name]
            if low or high:  # nothing but zeros tells nothing
                bounds.append(
                    (low / beyond if low > 0 else low * beyond, high * beyond if high > 0 else high / beyond)
                )
        return all(
            any(self._is_plausible(value, quantity.unit, attribute, *each) for value in values)
            for values in (self._readings(figure.text) for figure in quantity.figures)
            for each in bounds
        )

    def _is_plausible(
        self, value: float, unit: Unit | None, attribute: Attribute, low: float | None, high: float | None
    ) -> bool:
        for own in (self.attributes.unit_of(attribute), self.attributes.also_of(attribute)):
            converted = value if unit is None or own is None else convert(value, unit, own)
            if converted is not None:
                return (low is None or converted >= low) and (high is None or converted <= high)
        return True

    def _readings(self, text: str) -> list[float]:
        """Returns all readings of a figure, first the one that is usual in the text's language."""
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
        start, end, operator = self._bounded(quantity, of=frozenset((attribute.name,)))
        if operator == "~" and attribute.sense != "exactly":
            # "about 500" asks no more than a bare 500, for which the attribute says which way it may be off.
            operator = ""
        denial = None if operator else self.context.denial(start, end, over=frozenset((attribute.name,)))
        start, end = denial[:2] if denial else (start, end)
        asked = [f"{operator} {figure}{unit}".strip() for figure in figures]
        if quantity.is_range:
            asked = ["..".join(figures) + unit]
        places = [(start, end)]
        if name is not None:
            self._used.add(name)
            places.append((name.start, name.end))
        return Mark(attribute.name, " | ".join(asked), tuple(places), negated=denial is not None)

    def _written(self, text: str, unit: Unit | None, attribute: Attribute) -> str:
        """Formats a figure for the grammar of needs, by its first reading that the attribute may have."""
        found = self._readings(text)
        if not found:
            return ""
        bounds = attribute.low, attribute.high
        value = next((one for one in found if self._is_plausible(one, unit, attribute, *bounds)), found[0])
        return f"{value:.10g}"

    def _bounded(self, quantity: Quantity, *, of: frozenset[str]) -> tuple[int, int, str]:
        """Returns (start, end, operator) of a quantity of an attribute with the words of its bound."""
        start, end, words = quantity.start, quantity.end, self.context.words
        before = self.context.before(start, words.bounds, of=of)
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
