-- Running the service: ingests and what they rejected, cancelled calls, schedules that go from tenant to tenant.

-- An ingest that outlives one invocation: where it stands is kept with the rows it has written.
CREATE TABLE quarry.ingests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    kind text NOT NULL,
    source text NOT NULL,
    etag text,
    request_id text,
    content_sha256 text,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    rows_read integer NOT NULL DEFAULT 0,
    inserted integer NOT NULL DEFAULT 0,
    updated integer NOT NULL DEFAULT 0,
    unchanged integer NOT NULL DEFAULT 0,
    rejected integer NOT NULL DEFAULT 0,
    repaired integer NOT NULL DEFAULT 0,
    UNIQUE (id, tenant)
);
COMMENT ON COLUMN quarry.ingests.rows_read IS 'Records of the file that are dealt with; the next run goes on after them.';
COMMENT ON COLUMN quarry.ingests.content_sha256 IS 'NULL until the file was read to its end.';
COMMENT ON COLUMN quarry.ingests.request_id IS 'The invocation that began it: when Lambda repeats that one, the ingest goes on where it stood.';
CREATE INDEX ingests_unfinished ON quarry.ingests (tenant, request_id) WHERE finished_at IS NULL;
SELECT quarry.isolate('quarry.ingests');
GRANT SELECT, INSERT, UPDATE ON quarry.ingests TO quarry_ingest;

CREATE TABLE quarry.ingest_rejects (
    ingest_id bigint NOT NULL,
    tenant text NOT NULL,
    line integer NOT NULL,
    reason text NOT NULL,
    raw text NOT NULL,
    PRIMARY KEY (ingest_id, line),
    FOREIGN KEY (tenant, ingest_id) REFERENCES quarry.ingests (tenant, id) ON DELETE CASCADE
);
SELECT quarry.isolate('quarry.ingest_rejects');
GRANT SELECT, INSERT ON quarry.ingest_rejects TO quarry_ingest;

-- Calls whose client went away: a function that runs long looks here and stops.
CREATE TABLE quarry.cancelled_calls (
    tenant text NOT NULL,
    request_id text NOT NULL CHECK (length(request_id) BETWEEN 1 AND 200),
    cancelled_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, request_id)
);
SELECT quarry.isolate('quarry.cancelled_calls');
CREATE POLICY worker_prunes ON quarry.cancelled_calls FOR DELETE TO quarry_ingest USING (true);
CREATE POLICY worker_sees ON quarry.cancelled_calls FOR SELECT TO quarry_ingest USING (true);
GRANT SELECT ON quarry.cancelled_calls TO quarry_read, quarry_write;
GRANT INSERT ON quarry.cancelled_calls TO quarry_write;
GRANT SELECT, DELETE ON quarry.cancelled_calls TO quarry_ingest;

-- The schedules that expire approvals and verify chains go from tenant to tenant; names are all they see of the others.
CREATE FUNCTION quarry.every_tenant() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT tenant FROM quarry.tenants ORDER BY tenant
$$;
REVOKE ALL ON FUNCTION quarry.every_tenant() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION quarry.every_tenant() TO quarry_write;
