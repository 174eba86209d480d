"""Cutting long texts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.ingestion import cut

TEXTS = st.text(st.sampled_from("ab.!? \n\t\"'”é…—"), max_size=400) | st.text(max_size=200)


def letters(text: str) -> str:
    return "".join(text.split())


@given(TEXTS, st.integers(1, 60))
def test_nothing_is_lost_and_order_is_kept(text: str, most: int) -> None:
    assert letters("".join(cut(text, most=most))) == letters(text)


@given(TEXTS, st.integers(1, 60))
def test_every_piece_is_within_bounds_and_trimmed(text: str, most: int) -> None:
    for piece in cut(text, most=most):
        assert 1 <= len(piece) <= most
        assert piece == piece.strip()


@given(TEXTS, st.integers(1, 60))
def test_every_piece_is_a_verbatim_part_of_the_text(text: str, most: int) -> None:
    position = 0
    for piece in cut(text, most=most):
        position = text.index(piece, position) + len(piece)


@given(TEXTS, st.integers(2, 60))
def test_only_the_last_piece_may_be_less_than_half_full(text: str, most: int) -> None:
    at, starts = 0, []
    for piece in cut(text, most=most):
        starts.append(text.index(piece, at))
        at = starts[-1] + len(piece)
    # With the blanks that no piece has at its end.
    assert all(after - start >= most // 2 for start, after in pairwise(starts))


@given(TEXTS, st.integers(1, 60))
def test_a_text_that_fits_is_not_cut(text: str, most: int) -> None:
    if 0 < len(text.strip()) <= most:
        assert cut(text, most=most) == [text.strip()]


@pytest.mark.parametrize(
    ("text", "most", "pieces"),
    [
        ("One two now.\n\nThree four. Five", 20, ["One two now.", "Three four. Five"]),
        ("One two. Three four. Five six.", 22, ["One two. Three four.", "Five six."]),
        ('He said "stop." Then he left.', 17, ['He said "stop."', "Then he left."]),
        ("line one\nline two and more", 14, ["line one", "line two and", "more"]),
        ("one two three four", 9, ["one two", "three", "four"]),
        ("一二三四五。六七八。九十", 10, ["一二三四五。六七八。", "九十"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        (" \n ", 3, []),
    ],
)
def test_paragraphs_come_before_sentences_before_words(text: str, most: int, pieces: list[str]) -> None:
    assert cut(text, most=most) == pieces
