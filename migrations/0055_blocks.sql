-- The text index in blocks: a term's postings lie 128 to 240 in a row of a table, where each was a row with three indexes;
-- those of a term of few documents lie with the term.
--
-- A document's own list of terms is the truth. A document that was written waits in the table pending, and searches read
-- its list; where more than 64 wait, whoever wrote the last merges all of them into the blocks. What blocks have of a
-- document that waits counts no longer.

DROP FUNCTION search.term_frequencies;
-- Title four times, attributes a third, in tenths.
CREATE FUNCTION search.term_frequencies(document search.document) RETURNS TABLE (term text, tf integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lexeme, (
        SELECT sum(CASE weight WHEN 'A' THEN 40 WHEN 'B' THEN 10 ELSE 3 END)::integer FROM unnest(weights) AS weight)
    FROM unnest(
        setweight(to_tsvector('english', search.normalise(document.title)), 'A')
        || setweight(to_tsvector('english', search.normalise(document.body)), 'B')
        || setweight(to_tsvector('english', search.normalise(document.attributes)), 'C'))
$$;

DROP FUNCTION search.spellings;
-- Hashes, the tenant in each: of the whole part number, and of it without any one letter. Two that share one are the same or
-- differ by one slip in their letters.
CREATE FUNCTION search.spellings(term text) RETURNS integer[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT hashtext(quarry.current_tenant() || ' ' || overlay(
        search.folded(spellings.term) PLACING '' FROM greatest(place, 1) FOR least(place, 1)))
    FROM generate_series(0, length(spellings.term)) AS place
    WHERE substr(spellings.term, place, 1) !~ '[0-9]');

-- What BM25 needs of a posting, in one integer: 14 bits of term frequency, of which a tsvector has at most 10,240 tenths,
-- and 18 of the document's length, in tenths too. A text of more than 26,214 words counts as one of so many.
CREATE FUNCTION search.weight(tf smallint, length real) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (least(round(length * 10), 262143)::integer << 14) | tf;

-- A 64th of an octave of tf / (length + 15) each, the best highest. Nearly BM25's own order: 15 stands for a third of the average length,
-- which itself changes with every write.
CREATE FUNCTION search.layer(weight integer) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(1, 640 + floor(64 / ln(2::float8) * ln((weight & 16383) / (((weight >> 14) & 262143) + 150::float8))))::smallint;

-- The postings that lie with their term, all documents and then all weights; NULL where they are more than twelve, or a
-- document's number takes more than 31 bits: then they lie in blocks.
CREATE FUNCTION search.as_few(docs bigint[], weights integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN cardinality(docs) <= 12 AND (docs[cardinality(docs)] < 2147483648) IS NOT false
    THEN docs::integer[] || weights END;
CREATE FUNCTION search.of_few(few integer[]) RETURNS TABLE (doc integer, weight integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT unnest(few[: cardinality(few) / 2]), unnest(few[cardinality(few) / 2 + 1 :])
$$;

CREATE FUNCTION search.attach_text(corpus text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    suffix text;
BEGIN
    EXECUTE format($sql$
        CREATE TABLE %1$s_documents (
            doc bigint PRIMARY KEY,
            fingerprint bigint,
            length real NOT NULL,
            tenant text NOT NULL,
            content_hash bytea NOT NULL,
            tids integer[] NOT NULL,
            tfs smallint[] NOT NULL);
        COMMENT ON COLUMN %1$s_documents.fingerprint IS
            'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
        COMMENT ON COLUMN %1$s_documents.tids IS 'Its terms, in order.';
        COMMENT ON COLUMN %1$s_documents.tfs IS 'How often it has each, in tenths.';
        CREATE TABLE %1$s_terms (
            df bigint NOT NULL,
            tid integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            cut smallint,
            tenant text NOT NULL,
            term text NOT NULL,
            few integer[],
            UNIQUE (tenant, term)) WITH (fillfactor = 80);
        COMMENT ON COLUMN %1$s_terms.cut IS
            'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
        COMMENT ON COLUMN %1$s_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
        CREATE TABLE %1$s_spellings (
            spelling integer NOT NULL,
            tid integer NOT NULL,
            tenant text NOT NULL,
            PRIMARY KEY (spelling, tid));
        COMMENT ON COLUMN %1$s_spellings.spelling IS 'One of search.spellings.';
        CREATE TABLE %1$s_blocks (
            first bigint NOT NULL,
            tid integer NOT NULL,
            layer smallint NOT NULL,
            tenant text NOT NULL,
            docs integer[] STORAGE PLAIN NOT NULL,
            weights integer[] STORAGE PLAIN NOT NULL,
            PRIMARY KEY (tid, layer, first)) WITH (toast_tuple_target = 8160);
        COMMENT ON COLUMN %1$s_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
        COMMENT ON COLUMN %1$s_blocks.docs IS 'The lowest 31 bits of each document, in order.';
        COMMENT ON COLUMN %1$s_blocks.weights IS 'By search.weight, parallel to docs.';
        -- Most terms are rare and queries are made of the others.
        ALTER TABLE %1$s_blocks ALTER COLUMN tid SET (n_distinct = 100);
        CREATE TABLE %1$s_pending (
            tenant text NOT NULL,
            doc bigint NOT NULL,
            tids integer[],
            tfs smallint[],
            length real,
            PRIMARY KEY (tenant, doc));
        COMMENT ON COLUMN %1$s_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
    $sql$, corpus);
    FOREACH suffix IN ARRAY ARRAY['documents', 'terms', 'spellings', 'blocks', 'pending'] LOOP
        PERFORM quarry.isolate(format('%s_%s', corpus, suffix)::regclass);
        EXECUTE format('GRANT SELECT ON %s_%s TO quarry_read, quarry_write', corpus, suffix);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s_%s TO quarry_ingest', corpus, suffix);
    END LOOP;
    -- For looking, and for functions of a release before blocks: no search reads it.
    EXECUTE format($sql$
        CREATE VIEW %1$s_postings WITH (security_invoker = true) AS
        SELECT t.tenant, t.tid, p.doc, ((p.weight & 16383) / 10.0)::real AS tf, ((p.weight >> 14 & 262143) / 10.0)::real AS length
        FROM %1$s_terms t CROSS JOIN LATERAL (
            SELECT m.doc, m.weight
            FROM (
                SELECT f.doc::bigint AS doc, f.weight FROM search.of_few(t.few) AS f
                UNION ALL
                SELECT (b.first >> 31 << 31) + unnest(b.docs), unnest(b.weights)
                FROM %1$s_blocks b WHERE b.tid = t.tid AND b.layer = 0 AND b.tenant = t.tenant) m
            WHERE NOT EXISTS (SELECT FROM %1$s_pending x WHERE x.tenant = t.tenant AND x.doc = m.doc)
            UNION ALL
            SELECT d.doc, search.weight(d.tfs[array_position(d.tids, t.tid)], d.length)
            FROM %1$s_pending x JOIN %1$s_documents d ON d.doc = x.doc
            WHERE x.tenant = t.tenant AND t.tid = ANY (d.tids)) p;
        GRANT SELECT ON %1$s_postings TO quarry_read, quarry_write, quarry_ingest;
    $sql$, corpus);
END $$;

-- Puts the best postings of frequent terms into blocks by impact, once more.
CREATE FUNCTION search.layer_blocks(corpus text, tids integer[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($sql$
        WITH postings AS MATERIALIZED (
            SELECT p.*, search.layer(p.weight) AS layer
            FROM (
                SELECT b.tid, (b.first >> 31 << 31) + unnest(b.docs) AS doc, unnest(b.weights) AS weight
                FROM %1$s_blocks b WHERE b.tid = ANY ($1) AND b.layer = 0) p),
        cuts AS (
            UPDATE %1$s_terms t SET cut = c.cut
            FROM (SELECT tid, percentile_disc(0.92) WITHIN GROUP (ORDER BY layer) AS cut FROM postings GROUP BY tid) c
            WHERE t.tid = c.tid RETURNING t.tid, t.cut)
        INSERT INTO %1$s_blocks (tid, layer, first, tenant, docs, weights)
        SELECT tid, layer, min(doc), quarry.current_tenant(),
            array_agg((doc & 2147483647)::integer ORDER BY doc), array_agg(weight ORDER BY doc)
        FROM (
            SELECT p.*, (row_number() OVER (PARTITION BY p.tid, p.layer, p.doc >> 31 ORDER BY p.doc) - 1) / 240 AS piece
            FROM postings p JOIN cuts c ON c.tid = p.tid AND p.layer >= c.cut) p
        GROUP BY tid, layer, doc >> 31, piece
    $sql$, corpus) USING tids;
END $$;

-- Puts all documents that wait into the blocks. Of a term's blocks those are made anew that a document lies in; what is
-- new behind the last one fills that up first, unless it is half full.
CREATE FUNCTION search.merge(corpus text) RETURNS void
LANGUAGE plpgsql SET work_mem = '16MB' AS $$
DECLARE
    last bigint;
    frequent integer[];
BEGIN
    LOOP
        EXECUTE format($sql$
            SELECT max(doc) FROM (
                SELECT doc FROM %s_pending WHERE tenant = quarry.current_tenant() ORDER BY doc LIMIT 10000) p
        $sql$, corpus) INTO last;
        EXIT WHEN last IS NULL;
        EXECUTE format($sql$
            WITH pending AS MATERIALIZED (
                DELETE FROM %1$s_pending WHERE tenant = quarry.current_tenant() AND doc <= $1
                RETURNING doc, tids, tfs, length),
            -- Documents that lie close together are looked for as one.
            runs AS MATERIALIZED (
                SELECT p.*, count(*) FILTER (WHERE apart) OVER (ORDER BY doc) AS run
                FROM (SELECT p.*, doc - lag(doc) OVER (ORDER BY doc) > 64 AS apart FROM pending p) p),
            terms AS MATERIALIZED (
                SELECT c.tid, t.cut, t.df, t.few, t.few IS NOT NULL AS rare
                FROM (
                    SELECT unnest(d.tids) AS tid FROM pending p JOIN %1$s_documents d ON d.doc = p.doc
                    UNION
                    SELECT unnest(tids) FROM pending) c
                CROSS JOIN LATERAL (SELECT t.cut, t.df, t.few FROM %1$s_terms t WHERE t.tid = c.tid OFFSET 0) t),
            -- Each posting stands in the order of documents, and the best of a frequent term once more by impact.
            added AS MATERIALIZED (
                SELECT p.tid, t.cut, t.rare, p.run, p.doc, search.weight(p.tf, p.length) AS weight
                FROM (
                    SELECT r.run, r.doc, d.length, unnest(d.tids) AS tid, unnest(d.tfs) AS tf
                    FROM runs r JOIN %1$s_documents d ON d.doc = r.doc) p
                JOIN terms t ON t.tid = p.tid),
            lost AS MATERIALIZED (
                SELECT p.tid, t.cut, r.doc, search.weight(p.tf, r.length) AS weight
                FROM runs r CROSS JOIN LATERAL unnest(r.tids, r.tfs) p (tid, tf) JOIN terms t ON t.tid = p.tid AND NOT t.rare),
            rare AS MATERIALIZED (
                SELECT tid, array_agg(doc ORDER BY doc) AS docs, array_agg(weight ORDER BY doc) AS weights
                FROM (
                    SELECT tid, doc, weight FROM added WHERE rare
                    UNION ALL
                    SELECT t.tid, f.doc, f.weight FROM terms t CROSS JOIN LATERAL search.of_few(t.few) f
                    WHERE f.doc NOT IN (SELECT doc FROM pending)) p
                GROUP BY tid),
            renewed AS (
                UPDATE %1$s_terms t SET few = n.few
                FROM (
                    SELECT t.tid, t.few AS former, CASE WHEN r.tid IS NULL THEN '{}' ELSE search.as_few(r.docs, r.weights) END AS few
                    FROM terms t LEFT JOIN rare r USING (tid) WHERE t.rare) n
                WHERE t.tid = n.tid AND n.few IS DISTINCT FROM n.former),
            lists AS (
                SELECT p.tid, p.layer, min(p.doc) AS low, max(p.doc) AS high,
                    array_agg((p.doc & 2147483647)::integer ORDER BY p.doc) AS docs, array_agg(p.weight ORDER BY p.doc) AS weights
                FROM (
                    SELECT tid, 0 AS layer, run, doc, weight FROM added WHERE NOT rare
                    UNION ALL
                    SELECT tid, search.layer(weight), run, doc, weight FROM added WHERE search.layer(weight) >= cut) p
                GROUP BY p.tid, p.layer, p.run, p.doc >> 31),
            reach AS MATERIALIZED (
                SELECT l.*, coalesce((
                    SELECT max(b.first) FROM %1$s_blocks b
                    WHERE b.tid = l.tid AND b.layer = l.layer AND b.first <= l.low), l.low) AS mark
                FROM (
                    SELECT * FROM lists
                    UNION ALL
                    SELECT tid, 0, doc, doc, NULL, NULL FROM lost
                    UNION ALL
                    SELECT tid, search.layer(weight), doc, doc, NULL, NULL FROM lost WHERE search.layer(weight) >= cut) l),
            -- Whether all that is new lies behind a block, as it mostly does: then nothing has to be taken apart.
            places AS MATERIALIZED (
                SELECT r.*, r.grows AND r.low > coalesce(
                    (b.first >> 31 << 31) + b.docs[cardinality(b.docs)], r.low - 1) AND NOT EXISTS (
                        SELECT FROM %1$s_blocks x
                        WHERE x.tid = r.tid AND x.layer = r.layer AND x.first > r.mark AND x.first <= r.high) AS behind,
                    cardinality(b.docs) < 128 AND b.first >> 31 = r.low >> 31 AS fills
                FROM (
                    SELECT tid, layer, mark, min(low) AS low, max(high) AS high, count(docs) = 1 AND count(*) = 1 AS grows
                    FROM reach GROUP BY tid, layer, mark) r
                LEFT JOIN LATERAL (
                    SELECT b.first, b.docs FROM %1$s_blocks b
                    WHERE b.tid = r.tid AND b.layer = r.layer AND b.first = r.mark OFFSET 0) b ON true),
            taken AS (
                DELETE FROM %1$s_blocks WHERE ctid = ANY (ARRAY(
                    SELECT x.ctid FROM places l CROSS JOIN LATERAL (
                        SELECT b.ctid FROM %1$s_blocks b
                        WHERE b.tid = l.tid AND b.layer = l.layer AND b.first BETWEEN l.mark AND l.high OFFSET 0) x
                    WHERE NOT l.behind))
                RETURNING tid, layer, first, docs, weights),
            apart AS (
                SELECT p.*
                FROM (
                    SELECT tid, layer, first AS mark, (first >> 31 << 31) + unnest(docs) AS doc, unnest(weights) AS weight
                    FROM taken) p
                WHERE p.doc NOT IN (SELECT doc FROM pending)
                UNION ALL
                SELECT r.tid, r.layer, r.mark, (r.low >> 31 << 31) + unnest(r.docs), unnest(r.weights)
                FROM reach r JOIN places l USING (tid, layer, mark) WHERE NOT l.behind),
            whole AS (
                SELECT r.tid, r.layer, r.low >> 31 AS high, coalesce(b.docs, '{}') || r.docs AS docs,
                    coalesce(b.weights, '{}') || r.weights AS weights
                FROM reach r JOIN places l USING (tid, layer, mark) LEFT JOIN LATERAL (
                    SELECT b.docs, b.weights FROM %1$s_blocks b
                    WHERE l.fills AND b.tid = r.tid AND b.layer = r.layer AND b.first = r.mark OFFSET 0) b ON true
                WHERE l.behind
                UNION ALL
                -- What is between two blocks goes to the earlier one.
                SELECT tid, layer, doc >> 31, array_agg((doc & 2147483647)::integer ORDER BY doc), array_agg(weight ORDER BY doc)
                FROM (SELECT a.*, max(mark) OVER (PARTITION BY tid, layer ORDER BY doc) AS held FROM apart a) a
                GROUP BY tid, layer, held, doc >> 31
                UNION ALL
                SELECT r.tid, 0, p.doc >> 31, array_agg((p.doc & 2147483647)::integer ORDER BY p.doc), array_agg(p.weight ORDER BY p.doc)
                FROM rare r CROSS JOIN LATERAL unnest(r.docs, r.weights) p (doc, weight)
                WHERE search.as_few(r.docs, r.weights) IS NULL
                GROUP BY r.tid, p.doc >> 31),
            stored AS (
                INSERT INTO %1$s_blocks (tid, layer, first, tenant, docs, weights)
                SELECT w.tid, w.layer, (w.high << 31) + w.docs[c.low], quarry.current_tenant(),
                    w.docs[c.low : c.high], w.weights[c.low : c.high]
                FROM whole w CROSS JOIN LATERAL (
                    SELECT (piece - 1) * n / pieces + 1 AS low, piece * n / pieces AS high
                    FROM (SELECT cardinality(w.docs) AS n, (cardinality(w.docs) + 239) / 240 AS pieces) o,
                        generate_series(1, pieces) AS piece) c
                ON CONFLICT (tid, layer, first) DO UPDATE SET docs = excluded.docs, weights = excluded.weights)
            SELECT array_agg(tid) FROM terms WHERE cut IS NULL AND NOT rare AND df > 512
        $sql$, corpus) INTO frequent USING last;
        PERFORM search.layer_blocks(corpus, frequent);
    END LOOP;
END $$;

-- Documents that wait cost a search little, and to merge them costs a writer: up to 64 may, or one of twenty where there are
-- many, but never more than a thousand.
CREATE FUNCTION search.settle(corpus text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    enough boolean;
BEGIN
    EXECUTE format($sql$
        SELECT (SELECT count(*) FROM %1$s_pending p WHERE p.tenant = quarry.current_tenant())
            > least(1000, greatest(64, (SELECT t.documents / 20 FROM %1$s_totals t WHERE t.tenant = quarry.current_tenant())))
    $sql$, corpus) INTO enough;
    IF enough THEN
        PERFORM search.merge(corpus);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION search.unindex(corpus text, docs bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($sql$
        WITH gone AS (
            DELETE FROM %1$s_documents WHERE doc = ANY ($1) AND tenant = quarry.current_tenant()
            RETURNING tenant, doc, length, tids, tfs),
        -- What waited already is in blocks by the terms that it had before, or not at all.
        waiting AS (
            INSERT INTO %1$s_pending (tenant, doc, tids, tfs, length)
            SELECT tenant, doc, tids, tfs, length FROM gone WHERE tids <> '{}' ORDER BY doc
            ON CONFLICT DO NOTHING),
        terms AS (
            UPDATE %1$s_terms t SET df = t.df - c.docs
            FROM (SELECT tid, count(*) AS docs FROM gone CROSS JOIN LATERAL unnest(tids) AS tid GROUP BY tid) c
            WHERE t.tid = c.tid),
        total AS (SELECT count(*) AS documents, coalesce(sum(length), 0) AS length FROM gone)
        UPDATE %1$s_totals s SET documents = s.documents - t.documents, length = s.length - t.length
        FROM total t WHERE s.tenant = quarry.current_tenant()
    $sql$, corpus) USING docs;
END $$;

CREATE OR REPLACE FUNCTION search.index(corpus text, docs bigint[]) RETURNS void
LANGUAGE plpgsql SET work_mem = '16MB' AS $$
DECLARE
    document_function regproc := (SELECT c.document_function FROM search.corpora c WHERE c.corpus = index.corpus);
BEGIN
    EXECUTE format($sql$
        WITH changed AS MATERIALIZED (
            SELECT d.id AS doc, d.tenant, %2$s(d) AS document FROM %1$s d WHERE d.id = ANY ($1)),
        frequencies AS MATERIALIZED (
            SELECT c.doc, f.term, f.tf::smallint AS tf, f.length FROM changed c CROSS JOIN LATERAL (
                SELECT f.*, (sum(f.tf) OVER () / 10.0)::real AS length FROM search.term_frequencies(c.document) f) f),
        counted AS MATERIALIZED (SELECT term, count(*) AS docs FROM frequencies GROUP BY term),
        asked AS MATERIALIZED (
            SELECT c.term, c.docs, t.tid, t.few, c.docs <= 12 AND (t.tid IS NULL OR t.few IS NOT NULL) AS rare
            FROM counted c LEFT JOIN LATERAL (
                SELECT t.tid, t.few FROM %1$s_terms t
                WHERE t.tenant = quarry.current_tenant() AND t.term = c.term OFFSET 0) t ON true),
        -- Postings of rare terms lie with them at once: to merge them would write each row once more.
        laid AS MATERIALIZED (
            SELECT term, search.as_few(array_agg(doc ORDER BY doc), array_agg(weight ORDER BY doc)) AS few
            FROM (
                SELECT f.term, f.doc, search.weight(f.tf, f.length) AS weight FROM frequencies f JOIN asked a USING (term) WHERE a.rare
                UNION ALL
                SELECT a.term, p.doc, p.weight FROM asked a CROSS JOIN LATERAL search.of_few(a.few) p
                WHERE a.rare AND p.doc <> ALL ($1)) p
            GROUP BY term),
        -- Nobody else writes these terms, and a number is drawn for those alone that are new.
        known AS (
            INSERT INTO %1$s_terms AS t (tid, tenant, term, df, few) OVERRIDING SYSTEM VALUE
            SELECT a.tid, quarry.current_tenant(), a.term, a.docs, l.few FROM asked a LEFT JOIN laid l USING (term)
            WHERE a.tid IS NOT NULL ORDER BY a.term
            ON CONFLICT (tenant, term) DO UPDATE SET df = t.df + excluded.df, few = coalesce(excluded.few, t.few)),
        fresh AS (
            INSERT INTO %1$s_terms (tenant, term, df, few)
            SELECT quarry.current_tenant(), term, a.docs, l.few FROM asked a LEFT JOIN laid l USING (term)
            WHERE a.tid IS NULL ORDER BY term
            RETURNING tid, term),
        spelt AS (
            INSERT INTO %1$s_spellings (spelling, tid, tenant)
            SELECT spelling, t.tid, quarry.current_tenant()
            FROM fresh t CROSS JOIN LATERAL unnest(search.spellings(t.term)) AS spelling
            WHERE search.is_part_number(t.term)),
        lists AS (
            SELECT f.doc, min(f.length) AS length, array_agg(t.tid ORDER BY t.tid) AS tids, array_agg(f.tf ORDER BY t.tid) AS tfs,
                array_agg(t.tid ORDER BY t.tid) FILTER (WHERE l.few IS NOT NULL) AS laid_tids,
                array_agg(f.tf ORDER BY t.tid) FILTER (WHERE l.few IS NOT NULL) AS laid_tfs
            FROM frequencies f
            JOIN (SELECT tid, term FROM asked WHERE tid IS NOT NULL UNION ALL SELECT * FROM fresh) t USING (term)
            LEFT JOIN laid l USING (term)
            GROUP BY f.doc),
        documents AS (
            INSERT INTO %1$s_documents (tenant, doc, length, content_hash, fingerprint, tids, tfs)
            SELECT c.tenant, c.doc, coalesce(l.length, 0), sha256(convert_to(search.embedding_text(c.document), 'UTF8')),
                hash_array_extended(l.tids, hash_array_extended(l.tfs, 0)), coalesce(l.tids, '{}'), coalesce(l.tfs, '{}')
            FROM changed c LEFT JOIN lists l USING (doc)
            RETURNING length),
        waiting AS (
            INSERT INTO %1$s_pending AS p (tenant, doc, tids, tfs, length)
            SELECT quarry.current_tenant(), doc, laid_tids, laid_tfs, length FROM lists ORDER BY doc
            ON CONFLICT (tenant, doc) DO UPDATE SET tids = p.tids || excluded.tids, tfs = p.tfs || excluded.tfs,
                length = coalesce(p.length, excluded.length)
            WHERE excluded.tids IS NOT NULL)
        INSERT INTO %1$s_totals AS s (tenant, documents, length)
        SELECT quarry.current_tenant(), count(*), coalesce(sum(length), 0) FROM documents
        ON CONFLICT (tenant) DO UPDATE SET documents = s.documents + excluded.documents, length = s.length + excluded.length
    $sql$, corpus, document_function) USING docs;
    PERFORM search.settle(corpus);
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

CREATE OR REPLACE FUNCTION search.on_delete() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    corpus text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    docs bigint[] := (SELECT array_agg(id) FROM old_rows);
BEGIN
    IF docs IS NOT NULL THEN
        PERFORM search.lock_corpus(corpus);
        PERFORM search.unindex(corpus, docs);
        PERFORM search.settle(corpus);
        EXECUTE format('DELETE FROM %s_vectors WHERE doc = ANY ($1)', corpus) USING docs;
        EXECUTE 'DELETE FROM quarry.embedding_queue q WHERE q.corpus = $1 AND q.doc = ANY ($2)' USING corpus, docs;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION search.attach(target regclass, document_function regproc) RETURNS void
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
    FOREACH suffix IN ARRAY ARRAY['totals', 'vectors'] LOOP
        PERFORM quarry.isolate(format('%s_%s', corpus, suffix)::regclass);
        EXECUTE format('GRANT SELECT ON %s_%s TO quarry_read, quarry_write', corpus, suffix);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s_%s TO quarry_ingest', corpus, suffix);
    END LOOP;
    PERFORM search.attach_text(corpus);
    EXECUTE format($sql$
        CREATE TRIGGER search_insert AFTER INSERT ON %1$s REFERENCING NEW TABLE AS new_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
        CREATE TRIGGER search_update AFTER UPDATE ON %1$s REFERENCING NEW TABLE AS new_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
        CREATE TRIGGER search_delete AFTER DELETE ON %1$s REFERENCING OLD TABLE AS old_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
    $sql$, corpus);
END $$;

CREATE OR REPLACE FUNCTION search.rebuild(corpus text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    docs bigint[];
    suffix text;
BEGIN
    PERFORM search.lock_corpus(corpus);
    FOREACH suffix IN ARRAY ARRAY['blocks', 'pending', 'spellings', 'terms', 'documents', 'totals'] LOOP
        EXECUTE format('DELETE FROM %s_%s WHERE tenant = quarry.current_tenant()', corpus, suffix);
    END LOOP;
    EXECUTE format('SELECT array_agg(id ORDER BY id) FROM %s WHERE tenant = quarry.current_tenant()', corpus) INTO docs;
    FOR part IN 0 .. (coalesce(cardinality(docs), 0) - 1) / 10000 LOOP
        PERFORM search.index(corpus, docs[part * 10000 + 1 : (part + 1) * 10000]);
    END LOOP;
    RETURN coalesce(cardinality(docs), 0);
END $$;

CREATE OR REPLACE FUNCTION search.inconsistencies(corpus text) RETURNS TABLE (problem text, count bigint)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        -- By term, of documents that do not wait: how many postings, and all of them in one number.
        WITH told AS MATERIALIZED (
            SELECT tid, count(*) AS df, count(*) FILTER (WHERE merged) AS postings, bit_xor(content) FILTER (WHERE merged) AS content,
                count(*) FILTER (WHERE best) AS best, bit_xor(content) FILTER (WHERE best) AS best_content
            FROM (
                SELECT p.tid, p.merged, hashint8extended(p.doc, search.weight(p.tf, p.length)) AS content,
                    p.merged AND search.layer(search.weight(p.tf, p.length)) >= t.cut AS best
                FROM (
                    SELECT d.doc, d.length, unnest(d.tids) AS tid, unnest(d.tfs) AS tf,
                        NOT EXISTS (SELECT FROM %1$s_pending x WHERE x.tenant = d.tenant AND x.doc = d.doc) AS merged
                    FROM %1$s_documents d) p LEFT JOIN %1$s_terms t ON t.tid = p.tid) p
            GROUP BY tid),
        held AS MATERIALIZED (
            SELECT tid, count(*) FILTER (WHERE layer = 0) AS postings, bit_xor(content) FILTER (WHERE layer = 0) AS content,
                count(*) FILTER (WHERE layer > 0) AS best, bit_xor(content) FILTER (WHERE layer > 0) AS best_content
            FROM (
                SELECT p.tid, p.layer, hashint8extended(p.doc, p.weight) AS content
                FROM (
                    SELECT b.tid, b.layer, (b.first >> 31 << 31) + unnest(b.docs) AS doc, unnest(b.weights) AS weight
                    FROM %1$s_blocks b
                    UNION ALL
                    SELECT t.tid, 0, p.doc, p.weight FROM %1$s_terms t CROSS JOIN LATERAL search.of_few(t.few) p) p
                WHERE p.doc NOT IN (SELECT doc FROM %1$s_pending)) p
            GROUP BY tid)
        SELECT problem, count FROM (
            SELECT 'rows without an index document' AS problem, count(*) FROM %1$s d
            WHERE NOT EXISTS (SELECT FROM %1$s_documents x WHERE x.doc = d.id)
            UNION ALL
            SELECT 'index documents without a row', count(*) FROM %1$s_documents x
            WHERE NOT EXISTS (SELECT FROM %1$s d WHERE d.id = x.doc)
            UNION ALL
            SELECT 'terms whose document frequency is off', count(*) FROM %1$s_terms t LEFT JOIN told USING (tid)
            WHERE t.df <> coalesce(told.df, 0)
            UNION ALL
            SELECT 'terms whose postings are not those of the documents', count(*) FROM told FULL JOIN held USING (tid)
            WHERE (coalesce(told.postings, 0), coalesce(told.content, 0)) <> (coalesce(held.postings, 0), coalesce(held.content, 0))
            UNION ALL
            SELECT 'terms whose best postings are off', count(*) FROM told FULL JOIN held USING (tid)
            WHERE (coalesce(told.best, 0), coalesce(told.best_content, 0)) <> (coalesce(held.best, 0), coalesce(held.best_content, 0))
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

-- What is there is made from its postings, beside them, and takes their place at the end: until then searches go on, and
-- writers wait. The former release, whose functions go on for some minutes, reads the view, and all it reads is as it was.
DO $$
DECLARE
    name text;
    made text;
    one_tenant text;
    frequent integer[];
    renaming text;
BEGIN
    SET LOCAL work_mem = '64MB';
    FOR name IN SELECT corpus FROM search.corpora ORDER BY corpus LOOP
        made := name || '_made';
        EXECUTE format('LOCK TABLE %s_terms, %1$s_postings, %1$s_documents IN SHARE MODE', name);
        PERFORM search.attach_text(made);
        FOR one_tenant IN SELECT tenant FROM quarry.tenants ORDER BY tenant LOOP
            PERFORM set_config('quarry.tenant', one_tenant, true);
            EXECUTE format($sql$
                INSERT INTO %2$s_terms (tid, tenant, term, df, few) OVERRIDING SYSTEM VALUE
                SELECT t.tid, t.tenant, t.term, t.df, CASE WHEN t.df <= 12 THEN (
                    SELECT search.as_few(array_agg(p.doc ORDER BY p.doc),
                        array_agg(search.weight(round(p.tf * 10)::smallint, p.length) ORDER BY p.doc))
                    FROM %1$s_postings p WHERE p.tid = t.tid) END
                FROM %1$s_terms t WHERE t.tenant = quarry.current_tenant() AND t.df > 0 ORDER BY t.tid
            $sql$, name, made);
            EXECUTE format($sql$
                INSERT INTO %1$s_spellings (spelling, tid, tenant)
                SELECT spelling, t.tid, t.tenant FROM %1$s_terms t CROSS JOIN LATERAL unnest(search.spellings(t.term)) AS spelling
                WHERE t.tenant = quarry.current_tenant() AND search.is_part_number(t.term)
            $sql$, made);
            EXECUTE format($sql$
                INSERT INTO %2$s_documents (tenant, doc, length, content_hash, fingerprint, tids, tfs)
                SELECT d.tenant, d.doc, d.length, d.content_hash, hash_array_extended(l.tids, hash_array_extended(l.tfs, 0)),
                    coalesce(l.tids, '{}'), coalesce(l.tfs, '{}')
                FROM %1$s_documents d LEFT JOIN (
                    SELECT doc, array_agg(tid::integer ORDER BY tid) AS tids, array_agg(round(tf * 10)::smallint ORDER BY tid) AS tfs
                    FROM %1$s_postings WHERE tenant = quarry.current_tenant() GROUP BY doc) l ON l.doc = d.doc
                WHERE d.tenant = quarry.current_tenant() ORDER BY d.doc
            $sql$, name, made);
            EXECUTE format($sql$
                WITH postings AS (
                    SELECT p.tid, p.doc, search.weight(round(p.tf * 10)::smallint, p.length) AS weight,
                        (row_number() OVER (PARTITION BY p.tid, p.doc >> 31 ORDER BY p.doc) - 1) / 240 AS piece
                    FROM %1$s_postings p JOIN %2$s_terms t ON t.tid = p.tid
                    WHERE p.tenant = quarry.current_tenant() AND t.few IS NULL)
                INSERT INTO %2$s_blocks (tid, layer, first, tenant, docs, weights)
                SELECT tid, 0, min(doc), quarry.current_tenant(), array_agg((doc & 2147483647)::integer ORDER BY doc),
                    array_agg(weight ORDER BY doc)
                FROM postings GROUP BY tid, doc >> 31, piece
            $sql$, name, made);
            EXECUTE format('SELECT array_agg(tid) FROM %s_terms WHERE tenant = quarry.current_tenant() AND df > 512', made)
                INTO frequent;
            PERFORM search.layer_blocks(made, frequent);
        END LOOP;
        EXECUTE format($sql$
            SELECT setval(pg_get_serial_sequence('%2$s_terms', 'tid'), nextval(pg_get_serial_sequence('%1$s_terms', 'tid')))
        $sql$, name, made);
    END LOOP;
    FOR name IN SELECT corpus FROM search.corpora ORDER BY corpus LOOP
        EXECUTE format('DROP TABLE %1$s_postings, %1$s_spellings, %1$s_terms, %1$s_documents', name);
        made := split_part(name, '.', 2) || '_made_';
        FOR renaming IN
            SELECT format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', n.conrelid::regclass, n.conname, replace(n.conname, '_made_', '_'))
            FROM pg_constraint n
            WHERE n.connamespace = split_part(name, '.', 1)::regnamespace AND starts_with(n.conname, made) AND n.conindid = 0
            UNION ALL
            SELECT format('ALTER TABLE %s RENAME TO %I', c.oid::regclass, replace(c.relname, '_made_', '_'))
            FROM pg_class c
            WHERE c.relnamespace = split_part(name, '.', 1)::regnamespace AND starts_with(c.relname, made) AND c.relkind IN ('r', 'i', 'S', 'v')
        LOOP
            EXECUTE renaming;
        END LOOP;
    END LOOP;
END $$;
CREATE INDEX line_items_documents_fingerprint ON quotes.line_items_documents (tenant, fingerprint);
GRANT SELECT ON quotes.line_items_documents, quotes.line_items_terms, quotes.line_items_spellings, quotes.line_items_blocks,
    quotes.line_items_pending, quotes.line_items_postings TO quarry_approve;
