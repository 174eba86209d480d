-- What an ingest changed is kept as it was before, so that it can be taken back.

ALTER TABLE quarry.ingests
    ADD COLUMN replaces boolean NOT NULL DEFAULT false,
    ADD COLUMN removed integer NOT NULL DEFAULT 0,
    ADD COLUMN undone_at timestamptz;
COMMENT ON COLUMN quarry.ingests.replaces IS 'The file is the whole truth of its kind: what it does not name goes at its end.';
COMMENT ON COLUMN quarry.ingests.removed IS 'Rows that went, or were deactivated, because the file does not name them.';

CREATE TABLE quarry.ingest_changes (
    tenant text NOT NULL,
    ingest_id bigint NOT NULL,
    relation text NOT NULL,
    key jsonb NOT NULL,
    before jsonb,
    PRIMARY KEY (tenant, relation, key, ingest_id),
    FOREIGN KEY (tenant, ingest_id) REFERENCES quarry.ingests (tenant, id) ON DELETE CASCADE
);
COMMENT ON COLUMN quarry.ingest_changes.key IS 'The row''s primary key without its tenant, by column.';
COMMENT ON COLUMN quarry.ingest_changes.before IS 'The row before this ingest first touched it; NULL: there was none.';
CREATE INDEX ingest_changes_ingest ON quarry.ingest_changes (tenant, ingest_id);
SELECT quarry.isolate('quarry.ingest_changes');
GRANT SELECT, DELETE ON quarry.ingest_changes TO quarry_ingest;

-- Natural keys of a file that replaces, until its end is reached.
CREATE TABLE quarry.ingest_keys (
    tenant text NOT NULL,
    ingest_id bigint NOT NULL,
    key jsonb NOT NULL,
    PRIMARY KEY (tenant, ingest_id, key),
    FOREIGN KEY (tenant, ingest_id) REFERENCES quarry.ingests (tenant, id) ON DELETE CASCADE
);
SELECT quarry.isolate('quarry.ingest_keys');
GRANT SELECT, INSERT, DELETE ON quarry.ingest_keys TO quarry_ingest;

-- Columns that follow from other rows: whoever writes those keeps them, and a change of them alone is none.
CREATE FUNCTION quarry.following_columns(relation text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE relation WHEN 'quotes.past_quotes' THEN '{contents}' WHEN 'quotes.line_items' THEN '{product_id}' ELSE '{}' END::text[];

CREATE FUNCTION quarry.columns_of(content jsonb, names text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_object_agg(name, content -> name) FROM unnest(names) AS name);

-- Arguments of the trigger: the columns of the key. Only the first image of a row counts. Runs as the owner: nobody else
-- writes what undo_ingest puts back.
CREATE FUNCTION quarry.note_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ingest bigint := nullif(current_setting('quarry.ingest', true), '')::bigint;
    noted text := TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
    keys text[] := TG_ARGV;
    following text[] := quarry.following_columns(TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME);
BEGIN
    IF ingest IS NULL THEN
        RETURN NULL;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO quarry.ingest_changes (tenant, ingest_id, relation, key)
        SELECT n.tenant, ingest, noted, quarry.columns_of(to_jsonb(n), keys)
        FROM new_rows n ON CONFLICT DO NOTHING;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO quarry.ingest_changes (tenant, ingest_id, relation, key, before)
        SELECT o.tenant, ingest, noted, quarry.columns_of(to_jsonb(o), keys), to_jsonb(o)
        FROM old_rows o ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO quarry.ingest_changes (tenant, ingest_id, relation, key, before)
        SELECT o.tenant, ingest, noted, o.key, o.content
        FROM (SELECT r.tenant, to_jsonb(r) AS content, quarry.columns_of(to_jsonb(r), keys) AS key FROM old_rows r) o
        JOIN (SELECT to_jsonb(r) AS content, quarry.columns_of(to_jsonb(r), keys) AS key FROM new_rows r) n
            ON n.key = o.key AND n.content ->> 'tenant' = o.tenant
        WHERE (o.content - following - 'updated_at') IS DISTINCT FROM (n.content - following - 'updated_at')
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

DO $$
DECLARE
    noted record;
BEGIN
    FOR noted IN SELECT * FROM (VALUES
        ('equipment.products', '''id'''),
        ('quotes.past_quotes', '''id'''),
        ('quotes.line_items', '''id'''),
        ('knowledge.documents', '''id'''),
        ('highlights.chunks', '''id'''),
        ('stories.user_stories', '''id'''),
        ('stories.sections', '''section_key'''),
        ('search.vocabulary', '''term'', ''attribute'''),
        ('search.equivalents', '''maker'', ''model'''),
        ('cpq.discount_policies', '''id'''),
        ('cpq.approvers', '''id'''),
        ('cpq.exchange_rates', '''from_currency'', ''to_currency'', ''as_of'', ''source'''),
        ('cpq.products', '''id'''),
        ('cpq.product_relationships', '''product_id'', ''kind'', ''related_id'''),
        ('cpq.accounts', '''id'''),
        ('cpq.price_books', '''id'''),
        ('cpq.price_book_entries', '''price_book_id'', ''product_id'', ''version'''),
        ('cpq.tax_rules', '''id''')) AS listed (relation, keys) LOOP
        EXECUTE format('CREATE TRIGGER note_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change(%s)', noted.relation, noted.keys);
        EXECUTE format('CREATE TRIGGER note_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change(%s)', noted.relation, noted.keys);
        EXECUTE format('CREATE TRIGGER note_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change(%s)', noted.relation, noted.keys);
    END LOOP;
END $$;

CREATE FUNCTION quarry.equal_keys(one text, other text, key jsonb) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN (SELECT string_agg(format('%s.%I = %s.%I', one, name, other, name), ' AND ') FROM jsonb_object_keys(key) AS name);

-- Removes the rows with these keys; returns the keys of those that had to stay, because quotes, prices or approvals refer
-- to them: they are deactivated. Prices that a quote was made with are ended.
CREATE FUNCTION quarry.take_out(relation text, keys jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    same text := quarry.equal_keys('t', 'k', keys -> 0) || ' AND t.tenant = quarry.current_tenant()';
    remove text := format('DELETE FROM %s t USING jsonb_populate_recordset(NULL::%s, $1) k WHERE %s', relation, relation, same);
    one jsonb;
    kept jsonb := '[]';
BEGIN
    IF relation = 'cpq.price_book_entries' THEN
        WITH ended AS (
            UPDATE cpq.price_book_entries t SET superseded_at = coalesce(t.superseded_at, now())
            FROM jsonb_populate_recordset(NULL::cpq.price_book_entries, keys) k
            WHERE t.tenant = quarry.current_tenant() AND t.price_book_id = k.price_book_id
                AND t.product_id = k.product_id AND t.version = k.version
                AND EXISTS (
                    SELECT FROM cpq.quote_lines l JOIN cpq.quote_versions v
                        ON v.tenant = l.tenant AND v.quote_id = l.quote_id AND v.version = l.version
                    WHERE l.tenant = t.tenant AND l.product_id = t.product_id AND v.price_book_id = t.price_book_id)
            RETURNING jsonb_build_object('price_book_id', t.price_book_id, 'product_id', t.product_id, 'version', t.version) AS key)
        SELECT coalesce(jsonb_agg(key), '[]') INTO kept FROM ended;
        SELECT coalesce(jsonb_agg(key), '[]') INTO keys
        FROM jsonb_array_elements(keys) AS key WHERE NOT kept @> jsonb_build_array(key);
    END IF;
    BEGIN
        EXECUTE remove USING keys;
        RETURN kept;
    EXCEPTION WHEN foreign_key_violation THEN
        NULL; -- one by one, below
    END;
    FOR one IN SELECT * FROM jsonb_array_elements(keys) LOOP
        BEGIN
            EXECUTE remove USING jsonb_build_array(one);
        EXCEPTION WHEN foreign_key_violation THEN
            kept := kept || jsonb_build_array(one);
            IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation::regclass AND attname = 'active') THEN
                EXECUTE format('UPDATE %s t SET active = false, updated_at = now() FROM jsonb_populate_recordset(NULL::%s, $1) k '
                    'WHERE %s', relation, relation, same) USING jsonb_build_array(one);
            END IF;
        END;
    END LOOP;
    RETURN kept;
END $$;

-- Puts the rows back as these images have them.
CREATE FUNCTION quarry.put_back(relation text, key jsonb, images jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    same text := quarry.equal_keys('t', 'b', key) || ' AND t.tenant = quarry.current_tenant()';
    own text[];
BEGIN
    SELECT array_agg(quote_ident(a.attname) ORDER BY a.attnum) INTO own
    FROM pg_attribute a
    WHERE a.attrelid = relation::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND a.attname <> 'tenant' AND NOT key ? a.attname AND a.attname <> ALL (quarry.following_columns(relation));
    EXECUTE format('UPDATE %1$s t SET (%2$s) = ROW(%3$s) FROM jsonb_populate_recordset(NULL::%1$s, $1) b WHERE %4$s',
        relation, array_to_string(own, ', '), 'b.' || array_to_string(own, ', b.'), same) USING images;
    SELECT own || array_agg(quote_ident(name)) INTO own FROM jsonb_object_keys(key) AS name;
    EXECUTE format('INSERT INTO %1$s (tenant, %2$s) OVERRIDING SYSTEM VALUE SELECT quarry.current_tenant(), %3$s '
        'FROM jsonb_populate_recordset(NULL::%1$s, $1) b WHERE NOT EXISTS (SELECT FROM %1$s t WHERE %4$s)',
        relation, array_to_string(own, ', '), 'b.' || array_to_string(own, ', b.'), same) USING images;
END $$;

-- Runs as the owner: whoever ingests has no right to delete from the catalogue but in these two ways.
CREATE FUNCTION quarry.undo_ingest(ingest bigint)
RETURNS TABLE (relation text, removed integer, restored integer, kept jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT c.relation, jsonb_agg(c.key) AS keys FROM quarry.ingest_changes c
        WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest AND c.before IS NULL
        GROUP BY c.relation ORDER BY c.relation DESC -- a relation's name stands behind those of what it is part of
    LOOP
        relation := part.relation;
        kept := quarry.take_out(part.relation, part.keys);
        removed := jsonb_array_length(part.keys) - jsonb_array_length(kept);
        restored := 0;
        RETURN NEXT;
    END LOOP;
    FOR part IN
        SELECT c.relation, jsonb_agg(c.before) AS images, (jsonb_agg(c.key) -> 0) AS key FROM quarry.ingest_changes c
        WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest AND c.before IS NOT NULL
        GROUP BY c.relation ORDER BY c.relation DESC
    LOOP
        PERFORM quarry.put_back(part.relation, part.key, part.images);
        relation := part.relation;
        removed := 0;
        restored := jsonb_array_length(part.images);
        kept := '[]';
        RETURN NEXT;
    END LOOP;
    DELETE FROM quarry.ingest_changes c WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest;
    UPDATE quarry.ingests i SET undone_at = now(), finished_at = coalesce(i.finished_at, now())
    WHERE i.tenant = quarry.current_tenant() AND i.id = ingest;
END $$;

-- Takes out rows that a file, being the whole truth of its kind, does not name; what it does is noted with the ingest.
CREATE FUNCTION quarry.take_out_unnamed(ingest bigint, keys jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation text := (
        SELECT t.relation
        FROM quarry.ingests i JOIN (VALUES
            ('products', 'equipment.products'), ('past_quotes', 'quotes.past_quotes'), ('line_items', 'quotes.line_items'),
            ('documents', 'knowledge.documents'), ('stories', 'stories.user_stories'), ('vocabulary', 'search.vocabulary'),
            ('equivalents', 'search.equivalents'), ('discount_policies', 'cpq.discount_policies'),
            ('approvers', 'cpq.approvers'), ('exchange_rates', 'cpq.exchange_rates'), ('products_for_sale', 'cpq.products'),
            ('product_relationships', 'cpq.product_relationships'), ('accounts', 'cpq.accounts'),
            ('price_books', 'cpq.price_books'), ('prices', 'cpq.price_book_entries'), ('tax_rules', 'cpq.tax_rules'))
            AS t (kind, relation) ON t.kind = i.kind
        WHERE i.tenant = quarry.current_tenant() AND i.id = ingest AND i.replaces AND i.finished_at IS NULL);
BEGIN
    IF relation IS NULL THEN
        RAISE EXCEPTION 'ingest % takes nothing out', ingest USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM set_config('quarry.ingest', ingest::text, true);
    IF relation = 'cpq.price_book_entries' THEN
        UPDATE cpq.price_book_entries t SET superseded_at = now()
        FROM jsonb_populate_recordset(NULL::cpq.price_book_entries, keys) k
        WHERE t.tenant = quarry.current_tenant() AND t.price_book_id = k.price_book_id
            AND t.product_id = k.product_id AND t.version = k.version AND t.superseded_at IS NULL;
        RETURN '[]';
    END IF;
    RETURN quarry.take_out(relation, keys);
END $$;

REVOKE ALL ON FUNCTION quarry.undo_ingest(bigint), quarry.take_out_unnamed(bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION quarry.undo_ingest(bigint), quarry.take_out_unnamed(bigint, jsonb) TO quarry_ingest;
