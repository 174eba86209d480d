-- A price may be per a word in any script; which letters are small ones the row's model says.
ALTER TABLE cpq.price_book_entries DROP CONSTRAINT price_book_entries_unit_check;
ALTER TABLE cpq.price_book_entries ADD CONSTRAINT price_book_entries_unit_check
    CHECK (unit ~ '^per_[^_A-Z0-9[:space:]]{1,30}(_per_(month|year))?$');
