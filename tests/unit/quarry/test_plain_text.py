"""Text that hides or turns what a reader sees is neither stored nor searched for."""

import pytest

from quarry.plain_text import plain
from quarry.tool.contract import Args


class NoteArgs(Args):
    note: str
    lines: list[dict[str, object]]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("price \u202e000.1\u202c", "price 000.1"),
        ("\u2066approve\u2069", "approve"),
        ("bell\x07 and\x0bline\x85", "bell  and line "),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("hidden\U000e0069\U000e0067\U000e006e", "hidden"),
        ("two\nlines\tand\r\nmore", "two\nlines\tand\r\nmore"),
        ("Größe 無 שלום\u200f می\u200cخواهم 👩\u200d🔧", "Größe 無 שלום\u200f می\u200cخواهم 👩\u200d🔧"),
    ],
)
def test_a_text_keeps_what_can_be_seen_and_is_written_with(text: str, left: str) -> None:
    assert plain(text) == left


def test_arguments_are_plain_however_deep_they_stand() -> None:
    taken = NoteArgs.model_validate({"note": "a\u202eb", "lines": [{"text": ["c\x07d"]}]})
    assert taken == NoteArgs(note="ab", lines=[{"text": ["c d"]}])
