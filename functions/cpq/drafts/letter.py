"""A draft in Markdown as the pieces whose figures belong together: sentences, list items, cells of tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_RULE = re.compile(r"[\s|:*_=-]+")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = re.compile(r"\*\*|__|`|<br\s*/?>|\\(?=\s|$)|\\(?=[\\`*_{}\[\]()#+\-.!$|>~])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_END = re.compile(r"[.!?…。！？]['\"”“»)]*\s+")
INTERNAL = "(internal"
"""What the heading of a part says that no customer reads, as the house template has it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """``beside`` is what names whose figures these are: the sentence itself, or the whole row of a cell.

    Pieces of one paragraph, list or table share their ``block``; cells know their ``column`` and its ``head``.
    """

    line: int
    text: str
    beside: str
    block: int
    head: str = ""
    column: int = -1
    heading: bool = False


@dataclass
class Draft:
    """``outside`` are the lines that a customer reads, others blank; ``notes`` is what only the house reads."""

    outside: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.outside)


def read(draft: str) -> Draft:
    """Blockquotes are notes for the house, and so is what stands under a heading that says so."""
    found, depth = Draft(), 0
    for line in _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), draft).split("\n"):
        if heading := _HEADING.match(line):
            if depth and len(heading[1]) <= depth:
                depth = 0
            if INTERNAL in heading[2].casefold():
                depth = len(heading[1])
        inside = bool(depth) or line.lstrip().startswith(">")
        found.outside.append("" if inside else line)
        if inside:
            found.notes.append(line)
    return found


def pieces(lines: Sequence[str]) -> Iterator[Piece]:
    block: list[tuple[int, str]] = []
    number = 0
    for place, line in enumerate([*lines, ""], 1):
        if line.strip() and not _HEADING.match(line):
            block.append((place, line))
            continue
        yield from _of_block(block, number=number)
        block, number = [], number + 1
        if heading := _HEADING.match(line):
            text = plain(heading[2])
            yield Piece(place, text, text, number, heading=True)
            number += 1


def plain(text: str) -> str:
    return " ".join(_MARKS.sub(lambda mark: " " if mark[0].startswith("<") else "", text).split(" ")).strip()


def _of_block(block: Sequence[tuple[int, str]], *, number: int) -> Iterator[Piece]:
    """Tables row by row, list items and paragraphs sentence by sentence."""
    said: list[tuple[int, str]] = []
    rows: list[tuple[int, str]] = []
    for place, line in block:
        if line.lstrip().startswith("|"):
            rows.append((place, line))
            continue
        if _BULLET.match(line) and said:
            yield from _sentences(said, number=number)
            said = []
        said.append((place, _BULLET.sub("", line, count=1)))
    yield from _sentences(said, number=number)
    yield from _cells(rows, number=number)


def _cells(rows: Sequence[tuple[int, str]], *, number: int) -> Iterator[Piece]:
    table = [(place, [plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
             for place, line in rows if not _RULE.fullmatch(line)]  # fmt: skip
    heads = table[0][1] if len(rows) > len(table) else []
    for place, cells in table:
        beside = " | ".join(cells)
        for column, cell in enumerate(cells):
            head = heads[column] if column < len(heads) and cells is not heads else ""
            # The label of a row names the unit where the head of the column does not: "| Weight, lb | 1185 | 760 |".
            label = cells[0] if column and not any(letter.isdecimal() for letter in cells[0]) else ""
            yield Piece(place, cell, beside, number, head=f"{head} | {label}", column=column, heading=cells is heads)


def _sentences(lines: Sequence[tuple[int, str]], *, number: int) -> Iterator[Piece]:
    text, origins = "", list[tuple[int, int]]()
    for place, line in lines:
        origins.append((len(text), place))
        text += plain(line) + " "
    start = 0
    ends = [end.end() for end in _END.finditer(text) if text[end.end() : end.end() + 1].isupper()]
    for end in (*ends, len(text)):
        sentence = text[start:end].strip()
        if sentence:
            place = next(place for at, place in reversed(origins) if at <= start)
            yield Piece(place, sentence, sentence, number)
        start = end
