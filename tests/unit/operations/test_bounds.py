"""What an ingest reads is bounded: files, lines, records, fields, rows, rejects; and what a text may hold."""

import gzip
import io
import tracemalloc
from collections.abc import Callable
from itertools import chain, repeat
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from psycopg.sql import SQL

from onboarding.contents import lines_of
from operations.bounds import LARGEST_FILE, LARGEST_WHOLE, LONGEST_LINE, MOST_REJECTS, MOST_ROWS, is_formula
from operations.reading import RowsRead, read
from operations.tables.sheets import read_workbook
from operations.tables.source import TableSource
from quarry.ingestion import LARGEST_CHUNK, Accepted, Kind, Rejected, Row, chunks
from quarry.tool.errors import ValidationFailed
from tests.hostile import docx_of_one_word_repeated, xls_with_a_cell_in_the_last_corner


class PartRow(Row):
    name: str
    maker: str | None = None


PARTS = Kind(name="parts", table="x.parts", row=PartRow, key=("name",), upsert=SQL(""))
BOLT = Accepted[Row](1, PartRow(name="bolt"), size=4)
BAD = Rejected(7, "bad", "bad")


class Endless(io.RawIOBase):
    """Bytes without end, a line feed nowhere."""

    def __init__(self, beginning: bytes, *, size: int) -> None:
        self._pieces = chain([beginning], repeat(b"x" * 65_536, size // 65_536))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what BufferedReader hands in
        piece = next(self._pieces, b"")[: len(buffer)]
        buffer[: len(piece)] = piece
        return len(piece)


def rows(content: bytes, name: str = "parts.csv") -> list[Accepted[Row] | Rejected]:
    return list(read(io.BytesIO(content), PARTS, file_name=name))


@pytest.mark.parametrize("name", ["parts.csv", "parts.jsonl"])
def test_a_line_without_end_costs_itself_and_no_memory(name: str) -> None:
    beginning = b'name,maker\nbolt,"' if name.endswith("csv") else b'{"name": "bolt"}\n{"name": "'
    stream = io.BufferedReader(Endless(beginning, size=30_000_000))
    tracemalloc.start()
    found = list(read(stream, PARTS, file_name=name))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    [cut] = [item for item in found if isinstance(item, Rejected)]
    assert (cut.line, "longer than 1,000,000 characters" in cut.reason) == (2, True)
    assert most < 12_000_000


def test_the_rows_around_a_line_that_is_too_long_are_read() -> None:
    long = b"y" * (2 * LONGEST_LINE + 5)
    found = rows(b"name,maker\nbolt,\n" + long + b",\nnut,\n")
    assert [(item.line, isinstance(item, Accepted)) for item in found] == [(2, True), (3, False), (4, True)]


def test_a_quoted_field_of_many_lines_is_given_up_and_the_next_row_is_read() -> None:
    field = b'"' + b"word word\n" * 20_000 + b'"'
    found = rows(b"name,maker\nbolt," + field + b"\nnut,Acme\n")
    assert [item.row for item in found if isinstance(item, Accepted)] == [PartRow(name="nut", maker="Acme")]


def test_a_field_longer_than_may_be_is_rejected() -> None:
    [reject] = rows(b"name,maker\nbolt," + b"z" * 600_000 + b"\n")
    assert "field larger than field limit (500000)" in getattr(reject, "reason", "")


def test_a_header_that_is_too_long_is_refused_in_few_words() -> None:
    for header in (b"h" * (LONGEST_LINE + 9), b"a" * 600_000, b",".join(b"c%d" % n for n in range(90_000))):
        with pytest.raises(ValidationFailed) as refused:
            rows(header + b"\nbolt,\n")
        assert len(refused.value.message) < 1_500


def test_a_file_that_is_too_large_is_refused_before_it_is_read() -> None:
    for size, name in ((LARGEST_FILE + 1, "parts.csv"), (LARGEST_WHOLE + 1, "parts.xlsx")):
        with pytest.raises(ValidationFailed, match="MB is the most"):
            read(io.BytesIO(b"name\n"), PARTS, file_name=name, size=size)


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"name\nbolt\n", mtime=0), b"PK\x03\x04rest", b"BZh9", b"\x28\xb5\x2f\xfd"],
    ids=("gzip", "zip", "bzip2", "zstd"),
)
def test_what_is_compressed_is_refused(content: bytes) -> None:
    with pytest.raises(ValidationFailed, match="is compressed"):
        rows(content)


def packed(sheet: bytes) -> bytes:
    """The archive of a workbook's sheet, as far as it is looked at before it is opened."""
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (packed(b'<row r="1"><c r="A1"/></row><row r="1048576"><c s="1" r="XFD1048576"/></row>'), "16,384 columns"),
        (packed(b"0" * 140_000_000), "unpacks to more than 128 MB"),
        (packed(b"x" * 100)[:-30], "The workbook is damaged"),
    ],
    ids=["a cell in the last corner", "zeroes", "cut"],
)
def test_a_workbook_that_would_unpack_to_too_much_is_refused_before_it_is_opened(content: bytes, words: str) -> None:
    with pytest.raises(ValidationFailed, match=words):
        read(io.BytesIO(content), PARTS, file_name="parts.xlsx", size=len(content))


@pytest.mark.parametrize(
    ("name", "content", "reading"),
    [
        ("corner.xls", xls_with_a_cell_in_the_last_corner, lambda file: read_workbook(file, file_name="corner.xls")),
        ("breaks.docx", docx_of_one_word_repeated, lambda file: lines_of(file, file_name="breaks.docx")),
    ],
)
def test_a_small_file_that_becomes_a_large_one_is_refused_and_costs_this_process_nothing(
    name: str, content: Callable[[], bytes], reading: Callable[[bytes], object]
) -> None:
    file = content()
    with pytest.raises(ValidationFailed, match=f"'{name}' takes more than 128 MB"):
        reading(file)


def test_reading_stops_at_the_row_after_the_last_that_a_file_may_have() -> None:
    reading = RowsRead(repeat(BOLT), TableSource(iter(())), encoding="utf-8", skip=MOST_ROWS - 2)
    assert (len(list(reading)), reading.stopped) == (
        2,
        "The file has more than 2,000,000 rows; put the others as a file of their own.",
    )


def test_reading_stops_where_nearly_everything_is_rejected() -> None:
    reading = RowsRead(chain([BOLT], repeat(BAD)), TableSource(iter(())), encoding="utf-8", skip=0)
    assert len(list(reading)) == 1 + MOST_REJECTS
    assert reading.stopped == "More than 100,000 rows were rejected, the last on line 7."


def test_long_rows_make_small_chunks() -> None:
    items = [Accepted[Row](n, PartRow(name=f"{n}"), size=LARGEST_CHUNK // 2) for n in range(5)]
    assert [len(chunk) for chunk in chunks(items, identity_of=lambda row: (row.model_dump()["name"],), size=500)] == [
        2,
        2,
        1,
    ]


def test_turned_and_hidden_characters_are_left_out_and_told() -> None:
    [item] = rows('{"name": "bolt\\u202egnp.exe\\u0007", "maker": "A\u200bc\U000e0041me"}'.encode(), "parts.jsonl")
    assert isinstance(item, Accepted)
    assert item.row == PartRow(name="boltgnp.exe ", maker="Acme")
    assert item.repair == "4 control or unseen characters are left out"


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://x","y")',
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "=cmd|'/C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        '=1+IMPORTXML("http://x")',
        "\t=webservice(1)",
        '+HYPERLINK("x")',
    ],
)
def test_what_a_spreadsheet_would_run_is_a_formula(text: str) -> None:
    assert is_formula(text)


@pytest.mark.parametrize(
    "text",
    [
        "-10 °C (min)",
        "+49 30 1234(5)",
        "=> see note (a)",
        "= 7.5 kW",
        "- PUMP(S) | 24 V!",
        "@ 7 bar",
        "VSD (30 kW)",
        "+ freight (DAP)",
        "-",
        "=",
        "",
    ],
)
def test_how_people_write_is_no_formula(text: str) -> None:
    assert not is_formula(text)
