"""Results under a token budget."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from quarry.paging.pages import ASCII_PER_TOKEN, fitting, room_of, weight
from quarry.tool.contract import Part

ALPHABET = st.sampled_from(' \n"\\\tabcXYZ019.,ßé無🦊\x01')
TEXTS = st.lists(st.text(ALPHABET, max_size=300) | st.integers(1, 1500).map(lambda n: ("dense block " * 130)[:n]))


class Line(Part):
    number: int = Field(description="Number.")
    text: str = Field(description="Text.")


def lines(texts: list[str]) -> list[Line]:
    return [Line(number=number, text=text) for number, text in enumerate(texts)]


@given(TEXTS, st.integers(-50, 4000))
def test_a_page_holds_the_first_whole_items_and_keeps_to_its_room_unless_one_alone_is_larger(
    texts: list[str], room: int
) -> None:
    items = lines(texts)
    shown = list(fitting(items, room=room))
    assert shown == items[: len(shown)]
    assert bool(shown) == bool(items)
    sizes = [weight(item.model_dump_json()) + 1 for item in items]
    assert len(shown) <= 1 or sum(sizes[: len(shown)]) <= room
    assert len(shown) == len(items) or sum(sizes[: len(shown) + 1]) > room


def test_letters_beyond_ascii_count_as_they_cost() -> None:
    assert weight("abc無") == 3 + ASCII_PER_TOKEN


def test_without_a_budget_an_answer_still_fits_what_lambda_may_send() -> None:
    assert room_of(None) == room_of(10**9)
    shown = fitting(lines(["無" * 200_000] * 50), room=room_of(None))
    assert 2_000_000 < sum(len(item.model_dump_json().encode()) for item in shown) < 4_200_000
