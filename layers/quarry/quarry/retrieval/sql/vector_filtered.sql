-- The rows nearest in meaning among those that satisfy the filter. Few eligible rows are all compared: each is looked up,
-- which costs four times as much as reading them in order. Otherwise the HNSW index is walked, whose first step offers
-- 300 rows (hnsw.ef_search), a full pool if a third of them qualifies. Each further step costs as much again; further
-- ones are taken only if the first brought too few rows, and for at most four times the rows asked for. For a tenant with
-- less than half of the index the first step is left out, because it would offer fewer rows.
WITH {eligible}
asked AS MATERIALIZED (SELECT coalesce(%(vector)s::vector, ({cached}))::halfvec AS vector),
offered AS (
    SELECT v.doc, 1 - (v.embedding <=> (SELECT vector FROM asked)) AS cosine
    FROM {vectors} v
    WHERE NOT (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL AND v.tenant = %(tenant)s AND (
        SELECT 2 * s.documents > c.reltuples FROM {totals} s CROSS JOIN pg_class c
        WHERE s.tenant = %(tenant)s AND c.oid = {index}::regclass)
    ORDER BY v.embedding <=> (SELECT vector FROM asked) LIMIT 300),
first AS MATERIALIZED (SELECT v.* FROM offered v WHERE {passes} LIMIT %(pool)s),
enough AS MATERIALIZED (SELECT count(*) >= least(%(pool)s, 3 * %(limit)s) AS yes FROM first)
(SELECT v.doc, {cosine} AS cosine
 FROM {vectors} v {told}
 WHERE (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL
     AND v.tenant = %(tenant)s AND v.doc = ANY ((SELECT ids FROM matching)::bigint[])
 ORDER BY cosine DESC, v.doc LIMIT %(pool)s)
UNION ALL
SELECT * FROM first WHERE (SELECT yes FROM enough)
UNION ALL
(SELECT v.doc, 1 - (v.embedding <=> (SELECT vector FROM asked))
 FROM {vectors} v
 WHERE NOT ((SELECT yes FROM few) OR (SELECT yes FROM enough)) AND (SELECT vector FROM asked) IS NOT NULL
     AND v.tenant = %(tenant)s AND {passes}
 ORDER BY v.embedding <=> (SELECT vector FROM asked) LIMIT least(%(pool)s, 4 * %(limit)s))
{walked}
