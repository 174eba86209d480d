"""Finds what a workbook says beside the values of its cells: which are shown in per cent, for they hold a hundredth
of what people read, and the comments on them.
"""

import io
import re
from collections.abc import Iterator
from html import unescape
from posixpath import join, normpath
from typing import IO
from zipfile import ZipFile

from operations.bounds import LARGEST_WHOLE, MB, column_at
from quarry.tool.errors import ValidationFailed

Place = tuple[int, int]
"""Row and column, counted from 0."""

WORKBOOK, STYLES, RELATIONS = "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"
LONGEST_COMMENT = 200

SHIPPED = {"9", "10"}
"""Numbers of the formats 0% and 0.00%, which every workbook has and none writes down."""

_ATTRIBUTE = re.compile(r"""(?<!\w)(?:\w++:)?+(\w++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_LITERAL = re.compile(r'"[^"]*+"|\\.|\[[^\[\]]*+\]')


def beside_values(content: bytes) -> dict[str, tuple[set[Place], list[str]]]:
    """Returns by the name of a sheet (its cells in per cent, its comments behind their cells: "K7 'only of steel'").
    A workbook that is no .xlsx or .xlsm has neither.
    """
    if not content.startswith(b"PK"):
        return {}
    with ZipFile(io.BytesIO(content)) as archive:
        parts = archive.namelist()
        if WORKBOOK not in parts or RELATIONS not in parts:
            return {}
        styles = _percent_styles(archive.read(STYLES)) if STYLES in parts else set[str]()
        return {
            name: (set(_styled(archive, path, styles)), list(_comments(archive, path)))
            for name, path in _sheets(archive)
        }


def _comments(archive: ZipFile, path: str) -> Iterator[str]:
    # Imported here, because that module reads workbooks by this one.
    from operations.exchange.files import local, xml_of

    for part in _related(archive, path, kind="/comments"):
        if archive.getinfo(part).file_size > LARGEST_WHOLE:
            continue
        try:
            root = xml_of(archive.read(part), part)
        except ValidationFailed:
            continue
        for one in (each for each in root.iter() if local(each) == "comment"):
            text = " ".join("".join(each.text or "" for each in one.iter() if local(each) == "t").split())
            if text:
                yield f"{one.get('ref', '')} {text[:LONGEST_COMMENT]!r}"


def _sheets(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """Yields (name, path) of each sheet."""
    with archive.open(RELATIONS) as file:
        targets = {tag.get("Id", ""): tag.get("Target", "") for tag in _tags(file, "Relationship")}
    with archive.open(WORKBOOK) as file:
        sheets = [(tag.get("name", ""), targets.get(tag.get("id", ""), "")) for tag in _tags(file, "sheet")]
    for name, target in sheets:
        if (path := _path(target, of="xl/")) in archive.namelist():
            yield name, path


def _related(archive: ZipFile, path: str, *, kind: str) -> list[str]:
    """Returns the paths of the parts that belong to another, of the type that ends in ``kind``."""
    folder, _, file_name = path.rpartition("/")
    relations = f"{folder}/_rels/{file_name}.rels"
    if relations not in archive.namelist():
        return []
    with archive.open(relations) as file:
        tags = [tag for tag in _tags(file, "Relationship") if tag.get("Type", "").endswith(kind)]
    found = (_path(tag.get("Target", ""), of=f"{folder}/") for tag in tags)
    return [each for each in found if each in archive.namelist()]


def _path(target: str, *, of: str) -> str:
    return normpath(join(f"/{of}", target))[1:]


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


def _styled(archive: ZipFile, path: str, styles: set[str]) -> Iterator[Place]:
    """Yields the cells of these styles; the sheet is read in pieces, because it may have millions of others."""
    if not styles:
        return
    wanted = "|".join(sorted(styles)).encode()
    cell = re.compile(
        rb"""<(?:\w+:)?c\b(?=[^<>]*\ss=["'](?:%b)["'])[^<>]*?\sr=["']([A-Z]{1,3})(\d{1,7})["']""" % wanted
    )
    rest = b""
    with archive.open(path) as sheet:
        while piece := sheet.read(MB):
            text = rest + piece
            end = text.rfind(b">") + 1
            for letters, row in cell.findall(text[:end]):
                yield int(row) - 1, column_at(letters) - 1
            rest = text[end:]
