"""Filters of a corpus too large to be compared row by row: the same rows in every form, and none read in vain."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Composable

from quarry.corpora import PRODUCTS
from quarry.data import database
from quarry.needs.grammar import read_need
from quarry.needs.model import Need
from quarry.retrieval import legs, statements
from quarry.retrieval.clauses import of_filters
from quarry.retrieval.condition import Condition
from quarry.retrieval.here import STORED, attributes_of
from quarry.retrieval.listing import listing
from tests.deployment import Deployment
from tests.sample_rows import product

TENANT = "ample"
ROWS = 2000
FILTERS: list[list[tuple[str, str]]] = [
    [("flow", ">= 1900")],
    [("flow", ">= 1000")],
    [("flow", "<= 30")],
    [("flow", "~ 700")],
    [("flow", "not >= 1900")],
    [("flow", ">= 1500"), ("head", "<= 20")],
    [("flow", ">= 1500"), ("sealed", "yes"), ("head", ">= 40")],
    [("flow", ">= 1990"), ("manufacturer", "acme pumps")],
    [("category", "claw"), ("head", "10")],
    [("model", "W17")],
    [("model", "W17 | W18"), ("head", ">= 1")],
    [("category", "claw | gear"), ("manufacturer", "acme pumps")],
    [("family", "compressor | dryer"), ("category", "gear")],
    [("head", "?")],
    [("head", "<= 20 | ?"), ("flow", ">= 1000")],
    [("head", "not <= 20 | ?")],
]


def depth(chance: random.Random) -> float | list[float]:
    low = chance.randint(1, 500) / 10
    return [low, low + chance.randint(1, 300) / 10] if chance.random() < 0.2 else low


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    chance = random.Random(1)
    deployment.put_products(
        *(
            product(
                f"W{n}",
                manufacturer=chance.choice(["Acme Pumps, Inc.", "ACME pumps", "Other"]),
                category=chance.choice(["ROTARY CLAW PUMP", "Rotary-claw pump", "GEAR PUMP"]),
                attributes={"flow": n, "sealed": chance.random() < 0.5, "depth": depth(chance)}
                | ({"head": chance.randint(1, 60)} if n % 7 else {}),
            )
            for n in range(ROWS)
        ),
        tenant=TENANT,
    )
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE) search.attribute_values, equipment.products")
    with deployment.serving("quarry_read"):
        yield


def asked(filters: list[tuple[str, str]]) -> list[Need]:
    needs = [read_need(name, value, attributes=attributes_of(TENANT)) for name, value in filters]
    assert all(isinstance(need, Need) for need in needs), needs
    return [need for need in needs if isinstance(need, Need)]


def condition_of(filters: list[tuple[str, str]]) -> Condition:
    return of_filters(PRODUCTS, asked(filters), attributes=attributes_of(TENANT))


def satisfying(condition: Composable, parameters: dict[str, object]) -> set[int]:
    rows = SQL("SELECT d.id FROM equipment.products d WHERE d.tenant = %(tenant)s AND {}").format(condition)
    return {row["id"] for row in database.fetch(TENANT, rows, {**parameters, "tenant": TENANT})}


def test_the_ends_of_all_figures_are_read_off_the_index() -> None:
    assert attributes_of(TENANT).stored["flow"] == (0, ROWS - 1)
    plan = str(database.fetch(TENANT, SQL("EXPLAIN {}").format(STORED), {"tenant": TENANT}))
    assert plan.count("Index Only Scan") == 2, plan
    assert not re.search(r"(?<!Incremental )Sort on attribute_values|Seq Scan on attribute_values", plan), plan


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_a_filter_is_the_same_in_every_form(filters: list[tuple[str, str]]) -> None:
    condition = condition_of(filters)
    forms = (condition.as_one, condition.of_all, condition.of_one)
    found = [satisfying(form, dict(condition.parameters)) for form in forms]
    assert found[0] == found[1] == found[2]
    assert 0 < len(found[0]) < ROWS


@pytest.mark.parametrize("filters", [FILTERS[0], FILTERS[1], FILTERS[5], FILTERS[7]], ids=str)
@pytest.mark.parametrize("name", ["vector_filtered", "text_budget", "rows", "meeting"])
def test_no_statement_reads_all_values_for_each_row(name: str, filters: list[tuple[str, str]]) -> None:
    condition = condition_of(filters)
    parameters: dict[str, object] = {}
    if name == "meeting":
        found = statements.meeting(
            PRODUCTS, asked([("head", ">= 30")]), condition=condition, attributes=attributes_of(TENANT), small=False
        )
        assert found is not None
        statement, parameters = found[0], dict(found[1])
    else:
        statement = statements.statement(PRODUCTS, name, condition=condition)
    given = {
        "tenant": TENANT, "query": "pump enclosure", "vector": f"[1{',0' * 383}]", "pool": 100, "limit": 10,
        "exact_up_to": 50, "docs": [1], "best": None, "fill": 10, "priced": False,
        "embedding_model": None, "text_hash": None, "search": "of this test",
    }  # fmt: skip
    explained = SQL("EXPLAIN (ANALYZE, FORMAT JSON) {}").format(statement)
    [row] = database.fetch(TENANT, explained, {**given, **condition.parameters, **parameters})
    [plan] = row["QUERY PLAN"] if isinstance(row["QUERY PLAN"], list) else json.loads(row["QUERY PLAN"])
    assert looked_at(plan["Plan"]) < 40 * ROWS


def looked_at(node: dict[str, Any]) -> float:
    """Rows that a plan and all below it made or threw away."""
    kinds = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")
    own: float = sum(node.get(kind, 0) for kind in kinds) * node["Actual Loops"]
    return own + sum(looked_at(each) for each in node.get("Plans", ()))


def test_what_is_found_satisfies_the_filter_whether_rows_are_compared_or_walked() -> None:
    condition = condition_of([("flow", ">= 1000")])
    wanted = satisfying(condition.as_one, dict(condition.parameters))
    for exact_up_to in (50, 8000):
        rows = database.fetch(
            TENANT,
            legs.text_leg(PRODUCTS, condition=condition, exact=False),
            {
                **condition.parameters, "tenant": TENANT, "query": "gear pump enclosure", "pool": 100, "limit": 10,
                "exact_up_to": exact_up_to, "search": "of this test",
            },
        )  # fmt: skip
        assert {row["doc"] for row in rows} <= wanted
        assert len(rows) == 100, exact_up_to


@pytest.mark.parametrize(("search", "told"), [("one", ">= 1000"), ("other", "< 1000")])
def test_words_take_what_meaning_listed_for_their_own_search_alone(search: str, told: str) -> None:
    """The legs of a search have one condition; here they have two, so that it shows whose is told."""
    conditions = [condition_of([("flow", figure)]) for figure in (">= 1000", "< 1000")]
    given: dict[str, object] = {
        "tenant": TENANT, "query": "gear pump", "vector": f"[1{',0' * 383}]", "pool": 100, "limit": 10,
        "exact_up_to": 8000, "embedding_model": None, "text_hash": None,
    }  # fmt: skip
    queries = [
        (leg(PRODUCTS, condition=condition, exact=False), {**given, **condition.parameters, "search": number})
        for leg, condition, number in zip((legs.vector_leg, legs.text_leg), conditions, ("one", search), strict=True)
    ]
    _, both = database.fetch_each(TENANT, queries)
    wanted = condition_of([("flow", told)])
    assert both
    assert {row["doc"] for row in both} <= satisfying(wanted.as_one, dict(wanted.parameters))


@pytest.mark.parametrize("sort", ["depth", "-depth", "head", "-head", "-flow"])
@pytest.mark.parametrize("filters", [[], [("depth", "<= 20")], *FILTERS[1:4], *FILTERS[5:8]], ids=str)
def test_a_table_read_off_the_index_is_that_of_all_rows_sorted(sort: str, filters: list[tuple[str, str]]) -> None:
    condition = condition_of(filters)
    wanted = satisfying(condition.as_one, dict(condition.parameters))
    name = sort.removeprefix("-")
    rows = database.fetch(
        TENANT,
        SQL("SELECT model, attributes -> %(name)s AS value FROM equipment.products WHERE id = ANY (%(ids)s)"),
        {"name": name, "ids": list(wanted)},
    )
    ends = {row["model"]: row["value"][1] if isinstance(row["value"], list) else row["value"] for row in rows}
    sign = -1 if sort.startswith("-") else 1
    first = sorted(ends.values(), key=lambda end: (end is None, sign * (end or 0)))[:25]
    outcome = listing(PRODUCTS, tenant=TENANT, filters=asked(filters), sort=sort, limit=25)
    assert [ends[hit.row["model"]] for hit in outcome.hits] == first
    assert outcome.total == len(wanted)
