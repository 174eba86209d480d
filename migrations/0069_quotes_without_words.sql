-- Few programs export a quote's project or a summary: where nobody wrote one, the quote is told by its lines.
ALTER TABLE quotes.past_quotes ALTER COLUMN project DROP NOT NULL, ALTER COLUMN summary DROP NOT NULL;

CREATE OR REPLACE FUNCTION quotes.past_quote_story(q quotes.past_quotes) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT concat_ws(E'\n', concat_ws(', ', q.customer, q.industry, q.status), q.project, q.price_rationale,
        coalesce(q.summary, q.contents))
$$;
