-- The approval page writes figures and days as its house's country does, and amounts are called as its currency is.

GRANT SELECT (country, currency) ON quarry.house TO quarry_approve;
