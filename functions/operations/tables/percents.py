"""Finds the cells of a workbook that are shown in per cent, for they hold a hundredth of what people read."""

import io
import re
from collections.abc import Iterator
from html import unescape
from posixpath import join, normpath
from typing import IO
from zipfile import ZipFile

from operations.bounds import MB, column_at

Place = tuple[int, int]
"""Row and column, counted from 0."""

SHIPPED = {"9", "10"}
"""Numbers of the formats 0% and 0.00%, which every workbook has and none writes down."""

_ATTRIBUTE = re.compile(r"""(?<!\w)(?:\w++:)?+(\w++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_LITERAL = re.compile(r'"[^"]*+"|\\.|\[[^\[\]]*+\]')


def in_percent(content: bytes) -> dict[str, set[Place]]:
    """Returns the cells by the name of their sheet; none where the workbook is no .xlsx or .xlsm."""
    if not content.startswith(b"PK"):
        return {}
    with ZipFile(io.BytesIO(content)) as archive:
        if not {"xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"} <= set(archive.namelist()):
            return {}
        styles = _percent_styles(archive.read("xl/styles.xml"))
        if not styles:
            return {}
        with archive.open("xl/_rels/workbook.xml.rels") as file:
            targets = {tag.get("Id", ""): tag.get("Target", "") for tag in _tags(file, "Relationship")}
        with archive.open("xl/workbook.xml") as file:
            sheets = {tag.get("name", ""): targets.get(tag.get("id", ""), "") for tag in _tags(file, "sheet")}
        found: dict[str, set[Place]] = {}
        for name, target in sheets.items():
            path = normpath(join("/xl", target))[1:]
            if path in archive.namelist():
                with archive.open(path) as sheet:
                    found[name] = set(_styled(sheet, styles))
        return found


def _percent_styles(styles: bytes) -> set[str]:
    formats = {tag.get("numFmtId", ""): tag.get("formatCode", "") for tag in _tags(io.BytesIO(styles), "numFmt")}
    percent = {number for number, code in formats.items() if "%" in _LITERAL.sub("", code)} | (
        SHIPPED - formats.keys()
    )
    _, _, cells = styles.partition(b"cellXfs")
    cells, _, _ = cells.partition(b"cellXfs>")
    used = (tag.get("numFmtId", "0") for tag in _tags(io.BytesIO(cells), "xf"))
    return {str(at) for at, number in enumerate(used) if number in percent}


def _tags(file: IO[bytes], name: str) -> Iterator[dict[str, str]]:
    """The attributes of each tag of that name, whatever its prefix."""
    tag = re.compile(rb"""<(?:\w+:)?%b\b((?:[^<>"']|"[^"]*"|'[^']*')*)>""" % name.encode())
    for found in tag.finditer(file.read()):
        said = _ATTRIBUTE.findall(found[1].decode("utf-8", "replace"))
        yield {each: unescape(first or second) for each, first, second in said}


def _styled(sheet: IO[bytes], styles: set[str]) -> Iterator[Place]:
    """Yields the cells of these styles; the sheet is read in pieces, because it may have millions of others."""
    wanted = "|".join(sorted(styles)).encode()
    cell = re.compile(
        rb"""<(?:\w+:)?c\b(?=[^<>]*\ss=["'](?:%b)["'])[^<>]*?\sr=["']([A-Z]{1,3})(\d{1,7})["']""" % wanted
    )
    rest = b""
    while piece := sheet.read(MB):
        text = rest + piece
        end = text.rfind(b">") + 1
        for letters, row in cell.findall(text[:end]):
            yield int(row) - 1, column_at(letters) - 1
        rest = text[end:]
