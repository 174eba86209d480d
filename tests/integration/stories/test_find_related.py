"""find_related over the sample stories, on real Postgres with real embeddings."""

from typing import Any

import pytest

from local.ports import free_port
from stories.find_related import handler
from stories.ranking import MIN_SCORE
from tests.deployment import Deployment, invoke
from tests.related.__main__ import table
from tests.related.judged import meets_floors, outcomes, read_cases

DIFF = """\
diff --git a/src/watermark/apply_watermark.ts b/src/watermark/apply_watermark.ts
@@ -10,2 +10,2 @@
-const opacity = 0.4;
+const opacity = 0.5;
"""
DOWN = f"http://127.0.0.1:{free_port()}/v1"


def related(context: str, **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, {"context": context, **arguments})
    assert "error" not in answer, answer
    return answer


def sections(answer: dict[str, Any]) -> list[str]:
    return [area["section_key"] for area in answer["areas"]]


def keys(answer: dict[str, Any]) -> list[str]:
    return [item["story"]["story_key"] for item in answer["stories"]]


@pytest.mark.parametrize(
    ("context", "section"),
    [
        ("Clients take screenshots of unpaid proofs. Can we stamp our logo over the pictures?", "watermarking"),
        ("grandparents want to buy without creating an account", "cart-and-checkout"),
        ("parents must only see the pictures of their own child", "schools-and-sports"),
        ("the connection in the hotel dropped and the transfer started again from zero", "uploads"),
        ("get the couple's signature on the agreement by phone", "contracts"),
        ("show me who else is in this picture by their faces", "people-and-faces"),
    ],
)
def test_prose_finds_its_area(context: str, section: str) -> None:
    answer = related(context)
    assert section in sections(answer)[:2]
    assert (answer["looks_like_code"], answer["ranked_as"]) == (False, "blended")


def test_a_diff_finds_the_stories_of_its_file_first() -> None:
    answer = related(DIFF, scope="stories", limit=3)
    assert (answer["looks_like_code"], answer["ranked_as"]) == (True, "structural")
    assert set(keys(answer)[:2]) == {"WMK-02", "PRF-05"}
    best = answer["stories"][0]
    assert best["matched_paths"] == [{"name": "src/watermark/apply_watermark.ts", "doc_frequency": 2}]
    assert best["parts"]["path"] == {"raw": 0.5, "contribution": pytest.approx(0.6, abs=0.2)}


def test_a_shared_file_passes_the_gate_of_code_however_far_its_meaning() -> None:
    answer = related("src/team/payouts.ts", mode="structural", scope="stories", limit=3)
    assert set(keys(answer)[:2]) == {"TEM-05", "SCH-07"}


def test_the_parts_add_up_to_the_score() -> None:
    for item in related("watermark on proofs in src/watermark/tiling.ts", scope="stories", limit=50)["stories"]:
        parts = item["parts"]
        total = sum(parts[name]["contribution"] for name in ("vector", "entity", "path"))
        assert total == pytest.approx(item["score"], abs=2e-4)
        assert item["evidence"] >= MIN_SCORE


def test_semantic_takes_nothing_from_entities_and_paths() -> None:
    answer = related("watermark src/watermark/tiling.ts", mode="semantic", scope="stories")
    assert answer["stories"]
    for item in answer["stories"]:
        assert item["parts"]["entity"]["contribution"] == item["parts"]["path"]["contribution"] == 0


def test_a_distinctive_entity_outweighs_the_hub() -> None:
    answer = related("a folder and its watermark", scope="stories", limit=50)
    by_key = {item["story"]["story_key"]: item for item in answer["stories"]}
    assert [tag["name"] for tag in by_key["WMK-03"]["matched_slugs"]] == ["watermark", "folder"]
    raw = {key: item["parts"]["entity"]["raw"] for key, item in by_key.items()}
    assert raw["WMK-02"] == pytest.approx(1 / 8, abs=1e-4)
    assert raw["WMK-03"] == pytest.approx(1 / 8 + 1 / 35, abs=1e-4)


@pytest.mark.parametrize("mode", ["blended", "semantic", "structural"])
@pytest.mark.parametrize(
    "context",
    [
        "zxqv flurble wibble",
        "Which torque do the bolts of a steam turbine need?",
        "fn main() {\n  let x = sonnet();\n}",
    ],
)
def test_nothing_is_forced_where_nothing_fits(context: str, mode: str) -> None:
    answer = related(context, mode=mode)
    assert (answer["areas"], answer["stories"]) == ([], [])
    assert answer["degraded"] is False


def test_scope_says_which_list_is_filled_and_limit_how_far() -> None:
    areas = related("print orders for clients", limit=3)
    assert len(areas["areas"]) == 3
    assert areas["stories"] == []
    stories = related("print orders for clients", scope="stories", limit=7)
    assert len(stories["stories"]) == 7
    assert stories["areas"] == []


def test_an_area_describes_itself() -> None:
    area = related("design a watermark from a logo")["areas"][0]
    assert (area["section_key"], area["title"]) == ("watermarking", "Watermarking")
    assert 1 <= len(area["stories"]) <= 3
    assert area["matching_stories"] >= len(area["stories"])
    assert "src/watermark/WatermarkEditor.tsx" in area["code_paths"]
    assert area["matched_slugs"][0]["doc_frequency"] <= area["matched_slugs"][-1]["doc_frequency"]


def test_a_tenant_without_stories_gets_an_empty_answer() -> None:
    answer = invoke(handler, {"context": "watermark"}, tenant="nobody")
    assert answer["areas"] == []


def test_words_and_overlaps_stand_in_when_embeddings_are_down(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", OPENAI_BASE_URL=DOWN):
        answer = related("tile a watermark across proofs that nobody asked before", scope="stories")
        code = related(DIFF.replace("0.5", "0.55"), scope="stories")
    assert answer["degraded"] is True
    assert "Embeddings are unavailable" in answer["notice"]
    assert any(key.startswith("WMK") for key in keys(answer)[:3])
    assert set(keys(code)[:2]) == {"WMK-02", "PRF-05"}


def test_nothing_found_while_embeddings_are_down_is_not_no_match(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", OPENAI_BASE_URL=DOWN):
        answer = invoke(handler, {"context": "quokka marsupial"})
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)


def test_a_story_without_a_vector_is_found_by_its_words(deployment: Deployment) -> None:
    deployment.rows("DELETE FROM stories.user_stories_vectors v USING stories.user_stories d "
                    "WHERE v.doc = d.id AND d.story_key = 'BKG-06'")  # fmt: skip
    answer = related("hour of good light next to each slot", scope="stories")
    assert keys(answer)[0] == "BKG-06"
    assert answer["degraded"] is False


def test_the_judged_contexts_hold_their_floors() -> None:
    found = outcomes(read_cases())
    assert meets_floors(found), table(found)
