"""Descriptions under a token budget."""

from hypothesis import example, given
from hypothesis import strategies as st

from quotes.budget import CHARACTERS_PER_TOKEN, SMALLEST_CUT, fit

TEXTS = st.lists(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=300)
    | st.integers(1, 900).map(lambda length: ("dense instalation block " * 40)[:length]),
    max_size=8,
)


@given(TEXTS, st.integers(100, 400))
@example([" " + "x" * 900], 100)
@example(["\n" + "x" * 900], 100)
def test_whole_texts_stay_verbatim_and_the_budget_holds(texts: list[str], max_tokens: int) -> None:
    fitted = fit(texts, max_tokens=max_tokens)
    whole = fitted.texts[:-1] if fitted.cut else fitted.texts
    assert whole == texts[: len(whole)]
    assert sum(map(len, fitted.texts)) <= max_tokens * CHARACTERS_PER_TOKEN
    assert fitted.omitted == len(texts) - len(fitted.texts)
    if fitted.cut:
        last = fitted.texts[-1]
        assert last
        assert texts[len(whole)].startswith(last)
        assert len(last) < len(texts[len(whole)])


@given(TEXTS, st.integers(100, 400))
def test_a_text_is_left_out_only_when_too_little_room_is_left_for_it(texts: list[str], max_tokens: int) -> None:
    fitted = fit(texts, max_tokens=max_tokens)
    if fitted.omitted and not fitted.cut:
        room = max_tokens * CHARACTERS_PER_TOKEN - sum(map(len, fitted.texts))
        assert room < SMALLEST_CUT
        assert len(texts[len(fitted.texts)]) > room


def test_a_cut_falls_between_words() -> None:
    text = "Furnish and install piping " * 40
    [cut] = fit([text], max_tokens=100).texts
    assert cut.endswith(("Furnish", "and", "install", "piping"))
    assert text[len(cut)] == " "


def test_a_budget_larger_than_all_texts_changes_nothing() -> None:
    fitted = fit(["a", "b"], max_tokens=100)
    assert (fitted.texts, fitted.cut, fitted.omitted) == (["a", "b"], False, 0)
