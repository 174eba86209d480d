-- Why a line was priced so is searched by its words; what is near it in meaning goes by the goods alone, as before.
CREATE FUNCTION quotes.line_item_goods(l quotes.line_items) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT search.embedding_text(ROW(
        concat_ws(' ', l.manufacturer, l.model, l.sku),
        concat_ws(', ', lower(l.category), search.attribute_words(l.attributes)),
        l.description)::search.document)
$$;
UPDATE search.corpora SET embedded_function = 'quotes.line_item_goods' WHERE corpus = 'quotes.line_items';

CREATE OR REPLACE FUNCTION quotes.line_item_document(l quotes.line_items) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', l.manufacturer, l.model, l.sku),
        concat_ws(', ', lower(l.category), search.attribute_words(l.attributes)),
        concat_ws(' ', l.description, l.price_note))::search.document
$$;

-- Letters of a model lose their accents as those of names do; before, all but a to z were left out.
CREATE OR REPLACE FUNCTION equipment.model_key(model text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
    regexp_replace(
        translate(search.value_key(model), '$~', 's'), '(?<![0-9])(?<![0-9][.,])([0-9]{1,3})[.,]([0-9]{1,2})(?![.,]?[0-9])', '\1~\2', 'g'),
    '[^a-z0-9~]', '', 'g');

DO $$
DECLARE
    one text;
BEGIN
    FOR one IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one, true);
        UPDATE cpq.products SET model = model, sku = sku WHERE tenant = one
            AND (model_key, sku_key) IS DISTINCT FROM (equipment.model_key(model), equipment.model_key(sku));
        UPDATE equipment.products SET model = model, sku = sku WHERE tenant = one
            AND (model_key, sku_key) IS DISTINCT FROM (equipment.model_key(model), equipment.model_key(sku));
        UPDATE quotes.line_items SET model = model, price_note = price_note
        WHERE tenant = one AND (price_note <> '' OR model_key IS DISTINCT FROM equipment.model_key(model));
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;
