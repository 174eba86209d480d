-- The numbers of a house's quotes, where its customers are unless they say so, and the language it prints in.

ALTER TABLE quarry.house
    ADD COLUMN country text CONSTRAINT house_country_check CHECK (country ~ '^[A-Z]{2}$'),
    ADD COLUMN quote_numbers text CONSTRAINT house_quote_numbers_check CHECK (quote_numbers ~ '\{number'),
    ADD COLUMN language text CONSTRAINT house_language_check CHECK (language IN ('en', 'de', 'es', 'fr'));
COMMENT ON COLUMN quarry.house.country IS 'Of accounts that are loaded without one.';
COMMENT ON COLUMN quarry.house.quote_numbers IS 'Such as AN-{year}-{number:04}; NULL: Q-{year}-{number:04}.';
COMMENT ON COLUMN quarry.house.language IS 'What documents are printed in, where the account does not say.';

ALTER TABLE cpq.accounts
    ADD COLUMN language text CONSTRAINT accounts_language_check CHECK (language IN ('en', 'de', 'es', 'fr'));

ALTER TABLE cpq.quotes
    DROP CONSTRAINT quotes_id_check,
    ADD CONSTRAINT quotes_id_check CHECK (id ~ '^[A-Z0-9][A-Z0-9._-]{0,39}$');
COMMENT ON COLUMN cpq.counters.year IS '0 where the numbers of its kind do not name a year.';
