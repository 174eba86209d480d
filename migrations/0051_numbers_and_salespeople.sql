-- Numbers of quotes as houses write them (OF/2024/017), and who looks after a customer.

ALTER TABLE cpq.quotes
    DROP CONSTRAINT quotes_id_check,
    ADD CONSTRAINT quotes_id_check CHECK (id ~ '^[A-Z0-9][A-Z0-9 ._/#+-]{0,39}$');
ALTER TABLE cpq.accounts
    ADD COLUMN salesperson text CONSTRAINT accounts_salesperson_check CHECK (salesperson <> '');
COMMENT ON COLUMN cpq.accounts.salesperson IS 'Who of the house looks after the customer.';
