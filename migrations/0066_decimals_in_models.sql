-- A decimal mark tells models apart: 5x2,5 is no 5x25. It is the same written as a comma or as a point, and others are left out as
-- before: 10.2030 is 102030.
CREATE OR REPLACE FUNCTION equipment.model_key(model text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
    regexp_replace(
        translate(lower(model), '$~', 's'), '(?<![0-9])(?<![0-9][.,])([0-9]{1,3})[.,]([0-9]{1,2})(?![.,]?[0-9])', '\1~\2', 'g'),
    '[^a-z0-9~]', '', 'g');

ALTER TABLE cpq.products DROP COLUMN sku_key, DROP COLUMN model_key;
ALTER TABLE cpq.products
    ADD COLUMN sku_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (equipment.model_key(sku)) STORED,
    ADD COLUMN model_key text COLLATE "C" GENERATED ALWAYS AS (equipment.model_key(model)) STORED;
CREATE INDEX products_sku_key ON cpq.products (tenant, sku_key);
CREATE INDEX products_model_key ON cpq.products (tenant, model_key);

DO $$
DECLARE
    one text;
BEGIN
    FOR one IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one, true);
        UPDATE equipment.products SET model = model, sku = sku WHERE tenant = one
            AND (model_key, sku_key) IS DISTINCT FROM (equipment.model_key(model), equipment.model_key(sku));
        UPDATE quotes.line_items SET model = model
        WHERE tenant = one AND model_key IS DISTINCT FROM equipment.model_key(model);
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;
