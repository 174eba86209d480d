"""Entanglement of sections."""

from hypothesis import given
from hypothesis import strategies as st

from stories.ranking import Tag, entangled

TAG = st.builds(
    Tag,
    section_key=st.sampled_from(["a", "b", "c"]),
    section=st.just("Section"),
    kind=st.sampled_from(["path", "slug"]),
    name=st.text("xyz", min_size=1, max_size=3),
    doc_frequency=st.integers(2, 40),
)
TAGS = st.lists(TAG, max_size=30, unique_by=lambda tag: (tag.section_key, tag.kind, tag.name))


def tag(section: str, name: str, frequency: int, *stories: str) -> Tag:
    return Tag(
        section_key=section, section=section, kind="slug", name=name, doc_frequency=frequency, story_keys=stories
    )


def test_one_distinctive_tag_outweighs_three_hubs() -> None:
    found = entangled(
        [tag("rare", "watermark", 8), *(tag("hubs", name, 35) for name in ("folder", "gallery", "file"))]
    )
    assert [item.section_key for item in found] == ["rare", "hubs"]


def test_a_tag_counts_once_however_many_stories_have_it() -> None:
    one, many = entangled([tag("one", "a", 8, "S-1"), tag("many", "a", 8, "S-2", "S-3", "S-4")])
    assert one.slug_score == many.slug_score


@given(TAGS)
def test_every_shared_tag_is_named_and_sections_come_most_entangled_first(tags: list[Tag]) -> None:
    found = entangled(tags)
    named = [
        shared for item in found for shared in (*item.paths, *item.slugs) if shared.section_key == item.section_key
    ]
    assert sorted(named, key=repr) == sorted(tags, key=repr)
    scores = [item.path_score + item.slug_score for item in found]
    assert scores == sorted(scores, reverse=True)


@given(TAGS)
def test_tags_come_most_distinctive_first(tags: list[Tag]) -> None:
    for item in entangled(tags):
        for shared in (item.paths, item.slugs):
            assert [t.doc_frequency for t in shared] == sorted(t.doc_frequency for t in shared)
