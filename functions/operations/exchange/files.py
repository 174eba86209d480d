"""Reads a workbook, or a file of an exchange format, which its content tells, into sheets; and has what the readers
of these formats share: leaves of a tree as cells of rows, and rows as sheets.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from operations.bounds import MOST_CELLS, check_size
from operations.tables.cells import Cell
from operations.tables.leftover import few
from operations.tables.sheets import WORKBOOKS, Sheet, read_workbook
from quarry.tool.errors import ValidationFailed

Cells = dict[str, Cell]

MOST_TOLD = 40

BLOCKS = ("br", "p", "div", "ul", "ol", "li", "table", "tbody", "tr", "td", "th")
_AMBIGUOUS = re.compile(r"-?\d+\.\d{3}")
_BLOCK = re.compile(rf"</?(?:{'|'.join(BLOCKS)}|h[1-6])\b[^<>]{{0,200}}>", re.IGNORECASE)
_INLINE = re.compile(r"</?(?:b|i|u|strong|em|span|sub|sup)\b[^<>]{0,200}>", re.IGNORECASE)


@cache
def columns(of: str) -> dict[str, str]:
    """Returns the columns of one format, by element."""
    found: dict[str, str] = tomllib.loads(Path(__file__).with_name("columns.toml").read_text("utf-8"))[of]
    return found


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text at the end of a path of names; ``type`` is the type that its element states, or the nearest above it."""

    path: tuple[str, ...]
    text: str
    language: str = ""
    type: str = ""

    @property
    def name(self) -> str:
        return self.path[-1]


def local(element: Any) -> str:
    """An element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def text_in(element: Any) -> str:
    """All text of an XML element in one line, without the markup that a description may have in it."""
    text = "".join(_texts(element)) if len(element) else element.text or ""
    return " ".join((_INLINE.sub("", _BLOCK.sub(" ", text)) if "<" in text else text).split())


def _texts(element: Any) -> Iterator[str]:
    """Yields the pieces of the text; those of two blocks are kept apart, because no word spans two blocks."""
    apart = " " if local(element) in BLOCKS else ""
    yield apart + (element.text or "")
    for child in element:
        yield from _texts(child)
        yield child.tail or ""
    yield apart


def leaves(element: Any, above: tuple[str, ...] = (), type_: str = "") -> Iterator[Leaf]:
    """The texts below an XML element, with the paths from it."""
    path, type_ = (*above, local(element)), element.get("type", type_)
    if len(element):
        for child in element:
            yield from leaves(child, path, type_)
    elif text := text_in(element):
        yield Leaf(path, text, element.get("lang", "").lower(), type_)


def put(cells: Cells, column: str, text: str) -> None:
    """Adds a text to a column's cell, where several are joined by " | ", each once."""
    said = str(cells.get(column) or "")
    if text not in said.split(" | "):
        cells[column] = f"{said} | {text}" if said else text


def figure(text: str) -> Cell:
    """Returns the text, or a number where its point might part thousands: in these formats it is the decimal mark."""
    return float(text) if _AMBIGUOUS.fullmatch(text) else text


def sheet(name: str, rows: Iterable[Cells], *, first: Iterable[str] = (), **said: Any) -> Sheet:
    """Makes a sheet with a header, the columns ``first`` before others; a column that no row fills is left out."""
    held = list(rows)
    filled = dict.fromkeys(column for cells in held for column, cell in cells.items() if cell not in (None, ""))
    names = [*(column for column in dict.fromkeys(first) if column in filled)]
    names += [column for column in filled if column not in names]
    if len(held) * len(names) > MOST_CELLS:
        raise ValidationFailed(f"The file makes {len(held):,} rows of {len(names):,} columns: split it.")
    return Sheet(name, [names, *([cells.get(column) for column in names] for cells in held)], **said)


def header(found: Iterable[Leaf], *, whole: bool = False) -> Sheet:
    """Makes a hidden sheet of what a file says as a whole, a row per element."""
    rows: list[Cells] = [{"element": ".".join(leaf.path), "value": leaf.text} for leaf in found]
    return sheet("header", rows, hidden=True, whole=whole)


@dataclass(slots=True)
class Skipped:
    """Counts, by name, the elements of a file that are in no cell."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, found: Iterable[Leaf]) -> None:
        self.counts.update(" ".join(filter(None, (".".join(leaf.path), leaf.language))) for leaf in found)

    def told(self) -> tuple[str, ...]:
        shown = [f"{name} ({count})" for name, count in self.counts.most_common()]
        return (f"elements of the file that are in no cell: {few(shown, most=MOST_TOLD)}",) if shown else ()


GAEB_PHASES = tuple(f".x8{phase}" for phase in range(1, 7))
EXCHANGED = (".xml", *GAEB_PHASES)
WHOLE = (*WORKBOOKS, *EXCHANGED)
"""Endings of files that are read as a whole."""

MOST_MARKS = 1_000_000
"""The limit for signs that begin an element or an attribute: the memory of a tree grows with them."""


def read_sheets(content: bytes, *, file_name: str) -> list[Sheet]:
    """Raises ValidationFailed if the file is damaged, too large, unsafe, or of a form that nothing here reads."""
    found: list[Sheet] = []
    for each in _read(content, file_name):
        found.append(replace(each, first=sum(len(one.rows) for one in found)))
    return found


def _read(content: bytes, file_name: str) -> list[Sheet]:
    if Path(file_name).suffix.lower() in WORKBOOKS:
        return read_workbook(content, file_name=file_name)
    check_size(len(content), whole=True)
    # Imported here, because both readers import this module.
    from operations.exchange import catalogues, requests

    root = xml_of(content, file_name)
    form = str(root.tag).rpartition("}")[2]
    readers = {"BMECAT": catalogues.bmecat, "GAEB": requests.gaeb, "RequestForQuotation": requests.ubl}
    if form not in readers:
        raise ValidationFailed(
            f"'{file_name}' is XML of the form {form[:60]}; BMEcat (1.2, 2005), GAEB DA XML (X81 to X86) and UBL "
            "RequestForQuotation are read."
        )
    return readers[form](root)


def xml_of(content: bytes, file_name: str) -> Any:
    """Returns the root, read without network or DTD. Raises ValidationFailed if the document has its own entities."""
    from lxml import etree

    if content.count(b"<") + content.count(b"=") > MOST_MARKS:
        raise ValidationFailed(f"'{file_name}' has more than {MOST_MARKS:,} elements and values: split it.")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise ValidationFailed(f"'{file_name}' cannot be read as XML: {str(error)[:200]}.") from error
    own = root.getroottree().docinfo.internalDTD
    declared = own.iterentities() if own is not None else iter(())
    if [*declared, *root.iter(etree.Entity)]:
        raise ValidationFailed(f"'{file_name}' uses entities of its own, which are not read: write the characters.")
    return root
