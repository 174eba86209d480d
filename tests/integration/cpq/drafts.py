"""Drafted quotes for tests of what comes after drafting, written as quarry_write, and a look at their rows."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from cpq import quote_get
from tests.deployment import TENANT, Deployment, as_tenant, invoke

NUMBERS = count(1)

Line = tuple[str, int | Decimal] | tuple[str, int, dict[str, Any]]
"""Product, quantity, and what else the line's row holds."""

SEEDS_LINES: tuple[Line, ...] = (("prod_pro_v2", 150), ("prod_sso", 150))


def owner(quote_id: str, *, tenant: str = TENANT) -> str | None:
    """The account of a quote, None where there is no such quote: another total takes it to be named."""
    found = invoke(quote_get.handler, {"quote_id": quote_id}, tenant=tenant)
    return str(found["quote"]["account_id"]) if "quote" in found else None


def draft(
    deployment: Deployment,
    *lines: Line,
    account: str = "acct_acme_001",
    tenant: str = TENANT,
    **fields: object,
) -> str:
    """A quote of its own in the account's currency over twelve months, unless ``fields`` say otherwise."""
    quote_id = str(fields.pop("number", f"Q-2020-{next(NUMBERS):04}"))
    until = datetime.now(UTC).date() + timedelta(days=30)
    header = {"term_months": 12, "start_date": None, "valid_until": until, **fields}
    with deployment.connect("quarry_write") as connection, as_tenant(connection, tenant):
        connection.execute(
            "INSERT INTO cpq.quotes (tenant, id, account_id, created_by) VALUES (%s, %s, %s, 'agent:test')",
            [tenant, quote_id, account],
        )
        connection.execute(
            """INSERT INTO cpq.quote_versions (tenant, quote_id, version, status, account, currency, term_months,
                   start_date, billing_frequency, payment_terms, valid_until, created_by)
               SELECT tenant, %(id)s, 1, 'draft', to_jsonb(a) - 'tenant', currency, %(term_months)s, %(start_date)s,
                   'monthly', 'net_30', %(valid_until)s, 'agent:test' FROM cpq.accounts a WHERE id = %(account)s""",
            {"id": quote_id, "account": account, **header},
        )
        for place, (product, quantity, *rest) in enumerate(lines or SEEDS_LINES, 1):
            more = rest[0] if rest else {}
            connection.execute(
                """INSERT INTO cpq.quote_lines (tenant, quote_id, version, id, sort_order, product_id, sku,
                       product_name, description, quantity, attributes, discount_pct)
                   SELECT tenant, %(quote)s, 1, %(id)s, %(place)s, id, sku, name, description, %(quantity)s,
                       %(attributes)s, %(discount)s FROM cpq.products WHERE id = %(product)s""",
                {
                    "quote": quote_id,
                    "id": f"ql_{place:03}",
                    "place": place,
                    "quantity": quantity,
                    "product": product,
                    "attributes": Jsonb(more.get("attributes", {})),
                    "discount": more.get("discount_pct", 0),
                },
            )
    return quote_id


def rows(deployment: Deployment, query: str, *parameters: object, tenant: str = TENANT) -> list[DictRow]:
    """What the owner sees or, by a statement with RETURNING, does: past what binds the tools, within the tenant."""
    with deployment.connect("quarry_owner") as connection, as_tenant(connection, tenant):
        return connection.execute(query.encode(), parameters).fetchall()
