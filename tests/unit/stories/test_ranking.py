"""Properties of the stories' ranking, over generated pools."""

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stories.ranking import (
    MIN_SCORE,
    WEIGHTS,
    Mode,
    RelationCandidate,
    areas,
    inverse_frequency,
    normalised,
    present,
    rank,
    saturate,
)

MODES = st.sampled_from(sorted(WEIGHTS))
UNIT = st.floats(min_value=0, max_value=1, allow_nan=False)
OVERLAP = st.sampled_from([0.0, 1 / 35, 1 / 8, 1 / 8 + 1 / 35, 1.0, 3.5])
CANDIDATE = st.builds(
    RelationCandidate,
    story_key=st.uuids().map(str),
    section_key=st.sampled_from(["a", "b", "c", "d"]),
    closeness=UNIT,
    entity_overlap=OVERLAP,
    path_overlap=OVERLAP,
)
POOL = st.lists(CANDIDATE, max_size=30, unique_by=lambda item: item.story_key)


def story(key: str, **numbers: float) -> RelationCandidate:
    return RelationCandidate(key, "section", numbers.pop("closeness", 0.3), **numbers)


def keys(pool: list[RelationCandidate], mode: Mode) -> list[str]:
    return [item.candidate.story_key for item in rank(pool, mode=mode)]


def test_the_weights_are_those_of_the_requirements() -> None:
    assert WEIGHTS["blended"].vector == 0.5
    assert (WEIGHTS["blended"].entity, WEIGHTS["blended"].path) == (0.25, 0.25)
    assert (WEIGHTS["semantic"].entity, WEIGHTS["semantic"].path) == (0, 0)
    assert WEIGHTS["structural"].path > WEIGHTS["structural"].vector + WEIGHTS["structural"].entity
    assert all(math.isclose(each.total, 1) for each in WEIGHTS.values())


@given(POOL, MODES)
def test_scores_lie_between_0_and_1_and_their_parts_add_up(pool: list[RelationCandidate], mode: Mode) -> None:
    for item in rank(pool, mode=mode):
        assert 0 <= item.score <= 1 + 1e-9
        assert MIN_SCORE <= item.evidence <= 1 + 1e-9
        assert math.isclose(item.parts.total, item.score, abs_tol=1e-9)


@given(POOL, MODES)
def test_results_come_best_first_and_once(pool: list[RelationCandidate], mode: Mode) -> None:
    ranked = rank(pool, mode=mode)
    assert [item.score for item in ranked] == sorted((item.score for item in ranked), reverse=True)
    assert len({item.candidate.story_key for item in ranked}) == len(ranked)


@given(POOL, MODES, st.randoms())
def test_the_order_of_the_pool_does_not_matter(pool: list[RelationCandidate], mode: Mode, random: Random) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)
    assert keys(shuffled, mode) == keys(pool, mode)


@given(POOL)
def test_semantic_sees_neither_entities_nor_paths(pool: list[RelationCandidate]) -> None:
    bare = [replace(item, entity_overlap=0.0, path_overlap=0.0) for item in pool]
    assert keys(pool, "semantic") == keys(bare, "semantic")


@given(POOL.filter(bool), MODES, st.data())
def test_being_closer_never_costs_a_place(pool: list[RelationCandidate], mode: Mode, data: st.DataObject) -> None:
    chosen = data.draw(st.integers(0, len(pool) - 1))
    better = list(pool)
    better[chosen] = replace(pool[chosen], closeness=data.draw(st.floats(pool[chosen].closeness, 1)))
    key = pool[chosen].story_key
    before, after = keys(pool, mode), keys(better, mode)
    if key in before:
        rivals = set(before[: before.index(key)])
        assert set(after[: after.index(key)]) <= rivals | (set(after) - set(before))


@given(st.lists(st.builds(RelationCandidate, story_key=st.uuids().map(str), section_key=st.just("a"),
                          closeness=st.floats(0, MIN_SCORE * 0.99))), MODES)  # fmt: skip
def test_a_pool_of_strangers_gives_nothing(pool: list[RelationCandidate], mode: Mode) -> None:
    assert rank(pool, mode=mode) == []


def test_the_best_of_a_poor_pool_is_still_not_a_match() -> None:
    pool = [story("near", closeness=0.14), story("far", closeness=0.01)]
    assert normalised([item.closeness for item in pool]) == [1, 0]
    assert rank(pool, mode="blended") == []


@pytest.mark.parametrize("mode", sorted(WEIGHTS))
@pytest.mark.parametrize("overlap", [1 / 35, 1 / 8, 1.0, 3.5])
def test_an_entity_alone_is_no_evidence_however_distinctive(overlap: float, mode: Mode) -> None:
    assert keys([story("alone", closeness=0, entity_overlap=overlap), story("none", closeness=0)], mode) == []


def test_a_distinctive_tag_supports_a_faint_likeness_and_a_hub_does_not() -> None:
    hub = [story("hub", closeness=0.1, entity_overlap=1 / 35), story("none", closeness=0)]
    rare = [story("rare", closeness=0.1, entity_overlap=1 / 8), story("none", closeness=0)]
    assert keys(hub, "blended") == []
    assert keys(rare, "blended") == ["rare"]


@given(st.integers(1, 7), st.integers(8, 40))
def test_a_distinctive_tag_outranks_a_hub(rare: int, hub: int) -> None:
    pool = [story("hub", path_overlap=1 / hub), story("rare", path_overlap=1 / rare), story("none")]
    assert keys(pool, "structural").index("rare") < keys(pool, "structural").index("hub")


def test_structural_prefers_a_shared_file_and_semantic_the_closer_meaning() -> None:
    pool = [story("close", closeness=0.6), story("shares", closeness=0.3, path_overlap=1 / 2)]
    assert keys(pool, "structural")[0] == "shares"
    assert keys(pool, "semantic")[0] == "close"


def test_a_signal_that_the_context_cannot_have_gives_its_weight_to_the_others() -> None:
    prose = present(WEIGHTS["blended"], [story("a"), story("b")])
    assert (prose.vector, prose.entity, prose.path) == (1, 0, 0)
    named = present(WEIGHTS["blended"], [story("a", entity_overlap=0.1)])
    assert (named.vector, named.entity, named.path) == pytest.approx((2 / 3, 1 / 3, 0))


def test_an_entity_gains_nothing_by_a_path_that_code_does_not_name() -> None:
    without = present(WEIGHTS["structural"], [story("a", entity_overlap=0.1)])
    assert (without.vector, without.entity, without.path) == pytest.approx((2 / 3, 1 / 3, 0))


@given(st.floats(0, 100), st.floats(0, 100))
def test_saturation_rises_but_never_reaches_one(less: float, more: float) -> None:
    low, high = sorted((less, more))
    assert 0 <= saturate(low) <= saturate(high) < 1


@given(st.floats(0, 10), st.floats(0.01, 10))
def test_the_same_step_counts_less_the_more_there_is(start: float, step: float) -> None:
    first = saturate(start + step) - saturate(start)
    second = saturate(start + 2 * step) - saturate(start + step)
    assert second <= first + 1e-12


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_min_max_spans_the_pool(values: list[float]) -> None:
    found = normalised(values)
    assert all(0 <= value <= 1 for value in found)
    if min(values) < max(values):
        assert (min(found), max(found)) == (0, 1)


@pytest.mark.parametrize(("values", "expected"), [([], []), ([0.0, 0.0], [0, 0]), ([0.4, 0.4], [1, 1])])
def test_min_max_of_a_pool_without_spread(values: list[float], expected: list[float]) -> None:
    assert normalised(values) == expected


def test_frequencies_weigh_one_over_themselves() -> None:
    assert inverse_frequency([]) == 0
    assert inverse_frequency([8, 35]) == pytest.approx(1 / 8 + 1 / 35)


@given(POOL, MODES)
def test_every_story_falls_into_exactly_its_own_area(pool: list[RelationCandidate], mode: Mode) -> None:
    ranked = rank(pool, mode=mode)
    found = areas(ranked)
    assert sorted(item.candidate.story_key for area in found for item in area.members) == sorted(keys(pool, mode))
    assert all(item.candidate.section_key == area.section_key for area in found for item in area.members)


@given(POOL, MODES)
def test_an_area_is_worth_at_most_its_best_story_and_areas_come_best_first(
    pool: list[RelationCandidate], mode: Mode
) -> None:
    found = areas(rank(pool, mode=mode))
    assert [area.score for area in found] == sorted((area.score for area in found), reverse=True)
    for area in found:
        assert area.score <= area.members[0].score + 1e-9
        assert list(area.members) == sorted(area.members, key=lambda item: -item.score)


def test_support_breaks_the_tie_between_two_areas() -> None:
    pool = [
        RelationCandidate("a1", "alone", 0.8),
        RelationCandidate("b1", "backed", 0.8),
        RelationCandidate("b2", "backed", 0.7),
        RelationCandidate("c1", "stranger", 0.2),
    ]
    assert [area.section_key for area in areas(rank(pool, mode="semantic"))][:2] == ["backed", "alone"]
