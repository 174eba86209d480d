"""Reads a tenant's own attributes in a request: "head at least 40 m", "DN 80", "PN16", "bronze impeller"."""

import re
from collections.abc import Iterator, Sequence

from quarry.understanding.marks import Mark
from quarry.understanding.needs import Operator
from quarry.understanding.numbers import Number, decimal, number_at, token_after
from quarry.understanding.own_attributes import AttributeLabels, OwnAttribute, behind_figures, converted, tokens_of
from quarry.understanding.quantities import BETWEEN, RANGE, Reader
from quarry.understanding.units import unit_at

REACH = 5
"""Tokens between an attribute's name and its figure, all of them small words or a bound."""

PARTED = re.compile(r"[,;!?()\n]|\. ")


class OwnReader(Reader):
    """Reads the tenant's attributes before anything else takes their figures for something of the trade."""

    def own(self, labels: AttributeLabels, taken: bytearray) -> Iterator[Mark]:
        self.taken = taken
        texts = [token.text for token in self.words]
        place = 0
        while place < len(texts):
            found = None if taken[place] else labels.at(texts, place)
            if found is None:
                place += 1
                continue
            attribute, last = found
            mark = (
                self._before(attribute, place, last) or self._behind(attribute, place, last)
                if attribute.numeric
                else self._named_value(attribute, texts, place, last)
            )
            if mark is not None:
                taken[mark.first : mark.last] = b"\1" * (mark.last - mark.first)
                yield mark
            place = max(last, mark.last) if mark is not None else last

    def _before(self, attribute: OwnAttribute, place: int, last: int) -> Mark | None:
        """The figure that ends where the name begins: "40 m head", "80 mm of nominal diameter"."""
        for first in range(max(0, place - REACH), place):
            if self.taken[first] or not self.words[first].number:
                continue
            figures = self._figures(attribute, first)
            if figures is None or (attribute.unit and not figures[3]):
                continue
            end = token_after(self.words, first, figures[2])
            between = self.words[end:place]
            if end > place or any(token.text not in self.vocabulary.stop for token in between):
                continue
            if not any(PARTED.search(token.gap) for token in self.words[end : place + 1]):
                return self._mark(attribute, first, last, figures, last=last)
        return None

    def _behind(self, attribute: OwnAttribute, place: int, last: int) -> Mark | None:
        """The figure behind the name: "head of at least 40 m", "DN 80", "PN16"."""
        for at in range(last, min(last + REACH, len(self.words))):
            token = self.words[at]
            if self.taken[at] or PARTED.search(token.gap):
                return None
            if token.number:
                figures = self._figures(attribute, at)
                return None if figures is None else self._mark(attribute, at, at, figures, first=place)
            if token.text not in self.vocabulary.stop and token.text not in self.vocabulary.bound_words:
                return None
        return None

    def _figures(self, attribute: OwnAttribute, place: int) -> tuple[float, float, int, bool] | None:
        """(lowest, highest, where the text of them ends, whether a unit stands there) in the attribute's unit."""
        number = number_at(self.folded, self.words, place, vocabulary=self.vocabulary)
        if number is None:
            return None
        value, end, said = self._valued(attribute, number)
        if value is not None and self._negative(place):
            return -value, -value, end, bool(said)
        between = self.bound_before(place)[0] == "between"
        joined = (BETWEEN if between else RANGE).match(self.folded, end)
        if joined is not None and value is not None:
            second_place = token_after(self.words, place, joined.end())
            if second_place < len(self.words) and self.words[second_place].number:
                second = number_at(self.folded, self.words, second_place, vocabulary=self.vocabulary)
                other, other_end, told = self._valued(attribute, second) if second else (None, end, "")
                if told and not said:
                    value = converted(self._plain(number) or 0.0, said=told, declared=attribute.unit or "")
                if other is not None and value is not None:
                    low, high = sorted((value, other))
                    return low, high, other_end, bool(told)
        return None if value is None else (value, value, end, bool(said))

    def _plain(self, number: Number) -> float | None:
        return decimal(number.text, language=self.language, unit=None) if number.text else number.value

    def _valued(self, attribute: OwnAttribute, number: Number) -> tuple[float | None, int, str]:
        """The value in the attribute's unit, where it ends, and the unit that is said."""
        value = self._plain(number)
        unit = behind_figures(attribute.unit).match(self.folded, number.end) if attribute.unit else None
        if value is None or unit is None:
            other = unit_at(self.folded, number.end)
            glued = re.match(r"[a-z%°]", self.folded[number.end : number.end + 1])
            said = self.folded[number.end : other[1]].strip(" -") if other else ""
            named = said in self.vocabulary.stop or any(said == label[0] for label in attribute.labels)
            of_another = glued or (said and not named)
            return (None if of_another else value), number.end, ""
        return converted(value, said=unit[1], declared=attribute.unit or ""), unit.end(), unit[1]

    def _mark(
        self,
        attribute: OwnAttribute,
        figure_at: int,
        at: int,
        figures: tuple[float, float, int, bool],
        *,
        first: int | None = None,
        last: int | None = None,
    ) -> Mark:
        low, high, end, _ = figures
        before, begin = self.bound_before(figure_at)
        behind = token_after(self.words, at, end) if last is None else last
        after, over = self.bound_after(behind)
        operator: Operator = "between" if low != high else (before or after or attribute.bound)
        operator = attribute.bound if operator == "between" and low == high else operator
        starts = min(begin, figure_at) if first is None else first
        ends = over if before is None and after is not None else behind
        return Mark(attribute.name, starts, ends, self.words[starts].start,
                    max(end, self.words[ends - 1].end), operator=operator, low=low, high=high,
                    unit=attribute.unit or "", own=True)  # fmt: skip

    def _named_value(self, attribute: OwnAttribute, texts: Sequence[str], place: int, last: int) -> Mark | None:
        """A value beside the name: "impeller bronze", "bronze impeller", "body material: cast iron"."""
        for value in sorted(attribute.values, key=len, reverse=True):
            said = list(tokens_of(value))
            for at in range(last, min(last + 3, len(texts))):
                if said and texts[at : at + len(said)] == said:
                    return self._said(attribute, value, place, at + len(said))
                if texts[at] not in self.vocabulary.stop:
                    break
            if said and texts[max(0, place - len(said)) : place] == said:
                return self._said(attribute, value, place - len(said), last)
        return None

    def _said(self, attribute: OwnAttribute, value: str, first: int, last: int) -> Mark:
        return Mark(attribute.name, first, last, self.words[first].start, self.words[last - 1].end,
                    values=frozenset({value}))  # fmt: skip
