-- Rows come in faster, and as fast into a database that has statistics as into a new one.
--
-- The planner takes lists that a statement makes itself for one or two rows where the table they come from was empty when its
-- statistics were taken, as that of waiting documents mostly is. It then compared each of some ten thousand postings with each.
-- Such lists are joined by hashes now, and tables are looked up by index in LATERAL … OFFSET 0, which nothing else can do.
DO $$
DECLARE
    edit text[];
    body text;
BEGIN
    FOREACH edit SLICE 1 IN ARRAY ARRAY[
        ['search.merge(text)', 'SELECT unnest(d.tids) AS tid FROM pending p JOIN %1$s_documents d ON d.doc = p.doc
', 'SELECT unnest(d.tids) AS tid FROM pending p
                    CROSS JOIN LATERAL (SELECT d.tids FROM %1$s_documents d WHERE d.doc = p.doc OFFSET 0) d
'],
        ['search.merge(text)', 'SELECT c.tid, t.cut, t.df, t.few, t.few IS NOT NULL AS rare', 'SELECT c.tid, t.term, t.cut, t.df, t.few, t.few IS NOT NULL AS rare'],
        ['search.merge(text)', '(SELECT t.cut, t.df, t.few FROM %1$s_terms', '(SELECT t.term, t.cut, t.df, t.few FROM %1$s_terms'],
        ['search.merge(text)', 'FROM runs r JOIN %1$s_documents d ON d.doc = r.doc) p', 'FROM runs r CROSS JOIN LATERAL (
                        SELECT d.length, d.tids, d.tfs FROM %1$s_documents d WHERE d.doc = r.doc OFFSET 0) d) p'],
        ['search.merge(text)', 'SELECT p.tid, t.cut, r.doc, search.weight(p.tf, r.length) AS weight
                FROM runs r CROSS JOIN LATERAL unnest(r.tids, r.tfs) p (tid, tf) JOIN', 'SELECT p.tid, t.cut, p.doc, search.weight(p.tf, p.length) AS weight
                FROM (SELECT r.doc, r.length, unnest(r.tids) AS tid, unnest(r.tfs) AS tf FROM runs r) p JOIN'],
        ['search.merge(text)', 'UPDATE %1$s_terms t SET few = n.few
                FROM (
                    SELECT t.tid, t.few AS former,', 'INSERT INTO %1$s_terms (tid, tenant, term, df, few) OVERRIDING SYSTEM VALUE
                SELECT n.tid, quarry.current_tenant(), n.term, n.df, n.few
                FROM (
                    SELECT t.tid, t.term, t.df, t.few AS former,'],
        ['search.merge(text)', 'WHERE t.tid = n.tid AND n.few IS DISTINCT FROM n.former)', 'WHERE n.few IS DISTINCT FROM n.former
                ON CONFLICT (tid) DO UPDATE SET few = excluded.few)'],
        ['search.term_frequencies(search.document)', '(
        SELECT sum(CASE weight WHEN ''A'' THEN 40 WHEN ''B'' THEN 10 ELSE 3 END)::integer FROM unnest(weights) AS weight)', '
        40 * cardinality(array_positions(weights, ''A'')) + 10 * cardinality(array_positions(weights, ''B''))
            + 3 * cardinality(array_positions(weights, ''C''))'],
        ['search.attach_text(text)', '        CREATE TABLE %1$s_spellings (', '        ALTER TABLE %1$s_terms ALTER COLUMN tenant SET STATISTICS 0;
        CREATE TABLE %1$s_spellings ('],
        ['search.index(text,bigint[])', '    PERFORM search.settle(corpus);
', '    PERFORM set_config(''enable_nestloop'', ''on'', true);
    PERFORM search.settle(corpus);
']
    ] LOOP
        body := pg_get_functiondef(edit[1]::regprocedure);
        IF strpos(body, edit[2]) = 0 THEN
            RAISE EXCEPTION '% is not as migration 0059 has it', edit[1];
        END IF;
        EXECUTE replace(body, edit[2], edit[3]);
    END LOOP;
END $$;

ALTER FUNCTION search.merge(text) SET enable_nestloop TO off;
ALTER FUNCTION search.index(text, bigint[]) SET enable_nestloop TO off;
ALTER FUNCTION search.layer_blocks(text, integer[]) SET enable_nestloop TO on;

-- A tenant that is new to the statistics would be taken for one with hardly a row, and all of its terms read for each that is
-- looked up by its number: as with attribute_values, every tenant counts as one of two hundred. Statistics that are there go
-- where Postgres can be told so; else they stay as they are.
DO $$
DECLARE
    corpus text;
BEGIN
    FOR corpus IN SELECT c.corpus FROM search.corpora c LOOP
        EXECUTE format('ALTER TABLE %s_terms ALTER COLUMN tenant SET STATISTICS 0', corpus);
        IF to_regproc('pg_catalog.pg_clear_attribute_stats') IS NOT NULL THEN
            PERFORM pg_clear_attribute_stats(split_part(corpus, '.', 1), split_part(corpus, '.', 2) || '_terms', 'tenant', false);
        END IF;
    END LOOP;
END $$;

-- Its statements are planned anew where the values tell a better plan. To plan the functions that they call for each row anew,
-- which no value makes better, took a fifth of an ingest.
ALTER ROLE quarry_ingest SET plan_cache_mode TO auto;
