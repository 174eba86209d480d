"""The graph tables follow the stories: links, document frequencies, idempotent upserts."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from operations import ingest_account
from quarry.ingestion import Accepted
from stories.ingestion import STORIES
from tests.deployment import Deployment

SLUGS = st.lists(st.sampled_from(["folder", "watermark", "album", "frame", "lab"]), unique=True).map(sorted)
STORY = st.fixed_dictionaries({"story_key": st.sampled_from(["A", "B", "C", "D"]), "entity_slugs": SLUGS})
BATCH = st.lists(STORY, min_size=1, max_size=4, unique_by=lambda row: row["story_key"])


def story(key: str, **fields: object) -> dict[str, object]:
    return {
        "story_key": key,
        "section": "Section",
        "title": key,
        "narrative": "N",
        "actor": "a",
        "status": "s",
        **fields,
    }


def slug_frequencies(deployment: Deployment, tenant: str) -> dict[str, int]:
    rows = deployment.rows("SELECT slug, doc_frequency FROM stories.entities", tenant=tenant)
    return {row["slug"]: row["doc_frequency"] for row in rows}


def path_frequencies(deployment: Deployment, tenant: str) -> dict[str, int]:
    rows = deployment.rows("SELECT path, doc_frequency FROM stories.code_assets", tenant=tenant)
    return {row["path"]: row["doc_frequency"] for row in rows}


def counted(deployment: Deployment, array: str, tenant: str) -> dict[str, int]:
    rows = deployment.rows("SELECT entity_slugs, code_paths FROM stories.user_stories", tenant=tenant)
    return dict(Counter(name for row in rows for name in row[array]))


def test_the_frequencies_of_the_sample_are_exact(deployment: Deployment) -> None:
    slugs = slug_frequencies(deployment, "acme")
    assert slugs == counted(deployment, "entity_slugs", "acme")
    assert (slugs["folder"], slugs["watermark"]) == (35, 8)
    paths = path_frequencies(deployment, "acme")
    assert paths == counted(deployment, "code_paths", "acme")
    assert deployment.rows("SELECT * FROM search.inconsistencies('stories.user_stories')") == []


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(BATCH, st.sampled_from(["put", "put", "delete"])), min_size=1, max_size=5))
def test_frequencies_stay_exact_whatever_is_put_and_deleted(deployment: Deployment, steps: list[Any]) -> None:
    deployment.rows("DELETE FROM stories.user_stories", tenant="mill")
    for batch, step in steps:
        if step == "put":
            paths = [{**row, "code_paths": [f"{slug}.ts" for slug in row["entity_slugs"]]} for row in batch]
            deployment.put(STORIES, [story(row["story_key"], **row) for row in paths], tenant="mill")
        else:
            keys = [row["story_key"] for row in batch]
            deployment.rows(
                "DELETE FROM stories.user_stories WHERE story_key = ANY (%(keys)s)", {"keys": keys}, tenant="mill"
            )
        assert slug_frequencies(deployment, "mill") == counted(deployment, "entity_slugs", "mill")
        assert path_frequencies(deployment, "mill") == counted(deployment, "code_paths", "mill")


def test_frequencies_survive_writers_at_the_same_time(deployment: Deployment) -> None:
    def write(turn: int) -> None:
        for step in range(6):
            kept = [slug for n, slug in enumerate(("folder", "album", "lab")) if (turn + step) % (n + 2)]
            rows = [story(key, entity_slugs=kept, code_paths=[f"{slug}.ts" for slug in kept]) for key in "ABCDEF"]
            deployment.put(STORIES, rows[turn % 3 :], tenant="crowd")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert slug_frequencies(deployment, "crowd") == counted(deployment, "entity_slugs", "crowd")
    assert path_frequencies(deployment, "crowd") == counted(deployment, "code_paths", "crowd")


def report(deployment: Deployment, *rows: dict[str, object]) -> ingest_account.IngestReport:
    items = [Accepted(n, STORIES.row.model_validate(row), repair=None) for n, row in enumerate(rows, start=2)]
    with deployment.serving("quarry_ingest"):
        account = ingest_account.begin(STORIES.name, tenant="ledger", source="test")
        return ingest_account.write(iter(items), STORIES, account)


def test_the_same_rows_again_change_nothing_and_the_report_says_who_waits(deployment: Deployment) -> None:
    rows = [story("A", entity_slugs=["x"]), story("B", code_paths=["b.ts"])]
    first = report(deployment, *rows)
    assert (first.inserted, first.updated, first.unchanged, first.awaiting_embedding) == (2, 0, 0, 2)
    deployment.embed()
    again = report(deployment, *rows)
    assert (again.inserted, again.updated, again.unchanged, again.awaiting_embedding) == (0, 0, 2, 0)
    changed = report(deployment, story("A", entity_slugs=["y"]), rows[1])
    assert (changed.updated, changed.unchanged, changed.awaiting_embedding) == (1, 1, 1)
    assert slug_frequencies(deployment, "ledger") == {"y": 1}


def test_a_story_that_moves_takes_its_section_along(deployment: Deployment) -> None:
    report(deployment, story("M", section="Old Place"))
    report(deployment, story("M", section="New Place"), story("N", section="new place", section_key="new-place"))
    rows = deployment.rows("SELECT section_key, title FROM stories.sections ORDER BY 1", tenant="ledger")
    assert {"section_key": "new-place", "title": "new place"} in rows
    assert deployment.rows("SELECT section_key FROM stories.user_stories WHERE story_key = 'M'", tenant="ledger") == [
        {"section_key": "new-place"}
    ]
