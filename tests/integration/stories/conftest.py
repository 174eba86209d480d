"""The sample stories in the module's own database, embedded; and a rival tenant's single one."""

from collections.abc import Iterator

import pytest

from stories.ingestion import STORIES
from tests.deployment import Deployment
from tests.related.judged import put_sample_stories

RIVAL = {
    "story_key": "RIV-1",
    "section": "Rival Watermarks",
    "title": "A rival's watermark across the whole frame",
    "narrative": "Tile the rival's watermark over every proof so that screenshots are useless.",
    "actor": "rival",
    "status": "rumoured",
    "entity_slugs": ["watermark", "rival-slug"],
    "code_paths": ["src/watermark/tiling.ts", "src/rival/secret.ts"],
}


@pytest.fixture(scope="module", autouse=True)
def stories(deployment: Deployment) -> None:
    put_sample_stories(deployment)
    deployment.put(STORIES, [RIVAL], tenant="rival")
    deployment.embed()


@pytest.fixture(autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    with deployment.serving("quarry_read"):
        yield
