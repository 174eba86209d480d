"""References: customers whom a quote to another may name, because a won quote of theirs says that it may be told."""

from collections.abc import Collection, Sequence

from psycopg.rows import DictRow
from psycopg.sql import SQL

# Of a customer the quote counts that is nearest to what is asked for: the same industry, the same kind of thing.
REFERENCES = SQL("""
    SELECT r.customer, r.company_key, r.industry, r.quote_date, r.near FROM (
        SELECT DISTINCT ON (q.company_key) q.customer, q.company_key, q.industry, q.quote_date, q.near FROM (
            SELECT d.customer, d.company_key, d.industry, d.quote_date,
                coalesce(d.industry = ANY (%(industries)s::text[]), false)::integer * 2 + EXISTS (
                    SELECT FROM quotes.line_items l WHERE l.tenant = d.tenant AND l.quote_id = d.id
                        AND NOT l.optional AND l.family = ANY (%(families)s::text[]))::integer AS near
            FROM quotes.past_quotes d
            WHERE d.tenant = quarry.current_tenant() AND d.reference AND d.status = 'won'
                AND (%(currency)s::text IS NULL OR d.currency = %(currency)s::text)) q
        ORDER BY q.company_key, q.near DESC, q.quote_date DESC) r
    ORDER BY r.near DESC, r.quote_date DESC LIMIT %(most)s
""")

MOST = 500
"""Of a house; more are no references."""


def parameters(
    *,
    industries: Collection[str] = (),
    families: Collection[str] = (),
    currency: str | None = None,
    most: int = MOST,
) -> dict[str, object]:
    """``currency`` leaves out customers abroad, who tell somebody here little."""
    return {"industries": list(industries), "families": list(families), "currency": currency, "most": most}


def told(row: DictRow) -> str:
    """As a letter may say it, such as "Groeb Farms (food), 2022": who, what for and when, and no more."""
    industry = f" ({row['industry']})" if row["industry"] else ""
    return f"{row['customer']}{industry}, {row['quote_date'].year}"


OF_THE_TRADE = 2
"""What the query's ``near`` has at least for a customer of the industry that is asked for."""


def fitting(rows: Sequence[DictRow], *, own: str | None) -> list[str]:
    """Those of the industry that is asked for, never the customer itself, whose key is ``own``; none where the
    industry is not known, since a brewery says nothing to a shipyard.
    """
    return [told(row) for row in rows if row["near"] >= OF_THE_TRADE and (own is None or row["company_key"] != own)]
