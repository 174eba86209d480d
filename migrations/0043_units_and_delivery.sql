-- An attribute may count the machines that a row already is, and an account may have a term of delivery of its own.
ALTER TABLE search.attributes
    DROP CONSTRAINT attributes_adds_check,
    ADD CONSTRAINT attributes_adds_check CHECK (adds IN ('sum', 'same', 'decibels', 'units'));
COMMENT ON COLUMN search.attributes.adds IS
    'What several machines have together: the sum, what one has, or the level of all sources; units: how many one is.';
ALTER TABLE cpq.accounts
    ADD COLUMN delivery_terms text CONSTRAINT accounts_delivery_terms_check CHECK (delivery_terms <> '');
COMMENT ON COLUMN cpq.accounts.delivery_terms IS 'As letters say it: DAP Graz. Else the house''s fact delivery holds.';
