"""SQL of what a draft may rest on, read under one tenant; none of it reads costs."""

from psycopg.sql import SQL

from quarry.precedents.list_prices import DISCOUNTS

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
# Services have no model and other words in every letter, so their list prices count by themselves.
SERVICES = SQL("""
    SELECT p.id, p.name, b.currency,
        array_agg(DISTINCT e.price) || array_agg(e.allowance_from) || array_agg(e.allowance_to) AS prices
    FROM cpq.products p
    JOIN cpq.price_book_entries e ON e.tenant = p.tenant AND e.product_id = p.id AND e.superseded_at IS NULL
    JOIN cpq.price_books b ON b.tenant = e.tenant AND b.id = e.price_book_id AND b.active
    WHERE p.tenant = quarry.current_tenant() AND p.active AND p.model_key IS NULL
    GROUP BY p.id, p.name, b.currency ORDER BY p.id LIMIT 400
""")
PAST = SQL("""
    SELECT q.quote_number, q.contact, q.quote_date, q.currency, q.total_price,
        coalesce(q.company_key = (SELECT search.company_key(%(customer)s::text)), false) AS theirs,
        concat_ws(E'\n', q.terms, q.summary, q.project) AS text, d.position, coalesce(d.model_key, '') AS thing,
        d.model, d.manufacturer, d.unit_price, d.extended_price, to_jsonb(d) AS row,
        q.quote_number = ANY (%(numbers)s::text[]) AS named
    FROM quotes.past_quotes q LEFT JOIN quotes.line_items d ON d.tenant = q.tenant AND d.quote_id = q.id
    WHERE q.tenant = quarry.current_tenant() AND (q.quote_number = ANY (%(numbers)s::text[])
        OR q.company_key = (SELECT search.company_key(%(customer)s::text)))
    ORDER BY named DESC, q.quote_date DESC, q.quote_number, d.position LIMIT 600
""")
ACCOUNT = SQL("""
    SELECT to_jsonb(a) - '{tenant,competitor_discount_pct,invoices_paid,invoices_paid_on_time}'::text[] AS row
    FROM cpq.accounts a WHERE a.tenant = quarry.current_tenant()
        AND (a.id = %(name)s OR a.company_key = (SELECT search.company_key(%(name)s)))
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
    SELECT n.name, search.without_legal_form(n.name, (SELECT search.legal_forms_around())) AS short, n.told FROM (
        SELECT customer AS name, bool_or(reference AND status = 'won') AS told FROM quotes.past_quotes
        WHERE tenant = quarry.current_tenant() GROUP BY customer
        UNION ALL SELECT DISTINCT contact, false FROM quotes.past_quotes
        WHERE tenant = quarry.current_tenant() AND strpos(contact, ' ') > 0
        UNION ALL SELECT unnest(ARRAY[name, CASE WHEN strpos(contact_name, ' ') > 0 THEN contact_name END]), false
        FROM cpq.accounts WHERE tenant = quarry.current_tenant() LIMIT 100000) n
""")
NUMBERED = SQL("""
    SELECT DISTINCT regexp_replace(upper(number), '[0-9]', '0', 'g') AS shape FROM (
        SELECT quote_number AS number FROM quotes.past_quotes WHERE tenant = quarry.current_tenant()
        UNION ALL SELECT id FROM cpq.quotes WHERE tenant = quarry.current_tenant()) n
    WHERE number ~ '[^0-9]' AND number ~ '[0-9]{2}' LIMIT 1000
""")

FOR_SALE = SQL("""
    SELECT p.id, p.name, p.names, p.active, p.successor, to_jsonb(e) AS machine,
        coalesce(d.discount_pct, a.discount_pct, 0) AS standing_discount_pct
    FROM cpq.products p
    LEFT JOIN equipment.products e ON e.tenant = p.tenant AND e.model_key = p.model_key
        AND e.manufacturer_key = search.name_key(p.manufacturer)
    LEFT JOIN cpq.accounts a ON a.tenant = p.tenant AND a.id = %(account)s
    LEFT JOIN LATERAL ({discounts}) d ON d.discount_group = coalesce(p.discount_group, p.category)
    WHERE p.tenant = quarry.current_tenant() AND p.id = ANY (%(ids)s::text[])
""").format(discounts=DISCOUNTS)
MODELS = SQL("SELECT model FROM equipment.products WHERE tenant = quarry.current_tenant() ORDER BY model LIMIT 20000")
PAST_LINES = SQL("""
    SELECT q.quote_number, q.customer, q.contact, q.salesperson, q.quote_date, q.status, q.reference, q.industry,
        q.currency, d.position, d.category, d.manufacturer, d.model, d.description, d.quantity,
        d.unit_price, coalesce(q.company_key = (SELECT search.company_key(%(customer)s::text)), false) AS own
    FROM quotes.past_quotes q JOIN quotes.line_items d ON d.tenant = q.tenant AND d.quote_id = q.id
    WHERE q.tenant = quarry.current_tenant() AND upper(q.quote_number) = ANY (%(numbers)s::text[])
    ORDER BY q.quote_number, d.position LIMIT 2000
""")
# Who wrote the customer's newest quote.
SALESPERSON = SQL("""
    SELECT salesperson FROM quotes.past_quotes WHERE tenant = quarry.current_tenant() AND salesperson <> ''
        AND company_key = (SELECT search.company_key(%(customer)s::text))
    ORDER BY quote_date DESC, id DESC LIMIT 1
""")
WRITERS = SQL("""
    SELECT q.salesperson FROM (
        SELECT salesperson FROM quotes.past_quotes WHERE tenant = quarry.current_tenant()
        ORDER BY quote_date DESC LIMIT 200) q
    WHERE q.salesperson <> '' GROUP BY q.salesperson ORDER BY count(*) DESC, q.salesperson LIMIT 3
""")
NEWEST_DRAFT = SQL("""
    SELECT id, version, customer, open, content, letter, created_at FROM cpq.drafts
    WHERE tenant = quarry.current_tenant() AND id = %(draft_id)s
        AND (%(version)s::integer IS NULL OR version = %(version)s::integer)
    ORDER BY version DESC LIMIT 1
""")
DRAFT_IDS = SQL("""
    SELECT id FROM cpq.drafts WHERE tenant = quarry.current_tenant() AND version = 1
    ORDER BY created_at DESC, id DESC LIMIT 500
""")
# Of two writers that read the same version, the second writes nothing.
INSERT_DRAFT = SQL("""
    INSERT INTO cpq.drafts (tenant, id, version, account_id, customer, quote_ids, open, content, letter, created_by)
    VALUES (quarry.current_tenant(), %(id)s, %(version)s, %(account_id)s, %(customer)s, %(quote_ids)s, %(open)s,
        %(content)s, %(letter)s, %(created_by)s)
    ON CONFLICT DO NOTHING RETURNING version
""")
LIST_DRAFTS = SQL("""
    SELECT newest.*, count(*) OVER () AS matches FROM (
        SELECT DISTINCT ON (d.id) d.id AS draft_id, d.version, d.customer, d.quote_ids, d.open, d.created_at AS at,
            d.created_by AS by, d.account_id, nullif(d.content ->> 'withdrawn', '') AS withdrawn
        FROM cpq.drafts d WHERE d.tenant = quarry.current_tenant() ORDER BY d.id, d.version DESC) newest
    WHERE %(customer)s::text IS NULL OR newest.account_id = %(customer)s::text
        OR strpos(search.name_key(newest.customer), (SELECT search.company_key(%(customer)s::text))) > 0
    ORDER BY newest.at DESC, newest.draft_id DESC LIMIT %(limit)s OFFSET %(offset)s
""")
