"""Postings in blocks: whatever was written, merged or cut short, searches score as BM25 written down by hand."""

import math
import random
from collections import Counter
from collections.abc import Mapping

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.corpora import PRODUCTS
from quarry.data import database
from quarry.retrieval import legs
from quarry.retrieval.condition import Condition
from tests.deployment import Deployment, as_tenant
from tests.sample_rows import product

WORDS = ("zorp", "klim", "vext", "brumt", "dralk")
MERGE = "SELECT search.merge('equipment.products')"
MODELS = SQL("SELECT id, model FROM equipment.products WHERE tenant = %(tenant)s")
PROBLEMS = "SELECT * FROM search.inconsistencies('equipment.products')"
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "many", "delete", "merge"]), st.integers(0, 30), TEXTS), min_size=3, max_size=9
)


def row(number: int, text: str) -> dict[str, object]:
    return product(f"m{number}x", manufacturer="maker", category="gadget", description=text)


def by_hand(texts: Mapping[int, str], query: str) -> dict[int, float]:
    """Each text has a title of two words, each four times, and one attribute, a third of a time."""
    counts = {number: Counter(text.split()) for number, text in texts.items()}
    lengths = {number: 8.3 + found.total() for number, found in counts.items()}
    average = sum(lengths.values()) / max(len(lengths), 1)
    frequencies = {word: sum(word in found for found in counts.values()) for word in query.split()}
    idf = {word: math.log(1 + (len(texts) - df + 0.5) / (df + 0.5)) for word, df in frequencies.items()}
    scores = {}
    for number, found in counts.items():
        matched = [word for word in idf if found[word]]
        length = 0.3 + 0.9 * lengths[number] / average
        bm25 = sum(idf[word] * found[word] * 2.2 / (found[word] + length) for word in matched)
        if matched:
            scores[number] = bm25 * math.sqrt(sum(idf[word] for word in matched) / sum(idf.values()))
    return scores


def searched(tenant: str, query: str, *, exact: bool) -> dict[int, float]:
    asked = {"tenant": tenant, "query": query, "pool": 100, "limit": 100, "exact_up_to": 0}
    rows = database.fetch(tenant, legs.text_leg(PRODUCTS, condition=Condition(), exact=exact), asked)
    models = database.fetch(tenant, MODELS, {"tenant": tenant})
    numbers = {found["id"]: int(found["model"][1:-1]) for found in models}
    return {numbers[found["doc"]]: found["raw"] for found in rows}


FILLED_AND_TAKEN = [
    ("many", 22, "zorp zorp"),
    ("many", 18, "zorp dralk"),
    ("many", 0, "dralk"),
    ("put", 18, "zorp brumt"),
    ("merge", 0, ""),
]
"""A block that one list of a term fills up lies in the reach of another one."""


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, TEXTS)
@example(FILLED_AND_TAKEN, "zorp dralk")
def test_scores_are_bm25_after_any_writes_and_merges(
    deployment: Deployment, steps: list[tuple[str, int, str]], query: str
) -> None:
    deployment.rows("DELETE FROM equipment.products", tenant="blocks")
    texts: dict[int, str] = {}
    for step, number, text in steps:
        match step:
            case "put":
                texts[number] = text
                deployment.put_products(row(number, text), tenant="blocks")
            case "many":
                new = {other: f"{text} {WORDS[other % 5]}" for other in range(number, number + 70)}
                texts |= new
                deployment.put_products(*(row(*pair) for pair in new.items()), tenant="blocks")
            case "delete":
                texts.pop(number, None)
                deployment.rows(
                    "DELETE FROM equipment.products WHERE model = %(model)s",
                    {"model": f"m{number}x"},
                    tenant="blocks",
                )
            case "merge":
                deployment.rows(MERGE, tenant="blocks")
    assert deployment.rows(PROBLEMS, tenant="blocks") == []
    expected = by_hand(texts, query)
    with deployment.serving("quarry_read"):
        for exact in (True, False):
            assert searched("blocks", query, exact=exact) == pytest.approx(expected, rel=1e-4)


def test_terms_of_many_documents_stay_exact_through_writes_all_over(deployment: Deployment) -> None:
    chance = random.Random(3)
    texts = {number: " ".join(chance.choices(WORDS, k=3)) for number in range(1400)}
    deployment.put_products(*(row(*pair) for pair in texts.items()), tenant="many")
    for _ in range(3):
        changed = {number: " ".join(chance.choices(WORDS, k=4)) for number in chance.sample(range(1500), k=120)}
        deployment.put_products(*(row(*pair) for pair in changed.items()), tenant="many")
        gone = chance.sample(range(1400), k=100)
        deployment.rows(
            "DELETE FROM equipment.products WHERE model = ANY (%(models)s)",
            {"models": [f"m{number}x" for number in gone]},
            tenant="many",
        )
        problems = deployment.rows(PROBLEMS, tenant="many")
        assert problems == []
    [blocks] = deployment.rows(
        "SELECT max(cardinality(docs)) AS longest, count(DISTINCT layer) AS layers FROM equipment.products_blocks",
        tenant="many",
    )
    assert blocks["longest"] <= 240
    assert blocks["layers"] > 3


def test_a_merge_looks_up_each_term_of_a_tenant_that_statistics_do_not_know_by_itself(deployment: Deployment) -> None:
    texts = {number: " ".join(f"{number}{word:02}" for word in range(40)) for number in range(100, 160)}
    deployment.put_products(*(row(*pair) for pair in texts.items()), tenant="known")
    deployment.rows(MERGE, tenant="known")
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as superuser:
        superuser.execute("ANALYZE")
    deployment.put_products(*(row(*pair) for pair in texts.items()), tenant="unknown")
    with deployment.connect("quarry_ingest") as writer, as_tenant(writer, "unknown"):
        writer.execute(MERGE)
        [read] = writer.execute(
            "SELECT idx_tup_fetch + seq_tup_read AS rows FROM pg_stat_xact_user_tables"
            " WHERE relid = 'equipment.products_terms'::regclass"
        ).fetchall()
    assert read["rows"] < 10 * sum(len(text.split()) for text in texts.values())
    assert deployment.rows(PROBLEMS, tenant="unknown") == []


def killed_merging(deployment: Deployment, writer: psycopg.Connection[DictRow]) -> None:
    with as_tenant(writer, "killed-merge"):
        writer.execute(MERGE)
        with psycopg.connect(deployment.superuser_dsn) as superuser:
            superuser.execute("SELECT pg_terminate_backend(%s)", [writer.info.backend_pid])
        writer.execute("SELECT 1")


def test_a_merge_that_is_killed_leaves_the_index_as_it_was(deployment: Deployment) -> None:
    deployment.put_products(*(row(number, "zorp klim") for number in range(40)), tenant="killed-merge")
    waiting = "SELECT count(*) AS waiting FROM equipment.products_pending"
    with deployment.connect("quarry_ingest") as writer, pytest.raises(psycopg.OperationalError):
        killed_merging(deployment, writer)
    assert deployment.rows(waiting, tenant="killed-merge") == [{"waiting": 40}]
    assert deployment.rows(PROBLEMS, tenant="killed-merge") == []
    deployment.rows(MERGE, tenant="killed-merge")
    assert deployment.rows(waiting, tenant="killed-merge") == [{"waiting": 0}]
    assert deployment.rows(PROBLEMS, tenant="killed-merge") == []


def test_a_small_tenant_reads_its_own_postings_beside_ten_thousand_others(deployment: Deployment) -> None:
    deployment.put_products(*(row(number, "zorp klim") for number in range(20)), tenant="small")
    others = """INSERT INTO equipment.products_blocks (first, tid, layer, tenant, docs, weights)
        SELECT n, -n, 0, 'other' || n % 10000, array_fill(n, ARRAY[50]), array_fill(n, ARRAY[50])
        FROM generate_series(1, 40000) n"""
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection, deployment.serving("quarry_read"):
        connection.execute(others)
        connection.execute("ANALYZE equipment.products_blocks")
        asked = {"tenant": "small", "query": "zorp klim vext", "pool": 100, "limit": 100, "exact_up_to": 0}
        for exact in (True, False):
            explained = SQL("EXPLAIN {}").format(legs.text_leg(PRODUCTS, condition=Condition(), exact=exact))
            plan = str(database.fetch("small", explained, asked))
            assert "Seq Scan on products_blocks" not in plan, plan
        connection.execute("DELETE FROM equipment.products_blocks WHERE tid < 0")
