"""Who may touch what in cpq: tenants see only their own rows, tools cannot write what binds them."""

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from cpq import quote_create, quote_price
from tests.deployment import Deployment, as_tenant, invoke

SHARED = {"currencies"}
WRITTEN_BY_TOOLS = {
    "counters", "quotes", "quote_versions", "quote_lines", "pricing_traces", "approval_requests", "approval_links",
    "approval_notices", "approval_questions", "audit", "documents", "drafts", "idempotency_keys", "accounts",
}  # fmt: skip
TABLES = SQL("""
    SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS isolated,
        has_table_privilege(c.oid, 'SELECT') AS readable,
        has_any_column_privilege(c.oid, 'INSERT, UPDATE')
            OR has_table_privilege(c.oid, 'DELETE, TRUNCATE') AS writable
    FROM pg_class c WHERE c.relnamespace = 'cpq'::regnamespace AND c.relkind = 'r'
""")
COUNT = SQL("SELECT count(*) AS rows FROM cpq.{}")


@pytest.fixture(scope="module", autouse=True)
def rows(deployment: Deployment) -> None:
    event = {"account_id": "acct_acme_001", "line_items": [{"product_id": "prod_onboarding", "quantity": 1}]}
    with deployment.serving("quarry_write"):
        quote = invoke(quote_create.handler, {**event, "idempotency_key": "k"})["quote"]
        assert "error" not in invoke(quote_price.handler, {"quote_id": quote["id"]})


def tables(deployment: Deployment, *, role: str, having: str) -> set[str]:
    with deployment.connect(role) as connection:
        return {row["name"] for row in connection.execute(TABLES) if row[having]}


def filled(deployment: Deployment, *, role: str, tenant: str) -> set[str]:
    """Tables in which the tenant's transaction sees a row."""
    found = set()
    for name in tables(deployment, role=role, having="readable") - SHARED:
        with deployment.connect(role) as connection, as_tenant(connection, tenant):
            if connection.execute(COUNT.format(Identifier(name))).fetchone() != {"rows": 0}:
                found.add(name)
    return found


def test_every_table_is_isolated_but_the_list_of_currencies(deployment: Deployment) -> None:
    with deployment.connect("quarry_read") as connection:
        assert {row["name"] for row in connection.execute(TABLES) if not row["isolated"]} == SHARED


@pytest.mark.parametrize("role", ["quarry_read", "quarry_write", "quarry_ingest"])
def test_another_tenant_sees_no_row_of_any_table(deployment: Deployment, role: str) -> None:
    assert len(filled(deployment, role=role, tenant="acme")) >= 8
    assert filled(deployment, role=role, tenant="rival") == set()


def test_a_row_for_another_tenant_is_refused(deployment: Deployment) -> None:
    insert = "INSERT INTO cpq.counters (tenant, kind, year, last) VALUES ('rival', 'Q', 2026, 1)"
    with (
        deployment.connect("quarry_write") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        as_tenant(connection, "acme"),
    ):
        connection.execute(insert)


def test_tools_write_quotes_and_prospects_but_no_price_policy_or_approver(deployment: Deployment) -> None:
    assert tables(deployment, role="quarry_write", having="writable") == WRITTEN_BY_TOOLS


def test_readers_write_nothing(deployment: Deployment) -> None:
    assert tables(deployment, role="quarry_read", having="writable") == set()


@pytest.mark.parametrize(
    "statement", ["DELETE FROM cpq.{}", "UPDATE cpq.{} SET tenant = 'x'", "TRUNCATE cpq.{} CASCADE"]
)
@pytest.mark.parametrize("table", ["audit", "pricing_traces"])
def test_the_record_cannot_be_rewritten_even_by_a_superuser(
    deployment: Deployment, table: str, statement: str
) -> None:
    with (
        psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"),
    ):
        connection.execute(statement.format(table).encode())
