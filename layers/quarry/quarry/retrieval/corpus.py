"""A searchable table, and the one statement that searches it."""

from dataclasses import dataclass, field
from functools import lru_cache

from psycopg.sql import SQL, Composed, Identifier, Literal

from quarry.retrieval import text_leg

POOL = 100
"""Candidates each leg brings to the fusion."""

EXACT_UP_TO = 8_000
"""Up to so many eligible rows are compared exactly; beyond, the HNSW index is walked iteratively.

More where the index holds much more: a walk through all tenants' rows meets one in so many that is eligible. Its cost
grows with rows in the index over rows eligible, that of comparing with rows eligible: they meet at a root.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """``columns`` and ``joins`` read the base table as ``d``; ``condition`` is the hard filter over ``d``.

    ``condition`` uses named parameters that are NULL when the caller did not filter on them. Unless ``gated``, a
    query that nothing in the corpus resembles still gets its nearest rows.
    """

    schema: str
    table: str
    columns: SQL | Composed
    condition: SQL
    joins: SQL = field(default_factory=lambda: SQL(""))
    gated: bool = True


@lru_cache(maxsize=64)
def statement(corpus: Corpus, *, filtered: bool, budget: int = text_leg.BUDGET) -> Composed:
    """One statement for both legs, fusion and the rows; see STATEMENT for its parameters, TEXT_LEG for ``budget``."""
    tables = {
        "base": Identifier(corpus.schema, corpus.table),
        "terms": Identifier(corpus.schema, corpus.table + "_terms"),
        "postings": Identifier(corpus.schema, corpus.table + "_postings"),
        "totals": Identifier(corpus.schema, corpus.table + "_totals"),
        "vectors": Identifier(corpus.schema, corpus.table + "_vectors"),
        "index": Literal(f"{corpus.schema}.{corpus.table}_vectors"),
        "columns": corpus.columns,
        "joins": corpus.joins,
        "condition": corpus.condition,
    }
    parts = FILTERED if filtered else UNFILTERED
    choices = text_leg.FILTERED if filtered else text_leg.UNFILTERED
    return SQL(STATEMENT).format(
        **tables,
        **{name: SQL(part).format(**tables) for name, part in parts.items()},
        text_leg=SQL(text_leg.TEXT_LEG).format(
            **tables,
            budget=Literal(budget),
            **{name: SQL(part).format(**tables) for name, part in choices.items()},
        ),
    )


# Parameters: tenant, query (text), vector (or NULL: text only), vector_weight, pool, exact_up_to, limit, explain,
# and the filter's own. BM25 with k1 1.2 and b .75, times the root of the share of the query's idf that matched;
# min-max over each leg's pool. Rows and exact scores are fetched for the winners only.
STATEMENT = """
WITH totals AS MATERIALIZED (
    SELECT documents, greatest(length / greatest(documents, 1), 1) AS average
    FROM {totals} WHERE tenant = %(tenant)s),
{scope}
query_terms AS MATERIALIZED (
    SELECT q.term, t.tid, t.df,
           ln(1 + (s.documents - coalesce(t.df, 0) + 0.5) / (coalesce(t.df, 0) + 0.5))::float8 AS idf
    FROM search.query_terms(%(query)s) q
    CROSS JOIN totals s
    LEFT JOIN {terms} t ON t.tenant = %(tenant)s AND t.term = q.term),
nearest AS MATERIALIZED (
    (SELECT v.doc, 1 - (v.embedding <=> %(vector)s::vector) AS similarity
     FROM {vectors} v
     WHERE (SELECT yes FROM few) AND %(vector)s::vector IS NOT NULL AND v.tenant = %(tenant)s AND {exact_scope}
     -- Not by distance: the index would offer its order, and lose rows.
     ORDER BY similarity DESC, v.doc LIMIT %(pool)s)
    UNION ALL
    (SELECT v.doc, 1 - (v.embedding <=> %(vector)s::vector) AS similarity
     FROM {vectors} v
     WHERE NOT (SELECT yes FROM few) AND %(vector)s::vector IS NOT NULL AND v.tenant = %(tenant)s AND {index_scope}
     ORDER BY v.embedding <=> %(vector)s::vector LIMIT {index_pool})),
{text_leg}
vector_leg AS MATERIALIZED (
    SELECT doc, similarity, row_number() OVER (ORDER BY similarity DESC, doc) AS rank FROM nearest),
candidates AS (
    SELECT coalesce(t.doc, v.doc) AS doc, t.raw, t.coverage, t.rank AS text_rank, v.similarity, v.rank AS vector_rank
    FROM text_leg t FULL JOIN vector_leg v ON v.doc = t.doc {fill}),
spread AS (
    SELECT min(similarity) AS low, nullif(max(similarity) - min(similarity), 0) AS width,
           min(raw) AS raw_low, nullif(max(raw) - min(raw), 0) AS raw_width,
           CASE WHEN %(vector)s::vector IS NULL THEN 0 ELSE %(vector_weight)s::float8 END AS weight
    FROM candidates),
weighted AS (
    SELECT c.*,
        s.weight * CASE WHEN c.similarity IS NULL THEN 0 ELSE coalesce((c.similarity - s.low) / s.width, 1) END
        AS vector_part,
        (1 - s.weight) * CASE WHEN c.raw IS NULL THEN 0 ELSE coalesce((c.raw - s.raw_low) / s.raw_width, 1) END
        AS text_part
    FROM candidates c CROSS JOIN spread s),
fused AS MATERIALIZED (
    SELECT * FROM weighted
    ORDER BY vector_part + text_part DESC, similarity DESC NULLS LAST, doc LIMIT %(limit)s)
SELECT f.vector_part AS _vector_part, f.text_part AS _text_part, f.raw AS _bm25, f.coverage AS _coverage,
       f.text_rank AS _text_rank, f.vector_rank AS _vector_rank,
       (SELECT 1 - (x.embedding <=> %(vector)s::vector) FROM {vectors} x WHERE x.doc = f.doc) AS _score,
       CASE WHEN %(explain)s THEN ARRAY(
           SELECT q.term FROM query_terms q JOIN {postings} p ON p.tid = q.tid AND p.doc = f.doc ORDER BY q.idf DESC)
       END AS _terms,
       {columns}
FROM fused f
JOIN {base} d ON d.id = f.doc
{joins}
ORDER BY f.vector_part + f.text_part DESC, f.similarity DESC NULLS LAST, f.doc
"""

UNFILTERED = {
    # Comparing reads the tenant's rows as they lie.
    "scope": """
few AS MATERIALIZED (
    SELECT documents <= %(exact_up_to)s * greatest(1, sqrt(greatest(c.reltuples, 0) / 10000)) AS yes
    FROM totals CROSS JOIN pg_class c WHERE c.oid = {index}::regclass),""",
    "exact_scope": "true",
    "index_scope": "true",
    "index_pool": "%(pool)s",
    "fill": "",
}

# Under a filter every row that satisfies it may be returned, even one that neither leg found.
FILTERED = {
    # Comparing looks each row up, which costs four times as much.
    "scope": """
most AS MATERIALIZED (
    SELECT (%(exact_up_to)s * greatest(1, sqrt(greatest(c.reltuples, 0) / 100000)))::bigint AS rows
    FROM pg_class c WHERE c.oid = {index}::regclass),
eligible AS MATERIALIZED (
    SELECT d.id FROM {base} d WHERE d.tenant = %(tenant)s AND {condition} LIMIT (SELECT rows + 1 FROM most)),
few AS MATERIALIZED (SELECT count(*) <= (SELECT rows FROM most) AS yes FROM eligible),""",
    "exact_scope": "v.doc = ANY (ARRAY(SELECT id FROM eligible))",
    # Of ten rows that the index offers, one may qualify: a full pool would cost ten times what it costs unfiltered.
    "index_pool": "least(%(pool)s, 5 + %(limit)s)",
    "index_scope": "EXISTS (SELECT FROM {base} d WHERE d.id = v.doc AND d.tenant = %(tenant)s AND {condition})",
    "fill": """
    UNION ALL
    (SELECT e.id, NULL, NULL, NULL, NULL, NULL FROM eligible e
     WHERE e.id NOT IN (SELECT doc FROM text_leg) AND e.id NOT IN (SELECT doc FROM vector_leg)
     ORDER BY e.id LIMIT %(limit)s)""",
}
