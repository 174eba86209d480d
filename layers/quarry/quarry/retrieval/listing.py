"""Tables without words: the rows that filters leave, sorted, or grouped and counted by what they share."""

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.sql import SQL, Identifier, Literal

from quarry.data import database
from quarry.money import minor_units, plain, with_code
from quarry.needs.model import Need, Unread
from quarry.retrieval import legs, reasons
from quarry.retrieval.clauses import of_filters, order_of, value_of
from quarry.retrieval.condition import Condition
from quarry.retrieval.corpus import QUOTES, Corpus
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Hit, Outcome, shown
from quarry.retrieval.tables import Cells, Table

MOST = 200

ROWS = SQL("""
    SELECT d.id AS doc FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {condition}
    ORDER BY {order}, d.id LIMIT {limit}
""")
# Apart from the rows, because a window over them would keep each whole until all are counted.
TOTAL = SQL("SELECT count(*) AS total FROM ({ids}) s")
IDS = SQL("SELECT d.id FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {condition}")

NEWEST = SQL("{} DESC NULLS LAST")
HOUSES_FIRST = SQL("""
    g.currency = (SELECT h.currency FROM quarry.house h WHERE h.tenant = %(tenant)s) DESC NULLS LAST
""")

# Goods without a price count under the currency of their group, if all others there have the same. What was quoted
# has a currency, so that no window over all of its rows is needed.
OF_OTHERS = SQL("""
    coalesce(r.own, CASE WHEN min(r.own) OVER same = max(r.own) OVER same THEN min(r.own) OVER same END)
""")

# Amounts of different currencies are never compared. Behind the offset each row's are looked up once.
GROUPS = SQL("""
    SELECT g.key, g.currency, count(*) AS count, min(g.money) AS least,
        round((percentile_cont(0.5) WITHIN GROUP (ORDER BY g.money::float8))::numeric, 4) AS median,
        round(avg(g.money), 4) AS mean, max(g.money) AS most, {sums},
        max(g.dated) AS newest_on,
        (array_agg(g.money ORDER BY g.dated DESC NULLS LAST, g.id DESC)
         FILTER (WHERE g.money IS NOT NULL))[1] AS newest,
        (array_agg(g.label ORDER BY g.dated DESC NULLS LAST, g.id DESC)
         FILTER (WHERE g.money IS NOT NULL))[1] AS label,
        count(*) OVER () AS total
    FROM (SELECT r.*, {of_group} AS currency
          FROM (SELECT d.id, ({key})::text AS key, {currency} AS own, {money} AS money, {dated} AS dated,
                    {label} AS label, {summed}
                FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {condition} OFFSET 0) r
          WINDOW same AS (PARTITION BY r.key)) g
    GROUP BY g.key, g.currency ORDER BY {order} NULLS LAST, g.key, g.currency LIMIT {limit}
""")

ADDED, COUNTED_ONCE = SQL("sum(g.{0}) AS {0}"), SQL("count(DISTINCT g.{0}) AS {0}")
COUNTS = (QUOTES, "quantity")
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
    order, parameters, unread = order_of(corpus, sort, attributes)
    base, asked = _base(corpus, condition), {**condition.parameters, "tenant": tenant}
    statement = ROWS.format(**base, order=order or NEWEST.format(corpus.dated), limit=Literal(min(limit, MOST)))
    total = TOTAL.format(ids=condition.alone or IDS.format(**base)), asked
    silent = reasons.silent(corpus, filters, sort, attributes=attributes, tenant=tenant)
    found, [of_all], *counted = database.fetch_each(tenant, [(statement, {**asked, **parameters}), total, *silent])
    docs = [row["doc"] for row in found]
    rows = {} if not docs else {
        row["_doc"]: row
        for row in legs.read(corpus, docs, tenant=tenant, condition=condition, vector=None, best=None,
                             also={"priced": sort is not None and sort.removeprefix("-") == "price"})
    }  # fmt: skip
    hits = [Hit(shown(rows[doc]), score=None, confidence=None) for doc in docs if doc in rows]
    notices = [told for [row] in counted for told in reasons.of_silent(row)]
    if not hits:
        notices += reasons.of(corpus, filters, attributes=attributes, tenant=tenant)
    return Outcome(hits, notices=notices, unread=unread, total=of_all["total"])


def grouped(
    corpus: Corpus, *, tenant: str, by: str, filters: Sequence[Need] = (), sort: str | None = None, limit: int = MOST
) -> tuple[Table, Sequence[Unread]]:
    """Counts the rows that share each value, with least, median, mean, most and newest of their amounts, and sums
    where rows say how many were sold for how much; sorted by one of these columns, or the largest group first.
    """
    attributes = attributes_of(tenant)
    condition = of_filters(corpus, filters, attributes=attributes)
    key, parameters, unread = value_of(corpus, by, attributes)
    money = corpus.built_in["price"].sql
    if key is None:
        return Table(columns=[by], rows=[], total=0), unread
    sums = corpus.sums or {"sum": SQL("NULL::numeric")}
    amounts = ["least", "median", "mean", "most"]
    head = [by, COUNTED[corpus.kind], *amounts, "newest", *corpus.sums]
    held = dict(zip(head, ["key", "count", *amounts, "newest_on", *corpus.sums], strict=True))
    if (wanted := (sort or f"-{head[1]}").removeprefix("-")) not in held:
        unread = [Unread("sort", wanted, f"a group is sorted by {', '.join(head)}")]
        sort, wanted = None, head[1]
    order = SQL("{} {}").format(Identifier(held[wanted]), SQL("ASC") if sort == wanted else SQL("DESC"))
    if wanted in (*amounts, "sum"):
        order = SQL("{}, g.currency, {}").format(HOUSES_FIRST, order)
    statement = GROUPS.format(
        **_base(corpus, condition), key=key, currency=corpus.currency, money=money, dated=corpus.dated,
        of_group=OF_OTHERS if corpus.kind == "equipment" else SQL("r.own"),
        label=LABELS[corpus.kind], limit=Literal(min(limit, MOST)),
        order=order,
        sums=SQL(", ").join(
            (COUNTED_ONCE if name == QUOTES else ADDED).format(Identifier(name)) for name in sums
        ),
        summed=SQL(", ").join(SQL("{} AS {}").format(each, Identifier(name)) for name, each in sums.items()),
    )  # fmt: skip
    rows = database.fetch(tenant, statement, {**condition.parameters, **parameters, "tenant": tenant})
    groups = [
        Cells(
            [*_group(row), *(plain(row[one], "", {}) if one in COUNTS else _amount(one, row) for one in corpus.sums)]
        )
        for row in rows
    ]
    return Table(columns=head, rows=groups, total=rows[0]["total"] if rows else 0), unread


def _base(corpus: Corpus, condition: Condition) -> dict[str, Any]:
    return {
        "base": Identifier(corpus.schema, corpus.table),
        "narrow": corpus.narrow,
        "condition": condition.of_all,
    }


def _group(row: Mapping[str, Any]) -> list[str]:
    newest = " ".join(filter(None, [_amount("newest", row), plain(row["newest_on"], "", {}), row["label"]]))
    key = row["key"] if row["key"] is not None else ""
    return [key, str(row["count"]), *(_amount(name, row) for name in ("least", "median", "mean", "most")), newest]


def _amount(name: str, row: Mapping[str, Any]) -> str:
    """Formats an amount; what is worked out has the digits of its currency, of which a price may have more."""
    amount, currency = row[name], row["currency"]
    if amount is None or not currency:
        return ""
    return with_code(round(amount, minor_units(currency)) if name in ("median", "mean") else amount, currency)
