-- What a client that waits is told meanwhile: how far its call is, and that rows were loaded.

-- How far a function that runs long is, in words for whoever asked; gone when the function ends.
CREATE TABLE quarry.call_progress (
    tenant text NOT NULL,
    request_id text NOT NULL CHECK (length(request_id) BETWEEN 1 AND 200),
    said text NOT NULL CHECK (length(said) BETWEEN 1 AND 1000),
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, request_id)
);
SELECT quarry.isolate('quarry.call_progress');
CREATE POLICY worker_prunes ON quarry.call_progress FOR DELETE TO quarry_ingest USING (true);
CREATE POLICY worker_sees ON quarry.call_progress FOR SELECT TO quarry_ingest USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON quarry.call_progress TO quarry_read;
-- The worker forgets what a function that was killed left behind; what it says may hold words of a question.
GRANT SELECT (noted_at), DELETE ON quarry.call_progress TO quarry_ingest;

GRANT SELECT (tenant, kind, inserted, updated) ON quarry.ingests TO quarry_read;
