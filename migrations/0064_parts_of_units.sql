-- What is sold by length, weight or time is quoted in parts: 12.75 m, 2.5 h.
ALTER TABLE cpq.quote_lines
    DROP CONSTRAINT quote_lines_quantity_check,
    ALTER COLUMN quantity TYPE numeric,
    ADD CONSTRAINT quote_lines_quantity_check CHECK (quantity > 0 AND quantity = round(quantity, 3));
