"""What one tenant and one role can reach, asked of the database itself and through the tools."""

import hashlib
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from equipment import get_product, search_equipment
from quotes import get_quote, search_line_items, search_past_quotes
from tests.deployment import Deployment, as_tenant, invoke
from tests.sample_rows import LINES, PRODUCTS, QUOTES

NAMES_OF_ACME = {
    str(value)
    for row in (*PRODUCTS, *QUOTES, *LINES)
    for name, value in row.items()
    if name in ("model", "customer", "quote_number", "manufacturer")
}
ROLES = ("quarry_read", "quarry_write", "quarry_ingest")


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


def test_every_table_with_a_tenant_forces_row_level_security(deployment: Deployment) -> None:
    rows = deployment.rows(
        "SELECT oid::regclass::text AS name FROM pg_class WHERE relrowsecurity AND relforcerowsecurity"
        " OR 'security_invoker=true' = ANY (reloptions)"
    )
    assert set(tenant_tables(deployment)) - {row["name"] for row in rows} == {"quarry.tenants"}


@pytest.mark.parametrize("role", [*ROLES, "quarry_owner"])
def test_no_role_is_exempt_from_row_level_security(deployment: Deployment, role: str) -> None:
    [row] = deployment.rows(
        "SELECT rolsuper, rolbypassrls, rolcreatedb FROM pg_roles WHERE rolname = %(role)s", {"role": role}
    )
    assert not any(row.values())


@pytest.mark.parametrize("role", ROLES)
def test_a_role_sees_rows_of_its_tenant_only(deployment: Deployment, role: str) -> None:
    own = visible(deployment, role, tenant="acme")
    assert own["equipment.products"] == len(PRODUCTS)
    assert own["quotes.line_items_vectors"] == len(LINES)
    assert own["equipment.products_totals"] == 1


@pytest.mark.parametrize("tenant", ["rival", None])
@pytest.mark.parametrize("role", ["quarry_read", "quarry_write", "quarry_owner"])
def test_another_tenant_or_none_sees_no_row_at_all(deployment: Deployment, role: str, tenant: str | None) -> None:
    seen = visible(deployment, role, tenant=tenant)
    assert seen == ({"quarry.tenants": 1} if role == "quarry_owner" else {})


@pytest.mark.parametrize("tenant", ["rival", None])
def test_the_worker_sees_other_tenants_only_in_its_queue_and_the_cache(
    deployment: Deployment, tenant: str | None
) -> None:
    invoke(search_equipment.handler, {"query": "something to cache"})
    deployment.put_products({**PRODUCTS[0], "description": "Queued."})
    assert visible(deployment, "quarry_ingest", tenant=tenant).keys() == {
        "quarry.embedding_queue",
        "quarry.embedding_cache",
    }


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        ("quarry_read", "INSERT INTO equipment.products DEFAULT VALUES"),
        ("quarry_read", "UPDATE equipment.products SET series = 'x'"),
        ("quarry_read", "DELETE FROM quotes.past_quotes"),
        ("quarry_read", "UPDATE quarry.embedding_cache SET created_at = now()"),
        ("quarry_read", "SELECT * FROM quarry.embedding_queue"),
        ("quarry_read", "SELECT * FROM quarry.ingest_rejects"),
        ("quarry_read", "INSERT INTO quarry.tenants VALUES ('mine')"),
        ("quarry_read", "SELECT search.change_model('x', 3)"),
        ("quarry_read", "SELECT search.rebuild('equipment.products')"),
        ("quarry_read", "CREATE TABLE public.mine (n integer)"),
        ("quarry_read", "TRUNCATE equipment.products"),
        ("quarry_write", "UPDATE equipment.products SET series = 'x'"),
        ("quarry_write", "DELETE FROM quotes.line_items"),
        ("quarry_write", "SELECT search.change_model('x', 3)"),
        ("quarry_write", "SELECT * FROM quarry.ingests"),
        ("quarry_ingest", "UPDATE quarry.embedding_model SET model = 'x'"),
        ("quarry_ingest", "SELECT search.change_model('x', 3)"),
        ("quarry_ingest", "TRUNCATE quotes.line_items"),
        ("quarry_ingest", "DELETE FROM quarry.ingest_rejects"),
        ("quarry_ingest", "UPDATE quarry.migrations SET sha256 = 'x'"),
        ("quarry_ingest", "ALTER TABLE equipment.products DISABLE ROW LEVEL SECURITY"),
        ("quarry_ingest", "SET ROLE quarry_owner"),
    ],
)
def test_a_role_cannot_do_what_is_not_its_work(deployment: Deployment, role: str, statement: str) -> None:
    refused = pytest.raises(psycopg.errors.InsufficientPrivilege)
    with deployment.connect(role) as connection, refused, as_tenant(connection, "acme"):
        connection.execute(statement.encode())


def test_the_worker_cannot_write_for_another_tenant(deployment: Deployment) -> None:
    with deployment.connect("quarry_ingest") as connection:
        with as_tenant(connection, "rival"):
            assert connection.execute("UPDATE equipment.products SET series = 'x'").rowcount == 0
            assert connection.execute("DELETE FROM quotes.past_quotes").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege), as_tenant(connection, "rival"):
            connection.execute("INSERT INTO quarry.tenants VALUES ('acme2')")


def as_rival(module: Any, event: dict[str, object]) -> dict[str, Any]:
    return invoke(module.handler, event, tenant="rival")


@pytest.mark.parametrize("module", [search_equipment, search_line_items, search_past_quotes])
def test_a_rival_finds_nothing(module: Any) -> None:
    for query in ("QMB30", "100HP oilless food grade compressor", "Groeb honey packing"):
        answer = as_rival(module, {"query": query, "top_k": 50})
        assert (answer["rows"], answer["results"]) == ([], [])
        assert not [
            name
            for name in NAMES_OF_ACME
            if name.lower() in (answer.get("notice") or "").lower().replace(query.lower(), "")
        ]


def test_a_rival_is_told_no_model_no_quote_number_and_no_category() -> None:
    assert as_rival(get_product, {"model": "QMB30"})["details"] == {"nearest": []}
    assert as_rival(get_quote, {"quote_id": "Q-24-101"})["details"] == {"nearest": []}
    notice = as_rival(search_line_items, {"query": "x", "category": "CHILLER"}).get("notice") or ""
    assert all(row["category"] not in notice for row in LINES)


def test_a_cached_query_is_cached_for_its_tenant_only(deployment: Deployment) -> None:
    query = "a query only acme has asked"
    invoke(search_equipment.handler, {"query": query})
    digest = hashlib.sha256(query.encode()).digest()
    found = "SELECT tenant FROM quarry.embedding_cache WHERE text_hash = %s"
    with deployment.connect("quarry_read") as connection:
        for tenant, rows in (("acme", [{"tenant": "acme"}]), ("rival", [])):
            with as_tenant(connection, tenant):
                assert connection.execute(found, [digest]).fetchall() == rows
