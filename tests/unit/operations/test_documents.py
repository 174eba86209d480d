"""Documents as people have them, cut into passages at their headings."""

import io
import time
from dataclasses import replace

import pytest
from docx import Document
from pypdf import PdfWriter

from equipment.ingestion import PRODUCTS
from knowledge.ingestion import DOCUMENTS, DocumentRow
from local.preview import to_guess_by
from operations.code_pages import declared_in
from operations.documents import LONGEST_PASSAGE
from operations.reading import read
from operations.tables.attributes import NO_ATTRIBUTES
from operations.tables.mapping import Mapping
from quarry.ingestion import Accepted, Rejected
from quarry.tool.errors import ValidationFailed

MARKDOWN = """\
Before any heading.

# Handbook

Welcome.

## Leave

Thirty days a year.

```sh
# no heading
```

## Travel

By train.
"""


POLISH = replace(NO_ATTRIBUTES, language="pl")


def rows(content: str | bytes, name: str) -> list[DocumentRow]:
    stream = io.BytesIO(content.encode() if isinstance(content, str) else content)
    found = [item.row for item in read(stream, DOCUMENTS, file_name=name) if isinstance(item, Accepted)]
    return [row for row in found if isinstance(row, DocumentRow)]


def rejected(content: bytes, name: str) -> str:
    [item] = read(io.BytesIO(content), DOCUMENTS, file_name=name)
    assert isinstance(item, Rejected)
    return item.reason


def test_markdown_is_cut_at_its_headings_which_are_the_context_of_a_passage() -> None:
    found = rows(MARKDOWN, "staff/handbook.md")
    assert [row.title for row in found] == [
        "staff/handbook", "staff/handbook › Handbook", "staff/handbook › Handbook › Leave",
        "staff/handbook › Handbook › Travel",
    ]  # fmt: skip
    assert found[2].content.startswith("Thirty days a year.")
    assert "# no heading" in found[2].content


def word() -> bytes:
    document = Document()
    document.add_heading("House rules", level=1)
    document.add_heading("Lead times", level=2)
    document.add_paragraph("Ex stock: 3 days.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Special", "6 weeks"
    document.add_heading("Discounts", level=2)
    document.add_paragraph("Above 5 % ask the manager.")
    stored = io.BytesIO()
    document.save(stored)
    return stored.getvalue()


def test_headings_without_text_and_front_matter_are_text_of_what_they_stand_in() -> None:
    plan = "---\ntitle: Plan\nversion: 3\n---\n\n# Day\n\n## 8:00\n\n### 8:15\n\nTour.\n\n## 9:00\n\n## 10:00\n"
    assert [(row.title, row.content) for row in rows(plan, "plan.md")] == [
        ("plan", "---\ntitle: Plan\nversion: 3\n---"),
        ("plan › Day › 8:00 › 8:15", "Tour."),
        ("plan › Day", "## 9:00\n## 10:00"),
    ]
    assert [row.content for row in rows("<h1>Porter: 4455</h1><h2> </h2>", "phones.html")] == ["# Porter: 4455"]


def test_a_heading_too_long_for_a_title_stands_whole_in_the_passage() -> None:
    [found] = rows(f"# {'word ' * 120}end\n\nText.", "long.md")
    assert found.content.endswith("word end\n\nText.")


def test_a_form_feed_in_markdown_moves_no_heading() -> None:
    found = rows("One.\x0c\n\n# Two\n\nThree.", "feed.md")
    assert [(row.title, row.content) for row in found] == [("feed", "One."), ("feed › Two", "Three.")]


def test_word_is_cut_at_its_headings_with_its_tables_as_lines() -> None:
    assert [(row.title, row.content) for row in rows(word(), "rules.docx")] == [
        ("rules › House rules › Lead times", "Ex stock: 3 days.\nSpecial | 6 weeks"),
        ("rules › House rules › Discounts", "Above 5 % ask the manager."),
    ]


def test_a_word_document_of_another_kind_is_refused_and_a_damaged_one_rejected() -> None:
    with pytest.raises(ValidationFailed, match="is a Word document: load it as documents"):
        read(io.BytesIO(word()), PRODUCTS, file_name="rules.docx")
    assert "cannot be read as a Word document" in rejected(b"PK\x03\x04", "rules.docx")


def test_html_is_cut_at_its_headings_without_scripts_and_menus() -> None:
    page = (
        "<html><head><title>x</title><script>var a</script></head><body><nav>Menu</nav><h1>Handbook</h1>"
        "<p>Wel<b>come</b></p><h2>Leave &amp; rest</h2><p>Thirty days</p><p>a year.</p></body></html>"
    )
    found = rows(page, "handbook.html")
    assert [(row.title, row.content) for row in found] == [
        ("handbook › Handbook", "Welcome"),
        ("handbook › Handbook › Leave & rest", "Thirty days\na year."),
    ]


def test_html_has_no_hidden_text_and_cells_stand_apart() -> None:
    hidden = "<p hidden>No</p><div style='Display : none'>No</div>"
    seen = "<body style='visibility: hidden'><p style='backface-visibility: hidden'>Seen</p>"
    table = "<table><tr><td></td><td>P40</td></tr><tr><td>A1</td><td>12</td></tr></table>"
    [found] = rows(f"{seen}{hidden}, {table}", "page.html")
    assert found.content.split() == ["Seen", ",", "|", "P40", "A1", "|", "12"]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("iso-8859-2", "iso8859-2"), ("iso-8859-1", "cp1252"), ("utf-8", "cp1250"), ("iso-8859-1", "utf-8")],
)
def test_html_is_read_in_the_code_page_that_it_declares(declared: str, encoding: str) -> None:
    said = "Größe “x”" if encoding == "cp1252" else "Śruby, źródło, łożysko"
    page = f"<html><head><meta charset={declared}></head><p>{said}</p>"
    found = read(io.BytesIO(page.encode(encoding)), DOCUMENTS, file_name="page.html", attributes=POLISH)
    assert found.encoding == encoding


def test_a_declaration_is_looked_for_in_the_beginning_alone_however_a_page_begins() -> None:
    begun = time.thread_time()
    assert declared_in(b"<meta " * 100_000) is None
    assert time.thread_time() - begun < 1


def test_a_text_is_read_in_the_house_s_code_page_or_the_one_that_is_said() -> None:
    text = "Żółta karta oznacza łożysko do wymiany.".encode("cp1250")
    assert read(io.BytesIO(text), DOCUMENTS, file_name="note.txt", attributes=POLISH).encoding == "cp1250"
    said = Mapping.parse(to_guess_by("documents", {"encoding": "cp852"}), source="given")
    for name, content in (("note.txt", text), ("notes.csv", b"doc_id,content\n1," + text)):
        found = read(io.BytesIO(content), DOCUMENTS, file_name=name, mappings=[said], attributes=POLISH)
        assert (found.encoding, len(list(found))) == ("cp852", 1)
    marked = "\ufeffŻółta".encode()
    assert read(io.BytesIO(marked), DOCUMENTS, file_name="note.txt", mappings=[said]).encoding == "utf-8"


def test_text_in_another_encoding_is_one_document_cut_where_it_is_too_long() -> None:
    text = "\n\n".join(f"Absatz {number} über Größe. " + "Wort " * 100 for number in range(20))
    found = rows(text.encode("cp1252"), "größe.txt")
    assert len(found) > 1
    assert all(len(row.content) <= LONGEST_PASSAGE and row.title == "größe" for row in found)
    assert "".join("".join(row.content.split()) for row in found) == "".join(text.split())


def test_a_pdf_without_text_that_is_none_or_is_locked_is_rejected() -> None:
    scan = io.BytesIO()
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(scan)
    assert "recognised" in rejected(scan.getvalue(), "scan.pdf")
    assert "cannot be read as a PDF (" in rejected(b"no pdf", "x.pdf")
    writer.encrypt("secret")
    writer.write(locked := io.BytesIO())
    assert "without a password" in rejected(locked.getvalue(), "locked.pdf")


def test_what_stays_in_a_changed_document_keeps_its_number() -> None:
    before, after = rows(MARKDOWN, "a.md"), rows(MARKDOWN.replace("Welcome.", "Hello.\n\n## New\n\nText."), "a.md")
    assert before[-1].doc_id == after[-1].doc_id
    assert len({row.doc_id for row in after}) == len(after)
    assert {row.doc_id for row in rows(MARKDOWN, "b.md")}.isdisjoint({row.doc_id for row in before})


def test_a_document_of_nothing_but_headings_is_refused() -> None:
    assert "takes more than 128 MB" in rejected(b"# a\n\nb\n\n" * 150_000, "x.md")
