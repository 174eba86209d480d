"""Which mistyped words are mended, and which are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpq.catalogue.typos import candidates, distance

WORDS = ["pro", "plan", "enterpris", "compressor", "qmb30", "qmb25", "100", "1000", "coalesc", "sso"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("por", "pro"),
        ("paln", "plan"),
        ("plna", "plan"),
        ("entreprise", "enterpris"),
        ("compresser", "compressor"),
        ("compres", "compressor"),
        ("qmb3o", "qmb30"),
        ("coalecs", "coalesc"),
    ],
)
def test_a_slip_is_mended(typed: str, meant: str) -> None:
    assert candidates(typed, WORDS)[0][0] == meant


@pytest.mark.parametrize("typed", ["101", "sao", "xyzzy", "p", "10", "plbm"])
def test_a_number_a_short_word_or_nonsense_is_left_alone(typed: str) -> None:
    assert candidates(typed, WORDS) == []


def test_a_word_that_begins_so_stands_before_one_that_is_spelt_alike() -> None:
    assert [word for word, _ in candidates("coal", ["coil", "coalesc"])] == ["coalesc", "coil"]


@pytest.mark.parametrize(
    ("one", "other", "slips"), [("", "abc", 3), ("ab", "ba", 1), ("abcd", "acbd", 1), ("a", "b", 1)]
)
def test_swapped_neighbours_are_one_slip(one: str, other: str, slips: int) -> None:
    assert distance(one, other) == slips


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_distance_is_symmetric_and_zero_only_for_the_same(one: str, other: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance(one, other) <= max(len(one), len(other))
