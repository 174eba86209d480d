-- API keys are made by a role of their own; sessions that rest are ended.

-- Whoever reads strangers' files, as quarry_ingest, can make no key, end none and see none. A former release that is gone
-- back to knows this role alone, and so cannot make keys; those that there are it goes on to verify.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'quarry_keys') THEN
        CREATE ROLE quarry_keys LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam') THEN
        GRANT rds_iam TO quarry_keys;
    END IF;
    ALTER ROLE quarry_keys SET statement_timeout = '25s';
    ALTER ROLE quarry_keys SET lock_timeout = '10s';
    ALTER ROLE quarry_keys SET idle_in_transaction_session_timeout = '30s';
END $$;

GRANT USAGE ON SCHEMA quarry TO quarry_keys;
GRANT SELECT ON quarry.embedding_model TO quarry_keys; -- a session asks for it when it opens
GRANT SELECT, INSERT ON quarry.tenants TO quarry_keys;
GRANT SELECT, INSERT, UPDATE (expires_at, revoked_at) ON quarry.api_keys TO quarry_keys;
REVOKE ALL ON quarry.api_keys FROM quarry_ingest;
ALTER POLICY presented_is_seen ON quarry.api_keys TO quarry_write, quarry_keys;
ALTER POLICY presented_is_marked ON quarry.api_keys TO quarry_write, quarry_keys;

-- An execution environment keeps its connection while it is frozen, and each release leaves those of the former one
-- behind: what rests longer than a call could is given back. An ingest may read a file for as long as it runs.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['quarry_read', 'quarry_write', 'quarry_approve', 'quarry_keys'] LOOP
        EXECUTE format('ALTER ROLE %I SET idle_session_timeout = ''2min''', role_name);
    END LOOP;
    ALTER ROLE quarry_ingest SET idle_session_timeout = '15min';
END $$;
