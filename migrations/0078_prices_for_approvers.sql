-- The approval page prices a quote at the smaller discount that an approver names, and says where nobody may approve that.

GRANT SELECT ON cpq.discounts, cpq.exchange_rates, cpq.product_relationships, cpq.tax_rules TO quarry_approve;
GRANT SELECT (payment_terms) ON quarry.house TO quarry_approve;
