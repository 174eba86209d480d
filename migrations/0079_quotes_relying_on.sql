-- Whoever takes a load back reads no quotes, and is told which of them rely on what stays.
CREATE FUNCTION quarry.quotes_relying_on(relation text, keys jsonb) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT q.id FROM cpq.quotes q
    WHERE relation = 'cpq.accounts' AND q.tenant = quarry.current_tenant()
        AND q.account_id IN (SELECT k ->> 'id' FROM jsonb_array_elements(keys) k)
    UNION
    SELECT l.quote_id FROM cpq.quote_lines l
    WHERE relation = 'cpq.products' AND l.tenant = quarry.current_tenant()
        AND l.product_id IN (SELECT k ->> 'id' FROM jsonb_array_elements(keys) k)
    UNION
    SELECT v.quote_id FROM cpq.quote_versions v
    WHERE relation = 'cpq.price_books' AND v.tenant = quarry.current_tenant()
        AND v.price_book_id IN (SELECT k ->> 'id' FROM jsonb_array_elements(keys) k)
    UNION
    SELECT v.quote_id
    FROM jsonb_to_recordset(keys) AS k (price_book_id text, product_id text, version integer)
    JOIN cpq.price_book_entries e ON e.tenant = quarry.current_tenant() AND e.price_book_id = k.price_book_id
        AND e.product_id = k.product_id AND e.version = k.version
    JOIN cpq.quote_lines l ON l.tenant = e.tenant AND l.product_id = e.product_id
    JOIN cpq.quote_versions v ON v.tenant = l.tenant AND v.quote_id = l.quote_id AND v.version = l.version
        AND v.price_book_id = e.price_book_id AND v.priced_at BETWEEN e.valid_from AND e.superseded_at
    WHERE relation = 'cpq.price_book_entries'
$$;
REVOKE ALL ON FUNCTION quarry.quotes_relying_on(text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION quarry.quotes_relying_on(text, jsonb) TO quarry_ingest;
