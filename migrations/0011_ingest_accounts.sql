-- An ingest's account adds up: what a file holds twice has a count of its own, and how the file was read is kept.

ALTER TABLE quarry.ingests
    ADD COLUMN merged integer NOT NULL DEFAULT 0,
    ADD COLUMN encoding text,
    ADD COLUMN separator text;
COMMENT ON COLUMN quarry.ingests.merged IS 'Rows whose key came before in the same file: the last one of a key stands.';
COMMENT ON COLUMN quarry.ingests.separator IS 'Of a table as text; NULL for other files.';
