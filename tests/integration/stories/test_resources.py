"""schema://taxonomy, live from the data."""

import json
from typing import Any

from stories.ingestion import STORIES
from stories.resources import handler
from tests.deployment import Deployment, invoke
from tests.integration.stories.conftest import RIVAL


def taxonomy(tenant: str = "acme") -> dict[str, Any]:
    (content,) = invoke(handler, {"uri": "schema://taxonomy"}, tenant=tenant)["contents"]
    assert content["mimeType"] == "application/json"
    parsed: dict[str, Any] = json.loads(content["text"])
    return parsed


def test_it_counts_what_there_is() -> None:
    found = taxonomy()
    assert (found["stories"], found["awaiting_embedding"], len(found["sections"])) == (211, 0, 35)
    assert found["statuses"] == {"production": 193, "beta": 9, "planned": 5, "in-progress": 4}
    assert {"section_key": "watermarking", "title": "Watermarking", "stories": 6} in found["sections"]
    assert found["entity_slugs"]["total"] == 304
    assert found["entity_slugs"]["most_frequent"]["folder"] == 35
    assert (found["code_paths"]["total"], found["code_paths"]["shared"]) == (300, 84)


def test_it_follows_the_data_and_the_tenant(deployment: Deployment) -> None:
    deployment.put(STORIES, [{**RIVAL, "story_key": "RIV-2", "entity_slugs": ["watermark"]}], tenant="rival")
    found = taxonomy("rival")
    assert (found["stories"], found["awaiting_embedding"]) == (2, 1)
    assert found["entity_slugs"]["most_frequent"] == {"watermark": 2, "rival-slug": 1}
    assert taxonomy("nobody")["sections"] == []
