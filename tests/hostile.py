"""Small files that become large when they are read."""

import io
import zlib
from collections.abc import Callable
from zipfile import ZIP_DEFLATED, ZipFile

import xlwt
from docx import Document
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject

_NAMESPACES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
)


def xls_with_a_cell_in_the_last_corner() -> bytes:
    book = xlwt.Workbook()
    for number in range(8):
        sheet = book.add_sheet(f"s{number}")
        sheet.write(0, 0, "model")
        sheet.write(65_535, 255, "x")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def ods(table: str) -> bytes:
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", f"<office:document-content {_NAMESPACES}>{body}</office:document-content>")
    return file.getvalue()


def ods_of_one_cell_repeated() -> bytes:
    cell = '<table:table-cell office:value-type="string" table:number-columns-repeated="1024"><text:p>x</text:p>'
    row = f'<table:table-row table:number-rows-repeated="30000">{cell}</table:table-cell></table:table-row>'
    return ods(f'<table:table table:name="s">{row}</table:table>')


def ods_of_nested_tags() -> bytes:
    deep = 1_000_000
    row = "<table:table-row><table:table-cell>" + "<text:p>" * deep + "</text:p>" * deep
    return ods(f'<table:table table:name="s">{row}</table:table-cell></table:table-row></table:table>')


def ods_of_zeroes() -> bytes:
    return ods("0" * 140_000_000)


def docx_of_one_word_repeated() -> bytes:
    document = Document()
    document.add_paragraph("MARK")
    file = io.BytesIO()
    document.save(file)
    bomb = io.BytesIO()
    with ZipFile(file) as old, ZipFile(bomb, "w", ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "word/document.xml":
                content = content.replace(b"MARK", b"<w:br/>" * 6_000_000)
            new.writestr(entry.filename, content)
    return bomb.getvalue()


def pdf_of_one_page_repeated(*, times: int = 1) -> bytes:
    writer = PdfWriter()
    page = writer.add_blank_page(600, 800)
    stream = DecodedStreamObject()
    stream.set_data(zlib.compress(b"(word) Tj\n" * 7_000_000, 9))
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    page[NameObject("/Contents")] = writer._add_object(stream)
    for _ in range(times - 1):
        writer.add_page(page)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "an .xls with cells in the last corner": ("corner.xls", xls_with_a_cell_in_the_last_corner),
    "an .ods of one cell repeated": ("repeated.ods", ods_of_one_cell_repeated),
    "an .ods of nested tags": ("nested.ods", ods_of_nested_tags),
    "an .ods of zeroes": ("zeroes.ods", ods_of_zeroes),
    "a .docx of one break repeated": ("breaks.docx", docx_of_one_word_repeated),
    "a .pdf of one page of 70 MB": ("page.pdf", pdf_of_one_page_repeated),
}
"""Names of files by what is hostile in them, and their content."""
