-- The rows that ranking chooses from: those that were found and, where a filter leaves few, any that satisfy it. Nearness
-- to the row nearest in meaning (best) is added, because it tells more than nearness to the query alone (Rocchio). Rows
-- are looked up one by one: a kept plan, which knows no query, would otherwise read whole tables.
WITH asked AS MATERIALIZED (SELECT %(vector)s::halfvec AS vector),
best AS MATERIALIZED (SELECT x.embedding FROM {vectors} x WHERE x.doc = %(best)s::bigint),
wanted AS MATERIALIZED (
    SELECT unnest(%(docs)s::bigint[]) AS doc
    UNION
    (SELECT d.id FROM {base} d {narrow}
     WHERE %(fill)s > 0 AND d.tenant = %(tenant)s AND {of_all} ORDER BY d.id LIMIT %(fill)s))
SELECT d.id AS _doc, {cosine} AS _cosine,
       1 - (v.embedding <=> (SELECT embedding FROM best)) AS _closeness,
       {extra}
       {columns}
FROM wanted w
CROSS JOIN LATERAL (SELECT * FROM {base} d WHERE d.id = w.doc AND d.tenant = %(tenant)s OFFSET 0) d
{joins}
LEFT JOIN LATERAL (SELECT x.doc, x.embedding FROM {vectors} x WHERE x.doc = w.doc OFFSET 0) v ON true
{told}
