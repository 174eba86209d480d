-- The quotes toolset: past quotes and their line items, verbatim.

CREATE SCHEMA quotes;
GRANT USAGE ON SCHEMA quotes TO quarry_read, quarry_write, quarry_approve, quarry_ingest;

CREATE TABLE quotes.past_quotes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    quote_number text NOT NULL,
    customer text NOT NULL,
    contact text,
    quote_date date NOT NULL,
    project text NOT NULL,
    summary text NOT NULL,
    industry text,
    salesperson text,
    status text NOT NULL CHECK (status IN ('won', 'lost', 'open')),
    total_price numeric(14, 4),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    terms text,
    price_rationale text,
    contents text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, quote_number),
    UNIQUE (tenant, id)
);
COMMENT ON COLUMN quotes.past_quotes.contents IS 'What its lines are and why they were priced so, kept by their triggers.';
SELECT quarry.isolate('quotes.past_quotes');
GRANT SELECT ON quotes.past_quotes TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, INSERT, UPDATE, DELETE ON quotes.past_quotes TO quarry_ingest;

CREATE FUNCTION quotes.past_quote_document(q quotes.past_quotes) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        q.project,
        concat_ws(', ', q.customer, q.industry, q.quote_number, q.status, q.salesperson, q.contact),
        concat_ws(E'\n', q.summary, q.price_rationale, q.contents))::search.document
$$;

CREATE TABLE quotes.line_items (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL REFERENCES quarry.tenants,
    quote_id bigint NOT NULL,
    position integer NOT NULL CHECK (position > 0),
    category text NOT NULL,
    category_key text NOT NULL GENERATED ALWAYS AS (lower(category)) STORED,
    family text NOT NULL CHECK (family IN (
        'compressor', 'vacuum_pump', 'dryer', 'blower', 'receiver', 'filtration', 'accessory', 'service')),
    manufacturer text,
    model text,
    model_key text GENERATED ALWAYS AS (equipment.model_key(model)) STORED,
    product_id bigint,
    description text NOT NULL,
    quantity numeric(12, 3) NOT NULL CHECK (quantity > 0),
    unit_price numeric(14, 4),
    extended_price numeric(14, 4),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    optional boolean NOT NULL DEFAULT false,
    hp double precision,
    cfm double precision,
    psi double precision,
    vacuum_inhg double precision,
    lubrication text CHECK (lubrication IN ('oilless', 'oil-free', 'oil-flooded')),
    price_note text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, quote_id, position),
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes.past_quotes (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, product_id) REFERENCES equipment.products (tenant, id) ON DELETE SET NULL (product_id)
);
COMMENT ON COLUMN quotes.line_items.description IS 'Verbatim, typos included; never normalised or trimmed.';
COMMENT ON COLUMN quotes.line_items.product_id IS 'The catalogue product of that manufacturer and model, where there is one.';
CREATE INDEX line_items_product ON quotes.line_items (product_id);
CREATE INDEX line_items_model_key ON quotes.line_items (tenant, model_key);
-- Filters, as those of equipment.products.
CREATE INDEX line_items_category ON quotes.line_items (tenant, category_key)
    INCLUDE (id, hp, cfm, psi, lubrication, family);
CREATE INDEX line_items_family ON quotes.line_items (tenant, family)
    INCLUDE (id, hp, cfm, psi, lubrication, category_key);
CREATE INDEX line_items_hp ON quotes.line_items (tenant, hp)
    INCLUDE (id, cfm, psi, lubrication, category_key, family);
CREATE INDEX line_items_cfm ON quotes.line_items (tenant, cfm)
    INCLUDE (id, hp, psi, lubrication, category_key, family);
CREATE INDEX line_items_psi ON quotes.line_items (tenant, psi)
    INCLUDE (id, hp, cfm, lubrication, category_key, family);
CREATE INDEX line_items_lubrication ON quotes.line_items (tenant, lubrication)
    INCLUDE (id, hp, cfm, psi, category_key, family);
CREATE UNIQUE INDEX line_items_filters ON quotes.line_items (id)
    INCLUDE (tenant, hp, cfm, psi, lubrication, category_key, family);
SELECT quarry.isolate('quotes.line_items');
GRANT SELECT ON quotes.line_items TO quarry_read, quarry_write, quarry_approve;
GRANT SELECT, INSERT, UPDATE, DELETE ON quotes.line_items TO quarry_ingest;

CREATE FUNCTION quotes.line_item_document(l quotes.line_items) RETURNS search.document
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ROW(
        concat_ws(' ', l.manufacturer, l.model),
        concat_ws(', ', lower(l.category), l.lubrication, l.hp || ' HP'),
        l.description)::search.document
$$;

SELECT search.attach('quotes.past_quotes', 'quotes.past_quote_document');
SELECT search.attach('quotes.line_items', 'quotes.line_item_document');
CREATE INDEX line_items_documents_fingerprint ON quotes.line_items_documents (tenant, fingerprint);

-- A line never moves to another quote. Fires behind the search triggers (by name), so that whoever writes lines locks
-- their index first and that of the quotes second, as a cascade from a deleted quote does.
CREATE FUNCTION quotes.tell_contents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE quotes.past_quotes q SET contents = c.contents
    FROM (SELECT w.quote_id, (
              SELECT left(string_agg(l.said, E'\n'), 4000)
              FROM (SELECT concat_ws(' ', lower(l.category), l.manufacturer, l.model) || coalesce(': ' || left(l.price_note, 300), '')
                           AS said
                    FROM quotes.line_items l WHERE l.tenant = quarry.current_tenant() AND l.quote_id = w.quote_id
                    ORDER BY l.position LIMIT 100) l) AS contents
          FROM (SELECT DISTINCT quote_id FROM written) w) c
    WHERE q.id = c.quote_id AND q.contents IS DISTINCT FROM c.contents;
    RETURN NULL;
END $$;
CREATE TRIGGER tell_insert AFTER INSERT ON quotes.line_items REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_contents();
CREATE TRIGGER tell_update AFTER UPDATE ON quotes.line_items REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_contents();
CREATE TRIGGER tell_delete AFTER DELETE ON quotes.line_items REFERENCING OLD TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_contents();

-- The approval page shows what search finds of past quotes.
GRANT SELECT ON quotes.line_items_terms, quotes.line_items_postings, quotes.line_items_spellings, quotes.line_items_documents,
    quotes.line_items_totals, quotes.line_items_vectors TO quarry_approve;
