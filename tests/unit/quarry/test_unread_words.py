"""Words that nothing read tell rows apart where only some rows have them."""

from hypothesis import given
from hypothesis import strategies as st

from quarry.retrieval.judging import UnreadWords, read_words

ROWS = [read_words(f"pump {word}") for word in ("marine", "quiet", "bronze", "bronze", "bronze", "bronze", "bronze")]
TEXTS = st.lists(
    st.lists(st.sampled_from(["marine", "quiet", "bronze", "atex"])).map(" ".join), min_size=1, max_size=8
)


def test_a_word_that_all_rows_have_or_none_tells_none_apart() -> None:
    unread = UnreadWords.of("pump submarine marine", ROWS, needs=1)
    assert set(unread.worth) == {"marine"}
    assert len(unread.foreign) == 1
    assert UnreadWords.of("Überdruck, łódź", ROWS, needs=1).told_of((), words=("lodz",))[0] == ["Überdruck"]


def test_the_fewer_rows_have_a_word_the_more_it_is_worth() -> None:
    unread = UnreadWords.of("bronze marine", ROWS, needs=0)
    assert unread.worth["marine"] > unread.worth["bronze"]


def test_words_beside_many_needs_are_a_smaller_share_of_what_was_asked() -> None:
    shares = [UnreadWords.of("marine", ROWS, needs=needs).share for needs in range(4)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1.0


def test_a_fraction_is_a_word_of_its_own() -> None:
    rows = [read_words(text) for text in ("coupling G3/8", "coupling G1/2", "coupling 8 mm, 3 bar", "coupling")]
    unread = UnreadWords.of("coupling ½", rows, needs=1)
    assert [unread.of_row(row)["told"] > 0 for row in rows] == [False, True, False, False]
    assert UnreadWords.of("1/4", rows, needs=1).foreign == ("1/4",)
    assert UnreadWords.of("1/4", rows, needs=1).told_of((), words=()) == ([], None)


def test_a_figure_and_its_word_are_looked_for_together_where_rows_have_both() -> None:
    rows = [read_words(text) for text in ("hose 1 layer", "hose 2 layers", "2 hoses, layers")]
    asked = UnreadWords.of("2 layers", rows, needs=1, query="hose 2 layers")
    assert [asked.of_row(row)["told"] > 0 for row in rows] == [False, True, False]
    assert UnreadWords.of("2 layers", rows, needs=1, query="2 hoses, layers").worth == {}
    assert UnreadWords.of("4 layers", rows, needs=1).foreign == ()
    assert not UnreadWords.of("2 marine", rows, needs=1).known


@given(TEXTS, st.lists(st.sampled_from(["marine", "quiet", "bronze", "atex"])).map(" ".join), st.integers(0, 5))
def test_what_a_row_lacks_and_what_it_tells_are_the_whole_share(texts: list[str], asked: str, needs: int) -> None:
    rows = [read_words(text) for text in texts]
    unread = UnreadWords.of(asked, rows, needs=needs)
    for row in rows:
        told = unread.of_row(row)
        assert bool(told) == bool(unread.worth)
        assert 0 <= told.get("lacking", 0.0) <= unread.share <= 1
        assert abs(told.get("lacking", 0.0) + told.get("told", 0.0) - unread.share) < 1e-9
