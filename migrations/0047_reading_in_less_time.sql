-- All versions of a product's prices, not the current ones alone: what a list had last is asked of each row of a table.

DROP INDEX cpq.price_book_entries_product;
CREATE INDEX price_book_entries_product ON cpq.price_book_entries (tenant, product_id);

-- The same keys as before, and NULL of NULL without STRICT, under which Postgres puts no CASE in place of its call. A text
-- of ASCII alone, as most are, needs a regular expression where blanks meet only: a filter on a word of each line takes
-- this of every line that the other filters leave.
CREATE OR REPLACE FUNCTION search.value_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN octet_length(value) = length(value) THEN
        CASE WHEN translate(value, E'\t\n\x0b\f\r\x1c\x1d\x1e\x1f_-/', repeat(' ', 12)) LIKE '%  %'
            THEN btrim(regexp_replace(
                lower(translate(value, E'\t\n\x0b\f\r\x1c\x1d\x1e\x1f_-/', repeat(' ', 12))), ' {2,}', ' ', 'g'))
            ELSE btrim(lower(translate(value, E'\t\n\x0b\f\r\x1c\x1d\x1e\x1f_-/', repeat(' ', 12)))) END
    ELSE btrim(regexp_replace(
        lower(normalize(regexp_replace(
            normalize(
                replace(replace(replace(replace(translate(lower(value), 'łøđħıðς', 'lodhidσ'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ß', 'ss'),
                NFKD),
            '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g'), NFKC)),
        '[\s\u001c-\u001f\u0085\u00a0\u2028\u2029_\-\u2010\u2011\u2013\u2014/]+', ' ', 'g')) END;
