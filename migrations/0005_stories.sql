-- The stories toolset: user stories by section, with the entities and code assets they touch.

CREATE SCHEMA stories;
GRANT USAGE ON SCHEMA stories TO quarry_read, quarry_write, quarry_ingest;

CREATE TABLE stories.sections (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    section_key text NOT NULL,
    title text NOT NULL,
    UNIQUE (tenant, section_key)
);

CREATE TABLE stories.user_stories (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    story_key text NOT NULL,
    section_key text NOT NULL,
    title text NOT NULL,
    narrative text NOT NULL,
    actor text NOT NULL,
    status text NOT NULL,
    entity_slugs text[] NOT NULL DEFAULT '{}',
    code_paths text[] NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, story_key),
    UNIQUE (id, tenant),
    FOREIGN KEY (tenant, section_key) REFERENCES stories.sections (tenant, section_key)
);
COMMENT ON COLUMN stories.user_stories.entity_slugs IS 'As ingested, normalised; triggers keep the graph tables in step.';
CREATE INDEX user_stories_section ON stories.user_stories (tenant, section_key);

CREATE TABLE stories.entities (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    slug text NOT NULL,
    doc_frequency integer NOT NULL DEFAULT 0 CHECK (doc_frequency >= 0),
    UNIQUE (tenant, slug),
    UNIQUE (id, tenant)
);
COMMENT ON COLUMN stories.entities.doc_frequency IS 'Stories that carry it: a hub has many, and says little about any one.';

CREATE TABLE stories.code_assets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    path text NOT NULL,
    stem text NOT NULL GENERATED ALWAYS AS (lower(regexp_replace(regexp_replace(path, '^.*/', ''), '(?<=.)\..*$', ''))) STORED,
    doc_frequency integer NOT NULL DEFAULT 0 CHECK (doc_frequency >= 0),
    UNIQUE (tenant, path),
    UNIQUE (id, tenant)
);
COMMENT ON COLUMN stories.code_assets.stem IS 'File name without folder and extensions: imports leave both out.';
CREATE INDEX code_assets_stem ON stories.code_assets (tenant, stem);

CREATE TABLE stories.story_entities (
    tenant text NOT NULL,
    story_id bigint NOT NULL,
    entity_id bigint NOT NULL,
    PRIMARY KEY (story_id, entity_id, tenant),
    FOREIGN KEY (tenant, story_id) REFERENCES stories.user_stories (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, entity_id) REFERENCES stories.entities (tenant, id)
);
CREATE INDEX story_entities_entity ON stories.story_entities (entity_id);

CREATE TABLE stories.story_code_assets (
    tenant text NOT NULL,
    story_id bigint NOT NULL,
    asset_id bigint NOT NULL,
    PRIMARY KEY (story_id, asset_id, tenant),
    FOREIGN KEY (tenant, story_id) REFERENCES stories.user_stories (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, asset_id) REFERENCES stories.code_assets (tenant, id)
);
CREATE INDEX story_code_assets_asset ON stories.story_code_assets (asset_id);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'sections', 'user_stories', 'entities', 'code_assets', 'story_entities', 'story_code_assets'] LOOP
        PERFORM quarry.isolate(format('stories.%I', name)::regclass);
        EXECUTE format('GRANT SELECT ON stories.%I TO quarry_read, quarry_write', name);
        EXECUTE format('GRANT SELECT, INSERT, DELETE ON stories.%I TO quarry_ingest', name);
    END LOOP;
    -- Join rows come and go, they do not change: so two triggers count them.
    GRANT UPDATE ON stories.sections, stories.user_stories, stories.entities, stories.code_assets TO quarry_ingest;
END $$;

CREATE FUNCTION stories.count_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE stories.entities e
    SET doc_frequency = e.doc_frequency + CASE TG_OP WHEN 'INSERT' THEN c.stories ELSE -c.stories END
    FROM (SELECT entity_id, count(*)::integer AS stories FROM changed GROUP BY entity_id) c
    WHERE e.id = c.entity_id;
    DELETE FROM stories.entities e WHERE e.doc_frequency = 0 AND e.id IN (SELECT entity_id FROM changed);
    RETURN NULL;
END $$;

CREATE FUNCTION stories.count_code_assets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE stories.code_assets a
    SET doc_frequency = a.doc_frequency + CASE TG_OP WHEN 'INSERT' THEN c.stories ELSE -c.stories END
    FROM (SELECT asset_id, count(*)::integer AS stories FROM changed GROUP BY asset_id) c
    WHERE a.id = c.asset_id;
    DELETE FROM stories.code_assets a WHERE a.doc_frequency = 0 AND a.id IN (SELECT asset_id FROM changed);
    RETURN NULL;
END $$;

CREATE TRIGGER count_insert AFTER INSERT ON stories.story_entities REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION stories.count_entities();
CREATE TRIGGER count_delete AFTER DELETE ON stories.story_entities REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION stories.count_entities();
CREATE TRIGGER count_insert AFTER INSERT ON stories.story_code_assets REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION stories.count_code_assets();
CREATE TRIGGER count_delete AFTER DELETE ON stories.story_code_assets REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION stories.count_code_assets();

-- Brings the graph in step with the stories' arrays. Frequencies are shared rows: one writer per tenant.
CREATE FUNCTION stories.link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM search.lock_corpus('stories.user_stories');
    -- Before the inserts, because a tag that nothing carries any more is removed.
    DELETE FROM stories.story_entities j USING new_rows n, stories.entities e
    WHERE j.story_id = n.id AND e.id = j.entity_id AND e.slug <> ALL (n.entity_slugs);
    DELETE FROM stories.story_code_assets j USING new_rows n, stories.code_assets a
    WHERE j.story_id = n.id AND a.id = j.asset_id AND a.path <> ALL (n.code_paths);
    INSERT INTO stories.entities (tenant, slug)
    SELECT DISTINCT n.tenant, s.slug FROM new_rows n CROSS JOIN unnest(n.entity_slugs) AS s (slug)
    ON CONFLICT (tenant, slug) DO NOTHING;
    INSERT INTO stories.code_assets (tenant, path)
    SELECT DISTINCT n.tenant, p.path FROM new_rows n CROSS JOIN unnest(n.code_paths) AS p (path)
    ON CONFLICT (tenant, path) DO NOTHING;
    INSERT INTO stories.story_entities (tenant, story_id, entity_id)
    SELECT n.tenant, n.id, e.id
    FROM new_rows n JOIN stories.entities e ON e.tenant = n.tenant AND e.slug = ANY (n.entity_slugs)
    ON CONFLICT DO NOTHING;
    INSERT INTO stories.story_code_assets (tenant, story_id, asset_id)
    SELECT n.tenant, n.id, a.id
    FROM new_rows n JOIN stories.code_assets a ON a.tenant = n.tenant AND a.path = ANY (n.code_paths)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER link_insert AFTER INSERT ON stories.user_stories REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION stories.link();
CREATE TRIGGER link_update AFTER UPDATE ON stories.user_stories REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION stories.link();

CREATE FUNCTION stories.story_document(s stories.user_stories) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        s.title,
        concat_ws(', ', replace(s.section_key, '-', ' '), replace(array_to_string(s.entity_slugs, ', '), '-', ' ')),
        s.narrative)::search.document
$$;

SELECT search.attach('stories.user_stories', 'stories.story_document');
