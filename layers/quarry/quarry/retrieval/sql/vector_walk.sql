-- The rows nearest in meaning, without a filter. If a tenant has few rows, all are compared in the order in which they are
-- stored; more rows count as few where the index holds many more. Beyond, the HNSW index is walked iteratively.
WITH asked AS MATERIALIZED (SELECT coalesce(%(vector)s::vector, ({cached}))::halfvec AS vector),
few AS MATERIALIZED (
    SELECT s.documents <= %(exact_up_to)s * greatest(1, sqrt(greatest(c.reltuples, 0) / 10000)) AS yes
    FROM {totals} s CROSS JOIN pg_class c WHERE s.tenant = %(tenant)s AND c.oid = {index}::regclass)
(SELECT v.doc, {cosine} AS cosine
 FROM {vectors} v {told}
 WHERE (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL AND v.tenant = %(tenant)s
 ORDER BY cosine DESC, v.doc LIMIT %(pool)s)
UNION ALL
(SELECT v.doc, 1 - (v.embedding <=> (SELECT vector FROM asked))
 FROM {vectors} v
 WHERE NOT (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL AND v.tenant = %(tenant)s
 ORDER BY v.embedding <=> (SELECT vector FROM asked) LIMIT %(pool)s)
{walked}
