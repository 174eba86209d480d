"""A list's cursor: what it carries, and what it refuses."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpq.cursor import Pin, decode, encode
from quarry.tool.errors import ValidationFailed

PIN = Pin("748:755:749,751", datetime(2026, 11, 21, 3, 4, 5, 678901, tzinfo=UTC))
QUESTION = {"status": "draft", "limit": 20}


def test_it_carries_the_pin() -> None:
    assert decode(encode(PIN, question=QUESTION), question=QUESTION) == PIN


def test_it_belongs_to_one_question() -> None:
    with pytest.raises(ValidationFailed, match="other filters"):
        decode(encode(PIN, question=QUESTION), question={**QUESTION, "status": "sent"})


@pytest.mark.parametrize("snapshot", ["1:2:'; DROP", "1:2", "x", "1:2:3,", ""])
def test_a_forged_snapshot_is_refused(snapshot: str) -> None:
    forged = encode(Pin(snapshot, PIN.as_of), question=QUESTION)
    with pytest.raises(ValidationFailed, match="no cursor of ours"):
        decode(forged, question=QUESTION)


@given(st.text(min_size=1, max_size=60))
def test_no_text_but_ours_is_taken(text: str) -> None:
    with pytest.raises(ValidationFailed):
        decode(text, question=QUESTION)
