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
