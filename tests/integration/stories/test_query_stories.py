"""query_stories over the sample stories."""

from typing import Any

import pytest

from stories.ingestion import STORIES
from stories.query_stories import handler
from tests.deployment import TENANT, Deployment, invoke
from tests.integration.stories.conftest import RIVAL


def query(tenant: str = TENANT, /, **arguments: object) -> dict[str, Any]:
    answer = invoke(handler, arguments, tenant=tenant)
    assert "error" not in answer, answer
    return answer


def keys(answer: dict[str, Any]) -> list[str]:
    return [story["story_key"] for story in answer["stories"]]


def test_filters_are_joined_with_and_and_echoed() -> None:
    answer = query(entity_slug="watermark", section_key="watermarking", status="production")
    assert keys(answer) == ["WMK-01", "WMK-02", "WMK-03", "WMK-04", "WMK-05"]
    assert answer["applied_filters"] == {
        "entity_slug": "watermark", "section_key": "watermarking", "status": "production"
    }  # fmt: skip
    assert all(story["status"] == "production" for story in answer["stories"])


def test_without_filters_the_limit_holds_and_says_so() -> None:
    answer = query(limit=10)
    assert (len(answer["stories"]), answer["total"], answer["truncated"]) == (10, 211, True)
    assert answer["applied_filters"] == {}
    assert len(query()["stories"]) == 25


def test_values_are_understood_in_any_spelling() -> None:
    answer = query(actor="Studio Owner", code_path="./src/team/payouts.ts:12")
    assert answer["applied_filters"] == {"actor": "studio-owner", "code_path": "src/team/payouts.ts"}
    assert keys(answer) == ["SCH-07", "TEM-05"]


def test_a_section_is_found_by_its_plain_spelling(deployment: Deployment) -> None:
    row = {**RIVAL, "section": "Wysyłka"}
    deployment.put(STORIES, [row], tenant="plain")
    for asked in ("Wysylka", "wysyłka"):
        assert keys(query("plain", section_key=asked)) == ["RIV-1"]


def test_a_trailing_slash_takes_the_whole_folder() -> None:
    answer = query(code_path="src/watermark/")
    assert set(keys(answer)) == {*(f"WMK-{n:02}" for n in range(1, 7)), "PRF-05"}
    assert keys(query(code_path="src/watermark")) == []


def test_nested_filters_count_and_top_level_wins() -> None:
    assert query(filters={"entity_slug": "watermark"}, limit=100)["total"] == 8
    answer = query(section_key="folders", filters={"section_key": "uploads", "entity_slug": "smart-folder"})
    assert answer["applied_filters"] == {"section_key": "folders", "entity_slug": "smart-folder"}
    assert keys(answer) == ["FLD-07"]


def test_groups_are_counted_most_first() -> None:
    answer = query(group_by="status")
    assert answer["groups"][0] == {"value": "production", "stories": 193}
    assert sum(group["stories"] for group in answer["groups"]) == 211
    assert answer["stories"] == []
    top = query(group_by="entity_slug", limit=1)
    assert top["groups"] == [{"value": "folder", "stories": 35}]
    assert (top["total"], top["truncated"]) == (304, True)


def test_all_pages_give_every_story_once_under_one_total() -> None:
    answer = query(limit=100)
    seen = keys(answer)
    while answer["next_cursor"] is not None:
        assert (answer["total"], answer["truncated"]) == (211, True)
        answer = query(limit=100, cursor=answer["next_cursor"])
        seen += keys(answer)
    assert (len(seen), len(set(seen)), answer["truncated"]) == (211, 211, False)


def test_groups_obey_the_filters() -> None:
    answer = query(group_by="section_key", entity_slug="watermark")
    assert answer["groups"][0] == {"value": "watermarking", "stories": 6}
    assert sum(group["stories"] for group in answer["groups"]) == 8
    assert query(group_by="code_path", section_key="watermarking")["total"] == 11
    assert query(group_by="actor", status="planned")["total"] >= 1


def test_a_misspelt_value_gives_nothing_and_what_was_meant() -> None:
    answer = query(entity_slug="watermarc", status="prodction", section_key="folders")
    assert answer["stories"] == []
    unknown = {item["filter"]: item["did_you_mean"] for item in answer["unknown_values"]}
    assert unknown == {"entity_slug": ["watermark"], "status": ["production"]}


def test_values_that_exist_but_never_meet_are_not_called_unknown() -> None:
    answer = query(entity_slug="watermark", section_key="invoicing")
    assert (answer["total"], answer["unknown_values"]) == (0, [])


@pytest.mark.parametrize(
    "value", ["'; DROP TABLE stories.user_stories; --", "%", "_", "watermark' OR '1'='1", "\\", "🦊", "{a,b}"]
)
def test_a_value_is_only_ever_a_value(value: str) -> None:
    for name in ("status", "section_key", "actor", "entity_slug", "code_path"):
        answer = query(**{name: value})
        assert (answer["total"], len(answer["unknown_values"])) == (0, 1)
    assert query()["total"] == 211
