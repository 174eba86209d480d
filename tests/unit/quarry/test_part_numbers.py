"""What in a query may be a model."""

import pytest

from quarry.retrieval.part_numbers import MOST, part_numbers


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("QMB30", ["qmb30"]),
        ("a QMB 30 please", ["qmb30"]),
        ("Q$ync 100", ["qsync100"]),
        ("TN-2110/A", ["tn2110a"]),
        ("2475", ["2475"]),
        ("between 2475 and many", []),
        ("100HP oilless, 125psig at 460V", []),
        ("food grade compressor", []),
        ("compressor 100", []),
        ("for 100 hp", ["for100"]),
        ("", []),
        ("$ / -", []),
    ],
)
def test_models_are_words_of_letters_and_digits_or_a_short_word_and_a_number(query: str, found: list[str]) -> None:
    assert part_numbers(query) == found


def test_a_long_text_names_no_more_than_so_many_models() -> None:
    assert len(part_numbers(" ".join(f"AB{n}" for n in range(500)))) == MOST
