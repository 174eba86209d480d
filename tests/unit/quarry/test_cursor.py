"""Cursors: sealed to one call, honest about what is wrong with them."""

import base64
import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter

from quarry.paging.pages import FREE, Key, Number, PagedArgs, PagedCall, Place, Text
from quarry.tool.errors import ValidationFailed

SECRET = bytes(range(32))


class AskArgs(PagedArgs):
    query: str = Field(description="Query.")
    size: int | None = Field(default=None, description="Size.")


def call(tool: str = "ask", tenant: str = "acme", **arguments: Any) -> PagedCall:
    asked = AskArgs.model_validate({"query": "pump", **arguments})
    return PagedCall.of(asked, tool=tool, tenant=tenant, free=FREE, secret=SECRET)


ANY: TypeAdapter[Key] = TypeAdapter(tuple[Number | Text, ...])
STORABLE = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)
KEYS = st.lists(st.integers(0, 2**62) | STORABLE, max_size=3).map(tuple)


@given(KEYS, st.text(max_size=6))
def test_a_cursor_comes_back_as_it_was(after: tuple[int | str, ...], mark: str) -> None:
    place = Place(after, mark)
    cursor = call().seal(place)
    assert call().open(cursor, key=ANY) == place
    assert cursor.isascii()


def test_a_cursor_into_a_ranking_is_short_enough_to_copy() -> None:
    assert len(call().seal(Place((12,), "Zx81aQ"))) < 50


@pytest.mark.parametrize(
    "other",
    [call(query="pumps"), call(size=3), call(tenant="rival"), call(tool="tell")],
    ids=["arguments", "another argument", "tenant", "tool"],
)
def test_a_cursor_of_another_call_is_refused_and_says_so(other: PagedCall) -> None:
    with pytest.raises(ValidationFailed, match=r"it continues another call\. Repeat all arguments"):
        other.open(call().seal(Place((3,))), key=ANY)


def test_the_budget_may_change_from_page_to_page() -> None:
    cursor = call(max_tokens=100).seal(Place((3,)))
    assert call(max_tokens=900, cursor=cursor).open(cursor, key=ANY) == Place((3,))


@pytest.mark.parametrize(
    "cursor", ["", " ", "3", "next", "é", "AAAA", "-" * 4000, "null", "a=b", base64.b64encode(b"[[3]]").decode()]
)
def test_what_was_never_given_out_is_refused_by_name(cursor: str) -> None:
    with pytest.raises(ValidationFailed, match=r"ask never gave this one out\. Pass next_cursor to the letter"):
        call().open(cursor, key=ANY)


@given(st.integers(0, 200), st.characters(codec="ascii"))
def test_a_cursor_with_a_letter_changed_is_never_misread(at: int, letter: str) -> None:
    cursor = call().seal(Place((3,), "Zx81aQ"))
    at %= len(cursor)
    with suppress(ValidationFailed):
        # Base64 leaves bits unused, so another last letter may be the same cursor; it is never another place.
        assert call().open(cursor[:at] + letter + cursor[at + 1 :], key=ANY) == Place((3,), "Zx81aQ")


def test_a_cursor_sealed_with_another_secret_was_never_given_out() -> None:
    for secret in (bytes(32), b"guessed", b""):
        with pytest.raises(ValidationFailed, match="ask never gave this one out"):
            call().open(replace(call(), secret=secret).seal(Place((3,))), key=ANY)


def test_a_cursor_shows_nothing_of_what_it_holds() -> None:
    shown = call().seal(Place(("a secret name", 4711), "Zx81aQ"))
    raw = base64.urlsafe_b64decode(shown + "=" * (-len(shown) % 4))
    assert b"secret" not in raw
    assert b"4711" not in raw
    assert not any(raw.endswith(tail) for tail in (b"]", b'"'))


COUNT: TypeAdapter[Key] = TypeAdapter(tuple[Number])


def forged(content: Any) -> str:
    return call().sealed(json.dumps(content).encode())


@pytest.mark.parametrize(
    "content",
    [
        [["x"]],
        [[None]],
        [[True]],
        [[float("inf")]],
        [[float("nan")]],
        [[-1]],
        [[2**63]],
        [[1.5]],
        [[1, 2]],
        [[[1]]],
        [[1], 1, "Zx81aQ"],
        [[1], True],
        [[1], None],
        [1],
        {"a": 1},
        5,
    ],
    ids=repr,
)
def test_what_a_forged_cursor_holds_is_checked_like_any_input(content: Any) -> None:
    with pytest.raises(ValidationFailed, match="ask never gave this one out"):
        call().open(forged(content), key=COUNT)


@pytest.mark.parametrize("text", ["a\x00", 1, None])
def test_a_forged_text_that_no_database_can_hold_is_refused(text: Any) -> None:
    with pytest.raises(ValidationFailed, match="ask never gave this one out"):
        call().open(forged([[text]]), key=TypeAdapter(tuple[Text]))


@pytest.mark.parametrize(
    "body",
    [b"[", b"\xff", b"[" * 100_000, b"1" * 5000, b'[["\\ud800"]]'],
    ids=["cut", "bytes", "deep", "long", "half"],
)
def test_a_forged_cursor_that_is_no_json_of_ours_is_refused(body: bytes) -> None:
    with pytest.raises(ValidationFailed, match="ask never gave this one out"):
        call().open(call().sealed(body), key=TypeAdapter(tuple[Text]))
