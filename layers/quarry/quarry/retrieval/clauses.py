"""Compiles needs to SQL: filters that hide rows, and conditions under which a row is worth judging."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from psycopg.sql import SQL, Composable, Composed, Placeholder

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.points import points_of
from quarry.data.database import NONE
from quarry.money import MONEY
from quarry.needs.grammar import FIELDS
from quarry.needs.judge import find, meant
from quarry.needs.judge import window as window_of
from quarry.needs.model import (
    BUILT_IN,
    DATE,
    DESCRIPTION,
    NAMES,
    PART_NUMBERS,
    Choice,
    Need,
    Unread,
    amounts_in,
)
from quarry.precedents.list_prices import PER_PIECE, counts
from quarry.retrieval.condition import A_TEXT, BOUNDED, IN_COLUMN, OPEN, Clause, Condition, FoundByIndex, of_clauses
from quarry.retrieval.corpus import Column, Corpus
from quarry.text import key_of, part_key, words_of

VALUES = SQL("""
    SELECT v.doc FROM search.attribute_values v
    WHERE v.tenant = %(tenant)s AND v.corpus = {corpus} AND v.attribute = {attribute}{match}""")
# The values of one row, looked up by its id whatever the planner expects of others. The index of figures does not
# hold place: without a condition on it that index looked as good, and each row read all values of the attribute.
OF_ROW = SQL("""
    EXISTS (
        SELECT FROM (
            SELECT v.code, v.low, v.high, v.flag FROM search.attribute_values v
            WHERE v.doc = d.id AND v.tenant = %(tenant)s AND v.corpus = {corpus} AND v.attribute = {attribute}
                AND v.place > 0
            OFFSET 0) v
        WHERE true{match})""")
GOODS, LINES = SQL("'equipment.products'"), SQL("'quotes.line_items'")


def of_filters(
    corpus: Corpus, needs: Sequence[Need], *, attributes: Attributes, beside: Sequence[Need] = ()
) -> Condition:
    """Returns the condition that a row meets all needs; a value that a row lacks meets none. What is asked ``beside``
    them may say the currency of amounts.
    """
    currency = amounts_in((*needs, *beside), attributes=attributes)
    return of_clauses(*compiled(corpus, needs, attributes=attributes, prefix="f", currency=currency))


def compiled(
    corpus: Corpus,
    needs: Iterable[Need],
    *,
    attributes: Attributes,
    prefix: str,
    close: bool = False,
    currency: str | None = None,
) -> tuple[list[Clause], dict[str, object]]:
    """Compiles each need to a condition, and returns these with their parameters; ``close`` accepts close values, and
    amounts have to be in ``currency``. A need that the corpus cannot be asked for is met by no row.
    """
    found: list[Clause] = []
    parameters: dict[str, object] = {}
    for number, need in enumerate(needs):
        writer = _Writer(corpus, attributes, f"{prefix}{number}_", close=close, currency=currency)
        found.append(writer.clause(need))
        parameters |= writer.parameters
    return found, parameters


def saying(corpus: Corpus, name: str, *, attributes: Attributes, prefix: str) -> tuple[Composable, dict[str, object]]:
    """Returns the condition that a row has a value of one of the tenant's attributes, and its parameters."""
    writer = _Writer(corpus, attributes, prefix, close=False)
    return writer.any_of(name), writer.parameters


class _Writer:
    """Writes the condition of one need; names of its parameters begin with a prefix of its own."""

    def __init__(
        self, corpus: Corpus, attributes: Attributes, prefix: str, *, close: bool, currency: str | None = None
    ) -> None:
        self._corpus, self._attributes, self._prefix, self._close = corpus, attributes, prefix, close
        self._currency = currency
        self.parameters: dict[str, object] = {}
        self._named = Placeholder(f"{prefix}attribute")
        self._match: Composable | None = None
        self._spread = BOUNDED
        self._keys = 0
        self._ids: list[Composable] = []

    def clause(self, need: Need) -> Clause:
        sql = self.condition(need)
        if (points := self._points(need.name)) and not need.is_silence:
            # Rows with points of it are judged at it, and it hides the others alone.
            sql = SQL("({} OR {})").format(sql, self._having(points))
        if need.or_silent:
            said = self._has_value(need, self._corpus.built_in.get(need.name))
            return Clause(SQL("({} OR ({}) IS NOT TRUE)").format(sql, said))
        alone = self._corpus.holds_itself and not need.negated
        if points and self._match is not None:
            parts = ((self._named, self._match), (self._any_of(points), SQL("")))
            self._ids = [VALUES.format(corpus=GOODS, attribute=one, match=match) for one, match in parts]
        if alone and self._ids:
            ids = SQL("({})").format(SQL(" UNION ").join(self._ids)).as_string()
            return Clause(sql, FoundByIndex(ids, sql.as_string(), IN_COLUMN))
        if alone and self._match is not None:
            forms = (form.format(corpus=GOODS, attribute=self._named, match=self._match) for form in (VALUES, OF_ROW))
            ids, of_row = (form.as_string() for form in forms)
            return Clause(sql, FoundByIndex(ids, of_row, self._spread, need.name, self._match.as_string()))
        return Clause(sql, names=alone and 0 < self._keys == len(need.choices))

    def condition(self, need: Need) -> Composable:
        column = self._corpus.built_in.get(need.name)
        if need.is_silence:
            return SQL("({}) IS {}TRUE").format(self._has_value(need, column), SQL("" if need.negated else "NOT "))
        if column is not None:
            met = SQL("({})").format(SQL(" OR ").join(self._of_column(column, need, one) for one in need.choices))
            denied = SQL("({} IS NOT NULL AND NOT {})").format(column.sql, met)
            inner = denied if need.negated else met
            if need.name in MONEY and self._currency:
                own = self._corpus.built_in["currency"].sql
                return SQL("({} AND {} = {})").format(inner, own, self._put("currency", self._currency))
            return SQL(column.within.as_string()).format(inner) if not need.negated else self._none(column, met)
        if need.name in BUILT_IN:
            return SQL("false")
        self._put("attribute", need.name)
        self._match = SQL(" AND ({})").format(SQL(" OR ").join(self._of_values(need, c) for c in need.choices))
        met = self._holding(self._match)
        return SQL("({} AND NOT {})").format(self._holding(SQL("")), met) if need.negated else met

    def _has_value(self, need: Need, column: Column | None) -> Composable:
        """Returns the condition that a row has a value of the attribute; an empty text is none."""
        if column is not None:
            said = SQL("(nullif(({})::text, '') IS NOT NULL)").format(column.sql)
            return SQL(column.within.as_string()).format(said)
        return SQL("false") if need.name in BUILT_IN else self.any_of(need.name)

    def any_of(self, name: str) -> Composed:
        self._put("attribute", name)
        points = self._points(name)
        return self._having([name, *points]) if points else self._holding(SQL(""))

    def _points(self, name: str) -> Sequence[str]:
        return [one.name for one in points_of(self._attributes) if one.condition == name]

    def _having(self, names: Sequence[str]) -> Composed:
        return self._holding(SQL(""), attribute=self._any_of(names))

    def _any_of(self, names: Sequence[str]) -> Composed:
        return SQL("ANY ({}::text[])").format(self._put("names", names))

    def _none(self, column: Column, met: Composable) -> Composable:
        """Returns the condition of a need denied of lines: some line has a value, and none has a denied one."""
        within = SQL(column.within.as_string())
        return SQL("({} AND NOT {})").format(
            within.format(SQL("{} IS NOT NULL").format(column.sql)), within.format(met)
        )

    def _holding(self, match: Composable, *, attribute: Composable | None = None) -> Composed:
        name = attribute or self._named
        goods, lines = (VALUES.format(corpus=each, attribute=name, match=match) for each in (GOODS, LINES))
        any_lines = VALUES.format(corpus=LINES, attribute=name, match=SQL(""))
        return self._corpus.holding.format(goods=goods, lines=lines, any_lines=any_lines)

    def _of_values(self, need: Need, choice: Choice) -> Composable:
        if choice.flag is not None:
            self._spread = OPEN
            return SQL("(v.code = '' AND v.flag = {})").format(self._put("flag", choice.flag))
        if choice.low is not None:
            return SQL("(v.code = '' AND {})").format(
                self._within(SQL("v.low"), SQL("v.high"), choice, need.attribute)
            )
        self._spread = A_TEXT
        return SQL("v.code = ANY ({}::text[])").format(self._put("codes", self._codes(need, choice)))

    def _codes(self, need: Need, choice: Choice) -> list[str]:
        """Returns the keys of all values on record that the judge accepts for an alternative."""
        one = Need(need.attribute, (choice,), need.asked)
        listed = self._attributes.listed.get(need.name, frozenset())
        accepted = ("met", "close", "unknown") if self._close else ("met",)
        found = ((text, find(one, Value(texts=(text,)), attributes=self._attributes)) for text in listed)
        return sorted({key_of(text) for text, each in found if each.verdict in accepted} | {key_of(choice.value)})

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
        self._spread = max(self._spread, BOUNDED if len(said) > 1 else OPEN)
        return SQL(" AND ").join(said) if said else SQL("true")

    def _of_column(self, column: Column, need: Need, choice: Choice) -> Composable:
        name, sql = need.name, column.sql
        if choice.flag is not None:
            return SQL("{} = {}").format(sql, self._put("flag", choice.flag))
        if choice.low is not None:
            if name == DATE:
                return self._of_days(sql, choice)
            if column.of_one:
                self.parameters |= counts(self._attributes.units)
            figure = SQL("({})::float8").format(column.of_one or sql)
            return self._within(figure, figure, choice, need.attribute)
        values = meant(name, choice.value, attributes=self._attributes)
        keys = [key_of(value) for value in values]
        if name in PART_NUMBERS:
            return self._of_part_numbers(column, choice, [part_key(value) for value in values])
        if name == DESCRIPTION:
            words = self._put("words", [_containing(word) for word in words_of(choice.value)])
            return SQL("search.value_key({}) LIKE ALL ({}::text[])").format(sql, words)
        if name == "family":
            of_family = self._put("keys", [key.replace(" ", "_") for key in keys])
            return self._among(column, SQL("{} = ANY ({}::text[])").format(sql, of_family))
        if name in NAMES:
            return self._among(column, self._of_names(column.each, values))
        padded = self._put("keys", [_containing(f" {key} ") for key in keys])
        said = SQL("' ' || search.value_key({}) || ' ' LIKE ANY ({}::text[])").format(column.each, padded)
        return self._among(column, said)

    def _of_part_numbers(self, column: Column, choice: Choice, keys: Sequence[str]) -> Composable:
        key = column.part_key or SQL("equipment.model_key({})").format(column.sql)
        if choice.operator == "~":
            return SQL("strpos({}, {}) > 0").format(key, self._put("part", keys[0] or None))
        self._keys += column.part_key is not None
        return SQL("{} = ANY ({}::text[])").format(key, self._put("keys", list(keys)))

    def _among(self, column: Column, said: Composable) -> Composable:
        """Tests each text of a column once, because to fold a text takes ten times as long as to compare it."""
        self._ids += [column.ids.format(said)] if column.ids else []
        return column.texts.format(said) if column.texts else said

    def _of_names(self, sql: Composable, names: Iterable[str]) -> Composable:
        """Returns the condition that a name contains one asked for, without its legal form, or all its words."""
        found: list[Composable] = []
        for name in names:
            # A subquery that depends on no row is computed once.
            part = SQL("(SELECT search.company_key({}::text))").format(self._put("name", name))
            words = self._put("words", [_containing(word) for word in key_of(name).split()])
            found.append(
                SQL("strpos(search.name_key({}), {}) > 0 OR search.value_key({}) LIKE ALL ({}::text[])").format(
                    sql, part, sql, words
                )
            )
        return SQL("({} IS NOT NULL AND ({}))").format(sql, SQL(" OR ").join(found))

    def _of_days(self, sql: Composable, choice: Choice) -> Composable:
        first, last = map(_day, choice.ends)
        if choice.operator in (">=", ">", "<=", "<"):
            return SQL("{} {} {}::date").format(sql, SQL(choice.operator), self._put("day", first))
        return SQL("{} BETWEEN {}::date AND {}::date").format(sql, self._put("day", first), self._put("day", last))

    def _put(self, name: str, value: object) -> Placeholder:
        base = f"{self._prefix}{name}"
        key = base if name == "attribute" else f"{base}{len(self.parameters)}"
        self.parameters[key] = value
        return Placeholder(key)


def _containing(part: str) -> str:
    """Returns a pattern for LIKE ALL, which folds a row's text once for all words; a function would for each."""
    escaped = part.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"


def _day(figure: float) -> date:
    whole = int(figure)
    return date(whole // 10_000, whole // 100 % 100, whole % 100)


def value_of(
    corpus: Corpus, name: str, attributes: Attributes
) -> tuple[Composable | None, dict[str, object], Sequence[Unread]]:
    """Returns (SQL that reads a figure, a flag or a first text, its parameters, why there is none); of a range it
    reads the upper end.
    """
    column = corpus.built_in.get(FIELDS.get(name, name))
    if column is not None and column.within.as_string() == "{}":
        return column.sql, {}, ()
    attribute = attributes.named(name)
    if attribute is None or corpus.value.as_string() == "NULL":
        return None, {}, (Unread(name, "", "rows here have no such attribute"),)
    value = field_of(corpus, {"number": "high", "flag": "flag", "text": "raw"}[attribute.kind])
    return value, {"by_attribute": attribute.name}, ()


def field_of(corpus: Corpus, field: str) -> Composable:
    """Returns SQL that reads a field of a row's first value of the attribute in the parameter by_attribute."""
    return SQL(corpus.value.as_string()).format(field=SQL(field), attribute=Placeholder("by_attribute"))


class RowOrder(NamedTuple):
    """The order that a sort asks for, None without one, what it reads beside ``narrow``, and why there is none."""

    sql: Composable | None = None
    joins: Composable = SQL("")
    parameters: Mapping[str, object] = NONE
    unread: Sequence[Unread] = ()


def order_of(corpus: Corpus, sort: str | None, attributes: Attributes) -> RowOrder:
    """Returns the order of values. Amounts are compared within their currency, prices of pieces as that of one: those
    of the house's currency come first, or where it has none those of most rows.
    """
    if sort is None:
        return RowOrder()
    name = sort.removeprefix("-")
    value, parameters, unread = value_of(corpus, name, attributes)
    if value is None:
        return RowOrder(unread=unread)
    direction = SQL("DESC" if sort.startswith("-") else "ASC")
    if name not in MONEY or parameters:  # an attribute of the tenant's may be called so
        return RowOrder(SQL("{} {} NULLS LAST").format(value, direction), parameters=parameters)
    amount = corpus.money if FIELDS.get(name, name) in ("price", "total") else value
    of_one = SQL(PER_PIECE).format(amount=amount, unit=corpus.unit)
    each = of_one if corpus.built_in[FIELDS.get(name, name)].of_one else amount
    first = SQL("{} = %(house_currency)s::text" if attributes.currency else "count(*) OVER (PARTITION BY {})")
    order = SQL("{0} IS NULL, {3} DESC NULLS LAST, {1}, {4} {2}")
    asked = {"priced": True, "house_currency": attributes.currency, **counts(attributes.units)}
    own_first = first.format(corpus.currency)
    return RowOrder(order.format(amount, corpus.currency, direction, own_first, each), corpus.grouping, asked)
