"""Prospects: who is quoted before anybody has made a customer of them."""

import re
from typing import Annotated

from psycopg.sql import SQL
from pydantic import Field

from cpq.model import PLAIN, Problem
from quarry.data.database import Connection
from quarry.tool.contract import Args

ACCOUNT_ID = re.compile(r"acct_[a-z0-9_]{1,90}\Z")

SEGMENT = "prospect"
"""The segment of all of them: whoever asks for a quote chooses neither its policy nor its prices."""

KNOWN = SQL("SELECT name FROM cpq.accounts WHERE tenant = quarry.current_tenant() AND id = %(id)s")
ENTER = SQL("""
    INSERT INTO cpq.accounts (
        tenant, id, name, segment, currency, country, region, contact_name, prospect)
    SELECT p.tenant, %(id)s, %(name)s, p.segment, c.currency, %(country)s, %(region)s, %(contact_name)s, true
    FROM cpq.discount_policies p, cpq.currencies c
    WHERE p.tenant = quarry.current_tenant() AND p.segment = %(segment)s AND c.currency = %(currency)s
    ON CONFLICT DO NOTHING RETURNING id
""")


class ProspectArgs(Args):
    name: Annotated[str, Field(min_length=1, max_length=300), PLAIN] = Field(description="Company.")
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$"), PLAIN] = Field(description="ISO 3166 code.")
    region: Annotated[str, Field(min_length=1, max_length=60), PLAIN] | None = Field(
        default=None, description="State."
    )
    contact_name: Annotated[str, Field(min_length=1, max_length=300), PLAIN] | None = Field(
        default=None, description="Addressee."
    )


def enter(connection: Connection, prospect: ProspectArgs, *, account_id: str, currency: str) -> list[Problem]:
    """Writes the prospect down as an account that nobody has checked, or says why it cannot be one."""
    if not ACCOUNT_ID.match(account_id):
        message = "Choose an id for the prospect like acct_new_customer: acct_, then a-z, 0-9 and _."
        return [Problem(code="INVALID", path="account_id", message=message)]
    if (known := connection.execute(KNOWN, {"id": account_id}).fetchone()) is not None:
        message = f"{account_id} is {known['name']} already: leave prospect out, or choose another id."
        return [Problem(code="EXISTS", path="account_id", message=message)]
    named = {**prospect.model_dump(), "id": account_id, "segment": SEGMENT, "currency": currency}
    if connection.execute(ENTER, named).fetchone() is None:
        message = (
            f"No prospect can be quoted in {currency} yet: ISO 4217 has to list it, and an administrator to load a "
            f"discount policy for the segment {SEGMENT}."
        )
        return [Problem(code="NO_POLICY", path="prospect", message=message)]
    return []
