-- Retrieval on plain Postgres: the embedding queue, the cache of query vectors, text normalisation, and what makes any
-- table searchable: BM25 postings, spellings of part numbers and vectors.

CREATE SCHEMA search;
GRANT USAGE ON SCHEMA search TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

-- Vectors: rows that wait for one, and the vectors of queries.

CREATE TABLE quarry.embedding_queue (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    corpus text NOT NULL,
    doc bigint NOT NULL,
    content_hash bytea NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    available_at timestamptz NOT NULL DEFAULT now(),
    claim uuid,
    claimed_until timestamptz,
    last_error text,
    dead_at timestamptz,
    UNIQUE (corpus, doc)
);
COMMENT ON COLUMN quarry.embedding_queue.claim IS 'The batch a worker has in hand; it may finish a row only while its claim stands.';
COMMENT ON COLUMN quarry.embedding_queue.dead_at IS 'Set when attempts ran out: a dead letter, kept and reported until requeued.';
CREATE INDEX embedding_queue_ready ON quarry.embedding_queue (available_at, id) WHERE dead_at IS NULL;
SELECT quarry.isolate('quarry.embedding_queue');
-- The worker serves every tenant; the queue holds ids and hashes, never content.
CREATE POLICY worker_reads ON quarry.embedding_queue FOR SELECT TO quarry_ingest USING (true);
CREATE POLICY worker_updates ON quarry.embedding_queue FOR UPDATE TO quarry_ingest USING (true);
CREATE POLICY worker_deletes ON quarry.embedding_queue FOR DELETE TO quarry_ingest USING (true);
-- Only an ingest writes what is searched, so no tool has business with the queue, whose key is not per tenant.
GRANT SELECT, INSERT, UPDATE, DELETE ON quarry.embedding_queue TO quarry_ingest;

-- Workers hold a lease, not a lock: a write never waits for the provider, and a dead worker's rows come back.
CREATE FUNCTION quarry.drop_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.claim := NULL;
    NEW.claimed_until := NULL;
    RETURN NEW;
END $$;

-- Only whoever queues a row sets its hash: the text a worker has in hand is then no longer the row's.
CREATE TRIGGER drop_claim BEFORE UPDATE OF content_hash ON quarry.embedding_queue
    FOR EACH ROW EXECUTE FUNCTION quarry.drop_claim();

CREATE TABLE quarry.embedding_cache (
    tenant text NOT NULL,
    model text NOT NULL,
    text_hash bytea NOT NULL,
    embedding vector NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, model, text_hash)
);
COMMENT ON TABLE quarry.embedding_cache IS 'Query vectors by SHA-256 of the query: the text itself is never stored.';
CREATE INDEX embedding_cache_age ON quarry.embedding_cache (created_at);
SELECT quarry.isolate('quarry.embedding_cache');
CREATE POLICY worker_prunes ON quarry.embedding_cache FOR DELETE TO quarry_ingest USING (true);
CREATE POLICY worker_sees ON quarry.embedding_cache FOR SELECT TO quarry_ingest USING (true);
GRANT SELECT, INSERT ON quarry.embedding_cache TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, DELETE ON quarry.embedding_cache TO quarry_ingest;

-- A tenant that no longer lets us keep its queries has those forgotten that are kept.
CREATE FUNCTION quarry.forget_queries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM quarry.embedding_cache WHERE tenant = NEW.tenant;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_queries AFTER INSERT OR UPDATE ON quarry.tenant_settings
    FOR EACH ROW WHEN (NOT NEW.store_queries) EXECUTE FUNCTION quarry.forget_queries();

-- Text.

CREATE TYPE search.document AS (title text, attributes text, body text);

-- One spelling for units and part numbers, for documents and queries alike:
-- 100HP -> 100 hp · 1,200 CFM -> 1200 cfm · TN-2110 -> tn 2110 tn2110 · QMB 30 -> qmb 30 qmb30 · Q$ync -> qync qsync
-- What a text without digits cannot contain is not looked for in it.
CREATE FUNCTION search.normalise(raw text) RETURNS text
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

-- Title four times, attributes a third (measured: DECISIONS.md).
CREATE FUNCTION search.term_frequencies(document search.document) RETURNS TABLE (term text, tf real)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lexeme, (
        SELECT sum(CASE weight WHEN 'A' THEN 4.0 WHEN 'B' THEN 1.0 ELSE 0.3 END)::real FROM unnest(weights) AS weight)
    FROM unnest(
        setweight(to_tsvector('english', search.normalise(document.title)), 'A')
        || setweight(to_tsvector('english', search.normalise(document.body)), 'B')
        || setweight(to_tsvector('english', search.normalise(document.attributes)), 'C'))
$$;

-- Not inlined and not immutable: the planner would evaluate the normalisation several times over for one search.
CREATE FUNCTION search.query_terms(query text) RETURNS TABLE (term text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 AS $$
BEGIN
    RETURN QUERY SELECT v.lexeme FROM unnest(to_tsvector('english', search.normalise(query))) AS v;
END $$;

-- Any of the query's terms, for snippets; NULL when the query has none.
CREATE FUNCTION search.any_term(query text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(quote_literal(term), ' | ')::tsquery FROM search.query_terms(query)
$$;

-- The title twice where there is more than a title: a vector is a mean, and the body would drown it (DECISIONS.md).
CREATE FUNCTION search.embedding_text(document search.document) RETURNS text
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

-- Names are compared without case, blanks and hyphens. NULL where nothing is left: no name contains that.
CREATE FUNCTION search.name_key(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(translate(lower(name), E' \t\n\u00a0-\u2010\u2011\u2013_./,;:''\u2019"&()', ''), '');

-- The index: tables of its own beside every searchable one, kept in step by triggers.

CREATE TABLE search.corpora (
    corpus text PRIMARY KEY,
    document_function regproc NOT NULL
);
COMMENT ON TABLE search.corpora IS 'Every searchable table, by schema-qualified name, and the function that makes a row its document.';
GRANT SELECT ON search.corpora TO quarry_read, quarry_write, quarry_ingest;

CREATE FUNCTION search.lock_corpus(corpus text) RETURNS void
LANGUAGE sql AS $$
    -- Document frequencies and totals are shared rows: one writer per tenant and corpus, so they stay exact.
    SELECT pg_advisory_xact_lock(hashtextextended(corpus || '/' || quarry.current_tenant(), 0))
$$;

CREATE FUNCTION search.unindex(corpus text, docs bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($sql$
        WITH gone AS (DELETE FROM %1$s_postings WHERE doc = ANY ($1) RETURNING tid),
        counted AS (SELECT tid, count(*) AS docs FROM gone GROUP BY tid)
        UPDATE %1$s_terms t SET df = t.df - c.docs FROM counted c WHERE t.tid = c.tid
    $sql$, corpus) USING docs;
    EXECUTE format($sql$
        WITH gone AS (DELETE FROM %1$s_documents WHERE doc = ANY ($1) RETURNING length),
        total AS (SELECT count(*) AS documents, coalesce(sum(length), 0) AS length FROM gone)
        UPDATE %1$s_totals s SET documents = s.documents - t.documents, length = s.length - t.length
        FROM total t WHERE s.tenant = quarry.current_tenant()
    $sql$, corpus) USING docs;
END $$;

CREATE FUNCTION search.index(corpus text, docs bigint[]) RETURNS void
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

-- Those of the docs whose searchable text is not what was indexed: a new price or link costs no reindexing.
CREATE FUNCTION search.changed(corpus text, docs bigint[]) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    document_function regproc := (SELECT c.document_function FROM search.corpora c WHERE c.corpus = changed.corpus);
    found bigint[];
BEGIN
    EXECUTE format($sql$
        SELECT coalesce(array_agg(d.id), '{}') FROM %1$s d
        WHERE d.id = ANY ($1) AND NOT EXISTS (
            SELECT FROM %1$s_documents x
            WHERE x.doc = d.id AND x.content_hash = sha256(convert_to(search.embedding_text(%2$s(d)), 'UTF8')))
    $sql$, corpus, document_function) INTO found USING docs;
    RETURN found;
END $$;

-- What a worker embeds: the text of each doc as it is now, with its hash.
CREATE FUNCTION search.texts(corpus text, docs bigint[]) RETURNS TABLE (doc bigint, content_hash bytea, content text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        SELECT x.doc, x.content_hash, search.embedding_text(%2$s(d))
        FROM %1$s d JOIN %1$s_documents x ON x.doc = d.id WHERE d.id = ANY ($1)
    $sql$, corpus, (SELECT c.document_function FROM search.corpora c WHERE c.corpus = texts.corpus)) USING docs;
END $$;

CREATE FUNCTION search.on_insert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    corpus text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    docs bigint[] := (SELECT array_agg(id) FROM new_rows);
BEGIN
    IF docs IS NOT NULL THEN
        PERFORM search.lock_corpus(corpus);
        PERFORM search.index(corpus, docs);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION search.on_update() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    corpus text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    docs bigint[] := (SELECT array_agg(id) FROM new_rows);
BEGIN
    IF docs IS NOT NULL THEN
        PERFORM search.lock_corpus(corpus);
        docs := search.changed(corpus, docs);
        PERFORM search.unindex(corpus, docs);
        PERFORM search.index(corpus, docs);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION search.on_delete() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    corpus text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    docs bigint[] := (SELECT array_agg(id) FROM old_rows);
BEGIN
    IF docs IS NOT NULL THEN
        PERFORM search.lock_corpus(corpus);
        PERFORM search.unindex(corpus, docs);
        EXECUTE format('DELETE FROM %s_vectors WHERE doc = ANY ($1)', corpus) USING docs;
        EXECUTE 'DELETE FROM quarry.embedding_queue q WHERE q.corpus = $1 AND q.doc = ANY ($2)' USING corpus, docs;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION search.attach(target regclass, document_function regproc) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    corpus text := (
        SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target);
    table_name text := (SELECT relname FROM pg_class WHERE oid = target);
    dimensions integer := (SELECT m.dimensions FROM quarry.embedding_model m);
    suffix text;
BEGIN
    INSERT INTO search.corpora VALUES (corpus, document_function);
    EXECUTE format($sql$
        CREATE TABLE %1$s_terms (
            tid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            tenant text NOT NULL,
            term text NOT NULL,
            df bigint NOT NULL,
            UNIQUE (tenant, term)) WITH (fillfactor = 80);
        CREATE TABLE %1$s_postings (
            tenant text NOT NULL,
            tid bigint NOT NULL,
            doc bigint NOT NULL,
            tf real NOT NULL,
            length real NOT NULL);
        CREATE UNIQUE INDEX ON %1$s_postings (tid, doc) INCLUDE (tf, length, tenant);
        CREATE INDEX ON %1$s_postings (doc);
        -- The text leg reads the best postings of a frequent term first. Nearly BM25's own order: 15 stands for a third
        -- of the average length, which itself changes with every write.
        CREATE INDEX ON %1$s_postings (tid, (tf / (length + 15)) DESC) INCLUDE (doc, tf, length, tenant);
        -- Most terms are rare and queries are made of the others: by the true average the planner would sort a term's
        -- whole list for its first rows, instead of reading them off the index.
        ALTER TABLE %1$s_postings ALTER COLUMN tid SET (n_distinct = 100);
        CREATE TABLE %1$s_spellings (
            tenant text NOT NULL,
            spelling text NOT NULL,
            tid bigint NOT NULL,
            PRIMARY KEY (tenant, spelling, tid));
        CREATE TABLE %1$s_documents (
            doc bigint PRIMARY KEY,
            tenant text NOT NULL,
            length real NOT NULL,
            content_hash bytea NOT NULL,
            fingerprint bigint);
        COMMENT ON COLUMN %1$s_documents.fingerprint IS
            'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
        CREATE TABLE %1$s_totals (
            tenant text PRIMARY KEY,
            documents bigint NOT NULL,
            length double precision NOT NULL);
        -- 16-bit components shrink table and index by a third or more and change no ranking that anybody judged.
        CREATE TABLE %1$s_vectors (
            doc bigint PRIMARY KEY,
            tenant text NOT NULL,
            content_hash bytea NOT NULL,
            embedding halfvec(%2$s) STORAGE PLAIN NOT NULL);
        CREATE INDEX ON %1$s_vectors (tenant);
        CREATE INDEX %3$I ON %1$s_vectors USING hnsw (embedding halfvec_cosine_ops) WITH (m = 32, ef_construction = 200);
    $sql$, corpus, dimensions, table_name || '_vectors_hnsw');
    FOREACH suffix IN ARRAY ARRAY['terms', 'postings', 'spellings', 'documents', 'totals', 'vectors'] LOOP
        PERFORM quarry.isolate(format('%s_%s', corpus, suffix)::regclass);
        EXECUTE format('GRANT SELECT ON %s_%s TO quarry_read, quarry_write', corpus, suffix);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s_%s TO quarry_ingest', corpus, suffix);
    END LOOP;
    EXECUTE format($sql$
        CREATE TRIGGER search_insert AFTER INSERT ON %1$s REFERENCING NEW TABLE AS new_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
        CREATE TRIGGER search_update AFTER UPDATE ON %1$s REFERENCING NEW TABLE AS new_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
        CREATE TRIGGER search_delete AFTER DELETE ON %1$s REFERENCING OLD TABLE AS old_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
    $sql$, corpus);
END $$;
COMMENT ON FUNCTION search.attach IS 'Makes a table with (id bigint, tenant text) searchable.';

-- Rebuilds one corpus of the current tenant from its rows, and queues what has no fresh vector.
CREATE FUNCTION search.rebuild(corpus text) RETURNS bigint
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

-- What is wrong with the current tenant's index of a corpus; no row when it is consistent.
CREATE FUNCTION search.inconsistencies(corpus text) RETURNS TABLE (problem text, count bigint)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        SELECT problem, count FROM (
            SELECT 'rows without an index document' AS problem, count(*) FROM %1$s d
            WHERE NOT EXISTS (SELECT FROM %1$s_documents x WHERE x.doc = d.id)
            UNION ALL
            SELECT 'index documents without a row', count(*) FROM %1$s_documents x
            WHERE NOT EXISTS (SELECT FROM %1$s d WHERE d.id = x.doc)
            UNION ALL
            SELECT 'terms whose document frequency is off', count(*) FROM (
                SELECT t.tid FROM %1$s_terms t LEFT JOIN %1$s_postings p ON p.tid = t.tid
                GROUP BY t.tid, t.df HAVING t.df <> count(p.doc)) AS off
            UNION ALL
            SELECT 'totals that are off', count(*) FROM (
                SELECT count(*) AS documents, coalesce(sum(length), 0) AS length FROM %1$s_documents) AS true_total
            LEFT JOIN %1$s_totals s ON true
            WHERE coalesce(s.documents, 0) <> true_total.documents
               OR abs(coalesce(s.length, 0) - true_total.length) > 0.001 * (1 + true_total.length)
            UNION ALL
            SELECT 'rows with neither a fresh vector nor a place in the queue', count(*) FROM %1$s_documents x
            WHERE NOT EXISTS (SELECT FROM %1$s_vectors v WHERE v.doc = x.doc AND v.content_hash = x.content_hash)
              AND NOT EXISTS (SELECT FROM quarry.embedding_queue q WHERE q.corpus = %2$L AND q.doc = x.doc)
            UNION ALL
            SELECT 'part numbers whose spellings are off', count(DISTINCT tid) FROM (
                SELECT t.tid, spelling FROM %1$s_terms t CROSS JOIN LATERAL unnest(search.spellings(t.term)) AS spelling
                WHERE search.is_part_number(t.term)) AS expected
            FULL JOIN (SELECT tid, spelling FROM %1$s_spellings) AS held USING (tid, spelling)
            WHERE (expected.tid IS NULL) <> (held.tid IS NULL)
        ) AS found WHERE count > 0
    $sql$, corpus, corpus);
END $$;

-- Starts over with another embedding model: every vector goes, every row is queued. For the owner only.
CREATE FUNCTION search.change_model(new_model text, new_dimensions integer) RETURNS bigint
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
REVOKE EXECUTE ON FUNCTION search.change_model FROM PUBLIC;
