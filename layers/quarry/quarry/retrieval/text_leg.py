"""The text leg: BM25 over postings, every posting of few, and only the promising ones of many."""

BUDGET = 16_000
"""Postings one search reads. A query whose terms have no more is scored exactly, by all of them."""

# A word that half of the rows contain costs most and tells least. So the rarest terms are read whole, up to half of
# the budget. Of each other term two parts are read: its postings of highest impact, as many as its idf earns, and its
# newest, the same fraction of every term, so that rows which have several of them are met. Of the documents that
# come out best, and of those nearest by vector, every term is then looked up. Scores are therefore exact; only who is
# scored is a choice.
# Impact orders postings as BM25 does, but for the average length, which changes with every write: 15 stands for a
# third of it (search.attach makes the index).
TEXT_LEG = """
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
        UNION ALL
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
        WHERE p.tid = r.tid AND p.tenant = %(tenant)s
          AND p.doc = ANY (ARRAY(SELECT doc FROM promising UNION SELECT doc FROM nearest)) OFFSET 0) p
    WHERE NOT r.all_whole
    GROUP BY p.doc),
scored AS (
    SELECT doc, bm25, idf FROM promising WHERE EXISTS (SELECT FROM readings WHERE all_whole)
    UNION ALL
    SELECT doc, bm25, idf FROM looked_up),
text_leg AS MATERIALIZED (
    SELECT doc, raw, coverage, row_number() OVER (ORDER BY raw DESC, doc) AS rank
    FROM (
        SELECT doc, bm25 * sqrt(idf / q.total) AS raw, idf / q.total AS coverage
        FROM scored CROSS JOIN (SELECT sum(idf) AS total FROM query_terms) q WHERE idf > 0) weighed
    ORDER BY raw DESC, doc LIMIT %(pool)s),
"""

UNFILTERED = {
    "readable": "true",
    "seen_scope": "true",
    "promising": "SELECT doc, bm25, idf FROM seen ORDER BY bm25 * sqrt(idf) DESC, doc LIMIT 2 * %(pool)s",
}

# The statement for small corpora reads nothing where the corpus is not small.
SMALL = {**UNFILTERED, "seen_scope": "(SELECT yes FROM few)"}

# Few eligible rows are known by id, and a handful is looked up without reading at all. Many are not known: there the
# filter is asked of the best, one by one, until enough pass.
FILTERED = {
    "readable": "(SELECT eligible > 2 * %(pool)s FROM few)",
    "seen_scope": "NOT (SELECT yes FROM few) OR p.doc IN (SELECT id FROM eligible)",
    "promising": """
    (SELECT e.id AS doc, s.bm25, s.idf
     FROM eligible e LEFT JOIN seen s ON s.doc = e.id
     WHERE (SELECT yes FROM few) ORDER BY s.bm25 * sqrt(s.idf) DESC NULLS LAST, e.id LIMIT 2 * %(pool)s)
    UNION ALL
    (SELECT s.doc, s.bm25, s.idf
     FROM (SELECT * FROM seen WHERE NOT (SELECT yes FROM few) ORDER BY bm25 * sqrt(idf) DESC, doc OFFSET 0) s
     CROSS JOIN LATERAL (
         SELECT FROM {base} d WHERE d.id = s.doc AND d.tenant = %(tenant)s AND {condition} OFFSET 0) passed
     LIMIT %(pool)s)""",
}
