-- What dealers' files say of goods and lines: prices on request, what is no longer sold and what follows it, lines as they
-- were reckoned.

ALTER TABLE cpq.price_book_entries ALTER COLUMN price DROP NOT NULL,
    ADD CONSTRAINT price_book_entries_on_request_check CHECK (price IS NOT NULL OR tiers = '[]');
COMMENT ON COLUMN cpq.price_book_entries.price IS 'NULL: on request, a person names it. No other book steps in for it.';

ALTER TABLE equipment.products ADD COLUMN withdrawn boolean DEFAULT false, ADD COLUMN successor text;
COMMENT ON COLUMN equipment.products.withdrawn IS 'NULL as false: what an undo puts back may be older than the column.';
COMMENT ON COLUMN equipment.products.successor IS 'SKU or model of what takes its place.';
ALTER TABLE cpq.products ADD COLUMN successor text;
COMMENT ON COLUMN cpq.products.successor IS 'Id, SKU or model of what takes its place once it is not active.';

ALTER TABLE quotes.line_items ADD COLUMN list_price numeric, ADD COLUMN discount_pct numeric, ADD COLUMN unit text;
COMMENT ON COLUMN quotes.line_items.unit IS 'What quantity counts, as its file has it: piece, m, kg, hour.';
COMMENT ON COLUMN quotes.line_items.list_price IS 'Of one unit, before the discount.';

-- A language is a file of labels, and no list of the database.
ALTER TABLE cpq.accounts DROP CONSTRAINT accounts_language_check,
    ADD CONSTRAINT accounts_language_check CHECK (language ~ '^[a-z]{2}$');
ALTER TABLE quarry.house DROP CONSTRAINT house_language_check,
    ADD CONSTRAINT house_language_check CHECK (language ~ '^[a-z]{2}$');
