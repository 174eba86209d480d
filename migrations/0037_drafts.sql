-- Drafts of letters: a row for each version, which nobody changes.

CREATE TABLE cpq.drafts (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id text NOT NULL CHECK (id ~ '^D-[0-9]{4}-[0-9]{4,}$'),
    version integer NOT NULL CHECK (version >= 1),
    account_id text,
    customer text NOT NULL CHECK (customer <> ''),
    quote_ids text[] NOT NULL,
    open integer NOT NULL CHECK (open >= 0),
    content jsonb NOT NULL CHECK (jsonb_typeof(content) = 'object'),
    letter jsonb NOT NULL CHECK (jsonb_typeof(letter) = 'object'),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    PRIMARY KEY (tenant, id, version),
    FOREIGN KEY (tenant, account_id) REFERENCES cpq.accounts
);
COMMENT ON COLUMN cpq.drafts.content IS 'What was asked for: the page, items, passages, requirements, notes, by id.';
COMMENT ON COLUMN cpq.drafts.letter IS 'What it made of the rows of that moment: blocks of both copies, the sheet, what is open, findings.';
CREATE INDEX drafts_created ON cpq.drafts (tenant, created_at, id);
CREATE INDEX drafts_account ON cpq.drafts (tenant, account_id);
SELECT quarry.isolate('cpq.drafts');
GRANT SELECT ON cpq.drafts TO quarry_read, quarry_write;
GRANT INSERT (tenant, id, version, account_id, customer, quote_ids, open, content, letter, created_by) ON cpq.drafts
    TO quarry_write;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cpq.drafts
    FOR EACH STATEMENT EXECUTE FUNCTION cpq.refuse_change();
