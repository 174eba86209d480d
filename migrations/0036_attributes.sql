-- Attributes are data, one mechanism for every trade: what goods have stands in `attributes` by name, a tenant declares each
-- name with its kind, unit and sense, and a narrow table with one index serves every filter. Families are the tenant's alone.

-- A tenant's declarations. What a figure without a bound asks for, and how far a row may be off, is data too.
ALTER TABLE search.attributes RENAME COLUMN type TO kind;
ALTER TABLE search.attributes RENAME COLUMN bound TO sense;
ALTER TABLE search.attributes
    DROP COLUMN filterable,
    DROP CONSTRAINT attributes_type_check,
    DROP CONSTRAINT attributes_check,
    DROP CONSTRAINT attributes_bound_check,
    ADD COLUMN met double precision NOT NULL DEFAULT 0 CHECK (met BETWEEN 0 AND 1e15),
    ADD COLUMN close double precision NOT NULL DEFAULT 0 CHECK (close BETWEEN 0 AND 1e15),
    ADD COLUMN absolute boolean NOT NULL DEFAULT false,
    ADD COLUMN ordered text[] NOT NULL DEFAULT '{}',
    ADD COLUMN adds text NOT NULL DEFAULT 'same' CHECK (adds IN ('sum', 'same', 'decibels')),
    ADD COLUMN also text,
    ADD COLUMN low double precision,
    ADD COLUMN high double precision CHECK (high >= low),
    ADD COLUMN labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
    ADD COLUMN position integer CHECK (position >= 0),
    ADD CONSTRAINT attributes_kind_check CHECK (kind IN ('number', 'text', 'flag')),
    ADD CONSTRAINT attributes_sense_check CHECK (sense IN ('at_least', 'at_most', 'about', 'exactly')),
    ADD CONSTRAINT attributes_unit_check CHECK (kind = 'number' OR coalesce(unit, also) IS NULL),
    ADD CONSTRAINT attributes_ordered_check CHECK (kind = 'text' OR ordered = '{}');
COMMENT ON TABLE search.attributes IS 'What a tenant''s goods are told apart by.';
COMMENT ON COLUMN search.attributes.sense IS 'What a figure without a bound asks for: a pump of 40 m head may have more.';
COMMENT ON COLUMN search.attributes.met IS 'How far a value may be off a bare figure and still meet it: a share of it, or units if absolute.';
COMMENT ON COLUMN search.attributes.close IS 'How far off it is still close.';
COMMENT ON COLUMN search.attributes.ordered IS 'Values that have an order, the lowest first: IP54, IP55, IP66.';
COMMENT ON COLUMN search.attributes.adds IS 'What several machines have together: the sum, what one has, or the level of all sources.';
COMMENT ON COLUMN search.attributes.also IS 'A unit of another dimension whose figures say the same: a head in m is a pressure in mH2O.';
COMMENT ON COLUMN search.attributes.low IS 'With high, what is plausible.';
COMMENT ON COLUMN search.attributes.words IS 'What a request calls it besides its name; a word may name its language, as in de:Druck.';
COMMENT ON COLUMN search.attributes.labels IS 'What a document calls it, by language.';
COMMENT ON COLUMN search.attributes.position IS 'Its place in a block of characteristics; NULL: it is not printed.';

-- A tenant's own units stand beside those that ship, and win over them.
CREATE TABLE search.units (
    tenant text NOT NULL REFERENCES quarry.tenants,
    symbol text NOT NULL CHECK (symbol <> ''),
    spellings text[] NOT NULL DEFAULT '{}',
    dimension text NOT NULL CHECK (dimension <> ''),
    factor double precision NOT NULL CHECK (factor <> 0 AND abs(factor) < 'infinity'),
    "offset" double precision NOT NULL DEFAULT 0 CHECK (abs("offset") < 'infinity'),
    reference text NOT NULL DEFAULT '' CHECK (reference IN ('', 'gauge', 'absolute', 'vacuum')),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, symbol)
);
COMMENT ON COLUMN search.units.factor IS 'A figure v of the unit is v * factor + offset in the base unit of its dimension.';
SELECT quarry.isolate('search.units');
GRANT SELECT ON search.units TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, INSERT, UPDATE, DELETE ON search.units TO quarry_ingest;
CREATE TRIGGER note_insert AFTER INSERT ON search.units REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('symbol');
CREATE TRIGGER note_update AFTER UPDATE ON search.units REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('symbol');
CREATE TRIGGER note_delete AFTER DELETE ON search.units REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('symbol');

-- What two spellings of one value share, as quarry.text.key_of has it: no case, no accents, and one blank for each run of
-- blanks, hyphens and slashes.
CREATE FUNCTION search.value_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN btrim(regexp_replace(
    CASE WHEN octet_length(value) = length(value) THEN lower(value) ELSE
        lower(normalize(regexp_replace(
            normalize(
                replace(replace(replace(replace(translate(lower(value), 'łøđħıðς', 'lodhidσ'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ß', 'ss'),
                NFKD),
            '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g'), NFKC)) END,
    '[\s\u001c-\u001f\u0085\u00a0\u2028\u2029_\-\u2010\u2011\u2013\u2014/]+', ' ', 'g'));

-- A row's values by name, as the column `attributes` holds them: 129, [100, 300], "bronze", ["air", "water"], true, or one
-- of these as the value of an object that says where it is from. Of a text `raw` is what is written.
CREATE FUNCTION search.values_of(attributes jsonb) RETURNS TABLE (
    attribute text, place integer, kind text, code text, low double precision, high double precision, flag boolean,
    raw text, unit text, language text, system text, release text, source text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT a.attribute, e.place::integer,
        CASE jsonb_typeof(e.value) WHEN 'string' THEN 'text' WHEN 'boolean' THEN 'flag' ELSE 'number' END,
        CASE jsonb_typeof(e.value) WHEN 'string' THEN left(search.value_key(e.value #>> '{}'), 500) ELSE '' END,
        CASE jsonb_typeof(e.value) WHEN 'number' THEN (e.value #>> '{}')::float8 WHEN 'array' THEN (e.value ->> 0)::float8 END,
        CASE jsonb_typeof(e.value) WHEN 'number' THEN (e.value #>> '{}')::float8 WHEN 'array' THEN (e.value ->> 1)::float8 END,
        CASE jsonb_typeof(e.value) WHEN 'boolean' THEN (e.value #>> '{}')::boolean END,
        coalesce(a.told ->> 'raw', CASE jsonb_typeof(e.value) WHEN 'string' THEN e.value #>> '{}' END),
        a.told ->> 'unit', a.told ->> 'language', a.told ->> 'system', a.told ->> 'release', a.told ->> 'source'
    FROM (
        SELECT v.key AS attribute,
            CASE jsonb_typeof(v.value) WHEN 'object' THEN v.value END AS told,
            CASE jsonb_typeof(v.value) WHEN 'object' THEN v.value -> 'value' ELSE v.value END AS value
        FROM jsonb_each(attributes) AS v) a
    CROSS JOIN LATERAL jsonb_array_elements(
        -- A range is one value, texts are as many as there are.
        CASE WHEN jsonb_typeof(a.value) = 'array' AND jsonb_typeof(a.value -> 0) <> 'number' THEN a.value
             ELSE jsonb_build_array(a.value) END) WITH ORDINALITY AS e (value, place)
    WHERE jsonb_typeof(e.value) <> 'null'
$$;

CREATE TABLE search.attribute_values (
    tenant text NOT NULL REFERENCES quarry.tenants,
    corpus text NOT NULL,
    doc bigint NOT NULL,
    attribute text NOT NULL,
    place integer NOT NULL,
    kind text NOT NULL,
    code text NOT NULL,
    low double precision,
    high double precision,
    flag boolean,
    raw text,
    unit text,
    language text,
    system text,
    release text,
    source text,
    PRIMARY KEY (doc, attribute, place, corpus, tenant)
);
COMMENT ON TABLE search.attribute_values IS
    'The values of rows of equipment.products and quotes.line_items, kept from their attributes by triggers. Filters read it.';
COMMENT ON COLUMN search.attribute_values.place IS 'Among several texts of one attribute, from 1.';
COMMENT ON COLUMN search.attribute_values.code IS 'A text as search.value_key folds it; empty for figures and flags.';
COMMENT ON COLUMN search.attribute_values.low IS 'With high, a figure or a range in the unit of search.attributes.';
COMMENT ON COLUMN search.attribute_values.raw IS 'As it is written; of a figure only where that is in another unit.';
COMMENT ON COLUMN search.attribute_values.unit IS 'Of raw.';
-- A text is asked for by its code, a figure by the empty code and an end, whose order is that of the nearest first. Rows that
-- satisfy several filters are the INTERSECT of what each reads off the index, however many the planner expects of each.
CREATE INDEX attribute_values_filters ON search.attribute_values (tenant, corpus, attribute, code, low, high) INCLUDE (doc, flag);
-- A code is of one attribute. And a tenant that is new to the statistics would be taken for one with hardly a row, and all of
-- an attribute's values read once for each row of another table: every tenant counts as one of two hundred instead.
CREATE STATISTICS search.attribute_values_codes (mcv) ON attribute, code FROM search.attribute_values;
ALTER TABLE search.attribute_values ALTER COLUMN tenant SET STATISTICS 0;
SELECT quarry.isolate('search.attribute_values');
GRANT SELECT ON search.attribute_values TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, INSERT, UPDATE, DELETE ON search.attribute_values TO quarry_ingest;

CREATE FUNCTION search.put_values(corpus text, docs bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM search.attribute_values v
    WHERE v.doc = ANY (docs) AND v.corpus = put_values.corpus AND v.tenant = quarry.current_tenant();
    EXECUTE format($sql$
        INSERT INTO search.attribute_values (
            tenant, corpus, doc, attribute, place, kind, code, low, high, flag, raw, unit, language, system, release, source)
        SELECT d.tenant, %2$L, d.id, v.attribute, v.place, v.kind, v.code, v.low, v.high, v.flag,
            v.raw, v.unit, v.language, v.system, v.release, v.source
        FROM %1$s d CROSS JOIN LATERAL search.values_of(d.attributes) v
        WHERE d.id = ANY ($1) AND d.tenant = quarry.current_tenant() ORDER BY d.id, v.attribute, v.place
    $sql$, corpus, corpus) USING docs;
END $$;

CREATE FUNCTION search.keep_values() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    docs bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        docs := ARRAY(SELECT n.id FROM new_rows n WHERE n.attributes IS NOT NULL);
    ELSIF TG_OP = 'UPDATE' THEN
        docs := ARRAY(
            SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id WHERE o.attributes IS DISTINCT FROM n.attributes);
    ELSE
        docs := ARRAY(SELECT o.id FROM old_rows o WHERE o.attributes IS NOT NULL);
    END IF;
    IF cardinality(docs) > 0 THEN
        PERFORM search.put_values(format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME), docs);
    END IF;
    RETURN NULL;
END $$;

ALTER TABLE quotes.line_items ADD COLUMN attributes jsonb
    CONSTRAINT line_items_attributes_check CHECK (jsonb_typeof(attributes) = 'object' AND attributes <> '{}');
COMMENT ON COLUMN quotes.line_items.attributes IS 'As those of products. What a line does not say is that of its product when it is read.';
COMMENT ON COLUMN equipment.products.attributes IS 'By name, what search.values_of reads; figures are in the unit that search.attributes has.';
ALTER TABLE search.equivalents ADD COLUMN attributes jsonb
    CONSTRAINT equivalents_attributes_check CHECK (jsonb_typeof(attributes) = 'object' AND attributes <> '{}');
COMMENT ON COLUMN search.equivalents.attributes IS 'What the machine is worth, as the attributes of products.';

-- Values and then names, as people write them: 100 hp, bronze body. A flag that holds is its name.
CREATE FUNCTION search.attribute_words(attributes jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(
        concat_ws(' ', CASE WHEN v.kind = 'text' THEN v.raw WHEN v.low < v.high THEN v.low || '..' || v.high ELSE v.low::text END,
                  replace(v.attribute, '_', ' '), CASE v.kind WHEN 'number' THEN v.raw END),
        ', ' ORDER BY v.attribute, v.place)
    FROM search.values_of(attributes) v WHERE v.flag IS NOT false
$$;

CREATE OR REPLACE FUNCTION equipment.product_document(p equipment.products) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', p.manufacturer, p.series, p.model),
        concat_ws(', ', lower(p.category), search.attribute_words(p.attributes)),
        p.description)::search.document
$$;
CREATE OR REPLACE FUNCTION quotes.line_item_document(l quotes.line_items) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', l.manufacturer, l.model),
        concat_ws(', ', lower(l.category), search.attribute_words(l.attributes)),
        l.description)::search.document
$$;

-- Families are those that a tenant has, and no others.
CREATE OR REPLACE FUNCTION search.is_family(wanted text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    RETURN EXISTS (SELECT FROM search.families f WHERE f.tenant = quarry.current_tenant() AND f.family = wanted);
DROP FUNCTION search.shipped_families();

-- A term may stand for several values: a class of materials for each of them.
ALTER TABLE search.vocabulary
    DROP CONSTRAINT vocabulary_pkey,
    ADD PRIMARY KEY (tenant, term, attribute, value);
DROP TRIGGER note_insert ON search.vocabulary;
DROP TRIGGER note_update ON search.vocabulary;
DROP TRIGGER note_delete ON search.vocabulary;
CREATE TRIGGER note_insert AFTER INSERT ON search.vocabulary REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('term', 'attribute', 'value');
CREATE TRIGGER note_update AFTER UPDATE ON search.vocabulary REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('term', 'attribute', 'value');
CREATE TRIGGER note_delete AFTER DELETE ON search.vocabulary REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('term', 'attribute', 'value');

-- What rows say in columns of one trade moves into their attributes under the same names, and so does what is kept for undo.
CREATE FUNCTION search.with_moved(content jsonb, moved text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN (content - moved) || jsonb_build_object('attributes', nullif(
    coalesce((SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each(content) e WHERE e.key = ANY (moved) AND e.value <> 'null'), '{}')
    || coalesce(nullif(content -> 'attributes', 'null'), '{}'), '{}'));

DO $_$
DECLARE
    one_tenant text;
    one record;
BEGIN
    FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one_tenant, true);
        UPDATE search.attributes SET close = 0.1 WHERE kind = 'number' AND tenant = one_tenant;
        FOR one IN SELECT * FROM (VALUES
            ('equipment.products', ARRAY[
                'hp', 'cfm', 'psi', 'lubrication', 'cooling', 'voltage', 'drive', 'motor', 'vacuum_inhg', 'dewpoint_f', 'length_in',
                'width_in', 'height_in', 'weight_lb', 'noise_dba', 'air_quality', 'gallons', 'arrangement']),
            ('quotes.line_items', ARRAY['hp', 'cfm', 'psi', 'vacuum_inhg', 'lubrication']),
            ('search.equivalents', ARRAY[
                'lubrication', 'compression', 'dryer_kind', 'cooling', 'drive', 'hp', 'cfm', 'psi', 'vacuum_inhg', 'dewpoint_f',
                'gallons'])) AS listed (relation, moved)
        LOOP
            EXECUTE format(
                $$UPDATE %s t SET attributes = nullif(search.with_moved(to_jsonb(t), $1) -> 'attributes', 'null') WHERE tenant = $2$$,
                one.relation) USING one.moved, one_tenant;
            UPDATE quarry.ingest_changes c SET before = search.with_moved(c.before, one.moved)
            WHERE c.tenant = one_tenant AND c.relation = one.relation AND c.before IS NOT NULL;
        END LOOP;
        PERFORM search.put_values('equipment.products', ARRAY(SELECT id FROM equipment.products WHERE tenant = one_tenant));
        PERFORM search.put_values('quotes.line_items', ARRAY(SELECT id FROM quotes.line_items WHERE tenant = one_tenant));

        UPDATE quarry.ingest_changes c SET key = c.key || jsonb_build_object('value', coalesce(c.before ->> 'value', (
            SELECT v.value FROM search.vocabulary v
            WHERE v.tenant = one_tenant AND v.term = c.key ->> 'term' AND v.attribute = c.key ->> 'attribute'), ''))
        WHERE c.tenant = one_tenant AND c.relation = 'search.vocabulary';
        UPDATE quarry.ingest_changes c SET before = (c.before - '{type,bound,filterable}'::text[]) || jsonb_build_object(
            'kind', c.before -> 'type', 'sense', c.before -> 'bound', 'met', 0, 'absolute', false, 'ordered', '[]'::jsonb,
            'close', CASE c.before ->> 'type' WHEN 'number' THEN 0.1 ELSE 0 END, 'adds', 'same', 'labels', '{}'::jsonb)
        WHERE c.tenant = one_tenant AND c.relation = 'search.attributes' AND c.before IS NOT NULL;

        -- What rows have and nobody declared stays readable: figures that were columns in the unit that these had.
        INSERT INTO search.attributes (tenant, name, kind, unit, sense, met, close)
        SELECT one_tenant, u.attribute, u.kind, c.unit, CASE u.kind WHEN 'number' THEN 'about' ELSE 'exactly' END,
            CASE u.kind WHEN 'number' THEN 0.1 ELSE 0 END, CASE u.kind WHEN 'number' THEN 0.25 ELSE 0 END
        FROM (
            SELECT v.attribute, min(v.kind) AS kind FROM (
                SELECT attribute, kind FROM search.attribute_values WHERE tenant = one_tenant
                UNION ALL
                SELECT x.attribute, x.kind FROM search.equivalents e CROSS JOIN LATERAL search.values_of(e.attributes) x
                WHERE e.tenant = one_tenant) v
            GROUP BY v.attribute) u
        LEFT JOIN (VALUES
            ('hp', 'hp'), ('cfm', 'cfm'), ('psi', 'psi'), ('vacuum_inhg', 'inHg'), ('dewpoint_f', '°F'), ('length_in', 'in'),
            ('width_in', 'in'), ('height_in', 'in'), ('weight_lb', 'lb'), ('noise_dba', 'dB(A)'), ('gallons', 'gal'))
            AS c (name, unit) ON c.name = u.attribute AND u.kind = 'number'
        ON CONFLICT DO NOTHING;
        INSERT INTO search.families (tenant, family)
        SELECT DISTINCT one_tenant, f.family FROM (
            SELECT family FROM equipment.products WHERE tenant = one_tenant
            UNION ALL SELECT family FROM quotes.line_items WHERE tenant = one_tenant
            UNION ALL SELECT unnest(families) FROM search.attributes WHERE tenant = one_tenant
            UNION ALL SELECT family FROM search.equivalents WHERE tenant = one_tenant
            UNION ALL SELECT coalesce(family, CASE attribute WHEN 'family' THEN value END)
            FROM search.vocabulary WHERE tenant = one_tenant) f
        WHERE f.family ~ '^[a-z][a-z0-9_]{0,39}$'
        ON CONFLICT DO NOTHING;
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $_$;
DROP FUNCTION search.with_moved(jsonb, text[]);

-- By their names they fire behind the search triggers: the corpus is locked by then.
DO $$
DECLARE
    corpus text;
BEGIN
    FOREACH corpus IN ARRAY ARRAY['equipment.products', 'quotes.line_items'] LOOP
        EXECUTE format('CREATE TRIGGER values_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values()', corpus);
        EXECUTE format('CREATE TRIGGER values_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values()', corpus);
        EXECUTE format('CREATE TRIGGER values_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values()', corpus);
    END LOOP;
END $$;

-- The columns go with the indexes on them; those that filters by family, maker and category read come back without them.
ALTER TABLE equipment.products
    DROP COLUMN gallons, DROP COLUMN arrangement, DROP COLUMN hp, DROP COLUMN cfm, DROP COLUMN psi, DROP COLUMN lubrication,
    DROP COLUMN cooling, DROP COLUMN voltage, DROP COLUMN drive, DROP COLUMN motor, DROP COLUMN vacuum_inhg,
    DROP COLUMN dewpoint_f, DROP COLUMN length_in, DROP COLUMN width_in, DROP COLUMN height_in, DROP COLUMN weight_lb,
    DROP COLUMN noise_dba, DROP COLUMN air_quality;
ALTER TABLE quotes.line_items
    DROP COLUMN hp, DROP COLUMN cfm, DROP COLUMN psi, DROP COLUMN vacuum_inhg, DROP COLUMN lubrication;
ALTER TABLE search.equivalents
    DROP COLUMN lubrication, DROP COLUMN compression, DROP COLUMN dryer_kind, DROP COLUMN cooling, DROP COLUMN drive,
    DROP COLUMN hp, DROP COLUMN cfm, DROP COLUMN psi, DROP COLUMN vacuum_inhg, DROP COLUMN dewpoint_f, DROP COLUMN gallons;
CREATE INDEX products_family ON equipment.products (tenant, family) INCLUDE (id, manufacturer_key);
CREATE INDEX products_manufacturer ON equipment.products (tenant, manufacturer_key) INCLUDE (id, family);
CREATE UNIQUE INDEX products_filters ON equipment.products (id) INCLUDE (tenant, family, manufacturer_key);
CREATE INDEX line_items_category ON quotes.line_items (tenant, category_key) INCLUDE (id, family);
CREATE INDEX line_items_family ON quotes.line_items (tenant, family) INCLUDE (id, category_key);
CREATE UNIQUE INDEX line_items_filters ON quotes.line_items (id) INCLUDE (tenant, category_key, family);
DROP FUNCTION equipment.gallons(text, text), equipment.arrangement(text, text, text, text), equipment.supply(text),
    equipment.has_attributes(jsonb, jsonb), equipment.nearly_has_attributes(jsonb, jsonb), equipment.attributes_shown(jsonb),
    equipment.attribute_figure(jsonb, text);
