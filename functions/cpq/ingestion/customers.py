"""The house, with what quotes say where nobody says otherwise, its customers and their discounts."""

from datetime import date
from typing import Annotated, Literal, Self

from psycopg.sql import SQL
from pydantic import BaseModel, ConfigDict, Field, model_validator

from cpq.house import NumberPattern
from cpq.ingestion.cells import AccountId, Country, Email, Name, ProductId, Structure, absent, unknown_currency
from cpq.model import BillingFrequency, Key, Language, Pct
from cpq.payment import PaymentTerms
from quarry.attributes.units import System as Units
from quarry.ingestion import FIRST_FIVE, Kind, Listed, Row, of_the_house
from quarry.money import Currency

Fact = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
Said = Annotated[str, Field(min_length=1, max_length=1000)]


class HouseRow(Row):
    id: Literal["house"] = "house"
    currency: Currency | None = None
    billing_frequency: BillingFrequency | None = None
    payment_terms: PaymentTerms | None = None
    units: Units | None = None
    country: Country | None = None
    language: Language | None = None
    quote_numbers: NumberPattern | None = None
    facts: Annotated[dict[Fact, Said] | None, Structure] = Field(default=None, max_length=40)

    @model_validator(mode="after")
    def says_something(self) -> Self:
        if not self.model_dump(exclude={"id"}, exclude_none=True):
            raise ValueError(f"say at least one of {', '.join(list(HouseRow.model_fields)[1:])}")
        return self


HOUSE = Kind(
    name="house",
    row=HouseRow,
    key=("id",),
    table="quarry.house",
    missing=unknown_currency("currency"),
    replaceable=False,
)


class Address(BaseModel):
    """A postal address; documents print its parts in this order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lines: list[Name] = Field(default_factory=list, max_length=5, description="Street and what stands above it.")
    city: Name
    region: Name | None = None
    postal_code: Annotated[str, Field(min_length=1, max_length=30)] | None = None
    country: Country


class AccountRow(Row):
    id: AccountId
    name: Name
    segment: Key
    currency: Currency | None = None
    country: Country | None = None
    region: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    billing_address: Annotated[Address, Structure] | None = None
    shipping_address: Annotated[Address, Structure] | None = None
    contact_name: Name | None = None
    contact_email: Email | None = None
    salesperson: Name | None = Field(default=None, description="Who of the house looks after the customer.")
    tax_id: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    tax_exempt: bool = False
    customer_since: date | None = None
    owned_products: Annotated[list[ProductId], Listed] = Field(default_factory=list, max_length=1000)
    invoices_paid: int | None = Field(default=None, ge=0)
    invoices_paid_on_time: int | None = Field(default=None, ge=0)
    discount_pct: Pct | None = Field(default=None, description="The customer's own, off lines that have none.")
    competitor_discount_pct: Pct | None = None
    billing_frequency: BillingFrequency | None = None
    payment_terms: PaymentTerms | None = None
    delivery_terms: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    language: Language | None = None
    active: bool = True

    @model_validator(mode="after")
    def paid_on_time_is_part_of_paid(self) -> Self:
        if (self.invoices_paid_on_time or 0) > (self.invoices_paid or 0):
            raise ValueError("invoices_paid_on_time is above invoices_paid")
        return self


FAULTY_ACCOUNTS = SQL("""
    WITH given AS (
        SELECT (e.index - 1)::integer AS index, e.value ->> 'segment' AS segment,
            coalesce(e.value ->> 'currency', h.currency) AS currency,
            coalesce(e.value ->> 'country', h.country) AS country
        FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
        LEFT JOIN quarry.house h ON h.tenant = %(tenant)s)
    SELECT g.index, format(
        'segment: %%L has no discount policy%%s. Map it to one that has; a policy is made by make setup, or make '
        'ingest KIND=discount_policies, at the house',
        g.segment, (SELECT ', only ' || string_agg(p.segment, ', ' ORDER BY p.segment)
                    FROM cpq.discount_policies p WHERE p.tenant = %(tenant)s)) AS reason
    FROM given g
    WHERE NOT EXISTS (SELECT FROM cpq.discount_policies p WHERE p.tenant = %(tenant)s AND p.segment = g.segment)
    UNION ALL
    SELECT g.index, format(
        '%%s: neither the row nor the house says one; add a column, say SET="%%s=%%s", or run make setup',
        unsaid.name, unsaid.name, unsaid.example)
    FROM given g
    CROSS JOIN LATERAL (
        SELECT 'currency' AS name, 'EUR' AS example WHERE g.currency IS NULL
        UNION ALL SELECT 'country', 'DE' WHERE g.country IS NULL) unsaid
""")

# Prospects are left out: they came with a quote and from no file.
STORED_ACCOUNTS = SQL("""
    SELECT to_jsonb(t) AS content FROM cpq.accounts t WHERE t.tenant = %(tenant)s AND NOT t.prospect ORDER BY t.id
""")

# Past quotes are a customer's by its name. Two tax ids are two companies; a closed account is in nobody's way.
SAME_CUSTOMER = SQL("""
    SELECT format('%%s customers are several accounts, each with all past quotes of that name: %%s. Close all but '
        'one (active), where they are one', count(*), {first_five}) AS told
    FROM (SELECT string_agg(a.id || ' ' || a.name, ' and ' ORDER BY a.id) AS shown,
              row_number() OVER (ORDER BY min(a.id)) AS place
          FROM cpq.accounts a WHERE a.tenant = %(tenant)s AND NOT a.prospect AND a.active
          GROUP BY a.company_key
          HAVING count(*) > 1 AND count(*) > count(DISTINCT nullif(a.tax_id, ''))) found
    HAVING count(*) > 0
""").format(first_five=FIRST_FIVE)

FORMER_NAMES = SQL("""
    SELECT format('past quotes of %%s customers have a former name of theirs, by which they are not found: %%s. Load '
        'past_quotes with quote_number and customer alone to give them the new one', count(*), {first_five}) AS told
    FROM (SELECT format('%%s %%s, %%s of %%s', a.id, a.name, count(DISTINCT q.id), min(q.customer)) AS shown,
              row_number() OVER (ORDER BY a.id) AS place
          FROM quarry.ingest_changes c JOIN cpq.accounts a ON a.tenant = c.tenant AND a.id = c.key ->> 'id'
          JOIN quotes.past_quotes q ON q.tenant = c.tenant AND q.company_key = c.before ->> 'company_key'
          WHERE c.tenant = %(tenant)s AND c.relation = 'cpq.accounts' AND NOT EXISTS (
              SELECT FROM cpq.accounts o WHERE o.tenant = q.tenant AND o.company_key = q.company_key)
          GROUP BY a.id, a.name) found
    HAVING count(*) > 0
""").format(first_five=FIRST_FIVE)

# As cpq.pricing.books.is_told_from has it.
UNTAXED_REGIONS = SQL("""
    SELECT format('%%s customers in %%s are in regions that no tax rule is for (they have %%s), so theirs is that '
        'of the whole country, or none: %%s. If a rule is meant, write the region alike in accounts and tax_rules',
        count(DISTINCT a.id), a.country, r.regions, left(string_agg(DISTINCT a.region, ', '), 300)) AS told
    FROM (SELECT country, string_agg(DISTINCT region, ', ') AS regions, array_agg(search.value_key(region)) AS keys,
              bool_or(region ~ '^[A-Z0-9]{1,3}$') AS have_codes
          FROM cpq.tax_rules WHERE tenant = %(tenant)s AND region <> '' GROUP BY country) r
    JOIN cpq.accounts a ON a.tenant = %(tenant)s AND a.country = r.country AND NOT a.tax_exempt AND a.region <> ''
        AND search.value_key(a.region) <> ALL (r.keys) AND NOT (r.have_codes AND a.region ~ '^[A-Z0-9]{1,3}$')
    GROUP BY a.country, r.regions
""")

ACCOUNTS = Kind(
    name="accounts",
    row=AccountRow,
    key=("id",),
    table="cpq.accounts",
    partly=True,
    values={
        "currency": of_the_house("currency"),
        "country": of_the_house("country"),
        "prospect": SQL("false"),
    },
    stored=STORED_ACCOUNTS,
    doubts=SQL(" UNION ALL ").join([SAME_CUSTOMER, FORMER_NAMES, UNTAXED_REGIONS]),
    missing=FAULTY_ACCOUNTS + SQL(" UNION ALL ") + unknown_currency("currency"),
)


class DiscountRow(Row):
    """What a customer, or each customer of a segment, has off goods of a group: one row for each."""

    # Empty and never null, for both are part of the key.
    account_id: AccountId | Literal[""] = ""
    segment: Key | Literal[""] = ""
    discount_group: Key = Field(description="That of the product for sale, else its category.")
    discount_pct: Pct
    valid_from: date = Field(default=date(1900, 1, 1), description="Of rows that hold on a day the newest counts.")
    valid_to: date | None = None

    @model_validator(mode="after")
    def is_somebodys_for_a_day(self) -> Self:
        if bool(self.account_id) == bool(self.segment):
            raise ValueError("say whose discount it is: account_id, or segment for each of its customers")
        if self.valid_to and self.valid_to < self.valid_from:
            raise ValueError("valid_to is before valid_from")
        return self


# Discounts may be loaded before the goods, or their group be misspelt.
IDLE_DISCOUNTS = SQL("""
    SELECT format('no product for sale has the discount_group, or the category, %%s: such discounts come off nothing',
        string_agg(g.discount_group, ', ' ORDER BY g.discount_group) FILTER (WHERE g.place <= 20)
        || CASE WHEN count(*) > 20 THEN ' …' ELSE '' END) AS told
    FROM (SELECT d.discount_group, row_number() OVER (ORDER BY d.discount_group) AS place FROM cpq.discounts d
          WHERE d.tenant = %(tenant)s AND d.discount_group NOT IN (
              SELECT coalesce(p.discount_group, p.category) FROM cpq.products p WHERE p.tenant = %(tenant)s)
          GROUP BY d.discount_group) g
    HAVING count(*) > 0
""")

DISCOUNTS = Kind(
    name="discounts",
    row=DiscountRow,
    key=("account_id", "segment", "discount_group", "valid_from"),
    table="cpq.discounts",
    primary_key=("account_id", "segment", "discount_group", "valid_from"),
    missing=absent("account_id", among="accounts", reason="account_id: no account %%L; ingest accounts first")
    + SQL(" UNION ALL ")
    + absent(
        "segment",
        among="discount_policies",
        by=("segment",),
        reason="segment: %%L has no discount policy; map it to one that has, as of accounts",
    ),
    doubts=IDLE_DISCOUNTS,
)
