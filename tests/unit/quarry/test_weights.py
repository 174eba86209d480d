"""The learned weights: as many as there are features, and of signs that make sense."""

from itertools import product
from typing import get_args

import pytest

from bench.calibrate import MODULE, module
from bench.learning import NEVER_LESS, NEVER_MORE
from quarry.retrieval.corpus import Kind
from quarry.retrieval.legs import Match
from quarry.retrieval.ranking import FEATURES, Candidate, rank
from quarry.retrieval.weights import LIKELY_GOOD, WEIGHTS

JUDGED_BY_NEEDS: tuple[Kind, ...] = ("equipment", "line_items", "past_quotes")


def test_every_kind_of_search_has_its_weights() -> None:
    assert set(WEIGHTS) == set(get_args(Kind.__value__ if hasattr(Kind, "__value__") else Kind))


@pytest.mark.parametrize("kind", WEIGHTS)
def test_there_is_a_weight_for_every_feature_and_none_of_a_sign_that_makes_no_sense(kind: Kind) -> None:
    weights = dict(zip(FEATURES, WEIGHTS[kind].of_features, strict=True))
    assert set(FEATURES) >= NEVER_LESS | NEVER_MORE
    assert not [name for name in NEVER_LESS if weights[name] < 0]
    assert not [name for name in NEVER_MORE if weights[name] > 0]


@pytest.mark.parametrize("kind", JUDGED_BY_NEEDS)
def test_meeting_what_was_asked_speaks_for_a_row_and_contradicting_it_against(kind: Kind) -> None:
    weights = dict(zip(FEATURES, WEIGHTS[kind].of_features, strict=True))
    assert sum(weights[name] for name in ("met", "many met", "all read")) > 1
    assert weights["contradicted"] + weights["size"] <= 0


def test_no_passage_can_be_called_likely_good() -> None:
    """What search and search_semantic say of themselves."""
    steps = [step / 10 for step in range(11)]
    for cosine, coverage in product(steps, steps):
        [one] = rank([passage(cosine=cosine, coverage=coverage)], weights=WEIGHTS["passages"])
        assert one.score < LIKELY_GOOD


def passage(*, cosine: float, coverage: float) -> Candidate:
    match = Match(raw=coverage, coverage=coverage) if coverage else None
    return Candidate(doc=1, row={}, cosine=cosine, closeness=1.0, match=match)


def test_the_module_is_what_the_command_writes() -> None:
    source = MODULE.read_text("utf-8")
    assert module(source, WEIGHTS) == source
    assert max(map(len, source.splitlines())) <= 118
