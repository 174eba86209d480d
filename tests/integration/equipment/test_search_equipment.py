"""search_equipment on real Postgres with real embeddings."""

import time
from datetime import date
from typing import Any

import pytest

from equipment.list_attributes import handler as list_attributes
from equipment.search_equipment import handler
from local.ports import free_port
from quarry.precedents.sales import SaleFacts
from quarry.retrieval.here import AGAIN_S
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
    return {hit["product"]["model"] for hit in answer["results"]}


@pytest.mark.parametrize(
    ("query", "model"),
    [("Zenith", "AX-5"), ("ring", "AX-5"), ("28 inHg", "VP 300"), ("packaging machines", "VP 300")],
)
def test_a_product_is_found_by_whatever_field_matches(query: str, model: str) -> None:
    assert search(query)["results"][0]["product"]["model"] == model


@pytest.mark.parametrize(
    "query",
    [
        "100 HP oilless compressor, 300 cfm",
        "oil-free, not oilless, 100 hp",
        "vacuum pump at 28 inHg",
        "refrigerated dryer for 450 cfm",
        "compressor of about 30 HP at 125 psi",
    ],
)
def test_no_row_that_contradicts_the_request_stands_above_one_that_meets_it(query: str) -> None:
    hits = search(query, top_k=50)["results"]
    contradicting = ["contradicted" in hit.get("fit", "") for hit in hits]
    assert contradicting == sorted(contradicting)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert not any(hit["score"] >= 0.2 for hit, worse in zip(hits, contradicting, strict=True) if worse)


def test_confidence_is_the_name_of_the_score() -> None:
    for hit in search("100 HP oilless compressor, 300 cfm", top_k=50)["results"]:
        named = "likely_good" if hit["score"] >= 0.8 else "analog" if hit["score"] >= 0.2 else "probable_miss"
        assert hit["confidence"] == named


def test_flooded_and_unknown_lubrication_never_pass_for_oilless() -> None:
    assert models(
        search("oil flooded Q$ync 100 food grade HX-100", filters=[{"attribute": "lubrication", "is": "oilless"}])
    ) == {"SES100"}


def test_a_filter_fills_up_with_rows_that_neither_leg_would_rank_first() -> None:
    answer = search("zzyzx", family="blower", top_k=2)
    assert models(answer) == {"AX 5", "AX-5"}


def test_top_k_bounds_the_answer() -> None:
    assert len(search("compressor", top_k=3)["results"]) == 3


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


def shelf(**arguments: object) -> tuple[dict[str, Any], list[dict[str, str]]]:
    answer = invoke(handler, {"top_k": 50, **arguments})
    assert "error" not in answer, answer
    return answer, [dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]]


def test_all_columns_show_all_that_a_family_says_with_the_unit_in_the_head_and_what_few_say_in_one() -> None:
    answer, rows = shelf(columns=["*"], family="compressor", full=True)
    by_model = {row["id"]: row for row in rows}
    assert by_model["QMB30"]["hp (hp)"] == "30"
    heads = {head.split(" (")[0] for head in answer["columns"]}
    for hit in answer["results"]:
        for name, said in hit["product"]["attributes"].items():
            assert name in heads or f"{name} {said}" in by_model[hit["product"]["model"]]["more"]


def test_a_long_text_is_whole_in_a_table_of_few_rows(deployment: Deployment) -> None:
    told = " ".join(f"part {number}," for number in range(30))
    deployment.put_products(product("LT-1", drive=told))
    _, [row] = shelf(columns=["*"], filters=[{"attribute": "model", "is": "LT-1"}])
    assert told in row.values()


def test_a_column_that_nothing_has_is_told_with_the_nearest_and_left_out() -> None:
    answer, rows = shelf(columns=["hp", "lubricaton"], family="compressor")
    assert rows[0]["hp"]
    assert "lubricaton" not in answer["columns"]
    assert [said for said in answer["unread"] if said.startswith("column lubricaton:") and "lubrication" in said]


def test_texts_told_in_full_share_what_there_is(deployment: Deployment) -> None:
    for number in range(4):
        row = product(f"NP-{number}", description=f"{number} {HUGE}", category="NITROGEN PACKAGE")
        deployment.put_products(row, tenant="large")
    answer = invoke(handler, {"full": True, "filters": [], "top_k": 4}, tenant="large")
    texts = [hit["product"]["description"] for hit in answer["results"]]
    assert len(texts) == 4
    assert sum(map(len, texts)) <= 15_000
    assert {hit["more"] for hit in answer["results"]} == {"get_specs"}


def test_a_number_that_json_cannot_mean_is_refused() -> None:
    answer = invoke(handler, {"query": "compressor", "hp_max": float("inf")})
    assert answer["details"]["problems"] == [{"path": "hp_max", "message": "Input should be a finite number"}]


def down() -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"http://127.0.0.1:{free_port()}/v1"}


def test_text_alone_answers_when_embeddings_are_down(deployment: Deployment) -> None:
    with deployment.serving(**down()):
        answer = search("oilless scroll compressor for the night shift", full=True)
    assert answer["degraded"] is True
    assert "Embeddings are unavailable" in answer["notice"]
    best = answer["results"][0]
    assert (best["product"]["model"], best["legs"]) == ("SES100", ["text"])
    assert not {"score", "confidence"} & best.keys()


def test_no_text_hit_while_embeddings_are_down_is_no_empty_list(deployment: Deployment) -> None:
    with deployment.serving(**down()):
        answer = invoke(handler, {"query": "gizmo"})
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "does not mean that nothing fits" in answer["message"]


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


def test_words_that_nothing_here_has_are_unread_and_without_any_other_nothing_may_fit() -> None:
    answer = search("bomba aerotermia 100 hp")
    assert {"bomba", "aerotermia"} <= set(answer["unread"])
    assert "Nothing here has the words bomba, aerotermia, so nothing may fit" in answer["notice"]
    known = search("oilless compressor 100 hp for a cinderblock")
    assert "cinderblock" in known["unread"]
    assert "nothing may fit" not in (known.get("notice") or "")
    assert "unread" not in search("oilless compressor 100 hp")


def test_a_word_that_two_attributes_have_for_a_value_asks_for_one_of_them(deployment: Deployment) -> None:
    goods = [product("CT-1", family="accessory", body="nitrile", coating="none", description="Glove."),
             product("CT-2", family="accessory", body="cotton", coating="nitrile", description="Glove.")]  # fmt: skip
    deployment.put_products(*goods, tenant="gloves")
    answer = search("nitrile glove", tenant="gloves")
    assert {tuple(row[:2]) for row in answer["rows"]} == {("CT-1", "+w"), ("CT-2", "w+")}
    assert "notice" not in answer


def test_an_attribute_that_was_just_loaded_is_known_to_searches_and_lists(deployment: Deployment) -> None:
    deployment.put_products(product("J-1", hp=5), tenant="just")
    assert search("compressor", tenant="just")["rows"]
    deployment.put_products(product("J-2", reach=7), tenant="just")
    time.sleep(AGAIN_S)
    need = [{"attribute": "reach", "is": "7"}]
    assert "unread" not in search("compressor", tenant="just", needs=need)
    deployment.put_products(product("J-3", depth=7), tenant="just")
    time.sleep(AGAIN_S)
    known = invoke(list_attributes, {"families": ["compressor"]}, tenant="just")["attributes"][0]
    assert "depth" in str(known)


def test_a_unit_that_was_just_loaded_is_read_in_words(deployment: Deployment) -> None:
    deployment.put_products(product("J-4", hp=5), tenant="just")
    assert search("compressor 5 cavalos", tenant="just")["unread"][0] == "5"
    own = "(tenant, symbol, spellings, dimension, factor) VALUES ('just', 'cavalos', '{}', 'power', 735.5)"
    deployment.rows(f"INSERT INTO search.units {own} RETURNING symbol", tenant="just")
    time.sleep(AGAIN_S)
    assert {"attribute": "hp", "is": "5 cavalos"} in search("compressor 5 cavalos", tenant="just")["needs"]


def test_words_of_a_script_without_blanks_are_found_in_text_and_in_values(deployment: Deployment) -> None:
    goods = [
        ("弁-25", "バルブ 安全弁 蒸気用", "青銅"),
        ("弁-40", "バルブ ボール弁", "ステンレス鋼"),
        ("泵-40", "ポンプ 渦巻式", "鋳鉄"),
    ]
    rows = [
        product(model, manufacturer="ミナト", category="設備", description=text, attributes={"material": value})
        for model, text, value in goods
    ]
    deployment.put_products(*rows, tenant="kana")
    for query, model in (
        ("蒸気用の安全弁をお願いします", "弁-25"),
        ("ｽﾃﾝﾚｽ鋼のバルブ", "弁-40"),
        ("鋳鉄", "泵-40"),
        ("泵40", "泵-40"),
    ):
        assert search(query, tenant="kana")["results"][0]["product"]["model"] == model
    [first, *_] = search("ステンレス鋼のバルブ", tenant="kana")["results"]
    assert first["fit"] == ["material met: ステンレス鋼"]


def test_what_goods_were_sold_for_is_told_to_whoever_may_read_quotes() -> None:
    def columns(*scopes: str) -> set[str]:
        asked = {"query": "blower", "top_k": 2}
        answer = invoke(handler, asked, tool="search_equipment", scopes=list(scopes))
        return set(answer["columns"])

    assert columns("equipment:read", "quotes:read") - columns("equipment:read") == {"sold or quoted", "won"}
    quoted = SaleFacts(lead_time="6 weeks", lead_time_on=date(2026, 3, 1), kept="9", kept_on=date(2026, 5, 1), won=1)
    assert quoted.of_the_product().cell("lead_time") == ""
    assert SaleFacts(lead_time="6 weeks").of_the_product().cell("lead_time") == "6 weeks"
