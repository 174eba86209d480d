"""A draft in Markdown as the units that a reader takes in one by one: paragraphs, bullets, rows, by section."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

BlockKind = Literal["text", "bullet", "row", "heading"]

REVIEW, ATTRIBUTION, DRAFT = "SALESPERSON REVIEW:", "Attribution:", "DRAFT"
"""How the blockquotes begin that are for the house and not for the customer."""

HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
ITEM = re.compile(r"Item\s+(\d{1,3})\b", re.IGNORECASE)
BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$|\s*\|?(?:\s*:?-{3,}:?\s*\|)+\s*(?::?-{3,}:?)?\s*$")
FENCE = re.compile(r"\s*(?:```|~~~)")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKS = re.compile(r"\*\*|__|`|<br\s*/?>|\\(?=\s*$)")
_OPEN_AMOUNT = re.compile(
    r"(?:(?:EUR|USD|CHF|GBP|CAD|MXN|[€£$])\s?)*\[(PRICE|TOTAL)\](?:\s?(?:EUR|USD|CHF|GBP|CAD|MXN|[€£])(?!\w))?"
)
"""An amount that is left to a person, in any currency."""
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!$|>~])")
BOLD = re.compile(r"\s*\*\*(?:(?!\*\*).)+\*\*\s*")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“„(\[]?[A-ZÄÖÜÉÈÀÑ0-9$\[])")
MOST_OF_A_STATEMENT = 600
COMPLIANCE_CELLS = 3
"""Of a row of the compliance section: requirement, what is offered, yes or exception."""
HEAD_AND_RULE = 2
"""Lines from a table's head to its first row; no two rows of one table are further apart."""
WORDS_FROM = 3
"""Column of the annex, from 0, that names the customer, quote, date and line whose words an item uses."""


@dataclass(frozen=True)
class Block:
    """``lines`` are without marks, each with its number in the draft; ``cells`` are those of a table's row, ``heads``
    of the table's first. ``bold``: the whole paragraph is, as a question of the customer that the letter answers.
    """

    kind: BlockKind
    lines: tuple[tuple[int, str], ...]
    cells: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    bold: bool = False

    @property
    def line(self) -> int:
        return self.lines[0][0]

    @cached_property
    def text(self) -> str:
        return " ".join(text for _, text in self.lines)


@dataclass(slots=True)
class Section:
    """What stands under one heading; ``item`` is the number of the item that it is about, or 0."""

    title: str
    item: int = 0
    internal: bool = False
    units: list[Block] = field(default_factory=list)
    reviews: list[Block] = field(default_factory=list)
    attributions: list[Block] = field(default_factory=list)


def plain(text: str) -> str:
    """The text without Markdown's marks, its blanks and line breaks one blank each."""
    bare = _MARKS.sub(lambda mark: "" if mark[0] in ("**", "__", "`") else " ", text)
    return " ".join(_OPEN_AMOUNT.sub(r"$[\1]", _ESCAPED.sub(r"\1", bare)).split())


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text of one line; what has no end for MOST_OF_A_STATEMENT characters is cut at a blank."""
    for sentence in SENTENCE.split(text):
        while len(sentence) > MOST_OF_A_STATEMENT:
            cut = sentence.rfind(" ", 0, MOST_OF_A_STATEMENT)
            cut = cut if cut > 0 else MOST_OF_A_STATEMENT
            yield sentence[:cut].strip()
            sentence = sentence[cut:].strip()
        if sentence.strip():
            yield sentence.strip()


def sections(draft: str) -> list[Section]:
    """The sections in their order; the first has no title. What the house template calls internal is marked so."""
    blanked = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), draft)
    found = [Section("")]
    block: list[tuple[int, str]] = []
    internal_depth = 0

    def close() -> None:
        if block:
            _add(found[-1], block)
            block.clear()

    for number, line in enumerate(blanked.splitlines(), start=1):
        heading = HEADING.match(line)
        if heading is not None:
            close()
            depth, title = len(heading[1]), plain(heading[2])
            if internal_depth and depth <= internal_depth:
                internal_depth = 0
            if "(internal" in title.lower():
                internal_depth = depth
            item = ITEM.match(title)
            kept = found[-1].item if depth > 3 else 0
            found.append(Section(title, int(item[1]) if item else kept, bool(internal_depth)))
            found[-1].units.append(Block("heading", ((number, title),)))
        elif not line.strip() or RULE.match(line) or FENCE.match(line):
            close()
        else:
            if block and _begins(line, after=block[-1][1]):
                close()
            block.append((number, line))
    close()
    _attribute(found)
    return found


def _attribute(found: list[Section]) -> None:
    """The annex says of each item whose words it uses: that is an attribution of the item's section."""
    rows = [unit for section in found if section.internal for unit in section.units if unit.kind == "row"]
    for row in rows:
        if len(row.cells) <= WORDS_FROM or not row.cells[0].isdigit() or not re.search(r"\d", row.cells[WORDS_FROM]):
            continue
        own = (section for section in found if section.item == int(row.cells[0]) and not section.internal)
        if (section := next(own, None)) is not None:
            section.attributions.append(Block("text", ((row.line, row.cells[WORDS_FROM]),)))


def _begins(line: str, *, after: str) -> bool:
    """Whether a line begins a unit of its own behind the line before it."""
    quoted = line.lstrip().startswith(">")
    if quoted != after.lstrip().startswith(">"):
        return True
    if quoted:
        inner = line.lstrip("> ")
        return inner.startswith(("**" + REVIEW, "**" + ATTRIBUTION, "**" + DRAFT))
    return BULLET.match(line) is not None or line.lstrip().startswith("|") or after.lstrip().startswith("|")


def _add(section: Section, block: list[tuple[int, str]]) -> None:
    first = block[0][1]
    if first.lstrip().startswith(">"):
        inner = tuple((number, plain(line.lstrip().lstrip(">"))) for number, line in block)
        said = inner[0][1]
        if said.startswith(REVIEW):
            section.reviews.append(Block("text", inner))
        elif said.startswith(ATTRIBUTION):
            section.attributions.append(Block("text", inner))
        elif not said.startswith(DRAFT):
            section.units.append(Block("text", inner))
    elif first.lstrip().startswith("|"):
        for number, line in block:
            cells = tuple(plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")))
            above = section.units[-1] if section.units else None
            follows = above is not None and above.kind == "row" and number - above.line <= HEAD_AND_RULE
            section.units.append(
                Block("row", ((number, " ".join(cells)),), cells, above.heads if above and follows else cells)
            )
    else:
        kind: BlockKind = "bullet" if BULLET.match(first) else "text"
        lines = [(number, plain(BULLET.sub("", line, count=1) if place == 0 else line))
                 for place, (number, line) in enumerate(block)]  # fmt: skip
        if told := tuple((number, line) for number, line in lines if line):  # marks alone say nothing
            section.units.append(
                Block(kind, told, bold=BOLD.fullmatch(" ".join(line for _, line in block)) is not None)
            )
