"""Finding: BM25 as written down by hand, both legs by either of their statements, text that is current at once."""

import math
from collections.abc import Iterable, Iterator

import pytest
from pgvector import Vector
from psycopg.sql import SQL

from quarry.corpora import PRODUCTS
from quarry.data import database
from quarry.embedding import query_vectors
from quarry.embedding import queue as embedding_queue
from quarry.retrieval import legs
from quarry.retrieval.condition import Condition
from quarry.retrieval.hits import Outcome
from quarry.retrieval.search import POOL, search
from tests.deployment import DIMENSIONS, Deployment
from tests.provider import running_provider
from tests.sample_rows import product

K1, B = 1.2, 0.75
TITLE, BODY, ATTRIBUTE = 4.0, 1.0, 0.3
DESCRIPTIONS = {"aa": "zeta eta eta", "bb": "zeta theta", "cc": "iota kappa lambda omega"}


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    rows = [
        product(model, manufacturer="maker", category="gadget", description=text)
        for model, text in DESCRIPTIONS.items()
    ]
    deployment.put_products(*rows, tenant="hand")
    with deployment.serving("quarry_read"):
        yield


def text_leg(query: str, deployment: Deployment) -> dict[str, tuple[float, float]]:
    """(score, coverage) by model; the rows of this tenant are never embedded."""
    matches = legs.find_given(PRODUCTS, query, tenant="hand", vector=None, pool=POOL).matches
    rows = deployment.rows("SELECT id, model FROM equipment.products", tenant="hand")
    return {row["model"]: (match.raw, match.coverage) for row in rows if (match := matches.get(row["id"]))}


def by_hand(query: list[str]) -> dict[str, tuple[float, float]]:
    weights = {
        model: {"maker": TITLE, model: TITLE, "gadget": ATTRIBUTE}
        | {word: BODY * text.split().count(word) for word in text.split()}
        for model, text in DESCRIPTIONS.items()
    }
    average = sum(sum(terms.values()) for terms in weights.values()) / len(weights)
    idf = {}
    for word in query:
        frequency = sum(word in terms for terms in weights.values())
        idf[word] = math.log(1 + (len(weights) - frequency + 0.5) / (frequency + 0.5))
    scores = {}
    for model, terms in weights.items():
        length = sum(terms.values())
        matched = [word for word in query if word in terms]
        bm25 = sum(
            idf[word] * terms[word] * (K1 + 1) / (terms[word] + K1 * (1 - B + B * length / average))
            for word in matched
        )
        coverage = sum(idf[word] for word in matched) / sum(idf.values())
        if matched:
            scores[model] = (bm25 * math.sqrt(coverage), coverage)
    return scores


@pytest.mark.parametrize("query", ["zeta", "zeta eta", "zeta eta kappa", "maker gadget", "aa zeta"])
def test_the_text_leg_is_bm25_times_the_root_of_coverage(query: str, deployment: Deployment) -> None:
    found, expected = text_leg(query, deployment), by_hand(query.split())
    assert found.keys() == expected.keys()
    for model, numbers in expected.items():
        assert found[model] == pytest.approx(numbers, abs=5e-5)


@pytest.mark.parametrize("query", ["unheard", "eta unheard of before", "the of and"])
def test_a_query_that_hardly_matches_is_no_hit(query: str) -> None:
    assert searched(query, "hand").hits == []


def searched(query: str, tenant: str) -> Outcome:
    return search(PRODUCTS, tenant=tenant, query=query, limit=10)


def test_a_new_row_is_found_by_text_before_it_is_embedded(deployment: Deployment) -> None:
    deployment.put_products(product("NEW-1", description="Peristaltic hose pump."), tenant="fresh")
    [hit] = searched("peristaltic hose pump", "fresh").hits
    assert (hit.row["model"], hit.legs, hit.score, hit.confidence) == ("NEW-1", ["text"], None, None)


def test_changed_text_is_found_at_once_and_the_old_vector_is_gone(deployment: Deployment) -> None:
    deployment.put_products(product("OLD-1", description="Peristaltic hose pump."), tenant="edit")
    deployment.embed()
    assert searched("peristaltic hose pump", "edit").hits[0].legs == ["vector", "text"]
    deployment.put_products(product("OLD-1", description="Regenerative blower."), tenant="edit")
    assert [hit.legs for hit in searched("regenerative blower", "edit").hits] == [["text"]]
    assert searched("peristaltic hose", "edit").hits == []
    deployment.embed()
    assert searched("regenerative blower", "edit").hits[0].legs == ["vector", "text"]


def test_meaning_alone_finds_a_row_that_shares_no_word(deployment: Deployment) -> None:
    deployment.put_products(product("DRY-1", category="DRYER", description="Removes moisture."), tenant="sense")
    deployment.embed()
    [hit] = searched("dehumidify wet pneumatics", "sense").hits
    assert (hit.row["model"], hit.legs) == ("DRY-1", ["vector"])


def test_equal_rows_come_in_a_stable_order(deployment: Deployment) -> None:
    deployment.put_products(*(product(f"TWIN-{n}", description="Same.") for n in range(6)), tenant="twins")
    deployment.embed()
    orders = {tuple(hit.row["model"] for hit in searched("rotary screw", "twins").hits) for _ in range(5)}
    assert len(orders) == 1


def asked(query: str, vector: Vector, tenant: str, **others: object) -> dict[str, object]:
    """Parameters of both legs' statements."""
    return {
        "tenant": tenant,
        "query": query,
        "vector": vector,
        "embedding_model": None,
        "text_hash": None,
        "pool": POOL,
        "limit": 50,
        "search": "of this test",
        **others,
    }


def models_of(docs: Iterable[int], deployment: Deployment, *, tenant: str) -> set[str]:
    rows = deployment.rows(
        "SELECT model FROM equipment.products WHERE id = ANY (%(docs)s)", {"docs": list(docs)}, tenant=tenant
    )
    return {row["model"] for row in rows}


def test_the_walk_of_the_vector_index_reaches_every_row_that_satisfies_a_rare_filter(deployment: Deployment) -> None:
    rare = {f"RARE-{n}" for n in range(6)}
    rows = [product(f"COMMON-{n}") for n in range(400)] + [product(model) for model in rare]
    deployment.put_products(*rows, tenant="large")
    with running_provider() as provider, deployment.serving("quarry_ingest", OPENAI_BASE_URL=provider.url):
        embedding_queue.drain(database.session().connection, may_go_on=lambda: True)
    index_only = "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off"
    with deployment.serving(PGOPTIONS=index_only):
        found = database.fetch(
            "large",
            legs.vector_leg(PRODUCTS, condition=Condition("d.model LIKE 'RARE-%%'"), exact=False),
            asked("zzyzx", Vector([1.0] * DIMENSIONS), "large", exact_up_to=0),
        )
    assert models_of((row["doc"] for row in found), deployment, tenant="large") == rare


WORDS = (
    "oilless scroll compressor",
    "refrigerated dryer",
    "claw vacuum pump",
    "oilless piston compressor",
    "receiver",
)


@pytest.fixture(scope="module")
def small(deployment: Deployment) -> str:
    deployment.put_products(*(product(f"S-{n}", description=words) for n, words in enumerate(WORDS)), tenant="small")
    deployment.embed()
    return "small"


def test_rows_are_read_with_nearness_to_the_query_and_to_the_row_nearest_to_it(
    deployment: Deployment, small: str
) -> None:
    query = "oilless compressor"
    found = legs.find(PRODUCTS, query, tenant=small, condition=Condition(), pool=POOL, limit=10)
    nearest = list(found.nearest)
    read = legs.read(PRODUCTS, nearest, tenant=small, condition=Condition(), vector=found.vector, best=nearest[0],
                     also={"priced": False})  # fmt: skip
    rows = deployment.rows(
        "SELECT d.model, v.embedding FROM equipment.products_vectors v JOIN equipment.products d ON d.id = v.doc",
        tenant=small,
    )
    vectors = {row["model"]: row["embedding"].to_numpy().astype(float) for row in rows}
    asked = query_vectors.vector_of(query, tenant=small).to_numpy().astype(float)
    cosine = {model: float(vector @ asked) for model, vector in vectors.items()}
    best = max(cosine, key=lambda model: cosine[model])
    assert len(read) == len(vectors)
    for row in read:
        expected = cosine[row["model"]], float(vectors[row["model"]] @ vectors[best])
        assert (row["_cosine"], row["_closeness"]) == pytest.approx(expected, abs=2e-3)  # vectors have 16 bits


def test_hits_come_in_the_order_of_their_scores(small: str) -> None:
    for query in ("oilless compressor", "dryer", "claw pump", "something for a bakery with 30 hp", "S-3"):
        scores = [hit.score for hit in searched(query, small).hits]
        assert scores == sorted(scores, key=lambda score: -(score or 0.0))


@pytest.mark.parametrize("condition", [Condition(), Condition("d.family = 'compressor'")])
def test_a_small_corpus_is_answered_alike_by_the_statements_for_small_and_for_large_ones(
    small: str, condition: Condition
) -> None:
    query = "oilless compressor"
    values = asked(query, query_vectors.vector_of(query, tenant=small), small, exact_up_to=len(WORDS))
    for leg in (legs.vector_leg, legs.text_leg):
        kept, planned = (leg(PRODUCTS, condition=condition, exact=exact) for exact in (True, False))
        [exact] = database.fetch_each(small, [(kept, values)], keep_plans=True)
        [walked] = database.fetch_each(small, [(planned, values)])
        assert len(exact) >= 2
        assert [row["doc"] for row in walked] == [row["doc"] for row in exact]
        number = "cosine" if leg is legs.vector_leg else "raw"
        assert [row[number] for row in walked] == pytest.approx([row[number] for row in exact])


def test_a_corpus_is_small_once_it_was_counted_and_no_longer_when_it_has_grown(small: str) -> None:
    legs.sizes().clear()
    assert not legs.small(PRODUCTS, tenant=small)
    searched("oilless compressor", small)
    assert legs.small(PRODUCTS, tenant=small)
    legs.sizes()[small, PRODUCTS] = legs.EXACT_UP_TO + 1
    assert not legs.small(PRODUCTS, tenant=small)


def test_a_kept_plan_is_kept_for_its_own_transaction_alone(small: str) -> None:
    mode = SQL("SELECT current_setting('plan_cache_mode') AS mode")
    modes = [database.fetch_each(small, [(mode, {})], keep_plans=keep)[0][0]["mode"] for keep in (False, True, False)]
    assert modes == ["force_custom_plan", "force_generic_plan", "force_custom_plan"]
