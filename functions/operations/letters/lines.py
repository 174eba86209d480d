"""A letter as lines of cells that know their place: Word's paragraphs and tables, the layout of a PDF's pages.

Its values have a place too and a confidence, and its parts are told by words.
"""

import io
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from docx import Document
from docx.table import Table as WordTable
from docx.text.paragraph import Paragraph
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from operations import confined
from operations.tables.cells import Habits, Unreadable, number
from quarry.text import fold
from quarry.tool.errors import ValidationFailed

ENDINGS = (".docx", ".pdf")
LEAST_TEXT = 40
"""Letters and figures on a page; a page of fewer is taken for a picture of one."""


WORDS = Path(__file__).with_name("words.toml")
SURE = 0.8
"""Confidence from which on a value is stored without a person having seen it."""


@dataclass(frozen=True, slots=True)
class LetterLine:
    """``cells`` stand beside each other with room between them."""

    place: str
    cells: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(cell for cell in self.cells if cell)


@dataclass(frozen=True, slots=True)
class LetterValue:
    """A value as the letter has it."""

    text: str
    place: str
    confidence: float


def lines_of(content: bytes, *, file_name: str) -> list[LetterLine]:
    """Raises ValidationFailed for what is no letter, is damaged or locked, or is a scan without text."""
    name = file_name.lower()
    if name.endswith(".docx"):
        return list(_word(content, file_name=file_name))
    if name.endswith(".pdf"):
        return list(_pdf(content, file_name=file_name))
    raise ValidationFailed(f"'{file_name}' is neither .docx nor .pdf; save it as one of these.")


def _word(content: bytes, *, file_name: str) -> Iterator[LetterLine]:
    confined.check(content, reader="word", file_name=file_name)
    try:
        document = Document(io.BytesIO(content))
    except Exception as error:
        raise ValidationFailed(f"'{file_name}' cannot be read as a Word document: {type(error).__name__}.") from error
    tables = 0
    for place, block in enumerate(document.iter_inner_content(), start=1):
        if isinstance(block, Paragraph):
            for text in block.text.splitlines():
                yield LetterLine(f"paragraph {place}", tuple(re.split(r"\t+|\s{3,}", text.strip())))
        elif isinstance(block, WordTable):
            tables += 1
            for at, row in enumerate(block.rows, start=1):
                yield LetterLine(
                    f"table {tables}, row {at}", tuple(" ".join(cell.text.split()) for cell in row.cells)
                )


def _pdf(content: bytes, *, file_name: str) -> Iterator[LetterLine]:
    confined.check(content, reader="pdf", file_name=file_name)
    try:
        pages = [page.extract_text(extraction_mode="layout") for page in PdfReader(io.BytesIO(content)).pages]
    except (PyPdfError, ValueError, KeyError, TypeError) as error:
        raise ValidationFailed(f"'{file_name}' cannot be read as a PDF: {type(error).__name__}.") from error
    if not pages or all(sum(1 for sign in page if sign.isalnum()) < LEAST_TEXT for page in pages):
        raise ValidationFailed(
            f"'{file_name}' is a picture of a letter: it has no text. Recognise its text first, for instance with "
            f"ocrmypdf -l eng+deu+spa+fra '{file_name}' with-text.pdf, or scan it again as a searchable PDF."
        )
    for place, page in enumerate(pages, start=1):
        for at, text in enumerate(page.splitlines(), start=1):
            yield LetterLine(f"page {place}, line {at}", tuple(re.split(r"\s{2,}", text.strip())))


@cache
def words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text("utf-8"))


def plain(text: str) -> str:
    return re.sub(r"[^a-z0-9#]+", " ", fold(text.replace("º", "o").replace("°", "o"))).strip()


def first_words(line: LetterLine) -> str:
    return plain(re.sub(r"[\d.,%€$]+", " ", next((cell for cell in line.cells if cell), "")))


def is_total(line: LetterLine) -> bool:
    first = first_words(line)
    totals = words()["totals"]
    taxed = "%" in line.text and any(re.search(rf"\b{word}\b", first) for word in totals["tax"])
    return taxed or first in (*totals["net"], *totals["any"], *totals["tax"]) or first.startswith(("total ", "netto"))


def amount(cell: str, how: Habits) -> Decimal | None:
    try:
        value, beside = number(cell, decimal=how.decimal)
    except Unreadable:
        return None
    return value if len(beside) <= 6 else None
