"""Defaults of a quote, from its account or else from the house, and the numbering of quotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import Formatter
from typing import Annotated

from psycopg.sql import SQL
from pydantic import AfterValidator, Field

from quarry.data.database import Connection
from quarry.text import LETTER

# Where all active price books are in one currency, there is no other choice.
DEFAULTS = SQL("""
    SELECT coalesce(a.currency, h.currency, b.currency) AS currency,
        coalesce(a.billing_frequency, h.billing_frequency) AS billing_frequency,
        coalesce(a.payment_terms, h.payment_terms) AS payment_terms
    FROM (SELECT CASE WHEN count(DISTINCT p.currency) = 1 THEN min(p.currency) END AS currency
          FROM cpq.price_books p WHERE p.tenant = quarry.current_tenant() AND p.active) b
    LEFT JOIN quarry.house h ON h.tenant = quarry.current_tenant()
    LEFT JOIN cpq.accounts a ON a.tenant = quarry.current_tenant() AND a.id = %(account_id)s
""")


@dataclass(frozen=True, slots=True)
class Defaults:
    """Terms of a quote that the call need not give; a field is None where neither account nor house says it."""

    currency: str | None
    billing_frequency: str | None
    payment_terms: str | None


def defaults(connection: Connection, *, account_id: str | None = None) -> Defaults:
    [row] = connection.execute(DEFAULTS, {"account_id": account_id}).fetchall()
    return Defaults(**row)


USUAL_NUMBERS = "Q-{year}-{number:04}"
"""The pattern of a house that has none of its own."""

NUMBERS = SQL("SELECT quote_numbers FROM quarry.house WHERE tenant = quarry.current_tenant()")

# The first number follows those that past quotes, of another system, have in the same pattern.
TAKE_NUMBER = SQL("""
    INSERT INTO cpq.counters AS c (tenant, kind, year, last)
    VALUES (quarry.current_tenant(), %(kind)s, %(year)s, CASE
        WHEN EXISTS (SELECT FROM cpq.counters t
            WHERE t.tenant = quarry.current_tenant() AND t.kind = %(kind)s AND t.year = %(year)s) THEN 1
        ELSE 1 + coalesce((
            SELECT max(substring(p.quote_number FROM %(past)s)::integer) FROM quotes.past_quotes p
            WHERE p.tenant = quarry.current_tenant() AND p.quote_number ~ %(past)s), 0) END)
    ON CONFLICT (tenant, kind, year) DO UPDATE SET last = c.last + 1
    RETURNING last
""")

LONGEST_ID, LAST = 40, "\ufaff"
"""The second is the last letter that the database takes in an id."""

_FIELD = re.compile(r"\{number[^}]*\}")


def _checked_pattern(pattern: str) -> str:
    """Returns the pattern if it is valid, else raises ValueError that says what a pattern is made of."""
    how = (
        "write capital letters, digits, blanks, . _ - / # № + and {number:04}, with {year} or {yy} where each year "
        "begins at 1"
    )
    try:
        parts = list(Formatter().parse(pattern))
    except ValueError as fault:
        raise ValueError(f"'{pattern}' cannot be read ({fault}): {how}") from fault
    plain = "".join(literal for literal, _, _, _ in parts)
    fields = [(name, spec, conversion) for _, name, spec, conversion in parts if name is not None]
    fits = max(plain, default="") <= LAST and re.fullmatch(f"(?:{LETTER}|[ ._/#№+-])*", plain)
    if plain != plain.upper() or not fits:
        raise ValueError(f"'{pattern}' has other characters: {how}")
    if [name for name, _, _ in fields].count("number") != 1:
        raise ValueError(f"'{pattern}' needs {{number}} once: {how}")
    for name, spec, conversion in fields:
        shape = r"(?:0[1-9])?" if name == "number" else ""
        if name not in ("number", "year", "yy") or conversion or not re.fullmatch(shape, spec or ""):
            raise ValueError(f"'{pattern}' has a part that nobody can fill in: {how}")
    longest = numbered(pattern, year=9999, number=999_999_999)
    if not longest[0].isalnum() or longest.split() != longest.split(" ") or len(longest) > LONGEST_ID:
        raise ValueError(
            f"'{pattern}' has to begin with a letter or digit, have single blanks inside only, and stay within "
            f"{LONGEST_ID} characters"
        )
    return pattern


NumberPattern = Annotated[str, Field(max_length=60), AfterValidator(_checked_pattern)]
"""How quotes are numbered, such as AN-{year}-{number:04}."""


def numbered(pattern: str, *, year: int, number: int) -> str:
    return pattern.format(year=f"{year:04}", yy=f"{year % 100:02}", number=number)


def next_number(connection: Connection, *, kind: str, year: int, past: str | None = None) -> int:
    """Takes the next number of its kind, without gaps. Take it late, because others wait until this transaction ends.

    A rollback gives the number back. ``past`` is a regular expression of past quotes' numbers, which are taken.
    """
    [row] = connection.execute(TAKE_NUMBER, {"kind": kind, "year": year, "past": past}).fetchall()
    return int(row["last"])


def quote_ids(connection: Connection, *, year: int) -> Iterator[str]:
    """Yields ids for a new quote in the house's pattern; the number of each is taken only when it is asked for."""
    row = connection.execute(NUMBERS).fetchone()
    pattern = (row and row["quote_numbers"]) or USUAL_NUMBERS
    # How far numbers are padded is no part of their counter: 0042 and 042 are one number.
    plain = _FIELD.sub("{number}", pattern)
    around = [re.escape(part.format(year=f"{year:04}", yy=f"{year % 100:02}")) for part in plain.split("{number}")]
    past = "^" + r"(\d{1,9})".join(around) + "$"
    kind = "Q" if plain == _FIELD.sub("{number}", USUAL_NUMBERS) else plain
    counted_in = year if "{year}" in pattern or "{yy}" in pattern else 0
    while True:
        number = next_number(connection, kind=kind, year=counted_in, past=past)
        yield numbered(pattern, year=year, number=number)
