-- What a product is called in other languages, for letters to those who read them.
ALTER TABLE cpq.products
    ADD COLUMN names jsonb CONSTRAINT products_names_check CHECK (jsonb_typeof(names) = 'object');
COMMENT ON COLUMN cpq.products.names IS 'By language, as {"de": "Inbetriebnahme"}; name is what it is called elsewhere.';
