-- Who asks for a kind of goods or a maker asks the texts of a column: searches read them from one to the next, however many rows share
-- one. Once a minute a process reads the newest names. The former index of lines was read by nothing since attributes have a table of
-- their own. Some seconds for a million rows; writers wait.
CREATE INDEX products_category ON equipment.products (tenant, category) INCLUDE (id);
CREATE INDEX products_series ON equipment.products (tenant, series) WHERE series IS NOT NULL;
CREATE INDEX products_newest ON equipment.products (tenant, updated_at) INCLUDE (model, manufacturer);
DROP INDEX quotes.line_items_category;
CREATE INDEX line_items_category ON quotes.line_items (tenant, category) INCLUDE (id);
CREATE INDEX line_items_manufacturer ON quotes.line_items (tenant, manufacturer) WHERE manufacturer IS NOT NULL;
