"""What a quote says where the call does not: from its account, else from the house, and from no constant."""

from dataclasses import dataclass

from psycopg.sql import SQL

from quarry.data.database import Connection

# The one currency of all price books leaves no choice.
DEFAULTS = SQL("""
    SELECT coalesce(a.currency, h.currency, b.currency) AS currency,
        coalesce(a.billing_frequency, h.billing_frequency) AS billing_frequency,
        coalesce(a.payment_terms, h.payment_terms) AS payment_terms
    FROM (SELECT CASE WHEN count(DISTINCT p.currency) = 1 THEN min(p.currency) END AS currency
          FROM cpq.price_books p WHERE p.tenant = quarry.current_tenant() AND p.active) b
    LEFT JOIN quarry.house h ON h.tenant = quarry.current_tenant()
    LEFT JOIN cpq.accounts a ON a.tenant = quarry.current_tenant() AND a.id = %(account_id)s
""")


@dataclass(frozen=True, slots=True)
class Defaults:
    """None where neither account nor house says it."""

    currency: str | None
    billing_frequency: str | None
    payment_terms: str | None


def defaults(connection: Connection, *, account_id: str | None = None) -> Defaults:
    row = connection.execute(DEFAULTS, {"account_id": account_id}).fetchone()
    return Defaults(**row) if row else Defaults(None, None, None)


def currency_of_list(connection: Connection, asked: str | None) -> str | None:
    """The currency in which the catalogue is shown; None where nobody says one."""
    return asked or defaults(connection).currency
