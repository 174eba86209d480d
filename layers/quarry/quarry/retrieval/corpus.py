"""A searchable table, and the one statement that searches it."""

from dataclasses import dataclass, field
from functools import lru_cache

from psycopg.sql import SQL, Composed, Identifier

POOL = 100
"""Candidates each leg brings to the fusion."""

EXACT_UP_TO = 5000
"""Up to so many eligible rows are compared exactly; beyond, the HNSW index is walked iteratively."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """``columns`` and ``joins`` read the base table as ``d``; ``condition`` is the hard filter over ``d``.

    ``condition`` uses named parameters that are NULL when the caller did not filter on them.
    """

    schema: str
    table: str
    columns: SQL | Composed
    condition: SQL
    joins: SQL = field(default_factory=lambda: SQL(""))


@lru_cache(maxsize=64)
def statement(corpus: Corpus, *, filtered: bool) -> Composed:
    """One statement for both legs, fusion and the rows; see STATEMENT for its parameters."""
    condition = corpus.condition if filtered else SQL("true")
    return SQL(STATEMENT).format(
        base=Identifier(corpus.schema, corpus.table),
        terms=Identifier(corpus.schema, corpus.table + "_terms"),
        postings=Identifier(corpus.schema, corpus.table + "_postings"),
        totals=Identifier(corpus.schema, corpus.table + "_totals"),
        vectors=Identifier(corpus.schema, corpus.table + "_vectors"),
        columns=corpus.columns,
        joins=corpus.joins,
        condition=condition,
        fill=SQL(FILL) if filtered else SQL(""),
    )


# tenant, query (text), vector (or NULL: text only), vector_weight, pool, exact_up_to, limit, and the filter's own.
# BM25 with k1 1.2, b .75, times the root of the share of the query's idf that matched; min-max over each leg's pool.
STATEMENT = """
WITH totals AS MATERIALIZED (
    SELECT documents, greatest(length / greatest(documents, 1), 1) AS average
    FROM {totals} WHERE tenant = %(tenant)s),
eligible AS MATERIALIZED (
    SELECT d.id FROM {base} d WHERE d.tenant = %(tenant)s AND {condition} LIMIT %(exact_up_to)s + 1),
few AS MATERIALIZED (
    SELECT count(*) <= %(exact_up_to)s AS yes FROM eligible),
query_terms AS MATERIALIZED (
    SELECT t.tid, ln(1 + (s.documents - coalesce(t.df, 0) + 0.5) / (coalesce(t.df, 0) + 0.5)) AS idf
    FROM search.query_terms(%(query)s) q
    CROSS JOIN totals s
    LEFT JOIN {terms} t ON t.tenant = %(tenant)s AND t.term = q.term),
text_leg AS MATERIALIZED (
    SELECT doc, bm25 * sqrt(coverage) AS raw, coverage,
           row_number() OVER (ORDER BY bm25 * sqrt(coverage) DESC, doc) AS rank
    FROM (
        SELECT p.doc,
               sum(q.idf * p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.length / s.average))) AS bm25,
               sum(q.idf) / (SELECT sum(idf) FROM query_terms) AS coverage
        FROM query_terms q
        JOIN {postings} p ON p.tid = q.tid AND p.tenant = %(tenant)s
        CROSS JOIN totals s
        WHERE EXISTS (SELECT FROM {base} d WHERE d.id = p.doc AND d.tenant = %(tenant)s AND {condition})
        GROUP BY p.doc) scored
    ORDER BY raw DESC, doc LIMIT %(pool)s),
nearest AS MATERIALIZED (
    (SELECT v.doc, 1 - (v.embedding <=> %(vector)s::vector) AS similarity
     FROM eligible e JOIN {vectors} v ON v.doc = e.id
     WHERE (SELECT yes FROM few) AND %(vector)s::vector IS NOT NULL
     ORDER BY v.embedding <=> %(vector)s::vector, v.doc LIMIT %(pool)s)
    UNION ALL
    (SELECT v.doc, 1 - (v.embedding <=> %(vector)s::vector) AS similarity
     FROM {vectors} v
     WHERE NOT (SELECT yes FROM few) AND %(vector)s::vector IS NOT NULL AND v.tenant = %(tenant)s
       AND EXISTS (SELECT FROM {base} d WHERE d.id = v.doc AND d.tenant = %(tenant)s AND {condition})
     ORDER BY v.embedding <=> %(vector)s::vector LIMIT %(pool)s)),
vector_leg AS MATERIALIZED (
    SELECT doc, similarity, row_number() OVER (ORDER BY similarity DESC, doc) AS rank FROM nearest),
candidates AS (
    SELECT coalesce(t.doc, v.doc) AS doc, t.raw, t.coverage, t.rank AS text_rank, v.similarity, v.rank AS vector_rank
    FROM text_leg t FULL JOIN vector_leg v ON v.doc = t.doc {fill}),
fused AS (
    SELECT *,
        CASE WHEN %(vector)s::vector IS NULL THEN 0 ELSE %(vector_weight)s::float8 END * coalesce(
            CASE WHEN max(similarity) OVER () > min(similarity) OVER ()
                 THEN (similarity - min(similarity) OVER ()) / (max(similarity) OVER () - min(similarity) OVER ())
                 ELSE 1 END * (similarity IS NOT NULL)::int, 0)
        + CASE WHEN %(vector)s::vector IS NULL THEN 1 ELSE 1 - %(vector_weight)s::float8 END * coalesce(
            CASE WHEN max(raw) OVER () > min(raw) OVER ()
                 THEN (raw - min(raw) OVER ()) / (max(raw) OVER () - min(raw) OVER ())
                 ELSE 1 END * (raw IS NOT NULL)::int, 0) AS fusion
    FROM candidates)
SELECT f.doc AS _doc, f.fusion AS _fusion, f.raw AS _bm25, f.coverage AS _coverage, f.text_rank AS _text_rank,
       f.vector_rank AS _vector_rank, 1 - (x.embedding <=> %(vector)s::vector) AS _score, {columns}
FROM fused f
JOIN {base} d ON d.id = f.doc
LEFT JOIN {vectors} x ON x.doc = f.doc
{joins}
ORDER BY f.fusion DESC, _score DESC NULLS LAST, f.doc
LIMIT %(limit)s
"""

# Under a filter every row that satisfies it may be returned, even one that neither leg found.
FILL = """
    UNION ALL
    (SELECT e.id, NULL, NULL, NULL, NULL, NULL FROM eligible e
     WHERE e.id NOT IN (SELECT doc FROM text_leg) AND e.id NOT IN (SELECT doc FROM vector_leg)
     ORDER BY e.id LIMIT %(limit)s)"""
