"""Columns that several kinds of rows share, and cells of a CSV file that hold a list or an object as JSON."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

from psycopg.sql import SQL, Composed, Identifier, Literal
from pydantic import BeforeValidator, Field


def _structure(value: Any) -> Any:
    """Parses a list or an object that a CSV cell holds as JSON. Raises ValueError when it is not JSON."""
    return json.loads(value) if isinstance(value, str) else value


Structure = BeforeValidator(_structure)

Name = Annotated[str, Field(min_length=1, max_length=300)]
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=300)]
ProductId = Annotated[str, Field(pattern=r"^prod_[a-z0-9_]{1,90}$")]
ProductReference = Annotated[str, Field(min_length=1, max_length=100)]
"""A product's id or its SKU."""

AccountId = Annotated[str, Field(pattern=r"^acct_[a-z0-9_]{1,90}$")]
PriceBookId = Annotated[str, Field(pattern=r"^pb_[a-z0-9_]{1,90}$")]
PolicyId = Annotated[str, Field(pattern=r"^pol_[a-z0-9_]{1,90}$")]
ApproverId = Annotated[str, Field(pattern=r"^apr_[a-z0-9_]{1,90}$")]
TaxRuleId = Annotated[str, Field(pattern=r"^tax_[a-z0-9_]{1,90}$")]

UNKNOWN_CURRENCY = SQL("""
    SELECT (e.index - 1)::integer AS index,
        format('%%s: ISO 4217 has no %%L', side.name, e.value ->> side.name) AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index), unnest({columns}::text[]) AS side (name)
    WHERE e.value ->> side.name NOT IN (SELECT currency FROM cpq.currencies)
""")

ABSENT = SQL("""
    SELECT (e.index - 1)::integer AS index, format({reason}, e.value ->> {column}) AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    WHERE e.value ->> {column} <> ''
        AND NOT EXISTS (SELECT FROM {table} p WHERE p.tenant = %(tenant)s AND ({named}))
""")

# A second row with the same value would break the unique constraint and with it the whole chunk.
TAKEN = SQL("""
    WITH given AS (
        SELECT (e.index - 1)::integer AS index, e.value ->> 'id' AS id, e.value ->> {name} AS value
        FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index))
    SELECT g.index, format({reason}, g.value) AS reason
    FROM given g
    WHERE EXISTS (SELECT FROM {table} p WHERE p.tenant = %(tenant)s AND p.{column} = g.value AND p.id <> g.id)
       OR EXISTS (SELECT FROM given o WHERE o.value = g.value AND o.id <> g.id AND o.index < g.index)
""")


def taken(table: str, column: str, *, reason: str) -> Composed:
    """Finds rows whose value of the column another row has, stored or in the file; ``reason`` has %%L for it."""
    names = {"table": Identifier("cpq", table), "column": Identifier(column)}
    return TAKEN.format(name=Literal(column), reason=Literal(reason), **names)


def absent(column: str, *, among: str, by: Sequence[str] = ("id",), reason: str) -> Composed:
    """Finds rows whose column names no row of the table ``among`` in any of its columns ``by``; an empty one names
    none, and ``reason`` has %%L for what it says.
    """
    named = SQL(" OR ").join(SQL("p.{} = e.value ->> {}").format(Identifier(name), Literal(column)) for name in by)
    return ABSENT.format(reason=Literal(reason), column=Literal(column), table=Identifier("cpq", among), named=named)


def unknown_currency(*columns: str) -> Composed:
    """Finds the rows in which one of these columns names no currency."""
    return UNKNOWN_CURRENCY.format(columns=list(columns))
