-- The equipment toolset: the product catalogue.

CREATE SCHEMA equipment;
GRANT USAGE ON SCHEMA equipment TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

CREATE TABLE equipment.products (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    model text NOT NULL,
    model_key text NOT NULL GENERATED ALWAYS AS (regexp_replace(replace(lower(model), '$', 's'), '[^a-z0-9]', '', 'g')) STORED,
    manufacturer text NOT NULL,
    manufacturer_key text NOT NULL GENERATED ALWAYS AS (lower(manufacturer)) STORED,
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
    source text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, manufacturer, model),
    UNIQUE (id, tenant)
);
COMMENT ON COLUMN equipment.products.lubrication IS 'NULL is unknown, and unknown never satisfies a filter.';
COMMENT ON COLUMN equipment.products.cfm IS 'Capacity in acfm at psi; for vacuum pumps acfm.';
CREATE INDEX products_model_key ON equipment.products (tenant, model_key);
-- Which rows satisfy a filter is read from an index alone, led by the filter that admits fewest and carrying the others;
-- and so is whether one row does. Names are compared in lower case; row-level security keeps an expression out of an
-- index, so the case is stored.
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

CREATE FUNCTION equipment.product_document(p equipment.products) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', p.manufacturer, p.series, p.model),
        concat_ws(', ', lower(p.category), p.hp || ' HP', p.cfm || ' CFM', p.psi || ' PSI', p.lubrication,
                  p.vacuum_inhg || ' inHg', p.cooling, p.drive, p.voltage, p.air_quality),
        p.description)::search.document
$$;

SELECT search.attach('equipment.products', 'equipment.product_document');
