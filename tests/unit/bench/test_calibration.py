"""Bands fitted to hits whose relevance is known."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.calibrate import Judged, calibrate, fit, lowest_score, module
from quarry.retrieval.bands import Calibration
from quarry.retrieval.calibration import CALIBRATIONS

HITS = st.lists(st.builds(Judged, st.floats(0, 1), st.booleans(), st.sampled_from([0.5, 1.0, 2.0])), min_size=1)


@given(HITS)
def test_the_steps_rise_and_keep_every_hit(hits: list[Judged]) -> None:
    steps = fit(hits)
    assert all(one.share < other.share and one.low < other.low for one, other in pairwise(steps))
    assert sum(step.weight for step in steps) == pytest.approx(sum(hit.weight for hit in hits))


def test_a_dip_is_levelled_out() -> None:
    steps = fit([Judged(score, relevant, 1.0) for score, relevant in ((0.1, False), (0.2, True), (0.3, False))])
    assert [(step.low, step.share) for step in steps] == [(0.1, 0.0), (0.2, 0.5)]


def test_a_band_begins_where_its_share_is_reached() -> None:
    chance = random.Random(1)
    scores = [chance.random() for _ in range(20_000)]
    hits = [Judged(score, chance.random() < score, 1.0) for score in scores]
    calibration = calibrate(hits, collections=["made up"], queries=1, noise=0.01)
    assert calibration.bands.likely_good == pytest.approx(1 / 3, abs=0.05)
    assert calibration.bands.analog == pytest.approx(1 / 20, abs=0.05)
    assert sum(held.hits for held in calibration.reliability) == len(hits)


def test_a_share_that_no_score_reaches_has_no_band() -> None:
    hits = [Judged(0.5, False, 1.0)]
    assert lowest_score(fit(hits), share=0.1) is None
    with pytest.raises(ValueError, match="relevant often enough"):
        calibrate(hits, collections=["made up"], queries=1, noise=0.1)


def test_what_is_written_reads_back_as_it_was() -> None:
    source = module(CALIBRATIONS)
    namespace: dict[str, dict[str, Calibration]] = {}
    exec(source, namespace)  # noqa: S102 - our own source
    assert namespace["CALIBRATIONS"] == CALIBRATIONS
