-- API keys: who may come in without an identity provider. Only hashes are kept; nobody can read a key back.

CREATE TABLE quarry.api_keys (
    id text PRIMARY KEY CHECK (id ~ '^[0-9A-Za-z]{12}$'),
    tenant text NOT NULL REFERENCES quarry.tenants,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
    scopes text[] NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 64),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_on date
);
COMMENT ON COLUMN quarry.api_keys.secret_sha256 IS 'Of 256 random bits, which need neither salt nor stretching.';
COMMENT ON COLUMN quarry.api_keys.subject IS 'What created_by and the audit say of calls made with it.';
COMMENT ON COLUMN quarry.api_keys.last_used_on IS 'A day, so that a key in use costs one write a day.';
CREATE INDEX api_keys_of_tenant ON quarry.api_keys (tenant, created_at);
SELECT quarry.isolate('quarry.api_keys');

-- Whoever presents a key has no tenant yet: the one key that is presented can be seen, and no other.
CREATE FUNCTION quarry.presented_key() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('quarry.presented_key', true), '');
CREATE POLICY presented_is_seen ON quarry.api_keys FOR SELECT TO quarry_write, quarry_ingest
    USING (id = quarry.presented_key());
CREATE POLICY presented_is_marked ON quarry.api_keys FOR UPDATE TO quarry_write, quarry_ingest
    USING (id = quarry.presented_key());

GRANT SELECT, UPDATE (last_used_on) ON quarry.api_keys TO quarry_write;
GRANT SELECT, INSERT, UPDATE (expires_at, revoked_at) ON quarry.api_keys TO quarry_ingest;
