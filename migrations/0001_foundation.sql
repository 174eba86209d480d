-- Roles, tenants and their isolation, the embedding model on record.

CREATE EXTENSION IF NOT EXISTS vector;
SELECT '[1]'::vector; -- loads the library, so that its settings below are known and need no superuser

CREATE SCHEMA IF NOT EXISTS quarry; -- the migrate function already made it for its own record

-- One role for each thing a function may do: read, write as tools do, decide approvals as their page does, ingest.
-- Roles belong to the server, not the database: they may exist from another database.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['quarry_read', 'quarry_write', 'quarry_approve', 'quarry_ingest'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS', role_name);
        END IF;
        -- On RDS, membership in rds_iam is what lets a role log in by IAM token. Elsewhere there is no such role. The
        -- owner stays out of it: its password would be refused from then on. What search.change_model needs to end
        -- open sessions, pg_signal_backend, the owner has on RDS as its master user.
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam') THEN
            EXECUTE format('GRANT rds_iam TO %I', role_name);
        END IF;
        -- A cached generic plan can pick an index scan that loses rows under a filter; plan with the values.
        EXECUTE format('ALTER ROLE %I SET plan_cache_mode = force_custom_plan', role_name);
        EXECUTE format('ALTER ROLE %I SET jit = off', role_name);
        EXECUTE format('ALTER ROLE %I SET work_mem = ''32MB''', role_name); -- 4 MB makes one search spill to disk
        -- What a walk of the vector index brings is put in order afterwards: asked for strict order, it would drop each
        -- row that a later step finds nearer than one of an earlier.
        EXECUTE format('ALTER ROLE %I SET hnsw.iterative_scan = relaxed_order', role_name);
        EXECUTE format('ALTER ROLE %I SET hnsw.ef_search = 300', role_name);
        EXECUTE format('ALTER ROLE %I SET hnsw.max_scan_tuples = 200000', role_name);
    END LOOP;
    -- What takes longer than any tool's time-out helps nobody; ingest may be slow.
    FOREACH role_name IN ARRAY ARRAY['quarry_read', 'quarry_write', 'quarry_approve'] LOOP
        EXECUTE format('ALTER ROLE %I SET statement_timeout = ''25s''', role_name);
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA quarry TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

CREATE TABLE quarry.embedding_model (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    model text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 2000), -- 2000 is HNSW's limit for vector
    recorded_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE quarry.embedding_model IS 'The one model whose vectors this database holds.';
GRANT SELECT ON quarry.embedding_model TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

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
--
-- No key reaches across tenants: what refers to another row names its tenant too, so that neither a missing row nor a
-- duplicate tells anybody what another tenant has. The unique key it refers to names the tenant last: the planner takes
-- a tenant that is new to its statistics for one with hardly a row, and would read all of them from an index that begins
-- with it, once for each row of another table.
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

CREATE TABLE quarry.tenant_settings (
    tenant text PRIMARY KEY REFERENCES quarry.tenants,
    store_queries boolean NOT NULL DEFAULT true,
    units text NOT NULL DEFAULT 'us' CHECK (units IN ('us', 'metric'))
);
COMMENT ON COLUMN quarry.tenant_settings.store_queries IS
    'Query text is never stored. False: not even the hash and the vector of a query are.';
COMMENT ON COLUMN quarry.tenant_settings.units IS 'What quantities are read and shown in where a call does not say.';
SELECT quarry.isolate('quarry.tenant_settings');
GRANT SELECT ON quarry.tenant_settings TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, INSERT, UPDATE, DELETE ON quarry.tenant_settings TO quarry_ingest;
