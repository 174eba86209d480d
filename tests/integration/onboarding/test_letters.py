"""Past quotes out of letters: an agent reads them, and nothing is stored that does not stand in them."""

import io
from collections.abc import Sequence
from typing import Any

import pytest
import typst
from docx import Document
from pypdf import PdfWriter

from quotes import search_line_items
from tests.deployment import invoke
from tests.integration.onboarding.conftest import Desk

HEAD = (
    "Armaturen Harz GmbH",
    "Kunde: Molkerei Seesen GmbH",
    "Datum: 14. März 2023",
    "Angebot Nr. A-2023-014",
    "Betreff: Armaturen für die Abfüllung",
)
LINES = (
    ("Pos.", "Bezeichnung", "Menge", "Einzelpreis", "Gesamtpreis"),
    ("1", "Kugelhahn KH 50, DN50, PN 16", "4", "1.290,50 €", "5.162,00 €"),
    ("2", "Schmutzfänger SF 20 mit Sieb", "2", "480,00 €", "960,00 €"),
)
QUOTE = (
    "quote_number,customer,quote_date,project,summary,status,total_price,currency,terms,assumed\n"
    "A-2023-014,Molkerei Seesen GmbH,2023-03-14,Armaturen für die Abfüllung,"
    '"Kugelhahn KH 50, DN50, PN 16\nSchmutzfänger SF 20 mit Sieb",won,"6.122,00",EUR,30 Tage netto,status\n'
)
COLUMNS = (
    "quote_number;position;category;family;model;description;quantity;unit_price;extended_price;currency;pressure;"
    "assumed\n"
)
BALL = "A-2023-014;1;Kugelhahn;valve;KH 50;Kugelhahn KH 50, DN50, PN 16;4;1.290,50;5.162,00;EUR;16;\n"
STRAINER = "A-2023-014;2;Schmutzfänger;filter;SF 20;Schmutzfänger SF 20 mit Sieb;2;480;960;EUR;;\n"
INVENTED = "A-2023-014;3;Montage;filter;;Montage vor Ort;1;480,00;480,00;EUR;;category\n"
PDF = """
#set text(size: 10pt)
Armaturen Harz GmbH \\
Kunde: Molkerei Seesen \\
#grid(columns: (1fr, 1fr), [Angebot Nr. A-2024-007], [Datum: 02.05.2024])
#table(columns: (auto, 1fr, auto, auto, auto), stroke: none,
  [Pos.], [Bezeichnung], [Menge], [Einzelpreis], [Gesamtpreis],
  [1], [Kugelhahn KH-50, DN50, PN 16], [2], [1.350,00 €], [2.700,00 €],
)
Nettosumme: #h(3cm) 2.700,00 €
"""
PDF_QUOTE = (
    "quote_number,customer,quote_date,project,summary,status,total_price,currency,assumed\n"
    "A-2024-007,Molkerei Seesen,02.05.2024,Kugelhahn KH-50,Kugelhahn KH-50,lost,2700.00,EUR,status\n"
)


def word(*, total: str = "6.122,00 €") -> bytes:
    document = Document()
    for text in HEAD:
        document.add_paragraph(text)
    table = document.add_table(rows=0, cols=len(LINES[0]))
    for row in LINES:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_paragraph(f"Nettosumme\t{total}")
    document.add_paragraph("Zahlung: 30 Tage netto")
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


@pytest.fixture
def letter(declared_desk: Desk) -> str:
    return declared_desk.put("angebot.docx", word())


def about(said: Sequence[str], *words: str) -> list[str]:
    return [line for line in said if all(word in line for word in words)]


def check(desk: Desk, kind: str, text: str, letter: str) -> dict[str, Any]:
    return desk.ask("load_check", kind=kind, text=text, source=letter)


def test_letters_become_quotes_are_found_and_are_taken_back(declared_desk: Desk, letter: str) -> None:
    desk = declared_desk
    shown = desk.ask("file_open", name=letter)["contents"].splitlines()
    assert "5 Betreff: Armaturen für die Abfüllung" in shown
    assert "7 1 | Kugelhahn KH 50, DN50, PN 16 | 4 | 1.290,50 € | 5.162,00 €" in shown
    checked = check(desk, "past_quotes", QUOTE, letter)
    assert checked["rows"] == {"read": 1, "new": 1}
    assert about(checked["doubts"], "Assumed", "status (1)")
    quote = desk.ask("load", check_id=checked["check_id"])

    wrong = COLUMNS + BALL.replace("1.290,50", "1.209,50") + STRAINER + INVENTED
    doubted = check(desk, "line_items", wrong, letter)
    assert doubted["rows"] == {"read": 3, "new": 1, "rejected": 2}
    assert doubted["rejects"] == [
        "unit_price does not stand in angebot.docx (1): '1209.50' in line 2",
        "description does not stand in angebot.docx (1): 'Montage vor Ort' in line 4",
    ]
    assert about(doubted["doubts"], "line 2: unit_price", "nearest, line 7: 1 | Kugelhahn KH 50")
    assert about(doubted["doubts"], "quote A-2023-014: its lines are 960", "its total is 6122")
    assert desk.rows("SELECT 1 FROM quotes.line_items") == []

    checked = check(desk, "line_items", COLUMNS + BALL + STRAINER, letter)
    assert checked["rows"] == {"read": 2, "new": 2}
    assert "doubts" not in checked
    lines = desk.ask("load", check_id=checked["check_id"])
    assert lines["rows"] == checked["rows"]

    scanned = desk.put("angebot.pdf", typst.compile(PDF.encode()))
    second = check(desk, "past_quotes", PDF_QUOTE, scanned)
    assert second["rows"] == {"read": 1, "new": 1}
    assert about(second["doubts"], "Molkerei Seesen may be what is stored as Molkerei Seesen GmbH")
    desk.ask("load", check_id=second["check_id"])
    more = COLUMNS + "A-2024-007;1;Kugelhahn;valve;KH-50;Kugelhahn KH-50, DN50, PN 16;2;1350;2700;EUR;16;\n"
    again = check(desk, "line_items", more, scanned)
    assert again["rows"] == {"read": 1, "new": 1}
    assert again["doubts"] == ["KH-50 may be what is stored as KH 50"]

    with desk.deployment.serving("quarry_read"):
        found = invoke(search_line_items.handler, {"query": "Kugelhahn DN50"}, tenant=desk.tenant)
    first = found["results"][0]["line_item"]
    assert (first["quote_number"], first["description"]) == ("A-2023-014", "Kugelhahn KH 50, DN50, PN 16")
    assert desk.ask("load_undo", load_id=lines["load_id"])["removed"] == 2
    assert desk.ask("load_undo", load_id=quote["load_id"])["removed"] == 1
    assert desk.rows("SELECT 1 FROM quotes.line_items") == []


def test_a_load_refuses_the_rows_that_its_check_refused_and_another_letter(declared_desk: Desk, letter: str) -> None:
    desk = declared_desk
    desk.ask("load", check_id=check(desk, "past_quotes", QUOTE, letter)["check_id"])
    checked = check(desk, "line_items", COLUMNS + BALL + INVENTED, letter)
    loaded = desk.ask("load", check_id=checked["check_id"])
    assert loaded["rows"] == checked["rows"] == {"read": 2, "new": 1, "rejected": 1}
    assert loaded["rejects"] == [
        "line 3: description: 'Montage vor Ort' does not stand in angebot.docx (line 3)",
    ]
    stale = check(desk, "line_items", COLUMNS + STRAINER, letter)["check_id"]
    desk.put(letter, word(total="9.999,00 €"))
    assert desk.refused("load", check_id=stale).startswith("CONFLICT 'angebot.docx' is not the letter")
    assert len(desk.rows("SELECT 1 FROM quotes.line_items")) == 1


def test_a_total_that_its_lines_do_not_make_is_a_doubt(declared_desk: Desk) -> None:
    desk = declared_desk
    letter = desk.put("angebot.docx", word(total="6.100,00 €"))
    desk.ask("load", check_id=check(desk, "past_quotes", QUOTE.replace("6.122", "6.100"), letter)["check_id"])
    checked = check(desk, "line_items", COLUMNS + BALL + STRAINER, letter)
    assert checked["rows"] == {"read": 2, "new": 2}
    [doubt] = checked["doubts"]
    assert "its lines are 6122" in doubt
    assert "its total is 6100" in doubt


@pytest.mark.parametrize(
    ("changed", "into", "refused"),
    [
        (",status\n", ",\n", "status does not stand in angebot.docx (1): 'won' in line 3"),
        ("2023-03-14", "2023-03-15", "quote_date does not stand in angebot.docx (1): '2023-03-15' in line 3"),
        ("Seesen GmbH", "Seesen AG", "customer does not stand in angebot.docx (1): 'Molkerei Seesen AG' in line 3"),
        ("014,M", "01,M", "quote_number does not stand in angebot.docx (1): 'A-2023-01' in line 3"),
        ("EUR", "USD", "currency does not stand in angebot.docx (1): 'USD' in line 3"),
        (
            '"6.122,00",EUR,30 Tage netto,status\n',
            '"6.222,00",EUR,30 Tage netto,status total_price\n',
            "total_price does not stand in angebot.docx and is never assumed (1): '6222.00'",
        ),
        ("status\n", "status colour\n", "assumed names no field (1): 'colour' in line 3"),
    ],
)
def test_what_the_letter_does_not_say_is_refused_unless_it_is_assumed(
    declared_desk: Desk, letter: str, changed: str, into: str, refused: str
) -> None:
    answer = check(declared_desk, "past_quotes", QUOTE.replace(changed, into), letter)
    assert answer["rows"] == {"read": 1, "rejected": 1}
    assert answer["rejects"][0].startswith(refused)


def test_a_figure_of_another_line_and_a_product_that_is_not_the_amount_are_doubts(
    declared_desk: Desk, letter: str
) -> None:
    desk = declared_desk
    desk.ask("load", check_id=check(desk, "past_quotes", QUOTE, letter)["check_id"])
    unassumed = COLUMNS.replace(";assumed", "") + BALL.replace("1.290,50", "480,00").replace("16;\n", "16\n")
    swapped = check(desk, "line_items", unassumed, letter)
    assert swapped["rows"] == {"read": 1, "new": 1}
    assert about(swapped["doubts"], "unit_price 480.00 does not stand beside its description", "in its line 8")
    assert about(swapped["doubts"], "4 x 480.00 is 1920.00, not 5162.00")


def test_customers_are_read_out_of_letters_too(declared_desk: Desk, letter: str) -> None:
    rows = "id,name,segment,currency,country,contact_name,assumed\n"
    rows += "acct_seesen,Molkerei Seesen GmbH,standard,EUR,DE,Frau Nobody,id segment country\n"
    answer = check(declared_desk, "accounts", rows, letter)
    assert answer["rejects"] == ["contact_name does not stand in angebot.docx (1): 'Frau Nobody' in line 2"]
    other = rows.replace("Seesen GmbH", "Nord").replace("id seg", "name id seg")
    said = "name does not stand in angebot.docx and is never assumed (1): 'Molkerei Nord' in line 2"
    assert said in check(declared_desk, "accounts", other, letter)["rejects"]


def test_rows_of_ones_own_need_a_letter_and_a_letter_needs_rows(declared_desk: Desk, letter: str) -> None:
    desk = declared_desk
    assert "with source" in desk.refused("load_check", kind="past_quotes", text=QUOTE)
    assert "have to come from a file" in desk.refused("load_check", kind="products", text=QUOTE, source=letter)
    assert "source" in desk.refused("load_check", kind="past_quotes", file=letter, source=letter)
    assert desk.refused("load_check", kind="past_quotes", text=QUOTE, source="b.docx").startswith("NOT_FOUND")


def test_a_long_letter_comes_in_pieces_that_begin_where_the_last_one_ended(desk: Desk) -> None:
    document = Document()
    for number in range(500):
        document.add_paragraph(f"The paragraph {number} of a long letter.")
    content = io.BytesIO()
    document.save(content)
    name, seen, where = desk.put("long.docx", content.getvalue()), "", dict[str, Any]()
    for _ in range(9):
        answer = desk.ask("file_open", name=name, **where)
        assert len(answer["contents"]) <= 6_000
        seen += answer["contents"] + "\n"
        if "next_column" not in answer:
            break
        where = {"column": answer["next_column"]}
    assert all(seen.count(f"{number + 1} The paragraph {number} of") == 1 for number in range(500))


def test_a_scan_is_refused_with_how_to_recognise_its_text(desk: Desk) -> None:
    writer = PdfWriter()
    writer.add_blank_page(width=600, height=800)
    content = io.BytesIO()
    writer.write(content)
    said = desk.refused("file_open", name=desk.put("scan.pdf", content.getvalue()))
    assert "'scan.pdf' is a picture of a letter" in said
    assert "ocrmypdf -l eng+deu+spa+fra 'scan.pdf'" in said
    assert "cannot be read as a Word document" in desk.refused("file_open", name=desk.put("a.docx", b"no zip"))
