-- The rows nearest in meaning among those that satisfy the filter. Few are each compared: that looks each row up, which
-- costs four times as much as reading them as they lie. Otherwise the HNSW index is walked: of ten rows that it offers one
-- may qualify, and a full pool would cost ten times as much.
WITH {eligible}
asked AS MATERIALIZED (SELECT coalesce(%(vector)s::vector, ({cached}))::halfvec AS vector)
(SELECT v.doc, {cosine} AS cosine
 FROM {vectors} v {told}
 WHERE (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL
     AND v.tenant = %(tenant)s AND v.doc = ANY ((SELECT ids FROM matching)::bigint[])
 ORDER BY cosine DESC, v.doc LIMIT %(pool)s)
UNION ALL
(SELECT v.doc, 1 - (v.embedding <=> (SELECT vector FROM asked))
 FROM {vectors} v
 WHERE NOT (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL AND v.tenant = %(tenant)s
     AND EXISTS (SELECT FROM {base} d {narrow} WHERE d.id = v.doc AND d.tenant = %(tenant)s AND {condition} OFFSET 0)
 ORDER BY v.embedding <=> (SELECT vector FROM asked) LIMIT least(%(pool)s, 4 * %(limit)s))
{walked}
