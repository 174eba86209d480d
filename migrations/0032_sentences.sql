-- A past quote tells several things, and one vector of all of it is near to none of them: each sentence has one of its own.
-- The sentences are a searchable table like any other; a quote is as near as it is as a whole and by its nearest sentence.
CREATE TABLE quotes.past_quote_sentences (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    quote_id bigint NOT NULL,
    sentence text NOT NULL,
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes.past_quotes (tenant, id) ON DELETE CASCADE
);
COMMENT ON TABLE quotes.past_quote_sentences IS 'Sentences of a quote''s project, summary and price rationale, kept by its triggers.';
CREATE INDEX past_quote_sentences_quote_id_idx ON quotes.past_quote_sentences (quote_id) INCLUDE (id, tenant);
SELECT quarry.isolate('quotes.past_quote_sentences');
GRANT SELECT ON quotes.past_quote_sentences TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE, DELETE ON quotes.past_quote_sentences TO quarry_ingest;

CREATE FUNCTION quotes.sentence_document(s quotes.past_quote_sentences) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(NULL, NULL, s.sentence)::search.document
$$;
SELECT search.attach('quotes.past_quote_sentences', 'quotes.sentence_document');

-- At most a hundred; a piece of fewer than ten characters says nothing.
CREATE FUNCTION quotes.sentences(q quotes.past_quotes) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY(
        SELECT btrim(piece)
        FROM regexp_split_to_table(concat_ws(E'\n', q.project, q.summary, q.price_rationale), '(?<=[.!?;])\s+|\n+')
            WITH ORDINALITY AS pieces (piece, place)
        WHERE length(btrim(piece)) >= 10 ORDER BY place LIMIT 100)
$$;

CREATE FUNCTION quotes.tell_sentences() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(
        SELECT q.id FROM written w JOIN quotes.past_quotes q ON q.id = w.id
        WHERE quotes.sentences(q) <> ARRAY(
            SELECT s.sentence FROM quotes.past_quote_sentences s WHERE s.quote_id = q.id ORDER BY s.id));
BEGIN
    IF cardinality(changed) > 0 THEN
        DELETE FROM quotes.past_quote_sentences WHERE quote_id = ANY (changed);
        INSERT INTO quotes.past_quote_sentences (tenant, quote_id, sentence)
        SELECT q.tenant, q.id, told.sentence
        FROM quotes.past_quotes q CROSS JOIN LATERAL unnest(quotes.sentences(q)) WITH ORDINALITY AS told (sentence, place)
        WHERE q.id = ANY (changed) ORDER BY q.id, told.place;
    END IF;
    RETURN NULL;
END $$;
-- Behind the search triggers (by name): the index of the quotes is locked first, that of their sentences second.
CREATE TRIGGER tell_insert AFTER INSERT ON quotes.past_quotes REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_sentences();
CREATE TRIGGER tell_update AFTER UPDATE ON quotes.past_quotes REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_sentences();

DO $$
DECLARE
    one_tenant text;
BEGIN
    FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one_tenant, true);
        INSERT INTO quotes.past_quote_sentences (tenant, quote_id, sentence)
        SELECT q.tenant, q.id, told.sentence
        FROM quotes.past_quotes q CROSS JOIN LATERAL unnest(quotes.sentences(q)) WITH ORDINALITY AS told (sentence, place)
        WHERE q.tenant = one_tenant ORDER BY q.id, told.place;
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;
