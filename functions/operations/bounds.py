"""Bounds of what an ingest reads, so that no file takes more than a fixed amount of memory, disk and time."""

import io
import re
import sqlite3
import zlib
from collections.abc import Iterator
from typing import IO
from zipfile import BadZipFile, ZipFile

from quarry.tool.errors import ValidationFailed

MB = 1024 * 1024

LARGEST_FILE = 512 * MB
LARGEST_WHOLE = 16 * MB
"""The limit for a file that is read as a whole, because it is one document or workbook."""

LONGEST_LINE = 1_000_000
"""The limit in characters for a line, and for a record of several lines."""

LONGEST_FIELD = 500_000
MOST_ROWS = 2_000_000
MOST_REJECTS = 100_000
"""A file with more rejects is hardly of the kind that it was put in as; reading stops."""

MOST_KEPT_REJECTS = 10_000
"""Rejects of one file that are kept with their text; the others are counted."""

DEEPEST = 20
MOST_VALUES = 10_000
"""The limit for objects, lists, texts and numbers in one row of JSON."""

LARGEST_UNPACKED = 128 * MB
MOST_ENTRIES = 2_000
MOST_CELLS = 4_000_000
"""The limit for one sheet of a workbook, empty cells between others included."""

COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}

_FORMULA = re.compile(
    r"""\s*(?: [=@](?!>) (?: .* [a-z][\w.]{0,40}\( | [^|]*+\|.*! )
          | [+-] .* \b(?: (?:hyperlink|webservice|import\w{1,20}|filterxml|rtd|dde\w{0,20})\s*\(
                        | (?:cmd|powershell|msexcel)\s*\| ))""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_LOOKED_AT = 1_000
_REFERENCE = re.compile(rb'<(?:\w+:)?(?:c|row)\b[^>]{0,60}?\br="([A-Z]{0,3})(\d{1,7})"')


class CutLine(str):
    """The beginning of a line that is longer than LONGEST_LINE."""

    __slots__ = ()


TOO_LONG = f"the line is longer than {LONGEST_LINE:,} characters"


def bounded_lines(text: IO[str]) -> Iterator[str]:
    """Yields lines with their ends; of a line longer than LONGEST_LINE only the beginning, as a CutLine."""
    while line := text.readline(LONGEST_LINE):
        piece = line
        while len(piece) == LONGEST_LINE and not piece.endswith(("\n", "\r")):
            line = CutLine(line[:1000] + "\n")
            piece = text.readline(LONGEST_LINE)
        yield line


class FirstLines:
    """Remembers on which line each key came first; beyond a few MB in a temporary file."""

    def __init__(self) -> None:
        self._table = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._table.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;"
            "CREATE TABLE first (key INTEGER PRIMARY KEY, line INTEGER NOT NULL); BEGIN"
        )

    def line_of(self, key: int, *, line: int) -> int:
        """Returns the line on which the key came first: ``line`` itself where the key is new."""
        added = self._table.execute("INSERT OR IGNORE INTO first VALUES (?, ?)", (key, line))
        if added.rowcount:
            return line
        [first] = self._table.execute("SELECT line FROM first WHERE key = ?", (key,)).fetchone()
        return int(first)


def check_size(size: int, *, whole: bool) -> None:
    """Raises ValidationFailed if ``size``, in bytes, exceeds the limit, which is lower for a ``whole`` file."""
    largest = LARGEST_WHOLE if whole else LARGEST_FILE
    if size > largest:
        raise ValidationFailed(f"The file has {size / MB:,.0f} MB; {largest // MB} MB is the most. Split it.")


def check_unpacked(beginning: bytes) -> None:
    """Raises ValidationFailed if the file is compressed, because its unpacked size is not known in advance."""
    for mark, name in COMPRESSED.items():
        if beginning.startswith(mark):
            renamed = " A workbook keeps its ending, .xlsx." if name == "zip" else ""
            raise ValidationFailed(f"The file is compressed ({name}); unpack it and put what is in it.{renamed}")


def check_workbook(content: bytes) -> bool:
    """Returns whether the sizes of the sheets could be checked before reading, which only .xlsx and .xlsm allow.

    Raises ValidationFailed if the workbook would become too large: it is an archive of XML, and one cell in the last
    corner of a sheet makes a table of seventeen thousand million.
    """
    if not content.startswith(b"PK"):
        return False
    seen = False
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > LARGEST_UNPACKED:
                raise ValidationFailed(f"The workbook unpacks to more than {LARGEST_UNPACKED // MB} MB; split it.")
            for entry in entries:
                if re.fullmatch(r"xl/worksheets/[^/]+\.xml", entry.filename):
                    with archive.open(entry) as sheet:
                        _check_sheet(sheet)
                    seen = True
    except (BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError) as error:
        raise ValidationFailed(f"The workbook is damaged: {error}. Save it anew as .xlsx.") from error
    return seen


def column_at(letters: bytes) -> int:
    """Returns the place, from 1, of the column that a workbook calls so: A, B, … Z, AA."""
    place = 0
    for letter in letters:
        place = 26 * place + letter - ord("A") + 1
    return place


def _check_sheet(sheet: IO[bytes]) -> None:
    width = height = 0
    tail = b""
    while piece := sheet.read(MB):
        for letters, row in _REFERENCE.findall(tail + piece):
            height, width = max(height, int(row or 0)), max(width, column_at(letters))
        tail = piece[-64:]
        if width * height > MOST_CELLS:
            raise ValidationFailed(
                f"A sheet reaches over {height:,} rows and {width:,} columns; {MOST_CELLS:,} cells are the most. "
                "Delete what stands far from the table, or split it."
            )


def too_intricate(value: object, raw: str) -> str | None:
    """Returns why a row of JSON is refused, nested too deep or with too many values; else None."""
    if raw.count("[") + raw.count("{") <= DEEPEST and raw.count(",") + raw.count(":") <= MOST_VALUES:
        return None
    level, seen = [value], 1
    for _ in range(DEEPEST + 1):
        held = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [inner for outer in held for inner in outer]
        seen += len(level)
        if seen > MOST_VALUES:
            return f"the row has more than {MOST_VALUES:,} values"
        if not level:
            return None
    return f"the row is nested deeper than {DEEPEST} levels"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet made from this text would call a function or another program.

    A sign before a number or a word is how people write: "-10 °C", "+ freight (DAP)", "=> see note".
    """
    return text.lstrip()[:1] in ("=", "@", "+", "-") and _FORMULA.match(text[:_LOOKED_AT]) is not None
