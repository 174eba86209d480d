-- Blocks of a term that lie apart stay apart. A merge that filled a block up while another of its lists took that same block
-- away wrote it twice: documents came to lie in a block before others that reached less far, where later merges looked for
-- them in vain and left their former words. What went wrong so is put right here.
--
-- And the lengths of documents are summed as precisely as they are kept: a real summed as real is not what is taken off later.
DO $$
DECLARE
    edit text[];
    body text;
BEGIN
    FOREACH edit SLICE 1 IN ARRAY ARRAY[
        ['search.unindex(text,bigint[])', 'coalesce(sum(length), 0) AS length FROM gone', 'coalesce(sum(length::float8), 0) AS length FROM gone'],
        ['search.index(text,bigint[])', 'count(*), coalesce(sum(length), 0) FROM documents', 'count(*), coalesce(sum(length::float8), 0) FROM documents'],
        ['search.merge(text)', 'SELECT r.*, r.grows AND r.low > coalesce(', 'SELECT r.*, r.grows AND coalesce(r.reached < r.mark, true) AND r.low > coalesce('],
        ['search.merge(text)', 'count(docs) = 1 AND count(*) = 1 AS grows
', 'count(docs) = 1 AND count(*) = 1 AS grows,
                        -- How far lists before it reach: what they take apart no other one fills up.
                        max(max(high)) OVER (PARTITION BY tid, layer ORDER BY mark ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
'],
        ['search.inconsistencies(text)', 'coalesce(sum(length), 0) AS length FROM %1$s_documents', 'coalesce(sum(length::float8), 0) AS length FROM %1$s_documents'],
        ['search.inconsistencies(text)', '            SELECT ''totals that are off''', '            SELECT ''blocks that overlap'', count(*) FROM (
                SELECT b.first, lag((b.first >> 31 << 31) + b.docs[cardinality(b.docs)]) OVER (
                    PARTITION BY b.tid, b.layer ORDER BY b.first) AS reached
                FROM %1$s_blocks b) b
            WHERE b.first <= b.reached
            UNION ALL
            SELECT ''totals that are off''']
    ] LOOP
        body := pg_get_functiondef(edit[1]::regprocedure);
        IF strpos(body, edit[2]) = 0 THEN
            RAISE EXCEPTION '% is not as migration 0055 has it', edit[1];
        END IF;
        EXECUTE replace(body, edit[2], edit[3]);
    END LOOP;
END $$;

DO $$
DECLARE
    name text;
    one_tenant text;
    wrong integer[];
BEGIN
    SET LOCAL work_mem = '64MB';
    FOR name IN SELECT corpus FROM search.corpora ORDER BY corpus LOOP
        FOR one_tenant IN SELECT tenant FROM quarry.tenants ORDER BY tenant LOOP
            PERFORM set_config('quarry.tenant', one_tenant, true);
            PERFORM search.lock_corpus(name);
            PERFORM search.merge(name);
            EXECUTE format($sql$
                WITH told AS (
                    SELECT tid, count(*) AS postings, bit_xor(content) AS content, count(*) FILTER (WHERE best) AS best,
                        bit_xor(content) FILTER (WHERE best) AS best_content
                    FROM (
                        SELECT p.tid, hashint8extended(p.doc, p.weight) AS content, search.layer(p.weight) >= t.cut AS best
                        FROM (
                            SELECT doc, unnest(tids) AS tid, search.weight(unnest(tfs), length) AS weight
                            FROM %1$s_documents WHERE tenant = quarry.current_tenant()) p JOIN %1$s_terms t USING (tid)) p
                    GROUP BY tid),
                held AS (
                    SELECT tid, count(*) FILTER (WHERE layer = 0) AS postings, bit_xor(content) FILTER (WHERE layer = 0) AS content,
                        count(*) FILTER (WHERE layer > 0) AS best, bit_xor(content) FILTER (WHERE layer > 0) AS best_content
                    FROM (
                        SELECT tid, layer, hashint8extended((first >> 31 << 31) + unnest(docs), unnest(weights)) AS content
                        FROM %1$s_blocks WHERE tenant = quarry.current_tenant()) p
                    GROUP BY tid),
                overlapping AS (
                    SELECT tid FROM (
                        SELECT tid, first, lag((first >> 31 << 31) + docs[cardinality(docs)]) OVER (
                            PARTITION BY tid, layer ORDER BY first) AS reached
                        FROM %1$s_blocks WHERE tenant = quarry.current_tenant()) b
                    WHERE first <= reached)
                SELECT array_agg(t.tid) FROM %1$s_terms t LEFT JOIN told USING (tid) LEFT JOIN held USING (tid)
                WHERE t.tenant = quarry.current_tenant() AND t.few IS NULL AND (
                    t.tid IN (SELECT tid FROM overlapping)
                    OR (coalesce(told.postings, 0), coalesce(told.content, 0), coalesce(told.best, 0), coalesce(told.best_content, 0))
                    <> (coalesce(held.postings, 0), coalesce(held.content, 0), coalesce(held.best, 0), coalesce(held.best_content, 0)))
            $sql$, name) INTO wrong;
            EXECUTE format('DELETE FROM %s_blocks WHERE tid = ANY ($1)', name) USING wrong;
            EXECUTE format('UPDATE %s_terms SET cut = NULL WHERE tid = ANY ($1)', name) USING wrong;
            EXECUTE format($sql$
                INSERT INTO %1$s_blocks (tid, layer, first, tenant, docs, weights)
                SELECT tid, 0, min(doc), quarry.current_tenant(), array_agg((doc & 2147483647)::integer ORDER BY doc),
                    array_agg(weight ORDER BY doc)
                FROM (
                    SELECT p.tid, p.doc, search.weight(p.tf, p.length) AS weight,
                        (row_number() OVER (PARTITION BY p.tid, p.doc >> 31 ORDER BY p.doc) - 1) / 240 AS piece
                    FROM (
                        SELECT doc, length, unnest(tids) AS tid, unnest(tfs) AS tf FROM %1$s_documents
                        WHERE tenant = quarry.current_tenant() AND tids && $1) p
                    WHERE p.tid = ANY ($1)) p
                GROUP BY tid, doc >> 31, piece
            $sql$, name) USING wrong;
            EXECUTE format('SELECT array_agg(tid) FROM %s_terms WHERE tid = ANY ($1) AND df > 512', name) INTO wrong USING wrong;
            PERFORM search.layer_blocks(name, wrong);
            EXECUTE format($sql$
                UPDATE %1$s_totals SET length = (
                    SELECT coalesce(sum(length::float8), 0) FROM %1$s_documents WHERE tenant = quarry.current_tenant())
                WHERE tenant = quarry.current_tenant()
            $sql$, name);
        END LOOP;
    END LOOP;
END $$;
