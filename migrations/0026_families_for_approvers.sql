-- Comparable goods on the approval page are searched for with the tenant's own families, as everywhere.

GRANT SELECT ON search.families TO quarry_approve;
