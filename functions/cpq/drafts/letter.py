"""Splits a draft into pieces whose figures belong together (sentences, list items, cells), and finds names in it
whatever their case, accents, look-alike letters, hyphens and line ends.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from quarry.text import LETTER, look_of, part_key

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_RULE = re.compile(r"[\s|:*_=-]+")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = re.compile(r"\*\*|__|`|\\(?=\s|$)|\\(?=[\\`*_{}\[\]()#+\-.!$|>~])")
_END = re.compile(r"[.!?…。！？]['\"”“»)]*\s+")
INTERNAL = "(internal"
"""Marks the heading of a part that no customer reads, as the house template writes it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, list item or cell; ``beside`` names whose figures these are: the sentence itself, or a cell's row.

    Pieces of one paragraph, list or table share their ``block``; cells know their ``column`` and its ``head``.
    """

    line: int
    text: str
    beside: str
    block: int
    head: str = ""
    column: int = -1


def outside(draft: str) -> tuple[str, str]:
    """Returns the letter and what only the house reads (blockquotes, parts whose heading says so), line by line."""
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
    """Removes HTML comments but keeps their lines, blank; a comment that is never closed is text."""
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


_MARKUP = re.compile(r"&#?\w{1,12};|<[^<>]{1,100}>")
_WORD = re.compile("(?:[^\\W_]|[\u0300-\u036f])+")
SHORTEST = 4
"""Names with fewer letters are not looked for."""


def compact(text: str) -> str:
    """Returns the folded letters and digits alone, with look-alikes as the Latin ones."""
    return re.sub(r"[\W_]", "", look_of(text))


class Folded:
    """A folded text in which names are looked for."""

    def __init__(self, text: str) -> None:
        self._starts, self._ends, parts, at = dict[int, int](), set[int](), list[str](), 0
        # An entity or a tag becomes what it shows, padded to its length, so that places are the original text's.
        shown = _MARKUP.sub(lambda found: unescape(found[0])[0].replace("<", " ").ljust(len(found[0])), text)
        for match in _WORD.finditer(shown):
            if part := compact(match[0]):
                self._starts[at] = match.start()
                at += len(part)
                self._ends.add(at)
                parts.append(part)
        self._whole = "".join(parts)

    def places(self, name: str) -> list[int]:
        """Returns the offsets in the text where the compact ``name`` stands as whole words."""
        if len(name) < SHORTEST or name not in self._whole:
            return []
        found = (match.start() for match in re.finditer(f"(?={re.escape(name)})", self._whole))
        return [self._starts[at] for at in found if at in self._starts and at + len(name) in self._ends]


@lru_cache(maxsize=256)
def windows(text: str) -> Mapping[str, list[tuple[int, int]]]:
    """Returns where each run of up to six words without a comma stands, by the key of the run."""
    tokens = [
        (match.start(), match.end(), part_key(match[0])) for match in re.finditer(rf"(?:{LETTER}|\$(?=\w))+", text)
    ]
    found: dict[str, list[tuple[int, int]]] = {}
    for first, (start, end, key) in enumerate(tokens):
        found.setdefault(key, []).append((start, end))
        for after, later, more in tokens[first + 1 : first + 6]:
            if after - end > 2 or "," in text[end:after]:
                break
            key, end = key + more, later
            found.setdefault(key, []).append((start, end))
    return found


def named(text: str, aliases: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Finds the aliases in a text, the longest where they overlap: start, end, and what the alias is of."""
    taken: list[tuple[int, int, str]] = []
    spans = [(*span, aliases[key]) for key, spans in windows(text).items() if key in aliases for span in spans]
    for start, end, what in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end, what))
    return sorted(taken)
