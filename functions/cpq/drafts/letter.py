"""A draft in Markdown as the pieces whose figures belong together: sentences, list items, cells of tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_RULE = re.compile(r"[\s|:*_=-]+")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = re.compile(r"\*\*|__|`|\\(?=\s|$)|\\(?=[\\`*_{}\[\]()#+\-.!$|>~])")
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


def outside(draft: str) -> tuple[str, str]:
    """The letter, its other lines blank, and what only the house reads: blockquotes, parts whose heading says so."""
    letter, notes, depth = list[str](), list[str](), 0
    for line in _without_comments(draft).split("\n"):
        if heading := _HEADING.match(line):
            depth = 0 if len(heading[1]) <= depth else depth
            depth = len(heading[1]) if INTERNAL in heading[2].casefold() else depth
        kept = not depth and not line.lstrip().startswith(">")
        letter.append(line if kept else "")
        notes.append("" if kept else line)
    return "\n".join(letter), "\n".join(notes)


def _without_comments(draft: str) -> str:
    """Their lines stay, blank; what opens none that is closed is text."""
    kept, at = list[str](), 0
    while (begin := draft.find("<!--", at)) >= 0 and (end := draft.find("-->", begin + 4)) >= 0:
        kept += [draft[at:begin], "\n" * draft.count("\n", begin, end)]
        at = end + 3
    return "".join([*kept, draft[at:]])


def pieces(letter: str) -> Iterator[Piece]:
    block: list[tuple[int, str]] = []
    number = 0
    for place, line in enumerate([*letter.split("\n"), ""], 1):
        if line.strip() and not _HEADING.match(line):
            block.append((place, line))
            continue
        yield from _of_block(block, number=number)
        block, number = [], number + 2
        if heading := _HEADING.match(line):
            yield Piece(place, _plain(heading[2]), _plain(heading[2]), number - 1)


def _plain(text: str) -> str:
    return _MARKS.sub("", text).strip()


def _of_block(block: Sequence[tuple[int, str]], *, number: int) -> Iterator[Piece]:
    said: list[tuple[int, str]] = []
    for place, line in block:
        if _BULLET.match(line) and said:
            yield from _sentences(said, number=number)
            said = []
        if not line.lstrip().startswith("|"):
            said.append((place, _BULLET.sub("", line)))
    yield from _sentences(said, number=number)
    yield from _cells([each for each in block if each[1].lstrip().startswith("|")], number=number)


def _cells(rows: Sequence[tuple[int, str]], *, number: int) -> Iterator[Piece]:
    table = [(place, [_plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
             for place, line in rows if not _RULE.fullmatch(line)]  # fmt: skip
    heads = table[0][1] if len(rows) > len(table) else []
    for place, cells in table:
        beside = " | ".join(cells)
        for column, cell in enumerate(cells):
            head = heads[column] if column < len(heads) and cells is not heads else ""
            # The label of a row names the unit where the head of the column does not: "| Weight, lb | 1185 | 760 |".
            label = cells[0] if column and not any(letter.isdecimal() for letter in cells[0]) else ""
            yield Piece(place, cell, beside, number, f"{head} | {label}", column)


def _sentences(lines: Sequence[tuple[int, str]], *, number: int) -> Iterator[Piece]:
    text, origins, start = "", list[tuple[int, int]](), 0
    for place, line in lines:
        origins.append((len(text), place))
        text += _plain(line) + " "
    ends = [end.end() for end in _END.finditer(text) if text[end.end() : end.end() + 1].isupper()]
    for end in (*ends, len(text)):
        if sentence := text[start:end].strip():
            yield Piece(next(place for at, place in reversed(origins) if at <= start), sentence, sentence, number)
        start = end
