"""Past quotes out of letters: head, lines and totals with their places, and what is left to a person."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typst
from docx import Document
from pypdf import PdfWriter

from local.quote_letters import load, read
from operations.letters.lines import SURE, lines_of
from operations.letters.review import unsure
from quarry.tool.errors import ValidationFailed

FAMILIES = {
    "compressor": ["Kompressor"],
    "dryer": ["Kältetrockner"],
    "filtration": ["Filter"],
    "pump": ["pump"],
    "service": ["service"],
}
GERMAN = [
    ("Pos.", "Bezeichnung", "Menge", "Einzelpreis", "Gesamtpreis"),
    ("1", "Schraubenkompressor HSK 15, 15 kW, 8 bar, luftgekühlt", "1", "8.950,00 €", "8.950,00 €"),
    ("2", "Kältetrockner KT 20, Drucktaupunkt 3 °C", "2", "1.290,00 €", "2.580,00 €"),
    ("3", "Option: Ölwassertrenner, Filter", "1", "480,00 €", "480,00 €"),
]
ENGLISH = """
#set text(size: 10pt)
Cascade Pump & Supply \\
Tacoma, WA

#grid(columns: (1fr, 1fr), [Quote No: Q-23-0420], [Date: 04/20/2023])
Customer: Bayside Creamery \\
Attn: Lena Ortiz \\
Re: CIP return pumps

#table(columns: (auto, 1fr, auto, auto, auto), stroke: none,
  [Line], [Description], [Qty], [Unit Price], [Ext Price],
  [1], [Sanitary pump SS-50, 5 HP, 316 stainless], [2], [\\$4,310.00], [\\$8,620.00],
  [2], [Startup service, one day on site], [1], [\\$1,820.00], [\\$1,820.00],
)
Subtotal: #h(3cm) \\$10,440.00

Payment terms: Net 30 days
"""


def word(rows: Sequence[tuple[str, ...]], *, customer: str = "Kunde: Molkerei Seesen") -> bytes:
    document = Document()
    head = (
        "z. Hd. Frau Köhler",
        "Datum: 14.03.2023",
        "Angebot Nr. A-2023-014",
        "Betreff: Kompressor für die Abfüllung",
    )
    for text in ("Drucklufttechnik Harz GmbH", customer, *head, "Sehr geehrte Frau Köhler,"):
        document.add_paragraph(text)
    table = document.add_table(rows=0, cols=len(rows[0]))
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_paragraph("Nettosumme\t11.530,00 €")
    document.add_paragraph("Zahlungsbedingungen: 14 Tage 2 % Skonto, 30 Tage netto")
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def values(file: Path, **constants: str) -> dict[tuple[int, str], tuple[str, float]]:
    rows = read(file, name=file.name, constants=constants, families=FAMILIES)
    return {(row.line, row.field): (row.value, row.confidence) for row in rows}


def test_a_german_word_letter_is_read_to_the_letter_with_what_is_sure(tmp_path: Path) -> None:
    file = tmp_path / "angebot.docx"
    file.write_bytes(word(GERMAN))
    said = {name: value for (line, name), (value, _) in values(file, status="won").items() if line == 0}
    assert said == {
        "quote_number": "A-2023-014",
        "quote_date": "14.03.2023",
        "customer": "Molkerei Seesen",
        "contact": "Frau Köhler",
        "project": "Kompressor für die Abfüllung",
        "summary": "\n".join(row[1] for row in GERMAN[1:]),
        "status": "won",
        "total_price": "11.530,00 €",
        "currency": "EUR",
        "terms": "14 Tage 2 % Skonto, 30 Tage netto",
    }
    lines = values(file)
    assert lines[2, "description"] == ("Kältetrockner KT 20, Drucktaupunkt 3 °C", 0.95)
    assert (lines[2, "quantity"][0], lines[2, "unit_price"][0], lines[2, "family"][0]) == ("2", "1.290,00 €", "dryer")
    assert lines[3, "optional"][0] == "yes"
    assert unsure(read(file, name=file.name, constants={"status": "won"}, families=FAMILIES)) == []
    assert [row.field for row in unsure(read(file, name=file.name, constants={}, families=FAMILIES))] == ["status"]


def test_an_english_pdf_is_read_by_its_layout_with_page_and_line(tmp_path: Path) -> None:
    file = tmp_path / "quote.pdf"
    file.write_bytes(typst.compile(ENGLISH.encode()))
    rows = read(file, name=file.name, constants={"status": "lost"}, families=FAMILIES)
    found = {(row.line, row.field): row.value for row in rows}
    assert found[0, "quote_number"] == "Q-23-0420"
    assert found[0, "quote_date"] == "04/20/2023"
    assert found[0, "customer"] == "Bayside Creamery"
    assert found[0, "total_price"] == "$10,440.00"
    assert found[0, "currency"] == "USD"
    assert found[1, "description"] == "Sanitary pump SS-50, 5 HP, 316 stainless"
    assert (found[1, "quantity"], found[1, "unit_price"], found[1, "extended_price"]) == (
        "2",
        "$4,310.00",
        "$8,620.00",
    )
    assert found[2, "family"] == "service"
    assert all(row.place.startswith("page 1, line ") for row in rows if row.place != "given")
    assert unsure(rows) == []


def test_a_price_that_does_not_add_up_and_a_customer_without_a_label_are_left_to_a_person(tmp_path: Path) -> None:
    wrong = [*GERMAN[:2], ("2", "Kältetrockner KT 20", "2", "1.290,00 €", "1.290,00 €")]
    file = tmp_path / "angebot.docx"
    file.write_bytes(word(wrong, customer="Molkerei Seesen"))
    open_fields = {
        (row.line, row.field)
        for row in unsure(read(file, name=file.name, constants={"status": "won"}, families=FAMILIES))
    }
    assert {(0, "customer"), (0, "total_price"), (2, "quantity"), (2, "unit_price")} <= open_fields
    assert not [field for line, field in open_fields if line == 1]


def test_what_stands_beside_a_label_but_belongs_to_another_column_is_no_value_of_it(tmp_path: Path) -> None:
    """As Quarry itself prints quotes: the addressee under its label, the number beside another one."""
    columns = ("#", "Description", "Quantity", "Unit price", "Amount (EUR)")
    rows = [columns, ("1", "Feed pump FP-2", "2", "71.20", "142.40")]
    document = Document()
    head = (
        ("PREPARED FOR", "Quotation", "Q-2026-0001 · version 1"),
        ("Cervezas Moncayo", "Date", "November 22, 2026"),
    )
    table = document.add_table(rows=0, cols=5)
    totals = (("Subtotal", "", "", "", "142.40"), ("IVA 21% on 142.40", "", "", "", "29.90"))
    for row in (*head, *rows, *totals):
        for cell, text in zip(table.add_row().cells, row, strict=False):
            cell.text = text
    file = tmp_path / "quote.docx"
    document.save(str(file))
    found = {key: value for key, (value, confidence) in values(file).items() if confidence >= SURE}
    assert found[0, "customer"] == "Cervezas Moncayo"
    assert found[0, "quote_number"] == "Q-2026-0001"
    assert found[0, "total_price"] == "142.40"
    assert found[1, "family"] == "pump"
    assert not [line for line, _ in found if line > 1]


LOTS = [
    GERMAN[0],
    ("", "Los 1", "", "", ""),
    ("1", "Schraubenkompressor 15 kW", "1", "8.000,00 €", "8.000,00 €"),
    ("2", "Kältetrockner 2 m³/min", "1", "1.500,00 €", "1.500,00 €"),
    ("", "Zwischensumme", "", "", "9.500,00 €"),
    ("3", "Druckluftbehälter 500 l", "2", "900,00 €", "1.800,00 €"),
]


def rewritten(tmp_path: Path, rows: Sequence[tuple[str, ...]], *, total: str) -> dict[tuple[int, str], Any]:
    document = Document(io.BytesIO(word(rows)))
    said = next(paragraph for paragraph in document.paragraphs if paragraph.text.startswith("Nettosumme"))
    said.text = total
    file = tmp_path / "letter.docx"
    document.save(str(file))
    return values(file, status="won")


def test_a_second_lot_behind_a_subtotal_is_no_option_and_the_total_of_both_counts(tmp_path: Path) -> None:
    read_now = rewritten(tmp_path, LOTS, total="Gesamtsumme netto\t11.300,00 €")
    assert read_now[0, "total_price"] == ("11.300,00 €", 0.95)
    assert (3, "optional") not in read_now


def test_what_may_be_a_lot_or_an_option_is_left_to_a_person(tmp_path: Path) -> None:
    read_now = rewritten(tmp_path, LOTS, total="Gesamtsumme netto\t9.500,00 €")
    assert read_now[3, "optional"][1] < SURE


def test_a_discount_below_the_items_leaves_the_total_to_a_person(tmp_path: Path) -> None:
    rows = [*LOTS[:4], ("", "Zwischensumme", "", "", "9.500,00 €"), ("", "Rabatt 5 %", "", "", "-475,00 €")]
    assert rewritten(tmp_path, rows, total="Total exkl. MWST\t9.025,00 €")[0, "total_price"][1] < SURE


def test_amounts_that_are_carried_to_the_next_page_are_no_items(tmp_path: Path) -> None:
    carried = ("", "Übertrag", "", "", "9.500,00 €")
    read_now = rewritten(tmp_path, [*LOTS[:4], carried, carried, LOTS[0], LOTS[5]], total="Nettosumme\t11.300,00 €")
    assert [read_now[line, "description"][0] for line in (1, 2, 3)] == [LOTS[at][1] for at in (2, 3, 5)]
    assert (4, "description") not in read_now
    assert read_now[0, "total_price"][1] >= SURE


def test_a_currency_in_the_columns_names_and_a_price_that_only_arithmetic_tells_are_sure(tmp_path: Path) -> None:
    rows = [
        ("Item", "Part Number", "Description", "Qty", "Unit", "Extended USD"),
        ("1", "GV-4", "Gate valve 4 inch", "2", "107.25", "214.50"),
    ]
    read_now = rewritten(tmp_path, rows, total="Subtotal\t214.50")
    assert read_now[1, "unit_price"] == ("107.25", 0.95)
    assert read_now[0, "currency"][0] == "USD"


@pytest.mark.parametrize("said", ["Offerte Nr. O-24-55", "Cotización: O-24-55", "DEVIS N° O-24-55 du 14/03/2023"])
def test_numbers_and_dates_are_found_behind_what_others_call_them(tmp_path: Path, said: str) -> None:
    document = Document(io.BytesIO(word(GERMAN)))
    for paragraph in document.paragraphs:
        if paragraph.text.startswith("Angebot Nr."):
            paragraph.text = said
        elif paragraph.text.startswith("Datum:"):
            paragraph.text = "" if "du" in said else "Date 14/03/2023"
    file = tmp_path / "letter.docx"
    document.save(str(file))
    read_now = values(file, status="won")
    assert read_now[0, "quote_number"][0] == "O-24-55"
    assert read_now[0, "quote_date"] == ("14/03/2023", 0.85)


def test_a_family_that_is_given_is_that_of_lines_that_name_none(tmp_path: Path) -> None:
    file = tmp_path / "letter.docx"
    file.write_bytes(word([GERMAN[0], ("1", "Stator EPDM", "1", "11.530,00 €", "11.530,00 €"), GERMAN[1]]))
    assert values(file, status="won")[1, "family"] == ("", 0.0)
    given = values(file, status="won", family="accessory")
    assert (given[1, "family"][0], given[2, "family"][0]) == ("accessory", "compressor")


def test_a_scan_is_refused_with_how_to_recognise_its_text() -> None:
    writer = PdfWriter()
    writer.add_blank_page(width=600, height=800)
    content = io.BytesIO()
    writer.write(content)
    with pytest.raises(
        ValidationFailed, match=r"'scan\.pdf' is a picture .*ocrmypdf -l eng\+deu\+spa\+fra 'scan\.pdf'"
    ):
        lines_of(content.getvalue(), file_name="scan.pdf")
    with pytest.raises(ValidationFailed, match="cannot be read as a Word document"):
        lines_of(b"no zip", file_name="a.docx")
    with pytest.raises(ValidationFailed, match=r"neither \.docx nor \.pdf"):
        lines_of(b"", file_name="a.odt")


def test_what_is_sure_is_loaded_and_the_rest_after_a_person_completed_the_review(tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    words = "".join(f"{family},{'|'.join(names)}\n" for family, names in FAMILIES.items())
    (tmp_path / "families.csv").write_text(f"family,words\n{words}", "utf-8")
    (folder / "a.docx").write_bytes(word(GERMAN))
    (folder / "b.docx").write_bytes(word(GERMAN, customer="Molkerei Seesen"))
    loaded: list[tuple[str, list[str]]] = []

    def ingest(file: Path, kind: str) -> dict[str, Any]:
        lines = file.read_text("utf-8").splitlines()
        loaded.append((kind, lines))
        return {"inserted": len(lines), "updated": 0, "unchanged": 0, "rejected": 0, "rejects": []}

    said: list[str] = []
    assert load(folder, constants={"status": "won"}, ingest=ingest, say=said.append) == 1
    assert [(kind, len(lines)) for kind, lines in loaded] == [("past_quotes", 1), ("line_items", 3)]
    assert '"total_price": "11530.00"' in loaded[0][1][0]
    assert "b.docx: to be looked at: customer" in said
    review = tmp_path / "letters.review.csv"
    text = review.read_text("utf-8-sig")
    assert "b.docx,0,customer,,0.0,not found" in text
    review.write_text(text.replace("b.docx,0,customer,,", "b.docx,0,customer,Molkerei Seesen,"), "cp1252")
    assert load(review, constants={}, ingest=ingest, say=said.append) == 0
    assert '"customer": "Molkerei Seesen"' in loaded[2][1][0]
    assert '"optional": true' in loaded[3][1][2]


def bakers_letter() -> bytes:
    """Goods under "Item", no label before the addressee or the subject, and "Our ref" for the number."""
    document = Document()
    head = ("Hearth & Crumb Ltd", "7 Kirkstall Road", "Otley Bread Ltd", "Unit 4, Mill Lane", "14/10/2025")
    named = ("Our ref: Q-25-0187", "For the attention of Joanna Firth", "Quotation for spiral mixer and prover")
    for text in (*head, *named, "Dear Joanna,", "We are pleased to offer as follows:"):
        document.add_paragraph(text)
    rows = [
        ("Qty", "Item", "Unit price", "Line total"),
        ("1", "Tornado 80 spiral mixer, fixed bowl", "£7,260.00", "£7,260.00"),
        ("2", "Proving cabinet, 18 trays", "£2,950.00", "£5,900.00"),
        ("", "", "Net total", "£13,160.00"),
    ]
    table = document.add_table(rows=0, cols=4)
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def test_a_letter_with_few_labels_leaves_a_person_only_the_date_and_the_addressee_to_look_at(tmp_path: Path) -> None:
    file = tmp_path / "letter.docx"
    file.write_bytes(bakers_letter())
    families = {"mixer": ["spiral mixer"], "prover": ["proving cabinet", "prover"]}
    rows = read(file, name=file.name, constants={"status": "won"}, families=families)
    said = {(row.line, row.field): row.value for row in rows}
    assert said[0, "quote_number"] == "Q-25-0187"
    assert said[0, "contact"] == "Joanna Firth"
    assert said[0, "project"] == "Quotation for spiral mixer and prover"
    assert said[0, "total_price"] == "£13,160.00"
    assert said[1, "description"] == "Tornado 80 spiral mixer, fixed bowl"
    assert (said[1, "family"], said[2, "family"]) == ("mixer", "prover")
    assert {row.field: row.value for row in unsure(rows)} == {
        "quote_date": "14/10/2025",
        "customer": "Otley Bread Ltd",
    }


def test_the_rest_of_a_sentence_under_a_line_is_part_of_its_description(tmp_path: Path) -> None:
    letter = ENGLISH.replace("[Sanitary pump SS-50, 5 HP, 316 stainless]",
                             "[Sanitary pump SS-50, 5 HP, \\ with a casing of 316 stainless. 400 V.]")  # fmt: skip
    file = tmp_path / "quote.pdf"
    file.write_bytes(typst.compile(letter.encode()))
    described = values(file, status="won")[1, "description"][0]
    assert described == "Sanitary pump SS-50, 5 HP,\nwith a casing of 316 stainless. 400 V."
