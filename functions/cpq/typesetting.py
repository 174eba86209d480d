"""Layout and document in, PDF out: Typst with the fonts of its layer, and with no text of a quote ever read as markup."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cpq.document import QuoteDocument, Template
from quarry.errors import ValidationFailed

if TYPE_CHECKING:
    import typst

FONT_PACKAGES = (
    "justmytype_western_core",
    "justmytype_intl_rtl",
    "justmytype_intl_sea",
    "justmytype_intl_south_asia",
    "justmytype_intl_cjk",
)
"""Inter and Noto Sans for thirteen scripts, under the SIL Open Font Licence 1.1."""

# A for archives, UA for screen readers; both also refuse a character that no font has, instead of printing a box.
STANDARDS = ["a-2a", "ua-1"]

_UNPRINTABLE = re.compile(r'(?:the text|the codepoint) `"(.+?)"` ?(?:could not be displayed|`?$)?')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")


def typeset(document: QuoteDocument, *, template: Template, layouts: Path, at: datetime) -> bytes:
    """The PDF; the same arguments give the same bytes, in every process. ``at`` becomes its creation date.

    Raises ValidationFailed for text that no font of the layer has, and typst.TypstError when the layout is at fault.
    """
    import typst  # 80 MB of machine code: a call that finds its document in the store need not load it

    compiler = typst.Compiler(
        layouts / f"{template}.typ",
        root=layouts,
        font_paths=_fonts((layouts / "fonts",)),
        sys_inputs={"document": printable(document)},
    )
    try:
        pdf = compiler.compile(
            format="pdf", pdf_standards=STANDARDS, timestamp=at.astimezone(UTC).replace(microsecond=0)
        )
    except typst.TypstError as error:
        missing = unprintable(error.diagnostic)
        if not missing:
            raise
        raise ValidationFailed(
            f"No font has {', '.join(missing)}, so the document was not made: letters must not vanish from it. Change "
            "the text, or put a font with these characters into templates/pdf/fonts/ and publish the templates.",
            details={"characters": missing},
        ) from error
    if not isinstance(pdf, bytes):
        raise TypeError(f"Typst returned {type(pdf).__name__} for a PDF.")
    return pdf


def printable(document: QuoteDocument) -> str:
    """As JSON, in Unicode's composed form, which is what fonts have."""
    return unicodedata.normalize("NFC", document.model_dump_json())


def unprintable(diagnostic: str) -> list[str]:
    """Characters that Typst could not set, each once and with its code point, from its error message."""
    return []


@cache
def _fonts(extra: Sequence[Path]) -> "typst.Fonts":
    import typst

    return typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[*map(_font_folder, FONT_PACKAGES), *extra]
    )


def _font_folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"The font package {package} is not installed.")
    return Path(found.origin).parent / "fonts"
