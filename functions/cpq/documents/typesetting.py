"""Published layouts, and typesetting with Typst: no text of a quote is ever read as markup."""

import hashlib
import json
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from cpq.documents import s3
from cpq.documents.content import Printed, Seller
from cpq.documents.direction import FROM_RIGHT, marked, patterns
from cpq.documents.wording import tables
from quarry.data.aws import reached
from quarry.data.settings import settings
from quarry.tool.errors import Unavailable, ValidationFailed

if TYPE_CHECKING:
    import typst

FOLDER = "pdf/"
"""The folder of layouts in the bucket, below the template prefix."""

FONT_PACKAGES = (
    "justmytype_western_core",
    "justmytype_intl_rtl",
    "justmytype_intl_sea",
    "justmytype_intl_south_asia",
    "justmytype_intl_cjk",
)
"""Inter and Noto Sans for some twenty scripts, under the SIL Open Font Licence 1.1."""

STANDARDS: "tuple[list[typst.PDFStandard], ...]" = (["a-2a", "ua-1"], ["a-2u"])
"""Archivable and accessible; for a layout of the house's own that cannot be tagged, at least archivable.

Both refuse a character that no font has, which would otherwise be printed as an empty box.
"""

_QUOTED = r'`"((?:\\.|[^"\\])+)"`'
_NOT_DISPLAYED = re.compile(
    rf"the text {_QUOTED} could not be displayed|contains the (?:disallowed )?codepoint {_QUOTED}"
)


@dataclass(frozen=True, slots=True)
class Layouts:
    """A ``folder`` with the layouts on disk, which is there as long as its ``directory``."""

    folder: Path
    directory: "TemporaryDirectory[str]"

    def seller(self, tenant: str) -> Seller:
        """Returns what the profile says; of a tenant without one the name alone is known."""
        file = self._profile(tenant)
        return seller_of(file.read_text("utf-8"), file=file.name) if file else Seller(name=tenant, address=[])

    def unheaded(self, tenant: str) -> str | None:
        """Returns what to do about a letterhead that is missing."""
        if self._profile(tenant) is not None:
            return None
        return (
            f"There is no company profile templates/pdf/companies/{tenant}.toml, so what is printed names "
            f"'{tenant}' as the firm, without an address: do not send it. An administrator writes one with `make "
            "setup`, or copies it from where it was written, and publishes it."
        )

    def _profile(self, tenant: str) -> Path | None:
        """Returns the file of the tenant's own profile, or of the one for everybody."""
        files = (self.folder / "companies" / f"{tenant}.toml", self.folder / "company.toml")
        return next((file for file in files if file.is_file()), None)

    def house_file(self, tenant: str) -> Path | None:
        """Returns the Word file with a letter's styles and head: the tenant's, or everybody's without a profile."""
        own, everybody = self.folder / "companies" / f"{tenant}.docx", self.folder / "letter.docx"
        if own.is_file():
            return own
        has_profile = own.with_suffix(".toml").is_file()
        return everybody if everybody.is_file() and not has_profile else None

    def letterhead(self, tenant: str) -> str:
        """Returns a digest of profile and logo, which change how a document looks and not what it says."""
        seller = self.seller(tenant)
        logo = self.folder / seller.logo if seller.logo else None
        drawn = logo.read_bytes() if logo is not None and logo.is_file() else b""
        # A key that came later counts where it has a value, or an update would typeset every quote anew.
        later = {"amount_mark"} if seller.amount_mark is None else None
        return hashlib.sha256(seller.model_dump_json(exclude=later).encode() + b"\0" + drawn).hexdigest()

    def require(self, name: str) -> None:
        if not (self.folder / name).is_file():
            raise Unavailable(
                f"The template bucket has no layout file {name}: run publish_templates of this release."
            )


def published() -> Layouts:
    """Returns the layouts as they are in the bucket now; they are fetched again only when one has changed."""
    configuration = settings()
    if configuration.template_bucket is None:
        raise Unavailable("TEMPLATE_BUCKET is not set: name the bucket that holds the layouts.")
    prefix = configuration.template_prefix + FOLDER
    with reached("template bucket"):
        objects = s3.listed(configuration.template_bucket, prefix=prefix)
        versions = tuple((str(item["Key"]), str(item["ETag"])) for item in objects)
        return _fetched(configuration.template_bucket, prefix, versions)


@lru_cache(maxsize=1)
def _fetched(bucket: str, prefix: str, versions: tuple[tuple[str, str], ...]) -> Layouts:
    """Fetches objects by their keys; their tags say when they have to be fetched again."""
    directory = TemporaryDirectory(prefix="quarry-layouts-")
    folder = Path(directory.name).resolve()
    for key, _ in versions:
        target = (folder / key.removeprefix(prefix)).resolve()
        if target.is_relative_to(folder) and not key.endswith("/"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(s3.read(bucket, key))
    return Layouts(folder, directory)


def seller_of(content: str, *, file: str) -> Seller:
    """Parses a company profile. Raises Unavailable, which names what to change in ``file``."""
    try:
        return Seller.model_validate(tomllib.loads(content))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
    except tomllib.TOMLDecodeError as error:
        problems = str(error)
    raise Unavailable(f"The company profile {file} has to change before a quote can be printed: {problems}.")


def typeset(document: Printed, *, template: str, layouts: Path, at: datetime) -> bytes:
    """Returns the document as a PDF, byte for byte the same for the same arguments; ``at`` is its creation date.

    Raises ValidationFailed for text that no font has, and typst.TypstError when the layout is at fault.
    """
    import typst  # 80 MB of machine code, which a call that finds its document in the store need not load

    told = document.model_dump(mode="json")
    words = tables(layouts, document.language, document.country)
    labels = json.dumps({name: words[name] for name in ("composed", "text", "countries")})
    content = json.dumps(told if document.language in FROM_RIGHT else marked(told), ensure_ascii=False)
    compiler = typst.Compiler(
        layouts / f"{template}.typ",
        root=layouts,
        font_paths=_fonts(layouts / "fonts"),
        sys_inputs={
            "document": unicodedata.normalize("NFC", content),
            "labels": labels,
            **patterns(document.language),
        },
    )
    timestamp = at.astimezone(UTC).replace(microsecond=0)
    for standards in STANDARDS:
        try:
            return cast("bytes", compiler.compile(format="pdf", pdf_standards=standards, timestamp=timestamp))
        except typst.TypstError as error:
            if characters := unprintable(error.diagnostic):
                raise ValidationFailed(
                    f"No font has {', '.join(characters)}, and a document must not lose letters. Change the text, or "
                    "put a font with these characters into templates/pdf/fonts/ and publish the templates.",
                    details={"characters": characters},
                ) from error
            failure = error
    raise failure


def unprintable(diagnostic: str) -> list[str]:
    """Returns what Typst found no font for, once each and as its message has it: what cannot be seen is \\u{e000}. A
    blank beside a letter without a font is named with it, and tells nobody anything.
    """
    found = dict.fromkeys(shown or codepoint for shown, codepoint in _NOT_DISPLAYED.findall(diagnostic))
    return [each for each in found if each.strip()] or list(found)


@cache
def _fonts(own: Path) -> "typst.Fonts":
    import typst

    shipped = [Path(str(files(package) / "fonts")) for package in FONT_PACKAGES]
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[own, *shipped])
