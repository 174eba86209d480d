"""Customer accounts as tools return them, prospects that a new quote adds, and the account meant by an unknown id."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Literal

from psycopg.sql import SQL
from pydantic import Field

from cpq.addresses import one_line
from cpq.model import PLAIN, Percent, Problem, Status
from cpq.pricing.books import REGION_CODE, is_told_from
from quarry.data.database import Connection
from quarry.money import Money
from quarry.precedents import accounts
from quarry.text import slug
from quarry.tool.contract import Args, OpaquePart, Part
from quarry.tool.questions import InputRequired, Round, filled, form

NAMES = SQL("SELECT name FROM cpq.accounts WHERE tenant = quarry.current_tenant() ORDER BY id LIMIT 5000")

WITHOUT_ACCOUNT = SQL("""
    SELECT d.customer FROM quotes.past_quotes d
    WHERE d.tenant = quarry.current_tenant()
        AND strpos(search.name_key(d.customer), (SELECT search.company_key(%(query)s))) > 0
    GROUP BY d.customer ORDER BY max(d.quote_date) DESC LIMIT 5
""")

CALLED = SQL("""
    SELECT id, active FROM cpq.accounts
    WHERE tenant = quarry.current_tenant() AND company_key = (SELECT search.company_key(%(name)s))
    ORDER BY active DESC, id LIMIT 2
""")

ADDRESSEE = SQL("""
    SELECT contact_name AS name, contact_email AS email, billing_address, shipping_address, country FROM cpq.accounts
    WHERE tenant = quarry.current_tenant() AND id = %(account_id)s
""")

ACCOUNT_ID = re.compile(r"acct_[a-z0-9_]{1,90}\Z")

ENTERED = SQL("""
    SELECT name, country, region, contact_name, tax_exempt, currency, prospect
    FROM cpq.accounts WHERE tenant = quarry.current_tenant() AND id = %(id)s
""")
TAXED_REGIONS = SQL("""
    SELECT DISTINCT region FROM cpq.tax_rules
    WHERE tenant = quarry.current_tenant() AND country = %(country)s AND region IS NOT NULL ORDER BY region
""")
ENTER_PROSPECT = SQL("""
    INSERT INTO cpq.accounts (
        tenant, id, name, segment, currency, country, region, contact_name, tax_exempt, prospect)
    SELECT p.tenant, %(id)s, %(name)s, p.segment, c.currency, %(country)s, %(region)s, %(contact_name)s,
        %(tax_exempt)s, true
    FROM cpq.discount_policies p, cpq.currencies c
    WHERE p.tenant = quarry.current_tenant() AND p.segment = %(segment)s AND c.currency = %(currency)s
    ON CONFLICT DO NOTHING RETURNING id
""")


# A past customer without an account is known from past quotes alone, which name no country: the house's is taken.
PAST_CUSTOMER = SQL("""
    SELECT q.customer AS name, h.country,
        (SELECT c.contact FROM quotes.past_quotes c WHERE c.tenant = q.tenant AND c.company_key = q.company_key
            AND c.contact <> '' ORDER BY c.quote_date DESC, c.id DESC LIMIT 1) AS contact_name
    FROM quotes.past_quotes q LEFT JOIN quarry.house h ON h.tenant = q.tenant
    WHERE q.tenant = quarry.current_tenant() AND q.status = 'won'
        AND q.company_key = (SELECT search.company_key(%(name)s)) AND NOT EXISTS (
            SELECT FROM cpq.accounts a WHERE a.tenant = q.tenant AND a.company_key = q.company_key)
    ORDER BY q.quote_date DESC, q.id DESC LIMIT 1
""")


class OpenQuote(OpaquePart):
    quote_id: str = Field(description="Quote.")
    deal_id: str | None = Field(description="Deal.")
    status: Status = Field(description="Of the newest version.")
    currency: str = Field(description="ISO 4217 code.")
    total: Money | None = Field(description="With tax; null until priced.")
    valid_until: date = Field(description="Last day.")


class FoundAccount(Part):
    account_id: str = Field(description="For quote_create.")
    name: str = Field(description="Customer.")
    matched: Literal["exactly", "name", "domain", "city", "deal", "addressee", "all"] = Field(
        description="What the query is of."
    )
    active: bool = Field(description="False: closed, no new quotes.")
    segment: str = Field(description="Decides policy and price books.")
    currency: str = Field(description="Usual one.")
    country: str = Field(description="ISO 3166 code.")
    city: str | None = Field(description="Of the billing address.")
    addressee: str | None = Field(description="Whom a quote is addressed to.")
    email: str | None = Field(description="Addressee's.")
    address: str | None = Field(description="Where a letter goes.")
    ship_to: str | None = Field(description="Where goods go, if elsewhere.")
    salesperson: str | None = Field(description="Who looks after him.")
    payment_terms: str | None = Field(description="Agreed with him; null: the house's.")
    discount_pct: Percent | None = Field(description="His own, on lines without another.")
    discounts: list[str] | None = Field(default=None, description="By group of goods, before that.")
    free_discount_pct: Percent | None = Field(description="What a quote has off without approval.")
    free_payment_days: int | None = Field(default=None, description="Days to pay that need none.")
    free_validity_days: int | None = Field(default=None, description="Days that an offer may stand without.")
    tax_id: str | None = Field(description="For tax.")
    open_quotes: list[OpenQuote] = Field(description="The newest five that may still be accepted or revised.")
    closed_quotes: list[str] = Field(description="The newest five others, for quote_get.")
    won: str | None = Field(default=None, description="How many of all its past quotes: 2 of 3.")
    past_quotes: list[str] = Field(description="The newest five of the archive, for get_quote.")


def found(rows: Iterable[Mapping[str, Any]]) -> list[FoundAccount]:
    return [
        FoundAccount.model_validate({**row, "discounts": row["discounts"] or None, **_places(row)}, extra="ignore")
        for row in rows
    ]


def _places(row: Mapping[str, Any]) -> dict[str, str | None]:
    """Returns the billing and the shipping address, each on one line; ``ship_to`` is None where they are the same."""
    address, ship_to = (
        one_line(row[name], country=row["country"]) for name in ("billing_address", "shipping_address")
    )
    return {"address": address, "ship_to": ship_to if ship_to != address else None}


def nobody(connection: Connection, query: str) -> str:
    """Says that no account matches, which are nearest, and up to five past customers whose names contain it."""
    near = accounts.names_near(query, [row["name"] for row in connection.execute(NAMES)])
    past = [row["customer"] for row in connection.execute(WITHOUT_ACCOUNT, {"query": query})]
    said = f"No account matches '{query}'." + (f" Nearest: {'; '.join(near)}." if near else "")
    if past:
        said += f" In past quotes alone: {'; '.join(past)}; quote_create takes such a company as a prospect."
    return said


class Addressee(Part):
    """The person and the places that a quote is addressed to."""

    name: str | None = Field(description="Contact of the account.")
    email: str | None = Field(description="Of mail.")
    address: str | None = Field(default=None, description="Where a letter goes.")
    ship_to: str | None = Field(default=None, description="Where goods go, if elsewhere.")


def addressee(connection: Connection, *, account_id: str) -> Addressee | None:
    row = connection.execute(ADDRESSEE, {"account_id": account_id}).fetchone()
    return Addressee.model_validate({**row, **_places(row)}, extra="ignore") if row else None


class ProspectArgs(Args):
    name: Annotated[str, Field(min_length=1, max_length=300), PLAIN] = Field(description="Company.")
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$"), PLAIN] = Field(description="ISO 3166 code.")
    region: Annotated[str, Field(min_length=1, max_length=60), PLAIN] | None = Field(
        default=None, description="State."
    )
    contact_name: Annotated[str, Field(min_length=1, max_length=300), PLAIN] | None = Field(
        default=None, description="Addressee."
    )
    tax_exempt: bool = Field(default=False, description="As they say.")


def bought_before(connection: Connection, name: str) -> tuple[str, ProspectArgs] | None:
    """Returns (account id, prospect) for a company that bought before and has no account, found by its name or by the
    id made of it; None where there is no such company, or the house has no country to enter for it.
    """
    words = name.removeprefix("acct_").replace("_", " ")
    row = connection.execute(PAST_CUSTOMER, {"name": words}).fetchone()
    if row is None or row["country"] is None:
        return None
    return f"acct_{slug(row['name'])[:90]}", ProspectArgs.model_validate(row)


def enter_prospect(
    connection: Connection, prospect: ProspectArgs, *, account_id: str, currency: str
) -> list[Problem]:
    """Inserts the prospect as an account that nobody has checked, or returns why it cannot. An account that holds
    just this prospect already is no problem.
    """
    if not ACCOUNT_ID.match(account_id):
        message = "Choose an id for the prospect like acct_new_customer: acct_, then a-z, 0-9 and _."
        return [Problem(code="INVALID", path="account_id", message=message)]
    known = connection.execute(ENTERED, {"id": account_id}).fetchone()
    if known is not None and {**prospect.model_dump(), "currency": currency, "prospect": True} == known:
        return []
    if known is not None:
        message = f"{account_id} is {known['name']} already: leave prospect out, or choose another id."
        return [Problem(code="EXISTS", path="account_id", message=message)]
    if same := connection.execute(CALLED, {"name": prospect.name}).fetchone():
        message = f"{prospect.name} is {same['id']} already" + (
            ": give that account_id and leave prospect out."
            if same["active"]
            else ", which is closed: no quotes until an administrator opens it again."
        )
        message += " Another company of this name needs what tells it apart in its name, such as its city."
        return [Problem(code="EXISTS" if same["active"] else "INACTIVE", path="prospect.name", message=message)]
    if prospect.region and not REGION_CODE.fullmatch(prospect.region):
        taxed = [row["region"] for row in connection.execute(TAXED_REGIONS, {"country": prospect.country})]
        if not is_told_from(prospect.region, taxed):
            found, wanted = ", ".join(taxed), f"'{prospect.region}', {prospect.country}"
            message = f"No tax rule is for {wanted}. Give its code (they have {found})."
            return [Problem(code="INVALID", path="prospect.region", message=message)]
    named = {**prospect.model_dump(), "id": account_id, "segment": accounts.PROSPECT_SEGMENT, "currency": currency}
    if connection.execute(ENTER_PROSPECT, named).fetchone() is None:
        message = (
            f"No prospect can be quoted in {currency} yet: ISO 4217 has to list it, and an administrator to load a "
            f"discount policy for the segment {accounts.PROSPECT_SEGMENT}."
        )
        return [Problem(code="NO_POLICY", path="prospect", message=message)]
    return []


MOST_TO_CHOOSE_FROM = 8


def account_meant(connection: Connection, account_id: str, *, round_: Round) -> str:
    """Resolves an unknown id: to the only account with that name, else to the one that the client's user chooses.
    Where neither decides, the id stays as it is. Raises InputRequired to ask the user.
    """
    called = [row["id"] for row in connection.execute(CALLED, {"name": account_id}) if row["active"]]
    if len(called) == 1 or not round_.forms:
        return called[0] if len(called) == 1 else account_id
    _, rows, _ = accounts.search(connection, account_id, limit=MOST_TO_CHOOSE_FROM, offset=0)
    choices = {str(row["account_id"]): row for row in rows if row["active"]}
    if not choices:
        return account_id
    if (answer := round_.answers.get("account_id")) is not None:
        chosen = (filled(answer) or {}).get("account_id")
        return chosen if chosen in choices else account_id
    options = [
        {"const": each, "title": ", ".join(filter(None, (row["name"], row["city"], row["country"])))}
        for each, row in choices.items()
    ]
    field = {"type": "string", "title": "Customer", "oneOf": options}
    message = f"There is no account '{account_id}'. Which customer is the quote for?"
    schema = {"type": "object", "properties": {"account_id": field}, "required": ["account_id"]}
    raise InputRequired({"account_id": form(message, schema)})
