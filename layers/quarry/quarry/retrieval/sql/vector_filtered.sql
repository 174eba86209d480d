-- The rows nearest in meaning among those that satisfy the filter. Few are each compared: that looks each row up, which
-- costs four times as much as reading them as they lie. Otherwise the HNSW index is walked. Its first step offers 300
-- (hnsw.ef_search): those of them that qualify are a full pool where a third does. Each further step costs as much again,
-- and is taken only for four times the rows asked.
WITH {eligible}
asked AS MATERIALIZED (SELECT coalesce(%(vector)s::vector, ({cached}))::halfvec AS vector),
offered AS MATERIALIZED (
    SELECT v.doc, 1 - (v.embedding <=> (SELECT vector FROM asked)) AS cosine
    FROM {vectors} v
    WHERE NOT (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL AND v.tenant = %(tenant)s
    ORDER BY v.embedding <=> (SELECT vector FROM asked) LIMIT 20000),
first AS MATERIALIZED (SELECT o.* FROM (SELECT * FROM offered LIMIT 300) o WHERE {passes} LIMIT %(pool)s)
(SELECT v.doc, {cosine} AS cosine
 FROM {vectors} v {told}
 WHERE (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL
     AND v.tenant = %(tenant)s AND v.doc = ANY ((SELECT ids FROM matching)::bigint[])
 ORDER BY cosine DESC, v.doc LIMIT %(pool)s)
UNION ALL
SELECT * FROM first
UNION ALL
(SELECT o.* FROM (SELECT * FROM offered OFFSET 300) o
 WHERE {passes} LIMIT greatest(least(%(pool)s, 4 * %(limit)s) - (SELECT count(*) FROM first), 0))
{walked}
