-- The rows nearest in meaning, each compared: for corpora of at most exact_up_to documents.
-- Ordered by the similarity itself and not by distance: the vector index would offer its order, and lose rows.
WITH asked AS MATERIALIZED (SELECT coalesce(%(vector)s::vector, ({cached}))::halfvec AS vector)
SELECT v.doc, {cosine} AS cosine
FROM asked CROSS JOIN {vectors} v {told} {filtered}
WHERE v.tenant = %(tenant)s AND asked.vector IS NOT NULL AND {condition}
ORDER BY cosine DESC, v.doc LIMIT %(pool)s
