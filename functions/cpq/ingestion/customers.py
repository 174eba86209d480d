"""Customers: accounts and what is known of them, the discount policies of their segments, and who approves."""

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Self

from psycopg.sql import SQL
from pydantic import BaseModel, ConfigDict, Field, model_validator

from cpq.ingestion.cells import (
    AccountId,
    ApproverId,
    Country,
    Currency,
    Email,
    Key,
    Listed,
    Name,
    Pct,
    PolicyId,
    ProductId,
    Structure,
)
from quarry.ingestion import Kind, Row


class Address(BaseModel):
    """A postal address; documents print its parts in this order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lines: list[Name] = Field(min_length=1, max_length=5)
    city: Name
    region: Name | None = None
    postal_code: Annotated[str, Field(min_length=1, max_length=30)] | None = None
    country: Country


class AccountRow(Row):
    id: AccountId
    name: Name
    segment: Key
    currency: Currency
    country: Country
    region: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    billing_address: Annotated[Address, Structure] | None = None
    shipping_address: Annotated[Address, Structure] | None = None
    contact_name: Name | None = None
    contact_email: Email | None = None
    tax_id: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    tax_exempt: bool = False
    customer_since: date | None = None
    owned_products: Annotated[list[ProductId], Listed] = Field(default_factory=list, max_length=1000)
    invoices_paid: int | None = Field(default=None, ge=0)
    invoices_paid_on_time: int | None = Field(default=None, ge=0)
    competitor_discount_pct: Pct | None = None
    active: bool = True

    @model_validator(mode="after")
    def paid_on_time_is_part_of_paid(self) -> Self:
        if (self.invoices_paid_on_time or 0) > (self.invoices_paid or 0):
            raise ValueError("invoices_paid_on_time is above invoices_paid")
        return self


FAULTY_ACCOUNTS = SQL("""
    WITH given AS (
        SELECT (e.index - 1)::integer AS index, e.value ->> 'segment' AS segment, e.value ->> 'currency' AS currency
        FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index))
    SELECT g.index, format('segment: %%L has no discount policy; ingest discount_policies first', g.segment) AS reason
    FROM given g
    WHERE NOT EXISTS (SELECT FROM cpq.discount_policies p WHERE p.tenant = %(tenant)s AND p.segment = g.segment)
    UNION ALL
    SELECT g.index, format('currency: ISO 4217 has no %%L', g.currency)
    FROM given g WHERE NOT EXISTS (SELECT FROM cpq.currencies c WHERE c.currency = g.currency)
""")

UPSERT_ACCOUNTS = SQL("""
    INSERT INTO cpq.accounts AS t (
        tenant, id, name, segment, currency, country, region, billing_address, shipping_address, contact_name,
        contact_email, tax_id, tax_exempt, customer_since, owned_products, invoices_paid, invoices_paid_on_time,
        competitor_discount_pct, active)
    SELECT %(tenant)s, r.id, r.name, r.segment, r.currency, r.country, r.region, nullif(r.billing_address, 'null'),
        nullif(r.shipping_address, 'null'), r.contact_name, r.contact_email, r.tax_id, r.tax_exempt,
        r.customer_since, r.owned_products, r.invoices_paid, r.invoices_paid_on_time, r.competitor_discount_pct,
        r.active
    FROM jsonb_to_recordset(%(rows)s) AS r (
        id text, name text, segment text, currency text, country text, region text, billing_address jsonb,
        shipping_address jsonb, contact_name text, contact_email text, tax_id text, tax_exempt boolean,
        customer_since date, owned_products text[], invoices_paid integer, invoices_paid_on_time integer,
        competitor_discount_pct numeric, active boolean)
    ON CONFLICT (tenant, id) DO UPDATE SET
        name = excluded.name, segment = excluded.segment, currency = excluded.currency, country = excluded.country,
        region = excluded.region, billing_address = excluded.billing_address,
        shipping_address = excluded.shipping_address, contact_name = excluded.contact_name,
        contact_email = excluded.contact_email, tax_id = excluded.tax_id, tax_exempt = excluded.tax_exempt,
        customer_since = excluded.customer_since, owned_products = excluded.owned_products,
        invoices_paid = excluded.invoices_paid, invoices_paid_on_time = excluded.invoices_paid_on_time,
        competitor_discount_pct = excluded.competitor_discount_pct, active = excluded.active, updated_at = now()
    WHERE (t.name, t.segment, t.currency, t.country, t.region, t.billing_address, t.shipping_address,
           t.contact_name, t.contact_email, t.tax_id, t.tax_exempt, t.customer_since, t.owned_products,
           t.invoices_paid, t.invoices_paid_on_time, t.competitor_discount_pct, t.active)
        IS DISTINCT FROM
          (excluded.name, excluded.segment, excluded.currency, excluded.country, excluded.region,
           excluded.billing_address, excluded.shipping_address, excluded.contact_name, excluded.contact_email,
           excluded.tax_id, excluded.tax_exempt, excluded.customer_since, excluded.owned_products,
           excluded.invoices_paid, excluded.invoices_paid_on_time, excluded.competitor_discount_pct, excluded.active)
    RETURNING (t.xmax = 0) AS inserted
""")

ACCOUNTS = Kind(name="accounts", row=AccountRow, key=("id",), upsert=UPSERT_ACCOUNTS, missing=FAULTY_ACCOUNTS)


class BandRow(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    max_pct: Pct
    approver_role: Key


class DiscountPolicyRow(Row):
    """A segment's policy: up to ``auto_approve_pct`` nobody is asked; above ``hard_max_pct`` nobody can approve."""

    id: PolicyId
    name: Name
    segment: Key
    segment_name: Name
    auto_approve_pct: Pct
    bands: Annotated[list[BandRow], Structure] = Field(default_factory=list, max_length=20)
    hard_max_pct: Pct
    escalation_chain: Annotated[list[Key], Listed] = Field(default_factory=list, max_length=20)
    approval_ttl_hours: int = Field(default=4, ge=1, le=8760)

    @model_validator(mode="after")
    def bands_rise_from_cap_to_maximum(self) -> Self:
        steps = [self.auto_approve_pct, *(band.max_pct for band in self.bands)]
        if any(lower >= upper for lower, upper in pairwise(steps)):
            raise ValueError("bands have to rise, above auto_approve_pct")
        top: Decimal = steps[-1]
        if top != self.hard_max_pct:
            raise ValueError(f"the highest band ends at {top}, hard_max_pct is {self.hard_max_pct}")
        if strangers := [
            band.approver_role for band in self.bands if band.approver_role not in self.escalation_chain
        ]:
            raise ValueError(f"escalation_chain lacks {', '.join(strangers)}")
        return self


class ApproverRow(Row):
    id: ApproverId
    role: Key
    name: Name
    email: Email
    slack_user_id: Annotated[str, Field(pattern=r"^[A-Z0-9]{3,30}$")] | None = None
    active: bool = True


# One policy per segment: a second would break the constraint and with it the whole chunk.
SECOND_POLICIES = SQL("""
    WITH given AS (
        SELECT (e.index - 1)::integer AS index, e.value ->> 'id' AS id, e.value ->> 'segment' AS segment
        FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index))
    SELECT g.index, format('segment: %%L has another policy already', g.segment) AS reason
    FROM given g
    WHERE EXISTS (
            SELECT FROM cpq.discount_policies p
            WHERE p.tenant = %(tenant)s AND p.segment = g.segment AND p.id <> g.id)
       OR EXISTS (SELECT FROM given o WHERE o.segment = g.segment AND o.id <> g.id AND o.index < g.index)
""")

UPSERT_POLICIES = SQL("""
    INSERT INTO cpq.discount_policies AS t (
        tenant, id, name, segment, segment_name, auto_approve_pct, bands, hard_max_pct, escalation_chain,
        approval_ttl_hours)
    SELECT %(tenant)s, r.id, r.name, r.segment, r.segment_name, r.auto_approve_pct, r.bands, r.hard_max_pct,
        r.escalation_chain, r.approval_ttl_hours
    FROM jsonb_to_recordset(%(rows)s) AS r (
        id text, name text, segment text, segment_name text, auto_approve_pct numeric, bands jsonb,
        hard_max_pct numeric, escalation_chain text[], approval_ttl_hours integer)
    ON CONFLICT (tenant, id) DO UPDATE SET
        name = excluded.name, segment = excluded.segment, segment_name = excluded.segment_name,
        auto_approve_pct = excluded.auto_approve_pct, bands = excluded.bands, hard_max_pct = excluded.hard_max_pct,
        escalation_chain = excluded.escalation_chain, approval_ttl_hours = excluded.approval_ttl_hours,
        updated_at = now()
    WHERE (t.name, t.segment, t.segment_name, t.auto_approve_pct, t.bands, t.hard_max_pct, t.escalation_chain,
           t.approval_ttl_hours)
        IS DISTINCT FROM
          (excluded.name, excluded.segment, excluded.segment_name, excluded.auto_approve_pct, excluded.bands,
           excluded.hard_max_pct, excluded.escalation_chain, excluded.approval_ttl_hours)
    RETURNING (t.xmax = 0) AS inserted
""")

UPSERT_APPROVERS = SQL("""
    INSERT INTO cpq.approvers AS t (tenant, id, role, name, email, slack_user_id, active)
    SELECT %(tenant)s, r.id, r.role, r.name, r.email, r.slack_user_id, r.active
    FROM jsonb_to_recordset(%(rows)s) AS r (
        id text, role text, name text, email text, slack_user_id text, active boolean)
    ON CONFLICT (tenant, id) DO UPDATE SET
        role = excluded.role, name = excluded.name, email = excluded.email, slack_user_id = excluded.slack_user_id,
        active = excluded.active, updated_at = now()
    WHERE (t.role, t.name, t.email, t.slack_user_id, t.active)
        IS DISTINCT FROM (excluded.role, excluded.name, excluded.email, excluded.slack_user_id, excluded.active)
    RETURNING (t.xmax = 0) AS inserted
""")

DISCOUNT_POLICIES = Kind(
    name="discount_policies",
    row=DiscountPolicyRow,
    key=("id",),
    upsert=UPSERT_POLICIES,
    missing=SECOND_POLICIES,
)
APPROVERS = Kind(name="approvers", row=ApproverRow, key=("id",), upsert=UPSERT_APPROVERS)
