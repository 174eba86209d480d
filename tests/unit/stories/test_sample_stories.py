"""The sample stories have the shape that their README says."""

from collections import Counter
from functools import cache
from typing import cast

from local.corpus_loader import CORPUS
from operations.reading import read
from quarry.ingestion import Accepted
from stories.ingestion import STORIES, StoryRow


@cache
def sample() -> list[tuple[StoryRow, str | None]]:
    with (CORPUS / "stories/stories.csv").open("rb") as file:
        items = list(read(file, STORIES, file_name="stories.csv"))
    accepted = [item for item in items if isinstance(item, Accepted)]
    assert len(accepted) == len(items)
    return [(cast(StoryRow, item.row), item.repair) for item in accepted]


def test_the_counts_are_those_of_the_readme() -> None:
    rows = [row for row, _ in sample()]
    slugs = Counter(name for row in rows for name in row.entity_slugs)
    paths = Counter(name for row in rows for name in row.code_paths)
    assert len({row.story_key for row in rows}) == len(rows) == 211
    assert len({row.section_key for row in rows}) == 35
    assert (len(slugs), len(paths), sum(count > 1 for count in paths.values())) == (304, 300, 84)
    assert (slugs["folder"], slugs["watermark"]) == (35, 8)


def test_five_titles_need_repair() -> None:
    assert sum(repair is not None for _, repair in sample()) == 5
    assert "Rename, merge and split folders" in {row.title for row, _ in sample()}


def test_no_two_stories_share_a_title_or_a_narrative() -> None:
    rows = [row for row, _ in sample()]
    assert len({row.title for row in rows}) == len({row.narrative for row in rows}) == len(rows)
