"""SQL of what a draft may rest on, read under one tenant. Costs are in none of it."""

from psycopg.sql import SQL

CURRENCIES = SQL("SELECT currency FROM cpq.currencies")
UNITS = SQL("SELECT name, unit FROM search.attributes WHERE tenant = quarry.current_tenant() AND unit IS NOT NULL")
MAKERS = SQL("SELECT DISTINCT manufacturer FROM equipment.products WHERE tenant = quarry.current_tenant() LIMIT 5000")
MACHINES = SQL("""
    SELECT d.model_key AS thing, d.model, d.manufacturer, to_jsonb(d) AS row FROM equipment.products d
    WHERE d.tenant = quarry.current_tenant() AND d.model_key = ANY (%(keys)s::text[]) LIMIT 200
""")
ALIKE = SQL("""
    SELECT regexp_replace(d.model_key, '[0-9]', '0', 'g') AS shape, array_agg(d.model ORDER BY d.model) AS models
    FROM equipment.products d WHERE d.tenant = quarry.current_tenant()
        AND regexp_replace(d.model_key, '[0-9]', '0', 'g') = ANY (%(shapes)s::text[]) GROUP BY shape
""")
SOLD = SQL("""
    SELECT coalesce(p.model_key, p.id) AS thing, p.id, p.sku, p.name, p.description, p.model, p.manufacturer,
        b.currency, array_agg(e.price) AS prices, jsonb_agg(e.tiers) AS tiers
    FROM cpq.products p
    LEFT JOIN (cpq.price_book_entries e JOIN cpq.price_books b
        ON b.tenant = e.tenant AND b.id = e.price_book_id AND b.active AND e.superseded_at IS NULL)
        ON e.tenant = p.tenant AND e.product_id = p.id
    WHERE p.tenant = quarry.current_tenant() AND (p.id = ANY (%(names)s::text[])
        OR p.model_key = ANY (%(keys)s::text[]) OR p.sku_key = ANY (%(keys)s::text[]))
    GROUP BY p.tenant, p.id, b.currency LIMIT 400
""")
PAST = SQL("""
    SELECT q.quote_number, q.customer, q.contact, q.quote_date, q.currency, q.total_price,
        coalesce(search.name_key(q.customer) = search.name_key(%(customer)s), false) AS theirs,
        concat_ws(E'\n', q.terms, q.summary, q.project) AS text, d.position, coalesce(d.model_key, '') AS thing,
        d.model, d.manufacturer, d.unit_price, d.extended_price, to_jsonb(d) AS row
    FROM quotes.past_quotes q LEFT JOIN quotes.line_items d
        ON d.tenant = q.tenant AND d.quote_id = q.id AND q.quote_number = ANY (%(numbers)s::text[])
    WHERE q.tenant = quarry.current_tenant() AND (q.quote_number = ANY (%(numbers)s::text[])
        OR search.name_key(q.customer) = search.name_key(%(customer)s))
    ORDER BY q.quote_date DESC, q.quote_number, d.position LIMIT 600
""")
ACCOUNT = SQL("""
    SELECT a.id, a.name,
        to_jsonb(a) - '{tenant,competitor_discount_pct,invoices_paid,invoices_paid_on_time}'::text[] AS row
    FROM cpq.accounts a WHERE a.tenant = quarry.current_tenant()
        AND (a.id = %(name)s OR search.name_key(a.name) = search.name_key(%(name)s))
    ORDER BY a.id = %(name)s DESC LIMIT 1
""")
OURS = SQL("""
    SELECT q.id, coalesce(q.account_id = %(account)s, false) AS theirs, v.currency,
        coalesce(p.model_key, p.id, '') AS thing, l.unit_price, l.line_total
    FROM cpq.quotes q JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id
    LEFT JOIN cpq.quote_lines l ON l.tenant = v.tenant AND l.quote_id = v.quote_id AND l.version = v.version
        AND v.priced_at IS NOT NULL AND q.account_id = %(account)s
    LEFT JOIN cpq.products p ON p.tenant = l.tenant AND p.id = l.product_id
    WHERE q.tenant = quarry.current_tenant() AND (q.account_id = %(account)s OR q.id = ANY (%(numbers)s::text[]))
    ORDER BY q.created_at DESC, v.version DESC LIMIT 400
""")
NAMES = SQL("""
    SELECT customer AS name, bool_or(reference AND status = 'won') AS told FROM quotes.past_quotes
    WHERE tenant = quarry.current_tenant() GROUP BY customer
    UNION ALL SELECT DISTINCT contact, false FROM quotes.past_quotes
    WHERE tenant = quarry.current_tenant() AND strpos(contact, ' ') > 0
    UNION ALL SELECT unnest(ARRAY[name, CASE WHEN strpos(contact_name, ' ') > 0 THEN contact_name END]), false
    FROM cpq.accounts WHERE tenant = quarry.current_tenant() LIMIT 100000
""")
NUMBERED = SQL("""
    SELECT DISTINCT regexp_replace(upper(number), '[0-9]', '0', 'g') AS shape FROM (
        SELECT quote_number AS number FROM quotes.past_quotes WHERE tenant = quarry.current_tenant()
        UNION ALL SELECT id FROM cpq.quotes WHERE tenant = quarry.current_tenant()) n
    WHERE number ~ '[^0-9]' AND number ~ '[0-9]{2}' LIMIT 1000
""")
