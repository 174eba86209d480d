-- What a customer always has off the list.

ALTER TABLE cpq.accounts ADD COLUMN discount_pct numeric CHECK (discount_pct BETWEEN 0 AND 100);
COMMENT ON COLUMN cpq.accounts.discount_pct IS 'Holds for lines of its quotes that have no discount of their own.';
