-- Ranking: titles weigh more, part numbers are found though misspelt, and copies of a text are known as such.

-- As in 0002, but what a text without digits cannot contain is not looked for, and spelt-out units have one spelling too.
CREATE OR REPLACE FUNCTION search.normalise(raw text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    units constant text :=
        'hp|bhp|cfm|acfm|scfm|icfm|psi|psig|psia|kw|rpm|hz|vac|vdc|v|ph|dba|db|gal|gallon|lbs|lb|ft|in|mm|bar|btu|amp|amps|gpm|ppm|micron|inhg|f|c';
    x text := lower(coalesce(raw, ''));
    extra text;
BEGIN
    IF octet_length(x) <> length(x) THEN
        x := lower(regexp_replace(normalize(raw, NFKD), '[\u0300-\u036f]', '', 'g'));
    END IF;
    IF strpos(x, '$') > 0 THEN
        x := regexp_replace(x, '([a-z0-9])\$([a-z0-9]+)', '\1\2 \1s\2', 'g');
    END IF;
    x := regexp_replace(x, '\mhorse ?power\M', 'hp', 'g');
    x := regexp_replace(x, '\mcubic f(ee|oo)t per minute\M', 'cfm', 'g');
    x := regexp_replace(x, '\mpounds per square inch\M', 'psi', 'g');
    IF x ~ '\d' THEN
        x := regexp_replace(x, '(\d),(?=\d{3}(\D|$))', '\1', 'g');
        x := regexp_replace(x, '(\d)\s*("|''''|in\.?|inches)\s*(of\s+)?hg\M', '\1 inhg', 'g');
        x := regexp_replace(x, '(\d)[ -]?(gallons?|gals)\M', '\1 gal', 'g');
        x := regexp_replace(x, '(\d)[ -]?(pounds?|lbs)\M', '\1 lb', 'g');
        x := regexp_replace(x, '(\d)[ -]?(feet|foot)\M', '\1 ft', 'g');
        x := regexp_replace(x, '(\d)[ -]?(volts?)\M', '\1 v', 'g');
        x := regexp_replace(x, '(\d)[ -]?phase\M', '\1 ph', 'g');
        x := regexp_replace(x, '(\d)[ -]?kilowatts?\M', '\1 kw', 'g');
        x := regexp_replace(x, '(\d)[ -]?(amps|amperes?)\M', '\1 amp', 'g');
        x := regexp_replace(x, '(\d)[ -]?(' || units || ')\M', '\1 \2', 'g');
    END IF;
    x := regexp_replace(x, '\mpsi[ga]\M', 'psi', 'g');
    x := regexp_replace(x, '\m([asi])cfm\M', '\1cfm cfm', 'g');
    -- Compounds are found whole and in parts; a number next to a short word may be a part number.
    IF x ~ '[-/]' THEN
        SELECT string_agg(replace(translate(m[1], '-/.', '   '), ' ', ''), ' ') INTO extra
        FROM regexp_matches(x, '\m([a-z0-9]+(?:[-/][a-z0-9]+)+)\M', 'g') AS m
        WHERE length(m[1]) <= 40;
        x := x || ' ' || coalesce(extra, '');
    END IF;
    IF x ~ '\d' THEN
        SELECT string_agg(m[1] || m[2], ' ') INTO extra
        FROM regexp_matches(x, '\m([a-z]{1,5})[ -](\d{1,5}[a-z]{0,2})(?![0-9a-z.])', 'g') AS m
        WHERE m[1] !~ ('^(' || units || '|at|of|to|and|or|with|for|is|w|no|the|by|x|per|from|up|on)$');
        x := x || ' ' || coalesce(extra, '');
    END IF;
    RETURN regexp_replace(x, '[^a-z0-9.\u0080-\uffff]+|\.(?!\d)|(?<!\d)\.', ' ', 'g');
END $$;

-- Not inlined and not immutable: the planner would evaluate the normalisation several times over for one search.
CREATE OR REPLACE FUNCTION search.query_terms(query text) RETURNS TABLE (term text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 AS $$
BEGIN
    RETURN QUERY SELECT v.lexeme FROM unnest(to_tsvector('english', search.normalise(query))) AS v;
END $$;

-- Title four times, attributes a third (measured: DECISIONS.md).
CREATE OR REPLACE FUNCTION search.term_frequencies(document search.document) RETURNS TABLE (term text, tf real)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lexeme, (
        SELECT sum(CASE weight WHEN 'A' THEN 4.0 WHEN 'B' THEN 1.0 ELSE 0.3 END)::real FROM unnest(weights) AS weight)
    FROM unnest(
        setweight(to_tsvector('english', search.normalise(document.title)), 'A')
        || setweight(to_tsvector('english', search.normalise(document.body)), 'B')
        || setweight(to_tsvector('english', search.normalise(document.attributes)), 'C'))
$$;

-- The title twice where there is more than a title: a vector is a mean, and the body would drown it (DECISIONS.md).
CREATE OR REPLACE FUNCTION search.embedding_text(document search.document) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws(E'\n', nullif(document.title, ''),
        CASE WHEN document.body IS DISTINCT FROM document.title THEN nullif(document.title, '') END,
        nullif(document.attributes, ''), nullif(document.body, ''))
$$;

-- What a person reads, for a reranker.
CREATE FUNCTION search.plain_text(document search.document) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws(E'\n', nullif(document.title, ''), nullif(document.attributes, ''), nullif(document.body, ''))
$$;

-- The passage around the terms: of the body, or of all there is where only title or attributes have them.
CREATE FUNCTION search.passage(document search.document, terms tsquery) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN terms IS NULL THEN left(coalesce(document.body, document.title), 200) ELSE ts_headline('english',
        CASE WHEN to_tsvector('english', coalesce(document.body, '')) @@ terms THEN document.body
             ELSE concat_ws(' · ', nullif(document.title, ''), nullif(document.attributes, ''), document.body) END,
        terms, 'StartSel="", StopSel="", MaxFragments=2, MaxWords=28, MinWords=12, FragmentDelimiter=" … "') END
$$;

-- Part numbers mix letters and digits. A digit is a size, so QMB40 is never a misspelt QMB30; but a letter may be
-- mistyped, and O for 0, I or L for 1, S for 5, B for 8, Z for 2 are one sign to a tired reader.
CREATE FUNCTION search.is_part_number(term text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN length(term) BETWEEN 4 AND 24 AND term ~ '[a-z]' AND term ~ '[0-9]' AND term ~ '^[a-z0-9]+$';

CREATE FUNCTION search.folded(term text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(term, 'oilsbz', '011582');

-- The folded term, then it without each one of its signs: two terms one slip apart share a spelling.
CREATE FUNCTION search.spellings(term text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY[search.folded(term)] || ARRAY(
    SELECT DISTINCT overlay(search.folded(term) PLACING '' FROM place FOR 1)
    FROM generate_series(1, length(term)) AS place);

-- The tables that 0002 did not know: spellings of part numbers, and which documents have the same words.
CREATE FUNCTION search.attach_spellings(corpus text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($sql$
        ALTER TABLE %1$s_documents ADD COLUMN fingerprint bigint;
        CREATE TABLE %1$s_spellings (
            tenant text NOT NULL,
            spelling text NOT NULL,
            tid bigint NOT NULL,
            PRIMARY KEY (tenant, spelling, tid));
        SELECT quarry.isolate('%1$s_spellings');
        GRANT SELECT ON %1$s_spellings TO quarry_read, quarry_write;
        GRANT SELECT, INSERT, UPDATE, DELETE ON %1$s_spellings TO quarry_ingest;
    $sql$, corpus);
    EXECUTE format(
        'COMMENT ON COLUMN %s_documents.fingerprint IS ''Equal for documents of the same words, each as often, whatever their case, '
        'order or punctuation.''', corpus);
END $$;

ALTER FUNCTION search.attach(regclass, regproc) RENAME TO attach_index;
CREATE FUNCTION search.attach(target regclass, document_function regproc) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM search.attach_index(target, document_function);
    PERFORM search.attach_spellings(format('%I.%I', n.nspname, c.relname))
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target;
END $$;

CREATE OR REPLACE FUNCTION search.index(corpus text, docs bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    document_function regproc := (SELECT c.document_function FROM search.corpora c WHERE c.corpus = index.corpus);
BEGIN
    EXECUTE format($sql$
        WITH changed AS MATERIALIZED (
            SELECT d.id AS doc, d.tenant, %2$s(d) AS document FROM %1$s d WHERE d.id = ANY ($1)),
        frequencies AS MATERIALIZED (
            SELECT c.doc, f.term, f.tf, sum(f.tf) OVER (PARTITION BY c.doc)::real AS length
            FROM changed c CROSS JOIN LATERAL search.term_frequencies(c.document) f),
        terms AS (
            INSERT INTO %1$s_terms AS t (tenant, term, df)
            SELECT quarry.current_tenant(), term, count(*) FROM frequencies GROUP BY term ORDER BY term
            ON CONFLICT (tenant, term) DO UPDATE SET df = t.df + excluded.df
            RETURNING t.tid, t.term, t.xmax = 0 AS new),
        postings AS (
            INSERT INTO %1$s_postings (tenant, tid, doc, tf, length)
            SELECT quarry.current_tenant(), t.tid, f.doc, f.tf, f.length
            FROM frequencies f JOIN terms t ON t.term = f.term ORDER BY t.tid, f.doc),
        spelt AS (
            INSERT INTO %1$s_spellings (tenant, spelling, tid)
            SELECT quarry.current_tenant(), spelling, t.tid
            FROM terms t CROSS JOIN LATERAL unnest(search.spellings(t.term)) AS spelling
            WHERE t.new AND search.is_part_number(t.term)
            ORDER BY spelling, t.tid),
        documents AS (
            INSERT INTO %1$s_documents (tenant, doc, length, content_hash, fingerprint)
            SELECT c.tenant, c.doc, coalesce(f.length, 0), sha256(convert_to(search.embedding_text(c.document), 'UTF8')),
                   f.fingerprint
            FROM changed c LEFT JOIN (
                SELECT doc, min(length) AS length, 
                    hashtextextended(string_agg(term || ' ' || tf, ' ' ORDER BY term), 0) AS fingerprint
                FROM frequencies GROUP BY doc) f ON f.doc = c.doc
            RETURNING length)
        INSERT INTO %1$s_totals AS s (tenant, documents, length)
        SELECT quarry.current_tenant(), count(*), coalesce(sum(length), 0) FROM documents
        ON CONFLICT (tenant) DO UPDATE SET documents = s.documents + excluded.documents, length = s.length + excluded.length
    $sql$, corpus, document_function) USING docs;
    -- A vector of text that has changed is wrong: it goes at once, and the row is found by text until it is embedded.
    EXECUTE format($sql$
        DELETE FROM %1$s_vectors v USING %1$s_documents d
        WHERE v.doc = d.doc AND d.doc = ANY ($1) AND v.content_hash <> d.content_hash
    $sql$, corpus) USING docs;
    EXECUTE format($sql$
        INSERT INTO quarry.embedding_queue AS q (tenant, corpus, doc, content_hash)
        SELECT d.tenant, %2$L, d.doc, d.content_hash FROM %1$s_documents d
        WHERE d.doc = ANY ($1) AND NOT EXISTS (
            SELECT FROM %1$s_vectors v WHERE v.doc = d.doc AND v.content_hash = d.content_hash)
        ORDER BY d.doc
        ON CONFLICT (corpus, doc) DO UPDATE
        SET content_hash = excluded.content_hash, attempts = 0, available_at = now(), last_error = NULL, dead_at = NULL
    $sql$, corpus, corpus) USING docs;
END $$;

CREATE OR REPLACE FUNCTION search.rebuild(corpus text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    docs bigint[];
    suffix text;
BEGIN
    PERFORM search.lock_corpus(corpus);
    FOREACH suffix IN ARRAY ARRAY['postings', 'spellings', 'terms', 'documents', 'totals'] LOOP
        EXECUTE format('DELETE FROM %s_%s WHERE tenant = quarry.current_tenant()', corpus, suffix);
    END LOOP;
    EXECUTE format('SELECT array_agg(id) FROM %s WHERE tenant = quarry.current_tenant()', corpus) INTO docs;
    IF docs IS NOT NULL THEN
        PERFORM search.index(corpus, docs);
    END IF;
    RETURN coalesce(cardinality(docs), 0);
END $$;

ALTER FUNCTION search.inconsistencies(text) RENAME TO index_inconsistencies;
CREATE FUNCTION search.inconsistencies(corpus text) RETURNS TABLE (problem text, count bigint)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT i.problem, i.count FROM search.index_inconsistencies(corpus) i;
    RETURN QUERY EXECUTE format($sql$
        SELECT problem, count FROM (
            SELECT 'part numbers whose spellings are off' AS problem, count(DISTINCT tid) FROM (
                SELECT t.tid, spelling FROM %1$s_terms t CROSS JOIN LATERAL unnest(search.spellings(t.term)) AS spelling
                WHERE search.is_part_number(t.term)) AS expected
            FULL JOIN (SELECT tid, spelling FROM %1$s_spellings) AS held USING (tid, spelling)
            WHERE (expected.tid IS NULL) <> (held.tid IS NULL)
        ) AS found WHERE count > 0
    $sql$, corpus);
END $$;

-- Lines are named by their model as products are.
ALTER TABLE quotes.line_items ADD COLUMN model_key text
    GENERATED ALWAYS AS (regexp_replace(replace(lower(model), '$', 's'), '[^a-z0-9]', '', 'g')) STORED;
CREATE INDEX line_items_model_key ON quotes.line_items (tenant, model_key);

DO $$
DECLARE
    name text;
    one_tenant text;
BEGIN
    FOR name IN SELECT corpus FROM search.corpora ORDER BY corpus LOOP
        PERFORM search.attach_spellings(name);
        FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
            PERFORM set_config('quarry.tenant', one_tenant, true);
            PERFORM search.rebuild(name);
        END LOOP;
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;

CREATE INDEX line_items_documents_fingerprint ON quotes.line_items_documents (tenant, fingerprint);
