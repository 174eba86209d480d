-- Every ingest ends: one that was refused or given up says why.

ALTER TABLE quarry.ingests ADD COLUMN stopped text;
COMMENT ON COLUMN quarry.ingests.stopped IS 'Why the file was not read to its end; NULL where it was.';
