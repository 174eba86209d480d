-- What a row says in words and meaning is what tells goods apart in words: values of texts and the names of flags that hold.
-- Figures are judged as needs; among words each is one more that no other row has, and they drown the rest.
CREATE OR REPLACE FUNCTION search.attribute_words(attributes jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(CASE v.kind WHEN 'text' THEN v.raw ELSE replace(v.attribute, '_', ' ') END, ', ' ORDER BY v.attribute, v.place)
    FROM search.values_of(attributes) v WHERE v.kind = 'text' OR v.flag
$$;

-- Indexed anew; a row whose text has changed is found by its words until it is embedded.
DO $$
DECLARE
    one_tenant text;
BEGIN
    FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one_tenant, true);
        UPDATE equipment.products SET description = description WHERE tenant = one_tenant AND attributes IS NOT NULL;
        UPDATE quotes.line_items SET description = description WHERE tenant = one_tenant AND attributes IS NOT NULL;
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;
