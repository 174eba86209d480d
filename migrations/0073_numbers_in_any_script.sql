-- Numbers of quotes in the letters of the house's own script, and the number sign.
ALTER TABLE cpq.quotes
    DROP CONSTRAINT quotes_id_check,
    ADD CONSTRAINT quotes_id_check CHECK (id ~ '^[A-Z0-9\u00c0-\ufaff][A-Z0-9 ._/#+\u00c0-\ufaff-]{0,39}$');
