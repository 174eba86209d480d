"""Models that are spelt alike."""

import pytest

from equipment.queries import rank_alike
from quarry.text import part_key


@pytest.mark.parametrize(
    ("model", "key"),
    [("QMB 30", "qmb30"), ("qmb-30", "qmb30"), ("Q$ync 100", "qsync100"), ("TN-2110/A.b", "tn2110ab"), ("???", "")],
)
def test_a_key_leaves_out_case_blanks_and_punctuation(model: str, key: str) -> None:
    assert part_key(model) == key


def alike(model: str, *candidates: str, most: int = 5) -> list[str]:
    return rank_alike(model, candidates, most=most)


@pytest.mark.parametrize(
    ("misread", "model"),
    [("QMB3O", "QMB30"), ("TN-2IL0", "TN-2110"), ("0IL-5", "OI1-5"), ("AN-1O1", "ΑΝ-101"), ("ХР-805", "XP-805")],
)
def test_letters_that_look_like_digits_count_as_them(misread: str, model: str) -> None:
    assert alike(misread, "QMB25", "TN-2120", "OX7-5", model)[0] == model


def test_what_is_not_alike_is_not_named() -> None:
    assert alike("QMB30", "SSR UP6", "R90i") == []


def test_the_most_alike_come_first_and_ties_by_name() -> None:
    assert alike("QMB30", "QMB35", "QMB31", "QMB30 T", most=2) == ["QMB30 T", "QMB31"]


def test_nothing_is_alike_to_a_model_without_letters_and_digits() -> None:
    assert alike("???", "QMB30") == []
