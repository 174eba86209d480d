-- An ingest that outlives one invocation: where it stands is kept with the rows it has written.

ALTER TABLE quarry.ingests
    ALTER COLUMN content_sha256 DROP NOT NULL,
    ADD COLUMN etag text,
    ADD COLUMN request_id text,
    ADD COLUMN repaired integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN quarry.ingests.rows_read IS 'Records of the file that are dealt with; the next run goes on after them.';
COMMENT ON COLUMN quarry.ingests.content_sha256 IS 'NULL until the file was read to its end.';
COMMENT ON COLUMN quarry.ingests.request_id IS 'The invocation that began it: when Lambda repeats that one, the ingest goes on where it stood.';

CREATE INDEX ingests_unfinished ON quarry.ingests (tenant, request_id) WHERE finished_at IS NULL;
