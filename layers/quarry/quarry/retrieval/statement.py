"""The one SQL statement that searches a corpus, and the parts of it that only some searches need."""

# Parameters: tenant, query (text), vector or else the key of one in the cache (neither there: text only),
# vector_weight, pool, exact_up_to, limit, explain, and the filter's own; part_numbers (keys of the models that the
# query may name) where PART_NUMBERS are used. BM25 with k1 1.2 and b .75, times the root of the share of the query's
# idf that matched; min-max over each leg's pool. The pool is then ranked once more with the best hit's vector added
# to the query's (FEEDBACK).
# Rows and exact scores are fetched for the winners only.
STATEMENT = """
WITH asked AS MATERIALIZED (SELECT coalesce(%(vector)s::vector, ({cached}))::halfvec AS vector),
totals AS MATERIALIZED (
    SELECT documents, greatest(length / greatest(documents, 1), 1) AS average
    FROM {totals} WHERE tenant = %(tenant)s),
{scope}
{read_terms}{models}
nearest AS MATERIALIZED (
    (SELECT v.doc, 1 - (v.embedding <=> (SELECT vector FROM asked)) AS similarity
     FROM {vectors} v
     WHERE (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL
         AND v.tenant = %(tenant)s AND {exact_scope}
     -- Not by distance: the index would offer its order, and lose rows.
     ORDER BY similarity DESC, v.doc LIMIT %(pool)s)
    {walk}),
{text_leg}candidates AS (
    SELECT coalesce(t.doc, v.doc) AS doc, t.raw, t.coverage, t.rank AS text_rank, v.similarity, v.rank AS vector_rank
    FROM text_leg t
    FULL JOIN (
        SELECT n.*, row_number() OVER (ORDER BY similarity DESC, doc) AS rank
        FROM (SELECT doc, similarity FROM nearest {compared}) n) v
    ON v.doc = t.doc {fill}),
weighted AS MATERIALIZED (
    SELECT c.*, w.weight,
        CASE WHEN c.similarity IS NULL THEN 0 ELSE coalesce(
            (c.similarity - min(c.similarity) OVER ())
            / nullif(max(c.similarity) OVER () - min(c.similarity) OVER (), 0), 1) END AS nearness,
        (1 - w.weight) * CASE WHEN c.raw IS NULL THEN 0 ELSE coalesce(
            (c.raw - min(c.raw) OVER ()) / nullif(max(c.raw) OVER () - min(c.raw) OVER (), 0), 1) END AS text_part
    FROM candidates c CROSS JOIN (
        SELECT CASE WHEN (SELECT vector FROM asked) IS NULL THEN 0 ELSE %(vector_weight)s::float8 END AS weight) w),
best AS MATERIALIZED (
    SELECT (SELECT x.embedding FROM {vectors} x WHERE x.doc = w.doc) AS embedding
    FROM weighted w
    ORDER BY weight * nearness + text_part DESC, similarity DESC NULLS LAST, doc LIMIT 1),
closer AS MATERIALIZED (
    SELECT w.*, similarity + {feedback} * coalesce((
        SELECT 1 - (x.embedding <=> (SELECT embedding FROM best)) FROM {vectors} x WHERE x.doc = w.doc), 0)
        AS closeness
    FROM weighted w),
fused AS MATERIALIZED (
    SELECT c.*, c.weight * CASE WHEN c.similarity IS NULL THEN 0 ELSE coalesce(
            (c.closeness - min(c.closeness) OVER ())
            / nullif(max(c.closeness) OVER () - min(c.closeness) OVER (), 0), 1) END AS vector_part,
        {named} AS named
    FROM closer c),
{placed}
SELECT f.vector_part AS _vector_part, f.text_part AS _text_part, f.raw AS _bm25, f.coverage AS _coverage,
       f.text_rank AS _text_rank, f.vector_rank AS _vector_rank, f.named AS _named,
       coalesce(f.similarity, (
           SELECT 1 - (x.embedding <=> (SELECT vector FROM asked)) FROM {vectors} x WHERE x.doc = f.doc)) AS _score,
       CASE WHEN %(explain)s THEN ARRAY(
           SELECT q.term FROM query_terms q JOIN {postings} p ON p.tid = q.tid AND p.doc = f.doc ORDER BY q.idf DESC)
       END AS _terms,
       {read_as}{copies}{texts}
       {columns}
FROM placed f
JOIN {base} d ON d.id = f.doc
{joins}
ORDER BY f.place
"""

WALK = """
    UNION ALL
    (SELECT v.doc, 1 - (v.embedding <=> (SELECT vector FROM asked)) AS similarity
     FROM {{vectors}} v
     WHERE NOT (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL
         AND v.tenant = %(tenant)s AND {index_scope}
     ORDER BY v.embedding <=> (SELECT vector FROM asked) LIMIT {index_pool})"""

# The whole of a small corpus; no row at all when it is not small. No choice is left to the planner that could lose a
# row or, made without the values, cost time: the plan is kept.
SMALL = {
    "scope": "few AS MATERIALIZED (SELECT documents <= %(exact_up_to)s AS yes FROM totals),",
    "exact_scope": "true",
    "walk": "",
    "compared": "",
    "fill": "",
}

# Comparing reads the tenant's rows as they lie.
UNFILTERED = {
    **SMALL,
    "scope": """
few AS MATERIALIZED (
    SELECT documents <= %(exact_up_to)s * greatest(1, sqrt(greatest(c.reltuples, 0) / 10000)) AS yes
    FROM totals CROSS JOIN pg_class c WHERE c.oid = {index}::regclass),""",
    "walk": WALK.format(index_scope="true", index_pool="%(pool)s"),
}

# Under a filter every row that satisfies it may be returned, even one that neither leg found. Comparing looks each
# row up here, which costs four times as much as reading them as they lie.
FILTERED = {
    "scope": """
most AS MATERIALIZED (
    SELECT (%(exact_up_to)s * greatest(1, sqrt(greatest(c.reltuples, 0) / 30000)))::bigint AS rows
    FROM pg_class c WHERE c.oid = {index}::regclass),
few AS MATERIALIZED (
    SELECT count(*) AS eligible, count(*) <= (SELECT rows FROM most) AS yes
    FROM (SELECT FROM {base} d WHERE d.tenant = %(tenant)s AND {condition} LIMIT (SELECT rows + 1 FROM most)) d),
eligible AS MATERIALIZED (
    SELECT d.id FROM {base} d WHERE (SELECT yes FROM few) AND d.tenant = %(tenant)s AND {condition}),""",
    "exact_scope": "v.doc = ANY (ARRAY(SELECT id FROM eligible))",
    "walk": WALK.format(
        index_scope="EXISTS (SELECT FROM {base} d WHERE d.id = v.doc AND d.tenant = %(tenant)s AND {condition})",
        # Of ten rows that the index offers, one may qualify: a full pool would cost ten times as much.
        index_pool="least(%(pool)s, 4 * %(limit)s)",
    ),
    # In place of the rest of the pool: those of the text leg that would be in it, if similarity went on falling with
    # the logarithm of the rank as it does among the rows that were walked.
    "compared": """
        UNION ALL
        (SELECT x.doc, x.similarity FROM (
             SELECT x.doc, 1 - (x.embedding <=> (SELECT vector FROM asked)) AS similarity FROM {vectors} x
             WHERE NOT (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL
                 AND x.doc = ANY (ARRAY(SELECT doc FROM text_leg EXCEPT SELECT doc FROM nearest))
                 AND x.tenant = %(tenant)s OFFSET 0) x
         WHERE x.similarity >= (
             SELECT min(similarity) + regr_slope(similarity, ln(rank)) * ln(%(pool)s::float8 / nullif(count(*), 0))
             FROM (SELECT similarity, row_number() OVER (ORDER BY similarity DESC) AS rank FROM nearest) r))""",
    "fill": """
    UNION ALL
    (SELECT e.id, NULL, NULL, NULL, NULL, NULL
     FROM (SELECT d.id FROM {base} d WHERE d.tenant = %(tenant)s AND {condition} LIMIT (SELECT rows FROM most)) e
     WHERE (SELECT count(*) FROM nearest) < %(limit)s AND (SELECT count(*) FROM text_leg) < %(limit)s
         AND e.id NOT IN (SELECT doc FROM text_leg) AND e.id NOT IN (SELECT doc FROM nearest)
     ORDER BY e.id LIMIT %(limit)s)""",
}

WORDS = {
    "read_terms": """
query_terms AS MATERIALIZED (
    SELECT q.term, t.tid, t.df,
           ln(1 + (s.documents - coalesce(t.df, 0) + 0.5::float8) / (coalesce(t.df, 0) + 0.5::float8)) AS idf
    FROM search.query_terms(%(query)s) q
    CROSS JOIN totals s
    LEFT JOIN {terms} t ON t.tenant = %(tenant)s AND t.term = q.term),""",
    "read_as": "",
}

# A part number that no text has is read as the nearest one that some text has: the one that looks the same, else one
# that differs by one slip in its letters. Rows that bear a model of the query come first, whatever else they say.
PART_NUMBERS = {
    "read_terms": """
typed AS MATERIALIZED (
    SELECT q.term, t.tid, coalesce(t.df, 0) AS df
    FROM search.query_terms(%(query)s) q
    LEFT JOIN {terms} t ON t.tenant = %(tenant)s AND t.term = q.term),
query_terms AS MATERIALIZED (
    SELECT coalesce(m.term, q.term) AS term, coalesce(m.tid, q.tid) AS tid, coalesce(m.df, q.df) AS df, m.typed,
           ln(1 + (s.documents - coalesce(m.df, q.df) + 0.5::float8) / (coalesce(m.df, q.df) + 0.5::float8)) AS idf
    FROM typed q
    CROSS JOIN totals s
    LEFT JOIN LATERAL (
        SELECT t.term, t.tid, t.df, q.term AS typed
        FROM unnest(search.spellings(q.term)) AS v (spelling)
        JOIN {spellings} x ON x.tenant = %(tenant)s AND x.spelling = v.spelling
        JOIN {terms} t ON t.tid = x.tid
        WHERE t.df > 0 AND (search.folded(t.term) = search.folded(q.term) OR (
            abs(length(t.term) - length(q.term)) <= 1
            AND regexp_replace(t.term, '[^0-9]', '', 'g') = regexp_replace(q.term, '[^0-9]', '', 'g')))
        ORDER BY search.folded(t.term) = search.folded(q.term) DESC, length(t.term) = length(q.term) DESC, t.df DESC,
                 t.term
        LIMIT 1) m ON q.df = 0 AND search.is_part_number(q.term)),""",
    "read_as": """
       (SELECT jsonb_object_agg(q.typed, q.term) FROM query_terms q WHERE q.typed IS NOT NULL) AS _read_as,""",
}

# For corpora whose rows bear a model; one that no leg found is not worth looking for, its text has the model too.
MODELS = {
    "models": """
models AS MATERIALIZED (
    SELECT d.id FROM {base} d
    WHERE d.tenant = %(tenant)s AND {condition} AND d.{model_key} = ANY (
        %(part_numbers)s::text[] || ARRAY(SELECT q.term FROM query_terms q WHERE q.typed IS NOT NULL))),""",
    "named": "c.doc IN (SELECT id FROM models)",
}

NO_MODELS = {"models": "", "named": "false"}

TEXTS = {
    "texts": """
       search.plain_text({document}) AS _text,""",
}

NO_TEXTS = {"texts": ""}

SINGLES = {
    "placed": """
placed AS MATERIALIZED (
    SELECT f.*, row_number() OVER (
        ORDER BY named DESC, vector_part + text_part DESC, similarity DESC NULLS LAST, doc) AS place
    FROM fused f ORDER BY place LIMIT %(limit)s)""",
    "copies": "",
}

# Of rows with the same words the newest stands for all, in the place of the best; the others go behind every other
# row, so that they still come where nothing else is left.
COPIES = {
    "placed": """
ranked AS (
    SELECT f.*, x.fingerprint, count(*) OVER (PARTITION BY x.fingerprint) AS alike, row_number() OVER (
        ORDER BY named DESC, vector_part + text_part DESC, similarity DESC NULLS LAST, f.doc) AS rank
    FROM fused f JOIN {documents} x ON x.doc = f.doc),
dated AS (
    SELECT r.*,
           CASE WHEN alike > 1 THEN (SELECT {copied_on} FROM {base} d {joins} WHERE d.id = r.doc) END AS copied_on
    FROM ranked r),
grouped AS (
    SELECT t.*, min(rank) OVER (PARTITION BY fingerprint) AS best_rank,
           row_number() OVER (PARTITION BY fingerprint ORDER BY copied_on DESC NULLS LAST, rank) > 1 AS repeated
    FROM dated t),
placed AS MATERIALIZED (
    SELECT g.*, row_number() OVER (ORDER BY repeated, best_rank, rank) AS place
    FROM grouped g ORDER BY place LIMIT %(limit)s)""",
    "copies": """
       f.repeated AS _repeated,
       (SELECT count(*) FROM {documents} x JOIN {base} d ON d.id = x.doc
        WHERE NOT f.repeated AND x.tenant = %(tenant)s AND x.fingerprint = f.fingerprint AND x.doc <> f.doc
          AND {condition}) AS _copies,
       ARRAY(SELECT jsonb_build_object({copy}) FROM {documents} x JOIN {base} d ON d.id = x.doc {joins}
        WHERE NOT f.repeated AND x.tenant = %(tenant)s AND x.fingerprint = f.fingerprint AND x.doc <> f.doc
          AND {condition}
        ORDER BY {copied_on} DESC, d.id DESC LIMIT {copies_shown}) AS _copied,""",
}
