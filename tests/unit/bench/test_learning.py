"""Weights learned from candidates whose worth is known."""

import numpy as np
import pytest

from bench.learning import Judged, fit, learn, reliability, worth
from quarry.retrieval.ranking import FEATURES, Candidate
from quarry.retrieval.weights import Weights
from tests.unit.quarry.test_ranking import candidate

PLACE = {name: place for place, name in enumerate(FEATURES, start=1)}


def made_up(count: int, **slopes: float) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(1)
    features = np.zeros((count, len(FEATURES) + 1))
    features[:, 0] = 1
    for name in slopes:
        features[:, PLACE[name]] = chance.random(count)
    value = -1 + sum(slope * features[:, PLACE[name]] for name, slope in slopes.items())
    return features, (chance.random(count) < 1 / (1 + np.exp(-value))).astype(float)


def ones(count: int) -> np.ndarray:
    return np.ones(count)


def test_the_weights_that_made_the_answers_are_found_again() -> None:
    features, right = made_up(20_000, relevance=3.0, contradicted=-2.0)
    found = fit(features, right, most=ones(20_000), share=ones(20_000))
    assert found[[0, PLACE["relevance"], PLACE["contradicted"]]] == pytest.approx([-1, 3, -2], abs=0.2)


def test_a_weight_of_the_wrong_sign_is_none() -> None:
    features, right = made_up(5_000, relevance=3.0, named=-4.0)
    assert fit(features, right, most=ones(5_000), share=ones(5_000))[PLACE["named"]] == 0


def test_a_score_that_is_bounded_is_learned_as_such() -> None:
    features, _ = made_up(20_000, relevance=1.0)
    right = (np.random.default_rng(2).random(20_000) < 0.1).astype(float)
    [bias, slope] = fit(features, right, most=0.2 * ones(20_000), share=ones(20_000))[[0, PLACE["relevance"]]]
    assert 0.2 / (1 + np.exp(-(bias + slope / 2))) == pytest.approx(0.1, abs=0.01)


def test_a_search_weighs_as_much_as_its_share() -> None:
    features, right = made_up(4_000, relevance=2.0)
    share = np.where(np.arange(4_000) < 2_000, 3.0, 1.0)
    tripled = np.concatenate([features[:2_000]] * 2 + [features]), np.concatenate([right[:2_000]] * 2 + [right])
    expected = fit(*tripled, most=ones(8_000), share=ones(8_000))
    assert fit(features, right, most=ones(4_000), share=share) == pytest.approx(expected, abs=1e-5)


def searches() -> list[Judged]:
    """In each, what meets is right and nothing else, whatever the cosine."""
    chance = np.random.default_rng(3)
    made: list[Judged] = []
    for _ in range(60):
        candidates: list[Candidate] = [candidate(1, "met", cosine=chance.random())]
        candidates += [candidate(doc, "contradicted", cosine=chance.random()) for doc in range(2, 8)]
        made.append(Judged(candidates, {1: 3.0}, [3.0], right=2.0))
    return made


def test_what_is_learned_puts_the_right_rows_first_and_says_how_sure_it_is() -> None:
    weights = learn(searches())
    found = worth(searches(), weights)
    assert found.first_right == 1.0
    assert found.ndcg == pytest.approx(1.0)
    assert found.good_right in (None, 1.0)
    bins = reliability(searches(), weights)
    assert sum(held.candidates for held in bins) == 60 * 7
    assert all(abs(held.said - held.right) < 0.25 for held in bins)


def test_a_search_that_nothing_answers_has_no_first_place_to_lose() -> None:
    hopeless = Judged([candidate(1, "contradicted")], {1: 0.0}, [], right=2.0)
    assert worth([*searches(), hopeless], Weights(0.0, (0.0,) * len(FEATURES))).first_right == 1.0
