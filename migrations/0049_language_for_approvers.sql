-- The approval page speaks the language of its house.

GRANT SELECT (tenant, language) ON quarry.house TO quarry_approve;
