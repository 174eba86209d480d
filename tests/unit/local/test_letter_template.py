"""A house's own letter put where drafts are written into it."""

from pathlib import Path
from typing import Any

import pytest
from docx import Document

from local.failure import LocalError
from local.setup import template
from local.setup.__main__ import House


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    document = Document()
    document.add_paragraph("Harz GmbH · Musterweg 4 · 38640 Goslar")
    file = tmp_path / "letter.docx"
    document.save(str(file))
    return file


def house_in(folder: Path, *, publish: Any = lambda: None) -> House:
    return House(
        tenant="harz",
        dsn="",
        layouts=folder,
        test_page=folder / "page.pdf",
        ingest=lambda _file, _kind: {},
        publish=publish,
    )


def test_the_letter_is_put_where_drafts_find_it_and_the_one_before_is_kept(letter: Path, tmp_path: Path) -> None:
    house, kept = house_in(tmp_path), tmp_path / "before.docx"
    own = tmp_path / "companies" / "harz.docx"
    template.take_over(house, letter, kept=kept)
    assert own.read_bytes() == letter.read_bytes()
    assert not kept.exists()
    own.write_bytes(b"an older letter")
    template.take_over(house, letter, kept=kept)
    assert own.read_bytes() == letter.read_bytes()
    assert kept.read_bytes() == b"an older letter"


def test_what_cannot_be_published_changes_nothing(letter: Path, tmp_path: Path) -> None:
    def refuse() -> None:
        raise LocalError("no")

    kept = tmp_path / "before.docx"
    with pytest.raises(LocalError, match="no"):
        template.take_over(house_in(tmp_path, publish=refuse), letter, kept=kept)
    assert not (tmp_path / "companies" / "harz.docx").exists()
    assert not kept.exists()


def test_a_file_that_is_no_letter_is_said_to_be_none(tmp_path: Path) -> None:
    house, kept = house_in(tmp_path), tmp_path / "before.docx"
    (tmp_path / "a.docx").write_bytes(b"%PDF-1.7")
    with pytest.raises(LocalError, match=r"is no \.docx"):
        template.take_over(house, tmp_path / "a.docx", kept=kept)
    with pytest.raises(LocalError, match="There is no file"):
        template.take_over(house, tmp_path / "b.docx", kept=kept)
