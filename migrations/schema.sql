-- What the migrations make, to be read and never run: `make schema` writes it, a test compares it with a migrated
-- database. Every table stands with its keys, indexes, triggers, policies and rights; quarry_owner owns all of them.
-- Vectors are as long as those of the local model.

-- Roles

ALTER ROLE quarry_approve SET "hnsw.ef_search" TO '300';
ALTER ROLE quarry_approve SET "hnsw.iterative_scan" TO 'relaxed_order';
ALTER ROLE quarry_approve SET "hnsw.max_scan_tuples" TO '200000';
ALTER ROLE quarry_approve SET idle_in_transaction_session_timeout TO '30s';
ALTER ROLE quarry_approve SET idle_session_timeout TO '2min';
ALTER ROLE quarry_approve SET jit TO 'off';
ALTER ROLE quarry_approve SET lock_timeout TO '10s';
ALTER ROLE quarry_approve SET plan_cache_mode TO 'force_custom_plan';
ALTER ROLE quarry_approve SET statement_timeout TO '25s';
ALTER ROLE quarry_approve SET work_mem TO '32MB';
ALTER ROLE quarry_approve WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 60;
ALTER ROLE quarry_ingest SET "hnsw.ef_search" TO '300';
ALTER ROLE quarry_ingest SET "hnsw.iterative_scan" TO 'relaxed_order';
ALTER ROLE quarry_ingest SET "hnsw.max_scan_tuples" TO '200000';
ALTER ROLE quarry_ingest SET idle_in_transaction_session_timeout TO '2min';
ALTER ROLE quarry_ingest SET idle_session_timeout TO '15min';
ALTER ROLE quarry_ingest SET jit TO 'off';
ALTER ROLE quarry_ingest SET plan_cache_mode TO 'auto';
ALTER ROLE quarry_ingest SET statement_timeout TO '10min';
ALTER ROLE quarry_ingest SET work_mem TO '32MB';
ALTER ROLE quarry_ingest WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 60;
ALTER ROLE quarry_keys SET idle_in_transaction_session_timeout TO '30s';
ALTER ROLE quarry_keys SET idle_session_timeout TO '2min';
ALTER ROLE quarry_keys SET lock_timeout TO '10s';
ALTER ROLE quarry_keys SET statement_timeout TO '25s';
ALTER ROLE quarry_keys WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 20;
ALTER ROLE quarry_read SET "hnsw.ef_search" TO '300';
ALTER ROLE quarry_read SET "hnsw.iterative_scan" TO 'relaxed_order';
ALTER ROLE quarry_read SET "hnsw.max_scan_tuples" TO '200000';
ALTER ROLE quarry_read SET idle_in_transaction_session_timeout TO '30s';
ALTER ROLE quarry_read SET idle_session_timeout TO '2min';
ALTER ROLE quarry_read SET jit TO 'off';
ALTER ROLE quarry_read SET lock_timeout TO '10s';
ALTER ROLE quarry_read SET plan_cache_mode TO 'force_custom_plan';
ALTER ROLE quarry_read SET statement_timeout TO '25s';
ALTER ROLE quarry_read SET work_mem TO '32MB';
ALTER ROLE quarry_read WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 120;
ALTER ROLE quarry_write SET "hnsw.ef_search" TO '300';
ALTER ROLE quarry_write SET "hnsw.iterative_scan" TO 'relaxed_order';
ALTER ROLE quarry_write SET "hnsw.max_scan_tuples" TO '200000';
ALTER ROLE quarry_write SET idle_in_transaction_session_timeout TO '30s';
ALTER ROLE quarry_write SET idle_session_timeout TO '2min';
ALTER ROLE quarry_write SET jit TO 'off';
ALTER ROLE quarry_write SET lock_timeout TO '10s';
ALTER ROLE quarry_write SET plan_cache_mode TO 'force_custom_plan';
ALTER ROLE quarry_write SET statement_timeout TO '25s';
ALTER ROLE quarry_write SET work_mem TO '32MB';
ALTER ROLE quarry_write WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 120;

-- vector

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

-- cpq

CREATE SCHEMA cpq;
GRANT USAGE ON SCHEMA cpq TO quarry_read;
GRANT USAGE ON SCHEMA cpq TO quarry_write;
GRANT USAGE ON SCHEMA cpq TO quarry_approve;
GRANT USAGE ON SCHEMA cpq TO quarry_ingest;

-- cpq.after_work(start timestamp with time zone, hours integer, approver cpq.approvers)

COMMENT ON FUNCTION cpq.after_work(start timestamp with time zone, hours integer, approver cpq.approvers) IS 'The moment when the approver has worked so many hours.';

-- cpq.after_work(timestamp with time zone, integer, cpq.approvers)

CREATE FUNCTION cpq.after_work(start timestamp with time zone, hours integer, approver cpq.approvers) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    left_over interval := make_interval(hours => hours);
    zone text := coalesce(approver.time_zone, 'UTC');
    day date := (start AT TIME ZONE zone)::date;
    opens timestamptz;
    closes timestamptz;
BEGIN
    IF approver.work_from IS NULL THEN
        RETURN start + left_over;
    END IF;
    -- The longest time to decide is a year of hours, which are three and a half years of working days.
    FOR ahead IN 0..3660 LOOP
        IF extract(isodow FROM day + ahead) = ANY (approver.work_days) AND day + ahead <> ALL (approver.days_off) THEN
            opens := greatest(start, (day + ahead + approver.work_from) AT TIME ZONE zone);
            closes := (day + ahead + approver.work_until) AT TIME ZONE zone;
            IF closes - opens >= left_over THEN
                RETURN opens + left_over;
            END IF;
            left_over := left_over - greatest(closes - opens, interval '0');
        END IF;
    END LOOP;
    RETURN start + make_interval(hours => hours);
END $$;

-- cpq.chain_audit()

CREATE FUNCTION cpq.chain_audit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

-- cpq.deadline(approver_role text, requested_by text, hours integer)

COMMENT ON FUNCTION cpq.deadline(approver_role text, requested_by text, hours integer) IS 'When the first of those who may decide has had the hours for it.';

-- cpq.deadline(text, text, integer)

CREATE FUNCTION cpq.deadline(approver_role text, requested_by text, hours integer) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT COALESCE(min(cpq.after_work(now(), deadline.hours, p.*)), (now() + make_interval(hours => deadline.hours))) AS "coalesce"
    FROM cpq.deciders(deadline.approver_role, deadline.requested_by) p(tenant, id, role, name, email, slack_user_id, active, updated_at, time_zone, work_days, work_from, work_until, days_off);
END;

-- cpq.deciders(approver_role text, requested_by text)

COMMENT ON FUNCTION cpq.deciders(approver_role text, requested_by text) IS 'Active approvers of the role, and those who decide in the place of one.';

-- cpq.deciders(text, text)

CREATE FUNCTION cpq.deciders(approver_role text, requested_by text) RETURNS SETOF cpq.approvers
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT p.tenant,
     p.id,
     p.role,
     p.name,
     p.email,
     p.slack_user_id,
     p.active,
     p.updated_at,
     p.time_zone,
     p.work_days,
     p.work_from,
     p.work_until,
     p.days_off
    FROM cpq.approvers p
   WHERE ((p.tenant = quarry.current_tenant()) AND p.active AND (NOT cpq.is_person(deciders.requested_by, p.email)) AND ((p.role = deciders.approver_role) OR (EXISTS ( SELECT
            FROM (cpq.approval_delegations d
              JOIN cpq.approvers a ON (((a.tenant = d.tenant) AND (a.id = d.approver_id))))
           WHERE ((d.tenant = p.tenant) AND (d.delegate_id = p.id) AND a.active AND (a.role = deciders.approver_role) AND (NOT cpq.is_person(deciders.requested_by, a.email)) AND (((now() AT TIME ZONE COALESCE(a.time_zone, 'UTC'::text)))::date <= d.until))))));
END;

-- cpq.follow_decision()

CREATE FUNCTION cpq.follow_decision() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF NEW.status = 'rejected' THEN
        UPDATE cpq.approval_requests r
        SET status = 'void', voided_at = now(), void_reason = format('%s was rejected.', NEW.id)
        WHERE r.tenant = NEW.tenant AND r.quote_id = NEW.quote_id AND r.version = NEW.version
            AND r.status IN ('pending', 'waiting');
    ELSIF NOT EXISTS (
        SELECT FROM cpq.approval_requests r
        WHERE r.tenant = NEW.tenant AND r.quote_id = NEW.quote_id AND r.version = NEW.version AND r.status = 'pending')
    THEN
        UPDATE cpq.approval_requests r
        SET status = 'pending', expires_at = CASE
            WHEN r.hours IS NULL THEN now() + (r.expires_at - r.created_at)
            ELSE cpq.deadline(r.approver_role, r.requested_by, r.hours) END
        WHERE r.tenant = NEW.tenant AND r.id = (
            SELECT w.id FROM cpq.approval_requests w
            WHERE w.tenant = NEW.tenant AND w.quote_id = NEW.quote_id AND w.version = NEW.version
                AND w.status = 'waiting'
            ORDER BY w.level, w.id LIMIT 1);
    END IF;
    RETURN NULL;
END $$;

-- cpq.index_words(text, text[])

CREATE FUNCTION cpq.index_words(tenant text, ids text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
        FROM parts)
    INSERT INTO cpq.product_words (tenant, word, product_id, weight)
    SELECT index_words.tenant, l.word, l.id, max(l.weight) FROM lexemes l GROUP BY l.word, l.id ORDER BY l.word, l.id;
END $$;

-- cpq.is_person(subject text, address text)

COMMENT ON FUNCTION cpq.is_person(subject text, address text) IS 'Whether a subject is this address, or an approver who has it.';

-- cpq.is_person(text, text)

CREATE FUNCTION cpq.is_person(subject text, address text) RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT ((lower(subject) = lower(address)) OR (EXISTS ( SELECT
            FROM cpq.approvers o
           WHERE ((o.tenant = quarry.current_tenant()) AND (lower(o.id) = lower(is_person.subject)) AND (lower(o.email) = lower(is_person.address))))));
END;

-- cpq.on_products_insert()

CREATE FUNCTION cpq.on_products_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM cpq.index_words(n.tenant, array_agg(n.id)) FROM new_rows n GROUP BY n.tenant;
    RETURN NULL;
END $$;

-- cpq.on_products_update()

CREATE FUNCTION cpq.on_products_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM cpq.index_words(n.tenant, array_agg(n.id))
    FROM new_rows n JOIN old_rows o ON o.tenant = n.tenant AND o.id = n.id
    WHERE (o.name, o.sku, o.model, o.category, o.manufacturer, o.description)
        IS DISTINCT FROM (n.name, n.sku, n.model, n.category, n.manufacturer, n.description)
    GROUP BY n.tenant;
    RETURN NULL;
END $$;

-- cpq.refuse_change()

CREATE FUNCTION cpq.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

-- cpq.status_now(text, date)

CREATE FUNCTION cpq.status_now(status text, valid_until date) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN ((status = ANY (ARRAY['draft'::text, 'priced'::text, 'approved'::text, 'sent'::text])) AND (valid_until < ((now() AT TIME ZONE 'UTC'::text))::date)) THEN 'expired'::text ELSE status END;

-- cpq.supersede_entry()

CREATE FUNCTION cpq.supersede_entry() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE cpq.price_book_entries e SET superseded_at = NEW.valid_from
    WHERE e.tenant = NEW.tenant AND e.price_book_id = NEW.price_book_id AND e.product_id = NEW.product_id
      AND e.superseded_at IS NULL;
    NEW.version := 1 + coalesce((
        SELECT max(e.version) FROM cpq.price_book_entries e
        WHERE e.tenant = NEW.tenant AND e.price_book_id = NEW.price_book_id AND e.product_id = NEW.product_id), 0);
    RETURN NEW;
END $$;

-- cpq.accounts

CREATE TABLE cpq.accounts (
    tenant text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    segment text NOT NULL,
    currency text NOT NULL,
    country text NOT NULL,
    region text,
    billing_address jsonb,
    shipping_address jsonb,
    contact_name text,
    contact_email text,
    tax_id text,
    tax_exempt boolean DEFAULT false NOT NULL,
    customer_since date,
    owned_products text[] DEFAULT '{}'::text[] NOT NULL,
    invoices_paid integer,
    invoices_paid_on_time integer,
    competitor_discount_pct numeric,
    active boolean DEFAULT true NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    prospect boolean DEFAULT false NOT NULL,
    billing_frequency text,
    payment_terms text,
    language text,
    company_key text,
    delivery_terms text,
    discount_pct numeric,
    salesperson text,
    CONSTRAINT accounts_billing_frequency_check CHECK ((billing_frequency = ANY (ARRAY['one_time'::text, 'monthly'::text, 'quarterly'::text, 'annual'::text]))),
    CONSTRAINT accounts_check CHECK (((invoices_paid_on_time >= 0) AND (invoices_paid_on_time <= invoices_paid))),
    CONSTRAINT accounts_competitor_discount_pct_check CHECK (((competitor_discount_pct >= (0)::numeric) AND (competitor_discount_pct <= (100)::numeric))),
    CONSTRAINT accounts_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT accounts_delivery_terms_check CHECK ((delivery_terms <> ''::text)),
    CONSTRAINT accounts_discount_pct_check CHECK (((discount_pct >= (0)::numeric) AND (discount_pct <= (100)::numeric))),
    CONSTRAINT accounts_id_check CHECK ((id ~ '^acct_[a-z0-9_]{1,90}$'::text)),
    CONSTRAINT accounts_invoices_paid_check CHECK ((invoices_paid >= 0)),
    CONSTRAINT accounts_language_check CHECK ((language ~ '^[a-z]{2}$'::text)),
    CONSTRAINT accounts_payment_terms_check CHECK ((payment_terms <> ''::text)),
    CONSTRAINT accounts_salesperson_check CHECK ((salesperson <> ''::text)),
    CONSTRAINT accounts_segment_check CHECK ((segment ~ '^[a-z0-9_]{1,60}$'::text))
);
ALTER TABLE ONLY cpq.accounts FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.accounts.segment IS 'Names a discount policy; an account of a segment without one is not ingested.';
COMMENT ON COLUMN cpq.accounts.billing_address IS '{"lines": […], "city": …, "region": …, "postal_code": …, "country": "US"}, printed in this order.';
COMMENT ON COLUMN cpq.accounts.owned_products IS 'Ids of products the customer has already: they satisfy a requires.';
COMMENT ON COLUMN cpq.accounts.competitor_discount_pct IS 'As the CRM knows it; NULL when nobody has seen such an offer.';
COMMENT ON COLUMN cpq.accounts.prospect IS 'Entered with a quote, not ingested: nobody has checked what it says.';
COMMENT ON COLUMN cpq.accounts.payment_terms IS 'As agreed with this customer; NULL: those of the house.';
COMMENT ON COLUMN cpq.accounts.company_key IS 'The account''s name as search.company_key has it; a trigger keeps it.';
COMMENT ON COLUMN cpq.accounts.delivery_terms IS 'As letters say it: DAP Graz. Else the house''s fact delivery holds.';
COMMENT ON COLUMN cpq.accounts.discount_pct IS 'Holds for lines of its quotes that have no discount of their own.';
COMMENT ON COLUMN cpq.accounts.salesperson IS 'Who of the house looks after the customer.';
ALTER TABLE ONLY cpq.accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY (tenant, id);
CREATE INDEX accounts_company ON cpq.accounts USING btree (tenant, company_key);
CREATE TRIGGER company_key BEFORE INSERT OR UPDATE OF name ON cpq.accounts FOR EACH ROW EXECUTE FUNCTION search.keep_company_key('name');
CREATE TRIGGER note_delete AFTER DELETE ON cpq.accounts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.accounts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.accounts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
ALTER TABLE ONLY cpq.accounts ADD CONSTRAINT accounts_currency_fkey FOREIGN KEY (currency) REFERENCES cpq.currencies(currency);
ALTER TABLE ONLY cpq.accounts ADD CONSTRAINT accounts_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY prospects_only ON cpq.accounts AS RESTRICTIVE FOR INSERT TO quarry_write WITH CHECK (prospect);
CREATE POLICY tenant_isolation ON cpq.accounts USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.accounts TO quarry_read;
GRANT SELECT ON TABLE cpq.accounts TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.accounts TO quarry_ingest;
GRANT SELECT ON TABLE cpq.accounts TO quarry_approve;
GRANT INSERT(tenant) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(id) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(name) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(segment) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(currency) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(country) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(region) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(billing_address) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(contact_name) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(contact_email) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(tax_exempt) ON TABLE cpq.accounts TO quarry_write;
GRANT INSERT(prospect) ON TABLE cpq.accounts TO quarry_write;

-- cpq.approval_delegations

CREATE TABLE cpq.approval_delegations (
    tenant text NOT NULL,
    approver_id text NOT NULL,
    delegate_id text NOT NULL,
    until date NOT NULL,
    delegated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT approval_delegations_check CHECK ((delegate_id <> approver_id))
);
ALTER TABLE ONLY cpq.approval_delegations FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.approval_delegations IS 'Who decides beside an approver, up to the end of a day where the approver is.';
ALTER TABLE ONLY cpq.approval_delegations ADD CONSTRAINT approval_delegations_pkey PRIMARY KEY (tenant, approver_id);
CREATE INDEX approval_delegations_delegate ON cpq.approval_delegations USING btree (tenant, delegate_id);
ALTER TABLE ONLY cpq.approval_delegations ADD CONSTRAINT approval_delegations_tenant_approver_id_fkey FOREIGN KEY (tenant, approver_id) REFERENCES cpq.approvers(tenant, id);
ALTER TABLE ONLY cpq.approval_delegations ADD CONSTRAINT approval_delegations_tenant_delegate_id_fkey FOREIGN KEY (tenant, delegate_id) REFERENCES cpq.approvers(tenant, id);
ALTER TABLE ONLY cpq.approval_delegations ADD CONSTRAINT approval_delegations_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.approval_delegations ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.approval_delegations USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.approval_delegations TO quarry_read;
GRANT SELECT ON TABLE cpq.approval_delegations TO quarry_write;
GRANT SELECT ON TABLE cpq.approval_delegations TO quarry_approve;
GRANT INSERT(tenant) ON TABLE cpq.approval_delegations TO quarry_approve;
GRANT INSERT(approver_id) ON TABLE cpq.approval_delegations TO quarry_approve;
GRANT INSERT(delegate_id),UPDATE(delegate_id) ON TABLE cpq.approval_delegations TO quarry_approve;
GRANT INSERT(until),UPDATE(until) ON TABLE cpq.approval_delegations TO quarry_approve;
GRANT UPDATE(delegated_at) ON TABLE cpq.approval_delegations TO quarry_approve;

-- cpq.approval_links

CREATE TABLE cpq.approval_links (
    tenant text NOT NULL,
    token_hash bytea NOT NULL,
    request_id text NOT NULL,
    approver_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);
ALTER TABLE ONLY cpq.approval_links FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.approval_links.token_hash IS 'SHA-256 of the token: the token itself is only in the link.';
ALTER TABLE ONLY cpq.approval_links ADD CONSTRAINT approval_links_pkey PRIMARY KEY (tenant, token_hash);
CREATE INDEX approval_links_request ON cpq.approval_links USING btree (tenant, request_id);
ALTER TABLE ONLY cpq.approval_links ADD CONSTRAINT approval_links_tenant_approver_id_fkey FOREIGN KEY (tenant, approver_id) REFERENCES cpq.approvers(tenant, id);
ALTER TABLE ONLY cpq.approval_links ADD CONSTRAINT approval_links_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.approval_links ADD CONSTRAINT approval_links_tenant_request_id_fkey FOREIGN KEY (tenant, request_id) REFERENCES cpq.approval_requests(tenant, id);
ALTER TABLE cpq.approval_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.approval_links USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.approval_links TO quarry_read;
GRANT SELECT ON TABLE cpq.approval_links TO quarry_write;
GRANT SELECT ON TABLE cpq.approval_links TO quarry_approve;
GRANT INSERT(tenant) ON TABLE cpq.approval_links TO quarry_write;
GRANT INSERT(token_hash) ON TABLE cpq.approval_links TO quarry_write;
GRANT INSERT(request_id) ON TABLE cpq.approval_links TO quarry_write;
GRANT INSERT(approver_id) ON TABLE cpq.approval_links TO quarry_write;
GRANT INSERT(expires_at) ON TABLE cpq.approval_links TO quarry_write;
GRANT UPDATE(used_at) ON TABLE cpq.approval_links TO quarry_approve;

-- cpq.approval_notices

CREATE TABLE cpq.approval_notices (
    tenant text NOT NULL,
    request_id text NOT NULL,
    channel text NOT NULL,
    recipient text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    sent_at timestamp with time zone,
    reference text,
    last_error text,
    CONSTRAINT approval_notices_channel_check CHECK ((channel = ANY (ARRAY['sns'::text, 'slack'::text])))
);
ALTER TABLE ONLY cpq.approval_notices FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.approval_notices IS 'What has to be sent: written with the request, so that a failure to send never loses it.';
COMMENT ON COLUMN cpq.approval_notices.recipient IS 'An approver, or the Slack channel that is told without a link.';
COMMENT ON COLUMN cpq.approval_notices.reference IS 'SNS message id or Slack timestamp.';
ALTER TABLE ONLY cpq.approval_notices ADD CONSTRAINT approval_notices_pkey PRIMARY KEY (tenant, request_id, channel, recipient);
ALTER TABLE ONLY cpq.approval_notices ADD CONSTRAINT approval_notices_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.approval_notices ADD CONSTRAINT approval_notices_tenant_request_id_fkey FOREIGN KEY (tenant, request_id) REFERENCES cpq.approval_requests(tenant, id);
ALTER TABLE cpq.approval_notices ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.approval_notices USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.approval_notices TO quarry_read;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.approval_notices TO quarry_write;

-- cpq.approval_questions

CREATE TABLE cpq.approval_questions (
    tenant text NOT NULL,
    id bigint NOT NULL,
    request_id text NOT NULL,
    approver_id text NOT NULL,
    approver_name text NOT NULL,
    question text NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    answer text,
    answered_by text,
    answered_at timestamp with time zone,
    CONSTRAINT approval_questions_question_check CHECK ((question <> ''::text))
);
ALTER TABLE ONLY cpq.approval_questions FORCE ROW LEVEL SECURITY;
ALTER TABLE cpq.approval_questions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cpq.approval_questions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY cpq.approval_questions ADD CONSTRAINT approval_questions_pkey PRIMARY KEY (tenant, id);
CREATE INDEX approval_questions_request ON cpq.approval_questions USING btree (tenant, request_id);
ALTER TABLE ONLY cpq.approval_questions ADD CONSTRAINT approval_questions_tenant_approver_id_fkey FOREIGN KEY (tenant, approver_id) REFERENCES cpq.approvers(tenant, id);
ALTER TABLE ONLY cpq.approval_questions ADD CONSTRAINT approval_questions_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.approval_questions ADD CONSTRAINT approval_questions_tenant_request_id_fkey FOREIGN KEY (tenant, request_id) REFERENCES cpq.approval_requests(tenant, id);
ALTER TABLE cpq.approval_questions ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.approval_questions USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.approval_questions TO quarry_read;
GRANT SELECT ON TABLE cpq.approval_questions TO quarry_write;
GRANT SELECT ON TABLE cpq.approval_questions TO quarry_approve;
GRANT INSERT(tenant) ON TABLE cpq.approval_questions TO quarry_approve;
GRANT INSERT(request_id) ON TABLE cpq.approval_questions TO quarry_approve;
GRANT INSERT(approver_id) ON TABLE cpq.approval_questions TO quarry_approve;
GRANT INSERT(approver_name) ON TABLE cpq.approval_questions TO quarry_approve;
GRANT INSERT(question) ON TABLE cpq.approval_questions TO quarry_approve;
GRANT UPDATE(answer) ON TABLE cpq.approval_questions TO quarry_write;
GRANT UPDATE(answered_by) ON TABLE cpq.approval_questions TO quarry_write;
GRANT UPDATE(answered_at) ON TABLE cpq.approval_questions TO quarry_write;

-- cpq.approval_requests

CREATE TABLE cpq.approval_requests (
    tenant text NOT NULL,
    id text NOT NULL,
    quote_id text NOT NULL,
    version integer NOT NULL,
    content_hash text NOT NULL,
    status text NOT NULL,
    approver_role text NOT NULL,
    level integer DEFAULT 1 NOT NULL,
    justification text NOT NULL,
    context jsonb NOT NULL,
    requested_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decided_by text,
    approver_name text,
    decision_comment text,
    voided_at timestamp with time zone,
    void_reason text,
    escalated_to text,
    approved_up_to_pct numeric,
    hours integer,
    CONSTRAINT approval_requests_check CHECK (((approved_up_to_pct IS NULL) OR (((approved_up_to_pct >= (0)::numeric) AND (approved_up_to_pct <= (100)::numeric)) AND (status = 'rejected'::text)))),
    CONSTRAINT approval_requests_hours_check CHECK ((hours > 0)),
    CONSTRAINT approval_requests_id_check CHECK ((id ~ '^APR-[0-9]{4}-[0-9]{4,}$'::text)),
    CONSTRAINT approval_requests_level_check CHECK ((level >= 1)),
    CONSTRAINT approval_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'waiting'::text, 'approved'::text, 'rejected'::text, 'expired'::text, 'escalated'::text, 'void'::text])))
);
ALTER TABLE ONLY cpq.approval_requests FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.approval_requests.approved_up_to_pct IS 'The discount that the approver would agree to instead.';
COMMENT ON COLUMN cpq.approval_requests.hours IS 'Hours to decide, of work where the approvers have a calendar.';
ALTER TABLE ONLY cpq.approval_requests ADD CONSTRAINT approval_requests_pkey PRIMARY KEY (tenant, id);
CREATE INDEX approval_requests_created ON cpq.approval_requests USING btree (tenant, status, created_at, id);
CREATE UNIQUE INDEX approval_requests_open ON cpq.approval_requests USING btree (tenant, quote_id, version, approver_role) WHERE (status = ANY (ARRAY['pending'::text, 'waiting'::text]));
CREATE INDEX approval_requests_quote ON cpq.approval_requests USING btree (tenant, quote_id);
CREATE TRIGGER follow_decision AFTER UPDATE OF status ON cpq.approval_requests FOR EACH ROW WHEN (((new.status = ANY (ARRAY['approved'::text, 'rejected'::text])) AND (old.status = 'pending'::text))) EXECUTE FUNCTION cpq.follow_decision();
ALTER TABLE ONLY cpq.approval_requests ADD CONSTRAINT approval_requests_tenant_decided_by_fkey FOREIGN KEY (tenant, decided_by) REFERENCES cpq.approvers(tenant, id);
ALTER TABLE ONLY cpq.approval_requests ADD CONSTRAINT approval_requests_tenant_escalated_to_fkey FOREIGN KEY (tenant, escalated_to) REFERENCES cpq.approval_requests(tenant, id);
ALTER TABLE ONLY cpq.approval_requests ADD CONSTRAINT approval_requests_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.approval_requests ADD CONSTRAINT approval_requests_tenant_quote_id_version_fkey FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions(tenant, quote_id, version);
ALTER TABLE cpq.approval_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY asks ON cpq.approval_requests AS RESTRICTIVE FOR INSERT TO quarry_write WITH CHECK ((status = ANY (ARRAY['pending'::text, 'waiting'::text])));
CREATE POLICY closes ON cpq.approval_requests AS RESTRICTIVE FOR UPDATE TO quarry_write USING (true) WITH CHECK ((status <> ALL (ARRAY['approved'::text, 'rejected'::text])));
CREATE POLICY decides_what_is_open ON cpq.approval_requests AS RESTRICTIVE FOR UPDATE TO quarry_approve USING (((status = 'pending'::text) AND (expires_at > now()))) WITH CHECK (((status = ANY (ARRAY['approved'::text, 'rejected'::text])) AND (decided_at IS NOT NULL) AND (decided_by IS NOT NULL)));
CREATE POLICY tenant_isolation ON cpq.approval_requests USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.approval_requests TO quarry_read;
GRANT SELECT ON TABLE cpq.approval_requests TO quarry_write;
GRANT SELECT ON TABLE cpq.approval_requests TO quarry_approve;
GRANT INSERT(tenant) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(id) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(quote_id) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(version) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(content_hash) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(status),UPDATE(status) ON TABLE cpq.approval_requests TO quarry_write;
GRANT UPDATE(status) ON TABLE cpq.approval_requests TO quarry_approve;
GRANT INSERT(approver_role) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(level) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(justification) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(context) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(requested_by) ON TABLE cpq.approval_requests TO quarry_write;
GRANT INSERT(expires_at) ON TABLE cpq.approval_requests TO quarry_write;
GRANT UPDATE(decided_at) ON TABLE cpq.approval_requests TO quarry_approve;
GRANT UPDATE(decided_by) ON TABLE cpq.approval_requests TO quarry_approve;
GRANT UPDATE(approver_name) ON TABLE cpq.approval_requests TO quarry_approve;
GRANT UPDATE(decision_comment) ON TABLE cpq.approval_requests TO quarry_approve;
GRANT UPDATE(voided_at) ON TABLE cpq.approval_requests TO quarry_write;
GRANT UPDATE(void_reason) ON TABLE cpq.approval_requests TO quarry_write;
GRANT UPDATE(escalated_to) ON TABLE cpq.approval_requests TO quarry_write;
GRANT UPDATE(approved_up_to_pct) ON TABLE cpq.approval_requests TO quarry_approve;
GRANT INSERT(hours) ON TABLE cpq.approval_requests TO quarry_write;

-- cpq.approvers

CREATE TABLE cpq.approvers (
    tenant text NOT NULL,
    id text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    slack_user_id text,
    active boolean DEFAULT true NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    time_zone text,
    work_days smallint[],
    work_from time without time zone,
    work_until time without time zone,
    days_off date[] DEFAULT '{}'::date[] NOT NULL,
    CONSTRAINT approvers_hours CHECK ((((work_days IS NULL) = (work_from IS NULL)) AND ((work_from IS NULL) = (work_until IS NULL)) AND (work_from < work_until))),
    CONSTRAINT approvers_id_check CHECK ((id ~ '^apr_[a-z0-9_]{1,90}$'::text)),
    CONSTRAINT approvers_role_check CHECK ((role ~ '^[a-z0-9_]{1,60}$'::text)),
    CONSTRAINT approvers_work_days_check CHECK (((work_days <@ ARRAY[(1)::smallint, (2)::smallint, (3)::smallint, (4)::smallint, (5)::smallint, (6)::smallint, (7)::smallint]) AND (cardinality(work_days) > 0)))
);
ALTER TABLE ONLY cpq.approvers FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.approvers IS 'The people: each gets a link of their own, so that a decision has a name.';
COMMENT ON COLUMN cpq.approvers.time_zone IS 'As the IANA database names it, e.g. America/Detroit; NULL is UTC.';
COMMENT ON COLUMN cpq.approvers.work_days IS '1 is Monday; with work_from and work_until in time_zone. NULL: no calendar, every hour counts.';
ALTER TABLE ONLY cpq.approvers ADD CONSTRAINT approvers_pkey PRIMARY KEY (tenant, id);
CREATE INDEX approvers_role ON cpq.approvers USING btree (tenant, role);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.approvers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.approvers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.approvers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
ALTER TABLE ONLY cpq.approvers ADD CONSTRAINT approvers_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.approvers ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.approvers USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.approvers TO quarry_read;
GRANT SELECT ON TABLE cpq.approvers TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.approvers TO quarry_ingest;
GRANT SELECT ON TABLE cpq.approvers TO quarry_approve;

-- cpq.audit

CREATE TABLE cpq.audit (
    tenant text NOT NULL,
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    request_id text NOT NULL,
    action text NOT NULL,
    subject_kind text NOT NULL,
    subject_id text NOT NULL,
    before jsonb,
    after jsonb,
    prev_hash text NOT NULL,
    hash text NOT NULL
);
ALTER TABLE ONLY cpq.audit FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.audit.hash IS 'SHA-256 over a JSON array of the row''s fields as text, prev_hash first; cpq/audit.py computes it, too.';
ALTER TABLE ONLY cpq.audit ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant, seq);
CREATE INDEX audit_subject ON cpq.audit USING btree (tenant, subject_kind, subject_id, seq);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON cpq.audit FOR EACH STATEMENT EXECUTE FUNCTION cpq.refuse_change();
CREATE TRIGGER chain BEFORE INSERT ON cpq.audit FOR EACH ROW EXECUTE FUNCTION cpq.chain_audit();
ALTER TABLE ONLY cpq.audit ADD CONSTRAINT audit_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY records_decisions ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_approve WITH CHECK ((action = ANY (ARRAY['approval.approved'::text, 'approval.rejected'::text, 'approval.questioned'::text, 'approval.delegated'::text])));
CREATE POLICY records_no_decision ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_write WITH CHECK ((action <> ALL (ARRAY['approval.approved'::text, 'approval.rejected'::text])));
CREATE POLICY tenant_isolation ON cpq.audit USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.audit TO quarry_read;
GRANT SELECT ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(tenant) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(tenant) ON TABLE cpq.audit TO quarry_approve;
GRANT INSERT(actor) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(actor) ON TABLE cpq.audit TO quarry_approve;
GRANT INSERT(request_id) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(request_id) ON TABLE cpq.audit TO quarry_approve;
GRANT INSERT(action) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(action) ON TABLE cpq.audit TO quarry_approve;
GRANT INSERT(subject_kind) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(subject_kind) ON TABLE cpq.audit TO quarry_approve;
GRANT INSERT(subject_id) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(subject_id) ON TABLE cpq.audit TO quarry_approve;
GRANT INSERT(before) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(before) ON TABLE cpq.audit TO quarry_approve;
GRANT INSERT(after) ON TABLE cpq.audit TO quarry_write;
GRANT INSERT(after) ON TABLE cpq.audit TO quarry_approve;

-- cpq.audit_heads

CREATE TABLE cpq.audit_heads (
    tenant text NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL
);
ALTER TABLE ONLY cpq.audit_heads FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.audit_heads IS 'The end of each chain: one whose last rows were cut off does not reach it.';
ALTER TABLE ONLY cpq.audit_heads ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (tenant);
ALTER TABLE ONLY cpq.audit_heads ADD CONSTRAINT audit_heads_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.audit_heads ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.audit_heads USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.audit_heads TO quarry_read;
GRANT SELECT ON TABLE cpq.audit_heads TO quarry_write;

-- cpq.counters

CREATE TABLE cpq.counters (
    tenant text NOT NULL,
    kind text NOT NULL,
    year integer NOT NULL,
    last integer NOT NULL,
    CONSTRAINT counters_last_check CHECK ((last > 0))
);
ALTER TABLE ONLY cpq.counters FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.counters IS 'Taken inside the transaction that uses the number: the row lock orders writers, and a rollback gives the number back.';
COMMENT ON COLUMN cpq.counters.year IS '0 where the numbers of its kind do not name a year.';
ALTER TABLE ONLY cpq.counters ADD CONSTRAINT counters_pkey PRIMARY KEY (tenant, kind, year);
ALTER TABLE ONLY cpq.counters ADD CONSTRAINT counters_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.counters ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.counters USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.counters TO quarry_read;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.counters TO quarry_write;

-- cpq.currencies

CREATE TABLE cpq.currencies (
    currency text NOT NULL,
    minor_units smallint NOT NULL,
    CONSTRAINT currencies_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT currencies_minor_units_check CHECK (((minor_units >= 0) AND (minor_units <= 4)))
);
COMMENT ON TABLE cpq.currencies IS 'Digits after the point, by ISO 4217; the same for every tenant, so it has none.';
ALTER TABLE ONLY cpq.currencies ADD CONSTRAINT currencies_pkey PRIMARY KEY (currency);
GRANT SELECT ON TABLE cpq.currencies TO quarry_read;
GRANT SELECT ON TABLE cpq.currencies TO quarry_write;
GRANT SELECT ON TABLE cpq.currencies TO quarry_ingest;

-- cpq.discount_policies

CREATE TABLE cpq.discount_policies (
    tenant text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    segment text NOT NULL,
    segment_name text NOT NULL,
    auto_approve_pct numeric NOT NULL,
    bands jsonb NOT NULL,
    hard_max_pct numeric NOT NULL,
    escalation_chain text[] NOT NULL,
    approval_ttl_hours integer DEFAULT 4 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    routing text DEFAULT 'highest'::text NOT NULL,
    rules jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT discount_policies_approval_ttl_hours_check CHECK (((approval_ttl_hours >= 1) AND (approval_ttl_hours <= 8760))),
    CONSTRAINT discount_policies_auto_approve_pct_check CHECK (((auto_approve_pct >= (0)::numeric) AND (auto_approve_pct <= (100)::numeric))),
    CONSTRAINT discount_policies_bands_check CHECK ((jsonb_typeof(bands) = 'array'::text)),
    CONSTRAINT discount_policies_check CHECK (((hard_max_pct >= auto_approve_pct) AND (hard_max_pct <= (100)::numeric))),
    CONSTRAINT discount_policies_id_check CHECK ((id ~ '^pol_[a-z0-9_]{1,90}$'::text)),
    CONSTRAINT discount_policies_routing_check CHECK ((routing = ANY (ARRAY['highest'::text, 'serial'::text, 'parallel'::text]))),
    CONSTRAINT discount_policies_rules_check CHECK ((jsonb_typeof(rules) = 'array'::text)),
    CONSTRAINT discount_policies_segment_check CHECK ((segment ~ '^[a-z0-9_]{1,60}$'::text))
);
ALTER TABLE ONLY cpq.discount_policies FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.discount_policies.bands IS '[{"max_pct": "20", "approver_role": "sales_manager"}, …] by rising max_pct: who may approve up to where.';
COMMENT ON COLUMN cpq.discount_policies.escalation_chain IS 'Roles from the lowest to the highest.';
COMMENT ON COLUMN cpq.discount_policies.routing IS 'Who is asked where several roles have to approve: the highest alone, one after the other, or all at once.';
COMMENT ON COLUMN cpq.discount_policies.rules IS '[{"measure": "margin_pct", "scope": "quote", "at_least": "20", "bands": [{"limit": "10", "approver_role": "vp_sales"}]}, …]: what holds beside the discount''s caps.';
ALTER TABLE ONLY cpq.discount_policies ADD CONSTRAINT discount_policies_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY cpq.discount_policies ADD CONSTRAINT discount_policies_tenant_segment_key UNIQUE (tenant, segment);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.discount_policies REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.discount_policies REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.discount_policies REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
ALTER TABLE ONLY cpq.discount_policies ADD CONSTRAINT discount_policies_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.discount_policies ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.discount_policies USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.discount_policies TO quarry_read;
GRANT SELECT ON TABLE cpq.discount_policies TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.discount_policies TO quarry_ingest;
GRANT SELECT ON TABLE cpq.discount_policies TO quarry_approve;

-- cpq.discounts

CREATE TABLE cpq.discounts (
    tenant text NOT NULL,
    account_id text DEFAULT ''::text NOT NULL,
    segment text DEFAULT ''::text NOT NULL,
    discount_group text NOT NULL,
    discount_pct numeric NOT NULL,
    valid_from date DEFAULT '1900-01-01'::date NOT NULL,
    valid_to date,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT discounts_check CHECK ((valid_to >= valid_from)),
    CONSTRAINT discounts_check1 CHECK (((account_id = ''::text) <> (segment = ''::text))),
    CONSTRAINT discounts_discount_group_check CHECK ((discount_group ~ '^[a-z0-9_]{1,60}$'::text)),
    CONSTRAINT discounts_discount_pct_check CHECK (((discount_pct >= (0)::numeric) AND (discount_pct <= (100)::numeric)))
);
ALTER TABLE ONLY cpq.discounts FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.discounts IS 'What an account, or each of a segment, has off goods of a group, on lines without a discount of their own.';
COMMENT ON COLUMN cpq.discounts.account_id IS 'Empty where the row is a segment''s. An account''s row comes before its segment''s.';
COMMENT ON COLUMN cpq.discounts.valid_from IS 'Of rows that hold on a day, the newest counts.';
ALTER TABLE ONLY cpq.discounts ADD CONSTRAINT discounts_pkey PRIMARY KEY (tenant, account_id, segment, discount_group, valid_from);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.discounts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('account_id', 'segment', 'discount_group', 'valid_from');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.discounts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('account_id', 'segment', 'discount_group', 'valid_from');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.discounts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('account_id', 'segment', 'discount_group', 'valid_from');
ALTER TABLE ONLY cpq.discounts ADD CONSTRAINT discounts_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.discounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.discounts USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.discounts TO quarry_read;
GRANT SELECT ON TABLE cpq.discounts TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.discounts TO quarry_ingest;
GRANT SELECT ON TABLE cpq.discounts TO quarry_approve;

-- cpq.documents

CREATE TABLE cpq.documents (
    tenant text NOT NULL,
    quote_id text NOT NULL,
    version integer NOT NULL,
    template text NOT NULL,
    options_sha256 text NOT NULL,
    options jsonb NOT NULL,
    bucket text NOT NULL,
    key text NOT NULL,
    sha256 text NOT NULL,
    bytes integer NOT NULL,
    generated_at timestamp with time zone DEFAULT now() NOT NULL,
    generated_by text NOT NULL,
    CONSTRAINT documents_bytes_check CHECK ((bytes > 0))
);
ALTER TABLE ONLY cpq.documents FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY cpq.documents ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant, quote_id, version, template, options_sha256);
ALTER TABLE ONLY cpq.documents ADD CONSTRAINT documents_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.documents ADD CONSTRAINT documents_tenant_quote_id_version_fkey FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions(tenant, quote_id, version);
ALTER TABLE cpq.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.documents TO quarry_read;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.documents TO quarry_write;
GRANT SELECT ON TABLE cpq.documents TO quarry_approve;

-- cpq.drafts

CREATE TABLE cpq.drafts (
    tenant text NOT NULL,
    id text NOT NULL,
    version integer NOT NULL,
    account_id text,
    customer text NOT NULL,
    quote_ids text[] NOT NULL,
    open integer NOT NULL,
    content jsonb NOT NULL,
    letter jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT drafts_content_check CHECK ((jsonb_typeof(content) = 'object'::text)),
    CONSTRAINT drafts_customer_check CHECK ((customer <> ''::text)),
    CONSTRAINT drafts_id_check CHECK ((id ~ '^D-[0-9]{4}-[0-9]{4,}$'::text)),
    CONSTRAINT drafts_letter_check CHECK ((jsonb_typeof(letter) = 'object'::text)),
    CONSTRAINT drafts_open_check CHECK ((open >= 0)),
    CONSTRAINT drafts_version_check CHECK ((version >= 1))
);
ALTER TABLE ONLY cpq.drafts FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.drafts.content IS 'What was asked for: the page, items, passages, requirements, notes, by id.';
COMMENT ON COLUMN cpq.drafts.letter IS 'What it made of the rows of that moment: blocks of both copies, the sheet, what is open, findings.';
ALTER TABLE ONLY cpq.drafts ADD CONSTRAINT drafts_pkey PRIMARY KEY (tenant, id, version);
CREATE INDEX drafts_account ON cpq.drafts USING btree (tenant, account_id);
CREATE INDEX drafts_created ON cpq.drafts USING btree (tenant, created_at, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON cpq.drafts FOR EACH STATEMENT EXECUTE FUNCTION cpq.refuse_change();
ALTER TABLE ONLY cpq.drafts ADD CONSTRAINT drafts_tenant_account_id_fkey FOREIGN KEY (tenant, account_id) REFERENCES cpq.accounts(tenant, id);
ALTER TABLE ONLY cpq.drafts ADD CONSTRAINT drafts_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.drafts ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.drafts USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.drafts TO quarry_read;
GRANT SELECT ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(tenant) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(id) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(version) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(account_id) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(customer) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(quote_ids) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(open) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(content) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(letter) ON TABLE cpq.drafts TO quarry_write;
GRANT INSERT(created_by) ON TABLE cpq.drafts TO quarry_write;

-- cpq.exchange_rates

CREATE TABLE cpq.exchange_rates (
    tenant text NOT NULL,
    from_currency text NOT NULL,
    to_currency text NOT NULL,
    rate numeric NOT NULL,
    as_of date NOT NULL,
    source text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT exchange_rates_check CHECK ((from_currency <> to_currency)),
    CONSTRAINT exchange_rates_rate_check CHECK ((rate > (0)::numeric)),
    CONSTRAINT exchange_rates_source_check CHECK ((source <> ''::text))
);
ALTER TABLE ONLY cpq.exchange_rates FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.exchange_rates IS 'One unit of from_currency is rate units of to_currency; the newest of a day or before holds.';
ALTER TABLE ONLY cpq.exchange_rates ADD CONSTRAINT exchange_rates_pkey PRIMARY KEY (tenant, from_currency, to_currency, as_of, source);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.exchange_rates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('from_currency', 'to_currency', 'as_of', 'source');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.exchange_rates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('from_currency', 'to_currency', 'as_of', 'source');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.exchange_rates REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('from_currency', 'to_currency', 'as_of', 'source');
ALTER TABLE ONLY cpq.exchange_rates ADD CONSTRAINT exchange_rates_from_currency_fkey FOREIGN KEY (from_currency) REFERENCES cpq.currencies(currency);
ALTER TABLE ONLY cpq.exchange_rates ADD CONSTRAINT exchange_rates_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.exchange_rates ADD CONSTRAINT exchange_rates_to_currency_fkey FOREIGN KEY (to_currency) REFERENCES cpq.currencies(currency);
ALTER TABLE cpq.exchange_rates ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.exchange_rates USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.exchange_rates TO quarry_read;
GRANT SELECT ON TABLE cpq.exchange_rates TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.exchange_rates TO quarry_ingest;
GRANT SELECT ON TABLE cpq.exchange_rates TO quarry_approve;

-- cpq.idempotency_keys

CREATE TABLE cpq.idempotency_keys (
    tenant text NOT NULL,
    tool text NOT NULL,
    key text NOT NULL,
    arguments_sha256 text NOT NULL,
    response jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200)))
);
ALTER TABLE ONLY cpq.idempotency_keys FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.idempotency_keys.response IS 'NULL only inside the transaction that does the work.';
ALTER TABLE ONLY cpq.idempotency_keys ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant, tool, key);
CREATE INDEX idempotency_keys_age ON cpq.idempotency_keys USING btree (tenant, created_at);
ALTER TABLE ONLY cpq.idempotency_keys ADD CONSTRAINT idempotency_keys_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.idempotency_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY old_enough ON cpq.idempotency_keys AS RESTRICTIVE FOR DELETE TO quarry_write USING ((created_at < (now() - '30 days'::interval)));
CREATE POLICY tenant_isolation ON cpq.idempotency_keys USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.idempotency_keys TO quarry_read;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cpq.idempotency_keys TO quarry_write;

-- cpq.price_book_entries

CREATE TABLE cpq.price_book_entries (
    tenant text NOT NULL,
    price_book_id text NOT NULL,
    product_id text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    price numeric,
    unit text NOT NULL,
    tiers jsonb DEFAULT '[]'::jsonb NOT NULL,
    valid_from timestamp with time zone DEFAULT now() NOT NULL,
    superseded_at timestamp with time zone,
    allowance_from numeric,
    allowance_to numeric,
    net boolean DEFAULT false NOT NULL,
    CONSTRAINT price_book_entries_allowance_check CHECK ((((allowance_from IS NULL) = (allowance_to IS NULL)) AND ((price >= allowance_from) AND (price <= allowance_to)))),
    CONSTRAINT price_book_entries_allowance_from_check CHECK ((allowance_from >= (0)::numeric)),
    CONSTRAINT price_book_entries_on_request_check CHECK (((price IS NOT NULL) OR (tiers = '[]'::jsonb))),
    CONSTRAINT price_book_entries_price_check CHECK ((price >= (0)::numeric)),
    CONSTRAINT price_book_entries_tiers_check CHECK ((jsonb_typeof(tiers) = 'array'::text)),
    CONSTRAINT price_book_entries_unit_check CHECK ((unit ~ '^per_[^_A-Z0-9[:space:]]{1,30}(_per_(month|year))?$'::text))
);
ALTER TABLE ONLY cpq.price_book_entries FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.price_book_entries.price IS 'NULL: on request, a person names it. No other book steps in for it.';
COMMENT ON COLUMN cpq.price_book_entries.unit IS 'per_unit, per_seat …: charged once; with _per_month or _per_year: charged for each of the term.';
COMMENT ON COLUMN cpq.price_book_entries.tiers IS '[{"min": 1, "max": 49, "price": "10.00"}, …, {"min": 100, "max": null, "price": "6.00"}]: the tier of the line''s quantity prices all its units.';
COMMENT ON COLUMN cpq.price_book_entries.allowance_from IS 'With allowance_to: what the price stands for until somebody has seen the job; NULL: it is firm.';
COMMENT ON COLUMN cpq.price_book_entries.net IS 'Only a discount that is typed on the very line is taken off it.';
ALTER TABLE ONLY cpq.price_book_entries ADD CONSTRAINT price_book_entries_pkey PRIMARY KEY (tenant, price_book_id, product_id, version);
CREATE UNIQUE INDEX price_book_entries_current ON cpq.price_book_entries USING btree (tenant, price_book_id, product_id) WHERE (superseded_at IS NULL);
CREATE INDEX price_book_entries_product ON cpq.price_book_entries USING btree (tenant, product_id);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.price_book_entries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('price_book_id', 'product_id', 'version');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.price_book_entries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('price_book_id', 'product_id', 'version');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.price_book_entries REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('price_book_id', 'product_id', 'version');
CREATE TRIGGER supersede_entry BEFORE INSERT ON cpq.price_book_entries FOR EACH ROW EXECUTE FUNCTION cpq.supersede_entry();
ALTER TABLE ONLY cpq.price_book_entries ADD CONSTRAINT price_book_entries_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.price_book_entries ADD CONSTRAINT price_book_entries_tenant_price_book_id_fkey FOREIGN KEY (tenant, price_book_id) REFERENCES cpq.price_books(tenant, id);
ALTER TABLE ONLY cpq.price_book_entries ADD CONSTRAINT price_book_entries_tenant_product_id_fkey FOREIGN KEY (tenant, product_id) REFERENCES cpq.products(tenant, id);
ALTER TABLE cpq.price_book_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.price_book_entries USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.price_book_entries TO quarry_read;
GRANT SELECT ON TABLE cpq.price_book_entries TO quarry_write;
GRANT SELECT,INSERT ON TABLE cpq.price_book_entries TO quarry_ingest;
GRANT SELECT ON TABLE cpq.price_book_entries TO quarry_approve;
GRANT UPDATE(superseded_at) ON TABLE cpq.price_book_entries TO quarry_ingest;

-- cpq.price_books

CREATE TABLE cpq.price_books (
    tenant text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    currency text NOT NULL,
    segment text,
    country text,
    valid_from date,
    valid_to date,
    priority integer DEFAULT 0 NOT NULL,
    active boolean DEFAULT true NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT price_books_check CHECK ((valid_to >= valid_from)),
    CONSTRAINT price_books_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT price_books_id_check CHECK ((id ~ '^pb_[a-z0-9_]{1,90}$'::text)),
    CONSTRAINT price_books_segment_check CHECK ((segment ~ '^[a-z0-9_]{1,60}$'::text))
);
ALTER TABLE ONLY cpq.price_books FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.price_books.segment IS 'NULL: for every segment; likewise country. valid_to is the last day.';
ALTER TABLE ONLY cpq.price_books ADD CONSTRAINT price_books_pkey PRIMARY KEY (tenant, id);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.price_books REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.price_books REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.price_books REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
ALTER TABLE ONLY cpq.price_books ADD CONSTRAINT price_books_currency_fkey FOREIGN KEY (currency) REFERENCES cpq.currencies(currency);
ALTER TABLE ONLY cpq.price_books ADD CONSTRAINT price_books_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.price_books ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.price_books USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.price_books TO quarry_read;
GRANT SELECT ON TABLE cpq.price_books TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.price_books TO quarry_ingest;
GRANT SELECT ON TABLE cpq.price_books TO quarry_approve;

-- cpq.pricing_traces

CREATE TABLE cpq.pricing_traces (
    tenant text NOT NULL,
    id text NOT NULL,
    quote_id text NOT NULL,
    version integer NOT NULL,
    trace jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT pricing_traces_id_check CHECK ((id ~ '^pt_[a-z0-9]{1,90}$'::text))
);
ALTER TABLE ONLY cpq.pricing_traces FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.pricing_traces IS 'Every pricing run is kept; quote_versions.pricing_trace_id names the one that holds.';
ALTER TABLE ONLY cpq.pricing_traces ADD CONSTRAINT pricing_traces_pkey PRIMARY KEY (tenant, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON cpq.pricing_traces FOR EACH STATEMENT EXECUTE FUNCTION cpq.refuse_change();
ALTER TABLE ONLY cpq.pricing_traces ADD CONSTRAINT pricing_traces_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.pricing_traces ADD CONSTRAINT pricing_traces_tenant_quote_id_version_fkey FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions(tenant, quote_id, version);
ALTER TABLE cpq.pricing_traces ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.pricing_traces USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.pricing_traces TO quarry_read;
GRANT SELECT,INSERT ON TABLE cpq.pricing_traces TO quarry_write;
GRANT SELECT ON TABLE cpq.pricing_traces TO quarry_approve;

-- cpq.product_relationships

CREATE TABLE cpq.product_relationships (
    tenant text NOT NULL,
    product_id text NOT NULL,
    kind text NOT NULL,
    related_id text NOT NULL,
    active boolean DEFAULT true NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT product_relationships_check CHECK ((related_id <> product_id)),
    CONSTRAINT product_relationships_kind_check CHECK ((kind = ANY (ARRAY['requires'::text, 'excludes'::text, 'recommends'::text])))
);
ALTER TABLE ONLY cpq.product_relationships FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE cpq.product_relationships IS 'excludes holds in both directions, whichever side says it.';
ALTER TABLE ONLY cpq.product_relationships ADD CONSTRAINT product_relationships_pkey PRIMARY KEY (tenant, product_id, kind, related_id);
CREATE INDEX product_relationships_related ON cpq.product_relationships USING btree (tenant, related_id);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.product_relationships REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('product_id', 'kind', 'related_id');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.product_relationships REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('product_id', 'kind', 'related_id');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.product_relationships REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('product_id', 'kind', 'related_id');
ALTER TABLE ONLY cpq.product_relationships ADD CONSTRAINT product_relationships_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.product_relationships ADD CONSTRAINT product_relationships_tenant_product_id_fkey FOREIGN KEY (tenant, product_id) REFERENCES cpq.products(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY cpq.product_relationships ADD CONSTRAINT product_relationships_tenant_related_id_fkey FOREIGN KEY (tenant, related_id) REFERENCES cpq.products(tenant, id) ON DELETE CASCADE;
ALTER TABLE cpq.product_relationships ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.product_relationships USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.product_relationships TO quarry_read;
GRANT SELECT ON TABLE cpq.product_relationships TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.product_relationships TO quarry_ingest;
GRANT SELECT ON TABLE cpq.product_relationships TO quarry_approve;

-- cpq.product_words

CREATE TABLE cpq.product_words (
    tenant text NOT NULL,
    word text NOT NULL,
    product_id text NOT NULL,
    weight real NOT NULL
);
ALTER TABLE ONLY cpq.product_words FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.product_words.weight IS '4 in name, SKU or model, 2 in category or manufacturer, 1 in the description; the highest counts.';
ALTER TABLE ONLY cpq.product_words ADD CONSTRAINT product_words_pkey PRIMARY KEY (tenant, word, product_id);
CREATE INDEX product_words_product ON cpq.product_words USING btree (tenant, product_id);
ALTER TABLE ONLY cpq.product_words ADD CONSTRAINT product_words_tenant_product_id_fkey FOREIGN KEY (tenant, product_id) REFERENCES cpq.products(tenant, id) ON DELETE CASCADE;
ALTER TABLE cpq.product_words ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.product_words USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.product_words TO quarry_read;
GRANT SELECT ON TABLE cpq.product_words TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cpq.product_words TO quarry_ingest;

-- cpq.products

CREATE TABLE cpq.products (
    tenant text NOT NULL,
    id text NOT NULL,
    sku text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    product_type text NOT NULL,
    category text NOT NULL,
    attributes jsonb DEFAULT '{}'::jsonb NOT NULL,
    active boolean DEFAULT true NOT NULL,
    tax_category text,
    min_quantity integer DEFAULT 1 NOT NULL,
    max_quantity integer,
    cost numeric,
    cost_currency text,
    manufacturer text,
    model text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    names jsonb,
    successor text,
    discount_group text,
    sku_key text GENERATED ALWAYS AS (equipment.model_key(sku)) STORED NOT NULL COLLATE pg_catalog."C",
    model_key text GENERATED ALWAYS AS (equipment.model_key(model)) STORED COLLATE pg_catalog."C",
    CONSTRAINT products_attributes_check CHECK ((jsonb_typeof(attributes) = 'object'::text)),
    CONSTRAINT products_category_check CHECK ((category <> ''::text)),
    CONSTRAINT products_check CHECK ((max_quantity >= min_quantity)),
    CONSTRAINT products_check1 CHECK (((cost IS NULL) = (cost_currency IS NULL))),
    CONSTRAINT products_check2 CHECK (((manufacturer IS NULL) = (model IS NULL))),
    CONSTRAINT products_cost_check CHECK ((cost >= (0)::numeric)),
    CONSTRAINT products_discount_group_check CHECK ((discount_group ~ '^[a-z0-9_]{1,60}$'::text)),
    CONSTRAINT products_id_check CHECK ((id ~ '^prod_[a-z0-9_]{1,90}$'::text)),
    CONSTRAINT products_min_quantity_check CHECK ((min_quantity >= 1)),
    CONSTRAINT products_name_check CHECK ((name <> ''::text)),
    CONSTRAINT products_names_check CHECK ((jsonb_typeof(names) = 'object'::text)),
    CONSTRAINT products_product_type_check CHECK ((product_type = ANY (ARRAY['simple'::text, 'configurable'::text, 'service'::text]))),
    CONSTRAINT products_sku_check CHECK ((sku <> ''::text))
);
ALTER TABLE ONLY cpq.products FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.products.attributes IS '{"seats": {"type": "integer", "min": 1, "max": 1000}, "billing": {"type": "enum", "values": […], "required": true}, …}';
COMMENT ON COLUMN cpq.products.cost IS 'Per unit and per period of the price, for margins; NULL is unknown.';
COMMENT ON COLUMN cpq.products.model IS 'With manufacturer, the row of equipment.products that is sold here.';
COMMENT ON COLUMN cpq.products.names IS 'By language, as {"de": "Inbetriebnahme"}; name is what it is called elsewhere.';
COMMENT ON COLUMN cpq.products.successor IS 'Id, SKU or model of what takes its place once it is not active.';
COMMENT ON COLUMN cpq.products.discount_group IS 'By which discounts name it; NULL: its category.';
ALTER TABLE ONLY cpq.products ADD CONSTRAINT products_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY cpq.products ADD CONSTRAINT products_tenant_sku_key UNIQUE (tenant, sku);
CREATE INDEX products_model_key ON cpq.products USING btree (tenant, model_key);
CREATE INDEX products_sku_key ON cpq.products USING btree (tenant, sku_key);
CREATE TRIGGER index_words_of_changed AFTER UPDATE ON cpq.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cpq.on_products_update();
CREATE TRIGGER index_words_of_new AFTER INSERT ON cpq.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cpq.on_products_insert();
CREATE TRIGGER note_delete AFTER DELETE ON cpq.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
ALTER TABLE ONLY cpq.products ADD CONSTRAINT products_cost_currency_fkey FOREIGN KEY (cost_currency) REFERENCES cpq.currencies(currency);
ALTER TABLE ONLY cpq.products ADD CONSTRAINT products_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.products ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.products USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.products TO quarry_read;
GRANT SELECT ON TABLE cpq.products TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.products TO quarry_ingest;
GRANT SELECT ON TABLE cpq.products TO quarry_approve;

-- cpq.quote_lines

CREATE TABLE cpq.quote_lines (
    tenant text NOT NULL,
    quote_id text NOT NULL,
    version integer NOT NULL,
    id text NOT NULL,
    sort_order integer NOT NULL,
    product_id text NOT NULL,
    sku text NOT NULL,
    product_name text NOT NULL,
    description text NOT NULL,
    quantity numeric NOT NULL,
    attributes jsonb NOT NULL,
    discount_pct numeric NOT NULL,
    notes text,
    unit text,
    base_unit_price numeric,
    volume_tier jsonb,
    unit_price numeric,
    subtotal numeric,
    effective_discount_pct numeric,
    discount_amount numeric DEFAULT 0 NOT NULL,
    tax_rate_pct numeric,
    tax_amount numeric,
    line_total numeric,
    allowance numeric[],
    CONSTRAINT quote_lines_allowance_check CHECK ((cardinality(allowance) = 2)),
    CONSTRAINT quote_lines_discount_pct_check CHECK (((discount_pct >= (0)::numeric) AND (discount_pct <= (100)::numeric))),
    CONSTRAINT quote_lines_id_check CHECK ((id ~ '^ql_[0-9]{3,}$'::text)),
    CONSTRAINT quote_lines_quantity_check CHECK (((quantity > (0)::numeric) AND (quantity = round(quantity, 3)))),
    CONSTRAINT quote_lines_sort_order_check CHECK ((sort_order >= 1))
);
ALTER TABLE ONLY cpq.quote_lines FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.quote_lines.discount_pct IS 'As asked for the line; effective_discount_pct has the quote''s discount in it.';
COMMENT ON COLUMN cpq.quote_lines.subtotal IS 'Before discount; line_total = subtotal - discount_amount, before tax.';
COMMENT ON COLUMN cpq.quote_lines.allowance IS 'From what to what the unit price may come where it is an allowance; NULL: it is firm.';
ALTER TABLE ONLY cpq.quote_lines ADD CONSTRAINT quote_lines_pkey PRIMARY KEY (tenant, quote_id, version, id);
ALTER TABLE ONLY cpq.quote_lines ADD CONSTRAINT quote_lines_tenant_quote_id_version_sort_order_key UNIQUE (tenant, quote_id, version, sort_order);
ALTER TABLE ONLY cpq.quote_lines ADD CONSTRAINT quote_lines_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.quote_lines ADD CONSTRAINT quote_lines_tenant_product_id_fkey FOREIGN KEY (tenant, product_id) REFERENCES cpq.products(tenant, id);
ALTER TABLE ONLY cpq.quote_lines ADD CONSTRAINT quote_lines_tenant_quote_id_version_fkey FOREIGN KEY (tenant, quote_id, version) REFERENCES cpq.quote_versions(tenant, quote_id, version);
ALTER TABLE cpq.quote_lines ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.quote_lines USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.quote_lines TO quarry_read;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.quote_lines TO quarry_write;
GRANT SELECT ON TABLE cpq.quote_lines TO quarry_approve;

-- cpq.quote_versions

CREATE TABLE cpq.quote_versions (
    tenant text NOT NULL,
    quote_id text NOT NULL,
    version integer NOT NULL,
    status text NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    account jsonb NOT NULL,
    currency text NOT NULL,
    term_months integer,
    start_date date,
    end_date date,
    billing_frequency text NOT NULL,
    payment_terms text NOT NULL,
    valid_until date NOT NULL,
    notes text,
    requested_discount_pct numeric,
    subtotal numeric,
    discount_total numeric,
    tax_total numeric,
    total numeric,
    price_book_id text,
    pricing_trace_id text,
    policy_evaluation jsonb,
    content_hash text,
    priced_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finalized_at timestamp with time zone,
    sent_at timestamp with time zone,
    superseded_at timestamp with time zone,
    CONSTRAINT quote_versions_requested_discount_pct_check CHECK (((requested_discount_pct >= (0)::numeric) AND (requested_discount_pct <= (100)::numeric))),
    CONSTRAINT quote_versions_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'priced'::text, 'pending_approval'::text, 'approved'::text, 'rejected'::text, 'expired'::text, 'sent'::text, 'superseded'::text, 'discarded'::text]))),
    CONSTRAINT quote_versions_term_months_check CHECK ((term_months >= 1)),
    CONSTRAINT quote_versions_version_check CHECK ((version >= 1))
);
ALTER TABLE ONLY cpq.quote_versions FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.quote_versions.revision IS 'Rises with every update of the row, for optimistic checks.';
COMMENT ON COLUMN cpq.quote_versions.account IS 'The account''s row as it was when this version was last created or priced: what the document prints.';
ALTER TABLE ONLY cpq.quote_versions ADD CONSTRAINT quote_versions_pkey PRIMARY KEY (tenant, quote_id, version);
ALTER TABLE ONLY cpq.quote_versions ADD CONSTRAINT quote_versions_currency_fkey FOREIGN KEY (currency) REFERENCES cpq.currencies(currency);
ALTER TABLE ONLY cpq.quote_versions ADD CONSTRAINT quote_versions_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY cpq.quote_versions ADD CONSTRAINT quote_versions_tenant_price_book_id_fkey FOREIGN KEY (tenant, price_book_id) REFERENCES cpq.price_books(tenant, id);
ALTER TABLE ONLY cpq.quote_versions ADD CONSTRAINT quote_versions_tenant_pricing_trace_id_fkey FOREIGN KEY (tenant, pricing_trace_id) REFERENCES cpq.pricing_traces(tenant, id);
ALTER TABLE ONLY cpq.quote_versions ADD CONSTRAINT quote_versions_tenant_quote_id_fkey FOREIGN KEY (tenant, quote_id) REFERENCES cpq.quotes(tenant, id);
CREATE POLICY decides_what_is_open ON cpq.quote_versions AS RESTRICTIVE FOR UPDATE TO quarry_approve USING ((status = 'pending_approval'::text)) WITH CHECK ((status = ANY (ARRAY['approved'::text, 'rejected'::text])));
CREATE POLICY drafts ON cpq.quote_versions AS RESTRICTIVE FOR INSERT TO quarry_write WITH CHECK ((status <> ALL (ARRAY['approved'::text, 'rejected'::text])));
ALTER TABLE cpq.quote_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY revises ON cpq.quote_versions AS RESTRICTIVE FOR UPDATE TO quarry_write USING (true) WITH CHECK ((status <> ALL (ARRAY['approved'::text, 'rejected'::text])));
CREATE POLICY tenant_isolation ON cpq.quote_versions USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.quote_versions TO quarry_read;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.quote_versions TO quarry_write;
GRANT SELECT ON TABLE cpq.quote_versions TO quarry_approve;
GRANT UPDATE(status) ON TABLE cpq.quote_versions TO quarry_approve;
GRANT UPDATE(revision) ON TABLE cpq.quote_versions TO quarry_approve;
GRANT UPDATE(updated_at) ON TABLE cpq.quote_versions TO quarry_approve;
GRANT UPDATE(finalized_at) ON TABLE cpq.quote_versions TO quarry_approve;

-- cpq.quotes

CREATE TABLE cpq.quotes (
    tenant text NOT NULL,
    id text NOT NULL,
    account_id text NOT NULL,
    deal_id text,
    current_version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT quotes_current_version_check CHECK ((current_version >= 1)),
    CONSTRAINT quotes_id_check CHECK ((id ~ '^[A-Z0-9\u00c0-\ufaff][A-Z0-9 ._/#+\u00c0-\ufaff-]{0,39}$'::text))
);
ALTER TABLE ONLY cpq.quotes FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY cpq.quotes ADD CONSTRAINT quotes_pkey PRIMARY KEY (tenant, id);
CREATE INDEX quotes_account ON cpq.quotes USING btree (tenant, account_id);
CREATE INDEX quotes_created ON cpq.quotes USING btree (tenant, created_at, id);
ALTER TABLE ONLY cpq.quotes ADD CONSTRAINT quotes_tenant_account_id_fkey FOREIGN KEY (tenant, account_id) REFERENCES cpq.accounts(tenant, id);
ALTER TABLE ONLY cpq.quotes ADD CONSTRAINT quotes_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.quotes ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.quotes USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.quotes TO quarry_read;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.quotes TO quarry_write;
GRANT SELECT ON TABLE cpq.quotes TO quarry_approve;
GRANT UPDATE(tenant) ON TABLE cpq.quotes TO quarry_approve;
GRANT SELECT(tenant) ON TABLE cpq.quotes TO quarry_ingest;
GRANT SELECT(id) ON TABLE cpq.quotes TO quarry_ingest;
GRANT SELECT(account_id) ON TABLE cpq.quotes TO quarry_ingest;

-- cpq.tax_rules

CREATE TABLE cpq.tax_rules (
    tenant text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    country text NOT NULL,
    region text,
    tax_category text,
    rate_pct numeric NOT NULL,
    valid_from date,
    valid_to date,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tax_rules_check CHECK ((valid_to >= valid_from)),
    CONSTRAINT tax_rules_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT tax_rules_id_check CHECK ((id ~ '^tax_[a-z0-9_]{1,90}$'::text)),
    CONSTRAINT tax_rules_rate_pct_check CHECK (((rate_pct >= (0)::numeric) AND (rate_pct <= (100)::numeric)))
);
ALTER TABLE ONLY cpq.tax_rules FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN cpq.tax_rules.region IS 'NULL: the whole country; likewise tax_category: every product. The more exact rule wins.';
ALTER TABLE ONLY cpq.tax_rules ADD CONSTRAINT tax_rules_pkey PRIMARY KEY (tenant, id);
CREATE TRIGGER note_delete AFTER DELETE ON cpq.tax_rules REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON cpq.tax_rules REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.tax_rules REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
ALTER TABLE ONLY cpq.tax_rules ADD CONSTRAINT tax_rules_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE cpq.tax_rules ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cpq.tax_rules USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE cpq.tax_rules TO quarry_read;
GRANT SELECT ON TABLE cpq.tax_rules TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE cpq.tax_rules TO quarry_ingest;
GRANT SELECT ON TABLE cpq.tax_rules TO quarry_approve;

-- equipment

CREATE SCHEMA equipment;
GRANT USAGE ON SCHEMA equipment TO quarry_read;
GRANT USAGE ON SCHEMA equipment TO quarry_write;
GRANT USAGE ON SCHEMA equipment TO quarry_approve;
GRANT USAGE ON SCHEMA equipment TO quarry_ingest;

-- equipment.manufacturers_named(text)

CREATE FUNCTION equipment.manufacturers_named(part text) RETURNS text[]
    LANGUAGE sql STABLE
    AS $$
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

-- equipment.model_key(text)

CREATE FUNCTION equipment.model_key(model text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(translate(search.value_key(model), '$~'::text, 's'::text), '(?<![0-9])(?<![0-9][.,])([0-9]{1,3})[.,]([0-9]{1,2})(?![.,]?[0-9])'::text, '\1~\2'::text, 'g'::text), '[^a-z0-9~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3005-\ufaff]'::text, ''::text, 'g'::text);

-- equipment.product_document(equipment.products)

CREATE FUNCTION equipment.product_document(p equipment.products) RETURNS search.document
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ROW(
        concat_ws(' ', p.manufacturer, p.series, p.model, p.sku),
        concat_ws(', ', lower(p.category), search.attribute_words(p.attributes)),
        p.description)::search.document
$$;

-- equipment.products

CREATE TABLE equipment.products (
    id bigint NOT NULL,
    tenant text NOT NULL,
    model text NOT NULL,
    model_key text GENERATED ALWAYS AS (equipment.model_key(model)) STORED NOT NULL,
    manufacturer text NOT NULL,
    manufacturer_key text GENERATED ALWAYS AS (search.name_key(manufacturer)) STORED,
    series text,
    category text NOT NULL,
    family text NOT NULL,
    description text NOT NULL,
    source text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    attributes jsonb,
    sku text,
    sku_key text GENERATED ALWAYS AS (equipment.model_key(sku)) STORED,
    withdrawn boolean DEFAULT false,
    successor text,
    CONSTRAINT products_attributes_check CHECK (((jsonb_typeof(attributes) = 'object'::text) AND (attributes <> '{}'::jsonb))),
    CONSTRAINT products_family_check CHECK ((family ~ '^[a-z][a-z0-9_]{0,39}$'::text))
);
ALTER TABLE ONLY equipment.products FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN equipment.products.attributes IS 'By name, what search.values_of reads; figures are in the unit that search.attributes has.';
COMMENT ON COLUMN equipment.products.withdrawn IS 'NULL as false: what an undo puts back may be older than the column.';
COMMENT ON COLUMN equipment.products.successor IS 'SKU or model of what takes its place.';
ALTER TABLE equipment.products ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME equipment.products_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY equipment.products ADD CONSTRAINT products_id_tenant_key UNIQUE (id, tenant);
ALTER TABLE ONLY equipment.products ADD CONSTRAINT products_pkey PRIMARY KEY (id);
ALTER TABLE ONLY equipment.products ADD CONSTRAINT products_tenant_manufacturer_model_key UNIQUE (tenant, manufacturer, model);
CREATE INDEX products_category ON equipment.products USING btree (tenant, category) INCLUDE (id);
CREATE INDEX products_family ON equipment.products USING btree (tenant, family) INCLUDE (id, manufacturer_key);
CREATE UNIQUE INDEX products_filters ON equipment.products USING btree (id) INCLUDE (tenant, family, manufacturer_key);
CREATE INDEX products_manufacturer ON equipment.products USING btree (tenant, manufacturer_key) INCLUDE (id, family);
CREATE INDEX products_model_key ON equipment.products USING btree (tenant, model_key);
CREATE INDEX products_newest ON equipment.products USING btree (tenant, updated_at) INCLUDE (model, manufacturer);
CREATE INDEX products_series ON equipment.products USING btree (tenant, series) WHERE (series IS NOT NULL);
CREATE INDEX products_sku ON equipment.products USING btree (tenant, sku_key) WHERE (sku_key IS NOT NULL);
CREATE TRIGGER note_delete AFTER DELETE ON equipment.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON equipment.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON equipment.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER search_delete AFTER DELETE ON equipment.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
CREATE TRIGGER search_insert AFTER INSERT ON equipment.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
CREATE TRIGGER search_update AFTER UPDATE ON equipment.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
CREATE TRIGGER values_delete AFTER DELETE ON equipment.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values();
CREATE TRIGGER values_insert AFTER INSERT ON equipment.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values();
CREATE TRIGGER values_update AFTER UPDATE ON equipment.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values();
ALTER TABLE ONLY equipment.products ADD CONSTRAINT products_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE equipment.products ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products TO quarry_read;
GRANT SELECT ON TABLE equipment.products TO quarry_write;
GRANT SELECT ON TABLE equipment.products TO quarry_approve;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products TO quarry_ingest;

-- equipment.products_blocks

CREATE TABLE equipment.products_blocks (
    first bigint NOT NULL,
    tid integer NOT NULL,
    layer smallint NOT NULL,
    tenant text NOT NULL,
    docs integer[] NOT NULL,
    weights integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY equipment.products_blocks ALTER COLUMN tid SET (n_distinct=100);
ALTER TABLE ONLY equipment.products_blocks ALTER COLUMN docs SET STORAGE PLAIN;
ALTER TABLE ONLY equipment.products_blocks ALTER COLUMN weights SET STORAGE PLAIN;
ALTER TABLE ONLY equipment.products_blocks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN equipment.products_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
COMMENT ON COLUMN equipment.products_blocks.docs IS 'The lowest 31 bits of each document, in order.';
COMMENT ON COLUMN equipment.products_blocks.weights IS 'By search.weight, parallel to docs.';
ALTER TABLE ONLY equipment.products_blocks ADD CONSTRAINT products_blocks_pkey PRIMARY KEY (tid, layer, first);
ALTER TABLE equipment.products_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products_blocks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products_blocks TO quarry_read;
GRANT SELECT ON TABLE equipment.products_blocks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products_blocks TO quarry_ingest;

-- equipment.products_documents

CREATE TABLE equipment.products_documents (
    doc bigint NOT NULL,
    fingerprint bigint,
    length real NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    tids integer[] NOT NULL,
    tfs smallint[] NOT NULL
);
ALTER TABLE ONLY equipment.products_documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN equipment.products_documents.fingerprint IS 'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
COMMENT ON COLUMN equipment.products_documents.tids IS 'Its terms, in order.';
COMMENT ON COLUMN equipment.products_documents.tfs IS 'How often it has each, in tenths.';
ALTER TABLE ONLY equipment.products_documents ADD CONSTRAINT products_documents_pkey PRIMARY KEY (doc);
ALTER TABLE equipment.products_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products_documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products_documents TO quarry_read;
GRANT SELECT ON TABLE equipment.products_documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products_documents TO quarry_ingest;

-- equipment.products_pending

CREATE TABLE equipment.products_pending (
    tenant text NOT NULL,
    doc bigint NOT NULL,
    tids integer[],
    tfs smallint[],
    length real
);
ALTER TABLE ONLY equipment.products_pending FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN equipment.products_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
ALTER TABLE ONLY equipment.products_pending ADD CONSTRAINT products_pending_pkey PRIMARY KEY (tenant, doc);
ALTER TABLE equipment.products_pending ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products_pending USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products_pending TO quarry_read;
GRANT SELECT ON TABLE equipment.products_pending TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products_pending TO quarry_ingest;

-- equipment.products_postings

CREATE VIEW equipment.products_postings WITH (security_invoker='true') AS
 SELECT t.tenant,
    t.tid,
    p.doc,
    ((((p.weight & 16383))::numeric / 10.0))::real AS tf,
    (((((p.weight >> 14) & 262143))::numeric / 10.0))::real AS length
   FROM (equipment.products_terms t
     CROSS JOIN LATERAL ( SELECT m.doc,
            m.weight
           FROM ( SELECT (f.doc)::bigint AS doc,
                    f.weight
                   FROM search.of_few(t.few) f(doc, weight)
                UNION ALL
                 SELECT (((b.first >> 31) << 31) + unnest(b.docs)),
                    unnest(b.weights) AS unnest
                   FROM equipment.products_blocks b
                  WHERE ((b.tid = t.tid) AND (b.layer = 0) AND (b.tenant = t.tenant))) m
          WHERE (NOT (EXISTS ( SELECT
                   FROM equipment.products_pending x
                  WHERE ((x.tenant = t.tenant) AND (x.doc = m.doc)))))
        UNION ALL
         SELECT d.doc,
            search.weight(d.tfs[array_position(d.tids, t.tid)], d.length) AS weight
           FROM (equipment.products_pending x
             JOIN equipment.products_documents d ON ((d.doc = x.doc)))
          WHERE ((x.tenant = t.tenant) AND (t.tid = ANY (d.tids)))) p);
GRANT SELECT ON TABLE equipment.products_postings TO quarry_read;
GRANT SELECT ON TABLE equipment.products_postings TO quarry_write;
GRANT SELECT ON TABLE equipment.products_postings TO quarry_ingest;

-- equipment.products_spellings

CREATE TABLE equipment.products_spellings (
    spelling integer NOT NULL,
    tid integer NOT NULL,
    tenant text NOT NULL
);
ALTER TABLE ONLY equipment.products_spellings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN equipment.products_spellings.spelling IS 'One of search.spellings.';
ALTER TABLE ONLY equipment.products_spellings ADD CONSTRAINT products_spellings_pkey PRIMARY KEY (spelling, tid);
ALTER TABLE equipment.products_spellings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products_spellings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products_spellings TO quarry_read;
GRANT SELECT ON TABLE equipment.products_spellings TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products_spellings TO quarry_ingest;

-- equipment.products_terms

CREATE TABLE equipment.products_terms (
    df bigint NOT NULL,
    tid integer NOT NULL,
    cut smallint,
    tenant text NOT NULL,
    term text NOT NULL,
    few integer[]
)
WITH (fillfactor='80');
ALTER TABLE ONLY equipment.products_terms ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY equipment.products_terms FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN equipment.products_terms.cut IS 'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
COMMENT ON COLUMN equipment.products_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
ALTER TABLE equipment.products_terms ALTER COLUMN tid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME equipment.products_terms_tid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY equipment.products_terms ADD CONSTRAINT products_terms_pkey PRIMARY KEY (tid);
ALTER TABLE ONLY equipment.products_terms ADD CONSTRAINT products_terms_tenant_term_key UNIQUE (tenant, term);
ALTER TABLE equipment.products_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products_terms USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products_terms TO quarry_read;
GRANT SELECT ON TABLE equipment.products_terms TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products_terms TO quarry_ingest;

-- equipment.products_totals

CREATE TABLE equipment.products_totals (
    tenant text NOT NULL,
    documents bigint NOT NULL,
    length double precision NOT NULL
);
ALTER TABLE ONLY equipment.products_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY equipment.products_totals ADD CONSTRAINT products_totals_pkey PRIMARY KEY (tenant);
ALTER TABLE equipment.products_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products_totals USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products_totals TO quarry_read;
GRANT SELECT ON TABLE equipment.products_totals TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products_totals TO quarry_ingest;

-- equipment.products_vectors

CREATE TABLE equipment.products_vectors (
    doc bigint NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY equipment.products_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY equipment.products_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY equipment.products_vectors ADD CONSTRAINT products_vectors_pkey PRIMARY KEY (doc);
CREATE INDEX products_vectors_hnsw ON equipment.products_vectors USING hnsw (embedding public.halfvec_cosine_ops) WITH (m='32', ef_construction='200');
CREATE INDEX products_vectors_tenant_idx ON equipment.products_vectors USING btree (tenant);
ALTER TABLE equipment.products_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON equipment.products_vectors USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE equipment.products_vectors TO quarry_read;
GRANT SELECT ON TABLE equipment.products_vectors TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE equipment.products_vectors TO quarry_ingest;

-- highlights

CREATE SCHEMA highlights;
GRANT USAGE ON SCHEMA highlights TO quarry_read;
GRANT USAGE ON SCHEMA highlights TO quarry_write;
GRANT USAGE ON SCHEMA highlights TO quarry_ingest;

-- highlights.author_key(text)

CREATE FUNCTION highlights.author_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN btrim(regexp_replace(regexp_replace(NORMALIZE(translate(replace(replace(replace(lower(CASE WHEN ((name ~ '^[^,;&/()]+,[^,;&/()]+$'::text) AND (name !~* ',\s*(jr|sr|ph\.?d|m\.?d|mba|inc|ltd|llc|gmbh)\.?\s*$'::text)) THEN regexp_replace(name, '^\s*([^,]*[^,\s])\s*,\s*(.*)$'::text, '\2 \1'::text) ELSE name END), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), 'øłđðı'::text, 'olddi'::text), NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text), '[\s.]+'::text, ' '::text, 'g'::text));

-- highlights.chunk_document(highlights.chunks)

CREATE FUNCTION highlights.chunk_document(c highlights.chunks) RETURNS search.document
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ROW(c.title, concat_ws(', ', c.author, array_to_string(c.tags, ', ')), c.content)::search.document
$$;

-- highlights.count_deleted()

CREATE FUNCTION highlights.count_deleted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    gone highlights.chunks[] := (SELECT array_agg(ROW(o.*)::highlights.chunks) FROM old_rows o);
BEGIN
    IF gone IS NOT NULL THEN
        PERFORM search.lock_corpus('highlights.chunks');
        PERFORM highlights.tally(gone, -1);
    END IF;
    RETURN NULL;
END $$;

-- highlights.count_inserted()

CREATE FUNCTION highlights.count_inserted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    fresh highlights.chunks[] := (SELECT array_agg(ROW(n.*)::highlights.chunks) FROM new_rows n);
BEGIN
    IF fresh IS NOT NULL THEN
        PERFORM search.lock_corpus('highlights.chunks');
        PERFORM highlights.tally(fresh, 1);
    END IF;
    RETURN NULL;
END $$;

-- highlights.count_updated()

CREATE FUNCTION highlights.count_updated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    former highlights.chunks[];
    latter highlights.chunks[];
BEGIN
    SELECT array_agg(ROW(o.*)::highlights.chunks), array_agg(ROW(n.*)::highlights.chunks) INTO former, latter
    FROM old_rows o JOIN new_rows n ON n.id = o.id
    WHERE (o.parent_doc_id, o.source, o.author, o.tags, o.content)
        IS DISTINCT FROM (n.parent_doc_id, n.source, n.author, n.tags, n.content);
    IF former IS NOT NULL THEN
        PERFORM search.lock_corpus('highlights.chunks');
        -- Added first: a value that stays in use is not dropped and counted as new.
        PERFORM highlights.tally(latter, 1);
        PERFORM highlights.tally(former, -1);
    END IF;
    RETURN NULL;
END $$;

-- highlights.facets_of(highlights.chunks)

CREATE FUNCTION highlights.facets_of(c highlights.chunks) RETURNS TABLE(facet text, key text, value text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN QUERY VALUES ('document', c.parent_doc_id, c.parent_doc_id), ('source', c.source_key, c.source);
    IF c.author IS NOT NULL THEN
        RETURN QUERY VALUES ('author', c.author_key, c.author);
    END IF;
    RETURN QUERY SELECT 'tag', lower(tag), min(tag) FROM unnest(c.tags) AS tag GROUP BY lower(tag);
END $$;

-- highlights.keys(text[])

CREATE FUNCTION highlights.keys(names text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(SELECT lower(name.name) AS lower FROM unnest(keys.names) name(name));

-- highlights.tally(highlights.chunks[], integer)

CREATE FUNCTION highlights.tally(changed highlights.chunks[], sign integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    appeared jsonb;
    vanished jsonb;
BEGIN
    INSERT INTO highlights.statistics (tenant) VALUES (quarry.current_tenant()) ON CONFLICT DO NOTHING;
    WITH added AS (
        INSERT INTO highlights.facets AS t (tenant, facet, key, value, chunks)
        SELECT quarry.current_tenant(), f.facet, f.key, min(f.value), count(*)
        FROM unnest(changed) AS c CROSS JOIN LATERAL highlights.facets_of(c) f
        WHERE sign = 1
        GROUP BY f.facet, f.key ORDER BY f.facet, f.key
        ON CONFLICT (tenant, facet, key) DO UPDATE SET chunks = t.chunks + excluded.chunks
        RETURNING t.facet, t.xmax = 0 AS fresh)
    SELECT coalesce(jsonb_object_agg(facet, n), '{}') INTO appeared
    FROM (SELECT facet, count(*) AS n FROM added WHERE fresh GROUP BY facet) AS counted;
    WITH taken AS (
        SELECT f.facet, f.key, count(*) AS n
        FROM unnest(changed) AS c CROSS JOIN LATERAL highlights.facets_of(c) f
        WHERE sign = -1
        GROUP BY f.facet, f.key),
    lowered AS (
        UPDATE highlights.facets t SET chunks = t.chunks - taken.n FROM taken
        WHERE t.tenant = quarry.current_tenant() AND t.facet = taken.facet AND t.key = taken.key AND t.chunks > taken.n),
    emptied AS (
        DELETE FROM highlights.facets t USING taken
        WHERE t.tenant = quarry.current_tenant() AND t.facet = taken.facet AND t.key = taken.key AND t.chunks <= taken.n
        RETURNING t.facet)
    SELECT coalesce(jsonb_object_agg(facet, n), '{}') INTO vanished
    FROM (SELECT facet, count(*) AS n FROM emptied GROUP BY facet) AS counted;
    UPDATE highlights.statistics s SET
        chunks = s.chunks + sign * cardinality(changed),
        characters = s.characters + sign * (SELECT coalesce(sum(length(c.content)), 0) FROM unnest(changed) AS c),
        documents = s.documents + coalesce((appeared ->> 'document')::bigint, 0) - coalesce((vanished ->> 'document')::bigint, 0),
        sources = s.sources + coalesce((appeared ->> 'source')::bigint, 0) - coalesce((vanished ->> 'source')::bigint, 0),
        authors = s.authors + coalesce((appeared ->> 'author')::bigint, 0) - coalesce((vanished ->> 'author')::bigint, 0),
        tags = s.tags + coalesce((appeared ->> 'tag')::bigint, 0) - coalesce((vanished ->> 'tag')::bigint, 0)
    WHERE s.tenant = quarry.current_tenant();
END $$;

-- highlights.chunks

CREATE TABLE highlights.chunks (
    id bigint NOT NULL,
    tenant text NOT NULL,
    chunk_id text NOT NULL,
    parent_doc_id text NOT NULL,
    chunk_index integer NOT NULL,
    total_chunks integer NOT NULL,
    title text NOT NULL,
    author text,
    source text NOT NULL,
    category text,
    tags text[] NOT NULL,
    content text NOT NULL,
    entry_id text NOT NULL,
    place bigint NOT NULL,
    piece integer NOT NULL,
    source_key text GENERATED ALWAYS AS (lower(source)) STORED NOT NULL,
    tag_keys text[] GENERATED ALWAYS AS (highlights.keys(tags)) STORED NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    author_key text GENERATED ALWAYS AS (highlights.author_key(author)) STORED,
    CONSTRAINT chunks_check CHECK (((total_chunks = 0) OR (total_chunks > chunk_index))),
    CONSTRAINT chunks_chunk_index_check CHECK ((chunk_index >= 0))
);
ALTER TABLE ONLY highlights.chunks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN highlights.chunks.total_chunks IS '0 until the ingest that brought a highlight has numbered its document.';
COMMENT ON COLUMN highlights.chunks.entry_id IS 'What it was cut from: a row of an ingested file, which owns all its pieces.';
COMMENT ON COLUMN highlights.chunks.place IS 'Where the entry stands in its document, for example a Kindle location; only the order counts.';
ALTER TABLE highlights.chunks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME highlights.chunks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY highlights.chunks ADD CONSTRAINT chunks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY highlights.chunks ADD CONSTRAINT chunks_tenant_chunk_id_key UNIQUE (tenant, chunk_id);
CREATE INDEX chunks_author ON highlights.chunks USING btree (tenant, author_key, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_document ON highlights.chunks USING btree (tenant, parent_doc_id);
CREATE INDEX chunks_entry ON highlights.chunks USING btree (tenant, entry_id);
CREATE INDEX chunks_newest ON highlights.chunks USING btree (tenant, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_source ON highlights.chunks USING btree (tenant, source_key, created_at DESC, chunk_id DESC);
CREATE INDEX chunks_unnumbered ON highlights.chunks USING btree (tenant, parent_doc_id) WHERE (total_chunks = 0);
CREATE TRIGGER note_delete AFTER DELETE ON highlights.chunks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON highlights.chunks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON highlights.chunks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER search_delete AFTER DELETE ON highlights.chunks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
CREATE TRIGGER search_insert AFTER INSERT ON highlights.chunks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
CREATE TRIGGER search_update AFTER UPDATE ON highlights.chunks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
CREATE TRIGGER statistics_delete AFTER DELETE ON highlights.chunks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION highlights.count_deleted();
CREATE TRIGGER statistics_insert AFTER INSERT ON highlights.chunks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION highlights.count_inserted();
CREATE TRIGGER statistics_update AFTER UPDATE ON highlights.chunks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION highlights.count_updated();
ALTER TABLE ONLY highlights.chunks ADD CONSTRAINT chunks_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE highlights.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks TO quarry_ingest;

-- highlights.chunks_blocks

CREATE TABLE highlights.chunks_blocks (
    first bigint NOT NULL,
    tid integer NOT NULL,
    layer smallint NOT NULL,
    tenant text NOT NULL,
    docs integer[] NOT NULL,
    weights integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY highlights.chunks_blocks ALTER COLUMN tid SET (n_distinct=100);
ALTER TABLE ONLY highlights.chunks_blocks ALTER COLUMN docs SET STORAGE PLAIN;
ALTER TABLE ONLY highlights.chunks_blocks ALTER COLUMN weights SET STORAGE PLAIN;
ALTER TABLE ONLY highlights.chunks_blocks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN highlights.chunks_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
COMMENT ON COLUMN highlights.chunks_blocks.docs IS 'The lowest 31 bits of each document, in order.';
COMMENT ON COLUMN highlights.chunks_blocks.weights IS 'By search.weight, parallel to docs.';
ALTER TABLE ONLY highlights.chunks_blocks ADD CONSTRAINT chunks_blocks_pkey PRIMARY KEY (tid, layer, first);
ALTER TABLE highlights.chunks_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks_blocks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks_blocks TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_blocks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks_blocks TO quarry_ingest;

-- highlights.chunks_documents

CREATE TABLE highlights.chunks_documents (
    doc bigint NOT NULL,
    fingerprint bigint,
    length real NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    tids integer[] NOT NULL,
    tfs smallint[] NOT NULL
);
ALTER TABLE ONLY highlights.chunks_documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN highlights.chunks_documents.fingerprint IS 'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
COMMENT ON COLUMN highlights.chunks_documents.tids IS 'Its terms, in order.';
COMMENT ON COLUMN highlights.chunks_documents.tfs IS 'How often it has each, in tenths.';
ALTER TABLE ONLY highlights.chunks_documents ADD CONSTRAINT chunks_documents_pkey PRIMARY KEY (doc);
ALTER TABLE highlights.chunks_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks_documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks_documents TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks_documents TO quarry_ingest;

-- highlights.chunks_pending

CREATE TABLE highlights.chunks_pending (
    tenant text NOT NULL,
    doc bigint NOT NULL,
    tids integer[],
    tfs smallint[],
    length real
);
ALTER TABLE ONLY highlights.chunks_pending FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN highlights.chunks_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
ALTER TABLE ONLY highlights.chunks_pending ADD CONSTRAINT chunks_pending_pkey PRIMARY KEY (tenant, doc);
ALTER TABLE highlights.chunks_pending ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks_pending USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks_pending TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_pending TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks_pending TO quarry_ingest;

-- highlights.chunks_postings

CREATE VIEW highlights.chunks_postings WITH (security_invoker='true') AS
 SELECT t.tenant,
    t.tid,
    p.doc,
    ((((p.weight & 16383))::numeric / 10.0))::real AS tf,
    (((((p.weight >> 14) & 262143))::numeric / 10.0))::real AS length
   FROM (highlights.chunks_terms t
     CROSS JOIN LATERAL ( SELECT m.doc,
            m.weight
           FROM ( SELECT (f.doc)::bigint AS doc,
                    f.weight
                   FROM search.of_few(t.few) f(doc, weight)
                UNION ALL
                 SELECT (((b.first >> 31) << 31) + unnest(b.docs)),
                    unnest(b.weights) AS unnest
                   FROM highlights.chunks_blocks b
                  WHERE ((b.tid = t.tid) AND (b.layer = 0) AND (b.tenant = t.tenant))) m
          WHERE (NOT (EXISTS ( SELECT
                   FROM highlights.chunks_pending x
                  WHERE ((x.tenant = t.tenant) AND (x.doc = m.doc)))))
        UNION ALL
         SELECT d.doc,
            search.weight(d.tfs[array_position(d.tids, t.tid)], d.length) AS weight
           FROM (highlights.chunks_pending x
             JOIN highlights.chunks_documents d ON ((d.doc = x.doc)))
          WHERE ((x.tenant = t.tenant) AND (t.tid = ANY (d.tids)))) p);
GRANT SELECT ON TABLE highlights.chunks_postings TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_postings TO quarry_write;
GRANT SELECT ON TABLE highlights.chunks_postings TO quarry_ingest;

-- highlights.chunks_spellings

CREATE TABLE highlights.chunks_spellings (
    spelling integer NOT NULL,
    tid integer NOT NULL,
    tenant text NOT NULL
);
ALTER TABLE ONLY highlights.chunks_spellings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN highlights.chunks_spellings.spelling IS 'One of search.spellings.';
ALTER TABLE ONLY highlights.chunks_spellings ADD CONSTRAINT chunks_spellings_pkey PRIMARY KEY (spelling, tid);
ALTER TABLE highlights.chunks_spellings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks_spellings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks_spellings TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_spellings TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks_spellings TO quarry_ingest;

-- highlights.chunks_terms

CREATE TABLE highlights.chunks_terms (
    df bigint NOT NULL,
    tid integer NOT NULL,
    cut smallint,
    tenant text NOT NULL,
    term text NOT NULL,
    few integer[]
)
WITH (fillfactor='80');
ALTER TABLE ONLY highlights.chunks_terms ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY highlights.chunks_terms FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN highlights.chunks_terms.cut IS 'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
COMMENT ON COLUMN highlights.chunks_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
ALTER TABLE highlights.chunks_terms ALTER COLUMN tid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME highlights.chunks_terms_tid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY highlights.chunks_terms ADD CONSTRAINT chunks_terms_pkey PRIMARY KEY (tid);
ALTER TABLE ONLY highlights.chunks_terms ADD CONSTRAINT chunks_terms_tenant_term_key UNIQUE (tenant, term);
ALTER TABLE highlights.chunks_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks_terms USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks_terms TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_terms TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks_terms TO quarry_ingest;

-- highlights.chunks_totals

CREATE TABLE highlights.chunks_totals (
    tenant text NOT NULL,
    documents bigint NOT NULL,
    length double precision NOT NULL
);
ALTER TABLE ONLY highlights.chunks_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY highlights.chunks_totals ADD CONSTRAINT chunks_totals_pkey PRIMARY KEY (tenant);
ALTER TABLE highlights.chunks_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks_totals USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks_totals TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_totals TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks_totals TO quarry_ingest;

-- highlights.chunks_vectors

CREATE TABLE highlights.chunks_vectors (
    doc bigint NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY highlights.chunks_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY highlights.chunks_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY highlights.chunks_vectors ADD CONSTRAINT chunks_vectors_pkey PRIMARY KEY (doc);
CREATE INDEX chunks_vectors_hnsw ON highlights.chunks_vectors USING hnsw (embedding public.halfvec_cosine_ops) WITH (m='32', ef_construction='200');
CREATE INDEX chunks_vectors_tenant_idx ON highlights.chunks_vectors USING btree (tenant);
ALTER TABLE highlights.chunks_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.chunks_vectors USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.chunks_vectors TO quarry_read;
GRANT SELECT ON TABLE highlights.chunks_vectors TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.chunks_vectors TO quarry_ingest;

-- highlights.facets

CREATE TABLE highlights.facets (
    tenant text NOT NULL,
    facet text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    chunks bigint NOT NULL,
    CONSTRAINT facets_chunks_check CHECK ((chunks > 0)),
    CONSTRAINT facets_facet_check CHECK ((facet = ANY (ARRAY['document'::text, 'source'::text, 'author'::text, 'tag'::text])))
);
ALTER TABLE ONLY highlights.facets FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE highlights.facets IS 'Every value in use, as first spelt, with its number of chunks; the key is in lower case.';
ALTER TABLE ONLY highlights.facets ADD CONSTRAINT facets_pkey PRIMARY KEY (tenant, facet, key);
CREATE INDEX facets_largest ON highlights.facets USING btree (tenant, facet, chunks DESC, key);
ALTER TABLE highlights.facets ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.facets USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.facets TO quarry_read;
GRANT SELECT ON TABLE highlights.facets TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.facets TO quarry_ingest;

-- highlights.statistics

CREATE TABLE highlights.statistics (
    tenant text NOT NULL,
    chunks bigint DEFAULT 0 NOT NULL,
    characters bigint DEFAULT 0 NOT NULL,
    documents bigint DEFAULT 0 NOT NULL,
    sources bigint DEFAULT 0 NOT NULL,
    authors bigint DEFAULT 0 NOT NULL,
    tags bigint DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY highlights.statistics FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE highlights.statistics IS 'Per tenant: chunks, their characters, and how many distinct values each facet has.';
ALTER TABLE ONLY highlights.statistics ADD CONSTRAINT statistics_pkey PRIMARY KEY (tenant);
ALTER TABLE highlights.statistics ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON highlights.statistics USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE highlights.statistics TO quarry_read;
GRANT SELECT ON TABLE highlights.statistics TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE highlights.statistics TO quarry_ingest;

-- knowledge

CREATE SCHEMA knowledge;
GRANT USAGE ON SCHEMA knowledge TO quarry_read;
GRANT USAGE ON SCHEMA knowledge TO quarry_write;
GRANT USAGE ON SCHEMA knowledge TO quarry_ingest;

-- knowledge.searchable(knowledge.documents)

CREATE FUNCTION knowledge.searchable(d knowledge.documents) RETURNS search.document
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ROW(d.title, NULL, d.content)::search.document
$$;

-- knowledge.documents

CREATE TABLE knowledge.documents (
    id bigint NOT NULL,
    tenant text NOT NULL,
    doc_id integer NOT NULL,
    title text,
    content text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    source text,
    version text,
    "position" integer,
    CONSTRAINT documents_doc_id_check CHECK ((doc_id >= 0)),
    CONSTRAINT documents_position_check CHECK (("position" >= 0))
);
ALTER TABLE ONLY knowledge.documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN knowledge.documents.doc_id IS 'The supplier''s number; two tenants may use the same.';
COMMENT ON COLUMN knowledge.documents.version IS 'Hash of the file; what an earlier state of it held goes when a newer one is ingested.';
COMMENT ON COLUMN knowledge.documents."position" IS 'Of a passage in its file, from 0; NULL for a document that came whole.';
ALTER TABLE knowledge.documents ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME knowledge.documents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY knowledge.documents ADD CONSTRAINT documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY knowledge.documents ADD CONSTRAINT documents_tenant_doc_id_key UNIQUE (tenant, doc_id);
CREATE INDEX documents_source ON knowledge.documents USING btree (tenant, source) WHERE (source IS NOT NULL);
CREATE TRIGGER note_delete AFTER DELETE ON knowledge.documents REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON knowledge.documents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON knowledge.documents REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER search_delete AFTER DELETE ON knowledge.documents REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
CREATE TRIGGER search_insert AFTER INSERT ON knowledge.documents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
CREATE TRIGGER search_update AFTER UPDATE ON knowledge.documents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
ALTER TABLE ONLY knowledge.documents ADD CONSTRAINT documents_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE knowledge.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents TO quarry_ingest;

-- knowledge.documents_blocks

CREATE TABLE knowledge.documents_blocks (
    first bigint NOT NULL,
    tid integer NOT NULL,
    layer smallint NOT NULL,
    tenant text NOT NULL,
    docs integer[] NOT NULL,
    weights integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY knowledge.documents_blocks ALTER COLUMN tid SET (n_distinct=100);
ALTER TABLE ONLY knowledge.documents_blocks ALTER COLUMN docs SET STORAGE PLAIN;
ALTER TABLE ONLY knowledge.documents_blocks ALTER COLUMN weights SET STORAGE PLAIN;
ALTER TABLE ONLY knowledge.documents_blocks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN knowledge.documents_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
COMMENT ON COLUMN knowledge.documents_blocks.docs IS 'The lowest 31 bits of each document, in order.';
COMMENT ON COLUMN knowledge.documents_blocks.weights IS 'By search.weight, parallel to docs.';
ALTER TABLE ONLY knowledge.documents_blocks ADD CONSTRAINT documents_blocks_pkey PRIMARY KEY (tid, layer, first);
ALTER TABLE knowledge.documents_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents_blocks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents_blocks TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_blocks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents_blocks TO quarry_ingest;

-- knowledge.documents_documents

CREATE TABLE knowledge.documents_documents (
    doc bigint NOT NULL,
    fingerprint bigint,
    length real NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    tids integer[] NOT NULL,
    tfs smallint[] NOT NULL
);
ALTER TABLE ONLY knowledge.documents_documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN knowledge.documents_documents.fingerprint IS 'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
COMMENT ON COLUMN knowledge.documents_documents.tids IS 'Its terms, in order.';
COMMENT ON COLUMN knowledge.documents_documents.tfs IS 'How often it has each, in tenths.';
ALTER TABLE ONLY knowledge.documents_documents ADD CONSTRAINT documents_documents_pkey PRIMARY KEY (doc);
ALTER TABLE knowledge.documents_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents_documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents_documents TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents_documents TO quarry_ingest;

-- knowledge.documents_pending

CREATE TABLE knowledge.documents_pending (
    tenant text NOT NULL,
    doc bigint NOT NULL,
    tids integer[],
    tfs smallint[],
    length real
);
ALTER TABLE ONLY knowledge.documents_pending FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN knowledge.documents_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
ALTER TABLE ONLY knowledge.documents_pending ADD CONSTRAINT documents_pending_pkey PRIMARY KEY (tenant, doc);
ALTER TABLE knowledge.documents_pending ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents_pending USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents_pending TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_pending TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents_pending TO quarry_ingest;

-- knowledge.documents_postings

CREATE VIEW knowledge.documents_postings WITH (security_invoker='true') AS
 SELECT t.tenant,
    t.tid,
    p.doc,
    ((((p.weight & 16383))::numeric / 10.0))::real AS tf,
    (((((p.weight >> 14) & 262143))::numeric / 10.0))::real AS length
   FROM (knowledge.documents_terms t
     CROSS JOIN LATERAL ( SELECT m.doc,
            m.weight
           FROM ( SELECT (f.doc)::bigint AS doc,
                    f.weight
                   FROM search.of_few(t.few) f(doc, weight)
                UNION ALL
                 SELECT (((b.first >> 31) << 31) + unnest(b.docs)),
                    unnest(b.weights) AS unnest
                   FROM knowledge.documents_blocks b
                  WHERE ((b.tid = t.tid) AND (b.layer = 0) AND (b.tenant = t.tenant))) m
          WHERE (NOT (EXISTS ( SELECT
                   FROM knowledge.documents_pending x
                  WHERE ((x.tenant = t.tenant) AND (x.doc = m.doc)))))
        UNION ALL
         SELECT d.doc,
            search.weight(d.tfs[array_position(d.tids, t.tid)], d.length) AS weight
           FROM (knowledge.documents_pending x
             JOIN knowledge.documents_documents d ON ((d.doc = x.doc)))
          WHERE ((x.tenant = t.tenant) AND (t.tid = ANY (d.tids)))) p);
GRANT SELECT ON TABLE knowledge.documents_postings TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_postings TO quarry_write;
GRANT SELECT ON TABLE knowledge.documents_postings TO quarry_ingest;

-- knowledge.documents_spellings

CREATE TABLE knowledge.documents_spellings (
    spelling integer NOT NULL,
    tid integer NOT NULL,
    tenant text NOT NULL
);
ALTER TABLE ONLY knowledge.documents_spellings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN knowledge.documents_spellings.spelling IS 'One of search.spellings.';
ALTER TABLE ONLY knowledge.documents_spellings ADD CONSTRAINT documents_spellings_pkey PRIMARY KEY (spelling, tid);
ALTER TABLE knowledge.documents_spellings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents_spellings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents_spellings TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_spellings TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents_spellings TO quarry_ingest;

-- knowledge.documents_terms

CREATE TABLE knowledge.documents_terms (
    df bigint NOT NULL,
    tid integer NOT NULL,
    cut smallint,
    tenant text NOT NULL,
    term text NOT NULL,
    few integer[]
)
WITH (fillfactor='80');
ALTER TABLE ONLY knowledge.documents_terms ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY knowledge.documents_terms FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN knowledge.documents_terms.cut IS 'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
COMMENT ON COLUMN knowledge.documents_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
ALTER TABLE knowledge.documents_terms ALTER COLUMN tid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME knowledge.documents_terms_tid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY knowledge.documents_terms ADD CONSTRAINT documents_terms_pkey PRIMARY KEY (tid);
ALTER TABLE ONLY knowledge.documents_terms ADD CONSTRAINT documents_terms_tenant_term_key UNIQUE (tenant, term);
ALTER TABLE knowledge.documents_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents_terms USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents_terms TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_terms TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents_terms TO quarry_ingest;

-- knowledge.documents_totals

CREATE TABLE knowledge.documents_totals (
    tenant text NOT NULL,
    documents bigint NOT NULL,
    length double precision NOT NULL
);
ALTER TABLE ONLY knowledge.documents_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY knowledge.documents_totals ADD CONSTRAINT documents_totals_pkey PRIMARY KEY (tenant);
ALTER TABLE knowledge.documents_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents_totals USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents_totals TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_totals TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents_totals TO quarry_ingest;

-- knowledge.documents_vectors

CREATE TABLE knowledge.documents_vectors (
    doc bigint NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY knowledge.documents_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY knowledge.documents_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY knowledge.documents_vectors ADD CONSTRAINT documents_vectors_pkey PRIMARY KEY (doc);
CREATE INDEX documents_vectors_hnsw ON knowledge.documents_vectors USING hnsw (embedding public.halfvec_cosine_ops) WITH (m='32', ef_construction='200');
CREATE INDEX documents_vectors_tenant_idx ON knowledge.documents_vectors USING btree (tenant);
ALTER TABLE knowledge.documents_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON knowledge.documents_vectors USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE knowledge.documents_vectors TO quarry_read;
GRANT SELECT ON TABLE knowledge.documents_vectors TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE knowledge.documents_vectors TO quarry_ingest;

-- pg_catalog.lo_creat(integer)

REVOKE ALL ON FUNCTION pg_catalog.lo_creat(integer) FROM PUBLIC;

-- pg_catalog.lo_create(oid)

REVOKE ALL ON FUNCTION pg_catalog.lo_create(oid) FROM PUBLIC;

-- pg_catalog.lo_from_bytea(oid, bytea)

REVOKE ALL ON FUNCTION pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC;

-- pg_catalog.lo_put(oid, bigint, bytea)

REVOKE ALL ON FUNCTION pg_catalog.lo_put(oid, bigint, bytea) FROM PUBLIC;

-- pg_catalog.lowrite(integer, bytea)

REVOKE ALL ON FUNCTION pg_catalog.lowrite(integer, bytea) FROM PUBLIC;

-- quarry

CREATE SCHEMA quarry;
GRANT USAGE ON SCHEMA quarry TO quarry_read;
GRANT USAGE ON SCHEMA quarry TO quarry_write;
GRANT USAGE ON SCHEMA quarry TO quarry_approve;
GRANT USAGE ON SCHEMA quarry TO quarry_ingest;
GRANT USAGE ON SCHEMA quarry TO quarry_keys;

-- quarry.changed_again(bigint)

CREATE FUNCTION quarry.changed_again(ingest bigint) RETURNS TABLE(relation text, key jsonb, ingest_id bigint, before jsonb, after jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT c.relation, (jsonb_agg(c.key) -> 0) AS key FROM quarry.ingest_changes c
        WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest GROUP BY c.relation
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT s.relation, s.key, s.ingest_id, s.before, CASE WHEN s.newest THEN ('
            '    SELECT to_jsonb(t) FROM %1$s t, jsonb_populate_record(NULL::%1$s, s.key) k'
            '    WHERE %2$s AND t.tenant = quarry.current_tenant()) ELSE s.after END '
            'FROM (SELECT l.relation, l.key, l.ingest_id, l.before, lead(l.before) OVER later AS after,'
            '          lead(l.ingest_id) OVER later IS NULL AS newest, count(*) OVER (PARTITION BY l.key) AS times'
            '      FROM quarry.ingest_changes c JOIN quarry.ingest_changes l'
            '          ON l.tenant = c.tenant AND l.relation = c.relation AND l.key = c.key AND l.ingest_id >= c.ingest_id'
            '      WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = $1 AND c.relation = $2'
            '      WINDOW later AS (PARTITION BY l.key ORDER BY l.ingest_id)) s WHERE s.times > 1',
            part.relation, quarry.equal_keys('t', 'k', part.key)) USING ingest, part.relation;
    END LOOP;
END $_$;

-- quarry.changed_again(ingest bigint)

REVOKE ALL ON FUNCTION quarry.changed_again(ingest bigint) FROM PUBLIC;

-- quarry.changed_fields(text, jsonb, jsonb)

CREATE FUNCTION quarry.changed_fields(relation text, before jsonb, after jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(SELECT field FROM (quarry.fields_of(changed_fields.before) b(field, value) FULL JOIN quarry.fields_of(changed_fields.after) a(field, value) USING (field)) WHERE ((a.value IS DISTINCT FROM b.value) AND (field <> ALL ((quarry.following_columns(changed_fields.relation) || '{updated_at}'::text[])))));

-- quarry.columns_of(jsonb, text[])

CREATE FUNCTION quarry.columns_of(content jsonb, names text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT jsonb_object_agg(name.name, (columns_of.content -> name.name)) AS jsonb_object_agg FROM unnest(columns_of.names) name(name));

-- quarry.current_tenant()

CREATE FUNCTION quarry.current_tenant() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('quarry.tenant'::text, true), ''::text);

-- quarry.drop_claim()

CREATE FUNCTION quarry.drop_claim() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.claim := NULL;
    NEW.claimed_until := NULL;
    RETURN NEW;
END $$;

-- quarry.equal_keys(text, text, jsonb)

CREATE FUNCTION quarry.equal_keys(one text, other text, key jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT string_agg(format('%s.%I = %s.%I'::text, equal_keys.one, name.name, equal_keys.other, name.name), ' AND '::text) AS string_agg FROM jsonb_object_keys(equal_keys.key) name(name));

-- quarry.every_tenant()

CREATE FUNCTION quarry.every_tenant() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT tenant FROM quarry.tenants ORDER BY tenant
$$;
REVOKE ALL ON FUNCTION quarry.every_tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION quarry.every_tenant() TO quarry_write;

-- quarry.fields_of(jsonb)

CREATE FUNCTION quarry.fields_of(content jsonb) RETURNS TABLE(field text, value jsonb)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT e.key, e.value FROM jsonb_each(content) e WHERE e.key <> 'attributes'
    UNION ALL
    SELECT 'attributes.' || e.key, e.value
    FROM jsonb_each(CASE jsonb_typeof(content -> 'attributes') WHEN 'object' THEN content -> 'attributes' ELSE '{}' END) e
$$;

-- quarry.following_columns(text)

CREATE FUNCTION quarry.following_columns(relation text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (CASE relation WHEN 'quotes.past_quotes'::text THEN '{contents}'::text WHEN 'quotes.line_items'::text THEN '{product_id}'::text ELSE '{}'::text END)::text[];

-- quarry.forget_queries()

CREATE FUNCTION quarry.forget_queries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM quarry.embedding_cache WHERE tenant = NEW.tenant;
    RETURN NULL;
END $$;

-- quarry.in_the_way_of_undoing(bigint)

CREATE FUNCTION quarry.in_the_way_of_undoing(ingest bigint) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    WITH changes AS MATERIALIZED (SELECT * FROM quarry.changed_again(ingest))
    SELECT DISTINCT l.ingest_id
    FROM changes c JOIN changes l USING (relation, key)
    WHERE c.ingest_id = ingest AND l.ingest_id > ingest AND (
        c.before IS NULL OR c.after IS NULL OR l.before IS NULL OR l.after IS NULL
        OR quarry.changed_fields(c.relation, c.before, c.after) && quarry.changed_fields(l.relation, l.before, l.after))
    ORDER BY 1
$$;

-- quarry.in_the_way_of_undoing(ingest bigint)

REVOKE ALL ON FUNCTION quarry.in_the_way_of_undoing(ingest bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION quarry.in_the_way_of_undoing(ingest bigint) TO quarry_ingest;

-- quarry.isolate(regclass)

CREATE FUNCTION quarry.isolate(target regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY tenant_isolation ON %s USING (tenant = quarry.current_tenant())'
        ' WITH CHECK (tenant = quarry.current_tenant())', target);
END $$;

-- quarry.note_change()

CREATE FUNCTION quarry.note_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    ingest bigint := nullif(current_setting('quarry.ingest', true), '')::bigint;
    noted text := TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
    keys text[] := TG_ARGV;
    following text[] := quarry.following_columns(TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME);
BEGIN
    IF ingest IS NULL THEN
        RETURN NULL;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO quarry.ingest_changes (tenant, ingest_id, relation, key)
        SELECT n.tenant, ingest, noted, quarry.columns_of(to_jsonb(n), keys)
        FROM new_rows n ON CONFLICT DO NOTHING;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO quarry.ingest_changes (tenant, ingest_id, relation, key, before)
        SELECT o.tenant, ingest, noted, quarry.columns_of(to_jsonb(o), keys), to_jsonb(o)
        FROM old_rows o ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO quarry.ingest_changes (tenant, ingest_id, relation, key, before)
        SELECT o.tenant, ingest, noted, o.key, o.content
        FROM (SELECT r.tenant, to_jsonb(r) AS content, quarry.columns_of(to_jsonb(r), keys) AS key FROM old_rows r) o
        JOIN (SELECT to_jsonb(r) AS content, quarry.columns_of(to_jsonb(r), keys) AS key FROM new_rows r) n
            ON n.key = o.key AND n.content ->> 'tenant' = o.tenant
        WHERE (o.content - following - 'updated_at') IS DISTINCT FROM (n.content - following - 'updated_at')
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

-- quarry.presented_key()

CREATE FUNCTION quarry.presented_key() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('quarry.presented_key'::text, true), ''::text);

-- quarry.put_back(text, jsonb, jsonb)

CREATE FUNCTION quarry.put_back(relation text, key jsonb, images jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
    same text := quarry.equal_keys('t', 'b', key) || ' AND t.tenant = quarry.current_tenant()';
    own text[];
BEGIN
    SELECT array_agg(quote_ident(a.attname) ORDER BY a.attnum) INTO own
    FROM pg_attribute a
    WHERE a.attrelid = relation::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND a.attname <> 'tenant' AND NOT key ? a.attname AND a.attname <> ALL (quarry.following_columns(relation));
    EXECUTE format('UPDATE %1$s t SET (%2$s) = ROW(%3$s) FROM jsonb_populate_recordset(NULL::%1$s, $1) b WHERE %4$s',
        relation, array_to_string(own, ', '), 'b.' || array_to_string(own, ', b.'), same) USING images;
    SELECT own || array_agg(quote_ident(name)) INTO own FROM jsonb_object_keys(key) AS name;
    EXECUTE format('INSERT INTO %1$s (tenant, %2$s) OVERRIDING SYSTEM VALUE SELECT quarry.current_tenant(), %3$s '
        'FROM jsonb_populate_recordset(NULL::%1$s, $1) b WHERE NOT EXISTS (SELECT FROM %1$s t WHERE %4$s)',
        relation, array_to_string(own, ', '), 'b.' || array_to_string(own, ', b.'), same) USING images;
END $_$;

-- quarry.quotes_relying_on(relation text, keys jsonb)

REVOKE ALL ON FUNCTION quarry.quotes_relying_on(relation text, keys jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION quarry.quotes_relying_on(relation text, keys jsonb) TO quarry_ingest;

-- quarry.quotes_relying_on(text, jsonb)

CREATE FUNCTION quarry.quotes_relying_on(relation text, keys jsonb) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
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

-- quarry.take_out(text, jsonb)

CREATE FUNCTION quarry.take_out(relation text, keys jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    AS $_$
DECLARE
    same text := quarry.equal_keys('t', 'k', keys -> 0) || ' AND t.tenant = quarry.current_tenant()';
    remove text := format('DELETE FROM %s t USING jsonb_populate_recordset(NULL::%s, $1) k WHERE %s', relation, relation, same);
    one jsonb;
    kept jsonb := '[]';
BEGIN
    IF relation = 'cpq.price_book_entries' THEN
        WITH ended AS (
            UPDATE cpq.price_book_entries t SET superseded_at = coalesce(t.superseded_at, now())
            FROM jsonb_populate_recordset(NULL::cpq.price_book_entries, keys) k
            WHERE t.tenant = quarry.current_tenant() AND t.price_book_id = k.price_book_id
                AND t.product_id = k.product_id AND t.version = k.version
                AND EXISTS (
                    SELECT FROM cpq.quote_lines l JOIN cpq.quote_versions v
                        ON v.tenant = l.tenant AND v.quote_id = l.quote_id AND v.version = l.version
                    WHERE l.tenant = t.tenant AND l.product_id = t.product_id AND v.price_book_id = t.price_book_id)
            RETURNING jsonb_build_object('price_book_id', t.price_book_id, 'product_id', t.product_id, 'version', t.version) AS key)
        SELECT coalesce(jsonb_agg(key), '[]') INTO kept FROM ended;
        SELECT coalesce(jsonb_agg(key), '[]') INTO keys
        FROM jsonb_array_elements(keys) AS key WHERE NOT kept @> jsonb_build_array(key);
    END IF;
    BEGIN
        EXECUTE remove USING keys;
        RETURN kept;
    EXCEPTION WHEN foreign_key_violation THEN
        NULL; -- one by one, below
    END;
    FOR one IN SELECT * FROM jsonb_array_elements(keys) LOOP
        BEGIN
            EXECUTE remove USING jsonb_build_array(one);
        EXCEPTION WHEN foreign_key_violation THEN
            kept := kept || jsonb_build_array(one);
            IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation::regclass AND attname = 'active') THEN
                EXECUTE format('UPDATE %s t SET active = false, updated_at = now() FROM jsonb_populate_recordset(NULL::%s, $1) k '
                    'WHERE %s', relation, relation, same) USING jsonb_build_array(one);
            END IF;
        END;
    END LOOP;
    RETURN kept;
END $_$;

-- quarry.take_out_unnamed(bigint, jsonb)

CREATE FUNCTION quarry.take_out_unnamed(ingest bigint, keys jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    relation text := (
        SELECT t.relation
        FROM quarry.ingests i JOIN (VALUES
            ('products', 'equipment.products'), ('past_quotes', 'quotes.past_quotes'), ('line_items', 'quotes.line_items'),
            ('documents', 'knowledge.documents'), ('stories', 'stories.user_stories'), ('vocabulary', 'search.vocabulary'),
            ('equivalents', 'search.equivalents'), ('discount_policies', 'cpq.discount_policies'),
            ('approvers', 'cpq.approvers'), ('exchange_rates', 'cpq.exchange_rates'), ('products_for_sale', 'cpq.products'),
            ('product_relationships', 'cpq.product_relationships'), ('accounts', 'cpq.accounts'),
            ('price_books', 'cpq.price_books'), ('prices', 'cpq.price_book_entries'), ('tax_rules', 'cpq.tax_rules'),
            ('discounts', 'cpq.discounts'))
            AS t (kind, relation) ON t.kind = i.kind
        WHERE i.tenant = quarry.current_tenant() AND i.id = ingest AND i.replaces AND i.finished_at IS NULL);
BEGIN
    IF relation IS NULL THEN
        RAISE EXCEPTION 'ingest % takes nothing out', ingest USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM set_config('quarry.ingest', ingest::text, true);
    IF relation = 'cpq.price_book_entries' THEN
        UPDATE cpq.price_book_entries t SET superseded_at = now()
        FROM jsonb_populate_recordset(NULL::cpq.price_book_entries, keys) k
        WHERE t.tenant = quarry.current_tenant() AND t.price_book_id = k.price_book_id
            AND t.product_id = k.product_id AND t.version = k.version AND t.superseded_at IS NULL;
        RETURN '[]';
    END IF;
    RETURN quarry.take_out(relation, keys);
END $$;

-- quarry.take_out_unnamed(ingest bigint, keys jsonb)

REVOKE ALL ON FUNCTION quarry.take_out_unnamed(ingest bigint, keys jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION quarry.take_out_unnamed(ingest bigint, keys jsonb) TO quarry_ingest;

-- quarry.undo_ingest(bigint)

CREATE FUNCTION quarry.undo_ingest(ingest bigint) RETURNS TABLE(relation text, removed integer, restored integer, kept jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    part record;
    again jsonb := (
        WITH changes AS MATERIALIZED (SELECT * FROM quarry.changed_again(ingest)),
        newest AS (SELECT DISTINCT ON (n.relation, n.key) n.* FROM changes n ORDER BY n.relation, n.key, n.ingest_id DESC)
        SELECT coalesce(jsonb_agg(jsonb_build_object('relation', c.relation, 'key', c.key, 'now', n.after,
            'fields', quarry.changed_fields(c.relation, c.before, c.after))), '[]')
        FROM changes c JOIN newest n ON n.relation = c.relation AND n.key = c.key WHERE c.ingest_id = ingest);
BEGIN
    FOR part IN
        SELECT c.relation, jsonb_agg(c.key) AS keys FROM quarry.ingest_changes c
        WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest AND c.before IS NULL
        GROUP BY c.relation ORDER BY c.relation DESC -- a relation's name stands behind those of what it is part of
    LOOP
        relation := part.relation;
        kept := quarry.take_out(part.relation, part.keys);
        removed := jsonb_array_length(part.keys) - jsonb_array_length(kept);
        restored := 0;
        RETURN NEXT;
    END LOOP;
    FOR part IN
        SELECT c.relation, (jsonb_agg(c.key) -> 0) AS key, jsonb_agg(
            CASE WHEN a.now IS NULL THEN c.before ELSE quarry.with_fields(a.now, c.before, a.fields) END) AS images
        FROM quarry.ingest_changes c
        LEFT JOIN jsonb_to_recordset(again) AS a (relation text, key jsonb, now jsonb, fields text[])
            ON a.relation = c.relation AND a.key = c.key
        WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest AND c.before IS NOT NULL
        GROUP BY c.relation ORDER BY c.relation DESC
    LOOP
        PERFORM quarry.put_back(part.relation, part.key, part.images);
        relation := part.relation;
        removed := 0;
        restored := jsonb_array_length(part.images);
        kept := '[]';
        RETURN NEXT;
    END LOOP;
    UPDATE quarry.ingest_changes l SET before = quarry.with_fields(l.before, c.before, a.fields)
    FROM jsonb_to_recordset(again) AS a (relation text, key jsonb, fields text[]), quarry.ingest_changes c
    WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest AND c.relation = a.relation AND c.key = a.key
        AND l.tenant = c.tenant AND l.relation = c.relation AND l.key = c.key AND l.ingest_id > ingest;
    DELETE FROM quarry.ingest_changes c WHERE c.tenant = quarry.current_tenant() AND c.ingest_id = ingest;
    DELETE FROM quarry.ingest_mappings m USING quarry.ingests i
    WHERE i.tenant = quarry.current_tenant() AND i.id = ingest AND m.tenant = i.tenant AND m.kind = i.kind AND m.shape = i.shape
        AND NOT EXISTS (SELECT FROM quarry.ingests o WHERE o.tenant = i.tenant AND o.kind = i.kind AND o.shape = i.shape
                            AND o.id <> i.id AND o.undone_at IS NULL);
    UPDATE quarry.ingests i SET undone_at = now(), finished_at = coalesce(i.finished_at, now())
    WHERE i.tenant = quarry.current_tenant() AND i.id = ingest;
END $$;

-- quarry.undo_ingest(ingest bigint)

REVOKE ALL ON FUNCTION quarry.undo_ingest(ingest bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION quarry.undo_ingest(ingest bigint) TO quarry_ingest;

-- quarry.with_fields(jsonb, jsonb, text[])

CREATE FUNCTION quarry.with_fields(content jsonb, other jsonb, fields text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (WITH made AS (SELECT f.field, f.value FROM quarry.fields_of(with_fields.content) f(field, value) WHERE (f.field <> ALL (with_fields.fields)) UNION ALL SELECT f.field, f.value FROM quarry.fields_of(with_fields.other) f(field, value) WHERE (f.field = ANY (with_fields.fields))) SELECT (jsonb_object_agg(made.field, made.value) FILTER (WHERE (NOT starts_with(made.field, 'attributes.'::text))) || CASE WHEN (with_fields.content ? 'attributes'::text) THEN jsonb_build_object('attributes', COALESCE(jsonb_object_agg(substr(made.field, 12), made.value) FILTER (WHERE starts_with(made.field, 'attributes.'::text)), (CASE WHEN ((with_fields.other -> 'attributes'::text) = '{}'::jsonb) THEN '{}'::text ELSE 'null'::text END)::jsonb)) ELSE '{}'::jsonb END) FROM made);

-- quarry.api_keys

CREATE TABLE quarry.api_keys (
    id text NOT NULL,
    tenant text NOT NULL,
    name text NOT NULL,
    subject text NOT NULL,
    secret_sha256 bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_on date,
    CONSTRAINT api_keys_id_check CHECK ((id ~ '^[0-9A-Za-z]{12}$'::text)),
    CONSTRAINT api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT api_keys_scopes_check CHECK (((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 64))),
    CONSTRAINT api_keys_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32)),
    CONSTRAINT api_keys_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 200)))
);
ALTER TABLE ONLY quarry.api_keys FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quarry.api_keys.subject IS 'What created_by and the audit say of calls made with it.';
COMMENT ON COLUMN quarry.api_keys.secret_sha256 IS 'Of 256 random bits, which need neither salt nor stretching.';
COMMENT ON COLUMN quarry.api_keys.last_used_on IS 'A day, so that a key in use costs one write a day.';
ALTER TABLE ONLY quarry.api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
CREATE INDEX api_keys_of_tenant ON quarry.api_keys USING btree (tenant, created_at);
ALTER TABLE ONLY quarry.api_keys ADD CONSTRAINT api_keys_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE quarry.api_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY presented_is_marked ON quarry.api_keys FOR UPDATE TO quarry_keys, quarry_write USING ((id = quarry.presented_key()));
CREATE POLICY presented_is_seen ON quarry.api_keys FOR SELECT TO quarry_keys, quarry_write USING ((id = quarry.presented_key()));
CREATE POLICY tenant_isolation ON quarry.api_keys USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quarry.api_keys TO quarry_write;
GRANT SELECT,INSERT ON TABLE quarry.api_keys TO quarry_keys;
GRANT SELECT(tenant) ON TABLE quarry.api_keys TO quarry_approve;
GRANT SELECT(name) ON TABLE quarry.api_keys TO quarry_approve;
GRANT SELECT(subject) ON TABLE quarry.api_keys TO quarry_approve;
GRANT UPDATE(expires_at) ON TABLE quarry.api_keys TO quarry_keys;
GRANT SELECT(revoked_at) ON TABLE quarry.api_keys TO quarry_approve;
GRANT UPDATE(revoked_at) ON TABLE quarry.api_keys TO quarry_keys;
GRANT UPDATE(last_used_on) ON TABLE quarry.api_keys TO quarry_write;

-- quarry.cursor_secret

CREATE TABLE quarry.cursor_secret (
    one boolean DEFAULT true NOT NULL,
    secret bytea NOT NULL,
    CONSTRAINT cursor_secret_one_check CHECK (one),
    CONSTRAINT cursor_secret_secret_check CHECK ((length(secret) = 32))
);
COMMENT ON TABLE quarry.cursor_secret IS 'What cursors are sealed with; no tool shows it, and a new one ends the cursors that are out.';
ALTER TABLE ONLY quarry.cursor_secret ADD CONSTRAINT cursor_secret_pkey PRIMARY KEY (one);
GRANT SELECT ON TABLE quarry.cursor_secret TO quarry_read;
GRANT SELECT ON TABLE quarry.cursor_secret TO quarry_write;

-- quarry.embedding_cache

CREATE TABLE quarry.embedding_cache (
    tenant text NOT NULL,
    model text NOT NULL,
    text_hash bytea NOT NULL,
    embedding public.vector NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY quarry.embedding_cache FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE quarry.embedding_cache IS 'Query vectors by SHA-256 of the query: the text itself is never stored.';
ALTER TABLE ONLY quarry.embedding_cache ADD CONSTRAINT embedding_cache_pkey PRIMARY KEY (tenant, model, text_hash);
CREATE INDEX embedding_cache_age ON quarry.embedding_cache USING btree (created_at);
ALTER TABLE quarry.embedding_cache ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.embedding_cache USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
CREATE POLICY worker_prunes ON quarry.embedding_cache FOR DELETE TO quarry_ingest USING (true);
CREATE POLICY worker_sees ON quarry.embedding_cache FOR SELECT TO quarry_ingest USING (true);
GRANT SELECT,INSERT ON TABLE quarry.embedding_cache TO quarry_read;
GRANT SELECT,INSERT ON TABLE quarry.embedding_cache TO quarry_write;
GRANT SELECT,INSERT ON TABLE quarry.embedding_cache TO quarry_approve;
GRANT SELECT,DELETE ON TABLE quarry.embedding_cache TO quarry_ingest;

-- quarry.embedding_model

CREATE TABLE quarry.embedding_model (
    only_row boolean DEFAULT true NOT NULL,
    model text NOT NULL,
    dimensions integer NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embedding_model_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 2000))),
    CONSTRAINT embedding_model_only_row_check CHECK (only_row)
);
COMMENT ON TABLE quarry.embedding_model IS 'The one model whose vectors this database holds.';
ALTER TABLE ONLY quarry.embedding_model ADD CONSTRAINT embedding_model_pkey PRIMARY KEY (only_row);
GRANT SELECT ON TABLE quarry.embedding_model TO quarry_read;
GRANT SELECT ON TABLE quarry.embedding_model TO quarry_write;
GRANT SELECT ON TABLE quarry.embedding_model TO quarry_approve;
GRANT SELECT ON TABLE quarry.embedding_model TO quarry_ingest;
GRANT SELECT ON TABLE quarry.embedding_model TO quarry_keys;

-- quarry.embedding_queue

CREATE TABLE quarry.embedding_queue (
    id bigint NOT NULL,
    tenant text NOT NULL,
    corpus text NOT NULL,
    doc bigint NOT NULL,
    content_hash bytea NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    available_at timestamp with time zone DEFAULT now() NOT NULL,
    claim uuid,
    claimed_until timestamp with time zone,
    last_error text,
    dead_at timestamp with time zone
);
ALTER TABLE ONLY quarry.embedding_queue FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quarry.embedding_queue.claim IS 'The batch a worker has in hand; it may finish a row only while its claim stands.';
COMMENT ON COLUMN quarry.embedding_queue.dead_at IS 'Set when attempts ran out: a dead letter, kept and reported until requeued.';
ALTER TABLE quarry.embedding_queue ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME quarry.embedding_queue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY quarry.embedding_queue ADD CONSTRAINT embedding_queue_corpus_doc_key UNIQUE (corpus, doc);
ALTER TABLE ONLY quarry.embedding_queue ADD CONSTRAINT embedding_queue_pkey PRIMARY KEY (id);
CREATE INDEX embedding_queue_ready ON quarry.embedding_queue USING btree (available_at, id) WHERE (dead_at IS NULL);
CREATE TRIGGER drop_claim BEFORE UPDATE OF content_hash ON quarry.embedding_queue FOR EACH ROW EXECUTE FUNCTION quarry.drop_claim();
ALTER TABLE ONLY quarry.embedding_queue ADD CONSTRAINT embedding_queue_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE quarry.embedding_queue ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.embedding_queue USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
CREATE POLICY worker_deletes ON quarry.embedding_queue FOR DELETE TO quarry_ingest USING (true);
CREATE POLICY worker_reads ON quarry.embedding_queue FOR SELECT TO quarry_ingest USING (true);
CREATE POLICY worker_updates ON quarry.embedding_queue FOR UPDATE TO quarry_ingest USING (true);
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quarry.embedding_queue TO quarry_ingest;

-- quarry.house

CREATE TABLE quarry.house (
    tenant text NOT NULL,
    id text DEFAULT 'house'::text NOT NULL,
    currency text,
    billing_frequency text,
    payment_terms text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    units text,
    country text,
    quote_numbers text,
    language text,
    facts jsonb,
    CONSTRAINT house_billing_frequency_check CHECK ((billing_frequency = ANY (ARRAY['one_time'::text, 'monthly'::text, 'quarterly'::text, 'annual'::text]))),
    CONSTRAINT house_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT house_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT house_facts_check CHECK ((jsonb_typeof(facts) = 'object'::text)),
    CONSTRAINT house_id_check CHECK ((id = 'house'::text)),
    CONSTRAINT house_language_check CHECK ((language ~ '^[a-z]{2}$'::text)),
    CONSTRAINT house_payment_terms_check CHECK ((payment_terms <> ''::text)),
    CONSTRAINT house_quote_numbers_check CHECK ((quote_numbers ~ '\{number'::text)),
    CONSTRAINT house_units_check CHECK ((units = ANY (ARRAY['us'::text, 'metric'::text])))
);
ALTER TABLE ONLY quarry.house FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE quarry.house IS 'One row for a tenant: what its quotes say where neither the call nor the account does.';
COMMENT ON COLUMN quarry.house.units IS 'What quantities are read and shown in where a call does not say.';
COMMENT ON COLUMN quarry.house.country IS 'Of accounts that are loaded without one.';
COMMENT ON COLUMN quarry.house.quote_numbers IS 'Such as AN-{year}-{number:04}; NULL: Q-{year}-{number:04}.';
COMMENT ON COLUMN quarry.house.language IS 'What documents are printed in, where the account does not say.';
COMMENT ON COLUMN quarry.house.facts IS 'Texts by name, as letters may say them: {"lead_times": "Tina Vance, …"}.';
ALTER TABLE ONLY quarry.house ADD CONSTRAINT house_pkey PRIMARY KEY (tenant, id);
CREATE TRIGGER note_delete AFTER DELETE ON quarry.house REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON quarry.house REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON quarry.house REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
ALTER TABLE ONLY quarry.house ADD CONSTRAINT house_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE quarry.house ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.house USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quarry.house TO quarry_read;
GRANT SELECT ON TABLE quarry.house TO quarry_write;
GRANT SELECT,INSERT,UPDATE ON TABLE quarry.house TO quarry_ingest;
GRANT SELECT(tenant) ON TABLE quarry.house TO quarry_approve;
GRANT SELECT(currency) ON TABLE quarry.house TO quarry_approve;
GRANT SELECT(payment_terms) ON TABLE quarry.house TO quarry_approve;
GRANT SELECT(country) ON TABLE quarry.house TO quarry_approve;
GRANT SELECT(language) ON TABLE quarry.house TO quarry_approve;

-- quarry.ingest_changes

CREATE TABLE quarry.ingest_changes (
    tenant text NOT NULL,
    ingest_id bigint NOT NULL,
    relation text NOT NULL,
    key jsonb NOT NULL,
    before jsonb
);
ALTER TABLE ONLY quarry.ingest_changes FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quarry.ingest_changes.key IS 'The row''s primary key without its tenant, by column.';
COMMENT ON COLUMN quarry.ingest_changes.before IS 'The row before this ingest first touched it; NULL: there was none.';
ALTER TABLE ONLY quarry.ingest_changes ADD CONSTRAINT ingest_changes_pkey PRIMARY KEY (tenant, relation, key, ingest_id);
CREATE INDEX ingest_changes_ingest ON quarry.ingest_changes USING btree (tenant, ingest_id);
ALTER TABLE ONLY quarry.ingest_changes ADD CONSTRAINT ingest_changes_tenant_ingest_id_fkey FOREIGN KEY (tenant, ingest_id) REFERENCES quarry.ingests(tenant, id) ON DELETE CASCADE;
ALTER TABLE quarry.ingest_changes ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.ingest_changes USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT,DELETE ON TABLE quarry.ingest_changes TO quarry_ingest;

-- quarry.ingest_keys

CREATE TABLE quarry.ingest_keys (
    tenant text NOT NULL,
    ingest_id bigint NOT NULL,
    key jsonb NOT NULL
);
ALTER TABLE ONLY quarry.ingest_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quarry.ingest_keys ADD CONSTRAINT ingest_keys_pkey PRIMARY KEY (tenant, ingest_id, key);
ALTER TABLE ONLY quarry.ingest_keys ADD CONSTRAINT ingest_keys_tenant_ingest_id_fkey FOREIGN KEY (tenant, ingest_id) REFERENCES quarry.ingests(tenant, id) ON DELETE CASCADE;
ALTER TABLE quarry.ingest_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.ingest_keys USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT,INSERT,DELETE ON TABLE quarry.ingest_keys TO quarry_ingest;

-- quarry.ingest_mappings

CREATE TABLE quarry.ingest_mappings (
    tenant text NOT NULL,
    kind text NOT NULL,
    shape text NOT NULL,
    mapping text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY quarry.ingest_mappings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quarry.ingest_mappings.shape IS 'The columns that it reads, by which it is found for the next file.';
COMMENT ON COLUMN quarry.ingest_mappings.mapping IS 'TOML, as make preview writes it.';
ALTER TABLE ONLY quarry.ingest_mappings ADD CONSTRAINT ingest_mappings_pkey PRIMARY KEY (tenant, kind, shape);
CREATE TRIGGER note_delete AFTER DELETE ON quarry.ingest_mappings REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('kind', 'shape');
CREATE TRIGGER note_insert AFTER INSERT ON quarry.ingest_mappings REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('kind', 'shape');
CREATE TRIGGER note_update AFTER UPDATE ON quarry.ingest_mappings REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('kind', 'shape');
ALTER TABLE ONLY quarry.ingest_mappings ADD CONSTRAINT ingest_mappings_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE quarry.ingest_mappings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.ingest_mappings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quarry.ingest_mappings TO quarry_ingest;

-- quarry.ingest_rejects

CREATE TABLE quarry.ingest_rejects (
    ingest_id bigint NOT NULL,
    tenant text NOT NULL,
    line integer NOT NULL,
    reason text NOT NULL,
    raw text NOT NULL
);
ALTER TABLE ONLY quarry.ingest_rejects FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quarry.ingest_rejects ADD CONSTRAINT ingest_rejects_pkey PRIMARY KEY (ingest_id, line);
ALTER TABLE ONLY quarry.ingest_rejects ADD CONSTRAINT ingest_rejects_tenant_ingest_id_fkey FOREIGN KEY (tenant, ingest_id) REFERENCES quarry.ingests(tenant, id) ON DELETE CASCADE;
ALTER TABLE quarry.ingest_rejects ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.ingest_rejects USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT,INSERT ON TABLE quarry.ingest_rejects TO quarry_ingest;

-- quarry.ingests

CREATE TABLE quarry.ingests (
    id bigint NOT NULL,
    tenant text NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    etag text,
    request_id text,
    content_sha256 text,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    rows_read integer DEFAULT 0 NOT NULL,
    inserted integer DEFAULT 0 NOT NULL,
    updated integer DEFAULT 0 NOT NULL,
    unchanged integer DEFAULT 0 NOT NULL,
    rejected integer DEFAULT 0 NOT NULL,
    repaired integer DEFAULT 0 NOT NULL,
    merged integer DEFAULT 0 NOT NULL,
    encoding text,
    separator text,
    replaces boolean DEFAULT false NOT NULL,
    removed integer DEFAULT 0 NOT NULL,
    undone_at timestamp with time zone,
    stopped text,
    shape text
);
ALTER TABLE ONLY quarry.ingests FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quarry.ingests.request_id IS 'The invocation that began it: when Lambda repeats that one, the ingest goes on where it stood.';
COMMENT ON COLUMN quarry.ingests.content_sha256 IS 'NULL until the file was read to its end.';
COMMENT ON COLUMN quarry.ingests.rows_read IS 'Records of the file that are dealt with; the next run goes on after them.';
COMMENT ON COLUMN quarry.ingests.merged IS 'Rows whose key came before in the same file: the last one of a key stands.';
COMMENT ON COLUMN quarry.ingests.separator IS 'Of a table as text; NULL for other files.';
COMMENT ON COLUMN quarry.ingests.replaces IS 'The file is the whole truth of its kind: what it does not name goes at its end.';
COMMENT ON COLUMN quarry.ingests.removed IS 'Rows that went, or were deactivated, because the file does not name them.';
COMMENT ON COLUMN quarry.ingests.stopped IS 'Why the file was not read to its end; NULL where it was.';
COMMENT ON COLUMN quarry.ingests.shape IS 'Of the remembered mapping with which the file was read: undone, it is forgotten.';
ALTER TABLE quarry.ingests ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME quarry.ingests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY quarry.ingests ADD CONSTRAINT ingests_id_tenant_key UNIQUE (id, tenant);
ALTER TABLE ONLY quarry.ingests ADD CONSTRAINT ingests_pkey PRIMARY KEY (id);
CREATE INDEX ingests_unfinished ON quarry.ingests USING btree (tenant, request_id) WHERE (finished_at IS NULL);
ALTER TABLE ONLY quarry.ingests ADD CONSTRAINT ingests_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE quarry.ingests ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarry.ingests USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT,INSERT,UPDATE ON TABLE quarry.ingests TO quarry_ingest;
GRANT SELECT(tenant) ON TABLE quarry.ingests TO quarry_read;
GRANT SELECT(kind) ON TABLE quarry.ingests TO quarry_read;
GRANT SELECT(inserted) ON TABLE quarry.ingests TO quarry_read;
GRANT SELECT(updated) ON TABLE quarry.ingests TO quarry_read;
GRANT SELECT(removed) ON TABLE quarry.ingests TO quarry_read;
GRANT SELECT(undone_at) ON TABLE quarry.ingests TO quarry_read;

-- quarry.migrations

CREATE TABLE quarry.migrations (
    version integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY quarry.migrations ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);

-- quarry.tenant_rates

CREATE UNLOGGED TABLE quarry.tenant_rates (
    tenant text NOT NULL,
    used double precision DEFAULT 0 NOT NULL,
    settled_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY quarry.tenant_rates FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quarry.tenant_rates ADD CONSTRAINT tenant_rates_pkey PRIMARY KEY (tenant);
CREATE POLICY tenant_isolation ON quarry.tenant_rates USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE quarry.tenant_rates ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,UPDATE ON TABLE quarry.tenant_rates TO quarry_write;

-- quarry.tenant_settings

CREATE TABLE quarry.tenant_settings (
    tenant text NOT NULL,
    store_queries boolean DEFAULT true NOT NULL,
    units text DEFAULT 'us'::text NOT NULL,
    CONSTRAINT tenant_settings_units_check CHECK ((units = ANY (ARRAY['us'::text, 'metric'::text])))
);
ALTER TABLE ONLY quarry.tenant_settings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quarry.tenant_settings.store_queries IS 'Query text is never stored. False: not even the hash and the vector of a query are.';
COMMENT ON COLUMN quarry.tenant_settings.units IS 'What quantities are read and shown in where a call does not say.';
ALTER TABLE ONLY quarry.tenant_settings ADD CONSTRAINT tenant_settings_pkey PRIMARY KEY (tenant);
CREATE TRIGGER forget_queries AFTER INSERT OR UPDATE ON quarry.tenant_settings FOR EACH ROW WHEN ((NOT new.store_queries)) EXECUTE FUNCTION quarry.forget_queries();
ALTER TABLE ONLY quarry.tenant_settings ADD CONSTRAINT tenant_settings_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
CREATE POLICY tenant_isolation ON quarry.tenant_settings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE quarry.tenant_settings ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE quarry.tenant_settings TO quarry_read;
GRANT SELECT ON TABLE quarry.tenant_settings TO quarry_write;
GRANT SELECT ON TABLE quarry.tenant_settings TO quarry_approve;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quarry.tenant_settings TO quarry_ingest;

-- quarry.tenants

CREATE TABLE quarry.tenants (
    tenant text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tenants_tenant_check CHECK ((tenant ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text))
);
ALTER TABLE ONLY quarry.tenants ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant);
CREATE POLICY tenant_isolation ON quarry.tenants USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE quarry.tenants ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE quarry.tenants TO quarry_read;
GRANT SELECT ON TABLE quarry.tenants TO quarry_write;
GRANT SELECT,INSERT ON TABLE quarry.tenants TO quarry_ingest;
GRANT SELECT,INSERT ON TABLE quarry.tenants TO quarry_keys;

-- quotes

CREATE SCHEMA quotes;
GRANT USAGE ON SCHEMA quotes TO quarry_read;
GRANT USAGE ON SCHEMA quotes TO quarry_write;
GRANT USAGE ON SCHEMA quotes TO quarry_approve;
GRANT USAGE ON SCHEMA quotes TO quarry_ingest;

-- quotes.line_item_document(quotes.line_items)

CREATE FUNCTION quotes.line_item_document(l quotes.line_items) RETURNS search.document
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ROW(
        concat_ws(' ', l.manufacturer, l.model, l.sku),
        concat_ws(', ', lower(l.category), search.attribute_words(l.attributes)),
        concat_ws(' ', l.description, l.price_note))::search.document
$$;

-- quotes.line_item_goods(quotes.line_items)

CREATE FUNCTION quotes.line_item_goods(l quotes.line_items) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT search.embedding_text(ROW(
        concat_ws(' ', l.manufacturer, l.model, l.sku),
        concat_ws(', ', lower(l.category), search.attribute_words(l.attributes)),
        l.description)::search.document)
$$;

-- quotes.past_quote_document(quotes.past_quotes)

CREATE FUNCTION quotes.past_quote_document(q quotes.past_quotes) RETURNS search.document
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ROW(
        q.project,
        concat_ws(', ', q.customer, q.industry, q.quote_number, q.status, q.salesperson, q.contact, q.terms),
        concat_ws(E'\n', q.summary, q.price_rationale, q.contents))::search.document
$$;

-- quotes.past_quote_story(quotes.past_quotes)

CREATE FUNCTION quotes.past_quote_story(q quotes.past_quotes) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT concat_ws(E'\n', concat_ws(', ', q.customer, q.industry, q.status), q.project, q.price_rationale,
        coalesce(q.summary, q.contents))
$$;

-- quotes.sentences_of_quote(quotes.past_quotes)

CREATE FUNCTION quotes.sentences_of_quote(q quotes.past_quotes) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT search.sentences(concat_ws(E'\n', q.project, q.summary, q.price_rationale), 100)
$$;

-- quotes.tell_contents()

CREATE FUNCTION quotes.tell_contents() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

-- quotes.line_items

CREATE TABLE quotes.line_items (
    id bigint NOT NULL,
    tenant text NOT NULL,
    quote_id bigint NOT NULL,
    "position" integer NOT NULL,
    category text NOT NULL,
    category_key text GENERATED ALWAYS AS (lower(category)) STORED NOT NULL,
    family text NOT NULL,
    manufacturer text,
    model text,
    model_key text GENERATED ALWAYS AS (equipment.model_key(model)) STORED,
    product_id bigint,
    description text NOT NULL,
    quantity numeric(12,3) NOT NULL,
    unit_price numeric(14,4),
    extended_price numeric(14,4),
    currency text NOT NULL,
    optional boolean DEFAULT false NOT NULL,
    price_note text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    attributes jsonb,
    sku text,
    list_price numeric,
    discount_pct numeric,
    unit text,
    CONSTRAINT line_items_attributes_check CHECK (((jsonb_typeof(attributes) = 'object'::text) AND (attributes <> '{}'::jsonb))),
    CONSTRAINT line_items_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT line_items_family_check CHECK ((family ~ '^[a-z][a-z0-9_]{0,39}$'::text)),
    CONSTRAINT line_items_position_check CHECK (("position" > 0)),
    CONSTRAINT line_items_quantity_check CHECK ((quantity > (0)::numeric))
);
ALTER TABLE ONLY quotes.line_items FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.line_items.product_id IS 'The catalogue product of that manufacturer and model, where there is one.';
COMMENT ON COLUMN quotes.line_items.description IS 'Verbatim, typos included; never normalised or trimmed.';
COMMENT ON COLUMN quotes.line_items.attributes IS 'As those of products. What a line does not say is that of its product when it is read.';
COMMENT ON COLUMN quotes.line_items.list_price IS 'Of one unit, before the discount.';
COMMENT ON COLUMN quotes.line_items.unit IS 'What quantity counts, as its file has it: piece, m, kg, hour.';
ALTER TABLE quotes.line_items ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME quotes.line_items_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY quotes.line_items ADD CONSTRAINT line_items_pkey PRIMARY KEY (id);
ALTER TABLE ONLY quotes.line_items ADD CONSTRAINT line_items_tenant_quote_id_position_key UNIQUE (tenant, quote_id, "position");
CREATE INDEX line_items_category ON quotes.line_items USING btree (tenant, category) INCLUDE (id);
CREATE INDEX line_items_family ON quotes.line_items USING btree (tenant, family) INCLUDE (id, category_key);
CREATE UNIQUE INDEX line_items_filters ON quotes.line_items USING btree (id) INCLUDE (tenant, category_key, family);
CREATE INDEX line_items_manufacturer ON quotes.line_items USING btree (tenant, manufacturer) WHERE (manufacturer IS NOT NULL);
CREATE INDEX line_items_model_key ON quotes.line_items USING btree (tenant, model_key);
CREATE INDEX line_items_product ON quotes.line_items USING btree (product_id);
CREATE INDEX line_items_unlinked ON quotes.line_items USING btree (tenant, sku) WHERE ((sku IS NOT NULL) AND (product_id IS NULL));
CREATE TRIGGER note_delete AFTER DELETE ON quotes.line_items REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON quotes.line_items REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON quotes.line_items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER search_delete AFTER DELETE ON quotes.line_items REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
CREATE TRIGGER search_insert AFTER INSERT ON quotes.line_items REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
CREATE TRIGGER search_update AFTER UPDATE ON quotes.line_items REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
CREATE TRIGGER tell_delete AFTER DELETE ON quotes.line_items REFERENCING OLD TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_contents();
CREATE TRIGGER tell_insert AFTER INSERT ON quotes.line_items REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_contents();
CREATE TRIGGER tell_update AFTER UPDATE ON quotes.line_items REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION quotes.tell_contents();
CREATE TRIGGER values_delete AFTER DELETE ON quotes.line_items REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values();
CREATE TRIGGER values_insert AFTER INSERT ON quotes.line_items REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values();
CREATE TRIGGER values_update AFTER UPDATE ON quotes.line_items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.keep_values();
ALTER TABLE ONLY quotes.line_items ADD CONSTRAINT line_items_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY quotes.line_items ADD CONSTRAINT line_items_tenant_product_id_fkey FOREIGN KEY (tenant, product_id) REFERENCES equipment.products(tenant, id) ON DELETE SET NULL (product_id);
ALTER TABLE ONLY quotes.line_items ADD CONSTRAINT line_items_tenant_quote_id_fkey FOREIGN KEY (tenant, quote_id) REFERENCES quotes.past_quotes(tenant, id) ON DELETE CASCADE;
ALTER TABLE quotes.line_items ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items TO quarry_write;
GRANT SELECT ON TABLE quotes.line_items TO quarry_approve;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items TO quarry_ingest;

-- quotes.line_items_blocks

CREATE TABLE quotes.line_items_blocks (
    first bigint NOT NULL,
    tid integer NOT NULL,
    layer smallint NOT NULL,
    tenant text NOT NULL,
    docs integer[] NOT NULL,
    weights integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY quotes.line_items_blocks ALTER COLUMN tid SET (n_distinct=100);
ALTER TABLE ONLY quotes.line_items_blocks ALTER COLUMN docs SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.line_items_blocks ALTER COLUMN weights SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.line_items_blocks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.line_items_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
COMMENT ON COLUMN quotes.line_items_blocks.docs IS 'The lowest 31 bits of each document, in order.';
COMMENT ON COLUMN quotes.line_items_blocks.weights IS 'By search.weight, parallel to docs.';
ALTER TABLE ONLY quotes.line_items_blocks ADD CONSTRAINT line_items_blocks_pkey PRIMARY KEY (tid, layer, first);
ALTER TABLE quotes.line_items_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items_blocks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items_blocks TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_blocks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items_blocks TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_blocks TO quarry_approve;

-- quotes.line_items_documents

CREATE TABLE quotes.line_items_documents (
    doc bigint NOT NULL,
    fingerprint bigint,
    length real NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    tids integer[] NOT NULL,
    tfs smallint[] NOT NULL
);
ALTER TABLE ONLY quotes.line_items_documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.line_items_documents.fingerprint IS 'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
COMMENT ON COLUMN quotes.line_items_documents.tids IS 'Its terms, in order.';
COMMENT ON COLUMN quotes.line_items_documents.tfs IS 'How often it has each, in tenths.';
ALTER TABLE ONLY quotes.line_items_documents ADD CONSTRAINT line_items_documents_pkey PRIMARY KEY (doc);
CREATE INDEX line_items_documents_fingerprint ON quotes.line_items_documents USING btree (tenant, fingerprint);
ALTER TABLE quotes.line_items_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items_documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items_documents TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items_documents TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_documents TO quarry_approve;

-- quotes.line_items_pending

CREATE TABLE quotes.line_items_pending (
    tenant text NOT NULL,
    doc bigint NOT NULL,
    tids integer[],
    tfs smallint[],
    length real
);
ALTER TABLE ONLY quotes.line_items_pending FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.line_items_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
ALTER TABLE ONLY quotes.line_items_pending ADD CONSTRAINT line_items_pending_pkey PRIMARY KEY (tenant, doc);
ALTER TABLE quotes.line_items_pending ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items_pending USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items_pending TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_pending TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items_pending TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_pending TO quarry_approve;

-- quotes.line_items_postings

CREATE VIEW quotes.line_items_postings WITH (security_invoker='true') AS
 SELECT t.tenant,
    t.tid,
    p.doc,
    ((((p.weight & 16383))::numeric / 10.0))::real AS tf,
    (((((p.weight >> 14) & 262143))::numeric / 10.0))::real AS length
   FROM (quotes.line_items_terms t
     CROSS JOIN LATERAL ( SELECT m.doc,
            m.weight
           FROM ( SELECT (f.doc)::bigint AS doc,
                    f.weight
                   FROM search.of_few(t.few) f(doc, weight)
                UNION ALL
                 SELECT (((b.first >> 31) << 31) + unnest(b.docs)),
                    unnest(b.weights) AS unnest
                   FROM quotes.line_items_blocks b
                  WHERE ((b.tid = t.tid) AND (b.layer = 0) AND (b.tenant = t.tenant))) m
          WHERE (NOT (EXISTS ( SELECT
                   FROM quotes.line_items_pending x
                  WHERE ((x.tenant = t.tenant) AND (x.doc = m.doc)))))
        UNION ALL
         SELECT d.doc,
            search.weight(d.tfs[array_position(d.tids, t.tid)], d.length) AS weight
           FROM (quotes.line_items_pending x
             JOIN quotes.line_items_documents d ON ((d.doc = x.doc)))
          WHERE ((x.tenant = t.tenant) AND (t.tid = ANY (d.tids)))) p);
GRANT SELECT ON TABLE quotes.line_items_postings TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_postings TO quarry_write;
GRANT SELECT ON TABLE quotes.line_items_postings TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_postings TO quarry_approve;

-- quotes.line_items_spellings

CREATE TABLE quotes.line_items_spellings (
    spelling integer NOT NULL,
    tid integer NOT NULL,
    tenant text NOT NULL
);
ALTER TABLE ONLY quotes.line_items_spellings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.line_items_spellings.spelling IS 'One of search.spellings.';
ALTER TABLE ONLY quotes.line_items_spellings ADD CONSTRAINT line_items_spellings_pkey PRIMARY KEY (spelling, tid);
ALTER TABLE quotes.line_items_spellings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items_spellings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items_spellings TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_spellings TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items_spellings TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_spellings TO quarry_approve;

-- quotes.line_items_terms

CREATE TABLE quotes.line_items_terms (
    df bigint NOT NULL,
    tid integer NOT NULL,
    cut smallint,
    tenant text NOT NULL,
    term text NOT NULL,
    few integer[]
)
WITH (fillfactor='80');
ALTER TABLE ONLY quotes.line_items_terms ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY quotes.line_items_terms FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.line_items_terms.cut IS 'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
COMMENT ON COLUMN quotes.line_items_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
ALTER TABLE quotes.line_items_terms ALTER COLUMN tid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME quotes.line_items_terms_tid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY quotes.line_items_terms ADD CONSTRAINT line_items_terms_pkey PRIMARY KEY (tid);
ALTER TABLE ONLY quotes.line_items_terms ADD CONSTRAINT line_items_terms_tenant_term_key UNIQUE (tenant, term);
ALTER TABLE quotes.line_items_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items_terms USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items_terms TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_terms TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items_terms TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_terms TO quarry_approve;

-- quotes.line_items_totals

CREATE TABLE quotes.line_items_totals (
    tenant text NOT NULL,
    documents bigint NOT NULL,
    length double precision NOT NULL
);
ALTER TABLE ONLY quotes.line_items_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quotes.line_items_totals ADD CONSTRAINT line_items_totals_pkey PRIMARY KEY (tenant);
ALTER TABLE quotes.line_items_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items_totals USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items_totals TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_totals TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items_totals TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_totals TO quarry_approve;

-- quotes.line_items_vectors

CREATE TABLE quotes.line_items_vectors (
    doc bigint NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY quotes.line_items_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.line_items_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quotes.line_items_vectors ADD CONSTRAINT line_items_vectors_pkey PRIMARY KEY (doc);
CREATE INDEX line_items_vectors_hnsw ON quotes.line_items_vectors USING hnsw (embedding public.halfvec_cosine_ops) WITH (m='32', ef_construction='200');
CREATE INDEX line_items_vectors_tenant_idx ON quotes.line_items_vectors USING btree (tenant);
ALTER TABLE quotes.line_items_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.line_items_vectors USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.line_items_vectors TO quarry_read;
GRANT SELECT ON TABLE quotes.line_items_vectors TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.line_items_vectors TO quarry_ingest;
GRANT SELECT ON TABLE quotes.line_items_vectors TO quarry_approve;

-- quotes.past_quotes

CREATE TABLE quotes.past_quotes (
    id bigint NOT NULL,
    tenant text NOT NULL,
    quote_number text NOT NULL,
    customer text NOT NULL,
    contact text,
    quote_date date NOT NULL,
    project text,
    summary text,
    industry text,
    salesperson text,
    status text NOT NULL,
    total_price numeric(14,4),
    currency text NOT NULL,
    terms text,
    price_rationale text,
    contents text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    reference boolean DEFAULT false NOT NULL,
    company_key text,
    CONSTRAINT past_quotes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT past_quotes_status_check CHECK ((status = ANY (ARRAY['won'::text, 'lost'::text, 'open'::text])))
);
ALTER TABLE ONLY quotes.past_quotes FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes.contents IS 'What its lines are and why they were priced so, kept by their triggers.';
COMMENT ON COLUMN quotes.past_quotes.reference IS 'True: other customers may be told that this customer bought this.';
COMMENT ON COLUMN quotes.past_quotes.company_key IS 'The customer''s name as search.company_key has it; a trigger keeps it.';
ALTER TABLE quotes.past_quotes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME quotes.past_quotes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY quotes.past_quotes ADD CONSTRAINT past_quotes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY quotes.past_quotes ADD CONSTRAINT past_quotes_tenant_id_key UNIQUE (tenant, id);
ALTER TABLE ONLY quotes.past_quotes ADD CONSTRAINT past_quotes_tenant_quote_number_key UNIQUE (tenant, quote_number);
CREATE INDEX past_quotes_company ON quotes.past_quotes USING btree (tenant, company_key, quote_date DESC);
CREATE INDEX past_quotes_date ON quotes.past_quotes USING btree (tenant, quote_date);
CREATE INDEX past_quotes_reference_idx ON quotes.past_quotes USING btree (tenant, quote_date DESC) WHERE reference;
CREATE TRIGGER company_key BEFORE INSERT OR UPDATE OF customer ON quotes.past_quotes FOR EACH ROW EXECUTE FUNCTION search.keep_company_key('customer');
CREATE TRIGGER note_delete AFTER DELETE ON quotes.past_quotes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON quotes.past_quotes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON quotes.past_quotes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER search_delete AFTER DELETE ON quotes.past_quotes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
CREATE TRIGGER search_insert AFTER INSERT ON quotes.past_quotes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
CREATE TRIGGER search_update AFTER UPDATE ON quotes.past_quotes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
CREATE TRIGGER sentences_insert AFTER INSERT ON quotes.past_quotes REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION search.tell_sentences();
CREATE TRIGGER sentences_update AFTER UPDATE ON quotes.past_quotes REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION search.tell_sentences();
ALTER TABLE ONLY quotes.past_quotes ADD CONSTRAINT past_quotes_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE quotes.past_quotes ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes TO quarry_write;
GRANT SELECT ON TABLE quotes.past_quotes TO quarry_approve;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes TO quarry_ingest;

-- quotes.past_quotes_blocks

CREATE TABLE quotes.past_quotes_blocks (
    first bigint NOT NULL,
    tid integer NOT NULL,
    layer smallint NOT NULL,
    tenant text NOT NULL,
    docs integer[] NOT NULL,
    weights integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY quotes.past_quotes_blocks ALTER COLUMN tid SET (n_distinct=100);
ALTER TABLE ONLY quotes.past_quotes_blocks ALTER COLUMN docs SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.past_quotes_blocks ALTER COLUMN weights SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.past_quotes_blocks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
COMMENT ON COLUMN quotes.past_quotes_blocks.docs IS 'The lowest 31 bits of each document, in order.';
COMMENT ON COLUMN quotes.past_quotes_blocks.weights IS 'By search.weight, parallel to docs.';
ALTER TABLE ONLY quotes.past_quotes_blocks ADD CONSTRAINT past_quotes_blocks_pkey PRIMARY KEY (tid, layer, first);
ALTER TABLE quotes.past_quotes_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_blocks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_blocks TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_blocks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_blocks TO quarry_ingest;

-- quotes.past_quotes_documents

CREATE TABLE quotes.past_quotes_documents (
    doc bigint NOT NULL,
    fingerprint bigint,
    length real NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    tids integer[] NOT NULL,
    tfs smallint[] NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_documents.fingerprint IS 'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
COMMENT ON COLUMN quotes.past_quotes_documents.tids IS 'Its terms, in order.';
COMMENT ON COLUMN quotes.past_quotes_documents.tfs IS 'How often it has each, in tenths.';
ALTER TABLE ONLY quotes.past_quotes_documents ADD CONSTRAINT past_quotes_documents_pkey PRIMARY KEY (doc);
ALTER TABLE quotes.past_quotes_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_documents TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_documents TO quarry_ingest;

-- quotes.past_quotes_pending

CREATE TABLE quotes.past_quotes_pending (
    tenant text NOT NULL,
    doc bigint NOT NULL,
    tids integer[],
    tfs smallint[],
    length real
);
ALTER TABLE ONLY quotes.past_quotes_pending FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
ALTER TABLE ONLY quotes.past_quotes_pending ADD CONSTRAINT past_quotes_pending_pkey PRIMARY KEY (tenant, doc);
ALTER TABLE quotes.past_quotes_pending ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_pending USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_pending TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_pending TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_pending TO quarry_ingest;

-- quotes.past_quotes_postings

CREATE VIEW quotes.past_quotes_postings WITH (security_invoker='true') AS
 SELECT t.tenant,
    t.tid,
    p.doc,
    ((((p.weight & 16383))::numeric / 10.0))::real AS tf,
    (((((p.weight >> 14) & 262143))::numeric / 10.0))::real AS length
   FROM (quotes.past_quotes_terms t
     CROSS JOIN LATERAL ( SELECT m.doc,
            m.weight
           FROM ( SELECT (f.doc)::bigint AS doc,
                    f.weight
                   FROM search.of_few(t.few) f(doc, weight)
                UNION ALL
                 SELECT (((b.first >> 31) << 31) + unnest(b.docs)),
                    unnest(b.weights) AS unnest
                   FROM quotes.past_quotes_blocks b
                  WHERE ((b.tid = t.tid) AND (b.layer = 0) AND (b.tenant = t.tenant))) m
          WHERE (NOT (EXISTS ( SELECT
                   FROM quotes.past_quotes_pending x
                  WHERE ((x.tenant = t.tenant) AND (x.doc = m.doc)))))
        UNION ALL
         SELECT d.doc,
            search.weight(d.tfs[array_position(d.tids, t.tid)], d.length) AS weight
           FROM (quotes.past_quotes_pending x
             JOIN quotes.past_quotes_documents d ON ((d.doc = x.doc)))
          WHERE ((x.tenant = t.tenant) AND (t.tid = ANY (d.tids)))) p);
GRANT SELECT ON TABLE quotes.past_quotes_postings TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_postings TO quarry_write;
GRANT SELECT ON TABLE quotes.past_quotes_postings TO quarry_ingest;

-- quotes.past_quotes_sentences

CREATE TABLE quotes.past_quotes_sentences (
    id bigint NOT NULL,
    tenant text NOT NULL,
    doc bigint NOT NULL,
    sentence text NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_sentences FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quotes.past_quotes_sentences ADD CONSTRAINT past_quotes_sentences_pkey PRIMARY KEY (id);
CREATE INDEX past_quotes_sentences_doc_id_idx ON quotes.past_quotes_sentences USING btree (doc) INCLUDE (id);
CREATE TRIGGER search_delete AFTER DELETE ON quotes.past_quotes_sentences REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
CREATE TRIGGER search_insert AFTER INSERT ON quotes.past_quotes_sentences REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
CREATE TRIGGER search_update AFTER UPDATE ON quotes.past_quotes_sentences REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
ALTER TABLE ONLY quotes.past_quotes_sentences ADD CONSTRAINT past_quotes_sentences_tenant_doc_fkey FOREIGN KEY (tenant, doc) REFERENCES quotes.past_quotes(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY quotes.past_quotes_sentences ADD CONSTRAINT past_quotes_sentences_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE quotes.past_quotes_sentences ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences TO quarry_write;
GRANT SELECT,INSERT,DELETE ON TABLE quotes.past_quotes_sentences TO quarry_ingest;

-- quotes.past_quotes_sentences_blocks

CREATE TABLE quotes.past_quotes_sentences_blocks (
    first bigint NOT NULL,
    tid integer NOT NULL,
    layer smallint NOT NULL,
    tenant text NOT NULL,
    docs integer[] NOT NULL,
    weights integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY quotes.past_quotes_sentences_blocks ALTER COLUMN tid SET (n_distinct=100);
ALTER TABLE ONLY quotes.past_quotes_sentences_blocks ALTER COLUMN docs SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.past_quotes_sentences_blocks ALTER COLUMN weights SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.past_quotes_sentences_blocks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_sentences_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
COMMENT ON COLUMN quotes.past_quotes_sentences_blocks.docs IS 'The lowest 31 bits of each document, in order.';
COMMENT ON COLUMN quotes.past_quotes_sentences_blocks.weights IS 'By search.weight, parallel to docs.';
ALTER TABLE ONLY quotes.past_quotes_sentences_blocks ADD CONSTRAINT past_quotes_sentences_blocks_pkey PRIMARY KEY (tid, layer, first);
ALTER TABLE quotes.past_quotes_sentences_blocks ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences_blocks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences_blocks TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_blocks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_sentences_blocks TO quarry_ingest;

-- quotes.past_quotes_sentences_documents

CREATE TABLE quotes.past_quotes_sentences_documents (
    doc bigint NOT NULL,
    fingerprint bigint,
    length real NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    tids integer[] NOT NULL,
    tfs smallint[] NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_sentences_documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_sentences_documents.fingerprint IS 'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
COMMENT ON COLUMN quotes.past_quotes_sentences_documents.tids IS 'Its terms, in order.';
COMMENT ON COLUMN quotes.past_quotes_sentences_documents.tfs IS 'How often it has each, in tenths.';
ALTER TABLE ONLY quotes.past_quotes_sentences_documents ADD CONSTRAINT past_quotes_sentences_documents_pkey PRIMARY KEY (doc);
ALTER TABLE quotes.past_quotes_sentences_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences_documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences_documents TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_sentences_documents TO quarry_ingest;

-- quotes.past_quotes_sentences_pending

CREATE TABLE quotes.past_quotes_sentences_pending (
    tenant text NOT NULL,
    doc bigint NOT NULL,
    tids integer[],
    tfs smallint[],
    length real
);
ALTER TABLE ONLY quotes.past_quotes_sentences_pending FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_sentences_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
ALTER TABLE ONLY quotes.past_quotes_sentences_pending ADD CONSTRAINT past_quotes_sentences_pending_pkey PRIMARY KEY (tenant, doc);
ALTER TABLE quotes.past_quotes_sentences_pending ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences_pending USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences_pending TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_pending TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_sentences_pending TO quarry_ingest;

-- quotes.past_quotes_sentences_postings

CREATE VIEW quotes.past_quotes_sentences_postings WITH (security_invoker='true') AS
 SELECT t.tenant,
    t.tid,
    p.doc,
    ((((p.weight & 16383))::numeric / 10.0))::real AS tf,
    (((((p.weight >> 14) & 262143))::numeric / 10.0))::real AS length
   FROM (quotes.past_quotes_sentences_terms t
     CROSS JOIN LATERAL ( SELECT m.doc,
            m.weight
           FROM ( SELECT (f.doc)::bigint AS doc,
                    f.weight
                   FROM search.of_few(t.few) f(doc, weight)
                UNION ALL
                 SELECT (((b.first >> 31) << 31) + unnest(b.docs)),
                    unnest(b.weights) AS unnest
                   FROM quotes.past_quotes_sentences_blocks b
                  WHERE ((b.tid = t.tid) AND (b.layer = 0) AND (b.tenant = t.tenant))) m
          WHERE (NOT (EXISTS ( SELECT
                   FROM quotes.past_quotes_sentences_pending x
                  WHERE ((x.tenant = t.tenant) AND (x.doc = m.doc)))))
        UNION ALL
         SELECT d.doc,
            search.weight(d.tfs[array_position(d.tids, t.tid)], d.length) AS weight
           FROM (quotes.past_quotes_sentences_pending x
             JOIN quotes.past_quotes_sentences_documents d ON ((d.doc = x.doc)))
          WHERE ((x.tenant = t.tenant) AND (t.tid = ANY (d.tids)))) p);
GRANT SELECT ON TABLE quotes.past_quotes_sentences_postings TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_postings TO quarry_write;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_postings TO quarry_ingest;

-- quotes.past_quotes_sentences_spellings

CREATE TABLE quotes.past_quotes_sentences_spellings (
    spelling integer NOT NULL,
    tid integer NOT NULL,
    tenant text NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_sentences_spellings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_sentences_spellings.spelling IS 'One of search.spellings.';
ALTER TABLE ONLY quotes.past_quotes_sentences_spellings ADD CONSTRAINT past_quotes_sentences_spellings_pkey PRIMARY KEY (spelling, tid);
ALTER TABLE quotes.past_quotes_sentences_spellings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences_spellings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences_spellings TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_spellings TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_sentences_spellings TO quarry_ingest;

-- quotes.past_quotes_sentences_terms

CREATE TABLE quotes.past_quotes_sentences_terms (
    df bigint NOT NULL,
    tid integer NOT NULL,
    cut smallint,
    tenant text NOT NULL,
    term text NOT NULL,
    few integer[]
)
WITH (fillfactor='80');
ALTER TABLE ONLY quotes.past_quotes_sentences_terms ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY quotes.past_quotes_sentences_terms FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_sentences_terms.cut IS 'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
COMMENT ON COLUMN quotes.past_quotes_sentences_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
ALTER TABLE quotes.past_quotes_sentences_terms ALTER COLUMN tid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME quotes.past_quotes_sentences_terms_tid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY quotes.past_quotes_sentences_terms ADD CONSTRAINT past_quotes_sentences_terms_pkey PRIMARY KEY (tid);
ALTER TABLE ONLY quotes.past_quotes_sentences_terms ADD CONSTRAINT past_quotes_sentences_terms_tenant_term_key UNIQUE (tenant, term);
ALTER TABLE quotes.past_quotes_sentences_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences_terms USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences_terms TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_terms TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_sentences_terms TO quarry_ingest;

-- quotes.past_quotes_sentences_totals

CREATE TABLE quotes.past_quotes_sentences_totals (
    tenant text NOT NULL,
    documents bigint NOT NULL,
    length double precision NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_sentences_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quotes.past_quotes_sentences_totals ADD CONSTRAINT past_quotes_sentences_totals_pkey PRIMARY KEY (tenant);
ALTER TABLE quotes.past_quotes_sentences_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences_totals USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences_totals TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_totals TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_sentences_totals TO quarry_ingest;

-- quotes.past_quotes_sentences_vectors

CREATE TABLE quotes.past_quotes_sentences_vectors (
    doc bigint NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_sentences_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.past_quotes_sentences_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quotes.past_quotes_sentences_vectors ADD CONSTRAINT past_quotes_sentences_vectors_pkey PRIMARY KEY (doc);
CREATE INDEX past_quotes_sentences_vectors_hnsw ON quotes.past_quotes_sentences_vectors USING hnsw (embedding public.halfvec_cosine_ops) WITH (m='32', ef_construction='200');
ALTER TABLE quotes.past_quotes_sentences_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_sentences_vectors USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_sentences_vectors TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_sentences_vectors TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_sentences_vectors TO quarry_ingest;

-- quotes.past_quotes_spellings

CREATE TABLE quotes.past_quotes_spellings (
    spelling integer NOT NULL,
    tid integer NOT NULL,
    tenant text NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_spellings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_spellings.spelling IS 'One of search.spellings.';
ALTER TABLE ONLY quotes.past_quotes_spellings ADD CONSTRAINT past_quotes_spellings_pkey PRIMARY KEY (spelling, tid);
ALTER TABLE quotes.past_quotes_spellings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_spellings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_spellings TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_spellings TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_spellings TO quarry_ingest;

-- quotes.past_quotes_terms

CREATE TABLE quotes.past_quotes_terms (
    df bigint NOT NULL,
    tid integer NOT NULL,
    cut smallint,
    tenant text NOT NULL,
    term text NOT NULL,
    few integer[]
)
WITH (fillfactor='80');
ALTER TABLE ONLY quotes.past_quotes_terms ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY quotes.past_quotes_terms FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN quotes.past_quotes_terms.cut IS 'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
COMMENT ON COLUMN quotes.past_quotes_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
ALTER TABLE quotes.past_quotes_terms ALTER COLUMN tid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME quotes.past_quotes_terms_tid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY quotes.past_quotes_terms ADD CONSTRAINT past_quotes_terms_pkey PRIMARY KEY (tid);
ALTER TABLE ONLY quotes.past_quotes_terms ADD CONSTRAINT past_quotes_terms_tenant_term_key UNIQUE (tenant, term);
ALTER TABLE quotes.past_quotes_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_terms USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_terms TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_terms TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_terms TO quarry_ingest;

-- quotes.past_quotes_totals

CREATE TABLE quotes.past_quotes_totals (
    tenant text NOT NULL,
    documents bigint NOT NULL,
    length double precision NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quotes.past_quotes_totals ADD CONSTRAINT past_quotes_totals_pkey PRIMARY KEY (tenant);
ALTER TABLE quotes.past_quotes_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_totals USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_totals TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_totals TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_totals TO quarry_ingest;

-- quotes.past_quotes_vectors

CREATE TABLE quotes.past_quotes_vectors (
    doc bigint NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY quotes.past_quotes_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY quotes.past_quotes_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY quotes.past_quotes_vectors ADD CONSTRAINT past_quotes_vectors_pkey PRIMARY KEY (doc);
CREATE INDEX past_quotes_vectors_hnsw ON quotes.past_quotes_vectors USING hnsw (embedding public.halfvec_cosine_ops) WITH (m='32', ef_construction='200');
CREATE INDEX past_quotes_vectors_tenant_idx ON quotes.past_quotes_vectors USING btree (tenant);
ALTER TABLE quotes.past_quotes_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quotes.past_quotes_vectors USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE quotes.past_quotes_vectors TO quarry_read;
GRANT SELECT ON TABLE quotes.past_quotes_vectors TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE quotes.past_quotes_vectors TO quarry_ingest;

-- search

CREATE SCHEMA search;
GRANT USAGE ON SCHEMA search TO quarry_read;
GRANT USAGE ON SCHEMA search TO quarry_write;
GRANT USAGE ON SCHEMA search TO quarry_approve;
GRANT USAGE ON SCHEMA search TO quarry_ingest;

-- search.document

CREATE TYPE search.document AS (
	title text,
	attributes text,
	body text
);
SET default_tablespace = '';

SET default_table_access_method = heap;

-- search.add_sentences(text, bigint[])

CREATE FUNCTION search.add_sentences(corpus text, docs bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    EXECUTE format($sql$
        INSERT INTO %1$s_sentences (id, tenant, doc, sentence)
        SELECT 128 * d.id + told.place - 1, d.tenant, d.id, told.sentence
        FROM %1$s d CROSS JOIN LATERAL unnest(%2$s(d)) WITH ORDINALITY AS told (sentence, place)
        WHERE d.id = ANY ($1) AND told.place <= 128 ORDER BY d.id, told.place
    $sql$, corpus, (SELECT c.sentences_function FROM search.corpora c WHERE c.corpus = add_sentences.corpus)) USING docs;
END $_$;

-- search.any_term(text)

CREATE FUNCTION search.any_term(query text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT string_agg(quote_literal(term), ' | ')::tsquery FROM search.query_terms(query)
$$;

-- search.as_few(bigint[], integer[])

CREATE FUNCTION search.as_few(docs bigint[], weights integer[]) RETURNS integer[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((cardinality(docs) <= 12) AND (((docs)[cardinality(docs)] < '2147483648'::bigint) IS NOT FALSE)) THEN ((docs)::integer[] || weights) ELSE NULL::integer[] END;

-- search.attach(regclass, regproc)

CREATE FUNCTION search.attach(target regclass, document_function regproc) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
    corpus text := (
        SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target);
    table_name text := (SELECT relname FROM pg_class WHERE oid = target);
    dimensions integer := (SELECT m.dimensions FROM quarry.embedding_model m);
    suffix text;
BEGIN
    INSERT INTO search.corpora VALUES (corpus, document_function);
    EXECUTE format($sql$
        CREATE TABLE %1$s_totals (
            tenant text PRIMARY KEY,
            documents bigint NOT NULL,
            length double precision NOT NULL);
        -- 16-bit components shrink table and index by a third or more and change no ranking that anybody judged.
        CREATE TABLE %1$s_vectors (
            doc bigint PRIMARY KEY,
            tenant text NOT NULL,
            content_hash bytea NOT NULL,
            embedding halfvec(%2$s) STORAGE PLAIN NOT NULL);
        CREATE INDEX ON %1$s_vectors (tenant);
        CREATE INDEX %3$I ON %1$s_vectors USING hnsw (embedding halfvec_cosine_ops) WITH (m = 32, ef_construction = 200);
    $sql$, corpus, dimensions, table_name || '_vectors_hnsw');
    FOREACH suffix IN ARRAY ARRAY['totals', 'vectors'] LOOP
        PERFORM quarry.isolate(format('%s_%s', corpus, suffix)::regclass);
        EXECUTE format('GRANT SELECT ON %s_%s TO quarry_read, quarry_write', corpus, suffix);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s_%s TO quarry_ingest', corpus, suffix);
    END LOOP;
    PERFORM search.attach_text(corpus);
    EXECUTE format($sql$
        CREATE TRIGGER search_insert AFTER INSERT ON %1$s REFERENCING NEW TABLE AS new_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
        CREATE TRIGGER search_update AFTER UPDATE ON %1$s REFERENCING NEW TABLE AS new_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
        CREATE TRIGGER search_delete AFTER DELETE ON %1$s REFERENCING OLD TABLE AS old_rows
            FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
    $sql$, corpus);
END $_$;

-- search.attach(target regclass, document_function regproc)

COMMENT ON FUNCTION search.attach(target regclass, document_function regproc) IS 'Makes a table with (id bigint, tenant text) searchable.';

-- search.attach_sentences(regclass, regproc)

CREATE FUNCTION search.attach_sentences(target regclass, sentences_function regproc) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
    base text := (
        SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target);
    one_tenant text;
    docs bigint[];
BEGIN
    UPDATE search.corpora c SET sentences_function = attach_sentences.sentences_function
    WHERE c.corpus = base;
    EXECUTE format($sql$
        CREATE TABLE %1$s_sentences (
            id bigint PRIMARY KEY,
            tenant text NOT NULL REFERENCES quarry.tenants,
            doc bigint NOT NULL,
            sentence text NOT NULL,
            FOREIGN KEY (tenant, doc) REFERENCES %1$s (tenant, id) ON DELETE CASCADE);
        CREATE INDEX ON %1$s_sentences (doc) INCLUDE (id);
        GRANT SELECT ON %1$s_sentences TO quarry_read, quarry_write;
        GRANT SELECT, INSERT, DELETE ON %1$s_sentences TO quarry_ingest;
    $sql$, base);
    PERFORM quarry.isolate(format('%s_sentences', base)::regclass);
    PERFORM search.attach(format('%s_sentences', base)::regclass, 'search.no_document');
    EXECUTE format('DROP INDEX %s_sentences_vectors_tenant_idx', base);
    UPDATE search.corpora c SET embedded_function = 'search.sentence_of'
    WHERE c.corpus = format('%s_sentences', base);
    -- By their names they fire behind the search triggers: the index of the rows is locked first, that of their sentences second.
    EXECUTE format($sql$
        CREATE TRIGGER sentences_insert AFTER INSERT ON %1$s REFERENCING NEW TABLE AS written
            FOR EACH STATEMENT EXECUTE FUNCTION search.tell_sentences();
        CREATE TRIGGER sentences_update AFTER UPDATE ON %1$s REFERENCING NEW TABLE AS written
            FOR EACH STATEMENT EXECUTE FUNCTION search.tell_sentences();
    $sql$, base);
    FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one_tenant, true);
        EXECUTE format('SELECT ARRAY(SELECT id FROM %s)', base) INTO docs;
        PERFORM search.add_sentences(base, docs);
    END LOOP;
END $_$;

-- search.attach_text(text)

CREATE FUNCTION search.attach_text(corpus text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
    suffix text;
BEGIN
    EXECUTE format($sql$
        CREATE TABLE %1$s_documents (
            doc bigint PRIMARY KEY,
            fingerprint bigint,
            length real NOT NULL,
            tenant text NOT NULL,
            content_hash bytea NOT NULL,
            tids integer[] NOT NULL,
            tfs smallint[] NOT NULL);
        COMMENT ON COLUMN %1$s_documents.fingerprint IS
            'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
        COMMENT ON COLUMN %1$s_documents.tids IS 'Its terms, in order.';
        COMMENT ON COLUMN %1$s_documents.tfs IS 'How often it has each, in tenths.';
        CREATE TABLE %1$s_terms (
            df bigint NOT NULL,
            tid integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            cut smallint,
            tenant text NOT NULL,
            term text NOT NULL,
            few integer[],
            UNIQUE (tenant, term)) WITH (fillfactor = 80);
        COMMENT ON COLUMN %1$s_terms.cut IS
            'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
        COMMENT ON COLUMN %1$s_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
        ALTER TABLE %1$s_terms ALTER COLUMN tenant SET STATISTICS 0;
        CREATE TABLE %1$s_spellings (
            spelling integer NOT NULL,
            tid integer NOT NULL,
            tenant text NOT NULL,
            PRIMARY KEY (spelling, tid));
        COMMENT ON COLUMN %1$s_spellings.spelling IS 'One of search.spellings.';
        CREATE TABLE %1$s_blocks (
            first bigint NOT NULL,
            tid integer NOT NULL,
            layer smallint NOT NULL,
            tenant text NOT NULL,
            docs integer[] STORAGE PLAIN NOT NULL,
            weights integer[] STORAGE PLAIN NOT NULL,
            PRIMARY KEY (tid, layer, first)) WITH (toast_tuple_target = 8160);
        COMMENT ON COLUMN %1$s_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
        COMMENT ON COLUMN %1$s_blocks.docs IS 'The lowest 31 bits of each document, in order.';
        COMMENT ON COLUMN %1$s_blocks.weights IS 'By search.weight, parallel to docs.';
        -- Most terms are rare and queries are made of the others.
        ALTER TABLE %1$s_blocks ALTER COLUMN tid SET (n_distinct = 100);
        CREATE TABLE %1$s_pending (
            tenant text NOT NULL,
            doc bigint NOT NULL,
            tids integer[],
            tfs smallint[],
            length real,
            PRIMARY KEY (tenant, doc));
        COMMENT ON COLUMN %1$s_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
    $sql$, corpus);
    FOREACH suffix IN ARRAY ARRAY['documents', 'terms', 'spellings', 'blocks', 'pending'] LOOP
        PERFORM quarry.isolate(format('%s_%s', corpus, suffix)::regclass);
        EXECUTE format('GRANT SELECT ON %s_%s TO quarry_read, quarry_write', corpus, suffix);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s_%s TO quarry_ingest', corpus, suffix);
    END LOOP;
    -- For looking, and for functions of a release before blocks: no search reads it.
    EXECUTE format($sql$
        CREATE VIEW %1$s_postings WITH (security_invoker = true) AS
        SELECT t.tenant, t.tid, p.doc, ((p.weight & 16383) / 10.0)::real AS tf, ((p.weight >> 14 & 262143) / 10.0)::real AS length
        FROM %1$s_terms t CROSS JOIN LATERAL (
            SELECT m.doc, m.weight
            FROM (
                SELECT f.doc::bigint AS doc, f.weight FROM search.of_few(t.few) AS f
                UNION ALL
                SELECT (b.first >> 31 << 31) + unnest(b.docs), unnest(b.weights)
                FROM %1$s_blocks b WHERE b.tid = t.tid AND b.layer = 0 AND b.tenant = t.tenant) m
            WHERE NOT EXISTS (SELECT FROM %1$s_pending x WHERE x.tenant = t.tenant AND x.doc = m.doc)
            UNION ALL
            SELECT d.doc, search.weight(d.tfs[array_position(d.tids, t.tid)], d.length)
            FROM %1$s_pending x JOIN %1$s_documents d ON d.doc = x.doc
            WHERE x.tenant = t.tenant AND t.tid = ANY (d.tids)) p;
        GRANT SELECT ON %1$s_postings TO quarry_ingest, quarry_read, quarry_write;
    $sql$, corpus);
END $_$;

-- search.attribute_words(jsonb)

CREATE FUNCTION search.attribute_words(attributes jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT string_agg(CASE v.kind WHEN 'text' THEN v.raw ELSE replace(v.attribute, '_', ' ') END, ', ' ORDER BY v.attribute, v.place)
    FROM search.values_of(attributes) v WHERE v.kind = 'text' OR v.flag
$$;

-- search.change_model(new_model text, new_dimensions integer)

REVOKE ALL ON FUNCTION search.change_model(new_model text, new_dimensions integer) FROM PUBLIC;

-- search.change_model(text, integer)

CREATE FUNCTION search.change_model(new_model text, new_dimensions integer) RETURNS bigint
    LANGUAGE plpgsql
    AS $_$
DECLARE
    name text;
    one_tenant text;
    queued bigint := 0;
    affected bigint;
BEGIN
    UPDATE quarry.embedding_model SET model = new_model, dimensions = new_dimensions, recorded_at = now();
    FOR name IN SELECT corpus FROM search.corpora ORDER BY corpus LOOP
        EXECUTE format('TRUNCATE %s_vectors', name);
        EXECUTE format('ALTER TABLE %s_vectors ALTER COLUMN embedding TYPE halfvec(%s)', name, new_dimensions);
        EXECUTE format('ALTER TABLE %s_vectors ALTER COLUMN embedding SET STORAGE PLAIN', name);
        FOR one_tenant IN SELECT tenant FROM quarry.tenants LOOP
            PERFORM set_config('quarry.tenant', one_tenant, true);
            EXECUTE format($sql$
                INSERT INTO quarry.embedding_queue (tenant, corpus, doc, content_hash)
                SELECT tenant, %2$L, doc, content_hash FROM %1$s_documents WHERE tenant = %3$L
                ON CONFLICT (corpus, doc) DO UPDATE
                SET content_hash = excluded.content_hash, attempts = 0, available_at = now(), last_error = NULL, dead_at = NULL
            $sql$, name, name, one_tenant);
            GET DIAGNOSTICS affected = ROW_COUNT;
            queued := queued + affected;
        END LOOP;
    END LOOP;
    -- Open sessions remember the old model.
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename IN ('quarry_read', 'quarry_write', 'quarry_ingest');
    RETURN queued;
END $_$;

-- search.changed(text, bigint[])

CREATE FUNCTION search.changed(corpus text, docs bigint[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $_$
DECLARE
    document_function regproc := (SELECT c.document_function FROM search.corpora c WHERE c.corpus = changed.corpus);
    found bigint[];
BEGIN
    EXECUTE format($sql$
        SELECT coalesce(array_agg(d.id), '{}') FROM %1$s d
        WHERE d.id = ANY ($1) AND NOT EXISTS (
            SELECT FROM %1$s_documents x
            WHERE x.doc = d.id AND x.content_hash = sha256(convert_to(search.embedding_text(%2$s(d)), 'UTF8')))
    $sql$, corpus, document_function) INTO found USING docs;
    RETURN found;
END $_$;

-- search.company_key(text)

CREATE FUNCTION search.company_key(name text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN search.name_key(search.without_legal_form(name, search.legal_forms_around()));

-- search.embedding_text(search.document)

CREATE FUNCTION search.embedding_text(document search.document) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT concat_ws(E'\n', nullif(document.title, ''),
        CASE WHEN document.body IS DISTINCT FROM document.title THEN nullif(document.title, '') END,
        nullif(document.attributes, ''), nullif(document.body, ''))
$$;

-- search.folded(text)

CREATE FUNCTION search.folded(term text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(term, 'oilsbz'::text, '011582'::text);

-- search.inconsistencies(text)

CREATE FUNCTION search.inconsistencies(corpus text) RETURNS TABLE(problem text, count bigint)
    LANGUAGE plpgsql
    AS $_$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        -- By term, of documents that do not wait: how many postings, and all of them in one number.
        WITH told AS MATERIALIZED (
            SELECT tid, count(*) AS df, count(*) FILTER (WHERE merged) AS postings, bit_xor(content) FILTER (WHERE merged) AS content,
                count(*) FILTER (WHERE best) AS best, bit_xor(content) FILTER (WHERE best) AS best_content
            FROM (
                SELECT p.tid, p.merged, hashint8extended(p.doc, search.weight(p.tf, p.length)) AS content,
                    p.merged AND search.layer(search.weight(p.tf, p.length)) >= t.cut AS best
                FROM (
                    SELECT d.doc, d.length, unnest(d.tids) AS tid, unnest(d.tfs) AS tf,
                        NOT EXISTS (SELECT FROM %1$s_pending x WHERE x.tenant = d.tenant AND x.doc = d.doc) AS merged
                    FROM %1$s_documents d) p LEFT JOIN %1$s_terms t ON t.tid = p.tid) p
            GROUP BY tid),
        held AS MATERIALIZED (
            SELECT tid, count(*) FILTER (WHERE layer = 0) AS postings, bit_xor(content) FILTER (WHERE layer = 0) AS content,
                count(*) FILTER (WHERE layer > 0) AS best, bit_xor(content) FILTER (WHERE layer > 0) AS best_content
            FROM (
                SELECT p.tid, p.layer, hashint8extended(p.doc, p.weight) AS content
                FROM (
                    SELECT b.tid, b.layer, (b.first >> 31 << 31) + unnest(b.docs) AS doc, unnest(b.weights) AS weight
                    FROM %1$s_blocks b
                    UNION ALL
                    SELECT t.tid, 0, p.doc, p.weight FROM %1$s_terms t CROSS JOIN LATERAL search.of_few(t.few) p) p
                WHERE p.doc NOT IN (SELECT doc FROM %1$s_pending)) p
            GROUP BY tid)
        SELECT problem, count FROM (
            SELECT 'rows without an index document' AS problem, count(*) FROM %1$s d
            WHERE NOT EXISTS (SELECT FROM %1$s_documents x WHERE x.doc = d.id)
            UNION ALL
            SELECT 'index documents without a row', count(*) FROM %1$s_documents x
            WHERE NOT EXISTS (SELECT FROM %1$s d WHERE d.id = x.doc)
            UNION ALL
            SELECT 'terms whose document frequency is off', count(*) FROM %1$s_terms t LEFT JOIN told USING (tid)
            WHERE t.df <> coalesce(told.df, 0)
            UNION ALL
            SELECT 'terms whose postings are not those of the documents', count(*) FROM told FULL JOIN held USING (tid)
            WHERE (coalesce(told.postings, 0), coalesce(told.content, 0)) <> (coalesce(held.postings, 0), coalesce(held.content, 0))
            UNION ALL
            SELECT 'terms whose best postings are off', count(*) FROM told FULL JOIN held USING (tid)
            WHERE (coalesce(told.best, 0), coalesce(told.best_content, 0)) <> (coalesce(held.best, 0), coalesce(held.best_content, 0))
            UNION ALL
            SELECT 'blocks that overlap', count(*) FROM (
                SELECT b.first, lag((b.first >> 31 << 31) + b.docs[cardinality(b.docs)]) OVER (
                    PARTITION BY b.tid, b.layer ORDER BY b.first) AS reached
                FROM %1$s_blocks b) b
            WHERE b.first <= b.reached
            UNION ALL
            SELECT 'totals that are off', count(*) FROM (
                SELECT count(*) AS documents, coalesce(sum(length::float8), 0) AS length FROM %1$s_documents) AS true_total
            LEFT JOIN %1$s_totals s ON true
            WHERE coalesce(s.documents, 0) <> true_total.documents
               OR abs(coalesce(s.length, 0) - true_total.length) > 0.001 * (1 + true_total.length)
            UNION ALL
            SELECT 'rows with neither a fresh vector nor a place in the queue', count(*) FROM %1$s_documents x
            WHERE NOT EXISTS (SELECT FROM %1$s_vectors v WHERE v.doc = x.doc AND v.content_hash = x.content_hash)
              AND NOT EXISTS (SELECT FROM quarry.embedding_queue q WHERE q.corpus = %2$L AND q.doc = x.doc)
            UNION ALL
            SELECT 'part numbers whose spellings are off', count(DISTINCT tid) FROM (
                SELECT t.tid, spelling FROM %1$s_terms t CROSS JOIN LATERAL unnest(search.spellings(t.term)) AS spelling
                WHERE search.is_part_number(t.term)) AS expected
            FULL JOIN (SELECT tid, spelling FROM %1$s_spellings) AS held USING (tid, spelling)
            WHERE (expected.tid IS NULL) <> (held.tid IS NULL)
        ) AS found WHERE count > 0
    $sql$, corpus, corpus);
END $_$;

-- search.index(text, bigint[])

CREATE FUNCTION search.index(corpus text, docs bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET work_mem TO '16MB'
    SET enable_nestloop TO 'off'
    AS $_$
DECLARE
    document_function regproc := (SELECT c.document_function FROM search.corpora c WHERE c.corpus = index.corpus);
BEGIN
    EXECUTE format($sql$
        WITH changed AS MATERIALIZED (
            SELECT d.id AS doc, d.tenant, %2$s(d) AS document FROM %1$s d WHERE d.id = ANY ($1)),
        frequencies AS MATERIALIZED (
            SELECT c.doc, f.term, f.tf::smallint AS tf, f.length FROM changed c CROSS JOIN LATERAL (
                SELECT f.*, (sum(f.tf) OVER () / 10.0)::real AS length FROM search.term_frequencies(c.document) f) f),
        counted AS MATERIALIZED (SELECT term, count(*) AS docs FROM frequencies GROUP BY term),
        asked AS MATERIALIZED (
            SELECT c.term, c.docs, t.tid, t.few, c.docs <= 12 AND (t.tid IS NULL OR t.few IS NOT NULL) AS rare
            FROM counted c LEFT JOIN LATERAL (
                SELECT t.tid, t.few FROM %1$s_terms t
                WHERE t.tenant = quarry.current_tenant() AND t.term = c.term OFFSET 0) t ON true),
        -- Postings of rare terms lie with them at once: to merge them would write each row once more.
        laid AS MATERIALIZED (
            SELECT term, search.as_few(array_agg(doc ORDER BY doc), array_agg(weight ORDER BY doc)) AS few
            FROM (
                SELECT f.term, f.doc, search.weight(f.tf, f.length) AS weight FROM frequencies f JOIN asked a USING (term) WHERE a.rare
                UNION ALL
                SELECT a.term, p.doc, p.weight FROM asked a CROSS JOIN LATERAL search.of_few(a.few) p
                WHERE a.rare AND p.doc <> ALL ($1)) p
            GROUP BY term),
        -- Nobody else writes these terms, and a number is drawn for those alone that are new.
        known AS (
            INSERT INTO %1$s_terms AS t (tid, tenant, term, df, few) OVERRIDING SYSTEM VALUE
            SELECT a.tid, quarry.current_tenant(), a.term, a.docs, l.few FROM asked a LEFT JOIN laid l USING (term)
            WHERE a.tid IS NOT NULL ORDER BY a.term
            ON CONFLICT (tenant, term) DO UPDATE SET df = t.df + excluded.df, few = coalesce(excluded.few, t.few)),
        fresh AS (
            INSERT INTO %1$s_terms (tenant, term, df, few)
            SELECT quarry.current_tenant(), term, a.docs, l.few FROM asked a LEFT JOIN laid l USING (term)
            WHERE a.tid IS NULL ORDER BY term
            RETURNING tid, term),
        spelt AS (
            INSERT INTO %1$s_spellings (spelling, tid, tenant)
            SELECT spelling, t.tid, quarry.current_tenant()
            FROM fresh t CROSS JOIN LATERAL unnest(search.spellings(t.term)) AS spelling
            WHERE search.is_part_number(t.term)),
        lists AS (
            SELECT f.doc, min(f.length) AS length, array_agg(t.tid ORDER BY t.tid) AS tids, array_agg(f.tf ORDER BY t.tid) AS tfs,
                array_agg(t.tid ORDER BY t.tid) FILTER (WHERE l.few IS NOT NULL) AS laid_tids,
                array_agg(f.tf ORDER BY t.tid) FILTER (WHERE l.few IS NOT NULL) AS laid_tfs
            FROM frequencies f
            JOIN (SELECT tid, term FROM asked WHERE tid IS NOT NULL UNION ALL SELECT * FROM fresh) t USING (term)
            LEFT JOIN laid l USING (term)
            GROUP BY f.doc),
        documents AS (
            INSERT INTO %1$s_documents (tenant, doc, length, content_hash, fingerprint, tids, tfs)
            SELECT c.tenant, c.doc, coalesce(l.length, 0), sha256(convert_to(search.embedding_text(c.document), 'UTF8')),
                hash_array_extended(l.tids, hash_array_extended(l.tfs, 0)), coalesce(l.tids, '{}'), coalesce(l.tfs, '{}')
            FROM changed c LEFT JOIN lists l USING (doc)
            RETURNING length),
        waiting AS (
            INSERT INTO %1$s_pending AS p (tenant, doc, tids, tfs, length)
            SELECT quarry.current_tenant(), doc, laid_tids, laid_tfs, length FROM lists ORDER BY doc
            ON CONFLICT (tenant, doc) DO UPDATE SET tids = p.tids || excluded.tids, tfs = p.tfs || excluded.tfs,
                length = coalesce(p.length, excluded.length)
            WHERE excluded.tids IS NOT NULL)
        INSERT INTO %1$s_totals AS s (tenant, documents, length)
        SELECT quarry.current_tenant(), count(*), coalesce(sum(length::float8), 0) FROM documents
        ON CONFLICT (tenant) DO UPDATE SET documents = s.documents + excluded.documents, length = s.length + excluded.length
    $sql$, corpus, document_function) USING docs;
    PERFORM set_config('enable_nestloop', 'on', true);
    PERFORM search.settle(corpus);
    -- A vector of text that has changed is wrong: it goes at once, and the row is found by text until it is embedded.
    EXECUTE format($sql$
        DELETE FROM %1$s_vectors v USING %1$s_documents d
        WHERE v.doc = d.doc AND d.doc = ANY ($1) AND v.content_hash <> d.content_hash
    $sql$, corpus) USING docs;
    EXECUTE format($sql$
        INSERT INTO quarry.embedding_queue AS q (tenant, corpus, doc, content_hash)
        SELECT d.tenant, %2$L, d.doc, d.content_hash FROM %1$s_documents d
        WHERE d.doc = ANY ($1) AND NOT EXISTS (
            SELECT FROM %1$s_vectors v WHERE v.doc = d.doc AND v.content_hash = d.content_hash)
        ORDER BY d.doc
        ON CONFLICT (corpus, doc) DO UPDATE
        SET content_hash = excluded.content_hash, attempts = 0, available_at = now(), last_error = NULL, dead_at = NULL
    $sql$, corpus, corpus) USING docs;
END $_$;

-- search.is_family(text)

CREATE FUNCTION search.is_family(wanted text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM search.families f WHERE ((f.tenant = quarry.current_tenant()) AND (f.family = is_family.wanted))));

-- search.is_part_number(text)

CREATE FUNCTION search.is_part_number(term text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((length(term) >= 4) AND (length(term) <= 24)) AND (term ~ '[a-z]'::text) AND (term ~ '[0-9]'::text) AND (term ~ '^[a-z0-9]+$'::text));

-- search.keep_company_key()

CREATE FUNCTION search.keep_company_key() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.company_key := search.company_key(to_jsonb(NEW) ->> TG_ARGV[0]);
    RETURN NEW;
END $$;

-- search.keep_values()

CREATE FUNCTION search.keep_values() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    docs bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        docs := ARRAY(SELECT n.id FROM new_rows n WHERE n.attributes IS NOT NULL);
    ELSIF TG_OP = 'UPDATE' THEN
        docs := ARRAY(
            SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id WHERE o.attributes IS DISTINCT FROM n.attributes);
    ELSE
        docs := ARRAY(SELECT o.id FROM old_rows o WHERE o.attributes IS NOT NULL);
    END IF;
    IF cardinality(docs) > 0 THEN
        PERFORM search.put_values(format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME), docs);
    END IF;
    RETURN NULL;
END $$;

-- search.layer(integer)

CREATE FUNCTION search.layer(weight integer) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (GREATEST((1)::double precision, ((640)::double precision + floor((((64)::double precision / ln((2)::double precision)) * ln((((weight & 16383))::double precision / ((((weight >> 14) & 262143))::double precision + (150)::double precision))))))))::smallint;

-- search.layer_blocks(text, integer[])

CREATE FUNCTION search.layer_blocks(corpus text, tids integer[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_nestloop TO 'on'
    AS $_$
BEGIN
    EXECUTE format($sql$
        WITH postings AS MATERIALIZED (
            SELECT p.*, search.layer(p.weight) AS layer
            FROM (
                SELECT b.tid, (b.first >> 31 << 31) + unnest(b.docs) AS doc, unnest(b.weights) AS weight
                FROM %1$s_blocks b WHERE b.tid = ANY ($1) AND b.layer = 0) p),
        cuts AS (
            UPDATE %1$s_terms t SET cut = c.cut
            FROM (SELECT tid, percentile_disc(0.92) WITHIN GROUP (ORDER BY layer) AS cut FROM postings GROUP BY tid) c
            WHERE t.tid = c.tid RETURNING t.tid, t.cut)
        INSERT INTO %1$s_blocks (tid, layer, first, tenant, docs, weights)
        SELECT tid, layer, min(doc), quarry.current_tenant(),
            array_agg((doc & 2147483647)::integer ORDER BY doc), array_agg(weight ORDER BY doc)
        FROM (
            SELECT p.*, (row_number() OVER (PARTITION BY p.tid, p.layer, p.doc >> 31 ORDER BY p.doc) - 1) / 240 AS piece
            FROM postings p JOIN cuts c ON c.tid = p.tid AND p.layer >= c.cut) p
        GROUP BY tid, layer, doc >> 31, piece
    $sql$, corpus) USING tids;
END $_$;

-- search.legal_forms_around()

CREATE FUNCTION search.legal_forms_around() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT format('^((%1$s) ?|(%2$s) )+(?=\S)|(?<=\S)( ?(%1$s)| (%3$s))+$'::text, string_agg(legal_forms.form, '|'::text) FILTER (WHERE legal_forms.joined), string_agg(legal_forms.form, '|'::text) FILTER (WHERE (legal_forms.leads AND (NOT legal_forms.joined))), string_agg(legal_forms.form, '|'::text) FILTER (WHERE (NOT legal_forms.joined))) AS format FROM search.legal_forms);

-- search.letters(text)

CREATE FUNCTION search.letters(raw text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
DECLARE
    hiragana constant text := '\u3041-\u309f';
    others constant text :=
        '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff';
    x text := translate(lower(normalize(regexp_replace(normalize(raw, NFKD),
        '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc]', '', 'g'), NFC)),
        'ةى', 'هي');
    stemmer text[];
BEGIN
    FOREACH stemmer SLICE 1 IN ARRAY ARRAY[
        ['\u0370-\u03ff\u1f00-\u1fff', 'greek'], ['\u0400-\u052f', 'russian'], ['\u0530-\u058f', 'armenian'],
        ['\u0600-\u06ff', 'arabic'], ['\u0900-\u097f', 'hindi'], ['\u0b80-\u0bff', 'tamil']
    ] LOOP
        IF x ~ ('[' || stemmer[1] || ']') THEN
            x := (
                SELECT string_agg(CASE WHEN m[1] ~ ('^[' || stemmer[1] || ']')
                    THEN coalesce((ts_lexize(('pg_catalog.' || stemmer[2] || '_stem')::regdictionary, m[1]))[1], m[1]) ELSE m[1] END, '' ORDER BY place)
                FROM regexp_matches(x, format('[%1$s]+|[^%1$s]+', stemmer[1]), 'g') WITH ORDINALITY AS parts (m, place));
        END IF;
    END LOOP;
    IF x !~ ('[' || hiragana || others || ']') THEN
        RETURN x;
    END IF;
    RETURN (
        SELECT string_agg(CASE WHEN m[1] ~ ('^[' || hiragana || others || ']') THEN concat_ws(' ',
            (SELECT string_agg(substr(m[1], i, 2), ' ') FROM generate_series(1, greatest(length(m[1]) - 1, 1)) i),
            CASE WHEN length(m[1]) > 1 THEN (SELECT string_agg(han[1], ' ') FROM regexp_matches(m[1], '[\u3400-\u4dbf\u4e00-\u9fff]', 'g') han) END)
            ELSE m[1] END, ' ' ORDER BY place)
        FROM regexp_matches(x, format('[%1$s]+|[%2$s]+|[^%1$s%2$s]+', hiragana, others), 'g') WITH ORDINALITY AS parts (m, place));
END $_$;

-- search.lock_corpus(text)

CREATE FUNCTION search.lock_corpus(corpus text) RETURNS void
    LANGUAGE sql
    AS $$
    -- Document frequencies and totals are shared rows: one writer per tenant and corpus, so they stay exact.
    SELECT pg_advisory_xact_lock(hashtextextended(corpus || '/' || quarry.current_tenant(), 0))
$$;

-- search.merge(text)

CREATE FUNCTION search.merge(corpus text) RETURNS void
    LANGUAGE plpgsql
    SET work_mem TO '16MB'
    SET enable_nestloop TO 'off'
    AS $_$
DECLARE
    last bigint;
    frequent integer[];
BEGIN
    LOOP
        EXECUTE format($sql$
            SELECT max(doc) FROM (
                SELECT doc FROM %s_pending WHERE tenant = quarry.current_tenant() ORDER BY doc LIMIT 10000) p
        $sql$, corpus) INTO last;
        EXIT WHEN last IS NULL;
        EXECUTE format($sql$
            WITH pending AS MATERIALIZED (
                DELETE FROM %1$s_pending WHERE tenant = quarry.current_tenant() AND doc <= $1
                RETURNING doc, tids, tfs, length),
            -- Documents that lie close together are looked for as one.
            runs AS MATERIALIZED (
                SELECT p.*, count(*) FILTER (WHERE apart) OVER (ORDER BY doc) AS run
                FROM (SELECT p.*, doc - lag(doc) OVER (ORDER BY doc) > 64 AS apart FROM pending p) p),
            terms AS MATERIALIZED (
                SELECT c.tid, t.term, t.cut, t.df, t.few, t.few IS NOT NULL AS rare
                FROM (
                    SELECT unnest(d.tids) AS tid FROM pending p
                    CROSS JOIN LATERAL (SELECT d.tids FROM %1$s_documents d WHERE d.doc = p.doc OFFSET 0) d
                    UNION
                    SELECT unnest(tids) FROM pending) c
                CROSS JOIN LATERAL (SELECT t.term, t.cut, t.df, t.few FROM %1$s_terms t WHERE t.tid = c.tid OFFSET 0) t),
            -- Each posting stands in the order of documents, and the best of a frequent term once more by impact.
            added AS MATERIALIZED (
                SELECT p.tid, t.cut, t.rare, p.run, p.doc, search.weight(p.tf, p.length) AS weight
                FROM (
                    SELECT r.run, r.doc, d.length, unnest(d.tids) AS tid, unnest(d.tfs) AS tf
                    FROM runs r CROSS JOIN LATERAL (
                        SELECT d.length, d.tids, d.tfs FROM %1$s_documents d WHERE d.doc = r.doc OFFSET 0) d) p
                JOIN terms t ON t.tid = p.tid),
            lost AS MATERIALIZED (
                SELECT p.tid, t.cut, p.doc, search.weight(p.tf, p.length) AS weight
                FROM (SELECT r.doc, r.length, unnest(r.tids) AS tid, unnest(r.tfs) AS tf FROM runs r) p JOIN terms t ON t.tid = p.tid AND NOT t.rare),
            rare AS MATERIALIZED (
                SELECT tid, array_agg(doc ORDER BY doc) AS docs, array_agg(weight ORDER BY doc) AS weights
                FROM (
                    SELECT tid, doc, weight FROM added WHERE rare
                    UNION ALL
                    SELECT t.tid, f.doc, f.weight FROM terms t CROSS JOIN LATERAL search.of_few(t.few) f
                    WHERE f.doc NOT IN (SELECT doc FROM pending)) p
                GROUP BY tid),
            renewed AS (
                INSERT INTO %1$s_terms (tid, tenant, term, df, few) OVERRIDING SYSTEM VALUE
                SELECT n.tid, quarry.current_tenant(), n.term, n.df, n.few
                FROM (
                    SELECT t.tid, t.term, t.df, t.few AS former, CASE WHEN r.tid IS NULL THEN '{}' ELSE search.as_few(r.docs, r.weights) END AS few
                    FROM terms t LEFT JOIN rare r USING (tid) WHERE t.rare) n
                WHERE n.few IS DISTINCT FROM n.former
                ON CONFLICT (tid) DO UPDATE SET few = excluded.few),
            lists AS (
                SELECT p.tid, p.layer, min(p.doc) AS low, max(p.doc) AS high,
                    array_agg((p.doc & 2147483647)::integer ORDER BY p.doc) AS docs, array_agg(p.weight ORDER BY p.doc) AS weights
                FROM (
                    SELECT tid, 0 AS layer, run, doc, weight FROM added WHERE NOT rare
                    UNION ALL
                    SELECT tid, search.layer(weight), run, doc, weight FROM added WHERE search.layer(weight) >= cut) p
                GROUP BY p.tid, p.layer, p.run, p.doc >> 31),
            reach AS MATERIALIZED (
                SELECT l.*, coalesce((
                    SELECT max(b.first) FROM %1$s_blocks b
                    WHERE b.tid = l.tid AND b.layer = l.layer AND b.first <= l.low), l.low) AS mark
                FROM (
                    SELECT * FROM lists
                    UNION ALL
                    SELECT tid, 0, doc, doc, NULL, NULL FROM lost
                    UNION ALL
                    SELECT tid, search.layer(weight), doc, doc, NULL, NULL FROM lost WHERE search.layer(weight) >= cut) l),
            -- Whether all that is new lies behind a block, as it mostly does: then nothing has to be taken apart.
            places AS MATERIALIZED (
                SELECT r.*, r.grows AND coalesce(r.reached < r.mark, true) AND r.low > coalesce(
                    (b.first >> 31 << 31) + b.docs[cardinality(b.docs)], r.low - 1) AND NOT EXISTS (
                        SELECT FROM %1$s_blocks x
                        WHERE x.tid = r.tid AND x.layer = r.layer AND x.first > r.mark AND x.first <= r.high) AS behind,
                    cardinality(b.docs) < 128 AND b.first >> 31 = r.low >> 31 AS fills
                FROM (
                    SELECT tid, layer, mark, min(low) AS low, max(high) AS high, count(docs) = 1 AND count(*) = 1 AS grows,
                        -- How far lists before it reach: what they take apart no other one fills up.
                        max(max(high)) OVER (PARTITION BY tid, layer ORDER BY mark ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
                    FROM reach GROUP BY tid, layer, mark) r
                LEFT JOIN LATERAL (
                    SELECT b.first, b.docs FROM %1$s_blocks b
                    WHERE b.tid = r.tid AND b.layer = r.layer AND b.first = r.mark OFFSET 0) b ON true),
            taken AS (
                DELETE FROM %1$s_blocks WHERE ctid = ANY (ARRAY(
                    SELECT x.ctid FROM places l CROSS JOIN LATERAL (
                        SELECT b.ctid FROM %1$s_blocks b
                        WHERE b.tid = l.tid AND b.layer = l.layer AND b.first BETWEEN l.mark AND l.high OFFSET 0) x
                    WHERE NOT l.behind))
                RETURNING tid, layer, first, docs, weights),
            apart AS (
                SELECT p.*
                FROM (
                    SELECT tid, layer, first AS mark, (first >> 31 << 31) + unnest(docs) AS doc, unnest(weights) AS weight
                    FROM taken) p
                WHERE p.doc NOT IN (SELECT doc FROM pending)
                UNION ALL
                SELECT r.tid, r.layer, r.mark, (r.low >> 31 << 31) + unnest(r.docs), unnest(r.weights)
                FROM reach r JOIN places l USING (tid, layer, mark) WHERE NOT l.behind),
            whole AS (
                SELECT r.tid, r.layer, r.low >> 31 AS high, coalesce(b.docs, '{}') || r.docs AS docs,
                    coalesce(b.weights, '{}') || r.weights AS weights
                FROM reach r JOIN places l USING (tid, layer, mark) LEFT JOIN LATERAL (
                    SELECT b.docs, b.weights FROM %1$s_blocks b
                    WHERE l.fills AND b.tid = r.tid AND b.layer = r.layer AND b.first = r.mark OFFSET 0) b ON true
                WHERE l.behind
                UNION ALL
                -- What is between two blocks goes to the earlier one.
                SELECT tid, layer, doc >> 31, array_agg((doc & 2147483647)::integer ORDER BY doc), array_agg(weight ORDER BY doc)
                FROM (SELECT a.*, max(mark) OVER (PARTITION BY tid, layer ORDER BY doc) AS held FROM apart a) a
                GROUP BY tid, layer, held, doc >> 31
                UNION ALL
                SELECT r.tid, 0, p.doc >> 31, array_agg((p.doc & 2147483647)::integer ORDER BY p.doc), array_agg(p.weight ORDER BY p.doc)
                FROM rare r CROSS JOIN LATERAL unnest(r.docs, r.weights) p (doc, weight)
                WHERE search.as_few(r.docs, r.weights) IS NULL
                GROUP BY r.tid, p.doc >> 31),
            stored AS (
                INSERT INTO %1$s_blocks (tid, layer, first, tenant, docs, weights)
                SELECT w.tid, w.layer, (w.high << 31) + w.docs[c.low], quarry.current_tenant(),
                    w.docs[c.low : c.high], w.weights[c.low : c.high]
                FROM whole w CROSS JOIN LATERAL (
                    SELECT (piece - 1) * n / pieces + 1 AS low, piece * n / pieces AS high
                    FROM (SELECT cardinality(w.docs) AS n, (cardinality(w.docs) + 239) / 240 AS pieces) o,
                        generate_series(1, pieces) AS piece) c
                ON CONFLICT (tid, layer, first) DO UPDATE SET docs = excluded.docs, weights = excluded.weights)
            SELECT array_agg(tid) FROM terms WHERE cut IS NULL AND NOT rare AND df > 512
        $sql$, corpus) INTO frequent USING last;
        PERFORM search.layer_blocks(corpus, frequent);
    END LOOP;
END $_$;

-- search.name_key(text)

CREATE FUNCTION search.name_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN NULLIF(translate(CASE WHEN (octet_length(name) = length(name)) THEN lower(name) ELSE search.value_key(name) END, '$ 	

 -‐‑–—_./,;:''’‘`´"“”„«»&+()[]{}!?*#@%|<>=~^\™®©·•'::text, 's'::text), ''::text);

-- search.no_document(anyelement)

CREATE FUNCTION search.no_document(one anyelement) RETURNS search.document
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ROW(NULL, NULL, NULL)::search.document
$$;

-- search.normalise(text)

CREATE FUNCTION search.normalise(raw text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
DECLARE
    units constant text :=
        'hp|bhp|cfm|acfm|scfm|icfm|psi|psig|psia|kw|rpm|hz|vac|vdc|v|ph|dba|db|gal|gallon|lbs|lb|ft|in|mm|bar|btu|amp|amps|gpm|ppm|micron|inhg|f|c';
    x text := lower(coalesce(raw, ''));
    figures boolean;
    extra text;
BEGIN
    IF octet_length(x) <> length(x) THEN
        x := search.letters(raw);
    END IF;
    IF strpos(x, '$') > 0 THEN
        x := regexp_replace(x, '([a-z0-9])\$([a-z0-9]+)', '\1\2 \1s\2', 'g');
    END IF;
    IF strpos(x, 'horse') > 0 THEN
        x := regexp_replace(x, '\mhorse ?power\M', 'hp', 'g');
    END IF;
    IF strpos(x, 'cubic') > 0 THEN
        x := regexp_replace(x, '\mcubic f(ee|oo)t per minute\M', 'cfm', 'g');
    END IF;
    IF strpos(x, 'pounds per') > 0 THEN
        x := regexp_replace(x, '\mpounds per square inch\M', 'psi', 'g');
    END IF;
    figures := x ~ '\d';
    IF figures THEN
        IF strpos(x, ',') > 0 THEN
            x := regexp_replace(x, '(\d),(?=\d{3}(\D|$))', '\1', 'g');
        END IF;
        IF strpos(x, 'hg') > 0 THEN
            x := regexp_replace(x, '(\d)\s*("|''''|in\.?|inches)\s*(of\s+)?hg\M', '\1 inhg', 'g');
        END IF;
        IF strpos(x, 'gal') > 0 THEN
            x := regexp_replace(x, '(\d)[ -]?(gallons?|gals)\M', '\1 gal', 'g');
        END IF;
        IF strpos(x, 'pound') > 0 OR strpos(x, 'lbs') > 0 THEN
            x := regexp_replace(x, '(\d)[ -]?(pounds?|lbs)\M', '\1 lb', 'g');
        END IF;
        IF strpos(x, 'feet') > 0 OR strpos(x, 'foot') > 0 THEN
            x := regexp_replace(x, '(\d)[ -]?(feet|foot)\M', '\1 ft', 'g');
        END IF;
        IF strpos(x, 'volt') > 0 THEN
            x := regexp_replace(x, '(\d)[ -]?(volts?)\M', '\1 v', 'g');
        END IF;
        IF strpos(x, 'phase') > 0 THEN
            x := regexp_replace(x, '(\d)[ -]?phase\M', '\1 ph', 'g');
        END IF;
        IF strpos(x, 'kilowatt') > 0 THEN
            x := regexp_replace(x, '(\d)[ -]?kilowatts?\M', '\1 kw', 'g');
        END IF;
        IF strpos(x, 'amp') > 0 THEN
            x := regexp_replace(x, '(\d)[ -]?(amps|amperes?)\M', '\1 amp', 'g');
        END IF;
        IF x ~ '\d-?[a-z]' THEN
            x := regexp_replace(x, '(\d)[ -]?(' || units || ')\M', '\1 \2', 'g');
        END IF;
    END IF;
    IF strpos(x, 'psi') > 0 THEN
        x := regexp_replace(x, '\mpsi[ga]\M', 'psi', 'g');
    END IF;
    IF strpos(x, 'cfm') > 0 THEN
        x := regexp_replace(x, '\m([asi])cfm\M', '\1cfm cfm', 'g');
    END IF;
    IF x ~ '[a-z0-9][-/][a-z0-9]' THEN
        SELECT string_agg(replace(translate(m[1], '-/.', '   '), ' ', ''), ' ') INTO extra
        FROM regexp_matches(x, '\m([a-z0-9]+(?:[-/][a-z0-9]+)+)\M', 'g') AS m
        WHERE length(m[1]) <= 40;
        x := x || ' ' || coalesce(extra, '');
    END IF;
    IF figures AND x ~ '[a-z][ -]\d' THEN
        SELECT string_agg(m[1] || m[2], ' ') INTO extra
        FROM regexp_matches(x, '\m([a-z]{1,5})[ -](\d{1,5}[a-z]{0,2})(?![0-9a-z.])', 'g') AS m
        WHERE m[1] !~ ('^(' || units || '|at|of|to|and|or|with|for|is|w|no|the|by|x|per|from|up|on)$');
        x := x || ' ' || coalesce(extra, '');
    END IF;
    x := regexp_replace(x, '[^a-z0-9. \u0080-\uffff]+', ' ', 'g');
    RETURN CASE WHEN strpos(x, '.') > 0 THEN regexp_replace(x, '\.(?!\d)|(?<!\d)\.', ' ', 'g') ELSE x END;
END $_$;

-- search.of_few(integer[])

CREATE FUNCTION search.of_few(few integer[]) RETURNS TABLE(doc integer, weight integer)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT unnest(few[: cardinality(few) / 2]), unnest(few[cardinality(few) / 2 + 1 :])
$$;

-- search.on_delete()

CREATE FUNCTION search.on_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
DECLARE
    corpus text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    docs bigint[] := (SELECT array_agg(id) FROM old_rows);
BEGIN
    IF docs IS NOT NULL THEN
        PERFORM search.lock_corpus(corpus);
        PERFORM search.unindex(corpus, docs);
        PERFORM search.settle(corpus);
        EXECUTE format('DELETE FROM %s_vectors WHERE doc = ANY ($1)', corpus) USING docs;
        EXECUTE 'DELETE FROM quarry.embedding_queue q WHERE q.corpus = $1 AND q.doc = ANY ($2)' USING corpus, docs;
    END IF;
    RETURN NULL;
END $_$;

-- search.on_insert()

CREATE FUNCTION search.on_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    corpus text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    docs bigint[] := (SELECT array_agg(id) FROM new_rows);
BEGIN
    IF docs IS NOT NULL THEN
        PERFORM search.lock_corpus(corpus);
        PERFORM search.index(corpus, docs);
    END IF;
    RETURN NULL;
END $$;

-- search.on_update()

CREATE FUNCTION search.on_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    corpus text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    docs bigint[] := (SELECT array_agg(id) FROM new_rows);
BEGIN
    IF docs IS NOT NULL THEN
        PERFORM search.lock_corpus(corpus);
        docs := search.changed(corpus, docs);
        PERFORM search.unindex(corpus, docs);
        PERFORM search.index(corpus, docs);
    END IF;
    RETURN NULL;
END $$;

-- search.passage(search.document, tsquery)

CREATE FUNCTION search.passage(document search.document, terms tsquery) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT CASE WHEN terms IS NULL THEN left(coalesce(document.body, document.title), 200) ELSE ts_headline('english',
        CASE WHEN to_tsvector('english', coalesce(document.body, '')) @@ terms THEN document.body
             ELSE concat_ws(' · ', nullif(document.title, ''), nullif(document.attributes, ''), document.body) END,
        terms, 'StartSel="", StopSel="", MaxFragments=2, MaxWords=28, MinWords=12, FragmentDelimiter=" … "') END
$$;

-- search.plain_text(search.document)

CREATE FUNCTION search.plain_text(document search.document) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT concat_ws(E'\n', nullif(document.title, ''), nullif(document.attributes, ''), nullif(document.body, ''))
$$;

-- search.put_values(text, bigint[])

CREATE FUNCTION search.put_values(corpus text, docs bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM search.attribute_values v
    WHERE v.doc = ANY (docs) AND v.corpus = put_values.corpus AND v.tenant = quarry.current_tenant();
    EXECUTE format($sql$
        INSERT INTO search.attribute_values (
            tenant, corpus, doc, attribute, place, kind, code, low, high, flag, raw, unit, language, system, release, source)
        SELECT d.tenant, %2$L, d.id, v.attribute, v.place, v.kind, v.code, v.low, v.high, v.flag,
            v.raw, v.unit, v.language, v.system, v.release, v.source
        FROM %1$s d CROSS JOIN LATERAL search.values_of(d.attributes) v
        WHERE d.id = ANY ($1) AND d.tenant = quarry.current_tenant() ORDER BY d.id, v.attribute, v.place
    $sql$, corpus, corpus) USING docs;
END $_$;

-- search.query_terms(text)

CREATE FUNCTION search.query_terms(query text) RETURNS TABLE(term text)
    LANGUAGE plpgsql STABLE ROWS 10 PARALLEL SAFE
    AS $$
BEGIN
    RETURN QUERY SELECT v.lexeme FROM unnest(to_tsvector('english', search.normalise(query))) AS v;
END $$;

-- search.rebuild(text)

CREATE FUNCTION search.rebuild(corpus text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    docs bigint[];
    suffix text;
BEGIN
    PERFORM search.lock_corpus(corpus);
    FOREACH suffix IN ARRAY ARRAY['blocks', 'pending', 'spellings', 'terms', 'documents', 'totals'] LOOP
        EXECUTE format('DELETE FROM %s_%s WHERE tenant = quarry.current_tenant()', corpus, suffix);
    END LOOP;
    EXECUTE format('SELECT array_agg(id ORDER BY id) FROM %s WHERE tenant = quarry.current_tenant()', corpus) INTO docs;
    FOR part IN 0 .. (coalesce(cardinality(docs), 0) - 1) / 10000 LOOP
        PERFORM search.index(corpus, docs[part * 10000 + 1 : (part + 1) * 10000]);
    END LOOP;
    RETURN coalesce(cardinality(docs), 0);
END $$;

-- search.sentence_of(anyelement)

CREATE FUNCTION search.sentence_of(one anyelement) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT to_jsonb(one) ->> 'sentence'
$$;

-- search.sentences(text, integer)

CREATE FUNCTION search.sentences(content text, most integer) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ARRAY(
        SELECT btrim(piece) FROM regexp_split_to_table(content, '(?<=[.!?;])\s+|\n+') WITH ORDINALITY AS pieces (piece, place)
        WHERE length(btrim(piece)) >= 10 ORDER BY place LIMIT most)
$$;

-- search.settle(text)

CREATE FUNCTION search.settle(corpus text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
    enough boolean;
BEGIN
    EXECUTE format($sql$
        SELECT (SELECT count(*) FROM %1$s_pending p WHERE p.tenant = quarry.current_tenant())
            > least(1000, greatest(64, (SELECT t.documents / 20 FROM %1$s_totals t WHERE t.tenant = quarry.current_tenant())))
    $sql$, corpus) INTO enough;
    IF enough THEN
        PERFORM search.merge(corpus);
    END IF;
END $_$;

-- search.spellings(text)

CREATE FUNCTION search.spellings(term text) RETURNS integer[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(SELECT DISTINCT hashtext(((quarry.current_tenant() || ' '::text) || OVERLAY(search.folded(spellings.term) PLACING ''::text FROM GREATEST(place.place, 1) FOR LEAST(place.place, 1)))) AS hashtext FROM generate_series(0, length(spellings.term)) place(place) WHERE (substr(spellings.term, place.place, 1) !~ '[0-9]'::text));

-- search.tell_sentences()

CREATE FUNCTION search.tell_sentences() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
DECLARE
    corpus_name text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    told_by regproc;
    docs bigint[] := ARRAY(SELECT id FROM written);
BEGIN
    SELECT c.sentences_function INTO told_by FROM search.corpora c WHERE c.corpus = corpus_name;
    EXECUTE format($sql$
        SELECT ARRAY(
            SELECT d.id FROM %1$s d
            WHERE d.id = ANY ($1)
                AND %2$s(d) <> ARRAY(SELECT s.sentence FROM %1$s_sentences s WHERE s.doc = d.id ORDER BY s.id))
    $sql$, corpus_name, told_by) INTO docs USING docs;
    IF cardinality(docs) > 0 THEN
        EXECUTE format('DELETE FROM %s_sentences WHERE doc = ANY ($1)', corpus_name) USING docs;
        PERFORM search.add_sentences(corpus_name, docs);
    END IF;
    RETURN NULL;
END $_$;

-- search.term_frequencies(search.document)

CREATE FUNCTION search.term_frequencies(document search.document) RETURNS TABLE(term text, tf integer)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT lexeme, 
        40 * cardinality(array_positions(weights, 'A')) + 10 * cardinality(array_positions(weights, 'B'))
            + 3 * cardinality(array_positions(weights, 'C'))
    FROM unnest(
        setweight(to_tsvector('english', search.normalise(document.title)), 'A')
        || setweight(to_tsvector('english', search.normalise(document.body)), 'B')
        || setweight(to_tsvector('english', search.normalise(document.attributes)), 'C'))
$$;

-- search.texts(text, bigint[])

CREATE FUNCTION search.texts(corpus text, docs bigint[]) RETURNS TABLE(doc bigint, content_hash bytea, content text)
    LANGUAGE plpgsql STABLE
    AS $_$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        SELECT x.doc, x.content_hash, %2$s
        FROM %1$s d JOIN %1$s_documents x ON x.doc = d.id WHERE d.id = ANY ($1)
    $sql$, corpus, (
        SELECT coalesce(c.embedded_function || '(d)', format('search.embedding_text(%s(d))', c.document_function))
        FROM search.corpora c WHERE c.corpus = texts.corpus)) USING docs;
END $_$;

-- search.unindex(text, bigint[])

CREATE FUNCTION search.unindex(corpus text, docs bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    EXECUTE format($sql$
        WITH gone AS (
            DELETE FROM %1$s_documents WHERE doc = ANY ($1) AND tenant = quarry.current_tenant()
            RETURNING tenant, doc, length, tids, tfs),
        -- What waited already is in blocks by the terms that it had before, or not at all.
        waiting AS (
            INSERT INTO %1$s_pending (tenant, doc, tids, tfs, length)
            SELECT tenant, doc, tids, tfs, length FROM gone WHERE tids <> '{}' ORDER BY doc
            ON CONFLICT DO NOTHING),
        terms AS (
            UPDATE %1$s_terms t SET df = t.df - c.docs
            FROM (SELECT tid, count(*) AS docs FROM gone CROSS JOIN LATERAL unnest(tids) AS tid GROUP BY tid) c
            WHERE t.tid = c.tid),
        total AS (SELECT count(*) AS documents, coalesce(sum(length::float8), 0) AS length FROM gone)
        UPDATE %1$s_totals s SET documents = s.documents - t.documents, length = s.length - t.length
        FROM total t WHERE s.tenant = quarry.current_tenant()
    $sql$, corpus) USING docs;
END $_$;

-- search.value_key(text)

CREATE FUNCTION search.value_key(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (octet_length(value) = length(value)) THEN CASE WHEN (translate(value, '	

_-/'::text, repeat(' '::text, 12)) ~~ '%  %'::text) THEN btrim(regexp_replace(lower(translate(value, '	

_-/'::text, repeat(' '::text, 12))), ' {2,}'::text, ' '::text, 'g'::text)) ELSE btrim(lower(translate(value, '	

_-/'::text, repeat(' '::text, 12)))) END ELSE btrim(regexp_replace(lower(NORMALIZE(regexp_replace(NORMALIZE(replace(replace(replace(replace(translate(lower(value), 'łøđħıðςةى'::text, 'lodhidσهي'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), 'þ'::text, 'th'::text), 'ß'::text, 'ss'::text), NFKD), '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]'::text, ''::text, 'g'::text), NFKC)), '[\s\u001c-\u001f\u0085\u00a0\u2028\u2029_\-\u2010\u2011\u2013\u2014/]+'::text, ' '::text, 'g'::text)) END;

-- search.values_of(jsonb)

CREATE FUNCTION search.values_of(attributes jsonb) RETURNS TABLE(attribute text, place integer, kind text, code text, low double precision, high double precision, flag boolean, raw text, unit text, language text, system text, release text, source text)
    LANGUAGE sql IMMUTABLE ROWS 10 PARALLEL SAFE
    AS $$
    SELECT a.attribute, e.place::integer,
        CASE jsonb_typeof(e.value) WHEN 'string' THEN 'text' WHEN 'boolean' THEN 'flag' ELSE 'number' END,
        CASE jsonb_typeof(e.value) WHEN 'string' THEN left(search.value_key(e.value #>> '{}'), 500) ELSE '' END,
        CASE jsonb_typeof(e.value) WHEN 'number' THEN (e.value #>> '{}')::float8 WHEN 'array' THEN (e.value ->> 0)::float8 END,
        CASE jsonb_typeof(e.value) WHEN 'number' THEN (e.value #>> '{}')::float8 WHEN 'array' THEN (e.value ->> 1)::float8 END,
        CASE jsonb_typeof(e.value) WHEN 'boolean' THEN (e.value #>> '{}')::boolean END,
        coalesce(a.told ->> 'raw', CASE jsonb_typeof(e.value) WHEN 'string' THEN e.value #>> '{}' END),
        a.told ->> 'unit', a.told ->> 'language', a.told ->> 'system', a.told ->> 'release', a.told ->> 'source'
    FROM (
        SELECT v.key AS attribute,
            CASE jsonb_typeof(v.value) WHEN 'object' THEN v.value END AS told,
            CASE jsonb_typeof(v.value) WHEN 'object' THEN v.value -> 'value' ELSE v.value END AS value
        FROM jsonb_each(attributes) AS v) a
    CROSS JOIN LATERAL jsonb_array_elements(
        -- A range is one value, texts are as many as there are.
        CASE WHEN jsonb_typeof(a.value) = 'array' AND jsonb_typeof(a.value -> 0) <> 'number' THEN a.value
             ELSE jsonb_build_array(a.value) END) WITH ORDINALITY AS e (value, place)
    WHERE jsonb_typeof(e.value) <> 'null'
$$;

-- search.weight(smallint, real)

CREATE FUNCTION search.weight(tf smallint, length real) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((LEAST(round((length * (10)::double precision)), (262143)::double precision))::integer << 14) | (tf)::integer);

-- search.without_legal_form(text, text)

CREATE FUNCTION search.without_legal_form(name text, pattern text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(btrim(regexp_replace(translate(search.value_key(name), '.''’'::text, ''::text), '[\s,;:&+()"\u201c\u201d\u201e\u00ab\u00bb]+'::text, ' '::text, 'g'::text)), pattern, ''::text), pattern, ''::text);

-- search.attribute_values

CREATE TABLE search.attribute_values (
    tenant text NOT NULL,
    corpus text NOT NULL,
    doc bigint NOT NULL,
    attribute text NOT NULL,
    place integer NOT NULL,
    kind text NOT NULL,
    code text NOT NULL,
    low double precision,
    high double precision,
    flag boolean,
    raw text,
    unit text,
    language text,
    system text,
    release text,
    source text
);
ALTER TABLE ONLY search.attribute_values ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY search.attribute_values FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE search.attribute_values IS 'The values of rows of equipment.products and quotes.line_items, kept from their attributes by triggers. Filters read it.';
COMMENT ON COLUMN search.attribute_values.place IS 'Among several texts of one attribute, from 1.';
COMMENT ON COLUMN search.attribute_values.code IS 'A text as search.value_key folds it; empty for figures and flags.';
COMMENT ON COLUMN search.attribute_values.low IS 'With high, a figure or a range in the unit of search.attributes.';
COMMENT ON COLUMN search.attribute_values.raw IS 'As it is written; of a figure only where that is in another unit.';
COMMENT ON COLUMN search.attribute_values.unit IS 'Of raw.';
ALTER TABLE ONLY search.attribute_values ADD CONSTRAINT attribute_values_pkey PRIMARY KEY (doc, attribute, place, corpus, tenant);
CREATE INDEX attribute_values_sorted ON search.attribute_values USING btree (tenant, corpus, attribute, code, high, doc) INCLUDE (low, flag, place);
CREATE STATISTICS search.attribute_values_codes (mcv) ON attribute, code FROM search.attribute_values;
ALTER TABLE ONLY search.attribute_values ADD CONSTRAINT attribute_values_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE search.attribute_values ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON search.attribute_values USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE search.attribute_values TO quarry_read;
GRANT SELECT ON TABLE search.attribute_values TO quarry_write;
GRANT SELECT ON TABLE search.attribute_values TO quarry_approve;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.attribute_values TO quarry_ingest;

-- search.attributes

CREATE TABLE search.attributes (
    tenant text NOT NULL,
    name text NOT NULL,
    families text[] DEFAULT '{}'::text[] NOT NULL,
    kind text CONSTRAINT attributes_type_not_null NOT NULL,
    unit text,
    sense text DEFAULT 'exactly'::text CONSTRAINT attributes_bound_not_null NOT NULL,
    words text[] DEFAULT '{}'::text[] NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    met double precision DEFAULT 0 NOT NULL,
    close double precision DEFAULT 0 NOT NULL,
    absolute boolean DEFAULT false NOT NULL,
    ordered text[] DEFAULT '{}'::text[] NOT NULL,
    adds text DEFAULT 'same'::text NOT NULL,
    also text,
    low double precision,
    high double precision,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    "position" integer,
    note text,
    printed text,
    point text,
    CONSTRAINT attributes_adds_check CHECK ((adds = ANY (ARRAY['sum'::text, 'same'::text, 'decibels'::text, 'units'::text, 'reserve'::text]))),
    CONSTRAINT attributes_check CHECK ((high >= low)),
    CONSTRAINT attributes_close_check CHECK (((close >= (0)::double precision) AND (close <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT attributes_kind_check CHECK ((kind = ANY (ARRAY['number'::text, 'text'::text, 'flag'::text]))),
    CONSTRAINT attributes_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text)),
    CONSTRAINT attributes_met_check CHECK (((met >= (0)::double precision) AND (met <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT attributes_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{0,39}$'::text)),
    CONSTRAINT attributes_note_check CHECK ((length(note) <= 300)),
    CONSTRAINT attributes_ordered_check CHECK (((kind = 'text'::text) OR (ordered = '{}'::text[]))),
    CONSTRAINT attributes_point_check CHECK ((length(point) <= 200)),
    CONSTRAINT attributes_position_check CHECK (("position" >= 0)),
    CONSTRAINT attributes_printed_check CHECK ((printed = ANY (ARRAY['always'::text, 'known'::text]))),
    CONSTRAINT attributes_sense_check CHECK ((sense = ANY (ARRAY['at_least'::text, 'at_most'::text, 'about'::text, 'exactly'::text, 'covers'::text]))),
    CONSTRAINT attributes_unit_check CHECK (((kind = 'number'::text) OR (COALESCE(unit, also) IS NULL)))
);
ALTER TABLE ONLY search.attributes FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE search.attributes IS 'What a tenant''s goods are told apart by.';
COMMENT ON COLUMN search.attributes.families IS 'Of which goods it is said; asking for it asks for one of these. Empty: of any.';
COMMENT ON COLUMN search.attributes.sense IS 'What a figure without a bound asks for: a pump of 40 m head may have more.';
COMMENT ON COLUMN search.attributes.words IS 'What a request calls it besides its name; a word may name its language, as in de:Druck.';
COMMENT ON COLUMN search.attributes.met IS 'How far a value may be off a bare figure and still meet it: a share of it, or units if absolute.';
COMMENT ON COLUMN search.attributes.close IS 'How far off it is still close.';
COMMENT ON COLUMN search.attributes.ordered IS 'Values that have an order, the lowest first: IP54, IP55, IP66.';
COMMENT ON COLUMN search.attributes.adds IS 'What several machines have together: the sum, what one has, or the level of all sources; units: how many one is; reserve: how many of these wait while the others give what is stated.';
COMMENT ON COLUMN search.attributes.also IS 'A unit of another dimension whose figures say the same: a head in m is a pressure in mH2O.';
COMMENT ON COLUMN search.attributes.low IS 'With high, what is plausible.';
COMMENT ON COLUMN search.attributes.labels IS 'What a document calls it, by language.';
COMMENT ON COLUMN search.attributes."position" IS 'Its place in a block of characteristics; NULL: it is not printed.';
COMMENT ON COLUMN search.attributes.note IS 'For whoever reads the list of attributes, in the house''s own words.';
COMMENT ON COLUMN search.attributes.printed IS 'known: where a row has it; else a block of characteristics says that it is missing.';
COMMENT ON COLUMN search.attributes.point IS 'Of which attribute it is the value, or without a unit the factor, at which condition: flow at head 20 m.';
ALTER TABLE ONLY search.attributes ADD CONSTRAINT attributes_pkey PRIMARY KEY (tenant, name);
CREATE TRIGGER note_delete AFTER DELETE ON search.attributes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('name');
CREATE TRIGGER note_insert AFTER INSERT ON search.attributes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('name');
CREATE TRIGGER note_update AFTER UPDATE ON search.attributes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('name');
ALTER TABLE ONLY search.attributes ADD CONSTRAINT attributes_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE search.attributes ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON search.attributes USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE search.attributes TO quarry_read;
GRANT SELECT ON TABLE search.attributes TO quarry_write;
GRANT SELECT ON TABLE search.attributes TO quarry_approve;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.attributes TO quarry_ingest;

-- search.corpora

CREATE TABLE search.corpora (
    corpus text NOT NULL,
    document_function regproc NOT NULL,
    embedded_function regproc,
    sentences_function regproc
);
COMMENT ON TABLE search.corpora IS 'Every searchable table, by schema-qualified name, and the function that makes a row its document.';
COMMENT ON COLUMN search.corpora.embedded_function IS 'Makes a row the text that is embedded, where that is not its whole document.';
COMMENT ON COLUMN search.corpora.sentences_function IS 'Makes a row the sentences that have vectors of their own, text[].';
ALTER TABLE ONLY search.corpora ADD CONSTRAINT corpora_pkey PRIMARY KEY (corpus);
GRANT SELECT ON TABLE search.corpora TO quarry_read;
GRANT SELECT ON TABLE search.corpora TO quarry_write;
GRANT SELECT ON TABLE search.corpora TO quarry_ingest;

-- search.equivalents

CREATE TABLE search.equivalents (
    tenant text NOT NULL,
    maker text NOT NULL,
    model text NOT NULL,
    family text,
    note text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    attributes jsonb,
    CONSTRAINT equivalents_attributes_check CHECK (((jsonb_typeof(attributes) = 'object'::text) AND (attributes <> '{}'::jsonb)))
);
ALTER TABLE ONLY search.equivalents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN search.equivalents.model IS 'Empty: any machine of that maker.';
COMMENT ON COLUMN search.equivalents.attributes IS 'What the machine is worth, as the attributes of products.';
ALTER TABLE ONLY search.equivalents ADD CONSTRAINT equivalents_pkey PRIMARY KEY (tenant, maker, model);
CREATE TRIGGER note_delete AFTER DELETE ON search.equivalents REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('maker', 'model');
CREATE TRIGGER note_insert AFTER INSERT ON search.equivalents REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('maker', 'model');
CREATE TRIGGER note_update AFTER UPDATE ON search.equivalents REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('maker', 'model');
ALTER TABLE ONLY search.equivalents ADD CONSTRAINT equivalents_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE search.equivalents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON search.equivalents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE search.equivalents TO quarry_read;
GRANT SELECT ON TABLE search.equivalents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.equivalents TO quarry_ingest;
GRANT SELECT ON TABLE search.equivalents TO quarry_approve;

-- search.families

CREATE TABLE search.families (
    tenant text NOT NULL,
    family text NOT NULL,
    name text,
    words text[] DEFAULT '{}'::text[] NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT families_family_check CHECK ((family ~ '^[a-z][a-z0-9_]{0,39}$'::text))
);
ALTER TABLE ONLY search.families FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN search.families.words IS 'What a request calls it, in any language; read as words of the vocabulary are.';
ALTER TABLE ONLY search.families ADD CONSTRAINT families_pkey PRIMARY KEY (tenant, family);
CREATE TRIGGER note_delete AFTER DELETE ON search.families REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('family');
CREATE TRIGGER note_insert AFTER INSERT ON search.families REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('family');
CREATE TRIGGER note_update AFTER UPDATE ON search.families REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('family');
ALTER TABLE ONLY search.families ADD CONSTRAINT families_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE search.families ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON search.families USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE search.families TO quarry_read;
GRANT SELECT ON TABLE search.families TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.families TO quarry_ingest;
GRANT SELECT ON TABLE search.families TO quarry_approve;

-- search.legal_forms

CREATE TABLE search.legal_forms (
    form text NOT NULL,
    leads boolean DEFAULT false NOT NULL,
    joined boolean DEFAULT false NOT NULL
);
COMMENT ON COLUMN search.legal_forms.form IS 'As search.value_key folds it without points; a regular expression.';
COMMENT ON COLUMN search.legal_forms.leads IS 'Whether it stands in front of names too.';
COMMENT ON COLUMN search.legal_forms.joined IS 'Whether no blank need part it from the name.';
ALTER TABLE ONLY search.legal_forms ADD CONSTRAINT legal_forms_pkey PRIMARY KEY (form);
GRANT SELECT ON TABLE search.legal_forms TO quarry_read;
GRANT SELECT ON TABLE search.legal_forms TO quarry_write;
GRANT SELECT ON TABLE search.legal_forms TO quarry_approve;
GRANT SELECT ON TABLE search.legal_forms TO quarry_ingest;

-- search.units

CREATE TABLE search.units (
    tenant text NOT NULL,
    symbol text NOT NULL,
    spellings text[] DEFAULT '{}'::text[] NOT NULL,
    dimension text NOT NULL,
    factor double precision NOT NULL,
    "offset" double precision DEFAULT 0 NOT NULL,
    reference text DEFAULT ''::text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT units_dimension_check CHECK ((dimension <> ''::text)),
    CONSTRAINT units_factor_check CHECK (((factor <> (0)::double precision) AND (abs(factor) < 'Infinity'::double precision))),
    CONSTRAINT units_offset_check CHECK ((abs("offset") < 'Infinity'::double precision)),
    CONSTRAINT units_reference_check CHECK ((reference = ANY (ARRAY[''::text, 'gauge'::text, 'absolute'::text, 'vacuum'::text, 'standard'::text, 'actual'::text]))),
    CONSTRAINT units_symbol_check CHECK ((symbol <> ''::text))
);
ALTER TABLE ONLY search.units FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN search.units.factor IS 'A figure v of the unit is v * factor + offset in the base unit of its dimension.';
ALTER TABLE ONLY search.units ADD CONSTRAINT units_pkey PRIMARY KEY (tenant, symbol);
CREATE TRIGGER note_delete AFTER DELETE ON search.units REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('symbol');
CREATE TRIGGER note_insert AFTER INSERT ON search.units REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('symbol');
CREATE TRIGGER note_update AFTER UPDATE ON search.units REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('symbol');
ALTER TABLE ONLY search.units ADD CONSTRAINT units_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
CREATE POLICY tenant_isolation ON search.units USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE search.units ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE search.units TO quarry_read;
GRANT SELECT ON TABLE search.units TO quarry_write;
GRANT SELECT ON TABLE search.units TO quarry_approve;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.units TO quarry_ingest;

-- search.vocabulary

CREATE TABLE search.vocabulary (
    tenant text NOT NULL,
    term text NOT NULL,
    language text,
    attribute text NOT NULL,
    value text NOT NULL,
    family text,
    note text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY search.vocabulary FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN search.vocabulary.language IS 'Whose endings the term takes; NULL: it is read only as it is written.';
COMMENT ON COLUMN search.vocabulary.family IS 'When set, the term means this only where that family is asked for.';
ALTER TABLE ONLY search.vocabulary ADD CONSTRAINT vocabulary_pkey PRIMARY KEY (tenant, term, attribute, value);
CREATE TRIGGER note_delete AFTER DELETE ON search.vocabulary REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('term', 'attribute', 'value');
CREATE TRIGGER note_insert AFTER INSERT ON search.vocabulary REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('term', 'attribute', 'value');
CREATE TRIGGER note_update AFTER UPDATE ON search.vocabulary REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('term', 'attribute', 'value');
ALTER TABLE ONLY search.vocabulary ADD CONSTRAINT vocabulary_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
CREATE POLICY tenant_isolation ON search.vocabulary USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE search.vocabulary ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE search.vocabulary TO quarry_read;
GRANT SELECT ON TABLE search.vocabulary TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.vocabulary TO quarry_ingest;
GRANT SELECT ON TABLE search.vocabulary TO quarry_approve;

-- stories

CREATE SCHEMA stories;
GRANT USAGE ON SCHEMA stories TO quarry_read;
GRANT USAGE ON SCHEMA stories TO quarry_write;
GRANT USAGE ON SCHEMA stories TO quarry_ingest;

-- stories.count_code_assets()

CREATE FUNCTION stories.count_code_assets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE stories.code_assets a
    SET doc_frequency = a.doc_frequency + CASE TG_OP WHEN 'INSERT' THEN c.stories ELSE -c.stories END
    FROM (SELECT asset_id, count(*)::integer AS stories FROM changed GROUP BY asset_id) c
    WHERE a.id = c.asset_id;
    DELETE FROM stories.code_assets a WHERE a.doc_frequency = 0 AND a.id IN (SELECT asset_id FROM changed);
    RETURN NULL;
END $$;

-- stories.count_entities()

CREATE FUNCTION stories.count_entities() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE stories.entities e
    SET doc_frequency = e.doc_frequency + CASE TG_OP WHEN 'INSERT' THEN c.stories ELSE -c.stories END
    FROM (SELECT entity_id, count(*)::integer AS stories FROM changed GROUP BY entity_id) c
    WHERE e.id = c.entity_id;
    DELETE FROM stories.entities e WHERE e.doc_frequency = 0 AND e.id IN (SELECT entity_id FROM changed);
    RETURN NULL;
END $$;

-- stories.link()

CREATE FUNCTION stories.link() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM search.lock_corpus('stories.user_stories');
    -- Before the inserts, because a tag that nothing carries any more is removed.
    DELETE FROM stories.story_entities j USING new_rows n, stories.entities e
    WHERE j.story_id = n.id AND e.id = j.entity_id AND e.slug <> ALL (n.entity_slugs);
    DELETE FROM stories.story_code_assets j USING new_rows n, stories.code_assets a
    WHERE j.story_id = n.id AND a.id = j.asset_id AND a.path <> ALL (n.code_paths);
    INSERT INTO stories.entities (tenant, slug)
    SELECT DISTINCT n.tenant, s.slug FROM new_rows n CROSS JOIN unnest(n.entity_slugs) AS s (slug)
    ON CONFLICT (tenant, slug) DO NOTHING;
    INSERT INTO stories.code_assets (tenant, path)
    SELECT DISTINCT n.tenant, p.path FROM new_rows n CROSS JOIN unnest(n.code_paths) AS p (path)
    ON CONFLICT (tenant, path) DO NOTHING;
    INSERT INTO stories.story_entities (tenant, story_id, entity_id)
    SELECT n.tenant, n.id, e.id
    FROM new_rows n JOIN stories.entities e ON e.tenant = n.tenant AND e.slug = ANY (n.entity_slugs)
    ON CONFLICT DO NOTHING;
    INSERT INTO stories.story_code_assets (tenant, story_id, asset_id)
    SELECT n.tenant, n.id, a.id
    FROM new_rows n JOIN stories.code_assets a ON a.tenant = n.tenant AND a.path = ANY (n.code_paths)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- stories.story_document(stories.user_stories)

CREATE FUNCTION stories.story_document(s stories.user_stories) RETURNS search.document
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT ROW(
        s.title,
        concat_ws(', ', replace(s.section_key, '-', ' '), replace(array_to_string(s.entity_slugs, ', '), '-', ' ')),
        s.narrative)::search.document
$$;

-- stories.code_assets

CREATE TABLE stories.code_assets (
    id bigint NOT NULL,
    tenant text NOT NULL,
    path text NOT NULL,
    stem text GENERATED ALWAYS AS (lower(regexp_replace(regexp_replace(path, '^.*/'::text, ''::text), '(?<=.)\..*$'::text, ''::text))) STORED NOT NULL,
    doc_frequency integer DEFAULT 0 NOT NULL,
    CONSTRAINT code_assets_doc_frequency_check CHECK ((doc_frequency >= 0))
);
ALTER TABLE ONLY stories.code_assets FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.code_assets.stem IS 'File name without folder and extensions: imports leave both out.';
ALTER TABLE stories.code_assets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME stories.code_assets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY stories.code_assets ADD CONSTRAINT code_assets_id_tenant_key UNIQUE (id, tenant);
ALTER TABLE ONLY stories.code_assets ADD CONSTRAINT code_assets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY stories.code_assets ADD CONSTRAINT code_assets_tenant_path_key UNIQUE (tenant, path);
CREATE INDEX code_assets_stem ON stories.code_assets USING btree (tenant, stem);
ALTER TABLE ONLY stories.code_assets ADD CONSTRAINT code_assets_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE stories.code_assets ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON stories.code_assets USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE stories.code_assets TO quarry_read;
GRANT SELECT ON TABLE stories.code_assets TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.code_assets TO quarry_ingest;

-- stories.entities

CREATE TABLE stories.entities (
    id bigint NOT NULL,
    tenant text NOT NULL,
    slug text NOT NULL,
    doc_frequency integer DEFAULT 0 NOT NULL,
    CONSTRAINT entities_doc_frequency_check CHECK ((doc_frequency >= 0))
);
ALTER TABLE ONLY stories.entities FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.entities.doc_frequency IS 'Stories that carry it: a hub has many, and says little about any one.';
ALTER TABLE stories.entities ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME stories.entities_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY stories.entities ADD CONSTRAINT entities_id_tenant_key UNIQUE (id, tenant);
ALTER TABLE ONLY stories.entities ADD CONSTRAINT entities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY stories.entities ADD CONSTRAINT entities_tenant_slug_key UNIQUE (tenant, slug);
ALTER TABLE ONLY stories.entities ADD CONSTRAINT entities_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE stories.entities ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON stories.entities USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE stories.entities TO quarry_read;
GRANT SELECT ON TABLE stories.entities TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.entities TO quarry_ingest;

-- stories.sections

CREATE TABLE stories.sections (
    id bigint NOT NULL,
    tenant text NOT NULL,
    section_key text NOT NULL,
    title text NOT NULL
);
ALTER TABLE ONLY stories.sections FORCE ROW LEVEL SECURITY;
ALTER TABLE stories.sections ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME stories.sections_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY stories.sections ADD CONSTRAINT sections_pkey PRIMARY KEY (id);
ALTER TABLE ONLY stories.sections ADD CONSTRAINT sections_tenant_section_key_key UNIQUE (tenant, section_key);
CREATE TRIGGER note_delete AFTER DELETE ON stories.sections REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('section_key');
CREATE TRIGGER note_insert AFTER INSERT ON stories.sections REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('section_key');
CREATE TRIGGER note_update AFTER UPDATE ON stories.sections REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('section_key');
ALTER TABLE ONLY stories.sections ADD CONSTRAINT sections_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE stories.sections ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON stories.sections USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE stories.sections TO quarry_read;
GRANT SELECT ON TABLE stories.sections TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.sections TO quarry_ingest;

-- stories.story_code_assets

CREATE TABLE stories.story_code_assets (
    tenant text NOT NULL,
    story_id bigint NOT NULL,
    asset_id bigint NOT NULL
);
ALTER TABLE ONLY stories.story_code_assets FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stories.story_code_assets ADD CONSTRAINT story_code_assets_pkey PRIMARY KEY (story_id, asset_id, tenant);
CREATE INDEX story_code_assets_asset ON stories.story_code_assets USING btree (asset_id);
CREATE TRIGGER count_delete AFTER DELETE ON stories.story_code_assets REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION stories.count_code_assets();
CREATE TRIGGER count_insert AFTER INSERT ON stories.story_code_assets REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION stories.count_code_assets();
ALTER TABLE ONLY stories.story_code_assets ADD CONSTRAINT story_code_assets_tenant_asset_id_fkey FOREIGN KEY (tenant, asset_id) REFERENCES stories.code_assets(tenant, id);
ALTER TABLE ONLY stories.story_code_assets ADD CONSTRAINT story_code_assets_tenant_story_id_fkey FOREIGN KEY (tenant, story_id) REFERENCES stories.user_stories(tenant, id) ON DELETE CASCADE;
ALTER TABLE stories.story_code_assets ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON stories.story_code_assets USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE stories.story_code_assets TO quarry_read;
GRANT SELECT ON TABLE stories.story_code_assets TO quarry_write;
GRANT SELECT,INSERT,DELETE ON TABLE stories.story_code_assets TO quarry_ingest;

-- stories.story_entities

CREATE TABLE stories.story_entities (
    tenant text NOT NULL,
    story_id bigint NOT NULL,
    entity_id bigint NOT NULL
);
ALTER TABLE ONLY stories.story_entities FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stories.story_entities ADD CONSTRAINT story_entities_pkey PRIMARY KEY (story_id, entity_id, tenant);
CREATE INDEX story_entities_entity ON stories.story_entities USING btree (entity_id);
CREATE TRIGGER count_delete AFTER DELETE ON stories.story_entities REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION stories.count_entities();
CREATE TRIGGER count_insert AFTER INSERT ON stories.story_entities REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION stories.count_entities();
ALTER TABLE ONLY stories.story_entities ADD CONSTRAINT story_entities_tenant_entity_id_fkey FOREIGN KEY (tenant, entity_id) REFERENCES stories.entities(tenant, id);
ALTER TABLE ONLY stories.story_entities ADD CONSTRAINT story_entities_tenant_story_id_fkey FOREIGN KEY (tenant, story_id) REFERENCES stories.user_stories(tenant, id) ON DELETE CASCADE;
ALTER TABLE stories.story_entities ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON stories.story_entities USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
GRANT SELECT ON TABLE stories.story_entities TO quarry_read;
GRANT SELECT ON TABLE stories.story_entities TO quarry_write;
GRANT SELECT,INSERT,DELETE ON TABLE stories.story_entities TO quarry_ingest;

-- stories.user_stories

CREATE TABLE stories.user_stories (
    id bigint NOT NULL,
    tenant text NOT NULL,
    story_key text NOT NULL,
    section_key text NOT NULL,
    title text NOT NULL,
    narrative text NOT NULL,
    actor text NOT NULL,
    status text NOT NULL,
    entity_slugs text[] DEFAULT '{}'::text[] NOT NULL,
    code_paths text[] DEFAULT '{}'::text[] NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY stories.user_stories FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.user_stories.entity_slugs IS 'As ingested, normalised; triggers keep the graph tables in step.';
ALTER TABLE stories.user_stories ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME stories.user_stories_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY stories.user_stories ADD CONSTRAINT user_stories_id_tenant_key UNIQUE (id, tenant);
ALTER TABLE ONLY stories.user_stories ADD CONSTRAINT user_stories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY stories.user_stories ADD CONSTRAINT user_stories_tenant_story_key_key UNIQUE (tenant, story_key);
CREATE INDEX user_stories_section ON stories.user_stories USING btree (tenant, section_key);
CREATE TRIGGER link_insert AFTER INSERT ON stories.user_stories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION stories.link();
CREATE TRIGGER link_update AFTER UPDATE ON stories.user_stories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION stories.link();
CREATE TRIGGER note_delete AFTER DELETE ON stories.user_stories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_insert AFTER INSERT ON stories.user_stories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON stories.user_stories REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER search_delete AFTER DELETE ON stories.user_stories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_delete();
CREATE TRIGGER search_insert AFTER INSERT ON stories.user_stories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_insert();
CREATE TRIGGER search_update AFTER UPDATE ON stories.user_stories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION search.on_update();
ALTER TABLE ONLY stories.user_stories ADD CONSTRAINT user_stories_tenant_fkey FOREIGN KEY (tenant) REFERENCES quarry.tenants(tenant);
ALTER TABLE ONLY stories.user_stories ADD CONSTRAINT user_stories_tenant_section_key_fkey FOREIGN KEY (tenant, section_key) REFERENCES stories.sections(tenant, section_key);
CREATE POLICY tenant_isolation ON stories.user_stories USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories TO quarry_ingest;

-- stories.user_stories_blocks

CREATE TABLE stories.user_stories_blocks (
    first bigint NOT NULL,
    tid integer NOT NULL,
    layer smallint NOT NULL,
    tenant text NOT NULL,
    docs integer[] NOT NULL,
    weights integer[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY stories.user_stories_blocks ALTER COLUMN tid SET (n_distinct=100);
ALTER TABLE ONLY stories.user_stories_blocks ALTER COLUMN docs SET STORAGE PLAIN;
ALTER TABLE ONLY stories.user_stories_blocks ALTER COLUMN weights SET STORAGE PLAIN;
ALTER TABLE ONLY stories.user_stories_blocks FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.user_stories_blocks.first IS 'The lowest document of the block; all of them have its bits above the 31st.';
COMMENT ON COLUMN stories.user_stories_blocks.docs IS 'The lowest 31 bits of each document, in order.';
COMMENT ON COLUMN stories.user_stories_blocks.weights IS 'By search.weight, parallel to docs.';
ALTER TABLE ONLY stories.user_stories_blocks ADD CONSTRAINT user_stories_blocks_pkey PRIMARY KEY (tid, layer, first);
CREATE POLICY tenant_isolation ON stories.user_stories_blocks USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories_blocks ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories_blocks TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_blocks TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories_blocks TO quarry_ingest;

-- stories.user_stories_documents

CREATE TABLE stories.user_stories_documents (
    doc bigint NOT NULL,
    fingerprint bigint,
    length real NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    tids integer[] NOT NULL,
    tfs smallint[] NOT NULL
);
ALTER TABLE ONLY stories.user_stories_documents FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.user_stories_documents.fingerprint IS 'Equal for documents of the same words, each as often, whatever their case, order or punctuation.';
COMMENT ON COLUMN stories.user_stories_documents.tids IS 'Its terms, in order.';
COMMENT ON COLUMN stories.user_stories_documents.tfs IS 'How often it has each, in tenths.';
ALTER TABLE ONLY stories.user_stories_documents ADD CONSTRAINT user_stories_documents_pkey PRIMARY KEY (doc);
CREATE POLICY tenant_isolation ON stories.user_stories_documents USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories_documents ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories_documents TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_documents TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories_documents TO quarry_ingest;

-- stories.user_stories_pending

CREATE TABLE stories.user_stories_pending (
    tenant text NOT NULL,
    doc bigint NOT NULL,
    tids integer[],
    tfs smallint[],
    length real
);
ALTER TABLE ONLY stories.user_stories_pending FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.user_stories_pending.tids IS 'The terms by which blocks, or few, have the document, if they do.';
ALTER TABLE ONLY stories.user_stories_pending ADD CONSTRAINT user_stories_pending_pkey PRIMARY KEY (tenant, doc);
CREATE POLICY tenant_isolation ON stories.user_stories_pending USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories_pending ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories_pending TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_pending TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories_pending TO quarry_ingest;

-- stories.user_stories_postings

CREATE VIEW stories.user_stories_postings WITH (security_invoker='true') AS
 SELECT t.tenant,
    t.tid,
    p.doc,
    ((((p.weight & 16383))::numeric / 10.0))::real AS tf,
    (((((p.weight >> 14) & 262143))::numeric / 10.0))::real AS length
   FROM (stories.user_stories_terms t
     CROSS JOIN LATERAL ( SELECT m.doc,
            m.weight
           FROM ( SELECT (f.doc)::bigint AS doc,
                    f.weight
                   FROM search.of_few(t.few) f(doc, weight)
                UNION ALL
                 SELECT (((b.first >> 31) << 31) + unnest(b.docs)),
                    unnest(b.weights) AS unnest
                   FROM stories.user_stories_blocks b
                  WHERE ((b.tid = t.tid) AND (b.layer = 0) AND (b.tenant = t.tenant))) m
          WHERE (NOT (EXISTS ( SELECT
                   FROM stories.user_stories_pending x
                  WHERE ((x.tenant = t.tenant) AND (x.doc = m.doc)))))
        UNION ALL
         SELECT d.doc,
            search.weight(d.tfs[array_position(d.tids, t.tid)], d.length) AS weight
           FROM (stories.user_stories_pending x
             JOIN stories.user_stories_documents d ON ((d.doc = x.doc)))
          WHERE ((x.tenant = t.tenant) AND (t.tid = ANY (d.tids)))) p);
GRANT SELECT ON TABLE stories.user_stories_postings TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_postings TO quarry_write;
GRANT SELECT ON TABLE stories.user_stories_postings TO quarry_ingest;

-- stories.user_stories_spellings

CREATE TABLE stories.user_stories_spellings (
    spelling integer NOT NULL,
    tid integer NOT NULL,
    tenant text NOT NULL
);
ALTER TABLE ONLY stories.user_stories_spellings FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.user_stories_spellings.spelling IS 'One of search.spellings.';
ALTER TABLE ONLY stories.user_stories_spellings ADD CONSTRAINT user_stories_spellings_pkey PRIMARY KEY (spelling, tid);
CREATE POLICY tenant_isolation ON stories.user_stories_spellings USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories_spellings ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories_spellings TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_spellings TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories_spellings TO quarry_ingest;

-- stories.user_stories_terms

CREATE TABLE stories.user_stories_terms (
    df bigint NOT NULL,
    tid integer NOT NULL,
    cut smallint,
    tenant text NOT NULL,
    term text NOT NULL,
    few integer[]
)
WITH (fillfactor='80');
ALTER TABLE ONLY stories.user_stories_terms ALTER COLUMN tenant SET STATISTICS 0;
ALTER TABLE ONLY stories.user_stories_terms FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN stories.user_stories_terms.cut IS 'Of a term that had more than 512 documents once: the layer from which its postings stand once more by impact.';
COMMENT ON COLUMN stories.user_stories_terms.few IS 'By search.as_few; NULL: its postings lie in blocks.';
ALTER TABLE stories.user_stories_terms ALTER COLUMN tid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME stories.user_stories_terms_tid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY stories.user_stories_terms ADD CONSTRAINT user_stories_terms_pkey PRIMARY KEY (tid);
ALTER TABLE ONLY stories.user_stories_terms ADD CONSTRAINT user_stories_terms_tenant_term_key UNIQUE (tenant, term);
CREATE POLICY tenant_isolation ON stories.user_stories_terms USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories_terms ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories_terms TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_terms TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories_terms TO quarry_ingest;

-- stories.user_stories_totals

CREATE TABLE stories.user_stories_totals (
    tenant text NOT NULL,
    documents bigint NOT NULL,
    length double precision NOT NULL
);
ALTER TABLE ONLY stories.user_stories_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stories.user_stories_totals ADD CONSTRAINT user_stories_totals_pkey PRIMARY KEY (tenant);
CREATE POLICY tenant_isolation ON stories.user_stories_totals USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories_totals ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories_totals TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_totals TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories_totals TO quarry_ingest;

-- stories.user_stories_vectors

CREATE TABLE stories.user_stories_vectors (
    doc bigint NOT NULL,
    tenant text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec(384) NOT NULL
);
ALTER TABLE ONLY stories.user_stories_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE ONLY stories.user_stories_vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stories.user_stories_vectors ADD CONSTRAINT user_stories_vectors_pkey PRIMARY KEY (doc);
CREATE INDEX user_stories_vectors_hnsw ON stories.user_stories_vectors USING hnsw (embedding public.halfvec_cosine_ops) WITH (m='32', ef_construction='200');
CREATE INDEX user_stories_vectors_tenant_idx ON stories.user_stories_vectors USING btree (tenant);
CREATE POLICY tenant_isolation ON stories.user_stories_vectors USING ((tenant = quarry.current_tenant())) WITH CHECK ((tenant = quarry.current_tenant()));
ALTER TABLE stories.user_stories_vectors ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stories.user_stories_vectors TO quarry_read;
GRANT SELECT ON TABLE stories.user_stories_vectors TO quarry_write;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stories.user_stories_vectors TO quarry_ingest;
