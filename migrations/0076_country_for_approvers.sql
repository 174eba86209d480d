-- The approval page writes figures and days as its house's country does.

GRANT SELECT (country) ON quarry.house TO quarry_approve;
