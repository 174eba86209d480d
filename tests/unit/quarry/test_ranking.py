"""Ranking as a pure function: features, scores, their order, and what is worth reading."""

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.attributes.model import Attribute
from quarry.needs.model import BUILT_IN, Choice, Finding, Judgement, Need, Verdict
from quarry.retrieval import ranking
from quarry.retrieval.legs import Found, Match
from quarry.retrieval.ranking import FEATURES, Best, Candidate, Ranked
from quarry.retrieval.weights import LIKELY_GOOD, PROBABLE_MISS, WEIGHTS, Weights

FLOW = Attribute("flow", kind="number", sense="at_least")
NEED = Need(FLOW, (Choice(low=100.0, high=100.0),), "100")
WISH = Need(FLOW, NEED.choices, "100", wish=True)
FAMILY = Need(BUILT_IN["family"], (Choice(value="pump"),), "pump")
VERDICTS: tuple[Verdict, ...] = ("met", "close", "unknown", "contradicted")
SHARES = st.floats(0, 1)
BEST = Best(relevance=0.6, cosine=0.8, coverage=0.9)


def judgement(*verdicts: Verdict) -> Judgement:
    return Judgement(tuple(Finding(NEED, verdict) for verdict in verdicts))


def candidate(doc: int, *verdicts: Verdict, cosine: float = 0.5, **others: Any) -> Candidate:
    judged = judgement(*verdicts) if verdicts else None
    given = {"closeness": cosine, "judgement": judged, **others}
    return Candidate(doc=doc, row={"_doc": doc}, cosine=cosine, **given)


def sized(doc: int, verdict: Verdict, figure: float, *, asked: float = 100.0) -> Candidate:
    need = Need(FLOW, (Choice(low=asked, high=asked),), f"{asked:g}")
    found = Finding(need, verdict, f"{figure:g}", abs(figure - asked) / asked)
    return candidate(doc, judgement=Judgement((found,)))


def features(one: Candidate, relevance: float = 0.4) -> dict[str, float]:
    return dict(zip(FEATURES, ranking.features(one, relevance, best=BEST), strict=True))


def ranked(*candidates: Candidate, sort: str | None = None) -> list[Ranked]:
    return ranking.rank(candidates, weights=WEIGHTS["equipment"], sort=sort)


def order(*candidates: Candidate, sort: str | None = None) -> list[int]:
    return [item.candidate.doc for item in ranked(*candidates, sort=sort)]


FINDINGS = st.builds(
    Finding,
    st.sampled_from([NEED, WISH, FAMILY]),
    st.sampled_from(VERDICTS),
    distance=st.floats(0, 10),
)
CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(1, 10_000),
        cosine=st.floats(-0.2, 1),
        named=st.booleans(),
        aside=st.booleans(),
        unanswered=st.booleans(),
        value=st.none() | st.floats(-100, 100),
        match=st.none() | st.builds(Match, st.floats(0.01, 30), SHARES),
        judgement=st.none() | st.lists(FINDINGS, max_size=5).map(lambda each: Judgement(tuple(each))),
    ),
    max_size=30,
    unique_by=lambda one: one.doc,
)
WEIGHINGS = st.sampled_from(list(WEIGHTS.values())) | st.builds(
    Weights, st.floats(-5, 5), st.tuples(*[st.floats(-5, 5)] * len(FEATURES)), st.just(1.0)
)
SORTS = st.sampled_from([None, "flow", "-flow"])


def is_met(one: Candidate) -> bool:
    return one.judgement is None or one.judgement.is_met


@given(CANDIDATES, WEIGHINGS, SORTS)
def test_no_row_that_contradicts_stands_above_one_that_contradicts_nothing(
    candidates: list[Candidate], weights: Weights, sort: str | None
) -> None:
    places = [item.candidate.contradicts for item in ranking.rank(candidates, weights=weights, sort=sort)]
    assert places == sorted(places)


@given(CANDIDATES, WEIGHINGS, SORTS)
def test_every_candidate_is_ranked_once_in_the_order_of_its_score(
    candidates: list[Candidate], weights: Weights, sort: str | None
) -> None:
    found = ranking.rank(candidates, weights=weights, sort=sort)
    assert sorted(item.candidate.doc for item in found) == sorted(one.doc for one in candidates)
    scores = [item.score for item in found]
    assert all(one >= other or one == pytest.approx(other) for one, other in pairwise(scores))
    assert all(0 <= score <= 1 for score in scores)


@given(CANDIDATES, WEIGHINGS)
def test_rows_that_meet_every_need_come_before_those_that_leave_one_open(
    candidates: list[Candidate], weights: Weights
) -> None:
    fitting = [item.candidate for item in ranking.rank(candidates, weights=weights) if not item.candidate.contradicts]
    places = [not is_met(one) for one in fitting]
    assert places == sorted(places)


@given(CANDIDATES, WEIGHINGS)
def test_a_row_that_says_in_its_own_words_what_is_asked_for_comes_first_and_is_no_miss(
    candidates: list[Candidate], weights: Weights
) -> None:
    own = candidate(0, "unknown", cosine=0.1, says_all=True)
    first, *_ = ranking.rank([*candidates, own], weights=weights)
    assert first.candidate is own
    assert PROBABLE_MISS <= first.score < LIKELY_GOOD


@given(CANDIDATES, WEIGHINGS, SORTS)
def test_a_row_that_contradicts_is_a_miss_and_one_that_leaves_something_open_is_never_likely_good(
    candidates: list[Candidate], weights: Weights, sort: str | None
) -> None:
    for item in ranking.rank(candidates, weights=weights, sort=sort):
        if item.candidate.contradicts:
            assert item.score < PROBABLE_MISS
        if not is_met(item.candidate) or item.candidate.unanswered:
            assert item.score < LIKELY_GOOD


@given(CANDIDATES, WEIGHINGS, st.randoms(), SORTS)
def test_the_order_of_the_candidates_does_not_matter(
    candidates: list[Candidate], weights: Weights, chance: random.Random, sort: str | None
) -> None:
    shuffled = chance.sample(candidates, len(candidates))
    assert ranking.rank(shuffled, weights=weights, sort=sort) == ranking.rank(candidates, weights=weights, sort=sort)


@given(CANDIDATES, st.sampled_from(["flow", "-flow"]))
def test_a_sort_is_honoured_among_rows_that_contradict_nothing(candidates: list[Candidate], sort: str) -> None:
    found = [item.candidate for item in ranked(*candidates, sort=sort) if not item.candidate.contradicts]
    values = [one.value for one in found]
    have = [value for value in values if value is not None]
    assert values[: len(have)] == have, "rows without a value come last"
    assert have == sorted(have, reverse=sort.startswith("-"))


@pytest.mark.parametrize(("better", "worse"), [(120, 300), (80, 40), (85, 120)])
def test_where_nothing_fits_the_nearest_comes_first(better: float, worse: float) -> None:
    assert order(sized(1, "contradicted", worse), sized(2, "contradicted", better)) == [2, 1]


def test_where_nothing_fits_another_family_comes_last_and_fewer_faults_first() -> None:
    fault = Finding(NEED, "contradicted", "300", 2.0)
    other = candidate(1, judgement=Judgement((Finding(FAMILY, "contradicted", "dryer"),)))
    twice, once = (candidate(doc, judgement=Judgement((fault,) * faults)) for doc, faults in ((2, 2), (3, 1)))
    assert order(other, twice, once) == [3, 2, 1]


def faulty(doc: int, *found: tuple[Need, Verdict, float]) -> Candidate:
    return candidate(doc, judgement=Judgement(tuple(Finding(need, verdict, "", far) for need, verdict, far in found)))


def test_a_range_that_holds_what_is_asked_is_likely_good_however_wide_and_the_narrowest_comes_first() -> None:
    span = Need(Attribute("span", kind="number", sense="covers"), NEED.choices, "100")
    wide, narrow = (candidate(doc, judgement=Judgement((Finding(span, "met", "", off),)))
                    for doc, off in ((1, 40.0), (2, 1.1)))  # fmt: skip
    found = ranked(wide, narrow)
    assert [one.candidate.doc for one in found] == [2, 1]
    assert found[0].score > found[1].score >= LIKELY_GOOD


SIZE = Need(Attribute("size", kind="number", sense="exactly"), NEED.choices, "100")
GRADE = Need(Attribute("grade", ordered=("A", "B", "C")), (Choice(value="A"),), "A")
MADE_OF = Need(Attribute("material"), (Choice(value="PP"),), "PP")
CUSTOMER = Need(BUILT_IN["customer"], (Choice(value="Suhl"),), "Suhl")


def test_where_nothing_fits_no_size_is_near_to_one_that_is_asked_for_exactly() -> None:
    other_size = faulty(1, (SIZE, "contradicted", 0.5), (MADE_OF, "met", 0))
    other_material = faulty(2, (SIZE, "met", 0), (MADE_OF, "contradicted", 0))
    assert order(other_size, other_material) == [2, 1]


def test_where_nothing_fits_the_nearest_in_an_order_of_values_comes_first() -> None:
    assert order(faulty(1, (GRADE, "contradicted", 2 / 3)), faulty(2, (GRADE, "contradicted", 1 / 3))) == [2, 1]


def test_where_nothing_fits_another_customer_comes_last() -> None:
    of_another = faulty(1, (CUSTOMER, "contradicted", 0), (MADE_OF, "met", 0))
    his_own = faulty(2, (CUSTOMER, "met", 0), (MADE_OF, "contradicted", 0))
    assert order(of_another, his_own) == [2, 1]


def test_of_what_does_at_least_what_is_asked_the_nearest_size_comes_first() -> None:
    assert order(sized(1, "met", 330), sized(2, "met", 160)) == [2, 1]


def test_a_wish_that_is_missed_neither_contradicts_nor_stays_unpunished() -> None:
    granted, missed = (candidate(doc, judgement=Judgement((Finding(NEED, "met"), Finding(WISH, verdict))))
                       for doc, verdict in ((2, VERDICTS[0]), (1, VERDICTS[3])))  # fmt: skip
    first, second = ranked(missed, granted)
    assert first.candidate.doc == 2
    assert not second.candidate.contradicts


def test_a_row_of_the_very_model_that_is_asked_for_is_never_a_probable_miss() -> None:
    [unlike] = ranked(candidate(1, "unknown", cosine=0.0, named=True))
    assert unlike.score >= PROBABLE_MISS


def test_a_row_that_meets_every_need_is_never_a_probable_miss_however_large() -> None:
    [large] = ranked(sized(1, "met", 100_000))
    assert large.score >= PROBABLE_MISS


def test_features_are_shares_of_what_was_asked() -> None:
    found = features(candidate(1, "met", "met", "unknown", "close", cosine=0.7, match=Match(3.0, 0.6)))
    assert found["relevance"] == 0.4
    assert found["lead"] == pytest.approx(-0.2)
    assert (found["best cosine"], found["best coverage"]) == (0.8, 0.9)
    assert (found["needs"], found["met"], found["close"], found["unknown"]) == (1.0, 0.5, 0.25, 0.25)
    assert found["contradicted"] == 0.0


def test_a_row_of_a_request_that_asks_for_nothing_has_no_features_of_needs() -> None:
    silent = features(candidate(1))
    assert {name for name, value in silent.items() if value} == {"relevance", "lead", "best cosine", "best coverage"}


def test_all_is_read_only_where_the_row_lacks_no_word_and_no_word_is_foreign() -> None:
    read = [features(candidate(1, "met", **more))["all read"] for more in ({}, {"lacking": 0.5}, {"foreign": 1})]
    assert read == [1.0, 0.0, 0.0]


def test_weak_evidence_of_words_does_not_get_full_marks() -> None:
    [(_, alone)], _ = ranking.weighed([candidate(1)])
    strong, weak = (ranked(candidate(1, match=Match(2.0, coverage)))[0].relevance - alone for coverage in (0.9, 0.2))
    assert strong == pytest.approx(1 / (ranking.MEANING + 1))
    assert weak == pytest.approx(strong * 0.2 / ranking.ENOUGH_COVERAGE)


def test_the_shortlist_has_the_best_of_both_legs_first() -> None:
    found = Found(
        nearest={doc: 0.9 - doc / 100 for doc in range(1, 41)},
        matches={doc: Match(50.0 - doc, 0.9) for doc in (100, 40, 101)},
    )
    assert ranking.shortlist(found, most=3) == [40, 1, 2]
    assert set(ranking.shortlist(found, most=200)) == {*range(1, 41), 100, 101}
    assert ranking.shortlist(Found({}, {}), most=10) == []


def test_a_row_that_says_an_unread_figure_nowhere_is_behind_its_like_and_never_likely_good() -> None:
    silent, told = ranked(candidate(1, "met", unsaid=1), candidate(2, "met"))[::-1]
    assert (told.candidate.doc, silent.candidate.doc) == (2, 1)
    assert silent.score < LIKELY_GOOD <= told.score
