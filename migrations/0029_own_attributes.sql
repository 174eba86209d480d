-- Attributes of a tenant's own families: head and NPSH of a pump, DN and PN of a valve; declared as data, held by products.

CREATE TABLE search.attributes (
    tenant text NOT NULL REFERENCES quarry.tenants,
    name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_]{0,39}$'),
    families text[] NOT NULL DEFAULT '{}',
    type text NOT NULL CHECK (type IN ('number', 'text')),
    unit text CHECK (unit IS NULL OR type = 'number'),
    bound text NOT NULL DEFAULT 'exactly' CHECK (bound IN ('exactly', 'at_least', 'at_most')),
    filterable boolean NOT NULL DEFAULT true,
    words text[] NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, name)
);
COMMENT ON COLUMN search.attributes.families IS 'Of which goods it is said; asking for it asks for one of these. Empty: of any.';
COMMENT ON COLUMN search.attributes.bound IS 'What a figure without a bound asks for: a pump of 40 m head may have more.';
COMMENT ON COLUMN search.attributes.words IS 'What a request calls it besides its name, in any language.';
SELECT quarry.isolate('search.attributes');
GRANT SELECT ON search.attributes TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, INSERT, UPDATE, DELETE ON search.attributes TO quarry_ingest;

CREATE TRIGGER note_insert AFTER INSERT ON search.attributes REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('name');
CREATE TRIGGER note_update AFTER UPDATE ON search.attributes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('name');
CREATE TRIGGER note_delete AFTER DELETE ON search.attributes REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('name');

ALTER TABLE equipment.products ADD COLUMN attributes jsonb
    CHECK (jsonb_typeof(attributes) = 'object' AND attributes <> '{}');
COMMENT ON COLUMN equipment.products.attributes IS 'By name: a number in the unit that search.attributes has, or a text.';

CREATE FUNCTION equipment.attribute_figure(attributes jsonb, name text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(attributes -> name) WHEN 'number' THEN (attributes ->> name)::float8 END;

-- Whether a row has all that is wanted, as {"head": {"min": 40}, "dn": {"min": 80, "max": 80}, "body": "bronze"}. What a row
-- does not say never matches.
CREATE FUNCTION equipment.has_attributes(attributes jsonb, wanted jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN NOT EXISTS (
    SELECT FROM jsonb_each(wanted) AS w (name, asked)
    WHERE NOT coalesce(
        CASE jsonb_typeof(w.asked) WHEN 'object' THEN
            equipment.attribute_figure(attributes, w.name)
                BETWEEN coalesce((w.asked ->> 'min')::float8, '-infinity') AND coalesce((w.asked ->> 'max')::float8, 'infinity')
        ELSE strpos(search.name_key(attributes ->> w.name), nullif(search.name_key(w.asked #>> '{}'), '')) > 0 END, false));

-- Whether each figure of an item lies within its ends, as [{"name": "head", "low": 40, "high": null}], or nearly.
CREATE FUNCTION equipment.nearly_has_attributes(attributes jsonb, limits jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN NOT EXISTS (
    SELECT FROM jsonb_to_recordset(limits) AS l (name text, low double precision, high double precision)
    WHERE NOT coalesce(
        equipment.attribute_figure(attributes, l.name)
            BETWEEN coalesce(l.low - 0.1 * abs(l.low), '-infinity') AND coalesce(l.high + 0.1 * abs(l.high), 'infinity'), false));

-- As a person reads them: {"head": "40 m", "body": "bronze"}.
CREATE FUNCTION equipment.attributes_shown(attributes jsonb) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT jsonb_object_agg(e.name, concat_ws(' ', e.value #>> '{}', a.unit))
    FROM jsonb_each(attributes) AS e (name, value)
    LEFT JOIN search.attributes a ON a.tenant = quarry.current_tenant() AND a.name = e.name);

CREATE OR REPLACE FUNCTION equipment.product_document(p equipment.products) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', p.manufacturer, p.series, p.model),
        concat_ws(', ', lower(p.category), p.hp || ' HP', p.cfm || ' CFM', p.psi || ' PSI', p.lubrication,
                  p.vacuum_inhg || ' inHg', p.dewpoint_f || ' F dew point', p.gallons || ' gal', p.cooling, p.drive,
                  p.voltage, p.air_quality, p.noise_dba || ' dBA', p.weight_lb || ' lb',
                  (SELECT string_agg(replace(e.name, '_', ' ') || ' ' || e.value, ', ' ORDER BY e.name)
                   FROM jsonb_each_text(p.attributes) AS e (name, value))),
        p.description)::search.document
$$;
