"""Conditions of eligible rows, in the forms that statements use: of all rows at once, or of some in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from psycopg.sql import SQL, Composable

BOUNDED, IN_COLUMN, A_TEXT, OPEN = range(4)
"""Selectivity of conditions, the fewest rows first: a figure, a name of kind or maker, a text, a one-sided bound."""

# The planner expects a handful of rows of each part, and would hash the largest to probe it with the smallest. Where
# few rows are left, each is tested for the next part: to look one up takes as long as to read thirty values.
NEXT = SQL("""{after} (id) AS MATERIALIZED (
    SELECT d.id FROM {before} d WHERE NOT EXISTS (SELECT FROM {before} OFFSET 2000) AND {of_row}
    UNION ALL
    SELECT p.doc FROM ({ids}) p
    WHERE EXISTS (SELECT FROM {before} OFFSET 2000) AND coalesce(p.doc IN (SELECT id FROM {before}), false))""")
NEXT_OF_COLUMN = SQL("""{after} (id) AS MATERIALIZED (
    SELECT p.doc FROM ({ids}) p WHERE coalesce(p.doc IN (SELECT id FROM {before}), false))""")


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of eligible rows; without ``sql`` all are. Equal ones share a statement with other parameters.

    Indexes answer the parts in ``told``, not the ``rest``; rows that it ``names`` are looked up first.
    """

    sql: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict, compare=False)
    told: tuple["FoundByIndex", ...] = ()
    rest: str = ""
    names: bool = False

    def __bool__(self) -> bool:
        return bool(self.sql)

    @property
    def composed(self) -> Composable:
        return SQL(self.sql or "true")

    @property
    def as_one(self) -> Composable:
        """For statements that read the whole of a small corpus. A planner that knows no values expects one row of
        each filter and joins them in loops; behind coalesce it looks them up in a hash table.
        """
        return SQL("coalesce({}, false)").format(self.composed) if self else self.composed

    @property
    def alone(self) -> Composable | None:
        """Selects each id once, None unless indexes answer all; DISTINCT, as several texts of a row may match."""
        once = SQL("DISTINCT" if any(part.spread == A_TEXT for part in self.told) else "")
        told = bool(self.told) and not self.rest
        return SQL("SELECT {} s.doc AS id FROM ({}) s").format(once, self.ids) if told else None

    @property
    def of_all(self) -> Composable:
        """For statements that read all eligible rows. A planner that expects few rows of each filter looks every row
        up in turn, or never ends; ids that are read once and intersected cost no more than there are.
        """
        if self.names:
            return self.of_one
        by_values = any(part.spread != IN_COLUMN for part in self.told)
        return self._with(SQL("d.id = ANY (ARRAY({}))").format(self.ids)) if by_values else self.composed

    @property
    def of_one(self) -> Composable:
        """For statements that test some rows in turn."""
        return self._with(*(SQL(part.of_row) for part in self.told)) if self.told else self.composed

    @property
    def ids(self) -> Composable:
        """Selects the ids (doc) of rows that satisfy all parts of ``told``, the most selective part first."""
        first, *others = sorted(self.told, key=lambda part: part.spread)
        if not others:
            return SQL(first.ids)
        steps = [SQL("s0 (id) AS MATERIALIZED ({})").format(SQL(first.ids))]
        for place, part in enumerate(others):
            before, after = SQL(f"s{place}"), SQL(f"s{place + 1}")
            step = NEXT_OF_COLUMN if part.spread == IN_COLUMN else NEXT
            steps.append(step.format(before=before, after=after, ids=SQL(part.ids), of_row=SQL(part.of_row)))
        return SQL("WITH {} SELECT id AS doc FROM {}").format(SQL(", ").join(steps), after)

    def match(self, attribute: str) -> Composable:
        """The parts that are asked of values v of the attribute."""
        return SQL("".join(part.match for part in self.told if part.attribute == attribute))

    def _with(self, *parts: Composable) -> Composable:
        return SQL(" AND ").join([*parts, *([SQL(self.rest)] if self.rest else [])])

    def joined(self, other: "Condition") -> "Condition":
        if not self or not other:
            return self or other
        rests = filter(None, (each.rest if each.told else each.sql for each in (self, other)))
        parameters = {**self.parameters, **other.parameters}
        told, names = (*self.told, *other.told), self.names or other.names
        return Condition(f"{self.sql} AND {other.sql}", parameters, told, " AND ".join(rests), names)


class FoundByIndex(NamedTuple):
    """A condition that an index answers, of values or of a column: the statement that selects the ids (doc) of all
    such rows, and the test of one row. ``spread`` is lower where fewer rows may qualify. ``match`` is what is asked
    of a value v of the ``attribute``.
    """

    ids: str
    of_row: str
    spread: int
    attribute: str = ""
    match: str = ""


class Clause(NamedTuple):
    """A condition of rows, and its form by index if it has one; ``names`` marks a few rows named by part numbers."""

    sql: Composable
    told: FoundByIndex | None = None
    names: bool = False


def of_clauses(clauses: Sequence[Clause], parameters: Mapping[str, object]) -> Condition:
    if not clauses:
        return Condition()
    every = SQL(" AND ").join(clause.sql for clause in clauses).as_string()
    told = tuple(clause.told for clause in clauses if clause.told)
    rest = SQL(" AND ").join(clause.sql for clause in clauses if clause.told is None).as_string()
    return Condition(every, parameters, told, rest if told else "", any(clause.names for clause in clauses))
