"""Tries a file's reader in a process of its own, whose memory and time are limited.

How large a workbook, a document or a PDF becomes stands nowhere in it: a sheet of three cells may span sixteen
million, a page may unpack to gigabytes, two megabytes of headings are a quarter of a million objects. A reader that
takes too much ends this process, and no other.
"""

import io
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal

from operations.bounds import MB
from quarry.tool.errors import ValidationFailed

MOST_MEMORY = 128 * MB
"""The limit in bytes, besides what the process has after importing the reader."""

MOST_SECONDS = 60
_REFUSED = 3


def check(content: bytes, *, reader: str, file_name: str) -> None:
    """Raises ValidationFailed if reading takes too much; a damaged file passes, for its reader explains it better."""
    done = subprocess.run(
        [sys.executable, "-m", "operations.confined", reader],
        input=content,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise ValidationFailed(
            f"'{file_name}' takes more than {MOST_MEMORY // MB} MB or {MOST_SECONDS} s to read. Split it, or "
            "delete what stands far from its table or is drawn on its pages."
        )


def _workbook(content: bytes) -> None:
    from python_calamine import load_workbook  # each process needs one of the readers alone

    workbook = load_workbook(io.BytesIO(content))
    sheets = [workbook.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in workbook.sheet_names]
    del sheets


def _document(form: str, content: bytes) -> None:
    from operations.documents import CUTTERS, sections

    held = list(sections(CUTTERS[form](content.decode("utf-8", "replace"))))
    del held


def _pdf(mode: Literal["plain", "layout"], content: bytes) -> None:
    from pypdf import PdfReader

    for page in PdfReader(io.BytesIO(content)).pages:
        page.extract_text(extraction_mode=mode)


def _word(content: bytes) -> None:
    from docx import Document

    for table in Document(io.BytesIO(content)).tables:
        for row in table.rows:
            len(row.cells)


READERS: dict[str, Callable[[bytes], None]] = {
    "workbook": _workbook,
    "word": _word,
    **{form: partial(_document, form) for form in ("markdown", "html", "text")},
    "plain": partial(_pdf, "plain"),
    "layout": partial(_pdf, "layout"),
}


def main() -> int:
    read = READERS[sys.argv[1]]
    content = sys.stdin.buffer.read()
    with suppress(Exception):  # only for its imports, whose memory must not count for the file
        read(b"")
    taken = _address_space("VmSize")
    if taken is not None:
        resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_MEMORY, taken + MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
    try:
        read(content)
    except (MemoryError, RecursionError):
        return _REFUSED
    except BaseException:  # noqa: BLE001 - calamine's panics are no Exception
        # A reader in C may raise anything when memory runs out; damage shows before much memory is taken.
        peak = _address_space("VmPeak")
        return _REFUSED if taken and peak and peak - taken > MOST_MEMORY // 2 else 0
    return 0


def _address_space(which: str) -> int | None:
    """Returns bytes; None where the system does not tell, and has no such limit either."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return None
    [line] = [line for line in status.splitlines() if line.startswith(f"{which}:")]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    sys.exit(main())
