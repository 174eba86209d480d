"""A searchable table: where it stands, what is shown of a row, and by what a row can be judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from psycopg.sql import SQL, Composed

Kind = Literal["equipment", "line_items", "past_quotes", "passages"]
"""Kinds of search whose hits are judged apart: what makes a product right is not what makes a passage right."""

QUOTES = "quotes"
"""The name under which groups of lines also count the quotes that these belong to."""


# The {field} of a row's first value of {attribute}. It reads the row and not search.attribute_values, where a plan
# that knows no values would go through all of the attribute for each row. A plain figure is read as it stands:
# search.values_of takes ten times as long.
FIRST_VALUE = SQL("""
    CASE WHEN jsonb_typeof({row}.attributes -> {{attribute}}) = 'number' THEN (
        SELECT v.{{field}}
        FROM (SELECT f.low, f.low AS high, NULL::boolean AS flag, NULL::text AS raw, NULL::text AS code
              FROM (SELECT ({row}.attributes ->> {{attribute}})::float8 AS low) f) v)
    WHEN {row}.attributes ? {{attribute}} THEN (
        SELECT v.{{field}}
        FROM search.values_of(jsonb_build_object({{attribute}}::text, {row}.attributes -> {{attribute}})) v
        WHERE v.place = 1) END""")


class Column(NamedTuple):
    """A built-in attribute: ``sql`` reads it from ``d`` and what ``narrow`` joins; rows have it as ``key``.

    ``within`` turns a condition {} on goods into one on rows: a quote has what a line of it has. ``texts`` holds
    where the column is among its distinct texts, read as ``each``, of which {} is true; None where rows hardly share
    one. ``ids`` selects the ids (doc) of such rows by an index, and ``part_key`` is its stored equipment.model_key.
    ``one_by`` reads the key that all spellings of one value share. ``sorted_in`` is the table of which an index on
    tenant and column gives the rows in the column's order, if there is one. ``of_one`` reads the price of one piece,
    where the column's may be for several, and needs the parameter of ``list_prices.counts``.
    """

    sql: SQL
    key: str
    within: SQL = SQL("{}")
    texts: SQL | None = None
    part_key: SQL | None = None
    ids: SQL | None = None
    one_by: SQL | None = None
    sorted_in: str | None = None
    of_one: SQL | None = None

    @property
    def each(self) -> SQL:
        """The expression that conditions read: the column, or one of its distinct texts."""
        return SQL("each.text") if self.texts else self.sql


# A planner that expects a third of all texts reads all rows to find those of one; of unnest it expects ten.
TEXTS = "{alias}.{name} IN (SELECT unnest(ARRAY(SELECT each.text FROM ({texts} OFFSET 0) each WHERE {{}})))"
DISTINCT = "SELECT DISTINCT x.{name} AS text FROM {table} x WHERE x.tenant = %(tenant)s"
# It walks from one text to the next by an index on tenant and text, however many rows share one.
BY_INDEX = """WITH RECURSIVE walked (text) AS (
        SELECT min(x.{name}) FROM {table} x WHERE x.tenant = %(tenant)s
        UNION ALL
        SELECT (SELECT min(x.{name}) FROM {table} x WHERE x.tenant = %(tenant)s AND x.{name} > w.text)
        FROM walked w WHERE w.text IS NOT NULL)
    SELECT w.text FROM walked w WHERE w.text IS NOT NULL"""
# It joins text by text, because a plan that expects many of them would read the whole table.
ROWS_BY_INDEX = """
    SELECT x.id AS doc FROM ({texts} OFFSET 0) each CROSS JOIN LATERAL (
        SELECT x.id FROM {table} x WHERE x.tenant = %(tenant)s AND x.{name} = each.text OFFSET 0) x
    WHERE {{}}"""

ITSELF = SQL("{}")


def columns(
    alias: str,
    *names: str,
    texts_of: str | None = None,
    indexed: bool = False,
    within: SQL = ITSELF,
    one_by: str | None = None,
) -> dict[str, Column]:
    """Returns columns that rows and ``d``, or what ``narrow`` joins, have under the attributes' own names.
    ``texts_of`` is their table where many rows share a text; ``indexed`` says that an index on tenant and text
    exists; ``one_by`` reads the key of their spellings.
    """
    key = SQL(one_by) if one_by else None
    if texts_of is None:
        return {name: Column(SQL(f"{alias}.{name}"), name, within, one_by=key) for name in names}
    found = {}
    for name in names:
        texts = (BY_INDEX if indexed else DISTINCT).format(name=name, table=texts_of)
        among = SQL(TEXTS.format(alias=alias, name=name, texts=texts))
        ids = SQL(ROWS_BY_INDEX.format(name=name, table=texts_of, texts=texts)) if indexed else None
        found[name] = Column(SQL(f"{alias}.{name}"), name, within, among, ids=ids, one_by=key)
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """A searchable table. ``columns`` and ``joins`` read it as ``d``, conditions ``d`` and what ``narrow`` joins.

    Unless ``gated``, a query that nothing in the corpus resembles still gets its nearest rows. With ``built_in``,
    columns by attributes' names, rows are judged by needs, and filters are needs too: ``holding`` is the
    condition that a row has one of the values that {goods} or {lines} select, where {any_lines} selects lines
    that have any value; ``holds_itself`` says that it asks {goods} alone; ``value`` is the {field} of its value
    of {attribute}. ``label`` is the key that names a row to a reader, ``dated`` its date. Groups compare
    ``money`` in ``currency`` for one ``unit``, and add ``sums`` up, or under QUOTES count them once; these, and what
    sorts or counts amounts, join ``grouping``. With ``copies``, rows of the same words are one hit that counts the
    others. With ``sentences``, nearness to a query is the mean of that of a row's own vector and of its nearest
    sentence's.
    """

    schema: str
    table: str
    columns: SQL | Composed
    kind: Kind = "passages"
    joins: SQL = field(default_factory=lambda: SQL(""))
    narrow: SQL = field(default_factory=lambda: SQL(""))
    gated: bool = True
    built_in: Mapping[str, Column] = field(default_factory=dict)
    holding: SQL = field(default_factory=lambda: SQL("false"))
    holds_itself: bool = False
    value: SQL | Composed = field(default_factory=lambda: SQL("NULL"))
    label: str = "id"
    dated: SQL = field(default_factory=lambda: SQL("NULL::date"))
    grouping: SQL | Composed = field(default_factory=lambda: SQL(""))
    money: SQL = field(default_factory=lambda: SQL("NULL::numeric"))
    currency: SQL = field(default_factory=lambda: SQL("NULL::text"))
    unit: SQL = field(default_factory=lambda: SQL("NULL::text"))
    sums: Mapping[str, SQL] = field(default_factory=dict)
    copies: bool = False
    sentences: bool = False
    most_judged: int = 200
    """Most rows that are judged for their attributes, beside those that the legs found."""

    @property
    def judged(self) -> bool:
        return bool(self.built_in)
