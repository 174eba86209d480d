-- All versions of a product's prices, not the current ones alone: what a list had last is asked of each row of a table.

DROP INDEX cpq.price_book_entries_product;
CREATE INDEX price_book_entries_product ON cpq.price_book_entries (tenant, product_id);
