"""Judges rows by needs (by their facts and attributes, a quote also by its best line) and by words not read."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from quarry.attributes.model import Attributes, Value, once, value_of, values_of
from quarry.money import MONEY, plainly
from quarry.needs.grammar import figure_of_day
from quarry.needs.judge import find
from quarry.needs.model import BEST_FIRST, BUILT_IN, DESCRIPTION, Finding, Judgement, Need, Verdict, of_families
from quarry.needs.set_up import AskedConditions, as_set_up, asked_at, at_conditions
from quarry.precedents.list_prices import pieces_in, times
from quarry.retrieval.corpus import Corpus
from quarry.text import DENOMINATORS, figures_in, fold, is_long, key_of_figure, stem_of, words_of

PREFIX = 6
"""First letters by which a word is recognised in another form or at the head of a compound."""


_FRACTION = re.compile(rf"(?<![\d/])\d{{1,2}}[/\u2044](?:{DENOMINATORS})(?![\d/])")


class RowWords(NamedTuple):
    """The stems of a row's text with its fractions, and the first letters of its longer words."""

    stems: frozenset[str]
    beginnings: frozenset[str]

    def have(self, word: str) -> bool:
        return (
            word in self.stems
            or stem_of(word) in self.stems
            or (len(word) >= PREFIX and word[:PREFIX] in self.beginnings)
        )


@lru_cache(maxsize=20_000)
def read_words(text: str) -> RowWords:
    words = words_of(text)
    return RowWords(
        frozenset((*map(stem_of, words), *fractions_in(text), *_counted(words))),
        frozenset(word[:PREFIX] for word in words if len(word) >= PREFIX),
    )


def fractions_in(text: str) -> list[str]:
    """Returns fractions as sizes are written, 3/8 of G3/8, which are no words each by itself."""
    return [found.replace("\u2044", "/") for found in _FRACTION.findall(fold(text))]


def telling(text: str) -> list[str]:
    """Returns the words of a text that tell rows apart, and its fractions."""
    # Imported here, because words are left unread only where the reader, which needs this anyway, has run.
    from quarry.reading.languages import plain_words

    words = (word for word in words_of(text) if is_long(word) or (word.isdigit() and len(word) > 1))
    return [*(word for word in words if word not in plain_words()), *fractions_in(text)]


def _counted(words: Sequence[str]) -> list[str]:
    """Returns figures of one sign with the stem of the word behind them, "3 way", of which each alone says little."""
    return [
        f"{figure} {stem_of(word)}"
        for figure, word in pairwise(words)
        if len(figure) == 1 and figure.isdigit() and len(word) > 2 and word.isalpha()
    ]


@dataclass(frozen=True)
class Judge:
    """Judges rows of a corpus by needs; ``machines`` of each stand together, ``down`` of them may be out.

    ``beside`` are needs judged elsewhere, at whose conditions rows are judged here too. ``either`` has the places of
    needs of which one is meant: the one that a row answers best counts, the others are wishes. Of amounts in another
    ``currency``, if there is one, nothing is known.
    """

    corpus: Corpus
    needs: Sequence[Need]
    attributes: Attributes
    machines: int = 1
    down: int = 0
    beside: Sequence[Need] = ()
    either: Sequence[Sequence[int]] = ()
    currency: str | None = None

    @cached_property
    def asked(self) -> AskedConditions | None:
        return asked_at((*self.needs, *self.beside), self.attributes)

    def of(self, row: Mapping[str, Any]) -> Judgement:
        judgement = self._of_all(row)
        if not self.either:
            return judgement
        findings = list(judgement.findings)
        for places in self.either:
            best = min(places, key=lambda place: BEST_FIRST.index(findings[place].verdict))
            for place in {*places} - {best}:
                findings[place] = findings[place]._replace(need=findings[place].need._replace(wish=True))
        return Judgement(tuple(findings))

    def _of_all(self, row: Mapping[str, Any]) -> Judgement:
        if self.corpus.kind != "past_quotes":
            return self._judge(self.needs, row)
        of_goods = [need for need in self.needs if self._is_of_goods(need)]
        own = [need for need in self.needs if need not in of_goods]
        judged = [
            self._judge(own, row),
            *(self._best_line(item, row) for item in self._items([need for need in of_goods if not need.negated])),
            *(self._worst_line(need, row) for need in of_goods if need.negated),
        ]
        found: dict[Need, Finding] = {each.need: each for one in judged for each in one.findings}
        return Judgement(tuple(found[need] for need in self.needs))

    def values(self, row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Value]:
        """Returns a row's values of the attributes, as set up: its own, else what its catalogue row has."""
        found = {name: value for name in names if (value := self._value(row, name)) is not None}
        if self.asked:
            has = partial(self._value, row)
            found |= at_conditions(names, has, asked=self.asked, attributes=self.attributes)
        if self.machines == 1 and not self.down:
            return found
        known = self.attributes.by_name
        counted = {one.adds: value.low for name, one in known.items() if one.adds in ("units", "reserve")
                   and (value := self._value(row, name)) is not None and value.low}  # fmt: skip
        return as_set_up(
            found, attributes=known, machines=self.machines, down=self.down,
            units=counted.get("units"), reserve=counted.get("reserve", 0),
        )  # fmt: skip

    def _value(self, row: Mapping[str, Any], name: str) -> Value | None:
        if name in BUILT_IN:
            if name == "year" and (day := row.get("quote_date")) is not None:
                return plain_value(day.year)
            column = self.corpus.built_in.get(name)
            stored = row.get(column.key if column and column.key in row else name)
            if stored is not None and column and column.of_one:
                per = row.get("price_unit") or row.get("unit")
                if count := pieces_in(per, self.attributes.units):
                    stored = times(stored, 1 / count, str(row.get("currency")))
            return plain_value(stored)
        return held_value(row, name)

    def _judge(self, needs: Sequence[Need], row: Mapping[str, Any]) -> Judgement:
        names = [need.name for need in needs]
        values = self.values(row, names)
        if self.currency and row.get("currency") not in (None, self.currency):
            values = {name: value for name, value in values.items() if name not in MONEY}
        # To cut a row's text into words costs more than all the rest.
        words = words_in(row).stems if DESCRIPTION in names else frozenset[str]()
        return _judged(tuple(needs), tuple(map(values.get, names)), row.get("family"), words, self.attributes)

    def _is_of_goods(self, need: Need) -> bool:
        column = self.corpus.built_in.get(need.name)
        if column is None:
            return need.name not in BUILT_IN
        return need.name != DESCRIPTION and column.within.as_string() != "{}"

    def _items(self, needs: Sequence[Need]) -> list["Item"]:
        """Groups needs by the lines that have to answer them: one item for each family asked for, and one for what
        goods of these families do not have: a pump and, beside it, a kind of accessory.
        """
        items: list[Item] = []
        for need in needs:
            if need.name == "family":
                items.append(Item([need], frozenset(of_families([need], attributes=self.attributes))))
        for need in (one for one in needs if one.name != "family"):
            own = need.attribute.families
            fitting = [item for item in items if not own or not item.families or own & item.families]
            if fitting:
                fitting[0].needs.append(need)
            else:
                items.append(Item([need], own if items else frozenset()))
        return items

    def _best_line(self, item: "Item", row: Mapping[str, Any]) -> Judgement:
        """Judges the line that answers best; what no line of the goods' own family can answer was not sold."""
        lines = row.get("_lines") or ()
        if item.families:
            lines = [line for line in lines if line["family"] in item.families]
        if not lines:
            missing: Verdict = "contradicted" if row.get("_lines") else "unknown"
            return Judgement(tuple(Finding(need, missing) for need in item.needs))
        judged = [(self._judge(item.needs, line), bool(line.get("optional"))) for line in lines]
        return min(judged, key=lambda one: (one[0].contradicted, *_open(one[0]), one[1]))[0]

    def _worst_line(self, need: Need, row: Mapping[str, Any]) -> Judgement:
        """Judges a negated need, which every line of the quote has to meet, options apart."""
        lines = [line for line in row.get("_lines") or () if not line.get("optional")]
        judged = [self._judge([need], line) for line in lines]
        denied = next((one for one in judged if one.contradicted), None)
        return denied or Judgement((Finding(need, "met" if judged else "unknown"),))


@lru_cache(maxsize=20_000)
def _judged(
    needs: Sequence[Need],
    values: Sequence[Value | None],
    family: str | None,
    words: frozenset[str],
    attributes: Attributes,
) -> Judgement:
    """Judges a row that has these values; cached, because many rows, and the searches of a request, share them."""
    found = []
    for need, value in zip(needs, values, strict=True):
        each = find(need, value, words=words, attributes=attributes)
        if each.verdict == "unknown" and family is not None and not need.negated and not need.attribute.is_of(family):
            # Nothing denies what goods of this family cannot have, yet they are no answer: a filter has no volume.
            each = each._replace(lacking=True)
        found.append(each)
    return Judgement(tuple(found))


def held_value(row: Mapping[str, Any], name: str) -> Value | None:
    """Returns a row's own value of an attribute, else that of its catalogue row."""
    for held in (row.get("attributes"), row.get("_catalogue")):
        if held and (value := once(held, values_of).get(name)) is not None:
            return value
    return None


class Item(NamedTuple):
    """Needs that one line of a quote has to answer, one of ``families`` if there are any."""

    needs: list[Need]
    families: frozenset[str] = frozenset()


def _open(judgement: Judgement) -> tuple[float, int]:
    return judgement.count("unknown") + judgement.count("close") / 2, judgement.wishes_missed


def plain_value(stored: object) -> Value | None:
    """Converts a fact of a row to a value; days become figures."""
    match stored:
        case date():
            figure = figure_of_day(stored)
            return Value(low=figure, high=figure, raw=stored.isoformat())
        case Decimal():
            return Value(low=float(stored), high=float(stored), raw=plainly(stored))
    return value_of(stored)


def words_in(row: Mapping[str, Any]) -> RowWords:
    return read_words(text_of(row))


def figures_of(row: Mapping[str, Any]) -> frozenset[str]:
    """Returns the keys of all figures that a row says, in words and, alone and with the attribute's name, in values,
    including a quote's lines.
    """
    held = [once(one, _attribute_figures) for one in (row.get("attributes"), row.get("_catalogue")) if one]
    lines = [once(line, figures_of) for line in row.get("_lines") or ()]
    return figures_in(text_of(row)).union(*held, *lines)


def _attribute_figures(held: Mapping[str, Any]) -> frozenset[str]:
    values = [(name, end) for name, value in once(held, values_of).items() for end in (value.low, value.high)]
    ends = [(name, key_of_figure(end)) for name, end in values if end is not None]
    return frozenset((*(key for _, key in ends), *(f"{name} {key}" for name, key in ends)))


def text_of(row: Mapping[str, Any]) -> str:
    """Returns all that a row says in words, including a quote's lines."""
    texts = [value for name, value in row.items() if isinstance(value, str) and name not in UNSAID]
    for held in (row.get("attributes"), row.get("_catalogue")):
        texts += once(held, _attribute_texts) if held else ()
    texts += [once(line, text_of) for line in row.get("_lines") or ()]
    return " ".join(texts)


UNSAID = frozenset(("source", "status", "currency", "price_unit"))
"""Columns whose texts tell nothing of the goods."""


def _attribute_texts(held: Mapping[str, Any]) -> list[str]:
    """Returns the texts of a row's attributes, and the names of those that it answers with yes."""
    values = once(held, values_of)
    return [text for name, value in values.items() for text in value.texts or ([name] if value.flag else ())]


MOST_TOLD = 5
"""Most words that an answer names because no row has them: of a whole letter they would be many."""


class UnreadWords(NamedTuple):
    """Words that were not read. ``worth`` has those that some rows have, the more the fewer have it; ``share`` is
    their part of all that was asked. ``foreign`` are those that no row has, as they were written; ``known`` is false
    where all are.
    """

    worth: Mapping[str, float] = MappingProxyType({})
    share: float = 0.0
    foreign: tuple[str, ...] = ()
    known: bool = True

    @staticmethod
    def of(rest: str, rows: Sequence[RowWords], *, needs: int, query: str | None = None) -> "UnreadWords":
        """``rest`` are the words of ``query`` that were not read; unset, all of them."""
        # What stood between a figure and a word may have been read: "2 pumps, brass" asks for no "2 brass".
        together = set(_counted(words_of(query or rest)))
        counted = (pair for pair in _counted(words_of(rest)) if pair in together)
        asked = dict.fromkeys((*telling(rest), *counted))
        having = {word: sum(row.have(word) for row in rows) for word in asked}
        # A figure before a word that no row has so may count the goods.
        having = {word: count for word, count in having.items() if count or " " not in word}
        worth = {
            word: math.log(1 + len(rows) / (1 + count)) for word, count in having.items() if 0 < count < len(rows)
        }
        written = {fold(word): word for word in re.findall(r"[^\W_]+", rest)}
        foreign = tuple(written.get(word, word) for word, count in having.items() if not count)
        share = len(worth) / (len(worth) + needs) if worth else 0.0
        return UnreadWords(worth, share, foreign, known=len(foreign) < len(having) or not having)

    def told_of(self, needs: Sequence[Need], *, words: Collection[str]) -> tuple[list[str], str | None]:
        """Returns (the first of the words that neither a row nor ``words``, those of the whole corpus, have; a notice
        that nothing may fit, where nothing else says what goods are asked for).
        """
        said = (word for word in self.foreign if len(word) > 2 and not word.replace("/", "").isdigit())
        nowhere = [word for word in said if fold(word) not in words][:MOST_TOLD]
        names_goods = any(need.attribute.kind != "number" for need in needs)
        if not nowhere or self.known or names_goods or len(nowhere) < min(len(self.foreign), MOST_TOLD):
            return nowhere, None
        alike = "; the rows share figures alone" if needs else ""
        return nowhere, f"Nothing here has the words {', '.join(nowhere)}, so nothing may fit{alike}."

    def of_row(self, row: RowWords) -> dict[str, Any]:
        """Returns fields of a Candidate: shares of the request that it lacks and has."""
        if not self.worth:
            return {}
        had = [worth for word, worth in self.worth.items() if row.have(word)]
        told = sum(had) / sum(self.worth.values())
        return {"lacking": self.share * (1 - told), "told": self.share * told}
