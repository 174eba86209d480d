"""Entanglement of sections."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stories.find_crossover import TAGS_SHOWN, entangled

Row = dict[str, Any]
ROW = st.fixed_dictionaries(
    {
        "section_key": st.sampled_from(["a", "b", "c"]),
        "section": st.just("Section"),
        "kind": st.sampled_from(["path", "slug"]),
        "name": st.text("xyz", min_size=1, max_size=3),
        "doc_frequency": st.integers(2, 40),
        "story_keys": st.just([]),
    }
)
ROWS = st.lists(ROW, max_size=TAGS_SHOWN, unique_by=lambda row: (row["section_key"], row["kind"], row["name"]))


def tag(section: str, name: str, frequency: int, *stories: str) -> Row:
    said = {"kind": "slug", "name": name, "doc_frequency": frequency, "story_keys": list(stories)}
    return {"section_key": section, "section": section, **said}


def test_one_distinctive_tag_outweighs_three_hubs() -> None:
    found = entangled(
        [tag("rare", "watermark", 8), *(tag("hubs", name, 35) for name in ("folder", "gallery", "file"))]
    )
    assert [item.section_key for item in found] == ["rare", "hubs"]


def test_a_tag_counts_once_however_many_stories_have_it() -> None:
    one, many = sorted(entangled([tag("one", "a", 8, "S-1"), tag("zany", "a", 8, "S-2", "S-3", "S-4")]), key=str)
    assert one.slug_score == many.slug_score


@given(ROWS)
def test_every_shared_tag_is_named_and_sections_come_most_entangled_first(rows: list[Row]) -> None:
    found = entangled(rows)
    named = [
        (item.section_key, kind, shared.name, shared.doc_frequency)
        for item in found
        for kind, tags in (("path", item.shared_paths), ("slug", item.shared_slugs))
        for shared in tags
    ]
    assert sorted(named) == sorted(
        (row["section_key"], row["kind"], row["name"], row["doc_frequency"]) for row in rows
    )
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)


@given(ROWS)
def test_tags_come_most_distinctive_first(rows: list[Row]) -> None:
    for item in entangled(rows):
        for shared in (item.shared_paths, item.shared_slugs):
            assert [t.doc_frequency for t in shared] == sorted(t.doc_frequency for t in shared)
