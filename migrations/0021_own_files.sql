-- A tenant's own files: a mapping per kind and shape, remembered since it was last used; families that are its own.

CREATE TABLE quarry.ingest_mappings (
    tenant text NOT NULL REFERENCES quarry.tenants,
    kind text NOT NULL,
    shape text NOT NULL,
    mapping text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, kind, shape)
);
COMMENT ON COLUMN quarry.ingest_mappings.shape IS 'The columns that it reads, by which it is found for the next file.';
COMMENT ON COLUMN quarry.ingest_mappings.mapping IS 'TOML, as make preview writes it.';
SELECT quarry.isolate('quarry.ingest_mappings');
GRANT SELECT, INSERT, UPDATE, DELETE ON quarry.ingest_mappings TO quarry_ingest;

-- Families are the tenant's: pump, valve, bearing beside those that ship, each with the words that name it.
CREATE TABLE search.families (
    tenant text NOT NULL REFERENCES quarry.tenants,
    family text NOT NULL CHECK (family ~ '^[a-z][a-z0-9_]{0,39}$'),
    name text,
    words text[] NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, family)
);
COMMENT ON COLUMN search.families.words IS 'What a request calls it, in any language; read as words of the vocabulary are.';
SELECT quarry.isolate('search.families');
GRANT SELECT ON search.families TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE, DELETE ON search.families TO quarry_ingest;

CREATE FUNCTION search.shipped_families() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['accessory', 'blower', 'compressor', 'dryer', 'filtration', 'receiver', 'service', 'vacuum_pump'];
CREATE FUNCTION search.is_family(wanted text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    RETURN wanted = ANY (search.shipped_families())
        OR EXISTS (SELECT FROM search.families f WHERE f.tenant = quarry.current_tenant() AND f.family = wanted);

ALTER TABLE equipment.products
    DROP CONSTRAINT products_family_check,
    ADD CONSTRAINT products_family_check CHECK (family ~ '^[a-z][a-z0-9_]{0,39}$');
ALTER TABLE quotes.line_items
    DROP CONSTRAINT line_items_family_check,
    ADD CONSTRAINT line_items_family_check CHECK (family ~ '^[a-z][a-z0-9_]{0,39}$');

DO $$
DECLARE
    noted record;
BEGIN
    FOR noted IN SELECT * FROM (VALUES
        ('search.families', '''family'''),
        ('quarry.ingest_mappings', '''kind'', ''shape''')) AS listed (relation, keys) LOOP
        EXECUTE format('CREATE TRIGGER note_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change(%s)', noted.relation, noted.keys);
        EXECUTE format('CREATE TRIGGER note_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change(%s)', noted.relation, noted.keys);
        EXECUTE format('CREATE TRIGGER note_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change(%s)', noted.relation, noted.keys);
    END LOOP;
END $$;
