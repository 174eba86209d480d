"""draft_get on the sample: both copies in each form, and what keeps the customer's copy back."""

import io
import re
import zipfile
from typing import Any

import docx
import pytest
from docx.shared import Pt

from quarry.data.settings import settings
from tests.aws import client
from tests.deployment import TENANT, Deployment
from tests.integration.cpq.letters import ONE, PAGE, change, compose, downloaded, got, letter_of, words_of

pytestmark = pytest.mark.usefixtures("letters")
MUSTS = [{"text": "below 70 dB(A)", "attribute": "noise_dba", "is": "< 70 dB(A)"}]
PROVEN = [{**ONE[0], "passages": [{"line": "Q18-0231/3", "sentences": ["Check rotation"]}]}]
AVERAGE = 0.49
"""Width of Calibri's letters by their height."""
INTERNAL = (
    "SALESPERSON REVIEW",
    "(internal)",
    "sold or quoted",
    "Q18-0231",
    "prod_quincy",
    "Ask about the slab",
    "price book",
)


def letter(**given: object) -> dict[str, Any]:
    notes = ["Ask about the slab."]
    return compose(
        **{"items": PROVEN, "requirements": MUSTS, "comparison": ["QGV-100", "QGV-75"], "notes": notes, **given}
    )


def test_a_list_price_below_what_was_paid_is_told_of_what_is_compared_too() -> None:
    sheet = letter_of(compose(comparison=["KC-400R", "QMB25"]), "internal").partition("### List, sold or quoted")[2]
    assert re.search(r"\| KC-400R \|.*list is below 6,120.00 USD won", sheet)
    assert "| QMB25 |" not in sheet


@pytest.mark.parametrize("form", ["docx", "pdf"])
def test_a_file_has_the_words_of_the_page_the_table_the_annex_and_the_terms(form: str) -> None:
    text = words_of(letter(), view="customer", form=form)
    for told in (
        "Dear Ms. Sturk",
        "66,900.00",
        "450 cfm",
        "Check rotation of each scroll pump",
        "below 70 dB(A)",
        "QGV-75",
    ):
        assert told in text
    assert "Equipment carries its manufacturer's warranty" in text


@pytest.mark.parametrize("form", ["markdown", "docx", "pdf"])
def test_nothing_internal_is_in_the_customers_copy(form: str) -> None:
    draft = letter()
    text = letter_of(draft, "customer") if form == "markdown" else words_of(draft, view="customer", form=form)
    assert [each for each in INTERNAL if each in text] == []
    if form == "docx":
        content = downloaded(got(draft, view="customer", format="docx"))
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            everything = b"".join(parts.read(name) for name in parts.namelist())
        assert b"slab" not in everything


@pytest.mark.parametrize(
    ("view", "ends"), [("customer", "_v1"), ("internal", "_v1_internal"), (None, "_v1_internal")]
)
def test_the_name_of_a_file_says_which_copy_it_is_unless_it_is_the_customers(view: str | None, ends: str) -> None:
    asked = {"view": view} if view else {}
    name = got(letter(), format="docx", **asked)["_mcp"]["content"][0]["name"]
    assert name.endswith(f"{ends}.docx")


def test_notes_are_comments_of_the_internal_word_file_on_what_they_are_about() -> None:
    content = downloaded(got(letter(), view="internal", format="docx"))
    document = docx.Document(io.BytesIO(content))
    comments = [comment.text for comment in document.comments]
    assert "Ask about the slab." in comments
    assert any(text.startswith("Verbatim from Groeb Farms, Q18-0231/3") for text in comments)
    anchored = re.findall(r"commentRangeStart", document.element.xml)
    assert len(anchored) == len(comments)
    assert {style.style_id for style in document.styles} >= {"CommentText", "CommentReference"}


def test_columns_of_word_tables_have_their_words_whole_and_long_texts_more_room() -> None:
    remark = "One size down, quieter by three decibels and lighter; too small for five packers at that depth."
    draft = letter(comparison=["QGV-100", {"model": "QGV-75", "remark": remark}])
    document = docx.Document(io.BytesIO(downloaded(got(draft, view="internal", format="docx"))))
    for table in document.tables:
        for column in table.columns:
            size = column.cells[0].paragraphs[0].runs[0].font.size if column.cells[0].text else None
            longest = max((len(word) for cell in column.cells for word in cell.text.split()), default=0)
            assert column.width >= longest * (size or Pt(10.5)) * AVERAGE
        assert table.autofit  # Word then breaks no figure in a font that is wider
    compared = next(table for table in document.tables if table.rows[-1].cells[-1].text == remark)
    assert max(compared.columns, key=lambda column: column.width).cells[-1].text == remark


def test_the_internal_copy_has_the_sheet_with_musts_prices_and_sources() -> None:
    text = words_of(letter(), view="internal", form="pdf")
    for told in ("Sheet (internal)", "contradicted", "sold or quoted", "Groeb Farms, Q18-0231/3"):
        assert told in text


def test_the_customers_copy_is_refused_while_a_field_is_open_and_says_who_closes_it() -> None:
    draft = letter(requirements=[{"text": "Stainless tank", "attribute": "material", "is": "stainless"}])
    answer = got(draft, view="customer", format="pdf")
    assert answer["code"] == "VALIDATION_ERROR"
    assert "requirement 1 (the maker, asked by the salesperson)" in answer["message"]
    assert answer["message"].endswith("accept_open those that somebody tells later.")
    assert "[open: requirement 1]" in letter_of(draft)


def test_a_preview_is_the_customers_copy_that_says_what_it_waits_for() -> None:
    draft = letter(page="Dear Ms. Sturk,\n\nwe offer it with [DELIVERY].\n\nYours.", notes=["Ask."])
    preview = letter_of(draft, "preview")
    assert "Not released: DELIVERY" in preview
    assert "Ask." not in preview
    closed = compose(notes=["Ask."])
    read, sent = letter_of(closed, "preview"), letter_of(closed, "customer")
    start = next(line for line in read.split("\n") if line.endswith("which come with this letter."))
    assert sent.startswith(read.partition(start)[0])
    assert "**Prices." in sent
    assert "- Precios, Pago, Entrega, Plazos, Impuestos, Garantía: según nuestras condiciones" in letter_of(
        compose(language="es"), "preview"
    )


def test_the_page_alone_is_read_without_annex_and_notes_and_makes_no_file() -> None:
    draft = letter()
    page = letter_of(draft, "page")
    assert "Dear Ms. Sturk" in page
    assert not any(told in page for told in ("## Annex", "Sheet (internal)", "Ask about the slab."))
    assert got(draft, view="page", format="pdf")["code"] == "VALIDATION_ERROR"


def test_notes_alone_are_what_only_the_internal_copy_has() -> None:
    notes = letter_of(letter(), "notes")
    assert "Ask about the slab." in notes
    assert "Musts not met, as set up" in notes
    assert "Dear Ms. Sturk" not in notes


@pytest.mark.parametrize("form", ["docx", "pdf"])
def test_whoever_quoted_him_last_signs_or_whom_the_writer_names(form: str) -> None:
    assert "Tina Vance Great Lakes" in " ".join(words_of(compose(), view="customer", form=form).split())
    signed = compose(signed_by="Ann Lee")
    assert "Ann Lee Great Lakes" in " ".join(words_of(signed, view="customer", form=form).split())
    assert "Sincerely\\\nAnn Lee\\\nGreat Lakes" in letter_of(signed, "customer")


def test_a_row_that_changed_since_is_told_and_keeps_the_customers_copy_back(letters: Deployment) -> None:
    draft = letter()
    printed = downloaded(got(draft, view="customer", format="docx"))
    letters.rows(
        """INSERT INTO cpq.price_book_entries (tenant, price_book_id, product_id, price, unit)
        SELECT tenant, price_book_id, product_id, price + 100, unit FROM cpq.price_book_entries
        WHERE product_id = 'prod_quincy_qgv_75' AND price_book_id = 'pb_list_usd' AND superseded_at IS NULL"""
    )
    answer = got(draft, view="customer")
    assert answer["code"] == "CONFLICT"
    assert "compose it again" in answer["message"]
    assert "compose it again" in got(draft)["notice"]
    # What was printed of a version is had again, for the customer holds it.
    again = got(draft, view="customer", format="docx", version=1)
    assert downloaded(again) == printed
    assert "As it was printed" in again["notice"]
    assert [got(draft, view="customer", format=form)["code"] for form in ("docx", "pdf")] == ["CONFLICT"] * 2
    assert "No such file was printed" in got(draft, view="customer", format="pdf", version=1)["message"]
    assert "42,600.00" in letter_of(change(draft), "customer")


def test_an_older_version_stays_readable_and_tells_what_it_was_composed_of() -> None:
    first = letter()
    change(first, page=PAGE.replace("Dear Ms. Sturk", "Dear Melanie"))
    assert "Dear Ms. Sturk" in got(first, version=1)["letter"]
    assert "Dear Melanie" in got(first)["letter"]
    assert got(first, version=1, arguments=True)["arguments"]["items"] == PROVEN
    assert "it has 1, 2" in got(first, version=3)["message"]


def test_what_differs_from_the_version_that_was_read_is_told_alone() -> None:
    first = letter()
    second = change(first, changes=[{"path": "page", "old": "Dear Ms. Sturk", "to": "Dear Melanie"}])
    assert got(second, view="preview", since=1)["letter"] == "-Dear Ms. Sturk,\n+Dear Melanie,"
    third = change(second, items=[{"product_id": "QGV-75"}])
    told = got(third, view="preview", since=2)["letter"]
    assert "+| 1 | Quincy QGV-75 rotary screw air compressor, 75 HP | 1 |" in told
    assert "Melanie" not in told
    assert "it has 1, 2, 3" in got(third, since=9)["message"]
    assert got(third, since=1, format="pdf")["code"] == "VALIDATION_ERROR"


def test_an_unknown_draft_is_answered_with_the_nearest_and_another_tenants_is_unknown() -> None:
    draft = letter()
    near = got({"draft_id": draft["draft_id"] + "0"})
    assert (near["code"], draft["draft_id"] in near["message"]) == ("NOT_FOUND", True)
    assert got(draft, tenant="rival")["code"] == "NOT_FOUND"


def test_a_letter_is_written_into_the_houses_own_file_where_it_has_one(aws_url: str) -> None:
    own = docx.Document()
    own.add_paragraph("What the file showed.")
    own.sections[0].header.paragraphs[0].text = "Our own head"
    stream = io.BytesIO()
    own.save(stream)
    place = {"Bucket": settings().template_bucket, "Key": f"templates/pdf/companies/{TENANT}.docx"}
    client("s3", aws_url).put_object(**place, Body=stream.getvalue())
    try:
        content = downloaded(got(letter(), view="internal", format="docx"))
    finally:
        client("s3", aws_url).delete_object(**place)
    document = docx.Document(io.BytesIO(content))
    assert document.sections[0].header.paragraphs[0].text == "Our own head"
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert "What the file showed." not in texts
    assert "Dear Ms. Sturk," in texts
    assert "Ask about the slab." in [comment.text for comment in document.comments]


def test_terms_that_the_house_has_in_no_word_of_the_letters_language_are_told() -> None:
    assert "terms of sale" in got(letter(language="nl"), view="customer")["notice"]
    assert "terms of sale" not in got(letter(language="de"), view="customer").get("notice", "")


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "nl", "pt"])
def test_every_language_is_set_in_word_and_pdf(language: str) -> None:
    draft = letter(language=language, units="metric")
    for form in ("docx", "pdf"):
        text = re.sub(r"\s", " ", words_of(draft, view="customer", form=form))
        assert "765 m³/h (450 cfm)" in text
        marks = {"de": ".,", "es": ",.", "fr": " ,", "it": ".,", "nl": ".,", "pt": " ,"}[language]
        assert "66{}900{}00".format(*marks) in text
