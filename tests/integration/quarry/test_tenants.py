"""The owner of the tables is bound by row-level security like any role; tests/integration/tenancy has the others."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.deployment import Deployment, as_tenant
from tests.sample_rows import LINES, PRODUCTS, QUOTES


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(*LINES)
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def tenant_tables(deployment: Deployment) -> list[str]:
    """Every table with a tenant column."""
    rows = deployment.rows(
        "SELECT c.table_schema || '.' || c.table_name AS name FROM information_schema.columns c"
        " WHERE c.column_name = 'tenant' AND c.table_schema IN ('quarry', 'equipment', 'quotes', 'search')"
        " ORDER BY 1"
    )
    return [row["name"] for row in rows]


def visible(deployment: Deployment, role: str, *, tenant: str | None) -> dict[str, int]:
    """Rows the role sees per tenant table that it may read, zeros left out."""
    counts = {}
    with deployment.connect(role) as connection:
        for table in tenant_tables(deployment):
            try:
                with as_tenant(connection, tenant or ""):
                    [row] = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()  # noqa: S608
            except psycopg.errors.InsufficientPrivilege:
                continue
            if row["count"]:
                counts[table] = row["count"]
    return counts


def test_the_owner_is_not_exempt_from_row_level_security(deployment: Deployment) -> None:
    [row] = deployment.rows("SELECT rolsuper, rolbypassrls, rolcreatedb FROM pg_roles WHERE rolname = 'quarry_owner'")
    assert not any(row.values())


@pytest.mark.parametrize("tenant", ["rival", None])
@pytest.mark.parametrize("role", ["quarry_read", "quarry_owner"])
def test_another_tenant_or_none_sees_no_row_at_all(deployment: Deployment, role: str, tenant: str | None) -> None:
    assert visible(deployment, role, tenant="acme")["equipment.products"] == len(PRODUCTS)
    seen = visible(deployment, role, tenant=tenant)
    assert seen == ({"quarry.tenants": 1} if role == "quarry_owner" else {})
