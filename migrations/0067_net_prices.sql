-- A net price takes no part of any discount: what was agreed with a customer, freight, a surcharge or a fee.
ALTER TABLE cpq.price_book_entries ADD COLUMN net boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cpq.price_book_entries.net IS 'Only a discount that is typed on the very line is taken off it.';
