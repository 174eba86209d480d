-- The equipment toolset: the product catalogue.

CREATE SCHEMA equipment;
GRANT USAGE ON SCHEMA equipment TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

CREATE FUNCTION equipment.model_key(model text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(replace(lower(model), '$', 's'), '[^a-z0-9]', '', 'g');

-- The first size in a receiver's text. A machine's text names others too (oil, drains): of these the one it stands on
-- counts, and none that is an option.
CREATE FUNCTION equipment.gallons(family text, description text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    gallon constant text := '(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d{1,2})?)[ -]?gal(?:lons?|s)?\M';
    litre constant text := '(?<![\d.,])(\d{1,3}(?:[.,]\d{3})+|\d{1,6})[ -]?(?:l|ltr|lit(?:er|re)s?)\M';
    x text := lower(left(description, 20000));
BEGIN
    IF family = 'receiver' THEN
        RETURN coalesce(replace(substring(x FROM gallon), ',', '')::float8,
                        round(translate(substring(x FROM litre), '.,', '')::numeric / 3.785)::float8);
    ELSIF family IN ('compressor', 'vacuum_pump', 'blower') AND x ~ '\d[ -]?gal' THEN
        x := regexp_replace(x, '[^.;]*\m(?:often|option|optional|optionally|available)\M[^.;]*', '', 'g');
        RETURN replace(coalesce(
            substring(x FROM '\mmounted (?:on|over) (?:an? )?' || gallon),
            substring(x FROM gallon || '\.?(?: [a-z]+){0,3} (?:receiver|tank|vessel)\M')), ',', '')::float8;
    END IF;
    RETURN NULL;
END $$;

-- How many machines work together: by the motors, else as the text says it first, else one motor is one machine.
CREATE FUNCTION equipment.arrangement(family text, heading text, description text, motor text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(
    CASE WHEN lower(motor) ~ '(?<![\d.,])\d{1,2} ?x ?[\d.]+ ?hp' THEN
        CASE substring(lower(motor) FROM '(\d{1,2}) ?x ?[\d.]+ ?hp')
            WHEN '1' THEN 'simplex' WHEN '2' THEN 'duplex' WHEN '3' THEN 'triplex' WHEN '4' THEN 'quadruplex'
            ELSE 'multiplex' END
    END,
    regexp_replace(
        substring(lower(concat_ws(' ', heading, left(description, 400)))
                  FROM '\m(simplex|duplex|triplex|quadruplex|quadplex|multiplex)\M'),
        '^quadplex$', 'quadruplex'),
    CASE WHEN family IN ('compressor', 'vacuum_pump', 'blower') AND lower(motor) ~ '\d ?hp' THEN 'simplex' END);

-- 208-230/460/3/60: NULL where there is no figure.
CREATE FUNCTION equipment.supply(voltage text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN string_to_array(nullif(trim(regexp_replace(voltage, '[^0-9]+', ' ', 'g')), ''), ' ');

CREATE TABLE equipment.products (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    model text NOT NULL,
    model_key text NOT NULL GENERATED ALWAYS AS (equipment.model_key(model)) STORED,
    manufacturer text NOT NULL,
    manufacturer_key text GENERATED ALWAYS AS (search.name_key(manufacturer)) STORED,
    series text,
    category text NOT NULL,
    family text NOT NULL CHECK (family IN (
        'compressor', 'vacuum_pump', 'dryer', 'blower', 'receiver', 'filtration', 'accessory', 'service')),
    description text NOT NULL,
    hp double precision CHECK (hp > 0),
    cfm double precision CHECK (cfm > 0),
    psi double precision CHECK (psi > 0),
    lubrication text CHECK (lubrication IN ('oilless', 'oil-free', 'oil-flooded')),
    cooling text,
    voltage text,
    drive text,
    motor text,
    vacuum_inhg double precision,
    dewpoint_f double precision,
    length_in double precision,
    width_in double precision,
    height_in double precision,
    weight_lb double precision,
    noise_dba double precision,
    air_quality text,
    gallons double precision GENERATED ALWAYS AS (equipment.gallons(family, category || '. ' || description)) STORED,
    arrangement text GENERATED ALWAYS AS
        (equipment.arrangement(family, category || ' ' || coalesce(series, '') || ' ' || model, description, motor)) STORED,
    source text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, manufacturer, model),
    UNIQUE (id, tenant)
);
COMMENT ON COLUMN equipment.products.lubrication IS 'NULL is unknown, and unknown never satisfies a filter.';
COMMENT ON COLUMN equipment.products.gallons IS 'Of the receiver itself, or of the one that a machine is mounted on.';
COMMENT ON COLUMN equipment.products.cfm IS 'Capacity in acfm at psi; for vacuum pumps acfm.';
CREATE INDEX products_model_key ON equipment.products (tenant, model_key);
-- Which rows satisfy a filter is read from an index alone, led by the filter that admits fewest and carrying the others;
-- and so is whether one row does. Names are compared by their keys; row-level security keeps an expression out of an
-- index, so keys are stored.
CREATE INDEX products_hp ON equipment.products (tenant, hp)
    INCLUDE (id, cfm, psi, lubrication, family, manufacturer_key);
CREATE INDEX products_cfm ON equipment.products (tenant, cfm)
    INCLUDE (id, hp, psi, lubrication, family, manufacturer_key);
CREATE INDEX products_psi ON equipment.products (tenant, psi)
    INCLUDE (id, hp, cfm, lubrication, family, manufacturer_key);
CREATE INDEX products_lubrication ON equipment.products (tenant, lubrication)
    INCLUDE (id, hp, cfm, psi, family, manufacturer_key);
CREATE INDEX products_family ON equipment.products (tenant, family)
    INCLUDE (id, hp, cfm, psi, lubrication, manufacturer_key);
CREATE INDEX products_manufacturer ON equipment.products (tenant, manufacturer_key)
    INCLUDE (id, hp, cfm, psi, lubrication, family);
CREATE UNIQUE INDEX products_filters ON equipment.products (id)
    INCLUDE (tenant, hp, cfm, psi, lubrication, family, manufacturer_key);
SELECT quarry.isolate('equipment.products');
GRANT SELECT ON equipment.products TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, INSERT, UPDATE, DELETE ON equipment.products TO quarry_ingest;

-- The keys of the makers with this in their name; walks from one maker to the next, however many products each has.
CREATE FUNCTION equipment.manufacturers_named(part text) RETURNS text[]
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE makers AS (
        (SELECT manufacturer_key AS key FROM equipment.products
         WHERE tenant = quarry.current_tenant() ORDER BY manufacturer_key LIMIT 1)
        UNION ALL
        SELECT (SELECT p.manufacturer_key FROM equipment.products p
                WHERE p.tenant = quarry.current_tenant() AND p.manufacturer_key > m.key
                ORDER BY p.manufacturer_key LIMIT 1)
        FROM makers m WHERE m.key IS NOT NULL)
    SELECT coalesce(array_agg(key), '{}') FROM makers WHERE strpos(key, search.name_key(part)) > 0
$$;

CREATE FUNCTION equipment.product_document(p equipment.products) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', p.manufacturer, p.series, p.model),
        concat_ws(', ', lower(p.category), p.hp || ' HP', p.cfm || ' CFM', p.psi || ' PSI', p.lubrication,
                  p.vacuum_inhg || ' inHg', p.dewpoint_f || ' F dew point', p.gallons || ' gal', p.cooling, p.drive,
                  p.voltage, p.air_quality, p.noise_dba || ' dBA', p.weight_lb || ' lb'),
        p.description)::search.document
$$;

SELECT search.attach('equipment.products', 'equipment.product_document');
