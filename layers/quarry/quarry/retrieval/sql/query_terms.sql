-- The terms of the query (a part of both text legs). A part number that no text has is read as the nearest one that a
-- text has: one that looks the same, else one that differs by one slip in its letters.
typed AS MATERIALIZED (
    SELECT q.term, t.tid, t.cut, t.few, coalesce(t.df, 0) AS df
    FROM search.query_terms(%(query)s) AS q (term)
    -- Looked up one by one: a plan that knows no query would read all terms.
    LEFT JOIN LATERAL (
        SELECT t.tid, t.cut, t.few, t.df FROM {terms} t WHERE t.tenant = %(tenant)s AND t.term = q.term OFFSET 0) t ON true
    -- Hiragana that no text has are grammar, and nothing that is asked for.
    WHERE t.df > 0 OR q.term !~ '^[\u3041-\u309f]'),
query_terms AS MATERIALIZED (
    SELECT coalesce(m.term, q.term) AS term, coalesce(m.tid, q.tid) AS tid, coalesce(m.df, q.df) AS df, m.typed,
           coalesce(m.cut, q.cut) AS cut, coalesce(m.few, q.few) AS few,
           ln(1 + (s.documents - coalesce(m.df, q.df) + 0.5::float8) / (coalesce(m.df, q.df) + 0.5::float8)) AS idf
    FROM typed q
    CROSS JOIN totals s
    LEFT JOIN LATERAL (
        SELECT t.term, t.tid, t.cut, t.few, t.df, q.term AS typed
        FROM unnest(search.spellings(q.term)) AS v (spelling)
        JOIN {spellings} x ON x.tenant = %(tenant)s AND x.spelling = v.spelling
        JOIN {terms} t ON t.tid = x.tid
        WHERE q.df = 0 AND search.is_part_number(q.term) AND t.df > 0 AND (search.folded(t.term) = search.folded(q.term) OR (
            abs(length(t.term) - length(q.term)) <= 1
            AND regexp_replace(t.term, '[^0-9]', '', 'g') = regexp_replace(q.term, '[^0-9]', '', 'g')
            -- Without the letter between them two figures become one: 1x6 is no slip of 16.
            AND (length(t.term) = length(q.term)
                 OR btrim(regexp_replace(t.term, '[^0-9]+', ' ', 'g')) = btrim(regexp_replace(q.term, '[^0-9]+', ' ', 'g')))))
        ORDER BY search.folded(t.term) = search.folded(q.term) DESC, length(t.term) = length(q.term) DESC, t.df DESC,
                 t.term
        LIMIT 1) m ON true),
