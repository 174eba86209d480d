"""`python -m local.setup.template letter.docx`: a letter's fixed texts become the terms of its house's documents.

What was there before comes back with --undo.
"""

import argparse
import os
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from docx import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.text.paragraph import Paragraph
from pydantic import ValidationError

from cpq.documents.content import Seller
from local.failure import LocalError, run_command
from local.settings import read_settings
from local.setup import letterhead
from local.setup.__main__ import House, house_of, refuse_the_sample
from local.stack import require
from local.tenants import tenant_of

LONGEST_TITLE = 80
LONGEST_TEXT = 4000
COLUMN = 56

_NUMBER = re.compile(r"(?:§\s*)?(?:\d{1,2}(?:\.\d{1,2})*[.)]?|[a-z]\))\s+")
_RUN_IN = re.compile(r"(?P<title>[A-ZÄÖÜÁÉÍÓÚÀÈÇÑ][^.:;!?]{2,60})[:.]\s+(?P<text>\S.+)", re.DOTALL)
_OF_ONE_QUOTE = (
    (re.compile(r"\[[^\]]+\]|\{\{?[^}]+\}?\}|_{4,}|\.{6,}|«[^»]+»"), "a gap to be filled in"),
    (
        re.compile(r"(?:[€$£¥]|\b(?:EUR|USD|CHF|GBP)\b)\s?\d|\d[\d.,' ]*\s?(?:[€£]|\b(?:EUR|USD|CHF|GBP)\b)"),
        "an amount",
    ),
    (re.compile(r"\b\d{1,2}[./]\s?\d{1,2}[./]\s?(?:19|20)\d\d\b|\b(?:19|20)\d\d-\d\d-\d\d\b"), "a date"),
    (re.compile(r"\b(?:AN|Q|QU|ANG|OFF?|DEV)[-_ ]?(?:19|20)?\d\d[-_/ ]\d{2,}"), "the number of a quote"),
)
_SALUTATION = re.compile(
    r"(?:dear|to whom|sehr geehrte|guten tag|estimad|muy señor|distinguid|madame|monsieur|bonjour)\b", re.IGNORECASE
)
_CLOSING = re.compile(
    r"(?:questions|look forward|appreciate|happy to|rückfragen|fragen|freuen uns|quedamos|dudas|consulta|"
    r"n.hésitez|restons|disposition)",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"(?:yours|kind regards|best regards|sincerely|mit freundlichen|freundliche grüße|atentamente|cordialmente|"
    r"saludos|cordialement|veuillez agréer|salutations)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the letter: ``becomes`` names where it goes, None where ``refused`` says why it goes nowhere."""

    title: str
    text: str
    becomes: str | None = None
    refused: str | None = None


@dataclass(slots=True)
class _Open:
    title: str
    texts: list[str] = field(default_factory=list)


def sections_of(file: Path) -> list[Section]:
    """Raises LocalError for what is no letter that can be read."""
    if not file.is_file():
        raise LocalError(f"There is no file {file}.")
    try:
        paragraphs = [each for each in Document(str(file)).paragraphs if each.text.strip()]
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise LocalError(f"{file} is no .docx: save the letter as one in your word processor.") from error
    return [_judged(each) for each in _titled(paragraphs)]


def _titled(paragraphs: Sequence[Paragraph]) -> Iterator[_Open]:
    """A farewell and what stands below it belong to whoever signs, and to no section."""
    current = _Open("")
    for paragraph in paragraphs:
        text = " ".join(paragraph.text.split())
        if _FAREWELL.match(text):
            break
        title, rest = _title(paragraph, text)
        closing = not title and current.title and _CLOSING.search(text)
        if title or closing:
            if current.texts or current.title:
                yield current
            current = _Open(title or "")
        if rest:
            current.texts.append(rest)
    if current.texts or current.title:
        yield current


def _title(paragraph: Paragraph, text: str) -> tuple[str | None, str]:
    """(the title that the paragraph is or begins with, the text that follows in it)."""
    bold = [run for run in paragraph.runs if run.text.strip()]
    leading = ""
    for run in bold:
        if not run.bold:
            break
        leading += run.text
    plain = _NUMBER.sub("", text, count=1) if _NUMBER.match(text) else text
    style = paragraph.style.name if paragraph.style is not None else ""
    if style.startswith(("Heading", "Title")) or (len(leading.strip()) >= len(text) and len(text) <= LONGEST_TITLE):
        return plain.rstrip(":. "), ""
    if 0 < len(leading.strip()) <= LONGEST_TITLE:
        begun = " ".join(leading.split())
        return _NUMBER.sub("", begun, count=1).strip().rstrip(":. "), text[len(begun) :].lstrip(":. –-")
    if plain != text and (found := _RUN_IN.match(plain)):
        return found["title"].strip(), found["text"]
    return None, text


def _judged(section: _Open) -> Section:
    text = "\n".join(section.texts)
    named = next((what for pattern, what in _OF_ONE_QUOTE if pattern.search(f"{section.title}\n{text}")), None)
    if named:
        return Section(section.title, text, refused=f"it has {named}, which is one quote's")
    if not text:
        return Section(section.title, text, refused="no text stands below it")
    if len(text) > LONGEST_TEXT:
        return Section(section.title, text, refused=f"it is longer than {LONGEST_TEXT:,} characters: divide it")
    if section.title:
        return Section(section.title, text, becomes="terms")
    if _SALUTATION.match(text):
        return Section("", text, refused="a salutation: whom a document is for stands in its head")
    if _CLOSING.search(text):
        return Section("", text, becomes="closing")
    return Section("", text, refused="it has no title: documents have their own head and lines")


def profile_with(sections: Sequence[Section], stood: Mapping[str, Any]) -> dict[str, Any]:
    """The company profile with these texts in place of its own; what the letter does not have stays."""
    terms = [{"title": each.title, "text": each.text} for each in sections if each.becomes == "terms"]
    closing = [each.text for each in sections if each.becomes == "closing"]
    return {**stood, **({"terms": terms} if terms else {}), **({"closing": "\n".join(closing)} if closing else {})}


def side_by_side(sections: Sequence[Section]) -> str:
    """The letter on the left, what becomes of each of its parts on the right."""
    rows = [_row("the letter", "your documents"), _row("─" * COLUMN, "─" * COLUMN)]
    for each in sections:
        left = textwrap.wrap(f"{each.title}: {each.text}" if each.title else each.text, COLUMN) or [each.title]
        if each.refused:
            right = textwrap.wrap(f"not taken: {each.refused}", COLUMN)
        elif each.becomes == "closing":
            right = ["closing", *textwrap.wrap(each.text, COLUMN)]
        else:
            right = [f"[[terms]] {each.title}", *textwrap.wrap(each.text, COLUMN)]
        rows += [_row(*pair) for pair in zip_longest(left, right, fillvalue="")]
        rows.append("")
    return "\n".join(rows)


def _row(left: str, right: str) -> str:
    return f"{left:<{COLUMN}}  │  {right}".rstrip()


def take_over(house: House, file: Path, *, kept: Path) -> list[Section]:
    """Raises LocalError where nothing can be taken; then everything is as it was."""
    stood = _profile(house)
    sections = sections_of(file)
    if not any(each.becomes for each in sections):
        reasons = "; ".join(dict.fromkeys(each.refused for each in sections if each.refused)) or "it has no text"
        raise LocalError(f"Nothing in {file.name} can be taken over: {reasons}. Titles are headings or bold.")
    kept.write_text(letterhead.as_toml(stood), "utf-8")
    _publish(house, profile_with(sections, stood), before=stood)
    return sections


def undo(house: House, *, kept: Path) -> None:
    if not kept.is_file():
        raise LocalError(f"No template was taken over for the tenant '{house.tenant}', so there is nothing to undo.")
    then, now = tomllib.loads(kept.read_text("utf-8")), _profile(house)
    back = {name: value for name, value in now.items() if name not in ("terms", "closing")}
    _publish(house, {**back, **{name: then[name] for name in ("closing", "terms") if name in then}}, before=now)
    kept.unlink()


def _profile(house: House) -> dict[str, Any]:
    try:
        stood = letterhead.held(house.layouts, house.tenant)
    except ValueError as fault:
        raise LocalError(str(fault)) from fault
    if not stood:
        raise LocalError(f"The tenant '{house.tenant}' has no company profile yet: make setup makes one.")
    return stood


def _publish(house: House, profile: Mapping[str, Any], *, before: Mapping[str, Any]) -> None:
    file = letterhead.profile_file(house.layouts, house.tenant)
    try:
        Seller.model_validate(profile)
        file.write_text(letterhead.as_toml(profile), "utf-8")
        house.publish()
    except ValidationError as error:
        raise LocalError(f"The texts cannot be taken over: {error.errors()[0]['msg']}") from error
    except BaseException:
        file.write_text(letterhead.as_toml(before), "utf-8")
        raise


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.setup.template", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="the house's letter, .docx")
    parser.add_argument("--undo", action="store_true", help="bring back the texts of before")
    arguments = parser.parse_args()
    settings = read_settings(os.environ)
    stack = require(settings.data_dir)
    refuse_the_sample(settings.tenant or stack.tenant)
    house = house_of(stack, tenant_of(settings, stack))
    kept = stack.data_dir / f"template-before-{house.tenant}.toml"
    if arguments.undo:
        undo(house, kept=kept)
        print("The texts of before are back, and published.")
        return
    if arguments.file is None:
        raise LocalError("Name the letter: make template FILE=letter.docx")
    print(side_by_side(take_over(house, arguments.file, kept=kept)))
    print("\nPublished, for the next PDF of every quote that nobody has sent. make template UNDO=1 takes them back.")


if __name__ == "__main__":
    run_command(main)
