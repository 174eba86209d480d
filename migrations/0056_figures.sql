-- outside a transaction
-- Bounds of filters are on the upper end of a row's range, and a figure has one that is its lower end too. With that end first, what
-- meets a bound is read and nothing else, where all figures of the attribute were. 0057 drops attribute_values_filters, which this replaces.
CREATE INDEX CONCURRENTLY IF NOT EXISTS attribute_values_figures
    ON search.attribute_values (tenant, corpus, attribute, code, high, low) INCLUDE (doc, flag);
