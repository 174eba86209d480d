-- No key reaches across tenants: what refers to another row names its tenant too, so that neither a missing row nor a
-- duplicate tells anybody what another tenant has. The tenant stands last: the planner takes a tenant that is new to its
-- statistics for one with hardly a row, and would read all of them from an index that begins with it, once for each row of
-- another table.

ALTER TABLE equipment.products ADD UNIQUE (id, tenant);
ALTER TABLE quotes.line_items DROP CONSTRAINT line_items_product_id_fkey;
ALTER TABLE quotes.line_items ADD FOREIGN KEY (tenant, product_id)
    REFERENCES equipment.products (tenant, id) ON DELETE SET NULL (product_id);

ALTER TABLE stories.user_stories ADD UNIQUE (id, tenant);
ALTER TABLE stories.entities ADD UNIQUE (id, tenant);
ALTER TABLE stories.code_assets ADD UNIQUE (id, tenant);
ALTER TABLE stories.story_entities
    DROP CONSTRAINT story_entities_story_id_fkey,
    DROP CONSTRAINT story_entities_entity_id_fkey,
    DROP CONSTRAINT story_entities_pkey,
    ADD PRIMARY KEY (story_id, entity_id, tenant),
    ADD FOREIGN KEY (tenant, story_id) REFERENCES stories.user_stories (tenant, id) ON DELETE CASCADE,
    ADD FOREIGN KEY (tenant, entity_id) REFERENCES stories.entities (tenant, id);
ALTER TABLE stories.story_code_assets
    DROP CONSTRAINT story_code_assets_story_id_fkey,
    DROP CONSTRAINT story_code_assets_asset_id_fkey,
    DROP CONSTRAINT story_code_assets_pkey,
    ADD PRIMARY KEY (story_id, asset_id, tenant),
    ADD FOREIGN KEY (tenant, story_id) REFERENCES stories.user_stories (tenant, id) ON DELETE CASCADE,
    ADD FOREIGN KEY (tenant, asset_id) REFERENCES stories.code_assets (tenant, id);

ALTER TABLE quarry.ingests ADD UNIQUE (id, tenant);
ALTER TABLE quarry.ingest_rejects
    DROP CONSTRAINT ingest_rejects_ingest_id_fkey,
    ADD FOREIGN KEY (tenant, ingest_id) REFERENCES quarry.ingests (tenant, id) ON DELETE CASCADE;

-- Lists go on behind a row that the cursor names, and a cursor can be read: it names what the tenant calls the row, for
-- the gaps between one's own ids tell how many rows others have.
DROP INDEX highlights.chunks_newest, highlights.chunks_author, highlights.chunks_source;
CREATE INDEX chunks_newest ON highlights.chunks (tenant, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_author ON highlights.chunks (tenant, author_key, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_source ON highlights.chunks (tenant, source_key, created_at DESC, chunk_id DESC);

-- Only an ingest writes what is searched, so no tool has business with the queue, whose key is not per tenant.
REVOKE ALL ON quarry.embedding_queue FROM quarry_write;

-- The answers that a repeated write gets again are kept for a month. Nobody deletes a younger one: its write would be
-- done twice.
CREATE INDEX idempotency_keys_age ON cpq.idempotency_keys (tenant, created_at);
CREATE POLICY old_enough ON cpq.idempotency_keys AS RESTRICTIVE FOR DELETE TO quarry_write
    USING (created_at < now() - interval '30 days');
GRANT DELETE ON cpq.idempotency_keys TO quarry_write;
