-- What a quote says where nobody says otherwise comes from its account, else from the house, and from no constant.

CREATE TABLE quarry.house (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL DEFAULT 'house' CHECK (id = 'house'),
    currency text CHECK (currency ~ '^[A-Z]{3}$'),
    billing_frequency text CHECK (billing_frequency IN ('one_time', 'monthly', 'quarterly', 'annual')),
    payment_terms text CHECK (payment_terms <> ''),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE quarry.house IS 'One row for a tenant: what its quotes say where neither the call nor the account does.';
SELECT quarry.isolate('quarry.house');
GRANT SELECT ON quarry.house TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE ON quarry.house TO quarry_ingest;
CREATE TRIGGER note_insert AFTER INSERT ON quarry.house REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_update AFTER UPDATE ON quarry.house REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');
CREATE TRIGGER note_delete AFTER DELETE ON quarry.house REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('id');

ALTER TABLE cpq.accounts
    ADD COLUMN billing_frequency text CHECK (billing_frequency IN ('one_time', 'monthly', 'quarterly', 'annual')),
    ADD COLUMN payment_terms text CHECK (payment_terms <> '');
COMMENT ON COLUMN cpq.accounts.payment_terms IS 'As agreed with this customer; NULL: those of the house.';
