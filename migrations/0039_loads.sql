-- Loads change what their files have and no more, and are taken back field by field; names compare by one fold.

-- What a row says, field by field; an attribute is a field of its own, attributes.power.
CREATE FUNCTION quarry.fields_of(content jsonb) RETURNS TABLE (field text, value jsonb)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT e.key, e.value FROM jsonb_each(content) e WHERE e.key <> 'attributes'
    UNION ALL
    SELECT 'attributes.' || e.key, e.value
    FROM jsonb_each(CASE jsonb_typeof(content -> 'attributes') WHEN 'object' THEN content -> 'attributes' ELSE '{}' END) e
$$;

-- The fields in which two states of a row differ, but for columns that follow from others.
CREATE FUNCTION quarry.changed_fields(relation text, before jsonb, after jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
    SELECT field FROM quarry.fields_of(before) b FULL JOIN quarry.fields_of(after) a USING (field)
    WHERE a.value IS DISTINCT FROM b.value AND field <> ALL (quarry.following_columns(relation) || '{updated_at}'::text[]));

-- The row with these of its fields as another state of it has them.
CREATE FUNCTION quarry.with_fields(content jsonb, other jsonb, fields text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    WITH made AS (
        SELECT f.field, f.value FROM quarry.fields_of(content) f WHERE f.field <> ALL (fields)
        UNION ALL
        SELECT f.field, f.value FROM quarry.fields_of(other) f WHERE f.field = ANY (fields))
    SELECT jsonb_object_agg(field, value) FILTER (WHERE NOT starts_with(field, 'attributes.'))
        || CASE WHEN content ? 'attributes' THEN jsonb_build_object('attributes', coalesce(
               jsonb_object_agg(substr(field, 12), value) FILTER (WHERE starts_with(field, 'attributes.')),
               CASE WHEN other -> 'attributes' = '{}' THEN '{}' ELSE 'null' END::jsonb)) ELSE '{}' END
    FROM made);

-- Of the rows that an ingest changed and later ones changed again, each of these changes: the row before and after it.
CREATE FUNCTION quarry.changed_again(ingest bigint)
RETURNS TABLE (relation text, key jsonb, ingest_id bigint, before jsonb, after jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT c.relation, (jsonb_agg(c.key) -> 0) AS key FROM quarry.ingest_changes c
        WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest GROUP BY c.relation
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT s.relation, s.key, s.ingest_id, s.before, CASE WHEN s.newest THEN ('
            '    SELECT to_jsonb(t) FROM %1$s t, jsonb_populate_record(NULL::%1$s, s.key) k'
            '    WHERE %2$s AND t.tenant = quarry.current_tenant()) ELSE s.after END '
            'FROM (SELECT l.relation, l.key, l.ingest_id, l.before, lead(l.before) OVER later AS after,'
            '          lead(l.ingest_id) OVER later IS NULL AS newest, count(*) OVER (PARTITION BY l.key) AS times'
            '      FROM quarry.ingest_changes c JOIN quarry.ingest_changes l'
            '          ON l.tenant = c.tenant AND l.relation = c.relation AND l.key = c.key AND l.ingest_id >= c.ingest_id'
            '      WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = $1 AND c.relation = $2'
            '      WINDOW later AS (PARTITION BY l.key ORDER BY l.ingest_id)) s WHERE s.times > 1',
            part.relation, quarry.equal_keys('t', 'k', part.key)) USING ingest, part.relation;
    END LOOP;
END $$;

-- The later ingests that changed the same fields, or brought or removed the row itself.
CREATE FUNCTION quarry.in_the_way_of_undoing(ingest bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH changes AS MATERIALIZED (SELECT * FROM quarry.changed_again(ingest))
    SELECT DISTINCT l.ingest_id
    FROM changes c JOIN changes l USING (relation, key)
    WHERE c.ingest_id = ingest AND l.ingest_id > ingest AND (
        c.before IS NULL OR c.after IS NULL OR l.before IS NULL OR l.after IS NULL
        OR quarry.changed_fields(c.relation, c.before, c.after) && quarry.changed_fields(l.relation, l.before, l.after))
    ORDER BY 1
$$;

-- Runs as the owner: whoever ingests has no right to delete from the catalogue but in these two ways. Of a row that later
-- ingests changed in other fields its own fields go back, in the row and in what those ingests will put back.
CREATE OR REPLACE FUNCTION quarry.undo_ingest(ingest bigint)
RETURNS TABLE (relation text, removed integer, restored integer, kept jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
    again jsonb := (
        WITH changes AS MATERIALIZED (SELECT * FROM quarry.changed_again(ingest)),
        newest AS (SELECT DISTINCT ON (n.relation, n.key) n.* FROM changes n ORDER BY n.relation, n.key, n.ingest_id DESC)
        SELECT coalesce(jsonb_agg(jsonb_build_object('relation', c.relation, 'key', c.key, 'now', n.after,
            'fields', quarry.changed_fields(c.relation, c.before, c.after))), '[]')
        FROM changes c JOIN newest n ON n.relation = c.relation AND n.key = c.key WHERE c.ingest_id = ingest);
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
        SELECT c.relation, (jsonb_agg(c.key) -> 0) AS key, jsonb_agg(
            CASE WHEN a.now IS NULL THEN c.before ELSE quarry.with_fields(a.now, c.before, a.fields) END) AS images
        FROM quarry.ingest_changes c
        LEFT JOIN jsonb_to_recordset(again) AS a (relation text, key jsonb, now jsonb, fields text[])
            ON a.relation = c.relation AND a.key = c.key
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
    UPDATE quarry.ingest_changes l SET before = quarry.with_fields(l.before, c.before, a.fields)
    FROM jsonb_to_recordset(again) AS a (relation text, key jsonb, fields text[]), quarry.ingest_changes c
    WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest AND c.relation = a.relation AND c.key = a.key
        AND l.tenant = c.tenant AND l.relation = c.relation AND l.key = c.key AND l.ingest_id > ingest;
    DELETE FROM quarry.ingest_changes c WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest;
    DELETE FROM quarry.ingest_mappings m USING quarry.ingests i
    WHERE i.tenant = quarry.current_tenant() AND i.id = ingest AND m.tenant = i.tenant AND m.kind = i.kind AND m.shape = i.shape
        AND NOT EXISTS (SELECT FROM quarry.ingests o WHERE o.tenant = i.tenant AND o.kind = i.kind AND o.shape = i.shape
                            AND o.id <> i.id AND o.undone_at IS NULL);
    UPDATE quarry.ingests i SET undone_at = now(), finished_at = coalesce(i.finished_at, now())
    WHERE i.tenant = quarry.current_tenant() AND i.id = ingest;
END $$;

ALTER TABLE quarry.ingests ADD COLUMN shape text;
COMMENT ON COLUMN quarry.ingests.shape IS 'Of the remembered mapping with which the file was read: undone, it is forgotten.';

REVOKE ALL ON FUNCTION quarry.changed_again(bigint), quarry.in_the_way_of_undoing(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION quarry.in_the_way_of_undoing(bigint) TO quarry_ingest;

-- Names compare by the fold of values, without blanks and punctuation; $ is read as s, as in part numbers. NULL where
-- nothing is left.
CREATE OR REPLACE FUNCTION search.name_key(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(translate(
    CASE WHEN octet_length(name) = length(name) THEN lower(name) ELSE search.value_key(name) END,
    E'$ \t\n\r\u00a0-\u2010\u2011\u2013\u2014_./,;:''\u2019\u2018\u0060\u00b4"\u201c\u201d\u201e\u00ab\u00bb&+()[]{}!?*#@%|<>=~^\\\u2122\u00ae\u00a9\u00b7\u2022', 's'), '');

-- What may stand behind the name of a company and tells it from no other, in the words of search.value_key without points.
CREATE TABLE search.legal_forms (form text PRIMARY KEY);
INSERT INTO search.legal_forms SELECT unnest(string_to_array(
    'inc|incorporated|llc|ltd|limited|co|company|and co|corp|corporation|plc|lp|llp|pty|pty ltd|pvt ltd'
    '|gmbh|mbh|kg|ag|se|ohg|ek|e k|kgaa|ug|gbr|ev|und co|gesmbh|ges m b h'
    '|sa|s a|sarl|sas|sasu|eurl|snc|sca|et cie|cie|sl|slu|sau|y cia|sa de cv|s de rl de cv|ltda|lda'
    '|spa|srl|srls|sagl|bv|nv|vof|sprl|oy|oyj|ab|hb|as|a s|asa|aps|ou|sia|uab'
    '|sp z oo|sp z o o|spolka z oo|spolka z o o|spolka z ograniczona odpowiedzialnoscia|spolka akcyjna|sp j|sp k|sp p'
    '|sro|s r o|spol s ro|spol s r o|vos|ks|kft|zrt|nyrt|bt|doo|d o o|dd|eood|ood|ead|ooo|oao|zao', '|'));
GRANT SELECT ON search.legal_forms TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

CREATE FUNCTION search.legal_forms_behind() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT '(?<=\S)( (' || string_agg(form, '|') || '))+$' FROM search.legal_forms);

-- The words of a company's name without its legal forms, which the pattern of legal_forms_behind finds: acme foods of "Acme
-- Foods, Inc."; one word is always left.
CREATE FUNCTION search.without_legal_form(name text, pattern text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
    btrim(regexp_replace(translate(search.value_key(name), E'.''\u2019', ''),
        '[\s,;:&+()"\u201c\u201d\u201e\u00ab\u00bb]+', ' ', 'g')), pattern, '');

-- What the names of one company share: "4M Industries, Inc." and "4m industries" do, "Müller GmbH & Co. KG" and "MUELLER"
-- do not: umlauts are told apart from what some write for them.
CREATE FUNCTION search.company_key(name text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN search.name_key(search.without_legal_form(name, search.legal_forms_behind()));

CREATE FUNCTION search.keep_company_key() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    NEW.company_key := search.company_key(to_jsonb(NEW) ->> TG_ARGV[0]);
    RETURN NEW;
END $$;

ALTER TABLE quotes.past_quotes ADD COLUMN company_key text;
ALTER TABLE cpq.accounts ADD COLUMN company_key text;
COMMENT ON COLUMN quotes.past_quotes.company_key IS 'The customer''s name as search.company_key has it; a trigger keeps it.';
COMMENT ON COLUMN cpq.accounts.company_key IS 'The account''s name as search.company_key has it; a trigger keeps it.';

-- Rows of before get their keys without a word to the search index, which does not hold them.
DO $$
DECLARE
    one text;
BEGIN
    FOR one IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one, true);
        UPDATE quotes.past_quotes SET company_key = search.company_key(customer) WHERE tenant = one;
        UPDATE cpq.accounts SET company_key = search.company_key(name) WHERE tenant = one;
        UPDATE equipment.products SET manufacturer = manufacturer
        WHERE tenant = one AND manufacturer_key IS DISTINCT FROM search.name_key(manufacturer);
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;

CREATE TRIGGER company_key BEFORE INSERT OR UPDATE OF customer ON quotes.past_quotes
    FOR EACH ROW EXECUTE FUNCTION search.keep_company_key('customer');
CREATE TRIGGER company_key BEFORE INSERT OR UPDATE OF name ON cpq.accounts
    FOR EACH ROW EXECUTE FUNCTION search.keep_company_key('name');
CREATE INDEX past_quotes_company ON quotes.past_quotes (tenant, company_key, quote_date DESC);
CREATE INDEX accounts_company ON cpq.accounts (tenant, company_key);

-- What the house calls a product by, beside its maker's model; a line that has a SKU alone is of that product.
ALTER TABLE equipment.products
    ADD COLUMN sku text,
    ADD COLUMN sku_key text GENERATED ALWAYS AS (equipment.model_key(sku)) STORED;
ALTER TABLE quotes.line_items ADD COLUMN sku text;
CREATE INDEX products_sku ON equipment.products (tenant, sku_key) WHERE sku_key IS NOT NULL;
CREATE INDEX line_items_unlinked ON quotes.line_items (tenant, sku) WHERE sku IS NOT NULL AND product_id IS NULL;

-- Documents of rows without a SKU are what they were.
CREATE OR REPLACE FUNCTION equipment.product_document(p equipment.products) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', p.manufacturer, p.series, p.model, p.sku),
        concat_ws(', ', lower(p.category), search.attribute_words(p.attributes)),
        p.description)::search.document
$$;
CREATE OR REPLACE FUNCTION quotes.line_item_document(l quotes.line_items) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', l.manufacturer, l.model, l.sku),
        concat_ws(', ', lower(l.category), search.attribute_words(l.attributes)),
        l.description)::search.document
$$;
