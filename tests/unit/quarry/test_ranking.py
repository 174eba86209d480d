"""Ranking as a pure function: features, scores, their order, and what is worth reading."""

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quarry.understanding.needs import Finding, Judgement, Need, Verdict

from quarry.retrieval import ranking
from quarry.retrieval.confidence import LIKELY_GOOD, PROBABLE_MISS
from quarry.retrieval.legs import Found, Match
from quarry.retrieval.ranking import FEATURES, MOST, Answered, Best, Candidate, Ranked
from quarry.retrieval.weights import WEIGHTS, Weights

NEED = Need("hp", "exactly", low=100.0, high=100.0)
VERDICTS: tuple[Verdict, ...] = ("met", "close", "unknown", "contradicted")
SHARES = st.floats(0, 1)


def judgement(*verdicts: Verdict) -> Judgement:
    findings = tuple(Finding(verdict, "", NEED) for verdict in verdicts)
    count = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    overall = VERDICTS[max(map(VERDICTS.index, verdicts), default=0)]
    return Judgement(findings, count["met"], count["close"], count["unknown"], count["contradicted"], overall)


def candidate(doc: int, *verdicts: Verdict, cosine: float = 0.5, **others: object) -> Candidate:
    answer = Answered(0, judgement(*verdicts)) if verdicts else None
    given: Mapping[str, object] = {"closeness": cosine, "near": True, "answer": answer, **others}
    return Candidate(doc=doc, row={"_doc": doc}, cosine=cosine, **given)  # type: ignore[arg-type] # of the test's own


BEST = Best(relevance=0.6, cosine=0.8, coverage=0.9)


def features(one: Candidate, relevance: float = 0.4) -> dict[str, float]:
    return dict(zip(FEATURES, ranking.features(one, relevance, best=BEST), strict=True))


CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(1, 10_000),
        cosine=st.floats(-0.2, 1),
        near=st.booleans(),
        named=st.booleans(),
        aside=st.booleans(),
        match=st.none() | st.builds(Match, st.floats(0.01, 30), SHARES),
        answer=st.none()
        | st.lists(st.sampled_from(VERDICTS), max_size=5).map(lambda each: Answered(0, judgement(*each))),
    ),
    max_size=30,
    unique_by=lambda one: one.doc,
)
WEIGHINGS = st.sampled_from(list(WEIGHTS.values())) | st.builds(
    Weights, st.floats(-5, 5), st.tuples(*[st.floats(-5, 5)] * len(FEATURES))
)


@given(CANDIDATES, WEIGHINGS)
def test_whatever_the_weights_no_row_that_contradicts_stands_above_one_that_meets(
    candidates: list[Candidate], weights: Weights
) -> None:
    ranked = ranking.rank(candidates, weights=weights)
    first_contradicting = next(
        (place for place, item in enumerate(ranked) if ranking.contradicts(item.candidate)), len(ranked)
    )
    assert not any(ranking.meets(item.candidate) for item in ranked[first_contradicting:])


@given(CANDIDATES, WEIGHINGS)
def test_every_candidate_is_ranked_once_in_the_order_of_its_score(
    candidates: list[Candidate], weights: Weights
) -> None:
    ranked = ranking.rank(candidates, weights=weights)
    assert sorted(item.candidate.doc for item in ranked) == sorted(one.doc for one in candidates)
    scores = [item.score for item in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@given(CANDIDATES, WEIGHINGS)
def test_a_row_that_contradicts_is_a_miss_and_one_that_leaves_something_open_is_never_likely_good(
    candidates: list[Candidate], weights: Weights
) -> None:
    for item in ranking.rank(candidates, weights=weights):
        if item.candidate.answer is not None:
            assert item.score <= MOST[item.candidate.answer.judgement.overall]
    assert MOST["contradicted"] < PROBABLE_MISS < MOST["unknown"] < LIKELY_GOOD < MOST["met"]
    assert MOST["unknown"] == MOST["close"]


@given(CANDIDATES, WEIGHINGS, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(
    candidates: list[Candidate], weights: Weights, chance: random.Random
) -> None:
    shuffled = chance.sample(candidates, len(candidates))
    assert ranking.rank(shuffled, weights=weights) == ranking.rank(candidates, weights=weights)


def test_features_are_shares_of_what_was_asked() -> None:
    found = features(candidate(1, "met", "met", "unknown", "close", cosine=0.7, match=Match(3.0, 0.6)))
    assert found["relevance"] == 0.4
    assert found["lead"] == pytest.approx(-0.2)
    assert (found["best cosine"], found["best coverage"]) == (0.8, 0.9)
    assert (found["needs"], found["met"], found["close"], found["unknown"]) == (1.0, 0.5, 0.25, 0.25)
    assert (found["all met"], found["all but unknown"], found["contradicted"]) == (0.0, 1.0, 0.0)


def test_a_row_of_a_request_that_asks_for_nothing_has_no_features_of_needs() -> None:
    silent = features(candidate(1))
    assert {name for name, value in silent.items() if value} == {"relevance", "lead", "best cosine", "best coverage"}


def test_contradictions_count_up_to_three() -> None:
    verdict: Verdict = "contradicted"
    several = [(verdict,) * count for count in range(1, 6)]
    contradicting = (features(candidate(1, *verdicts))["contradictions"] for verdicts in several)
    assert list(contradicting) == pytest.approx([1 / 3, 2 / 3, 1, 1, 1])


def test_weak_evidence_of_words_does_not_get_full_marks() -> None:
    strong, weak = (
        ranking.rank([candidate(1, match=Match(2.0, coverage))], weights=WEIGHTS["passages"])[0].words
        for coverage in (0.9, 0.2)
    )
    assert strong == pytest.approx(1 / (ranking.MEANING + 1))
    assert weak == pytest.approx(strong * 0.2 / ranking.ENOUGH_COVERAGE)


def test_a_row_that_is_not_near_has_no_part_of_meaning() -> None:
    near, far = ranking.rank(
        [candidate(1, cosine=0.6), candidate(2, cosine=0.5, near=False)], weights=WEIGHTS["passages"]
    )
    assert (near.candidate.doc, far.meaning) == (1, 0.0)
    assert near.meaning > 0.3


def test_the_shortlist_has_the_best_of_both_legs_first() -> None:
    found = Found(
        nearest={doc: 0.9 - doc / 100 for doc in range(1, 41)},
        matches={doc: Match(50.0 - doc, 0.9) for doc in (100, 40, 101)},
    )
    assert ranking.shortlist(found, most=3) == [40, 1, 2]
    assert set(ranking.shortlist(found, most=200)) == {*range(1, 41), 100, 101}
    assert ranking.shortlist(Found({}, {}), most=10) == []


def test_a_full_pool_says_exactly_who_is_near_and_a_short_one_what_follows_from_its_fall() -> None:
    nearest = {doc: 0.9 - doc / 50 for doc in range(1, 11)}
    rows = [{"_doc": 99, "_cosine": 0.69, "_closeness": None}, {"_doc": 98, "_cosine": 0.4, "_closeness": None}]

    def near(pool: int) -> list[bool]:
        return [one.near for one in ranking.candidates(rows, Found(nearest, {}), pool=pool)]

    assert near(10) == [False, False]
    assert near(20) == [True, False]


def test_each_item_of_a_request_keeps_its_best_row_among_those_that_are_shown() -> None:
    def of(item: int, doc: int, score: float, verdict: Verdict) -> Ranked:
        answer = Answered(item, judgement(verdict))
        return Ranked(Candidate(doc=doc, row={}, answer=answer), 0.0, 0.0, score)

    ranked = [
        *(of(0, doc, 0.9 - doc / 100, "met") for doc in range(1, 6)),
        of(1, 6, 0.5, "met"),
        of(1, 7, 0.4, "met"),
        of(2, 8, 0.1, "contradicted"),
    ]
    assert [one.candidate.doc for one in ranking.shown(ranked, most=3)] == [1, 2, 6]
    assert [one.candidate.doc for one in ranking.shown(ranked, most=1)] == [1]
    assert ranking.shown(ranked, most=20) == ranked


def test_rows_that_a_superlative_orders_stand_in_that_order_and_only_the_first_may_be_right() -> None:
    found = [
        candidate(doc, "met", "met", cosine=cosine, answer=Answered(0, judgement("met", "met"), place=place))
        for doc, cosine, place in ((1, 0.9, 2), (2, 0.2, 0), (3, 0.8, 1))
    ]
    ranked = ranking.rank(found, weights=WEIGHTS["equipment"])
    assert [one.candidate.doc for one in ranked] == [2, 3, 1]
    assert [one.score < 0.8 for one in ranked][1:] == [True, True]


def sized(doc: int, verdict: Verdict, has: str, need: Need) -> Candidate:
    found = Judgement((Finding(verdict, has, need),), int(verdict == "met"), int(verdict == "close"), 0, 0, verdict)
    return candidate(doc, answer=Answered(0, found))


def test_the_nearest_size_is_similar_where_nothing_meets_and_the_nearer_comes_first() -> None:
    tank = Need("gallons", "exactly", low=528.0, high=528.0)
    far, near = sized(1, "close", "793 gal", tank), sized(2, "close", "620 gal", tank)
    ranked = ranking.rank([far, near], weights=WEIGHTS["equipment"])
    assert [item.candidate.doc for item in ranked] == [2, 1]
    assert all(PROBABLE_MISS <= item.score < LIKELY_GOOD for item in ranked)


def test_of_what_does_at_least_what_is_asked_the_nearest_size_comes_first() -> None:
    flow = Need("cfm", "at_least", low=900.0)
    rows = [replace(sized(doc, "met", f"{cfm} cfm", flow), row={"_doc": doc, "cfm": cfm})
            for doc, cfm in ((1, 3000.0), (2, 1500.0))]  # fmt: skip
    ranked = ranking.rank(rows, weights=WEIGHTS["equipment"])
    assert [item.candidate.doc for item in ranked] == [2, 1]


def test_an_equal_that_is_asked_for_is_similar_beside_the_model_itself() -> None:
    asked = Need("model", "about", values=frozenset({"QGV-100"}))
    itself, equal = sized(1, "met", "QGV-100", asked), sized(2, "close", "GA75", asked)
    first, second = ranking.rank([equal, itself], weights=WEIGHTS["equipment"])
    assert (first.candidate.doc, second.candidate.doc) == (1, 2)
    assert PROBABLE_MISS <= second.score < LIKELY_GOOD


def test_an_equal_of_what_is_not_here_stays_as_probable_as_it_is() -> None:
    absent = Need("model", "about", values=frozenset({"SM500"}), absent=True)
    [only] = ranking.rank([sized(1, "close", "GA75", absent)], weights=WEIGHTS["equipment"])
    assert only.score < PROBABLE_MISS


def test_what_is_met_counts_by_the_share_of_the_request_that_was_read() -> None:
    whole, half = (
        features(candidate(1, "met", answer=Answered(0, judgement("met"), missing=missing))) for missing in (0.0, 0.5)
    )
    assert (whole["met of all"], whole["all read"]) == (1.0, 1.0)
    assert (half["met of all"], half["all read"]) == (0.5, 0.0)
