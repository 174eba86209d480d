-- The cpq toolset: catalogue, price books, policies, quotes with versions, approvals, audit, documents.

CREATE SCHEMA cpq;
GRANT USAGE ON SCHEMA cpq TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

-- What is quoted: the catalogue. Only quarry_ingest writes it, so no tool can change a price, a policy or an approver.

CREATE TABLE cpq.currencies (
    currency text PRIMARY KEY CHECK (currency ~ '^[A-Z]{3}$'),
    minor_units smallint NOT NULL CHECK (minor_units BETWEEN 0 AND 4)
);
COMMENT ON TABLE cpq.currencies IS 'Digits after the point, by ISO 4217; the same for every tenant, so it has none.';
INSERT INTO cpq.currencies (currency, minor_units)
SELECT unnest(string_to_array(
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP '
    'CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES '
    'KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK '
    'NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB '
    'TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW', ' ')), 2
UNION ALL
SELECT unnest(string_to_array('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF', ' ')), 0
UNION ALL
SELECT unnest(string_to_array('BHD IQD JOD KWD LYD OMR TND', ' ')), 3;
GRANT SELECT ON cpq.currencies TO quarry_read, quarry_write, quarry_ingest;

CREATE TABLE cpq.discount_policies (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^pol_[a-z0-9_]{1,90}$'),
    name text NOT NULL,
    segment text NOT NULL CHECK (segment ~ '^[a-z0-9_]{1,60}$'),
    segment_name text NOT NULL,
    auto_approve_pct numeric NOT NULL CHECK (auto_approve_pct BETWEEN 0 AND 100),
    bands jsonb NOT NULL CHECK (jsonb_typeof(bands) = 'array'),
    hard_max_pct numeric NOT NULL CHECK (hard_max_pct BETWEEN auto_approve_pct AND 100),
    escalation_chain text[] NOT NULL,
    approval_ttl_hours integer NOT NULL DEFAULT 4 CHECK (approval_ttl_hours BETWEEN 1 AND 8760),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, segment)
);
COMMENT ON COLUMN cpq.discount_policies.bands IS
    '[{"max_pct": "20", "approver_role": "sales_manager"}, …] by rising max_pct: who may approve up to where.';
COMMENT ON COLUMN cpq.discount_policies.escalation_chain IS 'Roles from the lowest to the highest.';

CREATE TABLE cpq.approvers (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^apr_[a-z0-9_]{1,90}$'),
    role text NOT NULL CHECK (role ~ '^[a-z0-9_]{1,60}$'),
    name text NOT NULL,
    email text NOT NULL,
    slack_user_id text,
    active boolean NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE cpq.approvers IS 'The people: each gets a link of their own, so that a decision has a name.';
CREATE INDEX approvers_role ON cpq.approvers (tenant, role);

CREATE TABLE cpq.accounts (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^acct_[a-z0-9_]{1,90}$'),
    name text NOT NULL,
    segment text NOT NULL CHECK (segment ~ '^[a-z0-9_]{1,60}$'),
    currency text NOT NULL REFERENCES cpq.currencies,
    country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    region text,
    billing_address jsonb,
    shipping_address jsonb,
    contact_name text,
    contact_email text,
    tax_id text,
    tax_exempt boolean NOT NULL DEFAULT false,
    customer_since date,
    owned_products text[] NOT NULL DEFAULT '{}',
    invoices_paid integer CHECK (invoices_paid >= 0),
    invoices_paid_on_time integer CHECK (invoices_paid_on_time BETWEEN 0 AND invoices_paid),
    competitor_discount_pct numeric CHECK (competitor_discount_pct BETWEEN 0 AND 100),
    active boolean NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id)
);
COMMENT ON COLUMN cpq.accounts.segment IS 'Names a discount policy; an account of a segment without one is not ingested.';
COMMENT ON COLUMN cpq.accounts.billing_address IS
    '{"lines": […], "city": …, "region": …, "postal_code": …, "country": "US"}, printed in this order.';
COMMENT ON COLUMN cpq.accounts.owned_products IS 'Ids of products the customer has already: they satisfy a requires.';
COMMENT ON COLUMN cpq.accounts.competitor_discount_pct IS 'As the CRM knows it; NULL when nobody has seen such an offer.';

CREATE TABLE cpq.products (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^prod_[a-z0-9_]{1,90}$'),
    sku text NOT NULL CHECK (sku <> ''),
    sku_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (regexp_replace(replace(lower(sku), '$', 's'), '[^a-z0-9]', '', 'g')) STORED,
    name text NOT NULL CHECK (name <> ''),
    description text NOT NULL,
    product_type text NOT NULL CHECK (product_type IN ('simple', 'configurable', 'service')),
    category text NOT NULL CHECK (category <> ''),
    attributes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(attributes) = 'object'),
    active boolean NOT NULL DEFAULT true,
    tax_category text,
    min_quantity integer NOT NULL DEFAULT 1 CHECK (min_quantity >= 1),
    max_quantity integer CHECK (max_quantity >= min_quantity),
    cost numeric CHECK (cost >= 0),
    cost_currency text REFERENCES cpq.currencies,
    manufacturer text,
    model text,
    model_key text COLLATE "C" GENERATED ALWAYS AS (regexp_replace(replace(lower(model), '$', 's'), '[^a-z0-9]', '', 'g')) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, sku),
    CHECK ((cost IS NULL) = (cost_currency IS NULL)),
    CHECK ((manufacturer IS NULL) = (model IS NULL))
);
COMMENT ON COLUMN cpq.products.attributes IS
    '{"seats": {"type": "integer", "min": 1, "max": 1000}, "billing": {"type": "enum", "values": […], "required": true}, …}';
COMMENT ON COLUMN cpq.products.cost IS 'Per unit and per period of the price, for margins; NULL is unknown.';
COMMENT ON COLUMN cpq.products.model IS 'With manufacturer, the row of equipment.products that is sold here.';
CREATE INDEX products_sku_key ON cpq.products (tenant, sku_key);
CREATE INDEX products_model_key ON cpq.products (tenant, model_key);

-- Words of each product, so that a search is an index look-up under row-level security (comparing text is leakproof).
CREATE TABLE cpq.product_words (
    tenant text NOT NULL,
    word text NOT NULL,
    product_id text NOT NULL,
    weight real NOT NULL,
    PRIMARY KEY (tenant, word, product_id),
    FOREIGN KEY (tenant, product_id) REFERENCES cpq.products ON DELETE CASCADE
);
COMMENT ON COLUMN cpq.product_words.weight IS '4 in name, SKU or model, 2 in category or manufacturer, 1 in the description; the highest counts.';
CREATE INDEX product_words_product ON cpq.product_words (tenant, product_id);

-- Each word once and backwards too: a mistyped word is looked for by its right beginning or its right end. A word whose
-- last product is gone may stay: it leads nowhere.
CREATE TABLE cpq.words (
    tenant text NOT NULL REFERENCES quarry.tenants,
    word text COLLATE "C" NOT NULL,
    backwards text COLLATE "C" NOT NULL GENERATED ALWAYS AS (reverse(word)) STORED,
    PRIMARY KEY (tenant, word)
);
CREATE INDEX words_backwards ON cpq.words (tenant, backwards);

CREATE FUNCTION cpq.index_words(tenant text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM cpq.product_words w WHERE w.tenant = index_words.tenant AND w.product_id = ANY (ids);
    WITH parts AS (
        SELECT p.id, part.content, part.weight
        FROM cpq.products p CROSS JOIN LATERAL (VALUES
            (concat_ws(' / ', p.name, p.sku, p.model), 4),
            (concat_ws(' / ', replace(p.category, '_', ' '), p.manufacturer), 2),
            (p.description, 1)) AS part (content, weight)
        WHERE p.tenant = index_words.tenant AND p.id = ANY (ids)),
    lexemes AS (
        SELECT parts.id, unnest(tsvector_to_array(to_tsvector('english', search.normalise(content)))) AS word, weight
        FROM parts),
    postings AS (
        INSERT INTO cpq.product_words (tenant, word, product_id, weight)
        SELECT index_words.tenant, l.word, l.id, max(l.weight) FROM lexemes l GROUP BY l.word, l.id
        ORDER BY l.word, l.id RETURNING word)
    INSERT INTO cpq.words (tenant, word) SELECT DISTINCT index_words.tenant, word FROM postings ORDER BY word
    ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION cpq.on_products_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM cpq.index_words(n.tenant, array_agg(n.id)) FROM new_rows n GROUP BY n.tenant;
    RETURN NULL;
END $$;
CREATE TRIGGER index_words_of_new AFTER INSERT ON cpq.products REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION cpq.on_products_insert();

CREATE FUNCTION cpq.on_products_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM cpq.index_words(n.tenant, array_agg(n.id))
    FROM new_rows n JOIN old_rows o ON o.tenant = n.tenant AND o.id = n.id
    WHERE (o.name, o.sku, o.model, o.category, o.manufacturer, o.description)
        IS DISTINCT FROM (n.name, n.sku, n.model, n.category, n.manufacturer, n.description)
    GROUP BY n.tenant;
    RETURN NULL;
END $$;
CREATE TRIGGER index_words_of_changed AFTER UPDATE ON cpq.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION cpq.on_products_update();

CREATE TABLE cpq.product_relationships (
    tenant text NOT NULL REFERENCES quarry.tenants,
    product_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('requires', 'excludes', 'recommends')),
    related_id text NOT NULL CHECK (related_id <> product_id),
    active boolean NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, product_id, kind, related_id),
    FOREIGN KEY (tenant, product_id) REFERENCES cpq.products ON DELETE CASCADE,
    FOREIGN KEY (tenant, related_id) REFERENCES cpq.products ON DELETE CASCADE
);
COMMENT ON TABLE cpq.product_relationships IS 'excludes holds in both directions, whichever side says it.';
CREATE INDEX product_relationships_related ON cpq.product_relationships (tenant, related_id);

CREATE TABLE cpq.price_books (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^pb_[a-z0-9_]{1,90}$'),
    name text NOT NULL,
    currency text NOT NULL REFERENCES cpq.currencies,
    segment text CHECK (segment ~ '^[a-z0-9_]{1,60}$'),
    country text CHECK (country ~ '^[A-Z]{2}$'),
    valid_from date,
    valid_to date CHECK (valid_to >= valid_from),
    priority integer NOT NULL DEFAULT 0,
    active boolean NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id)
);
COMMENT ON COLUMN cpq.price_books.segment IS 'NULL: for every segment; likewise country. valid_to is the last day.';

CREATE TABLE cpq.price_book_entries (
    tenant text NOT NULL REFERENCES quarry.tenants,
    price_book_id text NOT NULL,
    product_id text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    price numeric NOT NULL CHECK (price >= 0),
    unit text NOT NULL CHECK (unit ~ '^per_[a-z]{1,30}(_per_(month|year))?$'),
    tiers jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(tiers) = 'array'),
    valid_from timestamptz NOT NULL DEFAULT now(),
    superseded_at timestamptz,
    PRIMARY KEY (tenant, price_book_id, product_id, version),
    FOREIGN KEY (tenant, price_book_id) REFERENCES cpq.price_books,
    FOREIGN KEY (tenant, product_id) REFERENCES cpq.products
);
COMMENT ON COLUMN cpq.price_book_entries.unit IS
    'per_unit, per_seat …: charged once; with _per_month or _per_year: charged for each of the term.';
COMMENT ON COLUMN cpq.price_book_entries.tiers IS
    '[{"min": 1, "max": 49, "price": "10.00"}, …, {"min": 100, "max": null, "price": "6.00"}]: the tier of the line''s quantity prices all its units.';
CREATE UNIQUE INDEX price_book_entries_current ON cpq.price_book_entries (tenant, price_book_id, product_id)
    WHERE superseded_at IS NULL;
CREATE INDEX price_book_entries_product ON cpq.price_book_entries (tenant, product_id) WHERE superseded_at IS NULL;

-- A new price is a new row: what a quote was priced with stays on record.
CREATE FUNCTION cpq.supersede_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cpq.price_book_entries e SET superseded_at = NEW.valid_from
    WHERE e.tenant = NEW.tenant AND e.price_book_id = NEW.price_book_id AND e.product_id = NEW.product_id
      AND e.superseded_at IS NULL;
    NEW.version := 1 + coalesce((
        SELECT max(e.version) FROM cpq.price_book_entries e
        WHERE e.tenant = NEW.tenant AND e.price_book_id = NEW.price_book_id AND e.product_id = NEW.product_id), 0);
    RETURN NEW;
END $$;
CREATE TRIGGER supersede_entry BEFORE INSERT ON cpq.price_book_entries
    FOR EACH ROW EXECUTE FUNCTION cpq.supersede_entry();

CREATE TABLE cpq.tax_rules (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^tax_[a-z0-9_]{1,90}$'),
    name text NOT NULL,
    country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    region text,
    tax_category text,
    rate_pct numeric NOT NULL CHECK (rate_pct BETWEEN 0 AND 100),
    valid_from date,
    valid_to date CHECK (valid_to >= valid_from),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id)
);
COMMENT ON COLUMN cpq.tax_rules.region IS 'NULL: the whole country; likewise tax_category: every product. The more exact rule wins.';

-- Quotes.

CREATE TABLE cpq.counters (
    tenant text NOT NULL REFERENCES quarry.tenants,
    kind text NOT NULL,
    year integer NOT NULL,
    last integer NOT NULL CHECK (last > 0),
    PRIMARY KEY (tenant, kind, year)
);
COMMENT ON TABLE cpq.counters IS
    'Taken inside the transaction that uses the number: the row lock orders writers, and a rollback gives the number back.';

CREATE TABLE cpq.quotes (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^Q-[0-9]{4}-[0-9]{4,}$'),
    account_id text NOT NULL,
    deal_id text,
    current_version integer NOT NULL DEFAULT 1 CHECK (current_version >= 1),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, account_id) REFERENCES cpq.accounts
);
CREATE INDEX quotes_created ON cpq.quotes (tenant, created_at, id);
CREATE INDEX quotes_account ON cpq.quotes (tenant, account_id);

CREATE TABLE cpq.quote_versions (
    tenant text NOT NULL REFERENCES quarry.tenants,
    quote_id text NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    status text NOT NULL CHECK (status IN (
        'draft', 'priced', 'pending_approval', 'approved', 'rejected', 'expired', 'sent', 'superseded')),
    revision integer NOT NULL DEFAULT 1,
    account jsonb NOT NULL,
    currency text NOT NULL REFERENCES cpq.currencies,
    term_months integer CHECK (term_months >= 1),
    start_date date,
    end_date date,
    billing_frequency text NOT NULL,
    payment_terms text NOT NULL,
    valid_until date NOT NULL,
    notes text,
    requested_discount_pct numeric CHECK (requested_discount_pct BETWEEN 0 AND 100),
    subtotal numeric,
    discount_total numeric,
    tax_total numeric,
    total numeric,
    price_book_id text,
    pricing_trace_id text,
    policy_evaluation jsonb,
    content_hash text,
    priced_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    finalized_at timestamptz,
    sent_at timestamptz,
    superseded_at timestamptz,
    PRIMARY KEY (tenant, quote_id, version),
    FOREIGN KEY (tenant, quote_id) REFERENCES cpq.quotes,
    FOREIGN KEY (tenant, price_book_id) REFERENCES cpq.price_books
);
COMMENT ON COLUMN cpq.quote_versions.revision IS 'Rises with every update of the row, for optimistic checks.';
COMMENT ON COLUMN cpq.quote_versions.account IS
    'The account''s row as it was when this version was last created or priced: what the document prints.';

-- An offer ends by itself: nobody has to come by and say so.
CREATE FUNCTION cpq.status_now(status text, valid_until date) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
    WHEN status IN ('draft', 'priced', 'approved', 'sent') AND valid_until < (now() AT TIME ZONE 'UTC')::date
    THEN 'expired' ELSE status END;

CREATE TABLE cpq.quote_lines (
    tenant text NOT NULL REFERENCES quarry.tenants,
    quote_id text NOT NULL,
    version integer NOT NULL,
    id text NOT NULL CHECK (id ~ '^ql_[0-9]{3,}$'),
    sort_order integer NOT NULL CHECK (sort_order >= 1),
    product_id text NOT NULL,
    sku text NOT NULL,
    product_name text NOT NULL,
    description text NOT NULL,
    quantity integer NOT NULL CHECK (quantity >= 1),
    attributes jsonb NOT NULL,
    discount_pct numeric NOT NULL CHECK (discount_pct BETWEEN 0 AND 100),
    notes text,
    unit text,
    base_unit_price numeric,
    volume_tier jsonb,
    unit_price numeric,
    subtotal numeric,
    effective_discount_pct numeric,
    discount_amount numeric NOT NULL DEFAULT 0,
    tax_rate_pct numeric,
    tax_amount numeric,
    line_total numeric,
    PRIMARY KEY (tenant, quote_id, version, id),
    UNIQUE (tenant, quote_id, version, sort_order),
    FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions,
    FOREIGN KEY (tenant, product_id) REFERENCES cpq.products
);
COMMENT ON COLUMN cpq.quote_lines.discount_pct IS 'As asked for the line; effective_discount_pct has the quote''s discount in it.';
COMMENT ON COLUMN cpq.quote_lines.subtotal IS 'Before discount; line_total = subtotal - discount_amount, before tax.';

CREATE TABLE cpq.pricing_traces (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^pt_[a-z0-9]{1,90}$'),
    quote_id text NOT NULL,
    version integer NOT NULL,
    trace jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions
);
COMMENT ON TABLE cpq.pricing_traces IS 'Every pricing run is kept; quote_versions.pricing_trace_id names the one that holds.';

-- Each refers to the other, so one of the keys comes after both.
ALTER TABLE cpq.quote_versions ADD FOREIGN KEY (tenant, pricing_trace_id) REFERENCES cpq.pricing_traces;

-- Approvals.

CREATE TABLE cpq.approval_requests (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^APR-[0-9]{4}-[0-9]{4,}$'),
    quote_id text NOT NULL,
    version integer NOT NULL,
    content_hash text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'escalated', 'void')),
    approver_role text NOT NULL,
    level integer NOT NULL DEFAULT 1 CHECK (level >= 1),
    justification text NOT NULL,
    context jsonb NOT NULL,
    requested_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    decided_at timestamptz,
    decided_by text,
    approver_name text,
    decision_comment text,
    voided_at timestamptz,
    void_reason text,
    escalated_to text,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions,
    FOREIGN KEY (tenant, decided_by) REFERENCES cpq.approvers,
    FOREIGN KEY (tenant, escalated_to) REFERENCES cpq.approval_requests
);
CREATE UNIQUE INDEX approval_requests_open ON cpq.approval_requests (tenant, quote_id, version) WHERE status = 'pending';
CREATE INDEX approval_requests_created ON cpq.approval_requests (tenant, status, created_at, id);
CREATE INDEX approval_requests_quote ON cpq.approval_requests (tenant, quote_id);

CREATE TABLE cpq.approval_links (
    tenant text NOT NULL REFERENCES quarry.tenants,
    token_hash bytea NOT NULL,
    request_id text NOT NULL,
    approver_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (tenant, token_hash),
    FOREIGN KEY (tenant, request_id) REFERENCES cpq.approval_requests,
    FOREIGN KEY (tenant, approver_id) REFERENCES cpq.approvers
);
COMMENT ON COLUMN cpq.approval_links.token_hash IS 'SHA-256 of the token: the token itself is only in the link.';
CREATE INDEX approval_links_request ON cpq.approval_links (tenant, request_id);

CREATE TABLE cpq.approval_notices (
    tenant text NOT NULL REFERENCES quarry.tenants,
    request_id text NOT NULL,
    channel text NOT NULL CHECK (channel IN ('sns', 'slack')),
    recipient text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    sent_at timestamptz,
    reference text,
    last_error text,
    PRIMARY KEY (tenant, request_id, channel, recipient),
    FOREIGN KEY (tenant, request_id) REFERENCES cpq.approval_requests
);
COMMENT ON TABLE cpq.approval_notices IS 'What has to be sent: written with the request, so that a failure to send never loses it.';
COMMENT ON COLUMN cpq.approval_notices.recipient IS 'An approver, or the Slack channel that is told without a link.';
COMMENT ON COLUMN cpq.approval_notices.reference IS 'SNS message id or Slack timestamp.';

-- The record.

CREATE TABLE cpq.audit_heads (
    tenant text PRIMARY KEY REFERENCES quarry.tenants,
    seq bigint NOT NULL,
    hash text NOT NULL
);
COMMENT ON TABLE cpq.audit_heads IS 'The end of each chain: one whose last rows were cut off does not reach it.';

CREATE TABLE cpq.audit (
    tenant text NOT NULL REFERENCES quarry.tenants,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    request_id text NOT NULL,
    action text NOT NULL,
    subject_kind text NOT NULL,
    subject_id text NOT NULL,
    before jsonb,
    after jsonb,
    prev_hash text NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (tenant, seq)
);
COMMENT ON COLUMN cpq.audit.hash IS 'SHA-256 over a JSON array of the row''s fields as text, prev_hash first; cpq/audit.py computes it, too.';
CREATE INDEX audit_subject ON cpq.audit (tenant, subject_kind, subject_id, seq);

-- Runs as the owner: writers append, but choose neither number nor time nor hash. The head's row lock orders them.
CREATE FUNCTION cpq.chain_audit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO cpq.audit_heads AS h (tenant, seq, hash) VALUES (NEW.tenant, 0, repeat('0', 64))
    ON CONFLICT (tenant) DO UPDATE SET seq = h.seq
    RETURNING h.seq + 1, h.hash INTO NEW.seq, NEW.prev_hash;
    NEW.at := clock_timestamp(); -- after the lock, so that times never run backwards along a chain
    NEW.hash := encode(sha256(convert_to(jsonb_build_array(
        NEW.prev_hash, NEW.tenant, NEW.seq::text, to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        NEW.actor, NEW.request_id, NEW.action, NEW.subject_kind, NEW.subject_id, NEW.before::text, NEW.after::text
    )::text, 'UTF8')), 'hex');
    UPDATE cpq.audit_heads h SET seq = NEW.seq, hash = NEW.hash WHERE h.tenant = NEW.tenant;
    RETURN NEW;
END $$;
CREATE TRIGGER chain BEFORE INSERT ON cpq.audit FOR EACH ROW EXECUTE FUNCTION cpq.chain_audit();

CREATE FUNCTION cpq.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cpq.audit
    FOR EACH STATEMENT EXECUTE FUNCTION cpq.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cpq.pricing_traces
    FOR EACH STATEMENT EXECUTE FUNCTION cpq.refuse_change();

CREATE TABLE cpq.documents (
    tenant text NOT NULL REFERENCES quarry.tenants,
    quote_id text NOT NULL,
    version integer NOT NULL,
    template text NOT NULL,
    options_sha256 text NOT NULL,
    options jsonb NOT NULL,
    bucket text NOT NULL,
    key text NOT NULL,
    sha256 text NOT NULL,
    bytes integer NOT NULL CHECK (bytes > 0),
    generated_at timestamptz NOT NULL DEFAULT now(),
    generated_by text NOT NULL,
    PRIMARY KEY (tenant, quote_id, version, template, options_sha256),
    FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions
);

CREATE TABLE cpq.idempotency_keys (
    tenant text NOT NULL REFERENCES quarry.tenants,
    tool text NOT NULL,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    arguments_sha256 text NOT NULL,
    response jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, tool, key)
);
CREATE INDEX idempotency_keys_age ON cpq.idempotency_keys (tenant, created_at);
COMMENT ON COLUMN cpq.idempotency_keys.response IS 'NULL only inside the transaction that does the work.';

-- Who may do what.

DO $$
DECLARE
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY[
        'discount_policies', 'approvers', 'accounts', 'products', 'product_words', 'words', 'product_relationships',
        'price_books', 'price_book_entries', 'tax_rules', 'counters', 'quotes', 'quote_versions', 'quote_lines',
        'pricing_traces', 'approval_requests', 'approval_links', 'approval_notices', 'audit_heads', 'audit', 'documents',
        'idempotency_keys'] LOOP
        PERFORM quarry.isolate(format('cpq.%I', target)::regclass);
        EXECUTE format('GRANT SELECT ON cpq.%I TO quarry_read, quarry_write', target);
    END LOOP;
    FOREACH target IN ARRAY ARRAY[
        'discount_policies', 'approvers', 'accounts', 'products', 'product_relationships', 'price_books', 'tax_rules'] LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE ON cpq.%I TO quarry_ingest', target);
    END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON cpq.product_words TO quarry_ingest;
GRANT SELECT, INSERT ON cpq.words TO quarry_ingest;
GRANT SELECT, INSERT, UPDATE (superseded_at) ON cpq.price_book_entries TO quarry_ingest;

-- What tools do. They can ask for a decision and void it, but not take it.
GRANT INSERT, UPDATE ON cpq.counters, cpq.quotes, cpq.quote_versions, cpq.quote_lines, cpq.approval_notices, cpq.documents,
    cpq.idempotency_keys TO quarry_write;
GRANT INSERT ON cpq.pricing_traces TO quarry_write;
GRANT INSERT (tenant, id, quote_id, version, content_hash, status, approver_role, level, justification, context,
    requested_by, expires_at) ON cpq.approval_requests TO quarry_write;
GRANT UPDATE (status, voided_at, void_reason, escalated_to) ON cpq.approval_requests TO quarry_write;
GRANT INSERT (tenant, token_hash, request_id, approver_id, expires_at) ON cpq.approval_links TO quarry_write;
GRANT INSERT (tenant, actor, request_id, action, subject_kind, subject_id, before, after) ON cpq.audit TO quarry_write;

CREATE POLICY asks ON cpq.approval_requests AS RESTRICTIVE FOR INSERT TO quarry_write
    WITH CHECK (status = 'pending');
CREATE POLICY closes ON cpq.approval_requests AS RESTRICTIVE FOR UPDATE TO quarry_write
    USING (true) WITH CHECK (status NOT IN ('approved', 'rejected'));
CREATE POLICY drafts ON cpq.quote_versions AS RESTRICTIVE FOR INSERT TO quarry_write
    WITH CHECK (status NOT IN ('approved', 'rejected'));
CREATE POLICY revises ON cpq.quote_versions AS RESTRICTIVE FOR UPDATE TO quarry_write
    USING (true) WITH CHECK (status NOT IN ('approved', 'rejected'));
CREATE POLICY records_no_decision ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_write
    WITH CHECK (action NOT IN ('approval.approved', 'approval.rejected'));

-- The answers that a repeated write gets again are kept for a month. Nobody deletes a younger one: its write would be
-- done twice.
GRANT DELETE ON cpq.idempotency_keys TO quarry_write;
CREATE POLICY old_enough ON cpq.idempotency_keys AS RESTRICTIVE FOR DELETE TO quarry_write
    USING (created_at < now() - interval '30 days');

-- What the approval page shows.
GRANT SELECT ON cpq.accounts, cpq.approvers, cpq.discount_policies, cpq.quotes, cpq.quote_versions, cpq.quote_lines,
    cpq.pricing_traces, cpq.approval_requests, cpq.approval_links TO quarry_approve;

-- What it does: it alone decides. To lock a quote takes the right to update some column of it: this one can only stay what
-- it is.
GRANT UPDATE (tenant) ON cpq.quotes TO quarry_approve;
GRANT UPDATE (status, decided_at, decided_by, approver_name, decision_comment) ON cpq.approval_requests TO quarry_approve;
GRANT UPDATE (status, revision, updated_at, finalized_at) ON cpq.quote_versions TO quarry_approve;
GRANT UPDATE (used_at) ON cpq.approval_links TO quarry_approve;
GRANT INSERT (tenant, actor, request_id, action, subject_kind, subject_id, before, after) ON cpq.audit TO quarry_approve;

CREATE POLICY decides_what_is_open ON cpq.approval_requests AS RESTRICTIVE FOR UPDATE TO quarry_approve
    USING (status = 'pending' AND expires_at > now())
    WITH CHECK (status IN ('approved', 'rejected') AND decided_at IS NOT NULL AND decided_by IS NOT NULL);
CREATE POLICY decides_what_is_open ON cpq.quote_versions AS RESTRICTIVE FOR UPDATE TO quarry_approve
    USING (status = 'pending_approval') WITH CHECK (status IN ('approved', 'rejected'));
CREATE POLICY records_decisions ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_approve
    WITH CHECK (action IN ('approval.approved', 'approval.rejected'));
