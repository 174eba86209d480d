"""Texts from the right, and names, codes and figures in them, which keep their order."""

import pytest

from cpq.documents.direction import from_right, marked, pieces

ARABIC = "\u0627\u0644\u0633\u0639\u0629"
HEBREW = "\u05d4\u05e1\u05e4\u05e7"


@pytest.mark.parametrize("word", [ARABIC, HEBREW])
@pytest.mark.parametrize(
    "piece",
    [
        *("+971 4 000 0000", "52 °C", "18000 BTU/h (5.28 kW)", "−2,391.60", "3 of 3", "(X-36C)", "5%", "5 m/s²"),
        *('X-36 2"', '2"', '"X-36"'),
    ],
)
def test_a_figure_with_its_unit_a_number_or_a_name_is_one_piece(word: str, piece: str) -> None:
    assert marked(f"{word} {piece}, {word}.") == f"{word} \u200e{piece}\u200e, {word}."
    told = list(pieces(f"{word} {piece} {word}.", within_right=True))
    assert [part for part, runs_back in told if not runs_back] == [f"\u200e{piece}\u200e"]


def test_a_plus_or_minus_apart_from_its_figure_joins_words_as_they_are_typed() -> None:
    assert marked(f"{HEBREW} + 60 - 5 {HEBREW}") == f"{HEBREW} + \u200e60 - 5\u200e {HEBREW}"


def test_a_bracket_around_words_from_the_right_is_theirs() -> None:
    assert marked([f"{ARABIC} ({HEBREW} 5 kW)."]) == [f"{ARABIC} ({HEBREW} \u200e5 kW\u200e)."]


def test_texts_without_such_letters_stay_as_they_are() -> None:
    assert marked({"sku": "X-1", "price": "-5.00"}) == {"sku": "X-1", "price": "-5.00"}
    assert list(pieces("Dear Ms. Reed, 5%", within_right=False)) == [("Dear Ms. Reed, 5%", False)]


@pytest.mark.parametrize(
    ("text", "in_english", "in_arabic"),
    [
        (f"{ARABIC} X-36", True, True),
        (f"X-36 {ARABIC}", False, True),
        (f"1. {ARABIC}", True, True),
        ("Dear Sir", False, False),
        ("+971 4", False, True),
    ],
)
def test_a_paragraph_runs_as_its_first_letter_does_and_figures_alone_as_the_page(
    text: str, *, in_english: bool, in_arabic: bool
) -> None:
    assert (from_right(text, language="en"), from_right(text, language="ar")) == (in_english, in_arabic)
