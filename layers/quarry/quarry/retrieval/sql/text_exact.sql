-- The rows whose words match best, every posting read: for corpora of at most exact_up_to documents.
-- BM25 with k1 1.2 and b .75, times the root of the share of the query's idf that matched.
WITH totals AS MATERIALIZED (
    SELECT documents, greatest(length / greatest(documents, 1), 1) AS average
    FROM {totals} WHERE tenant = %(tenant)s),
{query_terms}
matched AS (
    SELECT p.doc, sum(q.idf) AS idf,
           sum(q.idf * p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.length / s.average))) AS bm25
    FROM query_terms q CROSS JOIN totals s JOIN {postings} p ON p.tid = q.tid AND p.tenant = %(tenant)s
    GROUP BY p.doc)
SELECT m.doc, m.bm25 * sqrt(least(m.idf / t.idf, 1)) AS raw, least(m.idf / t.idf, 1) AS coverage, {terms_of_match} AS terms, {read_as} AS read_as,
       (SELECT documents FROM totals) AS documents
FROM matched m CROSS JOIN (SELECT sum(idf) AS idf FROM query_terms) t {filtered}
WHERE {condition}
ORDER BY raw DESC, m.doc LIMIT %(pool)s
