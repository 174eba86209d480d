-- The rows whose words match best, of a large corpus: at most {budget} postings are read.
--
-- A word that half of the rows contain costs most and tells least. So the rarest terms are read whole, up to half of the
-- budget. Of each other term two parts are read: its postings of highest impact, as many as its idf earns, and its newest,
-- the same fraction of every term, so that rows which have several of them are met; what is among both counts once. Of
-- the documents that come out best every term is then looked up: scores are exact, only who is scored is a choice. Impact
-- orders postings as BM25 does, but for the average length, which changes with every write: 15 stands for a third of it.
WITH totals AS MATERIALIZED (
    SELECT documents, greatest(length / greatest(documents, 1), 1) AS average
    FROM {totals} WHERE tenant = %(tenant)s),
{scope}
{query_terms}
counted AS (
    SELECT tid, df, idf,
           sum(df) OVER () <= {budget} AS all_whole,
           sum(df) OVER () <= {budget} OR sum(df) OVER (ORDER BY df, tid) <= {budget} / 2 AS whole
    FROM query_terms WHERE tid IS NOT NULL),
readings AS MATERIALIZED (
    SELECT tid, idf, all_whole AND {readable} AS all_whole,
           CASE WHEN NOT {readable} THEN 0
                WHEN NOT whole THEN {budget} / 4 * idf / sum(idf) FILTER (WHERE NOT whole) OVER ()
           END::bigint AS most,
           CASE WHEN {readable} AND NOT whole AND idf > 0.2 * max(idf) FILTER (WHERE NOT whole) OVER ()
                THEN {budget} / 4 * df / sum(df) FILTER (WHERE NOT whole) OVER () ELSE 0 END::bigint AS newest
    FROM counted),
seen AS MATERIALIZED (
    SELECT p.doc, sum(r.idf * p.weight) AS bm25, sum(r.idf) AS idf
    FROM readings r CROSS JOIN totals s CROSS JOIN LATERAL (
        (SELECT p.doc, p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.length / s.average)) AS weight
         FROM {postings} p WHERE p.tid = r.tid AND p.tenant = %(tenant)s
         ORDER BY p.tf / (p.length + 15) DESC LIMIT r.most)
        UNION
        (SELECT p.doc, p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.length / s.average))
         FROM {postings} p WHERE p.tid = r.tid AND p.tenant = %(tenant)s
         ORDER BY p.doc DESC LIMIT r.newest)) p
    WHERE {seen_scope}
    GROUP BY p.doc),
promising AS MATERIALIZED ({promising}),
looked_up AS (
    SELECT p.doc, sum(r.idf * p.weight) AS bm25, sum(r.idf) AS idf
    FROM readings r CROSS JOIN totals s CROSS JOIN LATERAL (
        SELECT p.doc, p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.length / s.average)) AS weight
        FROM {postings} p
        WHERE p.tid = r.tid AND p.tenant = %(tenant)s AND p.doc = ANY (ARRAY(SELECT doc FROM promising)) OFFSET 0) p
    WHERE NOT r.all_whole
    GROUP BY p.doc),
scored AS (
    SELECT doc, bm25, idf FROM promising WHERE EXISTS (SELECT FROM readings WHERE all_whole)
    UNION ALL
    SELECT doc, bm25, idf FROM looked_up)
SELECT m.doc, m.bm25 * sqrt(least(m.idf / t.idf, 1)) AS raw, least(m.idf / t.idf, 1) AS coverage,
       {terms_of_match} AS terms,
       {read_as} AS read_as, (SELECT documents FROM totals) AS documents
FROM scored m CROSS JOIN (SELECT sum(idf) AS idf FROM query_terms) t
WHERE m.idf > 0
ORDER BY raw DESC, m.doc LIMIT %(pool)s
