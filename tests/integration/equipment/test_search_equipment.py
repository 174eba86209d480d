"""search_equipment on real Postgres with real embeddings."""

from typing import Any

import pytest

from equipment.search_equipment import handler
from local.ports import free_port
from tests.deployment import Deployment, invoke
from tests.sample_rows import PRODUCTS, product

pytestmark = pytest.mark.usefixtures("reading")

HUGE = "Custom skid mounted nitrogen package. " + " ".join(
    f"Paragraph {n} lists what is included." for n in range(900)
)


@pytest.fixture(scope="module", autouse=True)
def catalogue(deployment: Deployment) -> None:
    deployment.put_products(*PRODUCTS)
    deployment.put_products(product("NP-1", description=HUGE, category="NITROGEN PACKAGE"), tenant="big")
    deployment.embed()


def search(query: str, *, tenant: str = "acme", **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, {"query": query, **arguments}, tenant=tenant)
    assert "error" not in answer, answer
    return answer


def models(answer: dict[str, Any]) -> set[str]:
    return {row[0] for row in answer["rows"]}


def test_the_best_hit_carries_its_probability_what_it_meets_and_the_facts_to_cite() -> None:
    answer = search("Powerex SES100 oilless scroll air compressor, 100 HP, 330 CFM, 116 PSI", explain=True)
    best = answer["results"][0]
    assert best["product"]["model"] == "SES100"
    assert best["confidence"] == "likely_good"
    assert 0.8 <= best["score"] <= 1
    assert best["legs"] == ["vector", "text"]
    assert not any("contradicted" in each for each in best["fit"])
    assert best["product"]["description"].startswith("Oilless scroll compressor package")
    assert (best["product"]["manufacturer"], "more" in best) == ("Powerex", False)
    assert (answer.get("degraded", False), answer.get("notice")) == (False, None)


@pytest.mark.parametrize(
    ("query", "model"), [("Zenith", "AX-5"), ("ring", "AX-5"), ("28 inHg", "VP 300"), ("packaging", "VP 300")]
)
def test_a_product_is_found_by_whatever_field_matches(query: str, model: str) -> None:
    assert search(query)["results"][0]["product"]["model"] == model


def test_where_nothing_fits_the_nearest_comes_first_and_says_so() -> None:
    needs = [{"attribute": "cfm", "is": "900"}, {"attribute": "family", "is": "compressor"}]
    answer = invoke(handler, {"needs": needs})
    assert (answer["rows"][0][0], answer["total"]) == ("Q$ync 100", 0)
    assert "Nothing meets all of it; nearest is Q$ync 100: cfm 470 cfm. 2 of it together" in answer["notice"]


def test_confidence_is_the_name_of_the_score() -> None:
    for hit in search("100 HP oilless compressor, 300 cfm", top_k=50, full=True)["results"]:
        named = "likely_good" if hit["score"] >= 0.8 else "analog" if hit["score"] >= 0.2 else "probable_miss"
        assert hit["confidence"] == named


@pytest.mark.parametrize("query", ["QMB30", "qmb-30", "QMB 30", "30HP QMB"])
def test_a_part_number_is_found_in_every_spelling(query: str) -> None:
    assert search(query)["results"][0]["product"]["model"] == "QMB30"


def test_a_dollar_sign_in_a_model_is_found_either_way() -> None:
    assert search("Qsync 100")["results"][0]["product"]["model"] == "Q$ync 100"
    assert search("Q$ync 100")["results"][0]["product"]["model"] == "Q$ync 100"


def test_an_empty_catalogue_is_an_empty_list() -> None:
    assert search("compressor", tenant="nobody")["results"] == []


def test_a_description_over_2000_tokens_comes_as_its_best_passage_and_whole_on_request() -> None:
    [hit] = search("nitrogen: what does paragraph 700 list?", tenant="big")["results"]
    assert hit["product"]["description"] in HUGE
    assert "Paragraph 700" in hit["product"]["description"]
    assert len(hit["product"]["description"]) <= 320
    assert (hit["more"], hit["product"]["model"]) == ("get_specs", "NP-1")
    [whole] = search("nitrogen package", tenant="big", full=True)["results"]
    assert (whole["product"]["description"], "more" in whole) == (HUGE, False)


def test_a_number_that_json_cannot_mean_is_refused() -> None:
    answer = invoke(handler, {"query": "compressor", "hp_max": float("inf")})
    assert answer["details"]["problems"] == [{"path": "hp_max", "message": "Input should be a finite number"}]


def test_a_query_of_punctuation_alone_is_answered() -> None:
    assert "error" not in invoke(handler, {"query": "?!% '\"\\ $$ :* & | <->"})


def down() -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"http://127.0.0.1:{free_port()}/v1"}


def test_text_alone_answers_when_embeddings_are_down(deployment: Deployment) -> None:
    with deployment.serving(**down()):
        answer = search("oilless scroll compressor for the night shift", explain=True)
    assert answer["degraded"] is True
    assert "Embeddings are unavailable" in answer["notice"]
    best = answer["results"][0]
    assert (best["product"]["model"], best["legs"]) == ("SES100", ["text"])
    assert not {"score", "confidence"} & best.keys()


def test_filters_hold_when_embeddings_are_down(deployment: Deployment) -> None:
    with deployment.serving(**down()):
        answer = search("a compressor that is down", hp_min=100, hp_max=100)
    assert models(answer) == {"Q$ync 100", "OFX-100", "SES100", "HX-100"}


def test_no_text_hit_while_embeddings_are_down_is_no_empty_list(deployment: Deployment) -> None:
    with deployment.serving(**down()):
        answer = invoke(handler, {"query": "gizmo"})
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "does not mean that nothing fits" in answer["message"]


def test_a_query_seen_before_needs_no_provider(deployment: Deployment) -> None:
    search("desiccant dryer for a paint booth")
    with deployment.serving(**down()):
        assert search("desiccant  dryer for a paint booth").get("degraded", False) is False


@pytest.mark.parametrize(
    ("variables", "configured"),
    [
        ({"EMBEDDING_MODEL": "text-embedding-3-small"}, "text-embedding-3-small (384)"),
        ({"EMBEDDING_DIMENSIONS": "512"}, "all-MiniLM-L6-v2 (512)"),
    ],
)
def test_another_model_is_refused_with_both_names(
    deployment: Deployment, variables: dict[str, str], configured: str
) -> None:
    with deployment.serving(**variables):
        answer = invoke(handler, {"query": "compressor"})
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", False)
    assert "all-MiniLM-L6-v2 (384 dimensions)" in answer["message"]
    assert configured in answer["message"]
