"""`python -m local.setup.template letter.docx`: a house's own letter becomes the file that drafts are written into.

Its styles, header, footer and logo stay, and what it shows goes. What was there before comes back with --undo.
"""

import argparse
import os
import shutil
from pathlib import Path
from zipfile import BadZipFile

from docx import Document
from docx.opc.exceptions import PackageNotFoundError

from local.failure import LocalError, run_command
from local.settings import read_settings
from local.setup import letterhead
from local.setup.__main__ import House, house_of, refuse_the_sample
from local.stack import require
from local.tenants import tenant_of


def letter_file(house: House) -> Path:
    return house.layouts / "companies" / f"{house.tenant}.docx"


def take_over(house: House, file: Path, *, kept: Path) -> None:
    """``kept`` gets what was there before, nothing where there was none. Raises LocalError; then all is as it was."""
    if not file.is_file():
        raise LocalError(f"There is no file {file}.")
    try:
        Document(str(file))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise LocalError(f"{file} is no .docx: save the letter as one in your word processor.") from error
    own = letter_file(house)
    before = own.read_bytes() if own.is_file() else b""
    with letterhead.as_before_on_failure(own):
        own.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, own)
        house.publish()
    kept.write_bytes(before)


def undo(house: House, *, kept: Path) -> None:
    if not kept.is_file():
        raise LocalError(f"No letter was taken over for the tenant '{house.tenant}', so there is nothing to undo.")
    own = letter_file(house)
    with letterhead.as_before_on_failure(own):
        if before := kept.read_bytes():
            own.write_bytes(before)
        else:
            own.unlink(missing_ok=True)
        house.publish()
    kept.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.setup.template", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="the house's letter, .docx")
    parser.add_argument("--undo", action="store_true", help="bring back the letter of before")
    arguments = parser.parse_args()
    settings = read_settings(os.environ)
    stack = require(settings.data_dir)
    refuse_the_sample(settings.tenant or stack.tenant)
    house = house_of(stack, tenant_of(settings, stack))
    kept = stack.data_dir / f"letter-before-{house.tenant}.docx"
    if arguments.undo:
        undo(house, kept=kept)
        print("The letter of before is back, and published.")
        return
    if arguments.file is None:
        raise LocalError("Name the letter: make template FILE=letter.docx")
    take_over(house, arguments.file, kept=kept)
    print(f"Published as {letter_file(house)}, for every draft from now on. make template UNDO=1 takes it back.")


if __name__ == "__main__":
    run_command(main)
