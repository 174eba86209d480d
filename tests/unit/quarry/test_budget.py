"""Results under a token budget."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from quarry.paging.budget import ASCII_PER_TOKEN, SMALLEST_CUT, LongText, fit, room_of, weight
from quarry.tool.contract import Part

ALPHABET = st.sampled_from(' \n"\\\tabcXYZ019.,ßé無🦊\x01')
TEXTS = st.lists(st.text(ALPHABET, max_size=300) | st.integers(1, 1500).map(lambda n: ("dense block " * 130)[:n]))


class Inner(Part):
    text: str = Field(description="Text.")
    truncated: bool = Field(default=False, description="Cut.")


class Line(Part):
    number: int = Field(description="Number.")
    inner: Inner = Field(description="Inner.")


TEXT = LongText("inner.text")


def lines(texts: list[str]) -> list[Line]:
    return [Line(number=number, inner=Inner(text=text)) for number, text in enumerate(texts)]


@given(TEXTS, st.integers(100, 4000))
def test_a_page_holds_whole_items_then_at_most_one_cut_and_keeps_to_its_room(texts: list[str], room: int) -> None:
    items = lines(texts)
    fitted = fit(items, room=room, text=TEXT)
    assert fitted.items[: fitted.whole] == items[: fitted.whole]
    cut = fitted.items[fitted.whole :]
    assert len(cut) == (fitted.offset > 0)
    for piece in cut:
        assert piece.inner == Inner(text=texts[fitted.whole][: fitted.offset], truncated=True)
    shell = weight(lines([""])[0].model_dump_json()) + 10
    size = sum(weight(item.model_dump_json()) + 1 for item in fitted.items)
    assert size <= max(room, shell + SMALLEST_CUT)


@given(TEXTS.filter(bool), st.integers(-50, 4000), st.integers(0, 5))
def test_every_page_gets_somewhere(texts: list[str], room: int, offset: int) -> None:
    begun = min(offset, max(len(texts[0]) - 1, 0))
    fitted = fit(lines(texts), room=room, text=TEXT, offset=begun)
    assert fitted.whole > 0 or fitted.offset > begun


def test_what_fits_on_a_page_of_its_own_is_not_cut() -> None:
    items = lines(["a" * 500, "b" * 700])
    fitted = fit(items, room=1000, text=TEXT)
    assert (fitted.items, fitted.whole, fitted.offset) == (items[:1], 1, 0)


def test_what_fits_on_no_page_starts_where_there_is_room() -> None:
    fitted = fit(lines(["a" * 100, "b" * 5000]), room=1000, text=TEXT)
    assert (fitted.whole, [item.inner.truncated for item in fitted.items]) == (1, [False, True])
    assert 500 < fitted.offset < 1000


def test_a_cut_falls_between_words() -> None:
    text = "Furnish and install piping " * 100
    fitted = fit(lines([text]), room=900, text=TEXT)
    assert fitted.items[0].inner.text.endswith(("Furnish", "and", "install", "piping"))
    assert text[fitted.offset] == " "


def test_an_item_without_a_long_text_is_never_cut() -> None:
    items = [Inner(text="x" * 900), Inner(text="y" * 900)]
    assert fit(items, room=100).items == items[:1]


def test_escapes_and_letters_beyond_ascii_count_as_they_cost() -> None:
    fitted = fit(lines(["無" * 5000]), room=1000, text=TEXT)
    assert weight(fitted.items[0].model_dump_json()) <= 1000
    assert weight("abc無") == 3 + ASCII_PER_TOKEN
    quoted = fit(lines(['"' * 5000]), room=1000, text=TEXT)
    assert 900 < weight(quoted.items[0].model_dump_json()) <= 1000


def test_without_a_budget_an_answer_still_fits_what_lambda_may_send() -> None:
    assert room_of(None) == room_of(10**9)
    fitted = fit(lines(["無" * 200_000] * 50), room=room_of(None), text=TEXT)
    assert 2_000_000 < sum(len(item.model_dump_json().encode()) for item in fitted.items) < 4_200_000
