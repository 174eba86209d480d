"""find_crossover over the sample stories."""

from typing import Any

import pytest

from stories.find_crossover import handler
from tests.deployment import invoke


def crossover(**arguments: object) -> dict[str, Any]:
    answer = invoke(handler, arguments)
    assert "error" not in answer, answer
    return answer


def test_a_section_names_what_it_shares_with_the_others() -> None:
    answer = crossover(section_key="watermarking", limit=50)
    assert answer["source"] == {"section_key": "watermarking", "story_key": None, "title": "Watermarking"}
    found = {item["section_key"]: item for item in answer["sections"]}
    assert "watermarking" not in found
    proofing = found["client-proofing"]
    assert {tag["name"] for tag in proofing["shared_paths"]} == {"src/watermark/apply_watermark.ts"}
    assert proofing["shared_slugs"][0] == {
        "name": "watermark", "doc_frequency": 8, "weight": 0.125, "story_keys": ["PRF-05"]
    }  # fmt: skip


def test_scores_are_sums_of_one_over_df_best_first() -> None:
    sections = crossover(section_key="folders", limit=50)["sections"]
    assert [item["score"] for item in sections] == sorted((item["score"] for item in sections), reverse=True)
    for item in sections:
        tags = [*item["shared_paths"], *item["shared_slugs"]]
        if len(tags) == item["shared_in_all"]:
            assert sum(1 / tag["doc_frequency"] for tag in tags) == pytest.approx(item["score"], abs=1e-3)
        assert item["path_score"] + item["slug_score"] == pytest.approx(item["score"], abs=2e-4)


def test_a_story_crosses_over_with_less_than_its_section() -> None:
    story = {item["section_key"] for item in crossover(story_key="wmk-06", limit=50)["sections"]}
    section = {item["section_key"] for item in crossover(section_key="watermarking", limit=50)["sections"]}
    assert story < section
    assert "people-and-faces" in story


def test_a_hub_does_not_drown_a_distinctive_tag() -> None:
    sections = [item["section_key"] for item in crossover(story_key="WMK-03", limit=50)["sections"]]
    assert sections.index("client-proofing") < sections.index("slideshows")


def test_unknown_keys_are_not_found_with_what_was_meant() -> None:
    answer = invoke(handler, {"section_key": "watermaking"})
    assert (answer["code"], answer["details"]["nearest"][0]) == ("NOT_FOUND", "watermarking")
    answer = invoke(handler, {"story_key": "WMK-2"})
    assert answer["code"] == "NOT_FOUND"
    assert "WMK-02" in answer["details"]["nearest"]


@pytest.mark.parametrize("event", [{}, {"section_key": "folders", "story_key": "FLD-01"}])
def test_exactly_one_source_is_needed(event: dict[str, str]) -> None:
    answer = invoke(handler, event)
    assert answer["code"] == "VALIDATION_ERROR"
    assert "exactly one of section_key and story_key" in answer["message"]
