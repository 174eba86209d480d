"""Learning the weights of ranking by logistic regression over judged candidates, and what they are then worth."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.judging import mean, ndcg
from quarry.retrieval import ranking
from quarry.retrieval.ranking import FEATURES, Candidate, Ranked
from quarry.retrieval.weights import LIKELY_GOOD, Weights

RIDGE = 2.0
"""Strength of the penalty on squared weights, against sums over some thousand candidates."""

EXPECTED = {"named": 2.0}
"""Weights that the penalty draws to, where not to 0: few judged searches tell a row of the model that is named from
one that mentions it, and who names a model wants the row itself first.
"""

NEVER_LESS = frozenset(("relevance", "lead", "named", "met", "told words", "many met", "all read"))
"""What cannot speak against a row. Its weight is 0 where other features that go with it have taken too much."""

NEVER_MORE = frozenset(("contradicted", "wishes missed", "size", "lacking words", "foreign words"))
SHOWN = 10
BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one search chose from. ``grades`` are by document, ``right`` the lowest that counts; ``ideal`` has the
    grades of every row that there is, found or not. ``share`` is the weight of the search among others.
    """

    candidates: Sequence[Candidate]
    grades: Mapping[int, float]
    ideal: Sequence[float]
    right: float
    share: float = 1.0
    forgotten: bool = False
    """True where a word that a rule knows was taken for one that none does."""

    def is_right(self, one: Candidate) -> bool:
        return self.grades.get(one.doc, 0.0) >= self.right

    def shown(self, weights: Weights) -> list[Ranked]:
        """The first hits as the product ranks and shows them, one of each group of the same words."""
        once: dict[object, Ranked] = {}
        for item in ranking.rank(self.candidates, weights=weights):
            once.setdefault(item.candidate.fingerprint or ("row", item.candidate.doc), item)
        return list(once.values())[:SHOWN]


def learn(searches: Iterable[Judged]) -> Weights:
    """The weights by which the scores are most likely, with no weight of a sign that makes no sense."""
    features, most, right, share = [], [], [], []
    for search in searches:
        relevant, best = ranking.weighed(search.candidates)
        for one, relevance in relevant:
            features.append((1.0, *ranking.features(one, relevance, best=best)))
            most.append(ranking.highest(one))
            right.append(float(search.is_right(one)))
            share.append(search.share)
    fitted = fit(np.array(features), np.array(right), most=np.array(most), share=np.array(share))
    return Weights(round(float(fitted[0]), 3), tuple(round(float(weight), 3) + 0.0 for weight in fitted[1:]))


def fit(features: Numbers, right: Numbers, *, most: Numbers, share: Numbers) -> Numbers:
    """Weights of columns, the first of which is all ones and never drawn to 0."""
    names = ("", *FEATURES)
    prior = np.array([EXPECTED.get(name, 0.0) for name in names])
    active = [column for column in range(features.shape[1]) if column == 0 or features[:, column].any()]
    while True:
        found = np.zeros(features.shape[1])
        found[active] = _newton(features[:, active], right, most=most, share=share, prior=prior[active])
        wrong = {
            column
            for column in active
            if (names[column] in NEVER_LESS and found[column] < 0)
            or (names[column] in NEVER_MORE and found[column] > 0)
        }
        if not wrong:
            return found
        active = [column for column in active if column not in wrong]


def _newton(
    features: Numbers, right: Numbers, *, most: Numbers, share: Numbers, prior: Numbers, rounds: int = 100
) -> Numbers:
    """Fisher scoring of p = most / (1 + exp(-z)): a row that contradicts cannot be likely, and is not to be learned
    from as if it could.
    """
    weights = np.zeros(features.shape[1])
    penalty = np.diag([0.0, *[RIDGE] * (features.shape[1] - 1)])
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        p = np.clip(most * chance, 1e-9, 1 - 1e-9)
        slope = most * chance * (1 - chance)
        gradient = features.T @ (share * (right - p) * slope / (p * (1 - p))) - penalty @ (weights - prior)
        information = (features.T * (share * slope**2 / (p * (1 - p)))) @ features + penalty
        step = np.linalg.solve(information + 1e-9 * np.eye(len(weights)), gradient)
        weights += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-7:
            break
    return weights


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates that score from ``low`` to below ``high``: the mean of their scores, and the share that is right."""

    low: float
    high: float
    candidates: int
    said: float
    right: float


def reliability(searches: Sequence[Judged], weights: Weights) -> tuple[Bin, ...]:
    """Of the candidates whose score is a probability: how many a bin has, their mean, the share that is right."""
    scored = [
        (item.score, search.is_right(item.candidate), search.share)
        for search in searches
        for item in ranking.rank(search.candidates, weights=weights)
    ]
    found = []
    for low, high in pairwise(BINS):
        held = [one for one in scored if low <= one[0] and (one[0] < high or high == 1.0)]
        if weight := sum(share for _, _, share in held):
            said = sum(score * share for score, _, share in held) / weight
            right = sum(share for _, right, share in held if right) / weight
            found.append(Bin(low, high, len(held), round(said, 3), round(right, 3)))
    return tuple(found)


def loss(searches: Sequence[Judged], weights: Weights) -> float:
    """Mean surprise, in nats, at which candidates are right, by scores that are probabilities."""
    told = [
        (-math.log(max(item.score if search.is_right(item.candidate) else 1 - item.score, 1e-6)), search.share)
        for search in searches
        for item in ranking.rank(search.candidates, weights=weights)
    ]
    return sum(surprise * share for surprise, share in told) / sum(share for _, share in told)


@dataclass(frozen=True, slots=True)
class Worth:
    """``good_right`` is the share of hits labelled likely_good that are right, ``right_good`` the share of right
    first hits that are so labelled; None where there is none.
    """

    searches: int
    first_right: float
    ndcg: float
    good_right: float | None
    right_good: float | None


def worth(searches: Sequence[Judged], weights: Weights) -> Worth:
    """First places and gains are of searches that something answers."""
    shown = [(search, search.shown(weights)) for search in searches]
    answerable = [(search, hits) for search, hits in shown if max(search.ideal, default=0.0) >= search.right]
    firsts = [
        (search.is_right(hits[0].candidate), hits[0].score) if hits else (False, 0.0) for search, hits in answerable
    ]
    good = [
        float(search.is_right(hit.candidate)) for search, hits in shown for hit in hits if hit.score >= LIKELY_GOOD
    ]
    labelled = [float(score >= LIKELY_GOOD) for right, score in firsts if right]
    return Worth(
        len(searches),
        mean([float(right) for right, _ in firsts]),
        mean([_gain(search, hits) for search, hits in answerable]),
        mean(good) if good else None,
        mean(labelled) if labelled else None,
    )


def _gain(search: Judged, hits: Sequence[Ranked]) -> float:
    found = {str(hit.candidate.doc): search.grades.get(hit.candidate.doc, 0.0) for hit in hits}
    missed = Counter(search.ideal) - Counter(found.values())
    others = {f"missed {place}": grade for place, grade in enumerate(missed.elements())}
    return ndcg(list(found), {name: grade for name, grade in (found | others).items() if grade > 0}, depth=SHOWN)
