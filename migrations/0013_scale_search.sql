-- Search that stays fast when a tenant's rows are many: postings by impact, vectors in half the room, filters by index.

DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['quarry_read', 'quarry_write', 'quarry_ingest'] LOOP
        EXECUTE format('ALTER ROLE %I SET work_mem = ''32MB''', role_name); -- 4 MB makes one search spill to disk
        EXECUTE format('ALTER ROLE %I SET hnsw.ef_search = 200', role_name);
    END LOOP;
END $$;

-- The text leg reads the best postings of a frequent term first. Nearly BM25's own order: 15 stands for a third of the
-- average length, which itself changes with every write.
CREATE FUNCTION search.add_impact_index(corpus text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'CREATE INDEX ON %s_postings (tid, (tf / (length + 15)) DESC) INCLUDE (doc, tf, length, tenant)', corpus);
    -- Most terms are rare and queries are made of the others: by the true average the planner would sort a term's
    -- whole list for its first rows, instead of reading them off the index.
    EXECUTE format('ALTER TABLE %s_postings ALTER COLUMN tid SET (n_distinct = 100)', corpus);
END $$;

-- 16-bit components shrink table and index by a third or more and change no ranking that anybody judged.
CREATE FUNCTION search.narrow_vectors(corpus text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    index_name text := split_part(corpus, '.', 2) || '_vectors_hnsw';
BEGIN
    EXECUTE format('DROP INDEX %I.%I', split_part(corpus, '.', 1), index_name);
    EXECUTE format('ALTER TABLE %s_vectors ALTER COLUMN embedding TYPE halfvec(%s)', corpus, (
        SELECT dimensions FROM quarry.embedding_model));
    EXECUTE format('ALTER TABLE %s_vectors ALTER COLUMN embedding SET STORAGE PLAIN', corpus);
    EXECUTE format(
        'CREATE INDEX %I ON %s_vectors USING hnsw (embedding halfvec_cosine_ops) WITH (m = 32, ef_construction = 200)',
        index_name, corpus);
END $$;

ALTER FUNCTION search.attach(regclass, regproc) RENAME TO attach_tables;
CREATE FUNCTION search.attach(target regclass, document_function regproc) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    corpus text := (
        SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target);
BEGIN
    PERFORM search.attach_tables(target, document_function);
    PERFORM search.add_impact_index(corpus);
    PERFORM search.narrow_vectors(corpus);
END $$;
COMMENT ON FUNCTION search.attach IS 'Makes a table with (id bigint, tenant text) searchable.';

DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT corpus FROM search.corpora ORDER BY corpus LOOP
        PERFORM search.add_impact_index(name);
        PERFORM search.narrow_vectors(name);
    END LOOP;
END $$;

-- As in 0002, with the type the column has now.
CREATE OR REPLACE FUNCTION search.change_model(new_model text, new_dimensions integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    name text;
    one_tenant text;
    queued bigint := 0;
    affected bigint;
BEGIN
    UPDATE quarry.embedding_model SET model = new_model, dimensions = new_dimensions, recorded_at = now();
    FOR name IN SELECT corpus FROM search.corpora ORDER BY corpus LOOP
        EXECUTE format('TRUNCATE %s_vectors', name);
        EXECUTE format('ALTER TABLE %s_vectors ALTER COLUMN embedding TYPE halfvec(%s)', name, new_dimensions);
        EXECUTE format('ALTER TABLE %s_vectors ALTER COLUMN embedding SET STORAGE PLAIN', name);
        FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
            PERFORM set_config('quarry.tenant', one_tenant, true);
            EXECUTE format($sql$
                INSERT INTO quarry.embedding_queue (tenant, corpus, doc, content_hash)
                SELECT tenant, %2$L, doc, content_hash FROM %1$s_documents WHERE tenant = %3$L
                ON CONFLICT (corpus, doc) DO UPDATE
                SET content_hash = excluded.content_hash, attempts = 0, available_at = now(), last_error = NULL, dead_at = NULL
            $sql$, name, name, one_tenant);
            GET DIAGNOSTICS affected = ROW_COUNT;
            queued := queued + affected;
        END LOOP;
    END LOOP;
    -- Open sessions remember the old model.
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename IN ('quarry_read', 'quarry_write', 'quarry_ingest');
    RETURN queued;
END $$;

-- Which rows satisfy a filter is read from an index alone, led by the filter that admits fewest and carrying the others;
-- and so is whether one row does.
-- Names are compared in lower case; row-level security keeps an expression out of an index, so the case is stored.

ALTER TABLE equipment.products ADD COLUMN manufacturer_key text NOT NULL GENERATED ALWAYS AS (lower(manufacturer)) STORED;
CREATE INDEX products_hp ON equipment.products (tenant, hp)
    INCLUDE (id, cfm, psi, lubrication, family, manufacturer_key);
CREATE INDEX products_cfm ON equipment.products (tenant, cfm)
    INCLUDE (id, hp, psi, lubrication, family, manufacturer_key);
CREATE INDEX products_psi ON equipment.products (tenant, psi)
    INCLUDE (id, hp, cfm, lubrication, family, manufacturer_key);
CREATE INDEX products_lubrication ON equipment.products (tenant, lubrication)
    INCLUDE (id, hp, cfm, psi, family, manufacturer_key);
CREATE INDEX products_family ON equipment.products (tenant, family)
    INCLUDE (id, hp, cfm, psi, lubrication, manufacturer_key);
CREATE INDEX products_manufacturer ON equipment.products (tenant, manufacturer_key)
    INCLUDE (id, hp, cfm, psi, lubrication, family);
CREATE UNIQUE INDEX products_filters ON equipment.products (id)
    INCLUDE (tenant, hp, cfm, psi, lubrication, family, manufacturer_key);

ALTER TABLE quotes.line_items ADD COLUMN category_key text NOT NULL GENERATED ALWAYS AS (lower(category)) STORED;
DROP INDEX quotes.line_items_category;
CREATE INDEX line_items_category ON quotes.line_items (tenant, category_key)
    INCLUDE (id, hp, cfm, psi, lubrication, family);
CREATE INDEX line_items_family ON quotes.line_items (tenant, family)
    INCLUDE (id, hp, cfm, psi, lubrication, category_key);
CREATE INDEX line_items_hp ON quotes.line_items (tenant, hp)
    INCLUDE (id, cfm, psi, lubrication, category_key, family);
CREATE INDEX line_items_cfm ON quotes.line_items (tenant, cfm)
    INCLUDE (id, hp, psi, lubrication, category_key, family);
CREATE INDEX line_items_psi ON quotes.line_items (tenant, psi)
    INCLUDE (id, hp, cfm, lubrication, category_key, family);
CREATE INDEX line_items_lubrication ON quotes.line_items (tenant, lubrication)
    INCLUDE (id, hp, cfm, psi, category_key, family);
CREATE UNIQUE INDEX line_items_filters ON quotes.line_items (id)
    INCLUDE (tenant, hp, cfm, psi, lubrication, category_key, family);
