"""A searchable table: where it stands, what of a row is shown, and what a row can be judged by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from psycopg.sql import SQL, Composed

from quarry.units import Units, in_us

Kind = Literal["equipment", "line_items", "past_quotes", "passages"]
"""Kinds of search whose hits are judged apart: what makes a product right is not what makes a passage right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """``row`` are the arguments of jsonb_build_object for a copy, ``on`` its date; both read ``d`` and the joins."""

    row: SQL
    on: SQL


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """``columns`` and ``joins`` read the base table as ``d``; ``condition`` is the hard filter over ``d`` and what
    ``narrow`` joins to it, with named parameters that are NULL when the caller did not filter on them.

    Unless ``gated``, a query that nothing in the corpus resembles still gets its nearest rows. With ``names``,
    queries are understood and rows judged by what they ask: it selects (kind, name, maker, key, family) of the
    tenant's models, customers and salespeople, and ``named`` the models of %(part_numbers)s. ``meeting`` is the
    condition that a row's columns lie within the limits ``n`` of an item, ``nearness`` how far they are from what
    it asks. ``filters`` are the columns that filters read, by the filter's name without _min or _max, and ``label``
    names a row to a reader; ``off_size`` is how far its size is from the sizes that filters bound. With ``copies``,
    rows of the same words are one hit that lists the others. ``document`` is the row's search.document, for what
    reads its text (a reranker). With ``sentences`` a row is as near to a query as its own vector and that of its
    nearest sentence are on average.
    """

    schema: str
    table: str
    columns: SQL | Composed
    condition: SQL | Composed
    kind: Kind = "passages"
    joins: SQL = field(default_factory=lambda: SQL(""))
    narrow: SQL = field(default_factory=lambda: SQL(""))
    gated: bool = True
    model_key: str | None = None
    names: SQL | Composed | None = None
    named: SQL | Composed | None = None
    meeting: SQL | Composed | None = None
    nearness: SQL = field(default_factory=lambda: SQL("0.0::float8"))
    filters: Mapping[str, SQL] = field(default_factory=dict)
    label: SQL = field(default_factory=lambda: SQL("d.id::text"))
    off_size: SQL = field(default_factory=lambda: SQL("0.0::float8"))
    copies: Copies | None = None
    document: SQL | None = None
    sentences: bool = False


@dataclass(frozen=True)
class Given:
    """The hard filters of a call, with bounds in ``units``; those that are None were not given."""

    typed: Mapping[str, object | None]
    units: Units = "us"
    attributes: str | None = None
    """What ``typed`` asks of the tenant's own attributes, as equipment.has_attributes reads it."""

    @cached_property
    def names(self) -> Sequence[str]:
        return [name for name, value in self.typed.items() if value is not None]

    @cached_property
    def columns(self) -> Mapping[str, object | None]:
        """The filters in the columns' units."""
        columns = in_us(self.typed, units=self.units)
        return {**columns, "attributes": self.attributes} if self.attributes else columns
