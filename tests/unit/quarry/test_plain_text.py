"""Text that hides or turns what a reader sees is neither stored nor searched for."""

from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import Field

from quarry.plain_text import plain, taken_from
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.runtime import serve
from tests.deployment import Context


class NoteArgs(Args):
    note: str
    lines: list[dict[str, object]]
    count: int | None = None
    share: Annotated[Decimal, Field(ge=0)] | None = None


class NoteResult(Result):
    note: str


handler = serve(
    retrieval_tool("note", title="Note", description="Echoes.", toolset="notes"),
    NoteArgs,
    lambda args, _: NoteResult(note=args.note),
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("price \u202e000.1\u202c", "price 000.1"),
        ("\u2066approve\u2069", "approve"),
        ("bell\x07 and\x0bline\x85", "bell  and line "),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("hidden\U000e0069\U000e0067\U000e006e", "hidden"),
        ("in\u200dvoice \u200e12\u00ad34 a\u3164b", "invoice 1234 ab"),
        ("say\ufe0f\U000e0101\U000e0102 ✔\ufe0f", "say\ufe0f ✔\ufe0f"),
        ("two\nlines\tand\r\nmore", "two\nlines\tand\r\nmore"),
        ("Größe 無 שלום\u200f می\u200cخواهم 👩\u200d🔧", "Größe 無 שלום\u200f می\u200cخواهم 👩\u200d🔧"),
    ],
)
def test_a_text_keeps_what_can_be_seen_and_is_written_with(text: str, left: str) -> None:
    assert plain(text) == left


def test_what_is_taken_is_counted_and_told_beside_the_answer() -> None:
    given = {"note": "a\u202eb\x07\x07", "lines": [{"text": ["c\u200bd"]}]}
    assert taken_from(given) == 4
    answer = handler(given, Context())
    assert answer["_mcp"]["content"][0]["text"].startswith("Note: 4 control or unseen characters were left out")
    assert "_mcp" not in handler({"note": "plain", "lines": []}, Context())


@pytest.mark.parametrize(("written", "meant"), [("٣", 3), ("１２", 12), ("१२", 12)])
def test_a_number_may_come_in_the_digits_of_any_script(written: str, meant: int) -> None:
    assert NoteArgs.model_validate({"note": "n", "lines": [], "count": written}).count == meant
    assert NoteArgs.model_validate({"note": written, "lines": [], "share": f"{written}٫5"}).share == meant + Decimal(
        "0.5"
    )
    assert NoteArgs(note=written, lines=[]).note == written


def test_arguments_are_plain_however_deep_they_stand() -> None:
    taken = NoteArgs.model_validate({"note": "a\u202eb", "lines": [{"text": ["c\x07d"]}]})
    assert taken == NoteArgs(note="ab", lines=[{"text": ["c d"]}])
