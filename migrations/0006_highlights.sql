-- The highlights toolset: passages of a reader's library with exact counts.

CREATE SCHEMA highlights;
GRANT USAGE ON SCHEMA highlights TO quarry_read, quarry_write, quarry_ingest;

-- Authors, sources and tags are found whatever their case.
CREATE FUNCTION highlights.keys(names text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT lower(name) FROM unnest(names) AS name);

CREATE TABLE highlights.chunks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    chunk_id text NOT NULL,
    parent_doc_id text NOT NULL,
    chunk_index integer NOT NULL CHECK (chunk_index >= 0),
    total_chunks integer NOT NULL CHECK (total_chunks = 0 OR total_chunks > chunk_index),
    title text NOT NULL,
    author text,
    source text NOT NULL,
    category text,
    tags text[] NOT NULL,
    content text NOT NULL,
    entry_id text NOT NULL,
    place bigint NOT NULL,
    piece integer NOT NULL,
    author_key text GENERATED ALWAYS AS (lower(author)) STORED,
    source_key text NOT NULL GENERATED ALWAYS AS (lower(source)) STORED,
    tag_keys text[] NOT NULL GENERATED ALWAYS AS (highlights.keys(tags)) STORED,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (tenant, chunk_id)
);
COMMENT ON COLUMN highlights.chunks.entry_id IS 'What it was cut from: a row of an ingested file, which owns all its pieces.';
COMMENT ON COLUMN highlights.chunks.place IS 'Where the entry stands in its document, for example a Kindle location; only the order counts.';
COMMENT ON COLUMN highlights.chunks.total_chunks IS '0 until the ingest that brought a highlight has numbered its document.';
-- Conditions on plain text columns, because row-level security keeps anything else out of an index. Lists go on behind a
-- row that the cursor names, and a cursor can be read: it names what the tenant calls the row, for the gaps between one's
-- own ids tell how many rows others have.
CREATE INDEX chunks_newest ON highlights.chunks (tenant, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_author ON highlights.chunks (tenant, author_key, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_source ON highlights.chunks (tenant, source_key, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_entry ON highlights.chunks (tenant, entry_id);
CREATE INDEX chunks_document ON highlights.chunks (tenant, parent_doc_id);
CREATE INDEX chunks_unnumbered ON highlights.chunks (tenant, parent_doc_id) WHERE total_chunks = 0;
SELECT quarry.isolate('highlights.chunks');
GRANT SELECT ON highlights.chunks TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE, DELETE ON highlights.chunks TO quarry_ingest;

CREATE FUNCTION highlights.chunk_document(c highlights.chunks) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(c.title, concat_ws(', ', c.author, array_to_string(c.tags, ', ')), c.content)::search.document
$$;

SELECT search.attach('highlights.chunks', 'highlights.chunk_document');

-- Counts kept by triggers, so that nobody has to count chunks.

CREATE TABLE highlights.facets (
    tenant text NOT NULL,
    facet text NOT NULL CHECK (facet IN ('document', 'source', 'author', 'tag')),
    key text NOT NULL,
    value text NOT NULL,
    chunks bigint NOT NULL CHECK (chunks > 0),
    PRIMARY KEY (tenant, facet, key)
);
COMMENT ON TABLE highlights.facets IS 'Every value in use, as first spelt, with its number of chunks; the key is in lower case.';
CREATE INDEX facets_largest ON highlights.facets (tenant, facet, chunks DESC, key);
SELECT quarry.isolate('highlights.facets');

CREATE TABLE highlights.statistics (
    tenant text PRIMARY KEY,
    chunks bigint NOT NULL DEFAULT 0,
    characters bigint NOT NULL DEFAULT 0,
    documents bigint NOT NULL DEFAULT 0,
    sources bigint NOT NULL DEFAULT 0,
    authors bigint NOT NULL DEFAULT 0,
    tags bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE highlights.statistics IS 'Per tenant: chunks, their characters, and how many distinct values each facet has.';
SELECT quarry.isolate('highlights.statistics');

GRANT SELECT ON highlights.facets, highlights.statistics TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE, DELETE ON highlights.facets, highlights.statistics TO quarry_ingest;

-- Not LANGUAGE sql: Postgres fails to plan the inlined body ("variable not found in subplan target list").
CREATE FUNCTION highlights.facets_of(c highlights.chunks) RETURNS TABLE (facet text, key text, value text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY VALUES ('document', c.parent_doc_id, c.parent_doc_id), ('source', c.source_key, c.source);
    IF c.author IS NOT NULL THEN
        RETURN QUERY VALUES ('author', c.author_key, c.author);
    END IF;
    RETURN QUERY SELECT 'tag', lower(tag), min(tag) FROM unnest(c.tags) AS tag GROUP BY lower(tag);
END $$;

-- Adds the chunks to the counts of the current tenant (sign 1) or takes them away (sign -1).
CREATE FUNCTION highlights.tally(changed highlights.chunks[], sign integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    appeared jsonb;
    vanished jsonb;
BEGIN
    INSERT INTO highlights.statistics (tenant) VALUES (quarry.current_tenant()) ON CONFLICT DO NOTHING;
    WITH added AS (
        INSERT INTO highlights.facets AS t (tenant, facet, key, value, chunks)
        SELECT quarry.current_tenant(), f.facet, f.key, min(f.value), count(*)
        FROM unnest(changed) AS c CROSS JOIN LATERAL highlights.facets_of(c) f
        WHERE sign = 1
        GROUP BY f.facet, f.key ORDER BY f.facet, f.key
        ON CONFLICT (tenant, facet, key) DO UPDATE SET chunks = t.chunks + excluded.chunks
        RETURNING t.facet, t.xmax = 0 AS fresh)
    SELECT coalesce(jsonb_object_agg(facet, n), '{}') INTO appeared
    FROM (SELECT facet, count(*) AS n FROM added WHERE fresh GROUP BY facet) AS counted;
    WITH taken AS (
        SELECT f.facet, f.key, count(*) AS n
        FROM unnest(changed) AS c CROSS JOIN LATERAL highlights.facets_of(c) f
        WHERE sign = -1
        GROUP BY f.facet, f.key),
    lowered AS (
        UPDATE highlights.facets t SET chunks = t.chunks - taken.n FROM taken
        WHERE t.tenant = quarry.current_tenant() AND t.facet = taken.facet AND t.key = taken.key AND t.chunks > taken.n),
    emptied AS (
        DELETE FROM highlights.facets t USING taken
        WHERE t.tenant = quarry.current_tenant() AND t.facet = taken.facet AND t.key = taken.key AND t.chunks <= taken.n
        RETURNING t.facet)
    SELECT coalesce(jsonb_object_agg(facet, n), '{}') INTO vanished
    FROM (SELECT facet, count(*) AS n FROM emptied GROUP BY facet) AS counted;
    UPDATE highlights.statistics s SET
        chunks = s.chunks + sign * cardinality(changed),
        characters = s.characters + sign * (SELECT coalesce(sum(length(c.content)), 0) FROM unnest(changed) AS c),
        documents = s.documents + coalesce((appeared ->> 'document')::bigint, 0) - coalesce((vanished ->> 'document')::bigint, 0),
        sources = s.sources + coalesce((appeared ->> 'source')::bigint, 0) - coalesce((vanished ->> 'source')::bigint, 0),
        authors = s.authors + coalesce((appeared ->> 'author')::bigint, 0) - coalesce((vanished ->> 'author')::bigint, 0),
        tags = s.tags + coalesce((appeared ->> 'tag')::bigint, 0) - coalesce((vanished ->> 'tag')::bigint, 0)
    WHERE s.tenant = quarry.current_tenant();
END $$;

-- One writer per tenant: search.lock_corpus is the lock that the index takes too.
CREATE FUNCTION highlights.count_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    fresh highlights.chunks[] := (SELECT array_agg(ROW(n.*)::highlights.chunks) FROM new_rows n);
BEGIN
    IF fresh IS NOT NULL THEN
        PERFORM search.lock_corpus('highlights.chunks');
        PERFORM highlights.tally(fresh, 1);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION highlights.count_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gone highlights.chunks[] := (SELECT array_agg(ROW(o.*)::highlights.chunks) FROM old_rows o);
BEGIN
    IF gone IS NOT NULL THEN
        PERFORM search.lock_corpus('highlights.chunks');
        PERFORM highlights.tally(gone, -1);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION highlights.count_updated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    former highlights.chunks[];
    latter highlights.chunks[];
BEGIN
    SELECT array_agg(ROW(o.*)::highlights.chunks), array_agg(ROW(n.*)::highlights.chunks) INTO former, latter
    FROM old_rows o JOIN new_rows n ON n.id = o.id
    WHERE (o.parent_doc_id, o.source, o.author, o.tags, o.content)
        IS DISTINCT FROM (n.parent_doc_id, n.source, n.author, n.tags, n.content);
    IF former IS NOT NULL THEN
        PERFORM search.lock_corpus('highlights.chunks');
        -- Added first: a value that stays in use is not dropped and counted as new.
        PERFORM highlights.tally(latter, 1);
        PERFORM highlights.tally(former, -1);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER statistics_insert AFTER INSERT ON highlights.chunks REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION highlights.count_inserted();
CREATE TRIGGER statistics_update AFTER UPDATE ON highlights.chunks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION highlights.count_updated();
CREATE TRIGGER statistics_delete AFTER DELETE ON highlights.chunks REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION highlights.count_deleted();
