"""Policies of a segment's quotes, the people who approve, and exchange rates."""

from datetime import date, time
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Self

from psycopg.sql import SQL
from pydantic import Field, model_validator

from cpq.ingestion.cells import ApproverId, Email, Name, PolicyId, Structure, taken, unknown_currency
from cpq.model import Key, Pct
from cpq.pricing.policies import Band, Routing
from cpq.pricing.rules import OF_COST, Rule
from quarry.ingestion import Kind, Listed, Row
from quarry.money import Currency


class DiscountPolicyRow(Row):
    """A segment's policy: up to ``auto_approve_pct`` nobody is asked; above ``hard_max_pct`` nobody can approve.

    ``rules`` are about all else than discounts; ``routing`` says who is asked where several roles have to approve.
    """

    id: PolicyId
    name: Name
    segment: Key
    segment_name: Name
    auto_approve_pct: Pct
    bands: Annotated[list[Band], Structure] = Field(default_factory=list, max_length=20)
    hard_max_pct: Pct
    escalation_chain: Annotated[list[Key], Listed] = Field(default_factory=list, max_length=20)
    approval_ttl_hours: int = Field(default=4, ge=1, le=8760)
    routing: Routing = "highest"
    rules: Annotated[list[Rule], Structure] = Field(default_factory=list, max_length=50)

    @model_validator(mode="after")
    def bands_rise_from_cap_to_maximum(self) -> Self:
        steps = [self.auto_approve_pct, *(band.max_pct for band in self.bands)]
        if any(lower >= upper for lower, upper in pairwise(steps)):
            raise ValueError("bands have to rise, above auto_approve_pct")
        top: Decimal = steps[-1]
        if top != self.hard_max_pct:
            raise ValueError(f"the highest band ends at {top}, hard_max_pct is {self.hard_max_pct}")
        roles = [band.approver_role for band in self.bands]
        roles += [band.approver_role for rule in self.rules for band in rule.bands]
        if strangers := [role for role in dict.fromkeys(roles) if role not in self.escalation_chain]:
            raise ValueError(f"escalation_chain lacks {', '.join(strangers)}")
        if not self.escalation_chain and any(rule.measure in OF_COST for rule in self.rules):
            raise ValueError("escalation_chain: a rule over costs needs a role that looks at it")
        return self


class ApproverRow(Row):
    id: ApproverId
    role: Key
    name: Name
    email: Email
    slack_user_id: Annotated[str, Field(pattern=r"^[A-Z0-9]{3,30}$")] | None = None
    active: bool = True
    time_zone: Annotated[str, Field(max_length=60)] | None = None
    work_days: Annotated[list[Annotated[int, Field(ge=1, le=7)]], Listed] = Field(default=[1, 2, 3, 4, 5])
    work_from: time | None = None
    work_until: time | None = None
    days_off: Annotated[list[date], Listed] = Field(default_factory=list, max_length=400)

    @model_validator(mode="after")
    def hours_have_both_ends(self) -> Self:
        if (self.work_from is None) != (self.work_until is None):
            raise ValueError("give work_from and work_until, or neither")
        if self.work_from is not None and self.work_until is not None and self.work_from >= self.work_until:
            raise ValueError("work_from has to be before work_until")
        return self


class ExchangeRateRow(Row):
    """One unit of ``from_currency`` is ``rate`` units of ``to_currency``."""

    from_currency: Currency
    to_currency: Currency
    rate: Annotated[Decimal, Field(gt=0, max_digits=24, decimal_places=12, allow_inf_nan=False)]
    as_of: date
    source: Name

    @model_validator(mode="after")
    def names_two_currencies(self) -> Self:
        if self.from_currency == self.to_currency:
            raise ValueError("a currency has no rate to itself")
        return self


UNKNOWN_CURRENCY_OF_RULES = SQL("""
    SELECT (e.index - 1)::integer, format('rules: ISO 4217 has no %%L', r.value ->> 'currency')
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index),
        jsonb_array_elements(e.value -> 'rules') AS r
    WHERE r.value ->> 'currency' IS NOT NULL
        AND NOT EXISTS (SELECT FROM cpq.currencies c WHERE c.currency = r.value ->> 'currency')
""")

UNKNOWN_TIME_ZONES = SQL("""
    SELECT (e.index - 1)::integer AS index,
           format('time_zone: %%L is none; write e.g. America/Detroit', e.value ->> 'time_zone') AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    WHERE e.value ->> 'time_zone' NOT IN (SELECT name FROM pg_timezone_names)
""")

DISCOUNT_POLICIES = Kind(
    name="discount_policies",
    row=DiscountPolicyRow,
    key=("id",),
    table="cpq.discount_policies",
    # One policy per segment.
    missing=taken("discount_policies", "segment", reason="segment: %%L has another policy already")
    + SQL(" UNION ALL ")
    + UNKNOWN_CURRENCY_OF_RULES,
)
APPROVERS = Kind(
    name="approvers",
    row=ApproverRow,
    key=("id",),
    table="cpq.approvers",
    values={"work_days": SQL("CASE WHEN r.work_from IS NOT NULL THEN r.work_days END")},
    missing=UNKNOWN_TIME_ZONES,
)

EXCHANGE_RATES = Kind(
    name="exchange_rates",
    row=ExchangeRateRow,
    key=("from_currency", "to_currency", "as_of", "source"),
    table="cpq.exchange_rates",
    primary_key=("from_currency", "to_currency", "as_of", "source"),
    missing=unknown_currency("from_currency", "to_currency"),
)
