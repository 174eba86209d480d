-- The rows whose words match best, of a large corpus: about {budget} postings are read.
--
-- A word that half of the rows contain costs most and tells least. So the rarest terms are read whole, up to half of the
-- budget. Of each other term two parts are read: its postings of highest impact, as many as its idf earns, and its newest,
-- the same fraction of every term, so that rows which have several of them are met; what is among both counts once. Of
-- the documents that come out best every term is then looked up in their own lists: scores are exact, only who is scored
-- is a choice.
WITH totals AS MATERIALIZED (
    SELECT documents, 0.9 / greatest(length / greatest(documents, 1), 1) AS slope
    FROM {totals} WHERE tenant = %(tenant)s),
{scope}
{query_terms}
counted AS (
    SELECT tid, df, idf, cut, few,
           sum(df) OVER () <= {budget} AS all_whole,
           sum(df) OVER () <= {budget} OR sum(df) OVER (ORDER BY df, tid) <= {budget} / 2 AS whole
    FROM query_terms WHERE tid IS NOT NULL),
readings AS MATERIALIZED (
    SELECT tid, idf, few, cut IS NOT NULL AS layered, all_whole AND {readable} AS all_whole,
           CASE WHEN NOT {readable} THEN 0
                WHEN NOT whole THEN {budget} / 4 * idf / sum(idf) FILTER (WHERE NOT whole) OVER ()
           END::bigint AS most,
           CASE WHEN {readable} AND NOT whole AND idf > 0.2 * max(idf) FILTER (WHERE NOT whole) OVER ()
                THEN {budget} / 4 * df / sum(df) FILTER (WHERE NOT whole) OVER () ELSE 0 END::bigint AS newest
    FROM counted),
{waiting}
seen AS (
    SELECT p.doc, sum(p.idf * {bm25}) AS bm25, sum(p.idf) AS idf
    FROM (
        SELECT f.doc, r.idf, f.weight FROM readings r CROSS JOIN LATERAL search.of_few(r.few) AS f WHERE r.most IS DISTINCT FROM 0
        UNION ALL
        SELECT (b.first >> 31 << 31) + b.place, b.idf, b.weight
        FROM (
            SELECT b.first, r.idf, unnest(b.docs) AS place, unnest(b.weights) AS weight
            FROM readings r CROSS JOIN LATERAL (
                SELECT b.first, b.docs, b.weights FROM {blocks} b
                WHERE b.tid = r.tid AND b.layer = 0 AND b.tenant = %(tenant)s AND r.most IS NULL OFFSET 0) b) b
        UNION ALL
        SELECT b.doc, r.idf, b.weight
        FROM readings r CROSS JOIN LATERAL (
            (SELECT (b.first >> 31 << 31) + b.place AS doc, b.weight
             FROM (SELECT b.first, unnest(b.docs) AS place, unnest(b.weights) AS weight
                   FROM (SELECT b.first, b.docs, b.weights FROM {blocks} b
                         WHERE b.tid = r.tid AND b.layer >= r.layered::integer AND b.tenant = %(tenant)s AND r.most > 0
                         ORDER BY b.layer DESC, b.first DESC OFFSET 0) b) b
             LIMIT r.most)
            UNION
            SELECT (b.first >> 31 << 31) + b.place, b.weight
            FROM (SELECT b.first, unnest(b.docs) AS place, unnest(b.weights) AS weight
                  FROM (SELECT b.first, b.docs, b.weights FROM {blocks} b
                        WHERE b.tid = r.tid AND b.layer = 0 AND b.tenant = %(tenant)s AND r.newest > 0
                        ORDER BY b.first DESC LIMIT r.newest / 192 + 1 OFFSET 0) b) b) b) p
    WHERE {seen_scope}
    GROUP BY p.doc HAVING p.doc NOT IN (SELECT doc FROM pending)
    UNION ALL
    SELECT p.doc, sum(p.idf * {bm25}), sum(p.idf)
    FROM (
        {listed}) p
    WHERE {seen_scope}
    GROUP BY p.doc),
promising AS MATERIALIZED ({promising}),
found AS MATERIALIZED (
    SELECT d.doc, d.length, d.tids, d.tfs FROM {documents} d
    WHERE d.tenant = %(tenant)s AND d.doc = ANY (ARRAY(SELECT doc FROM promising WHERE EXISTS (SELECT FROM readings WHERE NOT all_whole)))),
looked_up AS (
    SELECT p.doc, sum(p.idf * {bm25}) AS bm25, sum(p.idf) AS idf
    FROM (
        {looked_up}) p
    GROUP BY p.doc),
scored AS (
    SELECT doc, bm25, idf FROM promising WHERE EXISTS (SELECT FROM readings WHERE all_whole)
    UNION ALL
    SELECT doc, bm25, idf FROM looked_up)
SELECT m.doc, m.bm25 * sqrt(least(m.idf / t.idf, 1)) AS raw, least(m.idf / t.idf, 1) AS coverage,
       {read_as} AS read_as, (SELECT documents FROM totals) AS documents
FROM scored m CROSS JOIN (SELECT sum(idf) AS idf FROM query_terms) t
WHERE m.idf > 0
ORDER BY raw DESC, m.doc LIMIT %(pool)s
