"""What remains of a query once it is answered: nothing of its text, and nothing at all where the tenant says so."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from highlights import get_related_chunks, resources, search_by_metadata, search_semantic
from local.ports import free_port
from tests.deployment import TENANT, Deployment, Handler, invoke
from tests.integration.highlights.library import load
from tests.provider import REFUSED, running_provider

SECRET = "xylophone-divorce"
TABLES = """
    SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
"""
CACHED = "SELECT text_hash FROM quarry.embedding_cache"
SETTING = """
    INSERT INTO quarry.tenant_settings (tenant, store_queries) VALUES (quarry.current_tenant(), %(yes)s)
    ON CONFLICT (tenant) DO UPDATE SET store_queries = excluded.store_queries
"""


@pytest.fixture(scope="module", autouse=True)
def library(deployment: Deployment) -> Iterator[None]:
    load(deployment)
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


@pytest.fixture(autouse=True)
def empty_cache(deployment: Deployment) -> None:
    deployment.rows("DELETE FROM quarry.embedding_cache")
    deployment.rows("DELETE FROM quarry.tenant_settings")


type Log = Callable[[], str]


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Log:
    """Our lines, and messages, traces and keys of every other logger."""
    caplog.set_level("DEBUG")
    return lambda: capsys.readouterr().out + caplog.text + "".join(str(vars(each)) for each in caplog.records)


def ask(text: str) -> None:
    assert "error" not in invoke(search_semantic.handler, {"query": f"{text} {SECRET}", "source": "kindle"})


def tables_with(deployment: Deployment, text: str) -> list[str]:
    """Every table of the database with a row that has the text in any column."""
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        names = connection.execute(TABLES).fetchall()
        query = SQL("SELECT EXISTS (SELECT FROM {} AS t WHERE t::text ILIKE %s)")
        return [
            f"{schema}.{name}"
            for schema, name in names
            if connection.execute(query.format(Identifier(schema, name)), [f"%{text}%"]).fetchone() == (True,)
        ]


def test_no_table_holds_the_text_of_a_query(deployment: Deployment) -> None:
    with deployment.serving("quarry_read"):
        ask("stored")
    assert tables_with(deployment, SECRET) == []
    assert tables_with(deployment, "memory of a stone") != [], "the search itself finds text"
    [row] = deployment.rows(CACHED)
    assert len(row["text_hash"]) == 32


def test_a_tenant_that_wants_no_queries_stored_leaves_not_even_a_hash(deployment: Deployment) -> None:
    deployment.rows(SETTING, {"yes": False})
    with deployment.serving("quarry_read"):
        ask("unstored")
    assert deployment.rows(CACHED) == []
    deployment.rows(SETTING, {"yes": True})
    with deployment.serving("quarry_read"):
        ask("unstored")
    assert len(deployment.rows(CACHED)) == 1


def test_turning_storage_off_forgets_what_was_stored_for_this_tenant_alone(deployment: Deployment) -> None:
    deployment.rows("INSERT INTO quarry.tenants VALUES ('other') ON CONFLICT DO NOTHING", tenant="other")
    with deployment.serving("quarry_read"):
        ask("before")
        invoke(search_semantic.handler, {"query": "before"}, tenant="other")
    deployment.rows(SETTING, {"yes": False})
    assert deployment.rows("SELECT tenant FROM quarry.embedding_cache WHERE tenant = %(t)s", {"t": TENANT}) == []
    assert len(deployment.rows(CACHED, tenant="other")) == 1


@pytest.mark.parametrize(
    ("handler", "event"),
    [
        (search_semantic.handler, {"query": SECRET, "author": SECRET, "tags": [SECRET]}),
        (search_semantic.handler, {"query": SECRET * 400}),
        (search_semantic.handler, {SECRET: 1}),
        (search_by_metadata.handler, {"author": SECRET, "source": SECRET}),
        (get_related_chunks.handler, {"chunk_id": SECRET}),
        (resources.handler, {"uri": f"kxhub://chunks/by-tag/{SECRET}"}),
        (
            resources.handler,
            {"complete": {"uriTemplate": "kxhub://chunks/by-tag/{tag}", "variable": "tag", "prefix": SECRET}},
        ),
    ],
)
def test_no_log_line_of_a_function_carries_an_argument(
    handler: Handler, event: dict[str, object], log: Log, deployment: Deployment
) -> None:
    with deployment.serving("quarry_read"):
        invoke(handler, event)
    said = log()
    assert '"message": "call"' in said
    assert SECRET not in said


def degraded(deployment: Deployment) -> None:
    with deployment.serving(OPENAI_BASE_URL=f"http://127.0.0.1:{free_port()}/v1"):
        invoke(search_semantic.handler, {"query": SECRET})


def refused(deployment: Deployment) -> None:
    with running_provider() as provider, deployment.serving(OPENAI_BASE_URL=provider.url):
        invoke(search_semantic.handler, {"query": f"{SECRET} {REFUSED}"})


def misconfigured(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", EMBEDDING_MODEL="another"):
        invoke(search_semantic.handler, {"query": SECRET})


@pytest.mark.parametrize("fail", [degraded, refused, misconfigured])
def test_nor_does_a_failure(fail: Callable[[Deployment], None], deployment: Deployment, log: Log) -> None:
    fail(deployment)
    said = log()
    assert '"message": "call"' in said
    assert SECRET not in said
    assert tables_with(deployment, SECRET) == []
