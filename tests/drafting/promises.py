"""Sentences that promise and sentences that do not, put into the good drafts, and what check_draft says of them."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.drafting.composing import Drafted
from tests.drafting.letters import drafts, report

SENTENCES = Path(__file__).with_suffix(".toml")
LETTERS = {
    "en": "screw and dryer for a hot foundry",
    "de": "German wishes in a list",
    "es": "Spanish start-up beside a screw",
    "fr": "French answers beside a dryer",
}
"""The draft that a language's sentences are put into."""

Half = Literal["seen", "held back"]


@dataclass(frozen=True, slots=True)
class Placed:
    """A sentence in an item of a draft, before the first heading, or as an answer to a question."""

    sentence: str
    promise: bool
    half: Half
    place: Literal["item", "opening", "answer"]
    doubted: bool

    @property
    def right(self) -> bool:
        return self.doubted == self.promise


def placed(only: Half | None = None) -> Iterator[Placed]:
    letters = {each.letter.name: each for each in drafts()}
    for language, lists in tomllib.loads(SENTENCES.read_text("utf-8")).items():
        drafted = letters[LETTERS[language]]
        for kind, sentences in lists.items():
            for number, sentence in enumerate(sentences):
                half: Half = "held back" if number % 2 else "seen"
                if only not in (None, half):
                    continue
                yield Placed(sentence, kind == "promises", half, "item", doubted(drafted, sentence))
                yield Placed(sentence, kind == "promises", half, "opening", doubted(drafted, sentence, item=False))


def doubted(drafted: Drafted, sentence: str, *, item: bool = True) -> bool:
    before = "CHARACTERISTICS\n" if item else "### "
    at = drafted.text.index(before)
    text = f"{drafted.text[:at]}{sentence}\n\n{drafted.text[at:]}"
    line = text[:at].count("\n") + 1
    return any(fault.line == line for fault in report(text, drafted.evidence).faults)


def share(found: Sequence[Placed], *, promise: bool, half: Half) -> tuple[int, int]:
    """How many of them the check is right about, and how many there are."""
    mine = [each for each in found if each.promise == promise and each.half == half]
    return sum(each.right for each in mine), len(mine)
