-- The knowledge toolset: plain documents, numbered by whoever supplies them.

CREATE SCHEMA knowledge;
GRANT USAGE ON SCHEMA knowledge TO quarry_read, quarry_write, quarry_ingest;

CREATE TABLE knowledge.documents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    doc_id integer NOT NULL CHECK (doc_id >= 0),
    title text,
    content text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, doc_id)
);
COMMENT ON COLUMN knowledge.documents.doc_id IS 'The supplier''s number; two tenants may use the same.';
SELECT quarry.isolate('knowledge.documents');
GRANT SELECT ON knowledge.documents TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE, DELETE ON knowledge.documents TO quarry_ingest;

CREATE FUNCTION knowledge.searchable(d knowledge.documents) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(d.title, NULL, d.content)::search.document
$$;

SELECT search.attach('knowledge.documents', 'knowledge.searchable');
