"""Writes a letter as Markdown, in any of its views."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from cpq.documents.content import Seller
from cpq.drafts.blocks import Block, Grid, Letter, Note, Points, Prose, Title, View
from cpq.drafts.wording import LetterWording
from quarry.text import fold

REVIEW = "> **SALESPERSON REVIEW:**"
"""How a note begins, as the house's template of letters has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterCopy:
    """One copy of a letter: its view, the draft's ``name`` and version, the house's layouts and Word file."""

    letter: Letter
    view: View
    name: str
    version: int
    seller: Seller
    wording: LetterWording
    layouts: Path
    house_file: Path | None
    at: datetime

    @property
    def closing(self) -> list[str]:
        """The lines that say who signs, and where the customer does."""
        letter = self.letter
        people = [each for each in letter.signed_by.split("\n") if each and fold(each) != fold(self.seller.name)]
        signed = [self.wording.say("sincerely"), *people, *filter(None, [self.seller.name])]
        if not letter.to_sign:
            return signed
        choices = " ".join(f"☐ {each}" for each in letter.choices)
        return [*signed, "", *filter(None, [choices]), self.wording.say("accepted")]

    def parts(self) -> Iterator[tuple[str, str, Sequence[Block]]]:
        """Yields (name, title, blocks) of each part; the page has no title of its own."""
        titles = {"page": "", "annex": self.wording.say("annex"), "sheet": "Sheet (internal)"}
        return ((name, titles[name], blocks) for name, blocks in self.letter.parts(self.view))

    @property
    def title(self) -> str:
        """The title, which names the quotes; a letter without one is no offer that a signature accepts."""
        number = self.letter.number
        return f"{self.wording.labels.title} {number}" if number else self.wording.say("without_quote", id=self.name)


def written(copy: LetterCopy) -> str:
    letter, seller = copy.letter, copy.seller
    head = [seller.name, *seller.address, *filter(None, (seller.phone, seller.email))]
    parts = ["\\\n".join(head), letter.date, "\\\n".join(letter.addressee)] if copy.view != "notes" else []
    parts.append(f"**{copy.title}**")
    notes = 0
    for part, title, blocks in copy.parts():
        if part == "annex":
            parts.append("\\\n".join(copy.closing))
        parts += ["---", f"## {title}"] if title else []
        for block in blocks:
            notes += isinstance(block, Note)
            parts.append(_block(block, notes))
    return "\n\n".join(parts) + "\n"


def body(blocks: Iterable[Block]) -> str:
    """Returns the blocks as the customer reads them, without notes."""
    return "\n\n".join(_block(block, 0) for block in blocks if not isinstance(block, Note))


def differing(before: str, now: str) -> list[str]:
    """Returns the lines that only one text has, marked + where it is ``now`` and - where it is ``before``."""
    lines = difflib.unified_diff(before.split("\n"), now.split("\n"), n=0, lineterm="")
    return [line for line in islice(lines, 2, None) if not line.startswith("@@") and line[1:]]


def _block(block: Block, notes: int) -> str:
    match block:
        case Title():
            return f"{'#' * (block.level + 1)} {block.text}"
        case Prose():
            return block.text
        case Points():
            return "\n".join(f"- {item}" for item in block.items)
        case Note():
            return f"{REVIEW} {notes}. {block.text}"
        case Grid():
            return "\n".join(_table(block))


def _table(grid: Grid) -> Iterator[str]:
    columns = len(grid.head or grid.rows[0])
    yield _row(grid.head or [""] * columns)
    yield "|" + "".join("---:|" if place in grid.figures else "---|" for place in range(columns))
    for place, row in enumerate(grid.rows):
        is_sum = place >= len(grid.rows) - grid.sums
        yield _row([f"**{cell}**" if is_sum and cell else cell for cell in row])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
