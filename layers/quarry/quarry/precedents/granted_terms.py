"""SQL of the terms that the house granted: to a customer, and mostly to those who pay in a currency."""

from psycopg.sql import SQL

# The customer's own newest terms, and the commonest of the currency.
GRANTED = SQL("""
    (SELECT true AS own, d.terms, d.quote_number AS newest, 1 AS quotes, 1 AS of_quotes FROM quotes.past_quotes d
    WHERE d.tenant = quarry.current_tenant() AND d.customer = ANY (%(customers)s::text[]) AND d.terms <> ''
    ORDER BY d.quote_date DESC LIMIT 1)
    UNION ALL
    (SELECT false, d.terms, (array_agg(d.quote_number ORDER BY d.quote_date DESC))[1], count(*),
        sum(count(*)) OVER () FROM quotes.past_quotes d
    WHERE d.tenant = quarry.current_tenant() AND d.currency = %(currency)s::text AND d.terms <> ''
    GROUP BY d.terms ORDER BY count(*) DESC, max(d.quote_date) DESC LIMIT 1)
""")
