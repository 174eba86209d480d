"""`python -m local.setup.template letter.docx`: a house's own letter becomes the file that drafts are written into.

Its styles, header, footer and logo stay, and what it shows goes.
"""

import argparse
import shutil
from pathlib import Path
from zipfile import BadZipFile

from docx import Document
from docx.opc.exceptions import PackageNotFoundError

from local.failure import LocalError, run_command
from local.setup import letterhead
from local.setup.__main__ import House, own_house


def letter_file(house: House) -> Path:
    return house.layouts / "companies" / f"{house.tenant}.docx"


def take_over(house: House, file: Path, *, kept: Path) -> None:
    """``kept`` gets the letter that was there before, if any. Raises LocalError; then all is as it was."""
    if not file.is_file():
        raise LocalError(f"There is no file {file}.")
    try:
        Document(str(file))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise LocalError(f"{file} is no .docx: save the letter as one in your word processor.") from error
    own = letter_file(house)
    before = own.read_bytes() if own.is_file() else None
    with letterhead.as_before_on_failure(own):
        own.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, own)
        house.publish()
    if before is not None:
        kept.write_bytes(before)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.setup.template", description=__doc__)
    parser.add_argument("file", type=Path, help="the house's letter, .docx")
    arguments = parser.parse_args()
    house = own_house()
    kept = house.test_page.with_name(f"letter-before-{house.tenant}.docx")
    take_over(house, arguments.file, kept=kept)
    print(f"Published as {letter_file(house)}, for every draft from now on.")
    if kept.is_file():
        print(f"A letter that stood there before is {kept}.")


if __name__ == "__main__":
    run_command(main)
