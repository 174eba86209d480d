-- One author under all spellings: case, accents, full stops, and the last name first.

CREATE FUNCTION highlights.author_key(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN btrim(regexp_replace(
    -- Letters that no accent can be taken off have their Latin neighbours; others lose their accents.
    regexp_replace(
        normalize(
            translate(replace(replace(replace(lower(
                CASE
                    WHEN name ~ '^[^,;&/()]+,[^,;&/()]+$'
                        AND name !~* ',\s*(jr|sr|ph\.?d|m\.?d|mba|inc|ltd|llc|gmbh)\.?\s*$'
                    THEN regexp_replace(name, '^\s*([^,]*[^,\s])\s*,\s*(.*)$', '\2 \1')
                    ELSE name
                END), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'øłđðı', 'olddi'),
            NFKD),
        '[\u0300-\u036f]', '', 'g'),
    '[\s.]+', ' ', 'g'));

ALTER TABLE highlights.chunks DROP COLUMN author_key;
ALTER TABLE highlights.chunks
    ADD COLUMN author_key text GENERATED ALWAYS AS (highlights.author_key(author)) STORED;
CREATE INDEX chunks_author ON highlights.chunks (tenant, author_key, created_at DESC, chunk_id DESC);

DO $$
DECLARE
    every_tenant text[] := ARRAY(SELECT tenant FROM quarry.tenants);
    one text;
BEGIN
    FOREACH one IN ARRAY every_tenant LOOP
        PERFORM set_config('quarry.tenant', one, true);
        DELETE FROM highlights.facets WHERE tenant = one AND facet = 'author';
        INSERT INTO highlights.facets (tenant, facet, key, value, chunks)
        SELECT one, 'author', author_key, min(author), count(*) FROM highlights.chunks
        WHERE tenant = one AND author IS NOT NULL GROUP BY author_key;
        UPDATE highlights.statistics SET authors = (
            SELECT count(*) FROM highlights.facets WHERE tenant = one AND facet = 'author')
        WHERE tenant = one;
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;

-- What was taken back or removed is news too.
GRANT SELECT (removed, undone_at) ON quarry.ingests TO quarry_read;
