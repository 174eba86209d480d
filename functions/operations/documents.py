"""Cuts documents, Markdown, text, HTML, Word and PDF, into passages at their headings."""

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal

from markdown_it import MarkdownIt
from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

from operations import confined
from quarry.ingestion import LEVEL, Rejected, UnreadRecord, cut
from quarry.tool.errors import ValidationFailed

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

LONGEST_PASSAGE = 4_000
"""The limit in characters, which suits an embedding model as well as the reader of a citation."""

CUT = b"2"
"""Changes with the places of cuts, so that a file which is loaded again leaves no passage of its former ones."""

LONGEST_TITLE = 500

SMALL = 100_000
"""A text of at most this many characters cannot become large when it is read."""

FORMS = {
    **{".md": "markdown", ".markdown": "markdown", ".txt": "text", ".html": "html", ".htm": "html"},
    **{".pdf": "pdf", ".docx": "word"},
}
PACKED = ("pdf", "word")
"""Forms whose files are no text."""


@dataclass(slots=True)
class DocumentSection:
    """Text under ``headings``, its own last, the outermost first; ``line`` counts from 1, for a PDF in pages."""

    line: int
    headings: tuple[str, ...] = ()
    text: list[str] = field(default_factory=list)


def passages(content: str | bytes, *, form: str, file_name: str) -> Iterator[UnreadRecord | Rejected]:
    """Yields a record per passage, numbered by file and headings, so that an unchanged passage keeps its number; of a
    document that cannot be read or has no text, a reject.
    """
    whole = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    name, version = re.sub(r"\.\w+$", "", file_name), hashlib.sha256(CUT + whole).hexdigest()
    place, position, times = 0, 0, Counter[str]()
    try:
        found = _sections_of(content, whole, form=form, file_name=file_name)
    except ValidationFailed as error:
        yield Rejected(1, error.message, file_name)
        return
    for section in found:
        title = LEVEL.join(dict.fromkeys([name, *section.headings]))
        lines = section.text if len(title) <= LONGEST_TITLE else [*section.headings, *section.text]
        for text in cut("\n".join(line.rstrip() for line in lines), most=LONGEST_PASSAGE):
            times[title] += 1
            # A reject's line is a key and has to be unique, but a long section has several passages.
            place = max(section.line, place + 1)
            passage = {"doc_id": _number(file_name, title, times[title]), "title": title[:LONGEST_TITLE]}
            passage |= {"content": text, "source": file_name, "version": version, "position": position}
            yield UnreadRecord(place, text, passage)
            position += 1
    if not place:
        yield Rejected(1, "the document has no text; a scan needs its text recognised first", file_name)


def _sections_of(content: str | bytes, whole: bytes, *, form: str, file_name: str) -> Iterable[DocumentSection]:
    """Raises ValidationFailed."""
    if isinstance(content, bytes):
        if form == "word":
            return sections(_word(opened_in_word(content, file_name=file_name)))
        # A PDF's pages are its sections, because its fonts do not say what a heading is.
        pages = enumerate(pages_of(content, file_name=file_name, mode="plain"), start=1)
        return [DocumentSection(number, (f"page {number}",), page.splitlines()) for number, page in pages]
    if len(content) > SMALL:
        confined.check(whole, reader=form, file_name=file_name)
    return sections(CUTTERS[form](content))


def _number(*parts: object) -> int:
    """Returns a hash of nine digits, for numbers that people give are smaller as a rule."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return 100_000_000 + int.from_bytes(digest[:8]) % 900_000_000


Piece = tuple[int, int | None, str]
"""A line of text, or a heading with its level; first the line on which it begins."""


END: Piece = (0, -1, "end")
"""Stands above every heading."""


def sections(pieces: Iterable[Piece]) -> Iterator[DocumentSection]:
    """Cuts at headings; a heading with nothing under it is text of what it stands in, or no passage would have it."""
    before, section, above = DocumentSection(1), DocumentSection(1), dict[int, str]()
    for line, level, text in chain(pieces, [END]):
        if level is None or not text:
            section.text.append(text)
            continue
        is_bare = bool(above) and level <= max(above) and not "".join(section.text).strip()
        if is_bare:
            *headings, bare = section.headings
            section = DocumentSection(section.line, tuple(headings), [f"{'#' * len(section.headings)} {bare}"])
        if is_bare and section.headings == before.headings:
            before.text += section.text
        else:
            yield before
            before = section
        above = {known: said for known, said in above.items() if known < level} | {level: text}
        section = DocumentSection(line, tuple(above.values()))
    yield before


def _markdown(content: str) -> Iterator[Piece]:
    """Finds headings with a Markdown parser, which sees none in a block of code, and one in front matter."""
    lines, start = re.split(r"\r\n?|\n", content), 0  # as the parser counts them
    tokens = MarkdownIt().parse(content)
    for place, token in enumerate(tokens):
        if token.type != "heading_open" or token.map is None or token.level:
            continue
        if token.map[0] == 1 and token.markup == "-" and lines[0].rstrip() == "---":
            continue
        yield from ((start, None, line) for line in lines[start : token.map[0]])
        yield token.map[0] + 1, int(token.tag[1]), tokens[place + 1].content
        start = token.map[1]
    yield from ((start, None, line) for line in lines[start:])


def _text(content: str) -> Iterator[Piece]:
    return ((1, None, line) for line in content.splitlines())


SILENT = frozenset(("script", "style", "nav", "template", "noscript", "svg", "head", "title"))
HIDDEN = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
BLOCKS = re.compile(
    "h[1-6]|p|div|li|tr|br|hr|section|article|header|footer|main|aside|table|caption|ul|ol|pre|blockquote|dl|dt|dd"
)


def _html(content: str) -> Iterator[Piece]:
    from lxml import etree  # only a page needs it

    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    root = etree.fromstring(f"{content}<p>".encode("utf-8", "replace"), parser)
    walk, said = etree.iterwalk(root, events=("start", "end")), ""
    for event, element in walk:
        is_heading = re.fullmatch("h[1-6]", element.tag) is not None
        if BLOCKS.fullmatch(element.tag) and (event == "start" or is_heading):
            text, said = " ".join(said.split()), ""
            yield element.sourceline or 1, int(element.tag[1]) if is_heading and event == "end" else None, text
        elif element.tag in ("td", "th") and event == "start" and element.getprevious() is not None:
            said += " | "
        # A page that a script shows when it is ready is hidden as a whole.
        hidden = element.tag not in ("html", "body") and (
            "hidden" in element.attrib or HIDDEN.search(element.get("style", ""))
        )
        if event == "start" and (hidden or element.tag in SILENT):
            walk.skip_subtree()
        else:
            said += (element.text if event == "start" else element.tail) or ""
    yield 1, None, " ".join(said.split())


def _word(document: "WordDocument") -> Iterator[Piece]:
    """Finds headings by their styles; a row of a table is a line, its cells apart by |."""
    from docx.text.paragraph import Paragraph  # only a Word file needs it

    for place, block in enumerate(document.iter_inner_content(), start=1):
        if not isinstance(block, Paragraph):
            yield from (
                (place, None, " | ".join(" ".join(cell.text.split()) for cell in row.cells)) for row in block.rows
            )
            continue
        style = (block.style.name if block.style else None) or ""
        heading = re.fullmatch(r"Title|Heading (\d)", style)
        yield place, None if heading is None else int(heading[1] or 0), block.text.strip() if heading else block.text


def opened_in_word(content: bytes, *, file_name: str) -> "WordDocument":
    """Raises ValidationFailed."""
    from docx import Document  # only a Word file needs it

    confined.check(content, reader="word", file_name=file_name)
    try:
        return Document(io.BytesIO(content))
    except Exception as error:
        raise ValidationFailed(
            f"'{file_name}' cannot be read as a Word document ({type(error).__name__}): save it anew, without a "
            "password."
        ) from error


def pages_of(content: bytes, *, file_name: str, mode: Literal["plain", "layout"]) -> list[str]:
    """Returns the text of each page; ``layout`` keeps columns apart. Raises ValidationFailed if it is damaged."""
    confined.check(content, reader=mode, file_name=file_name)
    try:
        return [page.extract_text(extraction_mode=mode) for page in PdfReader(io.BytesIO(content)).pages]
    except (PyPdfError, DependencyError, ValueError, KeyError, TypeError) as error:
        raise ValidationFailed(
            f"'{file_name}' cannot be read as a PDF ({type(error).__name__}): save it anew, without a password."
        ) from error


CUTTERS = {"markdown": _markdown, "text": _text, "html": _html}
