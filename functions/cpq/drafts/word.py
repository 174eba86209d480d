"""A letter as a Word file, in the house's own file where it has one; notes are comments."""

import re
from collections.abc import Sequence
from io import BytesIO
from itertools import zip_longest
from typing import Any

import docx
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.table import WD_TABLE_DIRECTION
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.shared import Mm, Pt, RGBColor
from docx.text.paragraph import Paragraph

from cpq.documents.direction import FROM_RIGHT, from_right, pieces
from cpq.drafts.blocks import Block, Note, Prose
from cpq.drafts.layout import SetParagraph, SetTable, Span, laid_out
from cpq.drafts.markdown import LetterCopy

GOODS, CLOSING = "quarry_goods", "quarry_closing"
"""Bookmarks, which survive editing: the page is what stands between title and closing, but for the goods."""
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LETTER, BOLD, WIDEST, MARGINS = 0.49, 1.12, 1.35, Pt(11)
"""Width of a letter by the size of its font, how much wider bold ones are, and those of the widest fonts that houses
write in; what the margins of a cell take.
"""
WIDE, SMALL = 7, Pt(8.5)
"""Columns from which a table has a small font."""
LABEL = 0.35
"""Share of a table without a head that its labels have: such tables follow one another, and stand alike."""
AUTHOR, INITIALS = "Quarry", "Q"
POINT = "List Bullet"
PAPERS = {"a4": (210, 297), "us-letter": (216, 279)}
"""Width and height in mm; others have the house's own file."""


class WordWriter:
    """Text first, comments last: whoever sets a paragraph's text anew drops the anchors of its comments."""

    def __init__(self, copy: LetterCopy) -> None:
        own = copy.house_file
        self._document: Document = docx.Document(str(own) if own else None)
        self._copy, self._seller, self._notes = copy, copy.seller, list[tuple[Paragraph, str]]()
        self._last: Paragraph | None = None
        self._language, self._from_right = copy.letter.language, copy.letter.language in FROM_RIGHT
        _add_comment_styles(self._document)
        if own:
            body = self._document.element.body
            for element in [each for each in body if not each.tag.endswith("}sectPr")]:
                body.remove(element)
        else:
            self._dress()

    def written(self) -> bytes:
        copy, letter = self._copy, self._copy.letter
        self._lines(letter.addressee)
        self._paragraph([Span(text=letter.date)])
        self._paragraph([Span(text=copy.title, bold=True)])
        _mark(self._own[-1:], f"quarry_{copy.name}_{copy.version}_{copy.view}".replace("-", "_"))
        for part, title, blocks in copy.parts():
            if title:
                self._heading(title, 1, on_a_new_page=True)
            made = self._set_all(blocks)
            if part == "page":
                _mark(made, GOODS)
                at = len(self._own)
                self._close(copy.closing)
                _mark(self._own[at:], CLOSING)
        for paragraph, text in self._notes:
            self._document.add_comment(paragraph.runs or [paragraph.add_run()], text, AUTHOR, INITIALS)
        _for_all_scripts(self._document.element.body)
        for said in self._document.styles.element.iter(f"{W}lang"):
            said.set(f"{W}bidi" if self._from_right else f"{W}val", letter.language)  # in which Word checks spelling
        properties = self._document.core_properties
        properties.title, properties.author, properties.language = copy.title, self._seller.name, letter.language
        properties.created = properties.modified = copy.at
        stream = BytesIO()
        self._document.save(stream)
        return stream.getvalue()

    @property
    def _own(self) -> list[Any]:
        """Elements of the body but the section's own at its end."""
        return list(self._document.element.body)[:-1]

    def _set_all(self, blocks: Sequence[Block]) -> list[Any]:
        """The elements of what is no text of the writer: the table of goods and what belongs to it."""
        made = []
        for block in blocks:
            at = len(self._own)
            for each in laid_out([block]):
                self._set(each)
            if not isinstance(block, Prose | Note):
                made += self._own[at:]
        return made

    def _set(self, each: SetParagraph | SetTable) -> None:
        if isinstance(each, SetTable):
            self._table(each)
        elif each.kind == "note":
            if self._last is not None:
                self._notes.append((self._last, "".join(span.text for span in each.spans)))
        elif each.kind == "number":
            # Its number is text, for Word's own style would count on from list to list.
            form = self._paragraph([Span(text=f"{each.number}.\t"), *each.spans]).paragraph_format
            form.left_indent, form.first_line_indent = Mm(6 * each.level), Mm(-6)
        elif each.kind == "heading":
            self._heading("".join(span.text for span in each.spans), each.level)
        else:
            self._paragraph(each.spans, style=POINT if each.kind == "bullet" else None, level=each.level)

    def _style(self, name: str | None) -> Any:
        """The style of that name; None where the house's file has none."""
        return next((one for one in self._document.styles if one.name == name), None)

    def _paragraph(self, spans: Sequence[Span], *, style: str | None = None, level: int = 1) -> Paragraph:
        deeper = f"{style} {level}" if style and level > 1 else style
        paragraph = self._document.add_paragraph(style=self._style(deeper) or self._style(style))
        self._fill(paragraph, spans)
        self._last = paragraph
        return paragraph

    def _fill(self, paragraph: Paragraph, spans: Sequence[Span], *, in_cell: bool = False) -> bool:
        """Returns whether the paragraph runs from the right: as its words do, in a cell as the document."""
        text = "".join(span.text for span in spans)
        runs_back = (in_cell and self._from_right) or from_right(text, language=self._language)
        if runs_back:
            paragraph._p.get_or_add_pPr().append(_element("bidi"))
        for span in spans:
            for part, is_back in pieces(span.text, within_right=runs_back):
                run = paragraph.add_run(part)  # a line end becomes a break
                run.bold, run.italic, run.font.rtl = span.bold or None, span.italic or None, is_back or None
        return runs_back

    def _close(self, lines: Sequence[str]) -> None:
        """Whole and below the paragraph before it: no page has it alone. Notes stay on what they are about."""
        before = self._last
        if before is not None:
            before.paragraph_format.keep_with_next = True
        self._lines([lines[0], "", *lines[1:]]).paragraph_format.keep_together = True
        self._last = before

    def _lines(self, lines: Sequence[str]) -> Paragraph:
        return self._paragraph([Span(text="\n".join(lines))])

    def _heading(self, text: str, level: int, *, on_a_new_page: bool = False) -> None:
        form = self._paragraph([Span(text=text)], style=f"Heading {level}").paragraph_format
        form.keep_with_next, form.page_break_before = True, on_a_new_page

    def _table(self, each: SetTable) -> None:
        rows = [each.head, *each.rows] if each.head else each.rows
        columns = max(len(row) for row in rows)
        table = self._document.add_table(rows=0, cols=columns)
        table.style = self._style("Table Grid")
        table.table_direction = WD_TABLE_DIRECTION.RTL if self._from_right else None
        _thin(table)
        for place, row in enumerate(rows):
            is_head, is_sum = bool(each.head) and place == 0, place >= len(rows) - each.sums
            made = table.add_row()
            # A row is not broken over pages; that of the head stands on each.
            for name in ("cantSplit", "tblHeader") if is_head else ("cantSplit",):
                made._tr.get_or_add_trPr().append(_element(name))
            for column, spans in enumerate(row):
                paragraph = made.cells[column].paragraphs[0]
                strong = is_head or is_sum or (not each.head and column == 0)
                told = [span.model_copy(update={"bold": span.bold or strong}) for span in spans]
                runs_back = self._fill(paragraph, told, in_cell=True)
                paragraph.paragraph_format.space_after = 0
                paragraph.paragraph_format.keep_with_next = is_head
                # A paragraph from the right begins on the right, and what Word calls RIGHT is its other side.
                if (column in each.figures or self._from_right) != runs_back:
                    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
                if is_head:
                    shade = _element("shd", val="clear", color="auto", fill=self._seller.tint.lstrip("#"))
                    made.cells[column]._tc.get_or_add_tcPr().append(shade)
        section: Any = self._document.sections[0]
        whole = section.page_width - section.left_margin - section.right_margin
        size, widths = self._style("Normal").font.size or Pt(11), [LABEL, 1 - LABEL]
        if each.head or columns != len(widths):
            widths = _widths(rows, range(columns), letter=LETTER * size, line=whole)
            if columns >= WIDE or sum(widths) > whole:
                size, widths = SMALL, _widths(rows, each.figures, letter=LETTER * SMALL, line=whole)
        if size == SMALL:
            for run in (run for cell in table._cells for part in cell.paragraphs for run in part.runs):
                run.font.size = SMALL
        for made, width in zip(table.columns, widths, strict=True):
            # Word begins with these and fits the columns to their content, LibreOffice goes by the columns.
            for sized in (made, *made.cells):
                sized.width = int(whole * width / sum(widths))
        self._last = table.rows[-1].cells[0].paragraphs[0]
        self._document.add_paragraph().paragraph_format.space_after = 0

    def _dress(self) -> None:
        """What a house without a file of its own gets: its letterhead, its colour, its paper."""
        section, normal = self._document.sections[0], self._document.styles["Normal"]
        width, height = PAPERS.get(self._seller.paper, PAPERS["a4"])
        section.page_width, section.page_height = Mm(width), Mm(height)
        section.left_margin = section.right_margin = section.bottom_margin = Mm(20)
        section.top_margin, section.header_distance = Mm(34), Mm(12)
        normal.font.name, normal.font.size = "Calibri", Pt(10.5)
        normal.paragraph_format.space_after = Pt(6)
        for level, size in enumerate((15, 12.5, 11, 10.5), 1):
            heading = self._document.styles[f"Heading {level}"]
            heading.font.color.rgb = RGBColor.from_string(self._seller.accent.lstrip("#"))
            heading.font.name, heading.font.size = "Calibri", Pt(size)
        head = section.header.paragraphs[0]
        reach = filter(None, (self._seller.phone, self._seller.email, self._seller.website))
        told = "\n" + " · ".join([*self._seller.address, *reach])
        self._fill(head, [Span(text=self._seller.name, bold=True), Span(text=told)])
        foot = section.footer.paragraphs[0]
        self._fill(foot, [Span(text=" · ".join(filter(None, (self._seller.name, self._seller.registration))) + "\n")])
        for place, part in enumerate(re.split("[{}]", self._copy.wording.words["page"])):
            run = foot.add_run("1" if place % 2 else part)
            if place % 2:
                field = _element("fldSimple", instr={"page": "PAGE", "pages": "NUMPAGES"}[part])
                run._r.addprevious(field)
                field.append(run._r)
            run.font.size = Pt(8)
        for run in (*(run for run in head.runs if not run.bold), *foot.runs):
            run.font.size = Pt(8)
        for part in (self._document.styles.element, section.header._element, section.footer._element):
            _for_all_scripts(part)


def _mark(elements: Sequence[Any], name: str) -> None:
    """Sets a bookmark in each element of the body that has a text, inside one paragraph: editors lose longer ones."""
    for each in elements:
        paragraph = next((one for one in each.iter(f"{W}p") if any(one.itertext())), None)
        if paragraph is None:
            continue
        number = len(list(each.getparent().iter(f"{W}bookmarkStart")))
        begin = _element("bookmarkStart", id=str(number), name=f"{name}_{number}")
        paragraph.insert(paragraph.find(f"{W}pPr") is not None, begin)
        paragraph.append(_element("bookmarkEnd", id=str(number)))


def _element(name: str, /, **attributes: str) -> Any:
    return OxmlElement(f"w:{name}", {f"{W}{each}": value for each, value in attributes.items()})


def _for_all_scripts(element: Any) -> None:
    """Says again for Arabic, Hebrew, Thai and others what Word would else do to other letters alone."""
    for form in element.iter(f"{W}rPr"):
        for name in ("b", "i", "sz"):
            if (said := form.find(f"{W}{name}")) is not None:
                for other in form.findall(f"{W}{name}Cs"):
                    form.remove(other)
                said.addnext(_element(f"{name}Cs", **{key.removeprefix(W): value for key, value in said.items()}))
        fonts = form.find(f"{W}rFonts")
        if fonts is not None and (font := fonts.get(f"{W}ascii")):
            fonts.set(f"{W}cs", font)


def _add_comment_styles(document: Document) -> None:
    """Comments name two styles, which a house's file may lack."""
    styles = (("CommentText", WD_STYLE_TYPE.PARAGRAPH, 10), ("CommentReference", WD_STYLE_TYPE.CHARACTER, 8))
    for name, kind, size in styles:
        if not any(one.style_id == name for one in document.styles):
            style = document.styles.add_style(name, kind)
            style.font.size = Pt(size)


def _thin(table: Any) -> None:
    """Hairlines below rows in place of boxes."""
    borders = _element("tblBorders")
    for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
        shown = side in ("bottom", "insideH")
        borders.append(_element(side, val="single" if shown else "nil", sz="4", color="C9D2D9"))
    table._tbl.tblPr.append(borders)


def _widths(
    rows: Sequence[Sequence[Sequence[Span]]], firm: Sequence[int], *, letter: float, line: int
) -> list[float]:
    """Returns how wide columns are. Each has its longest word whole, ``firm`` ones in the widest font too, and its
    tallest cell as few lines as all can have; together they are wider than the line where it does not hold the words.
    """
    columns = [["".join(span.text for span in cell) for cell in cells] for cells in zip_longest(*rows, fillvalue=())]
    padding, bold = MARGINS + letter, BOLD * letter
    # What Word breaks no line at, such as the blank within a figure, is no end of a word.
    longest = [max(map(len, re.split("[ \n]", " ".join(column)))) for column in columns]
    words = [bold * length * (WIDEST if at in firm else 1) for at, length in enumerate(longest)]
    cells = [bold * max(map(len, column)) for column in columns]
    for lines in range(1, int(max(cells) / letter) + 2):
        wanted = [padding + max(word, cell / lines) for word, cell in zip(words, cells, strict=True)]
        if sum(wanted) <= line:
            break
    more = [max(padding + cell - share, 0) for cell, share in zip(cells, wanted, strict=True)]
    spare = min(max(line - sum(wanted), 0) / (sum(more) or 1), 1)
    return [share + spare * extra for share, extra in zip(wanted, more, strict=True)]
