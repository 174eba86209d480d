"""What holds of every reading."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarry.attributes.model import names_of
from quarry.needs.grammar import read_need
from quarry.reading.languages import language_of, words_of
from quarry.reading.reader import MOST_CHARACTERS
from quarry.reading.source import SourceText, pieces_of
from quarry.text import ascii_digits
from quarry.text import words_of as words_in
from tests.unit.reading.trades import TRADES, WORDS, reading, trade

texts = st.one_of(
    st.text(max_size=120),
    st.text("ｶﾞﾊﾟ弁ポンプの7.5kWm³/h ８号", max_size=40),
    st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=12).map("".join),
)


@example(text='HYDRB:NO"PUMP', of="pumps", kind="product")
@given(text=texts, of=st.sampled_from(TRADES), kind=st.sampled_from(("product", "line", "quote")))
def test_every_need_reads_back_to_itself_and_every_span_stands_in_the_text(text: str, of: str, kind: str) -> None:
    attributes, _ = trade(of)
    found = reading(text, of=of, kind_of_row=kind)  # type: ignore[arg-type]
    for need, said in zip(found.needs, found.said, strict=True):
        assert read_need(need.name, need.asked, attributes=attributes) == need
        assert said
        assert all(each and each in text for each in said)
    assert all(each and each in text for each in found.unread)


@given(text=texts, of=st.sampled_from(TRADES))
def test_the_rest_are_words_of_the_text_in_their_order(text: str, of: str) -> None:
    remaining = iter("".join(text.split()))
    assert all(letter in remaining for letter in "".join(reading(text, of=of).rest.split()))


@example(text="²¼", of="pumps", kind="product")
@given(text=texts, of=st.sampled_from(TRADES), kind=st.sampled_from(("product", "line", "quote")))
def test_every_figure_is_in_a_need_or_an_attributes_name_or_unread(text: str, of: str, kind: str) -> None:
    found = reading(text, of=of, kind_of_row=kind)  # type: ignore[arg-type]
    names = [name for attribute in trade(of)[0].by_name.values() for name in names_of(attribute)]
    told = {piece for said in (*sum(found.said, ()), *found.unread, *names) for piece in pieces_of(said)}
    assert {piece.word for piece in SourceText(text).pieces if piece.word.isdigit()} <= told


@given(text=texts, of=st.sampled_from(TRADES))
def test_reading_is_the_same_each_time(text: str, of: str) -> None:
    assert reading(text, of=of) == reading(text, of=of)


def test_words_that_nothing_read_are_the_rest() -> None:
    found = reading("Please offer a quiet pump, 11 m³/h, for the old brewery in Suhl")
    assert found.rest == "Please offer a quiet for the old brewery in Suhl"


def test_an_empty_text_asks_nothing() -> None:
    assert reading("") == reading("  \n")
    assert reading("").needs == ()


def test_the_end_of_a_long_text_is_not_read() -> None:
    found = reading("a " * (MOST_CHARACTERS // 2) + "pump 5 kW")
    assert found.needs == ()


@pytest.mark.parametrize(
    "part",
    [
        "1 ",
        "5 kW ",
        "5 kW, ",
        "a-",
        "not a, ",
        "1x",
        "1.1",
        "x",
        "QVG-100 ",
        " ",
        "1/2 ",
        "Kreiselpumpe",
        "a1 ",
        "power ",
        "PP or ",
    ],
)
def test_a_long_text_is_read_in_under_a_second(part: str) -> None:
    text = part * (200_000 // len(part))
    assert min(_seconds(text) for _ in range(3)) < 1


@pytest.mark.parametrize("part", ['1/2" ', "5 kW at 100 bar ", "power 7.5 kW ", "5-10 bar, "])
def test_a_text_of_twice_the_length_takes_at_most_three_times_as_long(part: str) -> None:
    once, twice = (min(_seconds(part * (length // len(part))) for _ in range(3)) for length in (2_000, 4_000))
    assert twice < 3 * once


def _seconds(text: str) -> float:
    """The processor's, not the clock's; a collection of the whole suite's garbage may fall into one of them."""
    started = time.process_time()
    reading(text)
    return time.process_time() - started


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("we need a pump with a motor", "en"),
        ("wir suchen eine Pumpe mit Motor", "de"),
        ("il nous faut une pompe avec moteur", "fr"),
        ("necesitamos una bomba con motor", "es"),
        ("szukam pompy przez internet dla nas", "pl"),
        ("hledáme pumpu s motorem pro nás", "cs"),
        ("pump 5 kW", None),
    ],
)
def test_the_language_is_that_of_the_plain_words(text: str, language: str | None) -> None:
    assert language_of(pieces_of(text)) == language


def test_no_word_of_negation_is_a_plain_word_of_its_language() -> None:
    for language in ("en", "de", "fr", "es", "pl", "cs"):
        words = words_of(language)
        assert not {phrase[0] for phrase in words.denials if len(phrase) == 1} & words.stop


def test_where_nothing_parts_words_each_letter_is_a_piece_and_each_two_a_word() -> None:
    source = SourceText("ﾊﾞﾙﾌﾞ出力７．５kW以上の安全弁。")
    assert [piece.word for piece in source.pieces] == [*"バルブ出力75", "kw", *"以上の安全弁"]
    assert [piece.word for piece in source.pieces if piece.glued] == ["kw"]
    assert words_in("安全弁10個、볼밸브 ball") == ["安全", "全弁", "10", "個", "볼밸", "밸브", "ball"]


def test_signs_of_a_diameter_and_figures_of_full_width_are_read_as_those_beside_them() -> None:
    pieces = [[piece.word for piece in SourceText(text).pieces] for text in ("Ø40", "φ40", "⌀４０")]
    assert pieces == [["o", "40"]] * 3
    assert {tuple(pieces_of(sign)) for sign in "Øφ⌀"} == {("o",)}
    assert ascii_digits("１２．５ｍｍ／－３") == "12.5mm/-3"
