-- Filters on line items take what a line does not say from its catalogue row, so no index on the line's own columns
-- serves them: they cost each write and no search reads them.
DROP INDEX quotes.line_items_hp;
DROP INDEX quotes.line_items_cfm;
DROP INDEX quotes.line_items_psi;
DROP INDEX quotes.line_items_lubrication;
