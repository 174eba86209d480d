"""What a filter by two attributes costs over the narrow table, beside the same filter over plain columns.

Both go through row-level security, in one session and by turns, over the same rows; the plain table is made for it.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.sql import SQL, Composed

from bench.judging import percentile
from bench.scale.catalogue import cfm_at_least
from bench.scale.measuring import need
from quarry.corpora import PRODUCTS
from quarry.retrieval.clauses import of_filters
from quarry.retrieval.here import attributes_of

ROUNDS = 100
SHOWN = 100

PLAIN = (
    SQL("DROP TABLE IF EXISTS public.plain_products"),
    SQL("""
        CREATE TABLE public.plain_products AS
        SELECT d.id, d.tenant, d.model, d.manufacturer, d.category, d.family, d.description,
            (d.attributes ->> 'hp')::float8 AS hp, (d.attributes ->> 'cfm')::float8 AS cfm,
            (d.attributes ->> 'psi')::float8 AS psi, d.attributes ->> 'lubrication' AS lubrication
        FROM equipment.products d
    """),
    # As the columns were indexed that attributes took the place of.
    SQL("CREATE INDEX ON public.plain_products (tenant, hp)"),
    SQL("CREATE INDEX ON public.plain_products (tenant, cfm)"),
    SQL("CREATE INDEX ON public.plain_products (tenant, psi)"),
    SQL("CREATE INDEX ON public.plain_products (tenant, lubrication)"),
    SQL("SELECT quarry.isolate('public.plain_products')"),
    SQL("GRANT SELECT ON public.plain_products TO quarry_read"),
    SQL("VACUUM ANALYZE public.plain_products"),
)
ROWS = SQL("""
    SELECT d.id, count(*) OVER () AS total FROM {table} d
    WHERE d.tenant = %(tenant)s AND {condition} ORDER BY d.id LIMIT %(shown)s
""")


@dataclass(frozen=True, slots=True)
class Filter:
    """``asked`` as a caller writes it; ``plain`` is the same over columns, with figures that stand in it."""

    label: str
    asked: Mapping[str, str]
    plain: SQL
    figures: Mapping[str, float | str]


FILTERS = (
    Filter(
        "two figures, few rows",
        {"cfm": f"> {cfm_at_least(0.02)!r}", "hp": "> 400"},
        SQL("d.cfm > %(cfm)s AND d.hp > %(hp)s"),
        {"cfm": cfm_at_least(0.02), "hp": 400},
    ),
    Filter(
        "two figures, some rows",
        {"cfm": f"> {cfm_at_least(0.1)!r}", "psi": "> 150"},
        SQL("d.cfm > %(cfm)s AND d.psi > %(psi)s"),
        {"cfm": cfm_at_least(0.1), "psi": 150},
    ),
    Filter(
        "two figures, many rows",
        {"cfm": f"> {cfm_at_least(0.5)!r}", "psi": "> 100"},
        SQL("d.cfm > %(cfm)s AND d.psi > %(psi)s"),
        {"cfm": cfm_at_least(0.5), "psi": 100},
    ),
    Filter(
        "a word and a figure",
        {"lubrication": "oilless", "cfm": f"> {cfm_at_least(0.1)!r}"},
        SQL("d.lubrication = %(word)s AND d.cfm > %(cfm)s"),
        {"word": "oilless", "cfm": cfm_at_least(0.1)},
    ),
)


@dataclass(slots=True)
class Compared:
    """Milliseconds by table, and how many rows satisfy the filter."""

    label: str
    rows: int = 0
    narrow: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)


def compare(connection: psycopg.Connection[Any], *, tenant: str) -> list[Compared]:
    """On the superuser's connection, which takes the role of a reader for it."""
    for statement in PLAIN:
        connection.execute(statement)
    connection.execute(
        # A role's own settings come with its login alone.
        "SELECT set_config('role', 'quarry_read', false), set_config('quarry.tenant', %s, false),"
        " set_config('plan_cache_mode', 'force_custom_plan', false)",
        [tenant],
    )
    try:
        return [_compared(connection, one, tenant=tenant) for one in FILTERS]
    finally:
        connection.execute("RESET ROLE")
        connection.execute("DROP TABLE public.plain_products")


def _compared(connection: psycopg.Connection[Any], one: Filter, *, tenant: str) -> Compared:
    asked = [need(name, said, tenant=tenant) for name, said in one.asked.items()]
    condition = of_filters(PRODUCTS, asked, attributes=attributes_of(tenant))
    shared = {"tenant": tenant, "shown": SHOWN}
    narrow = (
        ROWS.format(table=SQL("equipment.products"), condition=condition.composed),
        {**condition.parameters, **shared},
    )
    plain = ROWS.format(table=SQL("public.plain_products"), condition=one.plain), {**one.figures, **shared}
    found = Compared(one.label)
    for number in range(ROUNDS + 5):
        (narrow_ms, rows), (plain_ms, same) = _timed(connection, *narrow), _timed(connection, *plain)
        assert rows == same, f"{one.label}: the tables differ"
        if number >= 5:
            found.narrow.append(narrow_ms)
            found.plain.append(plain_ms)
        found.rows = rows[0][1] if rows else 0
    return found


def _timed(
    connection: psycopg.Connection[Any], statement: Composed, parameters: Mapping[str, object]
) -> tuple[float, Sequence[tuple[Any, ...]]]:
    started = time.perf_counter()
    rows = connection.execute(statement, parameters).fetchall()
    return (time.perf_counter() - started) * 1000, rows


def table(compared: Sequence[Compared]) -> str:
    lines = [
        "| filter by two attributes | rows | narrow p50 ms | p95 | plain columns p50 ms | p95 | ratio p50 | p95 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in compared:
        narrow, plain = ([percentile(ms, share) for share in (0.5, 0.95)] for ms in (one.narrow, one.plain))
        figures = " | ".join(f"{ms:.2f}" for ms in (*narrow, *plain))
        ratios = " | ".join(f"{mine / theirs:.2f}" for mine, theirs in zip(narrow, plain, strict=True))
        lines.append(f"| {one.label} | {one.rows:,} | {figures} | {ratios} |")
    return "\n".join(lines)
