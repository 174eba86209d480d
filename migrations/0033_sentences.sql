-- A text tells several things, and one vector of all of it is near to none of them: each sentence has a vector of its own.
-- A row's sentences are a searchable table like any other, which no word finds; a row is as near to a request as it is as
-- a whole and by its nearest sentence.
ALTER TABLE search.corpora ADD COLUMN sentences_function regproc;
COMMENT ON COLUMN search.corpora.sentences_function IS 'Makes a row the sentences that have vectors of their own, text[].';

-- The first ``most``; a piece of fewer than ten characters says nothing.
CREATE FUNCTION search.sentences(content text, most integer) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY(
        SELECT btrim(piece) FROM regexp_split_to_table(content, '(?<=[.!?;])\s+|\n+') WITH ORDINALITY AS pieces (piece, place)
        WHERE length(btrim(piece)) >= 10 ORDER BY place LIMIT most)
$$;

CREATE FUNCTION search.no_document(one anyelement) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(NULL, NULL, NULL)::search.document
$$;

CREATE FUNCTION search.sentence_of(one anyelement) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_jsonb(one) ->> 'sentence'
$$;

-- Keeps the sentences of the rows that were written.
CREATE FUNCTION search.tell_sentences() RETURNS trigger LANGUAGE plpgsql AS $_$
DECLARE
    corpus_name text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    told_by regproc;
    docs bigint[] := ARRAY(SELECT id FROM written);
BEGIN
    SELECT c.sentences_function INTO told_by FROM search.corpora c WHERE c.corpus = corpus_name;
    EXECUTE format($sql$
        SELECT ARRAY(
            SELECT d.id FROM %1$s d
            WHERE d.id = ANY ($1)
                AND %2$s(d) <> ARRAY(SELECT s.sentence FROM %1$s_sentences s WHERE s.doc = d.id ORDER BY s.id))
    $sql$, corpus_name, told_by) INTO docs USING docs;
    IF cardinality(docs) > 0 THEN
        EXECUTE format('DELETE FROM %s_sentences WHERE doc = ANY ($1)', corpus_name) USING docs;
        PERFORM search.add_sentences(corpus_name, docs);
    END IF;
    RETURN NULL;
END $_$;

CREATE FUNCTION search.add_sentences(corpus text, docs bigint[]) RETURNS void LANGUAGE plpgsql AS $_$
BEGIN
    EXECUTE format($sql$
        INSERT INTO %1$s_sentences (tenant, doc, sentence)
        SELECT d.tenant, d.id, told.sentence
        FROM %1$s d CROSS JOIN LATERAL unnest(%2$s(d)) WITH ORDINALITY AS told (sentence, place)
        WHERE d.id = ANY ($1) ORDER BY d.id, told.place
    $sql$, corpus, (SELECT c.sentences_function FROM search.corpora c WHERE c.corpus = add_sentences.corpus)) USING docs;
END $_$;

CREATE FUNCTION search.attach_sentences(target regclass, sentences_function regproc) RETURNS void LANGUAGE plpgsql AS $_$
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
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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

CREATE FUNCTION quotes.sentences_of_quote(q quotes.past_quotes) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT search.sentences(concat_ws(E'\n', q.project, q.summary, q.price_rationale), 100)
$$;
CREATE FUNCTION quotes.sentences_of_line(l quotes.line_items) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT search.sentences(l.description, 40)
$$;
ALTER TABLE quotes.line_items ADD UNIQUE (tenant, id);
SELECT search.attach_sentences('quotes.past_quotes', 'quotes.sentences_of_quote');
SELECT search.attach_sentences('quotes.line_items', 'quotes.sentences_of_line');

-- The approval page shows what search finds of past quotes.
GRANT SELECT ON quotes.line_items_sentences, quotes.line_items_sentences_vectors TO quarry_approve;
