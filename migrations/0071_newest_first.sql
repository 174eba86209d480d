-- Tables without words show the newest lines and quotes first: read from the end of this index where enough of these belong to the table.
CREATE INDEX past_quotes_date ON quotes.past_quotes (tenant, quote_date);
