"""A letter as numbered lines of cells: Word's paragraphs and tables, the layout of a PDF's pages."""

import io
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from operations import confined
from operations.bounds import check_size
from operations.documents import pages_of
from quarry.tool.errors import ValidationFailed

ENDINGS = (".docx", ".pdf")
LEAST_TEXT = 40
"""Letters and figures on a page; a page of fewer is taken for a picture of one."""

MOST_LINES = 20_000
MOST_CHARACTERS = 1_000_000
BETWEEN = " | "

Cells = tuple[str, ...]
"""What stands beside each other on a line, with room between."""


def lines_of(content: bytes, *, file_name: str) -> list[Cells]:
    """Raises ValidationFailed for what is no letter, is damaged or locked, too large, or a scan without text."""
    read = {".docx": _word, ".pdf": _pdf}.get(Path(file_name).suffix.lower())
    if read is None:
        raise ValidationFailed(f"'{file_name}' is neither .docx nor .pdf; save it as one of these.")
    check_size(len(content), whole=True)
    lines = list(islice((line for line in read(content, file_name) if any(line)), MOST_LINES + 1))
    if len(lines) > MOST_LINES or sum(len(cell) for line in lines for cell in line) > MOST_CHARACTERS:
        raise ValidationFailed(
            f"'{file_name}' has more than {MOST_LINES:,} lines or {MOST_CHARACTERS:,} characters: split it."
        )
    return lines


def _word(content: bytes, file_name: str) -> Iterator[Cells]:
    from docx import Document  # only a Word file needs it
    from docx.text.paragraph import Paragraph

    confined.check(content, reader="word", file_name=file_name)
    try:
        document = Document(io.BytesIO(content))
    except Exception as error:
        raise ValidationFailed(f"'{file_name}' cannot be read as a Word document: {type(error).__name__}.") from error
    heads = [part for section in document.sections for part in (section.header, section.footer)]
    own = [part for part in heads if not part.is_linked_to_previous]
    for block in chain(document.iter_inner_content(), *(part.iter_inner_content() for part in own)):
        if isinstance(block, Paragraph):
            yield from (tuple(re.split(r"\t+|\s{3,}", text.strip())) for text in block.text.splitlines())
        else:
            yield from (tuple(" ".join(cell.text.split()) for cell in row.cells) for row in block.rows)


def _pdf(content: bytes, file_name: str) -> Iterator[Cells]:
    pages = pages_of(content, file_name=file_name, mode="layout")
    if not pages or all(sum(1 for sign in page if sign.isalnum()) < LEAST_TEXT for page in pages):
        raise ValidationFailed(
            f"'{file_name}' is a picture of a letter: it has no text. Recognise its text first, for instance with "
            f"ocrmypdf -l eng+deu+spa+fra '{file_name}' with-text.pdf, or scan it again as a searchable PDF."
        )
    for page in pages:
        yield from (tuple(re.split(r"\s{2,}", text.strip())) for text in page.splitlines())
