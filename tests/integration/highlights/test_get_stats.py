"""get_stats, and the counts that triggers keep, against a recount."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.sql import SQL

from highlights.get_stats import handler
from highlights.ingestion import HIGHLIGHTS
from highlights.queries import STATISTICS
from tests.deployment import Deployment, as_tenant, invoke
from tests.integration.highlights.library import highlight, load

TENANT = "counted"
RECOUNT = """
    SELECT count(*) AS chunks, coalesce(sum(length(content)), 0)::bigint AS characters,
           count(DISTINCT parent_doc_id) AS documents, count(DISTINCT lower(source)) AS sources,
           count(DISTINCT lower(author)) AS authors,
           (SELECT count(DISTINCT lower(tag)) FROM highlights.chunks c, unnest(c.tags) AS tag) AS tags
    FROM highlights.chunks
"""
KEPT = "SELECT chunks, characters, documents, sources, authors, tags FROM highlights.statistics"
FACETS = "SELECT facet, key, chunks FROM highlights.facets ORDER BY facet, key"
FACETS_RECOUNTED = """
    SELECT facet, key, count(*) AS chunks FROM (
        SELECT 'document' AS facet, parent_doc_id AS key FROM highlights.chunks
        UNION ALL SELECT 'source', lower(source) FROM highlights.chunks
        UNION ALL SELECT 'author', lower(author) FROM highlights.chunks WHERE author IS NOT NULL
        UNION ALL SELECT 'tag', lower(tag) FROM highlights.chunks c, unnest(c.tags) AS tag) AS value
    GROUP BY facet, key ORDER BY facet, key
"""

ROWS = st.builds(
    lambda n, **fields: highlight(f"c{n}", **fields),
    st.integers(0, 5),
    content=st.sampled_from(["Short.", "A longer passage. " * 90]),
    parent_doc_id=st.sampled_from(["book", "other", None]),
    author=st.sampled_from(["Ann", "ANN", "Bo", None]),
    source=st.sampled_from(["kindle", "Kindle", "web"]),
    tags=st.lists(st.sampled_from(["one", "Two", "two", "THREE"]), max_size=3),
)
STEPS = st.lists(st.lists(ROWS, max_size=4) | st.sampled_from(["c0", "c1", "c2"]), max_size=6)


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    load(deployment)
    with deployment.serving("quarry_read"):
        yield


def test_the_answer_counts_everything_once() -> None:
    answer = invoke(handler, {})
    counts = [answer[f"total_{name}"] for name in ("chunks", "documents")]
    assert counts + [answer[f"unique_{name}"] for name in ("sources", "authors", "tags")] == [8, 4, 3, 2, 5]
    assert answer["average_chunks_per_document"] == 2
    assert (answer["oldest"], answer["newest"]) == ("2023-05-01T10:00:00Z", "2024-03-01T10:00:00Z")
    assert answer["authors"] == [{"name": "Ann Poole", "chunks": 5}, {"name": "Bo Lind", "chunks": 2}]
    assert answer["tags"][:2] == [{"name": "nature", "chunks": 4}, {"name": "engineering", "chunks": 3}]


def test_an_empty_library_is_all_zero() -> None:
    answer = invoke(handler, {}, tenant="nobody")
    assert answer["total_chunks"] == answer["average_chunks_per_document"] == 0
    assert (answer["oldest"], answer["newest"], answer["sources"]) == (None, None, [])


def test_it_reads_no_chunk_but_the_oldest_and_the_newest(deployment: Deployment) -> None:
    load(deployment, [highlight(f"many.{n}", f"Line {n}.") for n in range(1000)], tenant="many")
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as superuser:
        superuser.execute("ANALYZE highlights.chunks")
    with deployment.connect("quarry_read") as connection, as_tenant(connection, "many"):
        plan = connection.execute(SQL("EXPLAIN (ANALYZE, FORMAT JSON) ") + STATISTICS, {"tenant": "many"}).fetchone()
    assert plan is not None
    scans = [node for node in nodes(plan["QUERY PLAN"][0]["Plan"]) if node.get("Relation Name") == "chunks"]
    assert [node["Actual Rows"] for node in scans] == [1, 1]
    assert all(node["Node Type"].startswith("Index") for node in scans)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", []):
        yield from nodes(inner)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_counts_are_exact_after_any_inserts_updates_and_deletes(
    deployment: Deployment, steps: list[list[dict[str, Any]] | str]
) -> None:
    for step in steps:
        if isinstance(step, str):
            deployment.rows("DELETE FROM highlights.chunks WHERE entry_id = %(id)s", {"id": step}, tenant=TENANT)
        else:
            distinct = {row["id"]: row for row in step}
            load(deployment, list(distinct.values()), kind=HIGHLIGHTS, tenant=TENANT)
        assert deployment.rows(FACETS, tenant=TENANT) == deployment.rows(FACETS_RECOUNTED, tenant=TENANT)
    kept = deployment.rows(KEPT, tenant=TENANT)
    assert kept in ([], deployment.rows(RECOUNT, tenant=TENANT))
    assert deployment.rows("SELECT * FROM search.inconsistencies('highlights.chunks')", tenant=TENANT) == []
    deployment.rows("DELETE FROM highlights.chunks", tenant=TENANT)


def test_a_statement_over_many_rows_counts_them_all(deployment: Deployment) -> None:
    deployment.rows("UPDATE highlights.chunks SET source = 'moved', tags = tags || ARRAY['new', 'NEW']")
    assert deployment.rows(KEPT) == deployment.rows(RECOUNT)
    assert deployment.rows(FACETS.replace("ORDER", "WHERE facet IN ('source', 'document') ORDER")) == [
        row for row in deployment.rows(FACETS_RECOUNTED) if row["facet"] in ("source", "document")
    ]
