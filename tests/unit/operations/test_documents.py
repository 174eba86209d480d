"""Documents as people have them, cut into passages at their headings."""

import io

import pytest
from docx import Document
from pypdf import PdfWriter

from equipment.ingestion import PRODUCTS
from knowledge.ingestion import DOCUMENTS, DocumentRow
from operations.documents import LONGEST_PASSAGE
from operations.reading import read
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


def rows(content: str | bytes, name: str) -> list[DocumentRow]:
    stream = io.BytesIO(content.encode() if isinstance(content, str) else content)
    found = [item.row for item in read(stream, DOCUMENTS, file_name=name) if isinstance(item, Accepted)]
    return [row for row in found if isinstance(row, DocumentRow)]


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


def test_word_is_cut_at_its_headings_with_its_tables_as_lines() -> None:
    assert [(row.title, row.content) for row in rows(word(), "rules.docx")] == [
        ("rules › House rules › Lead times", "Ex stock: 3 days.\nSpecial | 6 weeks"),
        ("rules › House rules › Discounts", "Above 5 % ask the manager."),
    ]


def test_a_word_document_of_another_kind_or_damaged_is_refused_by_what_it_is() -> None:
    with pytest.raises(ValidationFailed, match="is a Word document: load it as documents"):
        read(io.BytesIO(word()), PRODUCTS, file_name="rules.docx")
    with pytest.raises(ValidationFailed, match="cannot be read as a Word document"):
        rows(b"PK\x03\x04", "rules.docx")


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


def test_text_in_another_encoding_is_one_document_cut_where_it_is_too_long() -> None:
    text = "\n\n".join(f"Absatz {number} über Größe. " + "Wort " * 100 for number in range(20))
    found = rows(text.encode("cp1252"), "größe.txt")
    assert len(found) > 1
    assert all(len(row.content) <= LONGEST_PASSAGE and row.title == "größe" for row in found)
    assert "".join("".join(row.content.split()) for row in found) == "".join(text.split())


def test_a_pdf_without_text_is_rejected_and_one_that_is_none_refused() -> None:
    scan = io.BytesIO()
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(scan)
    [item] = read(io.BytesIO(scan.getvalue()), DOCUMENTS, file_name="scan.pdf")
    assert isinstance(item, Rejected)
    assert "recognised" in item.reason
    with pytest.raises(ValidationFailed, match="cannot be read as a PDF"):
        list(read(io.BytesIO(b"no pdf"), DOCUMENTS, file_name="x.pdf"))


def test_what_stays_in_a_changed_document_keeps_its_number() -> None:
    before, after = rows(MARKDOWN, "a.md"), rows(MARKDOWN.replace("Welcome.", "Hello.\n\n## New\n\nText."), "a.md")
    assert before[-1].doc_id == after[-1].doc_id
    assert len({row.doc_id for row in after}) == len(after)
    assert {row.doc_id for row in rows(MARKDOWN, "b.md")}.isdisjoint({row.doc_id for row in before})


def test_a_document_of_nothing_but_headings_is_refused() -> None:
    with pytest.raises(ValidationFailed, match=r"takes more than 128 MB"):
        list(read(io.BytesIO(b"# a\n\nb\n\n" * 150_000), DOCUMENTS, file_name="x.md"))
