"""A letter that a person edited in Word: its page as Markdown again, found between the marks that the file has."""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docx import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table
from docx.text.paragraph import Paragraph

from cpq.drafts.composing import around_table, without_closing
from cpq.drafts.value import ITEMS, UNSIGNED
from cpq.drafts.word import CLOSING, GOODS, W
from quarry.tool.errors import ValidationFailed

_TITLE = re.compile(r"quarry_(D)_([0-9]{4})_([0-9]{4,})_([0-9]+)_(customer|internal)")
"""The title's mark also says which copy it is, for editors drop what a file's properties say."""
NOT_SHOWN = (f"{W}del", f"{W}moveFrom")
"""What was taken out while Word kept track of changes."""

_NUMBER = re.compile(r"_\d+$")
_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")
_LINE_MARK = re.compile(r"^(\s*)([#+-]|\d+(?=[.)]))")
_NUMBERED = re.compile(r"(\d+)\.\s+")


@dataclass(frozen=True, slots=True)
class EditedLetter:
    """The copy that was edited, its page, and the ``others``: what stands beside the page. ``closing`` is the phrase
    above who signs.
    """

    draft_id: str
    version: int
    view: str
    page: str
    closing: str
    others: list[str]


def read(content: bytes) -> EditedLetter:
    """Raises ValidationFailed where it is no letter of draft_get, or where its marks are gone."""
    try:
        document = Document(io.BytesIO(content))
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise ValidationFailed("The file is no Word document (.docx).") from error
    parts: dict[str, list[str]] = {"page": [], "others": []}
    part, title, has_goods, closing = "others", None, False, ""
    for element in document.element.body.iterchildren(f"{W}p", f"{W}tbl"):
        marks = {_NUMBER.sub("", one.get(f"{W}name")) for one in element.iter(f"{W}bookmarkStart")}
        titles = [found for name in marks if (found := _TITLE.fullmatch(name))]
        if CLOSING in marks and not closing:
            part, closing = "others", "".join(_spans(element)).split("\\\n")[0].strip()
        if GOODS in marks and not has_goods:
            has_goods = True
            parts["page"].append(f"{{{{{ITEMS}}}}}")
        parts["others" if titles or marks & {GOODS, CLOSING} else part] += _written(element, document)
        if titles:
            part, title = "page", titles[0]
    if title is None or not closing:
        raise ValidationFailed(
            "The file does not say which draft it is and where its page ends: edit the file that draft_get gave, or "
            "send the text as page."
        )
    page = re.sub(r"\n{3,}", "\n\n", "\n\n".join(parts["page"]))
    # Points of a list stand under each other.
    page = re.sub(r"(?m)^((?: {3})*(?:-|\d+\.) .*)\n\n(?=(?: {3})*(?:-|\d+\.) )", r"\1\n", page)
    named = "-".join(title.group(1, 2, 3))
    return EditedLetter(named, int(title[4]), title[5], page.strip(), closing, parts["others"])


def taken(letter: EditedLetter, *, unedited: EditedLetter, stored: str) -> str:
    """The edited page as a draft's: untouched paragraphs name their facts by id as those of the ``stored`` page do,
    and what that says of closing and signature, which a file sets apart, stands behind them.
    """
    text, signed = without_closing(stored.replace(UNSIGNED, ""), {unedited.closing})
    before, after = around_table(re.sub(r"\s*\n\n\s*\n", "\n\n", text))
    written = "\n\n".join(filter(None, [before, f"{{{{{ITEMS}}}}}", after])).split("\n\n")
    shown, page = unedited.page.split("\n\n"), letter.page.split("\n\n")
    if len(shown) == len(written):
        named = dict(zip(shown, written, strict=True))
        page = [named.get(each, each) for each in page]
    if UNSIGNED in stored:
        page.append(UNSIGNED)
    if signed:
        page.append("\\\n".join([unedited.closing, *signed.split("\n")]))
    return "\n\n".join(page)


def _written(element: Any, document: Any) -> Iterator[str]:
    if element.tag == f"{W}tbl":
        head, *rows = [[cell._tc for cell in row.cells] for row in Table(element, document).rows]
        told = [[" ".join(_escaped(text) for _, _, text in _together(cell)) for cell in head]]
        told += [["".join(_spans(cell)).strip() for cell in row] for row in rows]
        lines = ["| " + " | ".join(row) + " |" for row in told]
        yield "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])
        return
    style = Paragraph(element, document).style
    text = "".join(_spans(element)).strip()
    if text:
        yield _as_line(text, style.name if style is not None else "")


def _as_line(text: str, style: str) -> str:
    kind, _, level = style.rpartition(" ")
    depth = int(level) if level.isdecimal() else 1
    if kind == "Heading":
        return f"{'#' * depth} {text}"
    if style.startswith("List"):
        return f"{'   ' * (depth - 1)}- {text}"
    if numbered := _NUMBERED.match(text):
        return f"{numbered[1]}. {text[numbered.end() :]}"
    return _LINE_MARK.sub(r"\1\\\2", text)


def _spans(element: Any) -> Iterator[str]:
    """Texts of the runs that are shown, with what is bold or slanted marked so."""
    for is_bold, is_italic, text in _together(element):
        body = _escaped(text)
        around = ("**" if is_bold else "") + ("*" if is_italic else "")
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        yield (before + around + body + around[::-1] + after).replace("\n", "\\\n") if body else text


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text.strip())


def _together(element: Any) -> list[tuple[bool, bool, str]]:
    """Runs of one look as one, for an editor cuts them anywhere."""
    found = list[tuple[bool, bool, str]]()
    for run in element.iter(f"{W}r"):
        if any(above.tag in NOT_SHOWN for above in run.iterancestors()):
            continue
        text = "".join(
            one.text or ""
            if one.tag == f"{W}t"
            else "\n"
            if one.tag == f"{W}br" and one.get(f"{W}type") is None
            else " "
            for one in run.iter(f"{W}t", f"{W}br", f"{W}tab")
        )
        look = (_is_on(run, "b"), _is_on(run, "i"))
        if text and found and found[-1][:2] == look:
            text = found.pop()[2] + text
        if text:
            found.append((*look, text))
    return found


def _is_on(run: Any, name: str) -> bool:
    one = run.find(f"{W}rPr/{W}{name}")
    return one is not None and one.get(f"{W}val") not in ("0", "false")
