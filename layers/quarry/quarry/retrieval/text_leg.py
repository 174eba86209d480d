"""The text leg: BM25 over postings, every posting of few, and only the promising ones of many."""

BUDGET = 20_000
"""Postings one search reads. A query whose terms have no more is scored exactly, by all of them."""

# A word that half of the rows contain costs most and tells least. So the rarest terms are read whole, up to half of
# the budget; of each other term the postings of highest impact are read, its share of the rest by idf. The documents
# that come out best are then completed: what the unread postings add to them is looked up, and so it is for the
# documents nearest by vector. Scores are therefore exact; only who is scored is a choice.
# Impact orders postings as BM25 does, but for the average length, which changes with every write: 15 stands for a
# third of it (search.add_impact_index has the index).
TEXT_LEG = """
counted AS (
    SELECT tid, idf, df,
           {readable} AND (sum(df) OVER () <= {budget} OR sum(df) OVER (ORDER BY df, tid) <= {budget} / 2) AS whole
    FROM query_terms WHERE tid IS NOT NULL),
readings AS MATERIALIZED (
    SELECT tid, idf, whole,
           CASE WHEN NOT {readable} THEN 0
                WHEN NOT whole THEN {budget} / 2 * idf / sum(idf) FILTER (WHERE NOT whole) OVER () END::bigint AS most
    FROM counted),
seen AS MATERIALIZED (
    SELECT p.doc, sum(r.idf * p.weight) * sqrt(sum(r.idf)) AS promise,
           coalesce(sum(r.idf * p.weight) FILTER (WHERE r.whole), 0) AS bm25,
           coalesce(sum(r.idf) FILTER (WHERE r.whole), 0) AS idf
    FROM readings r CROSS JOIN totals s CROSS JOIN LATERAL (
        SELECT p.doc, p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.length / s.average)) AS weight
        FROM {postings} p WHERE p.tid = r.tid AND p.tenant = %(tenant)s
        ORDER BY p.tf / (p.length + 15) DESC LIMIT r.most) p
    WHERE {seen_scope}
    GROUP BY p.doc),
promising AS MATERIALIZED ({promising}),
completed AS (
    SELECT c.doc, c.bm25, c.idf FROM promising c WHERE NOT EXISTS (SELECT FROM readings WHERE NOT whole)
    UNION ALL
    SELECT c.doc, c.bm25 + coalesce(x.bm25, 0), c.idf + coalesce(x.idf, 0)
    FROM (
        SELECT doc, bm25, idf FROM promising
        UNION ALL
        SELECT n.doc, coalesce(s.bm25, 0), coalesce(s.idf, 0) FROM nearest n LEFT JOIN seen s ON s.doc = n.doc
        WHERE n.doc NOT IN (SELECT doc FROM promising)) c
    CROSS JOIN totals s
    CROSS JOIN LATERAL (
        SELECT sum(r.idf * p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.length / s.average))) AS bm25,
               sum(r.idf) AS idf
        FROM readings r JOIN {postings} p ON p.tid = r.tid AND p.doc = c.doc AND p.tenant = %(tenant)s
        WHERE NOT r.whole) x
    WHERE EXISTS (SELECT FROM readings WHERE NOT whole)),
text_leg AS MATERIALIZED (
    SELECT doc, raw, coverage, row_number() OVER (ORDER BY raw DESC, doc) AS rank
    FROM (
        SELECT doc, bm25 * sqrt(idf / q.total) AS raw, idf / q.total AS coverage
        FROM completed CROSS JOIN (SELECT sum(idf) AS total FROM query_terms) q WHERE idf > 0) scored
    ORDER BY raw DESC, doc LIMIT %(pool)s),
"""

UNFILTERED = {
    "readable": "true",
    "seen_scope": "true",
    "promising": "SELECT doc, bm25, idf FROM seen ORDER BY promise DESC, doc LIMIT 2 * %(pool)s",
}

# Few eligible rows are known by id, and a handful is completed without reading at all. Many are not known: there the
# filter is asked of the best, one by one, until enough pass.
FILTERED = {
    "readable": "(SELECT count(*) > 2 * %(pool)s FROM eligible)",
    "seen_scope": "NOT (SELECT yes FROM few) OR p.doc IN (SELECT id FROM eligible)",
    "promising": """
    (SELECT e.id AS doc, coalesce(s.bm25, 0) AS bm25, coalesce(s.idf, 0) AS idf
     FROM eligible e LEFT JOIN seen s ON s.doc = e.id
     WHERE (SELECT yes FROM few) ORDER BY s.promise DESC NULLS LAST, e.id LIMIT 4 * %(pool)s)
    UNION ALL
    (SELECT s.doc, s.bm25, s.idf
     FROM (SELECT * FROM seen WHERE NOT (SELECT yes FROM few) ORDER BY promise DESC, doc OFFSET 0) s
     CROSS JOIN LATERAL (
         SELECT FROM {base} d WHERE d.id = s.doc AND d.tenant = %(tenant)s AND {condition} OFFSET 0) passed
     LIMIT 2 * %(pool)s)""",
}
