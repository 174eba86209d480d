"""Which mistyped words are mended, and which are left alone."""

import pytest

from cpq.catalog_search import readings

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
    assert readings(typed, WORDS)[0][0] == meant


@pytest.mark.parametrize("typed", ["101", "sao", "xyzzy", "p", "10", "plbm"])
def test_a_number_a_short_word_or_nonsense_is_left_alone(typed: str) -> None:
    assert readings(typed, WORDS) == []


def test_a_word_that_begins_so_stands_before_one_that_is_spelt_alike() -> None:
    assert [word for word, _ in readings("coal", ["coil", "coalesc"])] == ["coalesc", "coil"]
