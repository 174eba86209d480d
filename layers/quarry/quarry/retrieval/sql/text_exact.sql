-- The rows whose words match best, every posting read: for corpora of at most exact_up_to documents.
-- BM25 with k1 1.2 and b .75, times the root of the share of the query's idf that matched.
WITH totals AS MATERIALIZED (
    SELECT documents, 0.9 / greatest(length / greatest(documents, 1), 1) AS slope
    FROM {totals} WHERE tenant = %(tenant)s),
{query_terms}
{waiting}
matched AS (
    SELECT p.doc, sum(p.idf) AS idf, sum(p.idf * {bm25}) AS bm25
    FROM (
        SELECT f.doc, q.idf, f.weight FROM query_terms q CROSS JOIN LATERAL search.of_few(q.few) AS f
        UNION ALL
        SELECT (b.first >> 31 << 31) + b.place, b.idf, b.weight
        FROM (
            SELECT b.first, q.idf, unnest(b.docs) AS place, unnest(b.weights) AS weight
            FROM query_terms q CROSS JOIN LATERAL (
                -- One term at a time: among ten thousand tenants' blocks a join was planned to read them all.
                SELECT b.first, b.docs, b.weights FROM {blocks} b
                WHERE b.tid = q.tid AND b.layer = 0 AND b.tenant = %(tenant)s OFFSET 0) b) b) p
    CROSS JOIN totals s
    GROUP BY p.doc HAVING p.doc NOT IN (SELECT doc FROM pending)
    UNION ALL
    SELECT p.doc, sum(p.idf), sum(p.idf * {bm25})
    FROM (
        {listed}) p
    CROSS JOIN totals s
    GROUP BY p.doc)
SELECT m.doc, m.bm25 * sqrt(least(m.idf / t.idf, 1)) AS raw, least(m.idf / t.idf, 1) AS coverage, {read_as} AS read_as,
       (SELECT documents FROM totals) AS documents
FROM matched m CROSS JOIN (SELECT sum(idf) AS idf FROM query_terms) t {filtered}
WHERE {condition}
ORDER BY raw DESC, m.doc LIMIT %(pool)s
