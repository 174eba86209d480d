-- A price that is an allowance says from what to what it may come, and so does the line of a quote that it prices.
ALTER TABLE cpq.price_book_entries
    ADD COLUMN allowance_from numeric CHECK (allowance_from >= 0),
    ADD COLUMN allowance_to numeric,
    ADD CONSTRAINT price_book_entries_allowance_check CHECK (
        (allowance_from IS NULL) = (allowance_to IS NULL) AND price BETWEEN allowance_from AND allowance_to);
COMMENT ON COLUMN cpq.price_book_entries.allowance_from IS 'With allowance_to: what the price stands for until somebody has seen the job; NULL: it is firm.';
ALTER TABLE cpq.quote_lines ADD COLUMN allowance numeric[] CHECK (cardinality(allowance) = 2);
COMMENT ON COLUMN cpq.quote_lines.allowance IS 'From what to what the unit price may come where it is an allowance; NULL: it is firm.';
