-- A load tells past quotes that have the number of another customer's quote.

GRANT SELECT (tenant, id, account_id) ON cpq.quotes TO quarry_ingest;
