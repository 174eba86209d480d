"""How long text is cut and joined again."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from local.embeddings.model import OVERLAP, RUN_TOKENS, cut, join, runs


def test_text_that_fits_is_one_window() -> None:
    assert cut(range(254), size=254) == [range(254)]


@given(length=st.integers(255, 6000), size=st.integers(65, 254))
def test_windows_cover_everything_overlap_and_are_even(length: int, size: int) -> None:
    windows = cut(range(length), size=size)
    assert sorted({token for window in windows for token in window}) == list(range(length))
    assert {len(window) for window in windows} == {len(windows[0])}
    assert len(windows[0]) <= size
    for before, after in pairwise(windows):
        assert before[-1] - after[0] + 1 >= OVERLAP


def test_one_window_keeps_its_vector() -> None:
    vectors = np.array([[0.6, 0.8]], dtype=np.float32)
    assert np.array_equal(join(vectors), vectors[0])


def test_the_mean_of_windows_has_unit_length() -> None:
    joined = join(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float32))
    assert np.allclose(joined, np.array([2, 1]) / np.sqrt(5))
    assert joined.dtype == np.float32


@given(lengths=st.lists(st.integers(0, 254), max_size=60))
def test_runs_take_every_window_once_and_keep_to_their_size(lengths: list[int]) -> None:
    found = list(runs([range(length) for length in lengths]))
    assert sorted(place for run in found for place in run) == list(range(len(lengths)))
    for run in found:
        assert len(run) == 1 or len(run) * (max(lengths[place] for place in run) + 2) <= RUN_TOKENS
