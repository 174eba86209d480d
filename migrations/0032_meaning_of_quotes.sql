-- A past quote is found in meaning by its story: a list of what was sold behind it makes every vector alike.
ALTER TABLE search.corpora ADD COLUMN embedded_function regproc;
COMMENT ON COLUMN search.corpora.embedded_function IS
    'Makes a row the text that is embedded, where that is not its whole document.';

CREATE OR REPLACE FUNCTION search.texts(corpus text, docs bigint[])
RETURNS TABLE (doc bigint, content_hash bytea, content text) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        SELECT x.doc, x.content_hash, %2$s
        FROM %1$s d JOIN %1$s_documents x ON x.doc = d.id WHERE d.id = ANY ($1)
    $sql$, corpus, (
        SELECT coalesce(c.embedded_function || '(d)', format('search.embedding_text(%s(d))', c.document_function))
        FROM search.corpora c WHERE c.corpus = texts.corpus)) USING docs;
END $$;

CREATE FUNCTION quotes.past_quote_story(q quotes.past_quotes) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws(E'\n', concat_ws(', ', q.customer, q.industry, q.status), q.project, q.price_rationale, q.summary)
$$;
UPDATE search.corpora SET embedded_function = 'quotes.past_quote_story' WHERE corpus = 'quotes.past_quotes';

-- Terms are found by their words: a deposit, a validity, a delivery term.
CREATE OR REPLACE FUNCTION quotes.past_quote_document(q quotes.past_quotes) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        q.project,
        concat_ws(', ', q.customer, q.industry, q.quote_number, q.status, q.salesperson, q.contact, q.terms),
        concat_ws(E'\n', q.summary, q.price_rationale, q.contents))::search.document
$$;

-- Indexed anew; the vectors there are stay until the new ones come.
DO $$
DECLARE
    one_tenant text;
BEGIN
    FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one_tenant, true);
        UPDATE quotes.past_quotes SET terms = terms WHERE tenant = one_tenant;
    END LOOP;
END $$;
