-- Passages of a file stand in order, so that the whole document can be shown.

ALTER TABLE knowledge.documents ADD COLUMN position integer CHECK (position >= 0);
COMMENT ON COLUMN knowledge.documents.position IS 'Of a passage in its file, from 0; NULL for a document that came whole.';
