"""Tables without words: the rows that filters leave, sorted, or grouped and counted by what they share."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from quarry.data import database
from quarry.money import digits, plain, with_code
from quarry.needs.model import Need, Unread
from quarry.precedents.list_prices import behind, in_words, pieces_of
from quarry.retrieval import legs, reasons
from quarry.retrieval.clauses import field_of, of_filters, order_of, value_of
from quarry.retrieval.condition import Condition
from quarry.retrieval.corpus import QUOTES, Column, Corpus
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Hit, Outcome, shown
from quarry.retrieval.tables import Cells, Table

MOST = 200

ROWS = SQL("""
    SELECT d.id AS doc FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {condition}
    ORDER BY {order}, d.id LIMIT {limit}
""")
# The index of figures is walked from the end asked for until enough rows pass; where too few of its first do, or rows
# without a figure belong to the table, all are read and sorted.
WALKED = SQL("""
    WITH walked AS MATERIALIZED (
        SELECT v.doc, v.high FROM search.attribute_values v
        WHERE v.tenant = %(tenant)s AND v.corpus = {corpus} AND v.attribute = %(by_attribute)s AND v.code = ''
            AND v.high IS NOT NULL AND v.place = 1{match}
        ORDER BY v.high {direction}, v.doc {direction} LIMIT 1000),
    passed AS MATERIALIZED (
        SELECT w.doc FROM (SELECT * FROM walked ORDER BY high {direction}, doc OFFSET 0) w
        CROSS JOIN LATERAL (
            SELECT FROM {base} d {narrow} WHERE d.id = w.doc AND d.tenant = %(tenant)s AND {of_one} OFFSET 0) d
        LIMIT {limit}),
    enough AS MATERIALIZED (SELECT count(*) = {limit} AS yes FROM passed)
    SELECT doc FROM passed WHERE (SELECT yes FROM enough)
    UNION ALL
    SELECT r.doc FROM ({rows}) r WHERE NOT (SELECT yes FROM enough)
""")
# The value behind which an index has so many rows up to the end asked for.
END = SQL("""
    SELECT x.{column} AS value FROM {table} x WHERE x.tenant = %(tenant)s AND x.{column} IS NOT NULL
    ORDER BY x.{column} {direction} OFFSET {rows} LIMIT 1
""")
NEAR = 8
"""For each row of a table so many near the end are read, if at least one in so many belongs to it."""

# Apart from the rows, because a window over them would keep each whole until all are counted.
TOTAL = SQL("SELECT count(*) AS total FROM ({ids}) s")
TOTAL_OF_ALL = SQL("SELECT coalesce(sum(documents), 0)::bigint AS total FROM {totals} WHERE tenant = %(tenant)s")
IDS = SQL("SELECT d.id FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {condition}")

NEWEST = SQL("{} DESC NULLS LAST")
HOUSES_FIRST = SQL("""
    g.currency = (SELECT h.currency FROM quarry.house h WHERE h.tenant = %(tenant)s) DESC NULLS LAST
""")

# Amounts of different currencies, or for different units, are never compared: all spellings of a piece are one unit,
# as is none. Goods are a group for each unit, others have no amounts where their prices buy different ones. What has
# no price counts under the currency and the unit of its group, if all others there have the same; it has no amounts,
# so that groups are put together, not rows.
GROUPS = SQL("""
    SELECT max(g.name) AS key, g.currency, max(g.said) AS unit,
        count(*) OVER (PARTITION BY g.key, g.currency) > 1 AS units, sum(g.count)::bigint AS count,
        max(g.least) FILTER (WHERE NOT g.mixed) AS least, max(g.median) FILTER (WHERE NOT g.mixed) AS median,
        max(g.mean) FILTER (WHERE NOT g.mixed) AS mean, max(g.most) FILTER (WHERE NOT g.mixed) AS most,
        max(g.newest) FILTER (WHERE NOT g.mixed) AS newest, max(g.label) FILTER (WHERE NOT g.mixed) AS label,
        max(g.newest_on) AS newest_on, {sums}, count(*) OVER () AS total
    FROM (
        SELECT s.*, {currency_of_all} AS currency, {unit_of_all} AS unit,
            first_value(s.spelling) OVER (same ORDER BY s.newest_on DESC NULLS LAST, s.spelling) AS name
        FROM (
            SELECT r.key, r.own_currency, {unit_apart} AS own_unit, {spelling} AS spelling,
                coalesce(min(r.own_unit) <> max(r.own_unit), false) AS mixed, count(*) AS count,
                min(r.money) AS least, max(r.money) AS most,
                round((percentile_cont(0.5) WITHIN GROUP (ORDER BY r.money::float8))::numeric, 4) AS median,
                round(avg(r.money), 4) AS mean, max(r.dated) AS newest_on,
                (array_agg(r.money ORDER BY r.dated DESC NULLS LAST, r.id DESC)
                 FILTER (WHERE r.money IS NOT NULL))[1] AS newest,
                (array_agg(r.said ORDER BY r.dated DESC NULLS LAST, r.id DESC)
                 FILTER (WHERE r.money IS NOT NULL))[1] AS said,
                (array_agg(r.label ORDER BY r.dated DESC NULLS LAST, r.id DESC)
                 FILTER (WHERE r.money IS NOT NULL))[1] AS label, {summed}
            FROM (
                SELECT p.*, CASE WHEN p.money IS NULL THEN NULL
                    WHEN p.said IS NULL OR lower(p.said) = ANY (%(pieces)s::text[]) THEN '' ELSE lower(p.said)
                    END AS own_unit
                FROM (
                    SELECT d.id, ({key})::text AS key, ({shown})::text AS shown, {currency} AS own_currency,
                        {unit} AS said, {money} AS money, {dated} AS dated, {label} AS label, {added}
                    FROM {base} d {narrow} {grouping} WHERE d.tenant = %(tenant)s AND {condition} OFFSET 0) p) r
            GROUP BY r.key, r.own_currency, {unit_apart}) s
        WINDOW same AS (PARTITION BY s.key)) g
    GROUP BY g.key, g.currency, g.unit ORDER BY {order} NULLS LAST, g.key, g.currency, g.unit LIMIT {limit}
""")
OF_ALL = """coalesce(s.own_{0},
            CASE WHEN min(s.own_{0}) OVER same = max(s.own_{0}) OVER same THEN min(s.own_{0}) OVER same END)"""
CURRENCY_OF_ALL, UNIT_OF_ALL = (SQL(OF_ALL.format(name)) for name in ("currency", "unit"))
NEWEST_SPELLING = SQL("(array_agg(r.shown ORDER BY r.dated DESC NULLS LAST, r.shown))[1]")

SUM, COUNT = SQL("sum({0}.{1}) AS {1}"), SQL("count(DISTINCT {0}.{1}) AS {1}")
QUANTITY = SQL("sum({0}.{1}) FILTER (WHERE NOT {0}.mixed) AS {1}")
COUNTS = (QUOTES, "quantity")
AMOUNTS = ("least", "median", "mean", "most")
GOODS = ("model", "sku")
"""What groups of goods are counted by: these are bought by the piece or by the metre."""
COUNTED = {"equipment": "products", "line_items": "lines", "past_quotes": "quotes"}
"""The column of how many rows a group has, by kind of corpus."""

LABELS: Mapping[str, SQL] = {
    "equipment": SQL("d.model"),
    "line_items": SQL("q.quote_number || '/' || d.position"),
    "past_quotes": SQL("d.quote_number"),
}


def listing(
    corpus: Corpus, *, tenant: str, filters: Sequence[Need] = (), sort: str | None = None, limit: int = MOST
) -> Outcome:
    """Returns at most ``limit`` rows that satisfy the filters, sorted by an attribute or the newest first."""
    attributes = attributes_of(tenant)
    condition = of_filters(corpus, filters, attributes=attributes)
    wanted = order_of(corpus, sort, attributes)
    base = _base(corpus, condition)
    base["narrow"] = SQL(" ").join([corpus.narrow, wanted.joins])
    order = wanted.sql or NEWEST.format(corpus.dated)
    most = Literal(min(limit, MOST))
    statement = ROWS.format(**base, order=order, limit=most)
    if sort and _is_walked(corpus, sort, tenant=tenant):
        statement = WALKED.format(
            **base,
            corpus=Literal(f"{corpus.schema}.{corpus.table}"),
            match=condition.match(str(wanted.parameters["by_attribute"])),
            of_one=condition.of_one,
            direction=SQL("DESC" if sort.startswith("-") else "ASC"),
            limit=most,
            rows=statement,
        )
    listed = (statement, {**condition.parameters, **wanted.parameters})
    silent = reasons.silent(corpus, filters, sort, attributes=attributes)
    counts = [(_total(corpus, condition), condition.parameters), *silent]
    if (column := _sorted(corpus, sort, tenant=tenant)) is None:
        found, [of_all], *counted = database.fetch_each(tenant, [listed, *counts])
    else:
        newest = sort is None or sort.startswith("-")
        ends, [of_all], *counted = database.fetch_each(tenant, [(_end(column, limit, newest=newest), {}), *counts])
        found = []
        if ends and of_all["total"] * NEAR >= legs.sizes()[tenant, corpus]:
            base["condition"] = SQL("{} {} %(end)s AND {}").format(
                column.sql, SQL(">=" if newest else "<="), condition.of_one
            )
            near = ROWS.format(**base, order=order, limit=most)
            found = database.fetch(tenant, near, listed[1] | {"end": ends[0]["value"]})
        if len(found) < min(limit, MOST, of_all["total"]):
            found = database.fetch(tenant, *listed)
    docs = [row["doc"] for row in found]
    compared = {(sort or "").removeprefix("-"), *(need.name for need in filters)}
    rows = {} if not docs else {
        row["_doc"]: row
        for row in legs.read(corpus, docs, tenant=tenant, condition=condition, vector=None, best=None,
                             also={"priced": "price" in compared})
    }  # fmt: skip
    hits = [Hit(shown(rows[doc]), score=None, confidence=None) for doc in docs if doc in rows]
    notices = [told for [row] in counted for told in reasons.of_silent(row)]
    if not hits:
        notices += reasons.of(corpus, filters, attributes=attributes, tenant=tenant)
    return Outcome(hits, notices=notices, unread=wanted.unread, total=of_all["total"])


def _sorted(corpus: Corpus, sort: str | None, *, tenant: str) -> Column | None:
    """Returns the column by which rows are sorted, if an index has it and sorting all rows would take longer."""
    column = corpus.built_in.get((sort or "date").removeprefix("-"))
    is_indexed = column is not None and column.sorted_in is not None
    return column if is_indexed and not legs.small(corpus, tenant=tenant, count=True) else None


def _end(column: Column, limit: int, *, newest: bool) -> Composed:
    return END.format(
        column=Identifier(column.sql.as_string().rpartition(".")[2]),
        table=SQL(column.sorted_in or ""),
        direction=SQL("DESC" if newest else "ASC"),
        rows=Literal(NEAR * min(limit, MOST)),
    )


def grouped(
    corpus: Corpus, *, tenant: str, by: str, filters: Sequence[Need] = (), sort: str | None = None, limit: int = MOST
) -> tuple[Table, Sequence[Unread]]:
    """Counts the rows that share each value, however spelled where there is a key of its spellings, with least,
    median, mean, most and newest of their amounts, and sums where rows say how many were sold for how much; sorted by
    one of these columns, or the largest group first.
    """
    attributes = attributes_of(tenant)
    condition = of_filters(corpus, filters, attributes=attributes)
    key, parameters, unread = value_of(corpus, by, attributes)
    if key is None:
        return Table(columns=[by], rows=[], total=0), unread
    sums = corpus.sums or {"sum": SQL("NULL::numeric")}
    head = [by, COUNTED[corpus.kind], *AMOUNTS, "newest", *corpus.sums]
    held = dict(zip(head, ["key", "count", *AMOUNTS, "newest_on", *corpus.sums], strict=True))
    if (wanted := (sort or f"-{head[1]}").removeprefix("-")) not in held:
        unread = [Unread("sort", wanted, f"a group is sorted by {', '.join(head)}")]
        sort, wanted = None, head[1]
    direction = SQL("ASC") if sort == wanted else SQL("DESC")
    order = SQL("{} {}").format(Identifier(held[wanted]), direction)
    if wanted == head[1]:
        # What has another currency or unit stands beside its like, so that neither is taken for all of it.
        order = SQL("sum(sum(g.count)) OVER (PARTITION BY g.key) {}, g.key, {}").format(direction, order)
    if wanted in (*AMOUNTS, "sum"):
        apart = SQL("g.currency" if wanted == "sum" else "g.currency, g.unit")
        order = SQL("{}, {}, {}").format(HOUSES_FIRST, apart, order)
    column, attribute = corpus.built_in.get(by), attributes.named(by)
    one_by = column.one_by if column else field_of(corpus, "code") if attribute and attribute.kind == "text" else None
    statement = GROUPS.format(
        **_base(corpus, condition), **_keyed(key, one_by), **_added_up(sums),
        dated=corpus.dated, label=LABELS[corpus.kind], grouping=corpus.grouping, money=corpus.money,
        currency=corpus.currency, unit=corpus.unit, unit_apart=SQL("r.own_unit" if by in GOODS else "''::text"),
        currency_of_all=CURRENCY_OF_ALL, unit_of_all=UNIT_OF_ALL, order=order, limit=Literal(min(limit, MOST)),
    )  # fmt: skip
    pieces = list(pieces_of(attributes.units))
    asked = {**condition.parameters, **parameters, "priced": True, "pieces": pieces}
    rows = database.fetch(tenant, statement, asked)
    groups = [
        Cells(
            [*_group(row), *(plain(row[one], "", {}) if one in COUNTS else _amount(one, row) for one in corpus.sums)]
        )
        for row in rows
    ]
    return Table(columns=head, rows=groups, total=rows[0]["total"] if rows else 0), unread


def _keyed(value: Composable, one_by: Composable | None) -> dict[str, Composable]:
    """Returns what rows are grouped by and how a group is called: its value, or the newest spelling of it."""
    if one_by is None:
        return {"key": value, "shown": SQL("NULL"), "spelling": SQL("r.key")}
    return {"key": SQL("coalesce({}, {})").format(one_by, value), "shown": value, "spelling": NEWEST_SPELLING}


def _added_up(sums: Mapping[str, SQL]) -> dict[str, Composed]:
    """Returns what is added up of rows, of those of one currency, and of groups."""
    named = {name: Identifier(name) for name in sums}
    return {
        "added": SQL(", ").join(SQL("{} AS {}").format(sums[name], own) for name, own in named.items()),
        "summed": SQL(", ").join(
            (COUNT if name == QUOTES else SUM).format(SQL("r"), own) for name, own in named.items()
        ),
        "sums": SQL(", ").join(
            (QUANTITY if name == "quantity" else SUM).format(SQL("g"), own) for name, own in named.items()
        ),
    }


def _is_walked(corpus: Corpus, sort: str, *, tenant: str) -> bool:
    """Whether rows may be read off the index of figures; a small corpus is sorted as soon."""
    attribute = attributes_of(tenant).named(sort.removeprefix("-"))
    figure = attribute is not None and attribute.kind == "number" and attribute.name not in corpus.built_in
    return figure and corpus.holds_itself and not legs.small(corpus, tenant=tenant)


def _total(corpus: Corpus, condition: Condition) -> Composed:
    if not condition:
        return TOTAL_OF_ALL.format(totals=Identifier(corpus.schema, f"{corpus.table}_totals"))
    if condition.alone:
        return TOTAL.format(ids=condition.alone)
    base, read = _base(corpus, condition), condition.of_all.as_string()
    # Postgres leaves out a join of which nothing is read, but then counts rows and not what an index holds of them.
    joined = re.findall(r"\b(\w++) ON", corpus.narrow.as_string())
    if not any(re.search(rf"\b{alias}\.", read) for alias in joined):
        base["narrow"] = SQL("")
    return TOTAL.format(ids=IDS.format(**base))


def _base(corpus: Corpus, condition: Condition) -> dict[str, Any]:
    return {
        "base": Identifier(corpus.schema, corpus.table),
        "narrow": corpus.narrow,
        "condition": condition.of_all,
    }


def _group(row: Mapping[str, Any]) -> list[str]:
    unit = row["unit"] or ""
    per = behind(unit) if row["units"] else ""
    last = _amount("newest", row, per or in_words(unit))
    newest = " ".join(filter(None, [last, plain(row["newest_on"], "", {}), row["label"]]))
    key = row["key"] if row["key"] is not None else ""
    return [key, str(row["count"]), *(_amount(name, row, per) for name in AMOUNTS), newest]


def _amount(name: str, row: Mapping[str, Any], per: str = "") -> str:
    """Formats an amount; what is worked out has the digits of its currency, or those of least and most if more."""
    amount, currency = row[name], row["currency"]
    if amount is None or not currency:
        return ""
    if name in ("median", "mean"):
        amount = round(amount, max(digits(row[bound], currency) for bound in ("least", "most")))
    return with_code(amount, currency) + per
