"""The passage of a text that is shown of it."""

from hypothesis import example, given
from hypothesis import strategies as st

from quarry.text import passage

MANUAL = (
    "The pump has four feet. Drain the tank daily! A 5 micron filter (part no. 7-A; see below) cleans the air.\n"
    "Oil is changed every 2,000 hours of operation. The dryer follows the receiver, e.g. in a paint shop. "
    "Call us before you open the gearbox."
)
WORDS = st.lists(
    st.sampled_from(["pump", "oil.", "2,000", "tank;", "\n", "Ünïcode", "e.g.", "dryer!", "x" * 50, " "]), max_size=60
)


@given(WORDS.map(" ".join) | st.text(max_size=400), st.text(max_size=40), st.integers(1, 120))
@example("no end " * 60, "end", 20)
@example("x" * 500, "x", 40)
def test_a_passage_is_a_verbatim_part_within_its_bound(text: str, query: str, most: int) -> None:
    found = passage(text, query=query, most=most)
    assert found in text
    assert len(found) <= most
    assert found or not text.strip() or len(text) > most


def test_a_short_text_comes_whole() -> None:
    assert passage(MANUAL, query="anything", most=len(MANUAL)) == MANUAL


def test_the_sentence_that_answers_is_shown_with_as_much_around_it_as_fits() -> None:
    found = passage(MANUAL, query="when is the oil changed?", most=120)
    assert "Oil is changed every 2,000 hours of operation." in found
    assert passage(MANUAL, query="oil changes", most=60) == "Oil is changed every 2,000 hours of operation."


def test_without_a_word_of_the_query_it_is_the_beginning() -> None:
    assert MANUAL.startswith(passage(MANUAL, query="zzyzx", most=60))


def test_forms_of_a_word_are_one() -> None:
    assert "Drain the tank daily!" in passage(MANUAL, query="draining tanks", most=50)


def test_a_point_before_a_comma_loses_nothing_that_stands_before_it() -> None:
    text = "Vertical receiver, 1060 gal., 200 PSIG, stamped. Complete with base ring. Primer outside, bare inside."
    assert passage(text, query="receiver 1060 gal", most=60) == "Vertical receiver, 1060 gal., 200 PSIG, stamped."
