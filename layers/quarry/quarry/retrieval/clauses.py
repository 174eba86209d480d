"""Needs as conditions of SQL: filters that hide rows, and what a row has to have to be worth a look."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from psycopg.sql import SQL, Composable, Composed, Placeholder

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.needs.judge import find, meant
from quarry.needs.judge import window as window_of
from quarry.needs.model import BUILT_IN, DATE, DESCRIPTION, NAMES, PART_NUMBERS, Choice, Need, Unread
from quarry.retrieval.corpus import Column, Corpus
from quarry.text import key_of, part_key, words_of

MOST = 12
"""Filters of one call; each is a look-up of its own."""

VALUES = SQL("""
    SELECT v.doc FROM search.attribute_values v
    WHERE v.tenant = %(tenant)s AND v.corpus = {corpus} AND v.attribute = {attribute}{match}""")
GOODS, LINES = SQL("'equipment.products'"), SQL("'quotes.line_items'")


@dataclass(frozen=True, slots=True)
class Condition:
    """Which rows are eligible; without ``sql`` all are. Equal conditions are one statement with other parameters."""

    sql: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict, compare=False)

    def __bool__(self) -> bool:
        return bool(self.sql)

    @property
    def composed(self) -> Composable:
        return SQL(self.sql or "true")

    @property
    def as_one(self) -> Composable:
        """For statements that read a whole corpus, a small one. A planner that knows no values expects one row of
        each filter and joins them in loops; behind coalesce it looks them up in a hash table.
        """
        return SQL("coalesce({}, false)").format(self.composed) if self else self.composed


def of_filters(corpus: Corpus, needs: Sequence[Need], *, attributes: Attributes) -> Condition:
    """Only rows that meet every need, at most MOST of them; a value that a row does not say meets none."""
    clauses, parameters = compiled(corpus, needs[:MOST], attributes=attributes, prefix="f")
    return Condition(SQL(" AND ").join(clauses).as_string() if clauses else "", parameters)


def compiled(
    corpus: Corpus, needs: Iterable[Need], *, attributes: Attributes, prefix: str, close: bool = False
) -> tuple[list[Composable], dict[str, object]]:
    """A condition for each need that its corpus can be asked for, and their parameters; ``close``: that will do too.

    A need that it cannot be asked for is met by no row.
    """
    found: list[Composable] = []
    parameters: dict[str, object] = {}
    for number, need in enumerate(needs):
        writer = _Writer(corpus, attributes, f"{prefix}{number}_", close=close)
        found.append(writer.condition(need))
        parameters |= writer.parameters
    return found, parameters


def saying(corpus: Corpus, name: str, *, attributes: Attributes, prefix: str) -> tuple[Composable, dict[str, object]]:
    """The condition that a row says anything of an attribute of the tenant's own, and its parameters."""
    writer = _Writer(corpus, attributes, prefix, close=False)
    return writer.any_of(name), writer.parameters


class _Writer:
    """Writes the condition of one need; names of its parameters begin with a prefix of its own."""

    def __init__(self, corpus: Corpus, attributes: Attributes, prefix: str, *, close: bool) -> None:
        self._corpus, self._attributes, self._prefix, self._close = corpus, attributes, prefix, close
        self.parameters: dict[str, object] = {}

    def condition(self, need: Need) -> Composable:
        column = self._corpus.built_in.get(need.name)
        if need.is_silence:
            return SQL("({}) IS {}TRUE").format(self._said(need, column), SQL("" if need.negated else "NOT "))
        if column is not None:
            met = SQL("({})").format(SQL(" OR ").join(self._of_column(column, need, one) for one in need.choices))
            denied = SQL("({} IS NOT NULL AND NOT {})").format(column.sql, met)
            inner = denied if need.negated else met
            return SQL(column.within.as_string()).format(inner) if not need.negated else self._none(column, met)
        if need.name in BUILT_IN:
            return SQL("false")
        self._put("attribute", need.name)
        met = self._holding(SQL(" AND ({})").format(SQL(" OR ").join(self._of_values(need, c) for c in need.choices)))
        return SQL("({} AND NOT {})").format(self._holding(SQL("")), met) if need.negated else met

    def _said(self, need: Need, column: Column | None) -> Composable:
        """Whether a row says anything of it: an empty text says nothing."""
        if column is not None:
            said = SQL("(nullif(({})::text, '') IS NOT NULL)").format(column.sql)
            return SQL(column.within.as_string()).format(said)
        return SQL("false") if need.name in BUILT_IN else self.any_of(need.name)

    def any_of(self, name: str) -> Composed:
        self._put("attribute", name)
        return self._holding(SQL(""))

    def _none(self, column: Column, met: Composable) -> Composable:
        """What is denied of lines is denied of each of them."""
        within = SQL(column.within.as_string())
        return SQL("({} AND NOT {})").format(
            within.format(SQL("{} IS NOT NULL").format(column.sql)), within.format(met)
        )

    def _holding(self, match: Composable) -> Composed:
        named = Placeholder(f"{self._prefix}attribute")
        goods = VALUES.format(corpus=GOODS, attribute=named, match=match)
        lines = VALUES.format(corpus=LINES, attribute=named, match=match)
        any_lines = VALUES.format(corpus=LINES, attribute=named, match=SQL(""))
        return self._corpus.holding.format(goods=goods, lines=lines, any_lines=any_lines)

    def _of_values(self, need: Need, choice: Choice) -> Composable:
        if choice.flag is not None:
            return SQL("(v.code = '' AND v.flag = {})").format(self._put("flag", choice.flag))
        if choice.low is not None:
            return SQL("(v.code = '' AND {})").format(
                self._within(SQL("v.low"), SQL("v.high"), choice, need.attribute)
            )
        return SQL("v.code = ANY ({}::text[])").format(self._put("codes", self._codes(need, choice)))

    def _codes(self, need: Need, choice: Choice) -> list[str]:
        """Which of the values that rows have answer it, as the judge sees it."""
        one = Need(need.attribute, (choice,), need.asked)
        listed = self._attributes.listed.get(need.name, frozenset())
        return sorted({key_of(text) for text in listed if self._answers(one, text)} | {key_of(choice.value)})

    def _answers(self, need: Need, text: str) -> bool:
        verdict = find(need, Value(texts=(text,)), words=frozenset(), attributes=self._attributes).verdict
        return verdict == "met" or (self._close and verdict != "contradicted")

    def _within(self, low: Composable, high: Composable, choice: Choice, attribute: Attribute) -> Composable:
        least, most, first = window_of(choice, attribute, close=self._close)
        parts = [
            (high, SQL(">="), "least", least), (high, SQL("<="), "most", most), (low, SQL("<="), "first", first),
        ]  # fmt: skip
        said = [
            SQL("{} {} {}::float8").format(end, sign, self._put(name, bound))
            for end, sign, name, bound in parts
            if math.isfinite(bound)
        ]
        return SQL(" AND ").join(said) if said else SQL("true")

    def _of_column(self, column: Column, need: Need, choice: Choice) -> Composable:
        name, sql = need.name, column.sql
        if choice.flag is not None:
            return SQL("{} = {}").format(sql, self._put("flag", choice.flag))
        if choice.low is not None:
            if name == DATE:
                return self._of_days(sql, choice)
            figure = SQL("({})::float8").format(sql)
            return self._within(figure, figure, choice, need.attribute)
        values = meant(name, choice.value, attributes=self._attributes)
        if name in PART_NUMBERS:
            keys = [part_key(value) for value in values]
            if choice.operator == "~":
                return SQL("strpos(equipment.model_key({}), {}) > 0").format(sql, self._put("part", keys[0] or None))
            return SQL("equipment.model_key({}) = ANY ({}::text[])").format(sql, self._put("keys", keys))
        folded = SQL("search.value_key({})").format(sql)
        if name in NAMES:
            return self._of_names(sql, folded, values)
        if name == DESCRIPTION:
            words = self._put("words", [_containing(word) for word in words_of(choice.value)])
            return SQL("{} LIKE ALL ({}::text[])").format(folded, words)
        keys = [key_of(value) for value in values]
        if name == "family":
            return SQL("{} = ANY ({}::text[])").format(
                sql, self._put("keys", [key.replace(" ", "_") for key in keys])
            )
        return SQL("' ' || {} || ' ' LIKE ANY ({}::text[])").format(
            folded, self._put("keys", [_containing(f" {key} ") for key in keys])
        )

    def _of_names(self, sql: Composable, folded: Composable, names: Iterable[str]) -> Composable:
        """A part of a name without blanks and its own legal form, or all the words asked for, wherever they stand."""
        found: list[Composable] = []
        for name in names:
            # Behind SELECT what depends on no row is computed once.
            part = SQL("(SELECT search.company_key({}::text))").format(self._put("name", name))
            words = self._put("words", [_containing(word) for word in key_of(name).split()])
            found.append(
                SQL("strpos(search.name_key({}), {}) > 0 OR {} LIKE ALL ({}::text[])").format(
                    sql, part, folded, words
                )
            )
        return SQL("({} IS NOT NULL AND ({}))").format(sql, SQL(" OR ").join(found))

    def _of_days(self, sql: Composable, choice: Choice) -> Composable:
        assert choice.low is not None
        assert choice.high is not None
        first, last = _day(choice.low), _day(choice.high)
        sign = {">=": SQL(">="), ">": SQL(">"), "<=": SQL("<="), "<": SQL("<")}.get(choice.operator)
        if sign is not None:
            end = first if choice.operator in (">=", "<") else last
            return SQL("{} {} {}::date").format(sql, sign, self._put("day", end))
        return SQL("{} BETWEEN {}::date AND {}::date").format(sql, self._put("day", first), self._put("day", last))

    def _put(self, name: str, value: object) -> Placeholder:
        base = f"{self._prefix}{name}"
        key = base if name == "attribute" else f"{base}{len(self.parameters)}"
        self.parameters[key] = value
        return Placeholder(key)


def _containing(part: str) -> str:
    """A pattern of LIKE: it folds a row's text once for all of them, where a function would for each."""
    escaped = part.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"


def _day(figure: float) -> date:
    whole = int(figure)
    return date(whole // 10_000, whole // 100 % 100, whole % 100)


def value_of(
    corpus: Corpus, name: str, attributes: Attributes
) -> tuple[Composable | None, dict[str, object], Sequence[Unread]]:
    """What SQL reads an attribute of a row by: its figure, its flag or its first text."""
    column = corpus.built_in.get(name)
    if column is not None and column.within.as_string() == "{}":
        return column.sql, {}, ()
    attribute = attributes.named(name)
    if attribute is None or corpus.value.as_string() == "NULL":
        return None, {}, (Unread(name, "", "rows here have no such attribute"),)
    fields = {"number": "low", "flag": "flag", "text": "raw"}
    value = SQL(corpus.value.as_string()).format(
        field=SQL(fields[attribute.kind]), attribute=Placeholder("by_attribute")
    )
    return value, {"by_attribute": attribute.name}, ()
