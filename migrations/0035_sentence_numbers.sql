-- A sentence's number tells its row and its place there: 128 times the row's number, and the place. So a search reads the
-- vectors of a row's sentences by one range of their key, and asks no other table whose they are. Nothing reads them by
-- their tenant any more; among many tenants the planner would do so for each row, for it cannot know how short the range is.
CREATE OR REPLACE FUNCTION search.add_sentences(corpus text, docs bigint[]) RETURNS void LANGUAGE plpgsql AS $_$
BEGIN
    EXECUTE format($sql$
        INSERT INTO %1$s_sentences (id, tenant, doc, sentence)
        SELECT 128 * d.id + told.place - 1, d.tenant, d.id, told.sentence
        FROM %1$s d CROSS JOIN LATERAL unnest(%2$s(d)) WITH ORDINALITY AS told (sentence, place)
        WHERE d.id = ANY ($1) AND told.place <= 128 ORDER BY d.id, told.place
    $sql$, corpus, (SELECT c.sentences_function FROM search.corpora c WHERE c.corpus = add_sentences.corpus)) USING docs;
END $_$;

CREATE OR REPLACE FUNCTION search.attach_sentences(target regclass, sentences_function regproc) RETURNS void
LANGUAGE plpgsql AS $_$
DECLARE
    base text := (
        SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target);
    one_tenant text;
    docs bigint[];
BEGIN
    UPDATE search.corpora c SET sentences_function = attach_sentences.sentences_function
    WHERE c.corpus = base;
    EXECUTE format($sql$
        CREATE TABLE %1$s_sentences (
            id bigint PRIMARY KEY,
            tenant text NOT NULL REFERENCES quarry.tenants,
            doc bigint NOT NULL,
            sentence text NOT NULL,
            FOREIGN KEY (tenant, doc) REFERENCES %1$s (tenant, id) ON DELETE CASCADE);
        CREATE INDEX ON %1$s_sentences (doc) INCLUDE (id);
        GRANT SELECT ON %1$s_sentences TO quarry_read, quarry_write;
        GRANT SELECT, INSERT, DELETE ON %1$s_sentences TO quarry_ingest;
    $sql$, base);
    PERFORM quarry.isolate(format('%s_sentences', base)::regclass);
    PERFORM search.attach(format('%s_sentences', base)::regclass, 'search.no_document');
    EXECUTE format('DROP INDEX %s_sentences_vectors_tenant_idx', base);
    UPDATE search.corpora c SET embedded_function = 'search.sentence_of'
    WHERE c.corpus = format('%s_sentences', base);
    -- By their names they fire behind the search triggers: the index of the rows is locked first, that of their sentences second.
    EXECUTE format($sql$
        CREATE TRIGGER sentences_insert AFTER INSERT ON %1$s REFERENCING NEW TABLE AS written
            FOR EACH STATEMENT EXECUTE FUNCTION search.tell_sentences();
        CREATE TRIGGER sentences_update AFTER UPDATE ON %1$s REFERENCING NEW TABLE AS written
            FOR EACH STATEMENT EXECUTE FUNCTION search.tell_sentences();
    $sql$, base);
    FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one_tenant, true);
        EXECUTE format('SELECT ARRAY(SELECT id FROM %s)', base) INTO docs;
        PERFORM search.add_sentences(base, docs);
    END LOOP;
END $_$;

-- The sentences that are there get their numbers, with their vectors and places in the queue. Negative ones come first,
-- because a new number may still be an old one of another.
DO $_$
DECLARE
    base text;
    one_tenant text;
    index_definition text;
    one record;
BEGIN
    FOR base IN SELECT corpus FROM search.corpora WHERE sentences_function IS NOT NULL LOOP
        EXECUTE format('ALTER TABLE %s_sentences ALTER id DROP IDENTITY, DISABLE TRIGGER USER', base);
        index_definition := pg_get_indexdef(format('%s_sentences_vectors_hnsw', base)::regclass);
        EXECUTE format('DROP INDEX %1$s_sentences_vectors_hnsw, %1$s_sentences_vectors_tenant_idx', base);
        FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
            PERFORM set_config('quarry.tenant', one_tenant, true);
            FOR one IN SELECT * FROM (VALUES
                (format('%s_sentences_documents', base), 'doc', ''), (format('%s_sentences_vectors', base), 'doc', ''),
                ('quarry.embedding_queue', 'doc', format('AND x.corpus = %L', base || '_sentences')),
                (format('%s_sentences', base), 'id', '')) AS numbered (relation, key, scope)
            LOOP
                EXECUTE format($sql$
                    UPDATE %1$s x SET %2$s = -n.number
                    FROM (SELECT id, 128 * doc + row_number() OVER (PARTITION BY doc ORDER BY id) - 1 AS number
                          FROM %4$s_sentences) n
                    WHERE n.id = x.%2$s %3$s
                $sql$, one.relation, one.key, one.scope, base);
                EXECUTE format('UPDATE %1$s x SET %2$s = -%2$s WHERE %2$s < 0 %3$s', one.relation, one.key, one.scope);
            END LOOP;
        END LOOP;
        EXECUTE index_definition;
        EXECUTE format('ALTER TABLE %s_sentences ENABLE TRIGGER USER', base);
    END LOOP;
END $_$;
