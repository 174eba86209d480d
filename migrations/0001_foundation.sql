-- Tenants, roles, the embedding model on record, the embedding queue and cache, ingest reports.

CREATE EXTENSION IF NOT EXISTS vector;
SELECT '[1]'::vector; -- loads the library, so that its settings below are known and need no superuser

CREATE SCHEMA IF NOT EXISTS quarry; -- the migrate function already made it for its own record

-- Roles belong to the server, not the database: they may exist from another database.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['quarry_read', 'quarry_write', 'quarry_ingest'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS', role_name);
        END IF;
        -- A cached generic plan can pick an index scan that loses rows under a filter; plan with the values.
        EXECUTE format('ALTER ROLE %I SET plan_cache_mode = force_custom_plan', role_name);
        EXECUTE format('ALTER ROLE %I SET jit = off', role_name);
        EXECUTE format('ALTER ROLE %I SET hnsw.iterative_scan = strict_order', role_name);
        EXECUTE format('ALTER ROLE %I SET hnsw.ef_search = 100', role_name);
        EXECUTE format('ALTER ROLE %I SET hnsw.max_scan_tuples = 200000', role_name);
    END LOOP;
    -- A search or a write that takes longer than any tool's time-out helps nobody; ingest may be slow.
    ALTER ROLE quarry_read SET statement_timeout = '25s';
    ALTER ROLE quarry_write SET statement_timeout = '25s';
END $$;

GRANT USAGE ON SCHEMA quarry TO quarry_read, quarry_write, quarry_ingest;

CREATE TABLE quarry.embedding_model (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    model text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 2000), -- 2000 is HNSW's limit for vector
    recorded_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE quarry.embedding_model IS 'The one model whose vectors this database holds.';
GRANT SELECT ON quarry.embedding_model TO quarry_read, quarry_write, quarry_ingest;

INSERT INTO quarry.embedding_model (model, dimensions)
VALUES (current_setting('quarry.embedding_model'), current_setting('quarry.embedding_dimensions')::integer);

CREATE TABLE quarry.tenants (
    tenant text PRIMARY KEY CHECK (tenant ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    created_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON quarry.tenants TO quarry_read, quarry_write;
GRANT SELECT, INSERT ON quarry.tenants TO quarry_ingest;

-- The tenant of the running transaction; NULL, and so no row at all, when nobody set it.
CREATE FUNCTION quarry.current_tenant() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('quarry.tenant', true), '');

-- Every tenant table gets this: forced row-level security on the transaction's tenant.
CREATE FUNCTION quarry.isolate(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY tenant_isolation ON %s USING (tenant = quarry.current_tenant())'
        ' WITH CHECK (tenant = quarry.current_tenant())', target);
END $$;

-- Not forced: the owner, who migrates, has to walk over all tenants.
ALTER TABLE quarry.tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.tenants
    USING (tenant = quarry.current_tenant()) WITH CHECK (tenant = quarry.current_tenant());

CREATE TABLE quarry.embedding_queue (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    corpus text NOT NULL,
    doc bigint NOT NULL,
    content_hash bytea NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    available_at timestamptz NOT NULL DEFAULT now(),
    last_error text,
    dead_at timestamptz,
    UNIQUE (corpus, doc)
);
COMMENT ON COLUMN quarry.embedding_queue.dead_at IS 'Set when attempts ran out: a dead letter, kept and reported until requeued.';
CREATE INDEX embedding_queue_ready ON quarry.embedding_queue (available_at, id) WHERE dead_at IS NULL;
SELECT quarry.isolate('quarry.embedding_queue');
-- The worker serves every tenant; the queue holds ids and hashes, never content.
CREATE POLICY worker_reads ON quarry.embedding_queue FOR SELECT TO quarry_ingest USING (true);
CREATE POLICY worker_updates ON quarry.embedding_queue FOR UPDATE TO quarry_ingest USING (true);
CREATE POLICY worker_deletes ON quarry.embedding_queue FOR DELETE TO quarry_ingest USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON quarry.embedding_queue TO quarry_ingest;
GRANT INSERT, SELECT, UPDATE ON quarry.embedding_queue TO quarry_write;

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
GRANT SELECT, INSERT ON quarry.embedding_cache TO quarry_read, quarry_write;
GRANT SELECT, DELETE ON quarry.embedding_cache TO quarry_ingest;

CREATE TABLE quarry.ingests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    kind text NOT NULL,
    source text NOT NULL,
    content_sha256 text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    rows_read integer NOT NULL DEFAULT 0,
    inserted integer NOT NULL DEFAULT 0,
    updated integer NOT NULL DEFAULT 0,
    unchanged integer NOT NULL DEFAULT 0,
    rejected integer NOT NULL DEFAULT 0
);
SELECT quarry.isolate('quarry.ingests');
GRANT SELECT, INSERT, UPDATE ON quarry.ingests TO quarry_ingest;

CREATE TABLE quarry.ingest_rejects (
    ingest_id bigint NOT NULL REFERENCES quarry.ingests ON DELETE CASCADE,
    tenant text NOT NULL,
    line integer NOT NULL,
    reason text NOT NULL,
    raw text NOT NULL,
    PRIMARY KEY (ingest_id, line)
);
SELECT quarry.isolate('quarry.ingest_rejects');
GRANT SELECT, INSERT ON quarry.ingest_rejects TO quarry_ingest;
