-- No call says how far it is or is told that its client went away: a run of `ask` ends by its own clock, and a client that
-- waits hears that it is running.
DROP TABLE quarry.call_progress;
DROP TABLE quarry.cancelled_calls;

-- Mistyped words are no longer mended in the catalogue, so that the words of all products stand nowhere by themselves.
CREATE OR REPLACE FUNCTION cpq.index_words(tenant text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM cpq.product_words w WHERE w.tenant = index_words.tenant AND w.product_id = ANY (ids);
    WITH parts AS (
        SELECT p.id, part.content, part.weight
        FROM cpq.products p CROSS JOIN LATERAL (VALUES
            (concat_ws(' / ', p.name, p.sku, p.model), 4),
            (concat_ws(' / ', replace(p.category, '_', ' '), p.manufacturer), 2),
            (p.description, 1)) AS part (content, weight)
        WHERE p.tenant = index_words.tenant AND p.id = ANY (ids)),
    lexemes AS (
        SELECT parts.id, unnest(tsvector_to_array(to_tsvector('english', search.normalise(content)))) AS word, weight
        FROM parts)
    INSERT INTO cpq.product_words (tenant, word, product_id, weight)
    SELECT index_words.tenant, l.word, l.id, max(l.weight) FROM lexemes l GROUP BY l.word, l.id ORDER BY l.word, l.id;
END $$;
DROP TABLE cpq.words;
