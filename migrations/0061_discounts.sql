-- Discounts as dealers have them: goods carry a group, and an account or its segment has a percentage per group.
ALTER TABLE cpq.products ADD COLUMN discount_group text CHECK (discount_group ~ '^[a-z0-9_]{1,60}$');
COMMENT ON COLUMN cpq.products.discount_group IS 'By which discounts name it; NULL: its category.';

CREATE TABLE cpq.discounts (
    tenant text NOT NULL REFERENCES quarry.tenants,
    account_id text NOT NULL DEFAULT '',
    segment text NOT NULL DEFAULT '',
    discount_group text NOT NULL CHECK (discount_group ~ '^[a-z0-9_]{1,60}$'),
    discount_pct numeric NOT NULL CHECK (discount_pct BETWEEN 0 AND 100),
    valid_from date NOT NULL DEFAULT '1900-01-01',
    valid_to date CHECK (valid_to >= valid_from),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, account_id, segment, discount_group, valid_from),
    CHECK ((account_id = '') <> (segment = ''))
);
COMMENT ON TABLE cpq.discounts IS 'What an account, or each of a segment, has off goods of a group, on lines without a discount of their own.';
COMMENT ON COLUMN cpq.discounts.account_id IS 'Empty where the row is a segment''s. An account''s row comes before its segment''s.';
COMMENT ON COLUMN cpq.discounts.valid_from IS 'Of rows that hold on a day, the newest counts.';
SELECT quarry.isolate('cpq.discounts');
GRANT SELECT ON cpq.discounts TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE ON cpq.discounts TO quarry_ingest;
CREATE TRIGGER note_insert AFTER INSERT ON cpq.discounts REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('account_id', 'segment', 'discount_group', 'valid_from');
CREATE TRIGGER note_update AFTER UPDATE ON cpq.discounts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('account_id', 'segment', 'discount_group', 'valid_from');
CREATE TRIGGER note_delete AFTER DELETE ON cpq.discounts REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION quarry.note_change('account_id', 'segment', 'discount_group', 'valid_from');

-- A file may be the whole truth of them, too.
DO $$
DECLARE
    body text := pg_get_functiondef('quarry.take_out_unnamed(bigint,jsonb)'::regprocedure);
    known text := '(''tax_rules'', ''cpq.tax_rules''))';
BEGIN
    IF strpos(body, known) = 0 THEN
        RAISE EXCEPTION 'quarry.take_out_unnamed is not as migration 0018 has it';
    END IF;
    EXECUTE replace(body, known, '(''tax_rules'', ''cpq.tax_rules''),
            (''discounts'', ''cpq.discounts''))');
END $$;
