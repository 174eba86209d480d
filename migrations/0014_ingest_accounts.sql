-- An ingest's account adds up: what a file holds twice has a count of its own, and how the file was read is kept.

ALTER TABLE quarry.ingests
    ADD COLUMN merged integer NOT NULL DEFAULT 0,
    ADD COLUMN encoding text,
    ADD COLUMN separator text;
COMMENT ON COLUMN quarry.ingests.merged IS 'Rows whose key came before in the same file: the last one of a key stands.';
COMMENT ON COLUMN quarry.ingests.separator IS 'Of a table as text; NULL for other files.';

-- A passage of a document knows the file it came from, and which state of it.
ALTER TABLE knowledge.documents ADD COLUMN source text, ADD COLUMN version text;
COMMENT ON COLUMN knowledge.documents.version IS 'Hash of the file; what an earlier state of it held goes when a newer one is ingested.';
CREATE INDEX documents_source ON knowledge.documents (tenant, source) WHERE source IS NOT NULL;
