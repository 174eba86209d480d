"""Document and layout in, PDF out: Typst with the fonts of its layer; no text of a quote is ever read as markup."""

import re
import unicodedata
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cpq.documents.content import QuoteDocument, Template
from quarry.tool.errors import ValidationFailed

if TYPE_CHECKING:
    import typst

FONT_PACKAGES = (
    "justmytype_western_core",
    "justmytype_intl_rtl",
    "justmytype_intl_sea",
    "justmytype_intl_south_asia",
    "justmytype_intl_cjk",
)
"""Inter and Noto Sans for some twenty scripts, under the SIL Open Font Licence 1.1."""

STANDARDS: "tuple[list[typst.PDFStandard], ...]" = (["a-2a", "ua-1"], ["a-2u"])
"""Archivable and accessible; where a layout of the house's own cannot be tagged, at least archivable.

Both refuse a character that no font has, which would otherwise be printed as an empty box.
"""

# Typst quotes text as Rust does: \t, \", \u{e000}.
_QUOTED = r'`"((?:\\.|[^"\\])+)"`'
_NOT_DISPLAYED = re.compile(
    rf"the text {_QUOTED} could not be displayed|contains the (?:disallowed )?codepoint {_QUOTED}"
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]+)\}|(.))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def typeset(document: QuoteDocument, *, template: Template, layouts: Path, at: datetime) -> bytes:
    """The same arguments give the same bytes, in every process; ``at`` is the PDF's creation date.

    Raises ValidationFailed for text that no font has, and typst.TypstError when the layout is at fault.
    """
    import typst  # 80 MB of machine code, which a call that finds its document in the store need not load

    compiler = typst.Compiler(
        layouts / f"{template}.typ",
        root=layouts,
        font_paths=_fonts(layouts / "fonts"),
        sys_inputs={"document": unicodedata.normalize("NFC", document.model_dump_json())},
    )
    *better, last = STANDARDS
    for standards in better:
        try:
            return _compiled(compiler, standards, at)
        except typst.TypstError as error:
            _refuse_unprintable(error.diagnostic)
    try:
        return _compiled(compiler, last, at)
    except typst.TypstError as error:
        _refuse_unprintable(error.diagnostic)
        raise


def unprintable(diagnostic: str) -> list[str]:
    """Characters that Typst found no font for, from its message: each once, with its code point.

    Typst names whole grapheme clusters; the plain letter below a foreign accent is not what is missing.
    """
    plain = "".join(
        _ESCAPE.sub(_unescaped, shown or codepoint) for shown, codepoint in _NOT_DISPLAYED.findall(diagnostic)
    )
    return [
        f"{character} (U+{ord(character):04X})" if character.isprintable() else f"U+{ord(character):04X}"
        for character in dict.fromkeys(plain)
        if not (character.isascii() and character.isprintable())
    ]


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2])


def _compiled(compiler: "typst.Compiler", standards: list["typst.PDFStandard"], at: datetime) -> bytes:
    timestamp = at.astimezone(UTC).replace(microsecond=0)
    pdf = compiler.compile(format="pdf", pdf_standards=standards, timestamp=timestamp)
    if not isinstance(pdf, bytes):
        raise TypeError(f"Typst returned {type(pdf).__name__} for a PDF.")
    return pdf


def _refuse_unprintable(diagnostic: str) -> None:
    characters = unprintable(diagnostic)
    if characters:
        raise ValidationFailed(
            f"No font has {', '.join(characters)}, and a document must not lose letters. Change the text, or put a "
            "font with these characters into templates/pdf/fonts/ and publish the templates.",
            details={"characters": characters},
        )


@cache
def _fonts(own: Path) -> "typst.Fonts":
    import typst

    shipped = [_font_folder(package) for package in FONT_PACKAGES]
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[own, *shipped])


def _font_folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"The font package {package} is not installed.")
    return Path(found.origin).parent / "fonts"
