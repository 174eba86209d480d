"""Search for customers: by name, domain, deal or city, or by filters, with their quotes."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.attributes.model import Attribute, Attributes
from quarry.data import database
from quarry.data.database import Connection
from quarry.needs.arguments import FilterRow, needs_of
from quarry.needs.model import BUILT_IN, Unread
from quarry.precedents.list_prices import DISCOUNTS
from quarry.retrieval import reasons
from quarry.retrieval.clauses import of_filters
from quarry.retrieval.corpus import Column, Corpus
from quarry.text import SHORTEST_PART, alike, words_of

OPEN = ["draft", "priced", "pending_approval", "approved", "sent"]
"""Statuses of a quote that may still become a sale as it is."""

QUOTES_SHOWN = 5
GROUPS_SHOWN = 40
"""Groups of goods of which an account's discounts are told."""

LINES_NAMED = 3
"""Lines by which an open quote is told from others."""

PROSPECT_SEGMENT = "prospect"
"""Every prospect gets this segment, so that whoever asks for a quote chooses neither its policy nor its prices."""

FREE = SQL("""
    SELECT c.auto_approve_pct AS free_discount_pct,
        floor(min((r ->> 'at_most')::numeric) FILTER (WHERE r ->> 'measure' = 'payment_days'))::integer
            AS free_payment_days,
        floor(min((r ->> 'at_most')::numeric) FILTER (WHERE r ->> 'measure' = 'validity_days'))::integer
            AS free_validity_days
    FROM cpq.discount_policies c LEFT JOIN jsonb_array_elements(c.rules) r ON true
    WHERE c.tenant = quarry.current_tenant() AND c.segment = {segment} GROUP BY c.auto_approve_pct
""")
"""What a quote for a segment has without approval; of a segment without a policy there is no row."""

FREE_OF_PROSPECTS = FREE.format(segment=SQL("%(segment)s"))

WON = """(SELECT {count} FROM quotes.past_quotes d
    WHERE d.tenant = {a}.tenant AND d.company_key = {a}.company_key{only})"""

# The customer of a past quote is a name, not an account.
SEARCH = SQL("""
    WITH found AS (
        SELECT a.*, CASE
            WHEN a.id = lower(%(query)s) OR a.company_key = w.company THEN 'exactly'
            WHEN strpos(search.name_key(a.name), w.company) > 0 THEN 'name'
            WHEN strpos(search.name_key(split_part(a.contact_email, '@', 2)), w.domain) > 0 THEN 'domain'
            WHEN strpos(search.name_key(a.billing_address ->> 'city'), w.name) > 0
                OR strpos(search.name_key(a.shipping_address ->> 'city'), w.name) > 0 THEN 'city'
            WHEN EXISTS (
                SELECT FROM cpq.quotes q WHERE q.tenant = a.tenant AND q.account_id = a.id
                    AND search.name_key(q.deal_id) = w.name) THEN 'deal'
            WHEN strpos(search.name_key(a.contact_name), w.name) > 0 THEN 'addressee'
            WHEN w.name IS NULL THEN 'all'
            END AS matched, {value} AS sorted_by
        FROM cpq.accounts a,
            (SELECT search.name_key(%(query)s) AS name, search.company_key(%(query)s) AS company,
                search.name_key(%(domain)s) AS domain) w
        WHERE a.tenant = quarry.current_tenant() AND {condition}),
    page AS (
        SELECT f.*, count(*) OVER () AS matches, array_position(%(order)s::text[], f.matched) AS place
        FROM found f WHERE f.matched IS NOT NULL
        ORDER BY place, {order}, NOT f.active, lower(f.name), f.id LIMIT %(limit)s OFFSET %(offset)s)
    SELECT p.matches, p.id AS account_id, p.name, p.company_key, p.matched, p.active, p.segment, p.currency,
        p.country, p.billing_address ->> 'city' AS city, p.billing_address, p.shipping_address,
        p.contact_name AS addressee, p.contact_email AS email, p.salesperson, p.payment_terms, p.discount_pct,
        p.tax_id, free.*,
        {won} AS won,
        ARRAY(
            SELECT d.discount_group || ' ' || trim_scale(d.discount_pct) || ' %%'
            FROM (SELECT p.tenant, p.id, p.segment) a CROSS JOIN LATERAL ({discounts}) d) AS discounts,
        (SELECT coalesce(jsonb_agg(to_jsonb(o) ORDER BY o.quote_id DESC), '[]') FROM (
            SELECT q.id AS quote_id, q.deal_id, cpq.status_now(v.status, v.valid_until) AS status, v.currency,
                v.total::text AS total, v.valid_until, (
                    SELECT string_agg(CASE WHEN l.quantity = 1 THEN '' ELSE l.quantity || ' × ' END || l.product_name,
                        ', ' ORDER BY l.sort_order)
                    FROM cpq.quote_lines l WHERE l.tenant = v.tenant AND l.quote_id = v.quote_id
                        AND l.version = v.version AND l.sort_order <= %(named)s) AS contents
            FROM cpq.quotes q
            JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id AND v.version = q.current_version
            WHERE q.tenant = p.tenant AND q.account_id = p.id
                AND cpq.status_now(v.status, v.valid_until) = ANY (%(open)s)
            ORDER BY q.created_at DESC LIMIT %(shown)s) o) AS open_quotes,
        ARRAY(
            SELECT q.id FROM cpq.quotes q
            JOIN cpq.quote_versions v ON v.tenant = q.tenant AND v.quote_id = q.id AND v.version = q.current_version
            WHERE q.tenant = p.tenant AND q.account_id = p.id
                AND cpq.status_now(v.status, v.valid_until) <> ALL (%(open)s)
            ORDER BY q.created_at DESC LIMIT %(shown)s) AS closed_quotes,
        ARRAY(
            SELECT d.quote_number FROM quotes.past_quotes d
            WHERE d.tenant = p.tenant AND d.company_key = p.company_key
            ORDER BY d.quote_date DESC LIMIT %(shown)s) AS past_quotes
    FROM page p LEFT JOIN LATERAL ({free}) free ON true ORDER BY p.place, {order}, NOT p.active, lower(p.name), p.id
""")


SHARE_WON = "nullif(count(*) FILTER (WHERE d.status = 'won') || ' of ' || count(*), '0 of 0')"

LISTED = SQL("SELECT DISTINCT {value}::text AS value FROM cpq.accounts a WHERE a.tenant = quarry.current_tenant()")

COMPANY_KEY = SQL("""
    SELECT coalesce((
        SELECT a.company_key FROM cpq.accounts a
        WHERE %(is_id)s AND a.tenant = quarry.current_tenant() AND a.id = lower(%(name)s)
        ), search.company_key(%(name)s)) AS key
""")

ORDER = ["exactly", "name", "domain", "city", "deal", "addressee", "all"]

CALLED = {"name": "customer", "addressee": "contact", "payment_terms": "terms", "customer_since": "date"}
"""Maps names that rows of accounts use to those under which callers ask for the attribute."""

SAID = ("customer", "contact", "city", "country", "region", "segment", "salesperson", "currency", "terms", "language")
KNOWN = Attributes(
    {
        **{name: BUILT_IN.get(name) or Attribute(name) for name in SAID},
        **{name: BUILT_IN[name] for name in ("discount_pct", "date")},
        "active": Attribute("active", kind="flag"),
        "won": Attribute("won", kind="number"),
    }
)
READ = {
    "customer": "a.name", "contact": "a.contact_name", "terms": "a.payment_terms", "date": "a.customer_since",
    "city": "a.billing_address ->> 'city'", "won": WON.format(count="count(*)", a="a", only=" AND d.status = 'won'"),
}  # fmt: skip
ACCOUNTS = Corpus(
    schema="cpq",
    table="accounts",
    columns=SQL("a.*"),
    built_in={name: Column(SQL(READ.get(name, f"a.{name}")), name) for name in KNOWN.by_name},
)
"""Customers as filters read them; their words are searched by SEARCH alone."""


def search(
    connection: Connection,
    query: str | None,
    *,
    limit: int,
    offset: int,
    filters: Sequence[FilterRow] = (),
    sort: str | None = None,
) -> tuple[int, list[DictRow], list[Unread]]:
    """Returns (number of matches, one page of them, what could not be read). Exact matches come first, then those by
    name, domain, city, deal and addressee; without a query all rows that the filters leave.
    """
    asked = _called(filters)
    needs, unread = needs_of((row for row in asked if row.attribute in KNOWN.by_name), attributes=KNOWN)
    by = (sort or "").removeprefix("-")
    column = ACCOUNTS.built_in.get(CALLED.get(by, by))
    strange = [(row.attribute, row.is_) for row in asked if row.attribute not in KNOWN.by_name]
    strange += [("sort", by)] if by and column is None else []
    why = f"customers have {', '.join(KNOWN.by_name)}"
    condition = of_filters(ACCOUNTS, needs, attributes=KNOWN)
    statement = SEARCH.format(
        value=column.sql if column else SQL("NULL::text"),
        order=SQL("sorted_by DESC NULLS LAST" if sort and sort.startswith("-") else "sorted_by NULLS LAST"),
        condition=condition.composed,
        discounts=DISCOUNTS,
        free=FREE.format(segment=SQL("p.segment")),
        won=SQL(WON.format(count=SHARE_WON, a="p", only="")),
    )
    rows = connection.execute(
        statement,
        {
            **condition.parameters,
            "query": query,
            "domain": domain_of(query) if query else None,
            "order": ORDER,
            "open": OPEN,
            "shown": QUOTES_SHOWN,
            "named": LINES_NAMED,
            "limit": limit,
            "offset": offset,
        },
    ).fetchall()
    for row in rows:
        more = len(row["discounts"]) - GROUPS_SHOWN
        row["discounts"][GROUPS_SHOWN:] = [f"and {more} groups more"] if more > 0 else []
    return (rows[0]["matches"] if rows else 0), rows, [*unread, *(Unread(name, said, why) for name, said in strange)]


def _called(filters: Sequence[FilterRow]) -> list[FilterRow]:
    return [FilterRow(attribute=CALLED.get(row.attribute, row.attribute), is_=row.is_) for row in filters]


def nobody_has(connection: Connection, filters: Sequence[FilterRow], *, tenant: str) -> list[str]:
    """Tells of each text that filters ask for and that no account has, with the nearest ones there are."""
    needs, _ = needs_of((row for row in _called(filters) if row.attribute in KNOWN.by_name), attributes=KNOWN)
    listed = {}
    for need in (one for one in needs if one.attribute.kind == "text"):
        rows = connection.execute(LISTED.format(value=ACCOUNTS.built_in[need.name].sql)).fetchall()
        listed[need.name] = frozenset(row["value"] for row in rows if row["value"])
    return [*reasons.nobody_has(needs, replace(KNOWN, listed=listed), tenant=tenant)]


def free_of_prospects(connection: Connection) -> DictRow:
    """Returns what a quote for a company without an account has without approval; nothing without a policy for it."""
    return next(iter(connection.execute(FREE_OF_PROSPECTS, {"segment": PROSPECT_SEGMENT})), {})


def company_key(tenant: str, name: str | None, *, is_id: bool = False) -> str | None:
    """Returns the key that all names of one company share in rows; None where nothing is left of the name, which may
    be the id of an account, too, where ``is_id`` says so.
    """
    return database.fetch(tenant, COMPANY_KEY, {"name": name, "is_id": is_id})[0]["key"] if name else None


def names_near(
    name: str, known: Iterable[str], *, most: int = 3, key: Callable[[str], str] = str.casefold
) -> list[str]:
    """Returns known names that share the rarest word with a name, if few have it, then those that are spelt alike."""
    names = list(known)
    words = {each: set(words_of(each)) for each in names}
    count = Counter(word for each in words.values() for word in each)
    shared = [word for word in words_of(name) if count[word] and len(word) >= SHORTEST_PART]
    rarest = min(shared, key=count.__getitem__, default="")
    sharing = [each for each in names if rarest in words[each]] if count[rarest] <= most else []
    return list(dict.fromkeys([*sharing, *alike(name, names, most=most, key=key)]))[:most]


def domain_of(query: str) -> str:
    """Returns the domain in a web or mail address; another text without a slash is returned as it is."""
    host = query.rpartition("@")[2].partition("://")[2] or query.rpartition("@")[2]
    return host.partition("/")[0].removeprefix("www.")
