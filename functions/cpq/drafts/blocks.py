"""The blocks that a letter consists of, which each writer renders in the views of one draft."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from cpq.documents.content import FrozenModel
from cpq.model import Language

View = Literal["customer", "preview", "page", "internal", "notes"]
"""page: without the annex; preview: the customer's copy before it may go; notes: what only the internal copy has."""


class Prose(FrozenModel):
    """Markdown text of the draft's writer or of a source."""

    kind: Literal["prose"] = "prose"
    text: str


class Title(FrozenModel):
    kind: Literal["title"] = "title"
    text: str
    level: int = 2


class Grid(FrozenModel):
    """A table; the columns ``figures`` are aligned to the right, the last ``sums`` rows are totals."""

    kind: Literal["grid"] = "grid"
    head: list[str]
    rows: list[list[str]]
    figures: list[int] = Field(default=[])
    sums: int = 0


class Points(FrozenModel):
    kind: Literal["points"] = "points"
    items: list[str]


class Note(FrozenModel):
    """A remark on the block before it, for the house alone."""

    kind: Literal["note"] = "note"
    text: str


Block = Annotated[Prose | Title | Grid | Points | Note, Field(discriminator="kind")]


class Opening(FrozenModel):
    """A field that is open: the customer's copy waits until it is closed, or accepted where it can be.

    ``told`` is what a letter calls it, in the customer's language.
    """

    field: str
    who: str
    told: str = ""
    acceptable: bool = True
    accepted: bool = False


class Letter(FrozenModel):
    """A composed draft: page and annex are for the customer except their notes, the sheet is for the house.

    ``country`` is the reader's, ``number`` names its quotes, ``choices`` are what he may tick; ``signed_by`` has a
    line for each who signs; ``delivery`` is the term of delivery, ``words`` counts those of the page.
    """

    language: Language
    country: str = ""
    date: str
    addressee: list[str]
    number: str
    choices: list[str] = Field(default=[])
    signed_by: str = ""
    for_signature: bool = True
    delivery: str = ""
    words: int
    page: list[Block]
    annex: list[Block]
    sheet: list[Block] = Field(default=[])
    openings: list[Opening]

    @property
    def still_open(self) -> list[Opening]:
        return [each for each in self.openings if not each.accepted]

    @property
    def to_sign(self) -> bool:
        """Whether a signature may accept it: not without a quote, nor while it owes an answer."""
        return bool(self.number) and self.for_signature and not any(each.accepted for each in self.openings)

    def parts(self, view: View) -> Iterator[tuple[str, Sequence[Block]]]:
        """Yields (name, blocks) of each part that the view has and that is not empty."""
        if view == "notes":
            notes = [each.text for each in (*self.page, *self.annex) if isinstance(each, Note)]
            yield "sheet", [*([Points(items=notes)] if notes else []), *self.sheet]
            return
        named = {"page": self.page, "annex": [] if view == "page" else self.annex, "sheet": self.sheet}
        if view != "internal":
            named = {name: [each for each in named[name] if not isinstance(each, Note)] for name in ("page", "annex")}
        if view == "preview" and (waits := [f"{each.field} ({each.who})" for each in self.still_open]):
            named["page"] = [Note(text=f"Not released: {'; '.join(waits)}."), *named["page"]]
        yield from ((name, blocks) for name, blocks in named.items() if blocks)

    def same_for_customer(self, other: "Letter") -> bool:
        return list(self.parts("customer")) == list(other.parts("customer"))
