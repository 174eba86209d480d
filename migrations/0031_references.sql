-- A customer is named to another one only where its quote says that it may be.
ALTER TABLE quotes.past_quotes ADD COLUMN reference boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN quotes.past_quotes.reference IS 'True: other customers may be told that this customer bought this.';
CREATE INDEX past_quotes_reference_idx ON quotes.past_quotes (tenant, quote_date DESC) WHERE reference;
