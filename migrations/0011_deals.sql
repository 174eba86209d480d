-- Policies see the whole deal; exchange rates; approval by several roles; prospects; drafts that are discarded.

ALTER TABLE cpq.discount_policies
    ADD COLUMN routing text NOT NULL DEFAULT 'highest' CHECK (routing IN ('highest', 'serial', 'parallel')),
    ADD COLUMN rules jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(rules) = 'array');
COMMENT ON COLUMN cpq.discount_policies.routing IS
    'Who is asked where several roles have to approve: the highest alone, one after the other, or all at once.';
COMMENT ON COLUMN cpq.discount_policies.rules IS
    '[{"measure": "margin_pct", "scope": "quote", "at_least": "20", "bands": [{"limit": "10", "approver_role": "vp_sales"}]}, …]: what holds beside the discount''s caps.';

CREATE TABLE cpq.exchange_rates (
    tenant text NOT NULL REFERENCES quarry.tenants,
    from_currency text NOT NULL REFERENCES cpq.currencies,
    to_currency text NOT NULL REFERENCES cpq.currencies,
    rate numeric NOT NULL CHECK (rate > 0),
    as_of date NOT NULL,
    source text NOT NULL CHECK (source <> ''),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, from_currency, to_currency, as_of, source),
    CHECK (from_currency <> to_currency)
);
COMMENT ON TABLE cpq.exchange_rates IS 'One unit of from_currency is rate units of to_currency; the newest of a day or before holds.';
SELECT quarry.isolate('cpq.exchange_rates');
GRANT SELECT ON cpq.exchange_rates TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE ON cpq.exchange_rates TO quarry_ingest;

-- A version may need several roles: one open request each. Those of a later step wait.
ALTER TABLE cpq.approval_requests DROP CONSTRAINT approval_requests_status_check;
ALTER TABLE cpq.approval_requests ADD CONSTRAINT approval_requests_status_check
    CHECK (status IN ('pending', 'waiting', 'approved', 'rejected', 'expired', 'escalated', 'void'));
DROP INDEX cpq.approval_requests_open;
CREATE UNIQUE INDEX approval_requests_open ON cpq.approval_requests (tenant, quote_id, version, approver_role)
    WHERE status IN ('pending', 'waiting');
DROP POLICY asks ON cpq.approval_requests;
CREATE POLICY asks ON cpq.approval_requests AS RESTRICTIVE FOR INSERT TO quarry_write
    WITH CHECK (status IN ('pending', 'waiting'));

-- Runs as the owner: an approver decides one request, and what follows from it for the others is not theirs to choose.
-- A step that waited gets its whole time from now on.
CREATE FUNCTION cpq.follow_decision() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
        UPDATE cpq.approval_requests r SET status = 'pending', expires_at = now() + (r.expires_at - r.created_at)
        WHERE r.tenant = NEW.tenant AND r.id = (
            SELECT w.id FROM cpq.approval_requests w
            WHERE w.tenant = NEW.tenant AND w.quote_id = NEW.quote_id AND w.version = NEW.version
                AND w.status = 'waiting'
            ORDER BY w.level, w.id LIMIT 1);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER follow_decision AFTER UPDATE OF status ON cpq.approval_requests
    FOR EACH ROW WHEN (NEW.status IN ('approved', 'rejected') AND OLD.status = 'pending')
    EXECUTE FUNCTION cpq.follow_decision();

-- Who is no customer yet can be quoted; an ingest of the account makes a customer of it.
ALTER TABLE cpq.accounts ADD COLUMN prospect boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cpq.accounts.prospect IS 'Entered with a quote, not ingested: nobody has checked what it says.';
GRANT INSERT (tenant, id, name, segment, currency, country, region, billing_address, contact_name, contact_email, prospect)
    ON cpq.accounts TO quarry_write;
CREATE POLICY prospects_only ON cpq.accounts AS RESTRICTIVE FOR INSERT TO quarry_write WITH CHECK (prospect);

-- A draft that nobody relies on.
ALTER TABLE cpq.quote_versions DROP CONSTRAINT quote_versions_status_check;
ALTER TABLE cpq.quote_versions ADD CONSTRAINT quote_versions_status_check CHECK (status IN (
    'draft', 'priced', 'pending_approval', 'approved', 'rejected', 'expired', 'sent', 'superseded', 'discarded'));
