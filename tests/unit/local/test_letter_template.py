"""Fixed texts of a letter as letters are written: headings, bold beginnings, numbers, and what is one quote's."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from docx import Document

from local.failure import LocalError
from local.setup import letterhead, template
from local.setup.__main__ import House

PROFILE = {"name": "Harz GmbH", "address": ["Musterweg 4"], "terms": [{"title": "Old", "text": "Old text."}]}


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    document = Document()
    document.add_paragraph("Harz GmbH · Musterweg 4 · 38640 Goslar")
    document.add_paragraph("Sehr geehrte Frau Klein,")
    document.add_paragraph("vielen Dank für Ihre Anfrage vom 14.03.2026.")
    document.add_table(rows=1, cols=2).cell(0, 0).text = "Kompressor 37 kW"
    document.add_heading("Lieferung", level=2)
    document.add_paragraph("Lieferung frei Haus innerhalb Deutschlands.")
    document.add_paragraph("Teillieferungen sind zulässig.")
    begun = document.add_paragraph()
    begun.add_run("Gewährleistung: ").bold = True
    begun.add_run("24 Monate ab Inbetriebnahme.")
    document.add_paragraph("3. Eigentumsvorbehalt: Die Ware bleibt bis zur Zahlung unser Eigentum.")
    alone = document.add_paragraph()
    alone.add_run("Preis").bold = True
    document.add_paragraph("Der Gesamtpreis beträgt 48.300,00 EUR netto.")
    document.add_heading("Gerichtsstand", level=2)
    document.add_paragraph("Gerichtsstand ist [Ort].")
    document.add_heading("Zahlung", level=2)
    document.add_paragraph("30 Tage netto, 10 Tage 2 % Skonto.")
    document.add_paragraph("Für Rückfragen stehen wir Ihnen gern zur Verfügung.")
    document.add_paragraph("Mit freundlichen Grüßen")
    document.add_paragraph("Ute Becker")
    file = tmp_path / "letter.docx"
    document.save(str(file))
    return file


def test_each_section_goes_where_it_belongs_or_says_why_not(letter: Path) -> None:
    found = template.sections_of(letter)
    assert [(each.title, each.text) for each in found if each.becomes == "terms"] == [
        ("Lieferung", "Lieferung frei Haus innerhalb Deutschlands.\nTeillieferungen sind zulässig."),
        ("Gewährleistung", "24 Monate ab Inbetriebnahme."),
        ("Eigentumsvorbehalt", "Die Ware bleibt bis zur Zahlung unser Eigentum."),
        ("Zahlung", "30 Tage netto, 10 Tage 2 % Skonto."),
    ]
    assert [each.text for each in found if each.becomes == "closing"] == [
        "Für Rückfragen stehen wir Ihnen gern zur Verfügung."
    ]
    refused = {each.title: each.refused for each in found if each.refused}
    assert refused == {
        "": "it has a date, which is one quote's",
        "Preis": "it has an amount, which is one quote's",
        "Gerichtsstand": "it has a gap to be filled in, which is one quote's",
    }
    shown = template.side_by_side(found)
    assert "not taken: it has an amount, which is one quote's" in shown
    assert "Ute Becker" not in shown


def house_in(folder: Path, *, publish: Any = lambda: None) -> House:
    (folder / "companies").mkdir()
    letterhead.profile_file(folder, "harz").write_text(letterhead.as_toml(PROFILE), "utf-8")
    page = folder / "page.pdf"
    return House(
        tenant="harz", dsn="", layouts=folder, test_page=page, ingest=lambda _file, _kind: {}, publish=publish
    )


def stands(house: House) -> dict[str, Any]:
    return tomllib.loads(letterhead.profile_file(house.layouts, "harz").read_text("utf-8"))


def test_the_texts_are_taken_over_and_taken_back(letter: Path, tmp_path: Path) -> None:
    house, kept = house_in(tmp_path), tmp_path / "before.toml"
    template.take_over(house, letter, kept=kept)
    assert [term["title"] for term in stands(house)["terms"]] == [
        "Lieferung", "Gewährleistung", "Eigentumsvorbehalt", "Zahlung",
    ]  # fmt: skip
    assert (stands(house)["name"], stands(house)["closing"][:15]) == ("Harz GmbH", "Für Rückfragen ")
    template.undo(house, kept=kept)
    assert stands(house) == PROFILE
    with pytest.raises(LocalError, match="nothing to undo"):
        template.undo(house, kept=kept)


def test_what_cannot_be_published_changes_nothing(letter: Path, tmp_path: Path) -> None:
    def refuse() -> None:
        raise LocalError("no")

    house = house_in(tmp_path, publish=refuse)
    with pytest.raises(LocalError, match="no"):
        template.take_over(house, letter, kept=tmp_path / "before.toml")
    assert stands(house) == PROFILE


def test_a_file_that_is_no_letter_is_said_to_be_none(tmp_path: Path) -> None:
    house, kept = house_in(tmp_path), tmp_path / "before.toml"
    (tmp_path / "a.docx").write_bytes(b"%PDF-1.7")
    with pytest.raises(LocalError, match=r"is no \.docx"):
        template.take_over(house, tmp_path / "a.docx", kept=kept)
    with pytest.raises(LocalError, match="There is no file"):
        template.take_over(house, tmp_path / "b.docx", kept=kept)
    empty = Document()
    empty.add_paragraph("Dear Mr Klein,")
    empty.save(str(tmp_path / "c.docx"))
    with pytest.raises(LocalError, match=r"Nothing in c\.docx can be taken over: a salutation"):
        template.take_over(house, tmp_path / "c.docx", kept=kept)
    assert stands(house) == PROFILE
