"""Typst at work: what stands on the pages, and that nothing else does."""

import io
import re
import shutil
import subprocess
import sys
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Literal, get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from cpq.documents.composition import HIGHLIGHTS
from cpq.documents.content import Charge, PrintedAttribute, Signature, Template, TraceStep
from cpq.documents.typesetting import typeset, unprintable
from cpq.draft_get import LetterPart, PrintedLetter
from cpq.drafts.layout import SetParagraph, Span
from local.files import IMPORT_ROOTS
from quarry.tool.errors import ValidationFailed
from tests.unit.cpq.documents.printed_quotes import (
    LAYOUTS,
    PRICED_AT,
    customer,
    document,
    line,
    pages,
    printed,
    seller,
)

TEMPLATES: tuple[Template, ...] = get_args(Template)
HOSTILE = '#read("/etc/passwd") #image("logo.svg") $x^2$ *b* \\u{41} <label> @ref [[x]] /* c */ // d'
Kind = Literal["paragraph", "heading", "bullet"]
LONG = "Rotary screw package with dryer, receiver and controller. " * 30


def test_a_wide_logo_is_scaled_into_its_place(tmp_path: Path) -> None:
    shutil.copytree(LAYOUTS, tmp_path, dirs_exist_ok=True)
    text = '<text x="820" y="60" font-size="40">END</text>'
    (tmp_path / "wide.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 90">{text}</svg>')
    told = seller().model_copy(update={"logo": "wide.svg", "address": ["A street with a long name " * 3]})
    page = printed(document().model_copy(update={"seller": told}), layouts=tmp_path).pages[0]
    places = dict[str, float]()

    def placed(text: str, outer: list[float], inner: list[float], *_: object) -> None:
        places[text.strip()] = inner[4] * outer[0] + outer[4]

    page.extract_text(visitor_text=placed)
    assert places["D"] < places[told.address[0].strip()]


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_layout_shows_who_sells_to_whom_and_for_how_much(template: Template) -> None:
    text = " ".join(pages(printed(document(line(price="12960")), template=template)))
    for expected in (
        "Great Lakes Air & Vacuum",
        "100 Example Parkway",
        "Acme Corp",
        "Portland, OR 97209",
        "United States",
    ):
        assert expected in text
    for expected in ("Q-2026-0042 · version 3", "April 1, 2026", "12,960.00", "USD 13,737.60", "Net 30 days"):
        assert expected in text


def test_a_percentage_is_one_piece_on_a_page_from_the_right(tmp_path: Path) -> None:
    shutil.copytree(LAYOUTS, tmp_path, dirs_exist_ok=True)
    shutil.copy(LAYOUTS / "labels" / "en.toml", tmp_path / "labels" / "he.toml")
    shown = document(line(discount_pct="5", discount=Decimal(60)), language="he")
    assert "5%" in " ".join(pages(printed(shown, layouts=tmp_path)))


@pytest.mark.parametrize("lines", [7, 8, 12, 13, 14])
def test_neither_totals_nor_signatures_stand_on_a_page_by_themselves(lines: int) -> None:
    text = pages(printed(document(*(line(position) for position in range(1, lines + 1)))))
    assert f"Filter element {lines} " in next(page for page in text if "Sales tax" in page)
    assert "Terms and conditions" in next(page for page in text if "Signature" in page)


@pytest.mark.parametrize("template", ["standard", "detailed"])
@pytest.mark.parametrize("lines", range(4, 16))
def test_a_house_without_terms_has_its_signatures_on_a_page_that_tells_what_is_paid(
    lines: int, template: Template
) -> None:
    own = seller().model_copy(update={"terms": [], "closing": None})
    rows = [line(position) for position in range(1, lines + 1)]
    charge = Charge(period="year", count=3, each=Decimal(12), exact=True, total=Decimal(36))
    once, again = (
        pages(printed(document(*rows, seller=own, charges=charges), template=template))[-1]
        for charges in ([], [charge])
    )
    assert all(told in once for told in (f"Filter element {lines} ", "Total", "Signature"))
    assert all(told in again for told in ("Each year, 3 times", "Signature"))


@pytest.mark.parametrize("lines", [7, 8, 9, 28])
def test_the_end_of_a_draft_stands_on_a_page_with_all_its_terms(lines: int) -> None:
    rows = (line(position) for position in range(1, lines + 1))
    text = pages(printed(document(*rows, watermark="DRAFT")))[-1]
    assert "cannot be accepted or signed" in text
    assert "Terms and conditions" in text


@pytest.mark.parametrize("paragraphs", [8, 9, 18, 19, 20])
def test_no_page_of_a_letter_has_the_end_of_its_terms_alone(paragraphs: int) -> None:
    def set_as(kind: Kind, text: str) -> SetParagraph:
        return SetParagraph(kind=kind, spans=[Span(text=text)], level=3)

    house = seller()
    annex = [set_as("paragraph", LONG[:500])] * paragraphs
    annex += [
        set_as("heading", "Our terms"),
        *(set_as("bullet", f"{term.title}. {term.text}") for term in house.terms),
    ]
    page = LetterPart(name="page", title="", blocks=[set_as("paragraph", "Dear Ms. Sturk,")])
    parts = [page, LetterPart(name="annex", title="Annex", blocks=annex)]
    shown = PrintedLetter(
        language="en", title="Offer", seller=house, addressee=[], date="May 1", closing=["Yours"], parts=parts
    )
    last = pages(PdfReader(io.BytesIO(typeset(shown, template="letter", layouts=LAYOUTS, at=PRICED_AT))))[-1]
    assert ("Our terms" in last) == ("names this quotation and version, accepts it" in last) is True


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_same_document_has_the_same_bytes_in_another_process(template: Template, tmp_path: Path) -> None:
    shown = document(line(1), line(2, name="Компрессор"), customer=customer(name="東京機械株式会社", country="JP"))
    (tmp_path / "document.json").write_text(shown.model_dump_json(), "utf-8")
    program = """
import sys
from datetime import datetime
from pathlib import Path
from cpq.documents.content import QuoteDocument
from cpq.documents.typesetting import typeset
shown = QuoteDocument.model_validate_json(Path(sys.argv[1]).read_text("utf-8"))
at = datetime.fromisoformat(sys.argv[4])
sys.stdout.buffer.write(typeset(shown, template=sys.argv[2], layouts=Path(sys.argv[3]), at=at))
"""
    shutil.copytree(LAYOUTS, tmp_path / "elsewhere")
    arguments = [str(tmp_path / "document.json"), template, str(tmp_path / "elsewhere"), PRICED_AT.isoformat()]
    other = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={"PYTHONPATH": ":".join(map(str, IMPORT_ROOTS)), "TZ": "Asia/Tokyo"},
        capture_output=True,
        check=True,
    )
    assert other.stdout == typeset(shown, template=template, layouts=LAYOUTS, at=PRICED_AT)


@pytest.mark.parametrize("template", TEMPLATES)
def test_markup_in_a_quote_is_printed_and_never_run(template: Template) -> None:
    shown = document(
        line(name=HOSTILE, sku="#panic()", description=HOSTILE, note=HOSTILE),
        customer=customer(name=HOSTILE, contact="#sys.inputs", address=["= Heading", "- item"]),
    )
    text = "".join(pages(printed(shown, template=template))).replace(" ", "").replace("\u200b", "")
    assert '#read("/etc/passwd")' in text
    assert "*b*\\u{41}<label>" in text
    assert "root:" not in text


def test_a_long_table_breaks_over_pages_under_a_repeated_header() -> None:
    texts = pages(printed(document(*(line(position) for position in range(1, 121)))))
    assert len(texts) > 3
    for number, text in enumerate(texts, start=1):
        assert f"Page {number} of {len(texts)}" in text
    with_lines = [text for text in texts if "Filter element" in text]
    assert all("Description Quantity Unit price Amount (USD)" in text for text in with_lines)
    assert all("Quotation Q-2026-0042 · version 3" in text for text in texts[1:])
    assert all(f"Filter element {position} FE-" in " ".join(texts) for position in range(1, 121))


def test_a_description_longer_than_a_page_runs_on() -> None:
    texts = pages(printed(document(line(description=LONG * 6), line(2))))
    assert len(texts) > 2
    assert sum(text.count("Rotary") for text in texts) == 180


@pytest.mark.parametrize("count", [1, HIGHLIGHTS + 1, 120])
def test_the_executive_summary_is_one_page_with_all_the_money(count: int) -> None:
    rows = [line(position, name="W" * 200, price=str(1000 + position)) for position in range(1, count + 1)]
    text, *others = pages(printed(document(*rows), template="executive"))
    assert others == []
    assert ("and 1 further item, listed" in text) == (count == HIGHLIGHTS + 1)
    assert (f"and {count - HIGHLIGHTS} further items, listed" in text) == (count > HIGHLIGHTS + 1)


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_is_copied_out_of_a_document_is_what_was_meant(template: Template) -> None:
    email, sku = "purchasing.and.receiving.department@keystonetool.example", "QGV-100-460-3-60-ENCLOSED-OUTDOOR-VSD"
    shown = document(line(sku=sku), customer=customer(email=email))
    text = "".join(pages(printed(shown, template=template)))
    assert not {letter for letter in text if unicodedata.category(letter) == "Cf"}
    assert email in "".join(text.split())
    assert template == "executive" or sku in "".join(text.split())


@pytest.mark.parametrize("template", ["standard", "detailed"])
def test_configuration_and_note_stand_with_their_line(template: Template) -> None:
    configured = line(
        attributes=[PrintedAttribute(name="Voltage", value="460/3/60")], note="Ships with the receiver."
    )
    text = " ".join(pages(printed(document(configured), template=template)))
    assert re.search(r"Voltage:? 460/3/60", text)
    assert "Ships with the receiver." in text


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_draft_has_no_place_to_sign(template: Template) -> None:
    draft = " ".join(pages(printed(document(watermark="DRAFT"), template=template)))
    assert "cannot be accepted or signed" in draft
    assert not {"Acceptance", "Signature"} & set(draft.split())
    assert "Acceptance" in " ".join(pages(printed(document(), template=template)))


@pytest.mark.parametrize("template", ["standard", "detailed"])
def test_what_is_paid_once_and_what_by_the_month_is_told_apart(template: Template) -> None:
    charges = [
        Charge(period="once", count=1, each=Decimal("2900.00"), exact=True, total=Decimal("2900.00")),
        Charge(period="month", count=36, each=Decimal("27.78"), exact=False, total=Decimal("1000.00")),
    ]
    text = " ".join(" ".join(pages(printed(document(charges=charges), template=template))).split())
    assert "Once 2,900.00" in text
    assert "Each month, 36 times about 27.78 in all 1,000.00" in text
    assert "paid when" not in " ".join(pages(printed(document(), template=template)))


def test_amounts_have_their_currencys_decimals() -> None:
    yen = "".join(pages(printed(document(line(currency="JPY", price="1250000"), currency="JPY"))))
    assert "JPY 1,325,000" in yen
    assert "1,250,000." not in yen
    dinar = "".join(pages(printed(document(line(currency="KWD", price="4250.125"), currency="KWD"))))
    assert "KWD 4,505.133" in dinar


def test_names_in_any_shipped_script_are_printed_with_a_font_that_has_them() -> None:
    names = {
        "Inter": "Привет Αθήνα",
        "NotoSansJP": "東京機械株式会社",
        "NotoSansKR": "한국기계",
        "NotoSansArabic": "شركة الواحة",
        "NotoSansHebrew": "שלום",
        "NotoSansThai": "สวัสดี",
        "NotoSans": "नमस्ते",
    }
    rows = [line(position, name=name) for position, name in enumerate(names.values(), start=1)]
    pdf = printed(document(*rows, customer=customer(country="JP")))
    embedded = {str(name) for page in pdf.pages for name in fonts_of(page)}
    assert all(any(font in name.replace("-", "") for name in embedded) for font in names)
    assert "東京機械株式会社" in "".join(pages(pdf)).replace(" ", "")


def fonts_of(page: object) -> list[str]:
    return [font["/BaseFont"] for font in page["/Resources"]["/Font"].values()]  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ბათუმი", "ბ"),
        ("Great \U0001f389 deal", "\U0001f389"),
        ("bell\x07", r"\u{7}"),
        ("\ue000", r"\u{e000}"),
    ],
)
def test_a_character_without_a_font_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(ValidationFailed) as failure:
        printed(document(line(description=text)))
    assert named in failure.value.details["characters"]
    assert "templates/pdf/fonts/" in failure.value.message


def test_characters_are_read_from_typsts_message_once_each() -> None:
    diagnostic = r'error: the text `"a\u{1f}\"b"` could not be displayed with font `"Inter"`'
    assert unprintable(f"{diagnostic}\n" * 2) == [r"a\u{1f}\"b"]
    assert unprintable("error: unknown variable: doc") == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.text(min_size=1, max_size=80), description=st.text(max_size=400), template=st.sampled_from(TEMPLATES))
@example(name="\U0001f3fb", description="", template="standard")
def test_any_text_is_printed_or_refused_with_its_characters(name: str, description: str, template: Template) -> None:
    shown = document(line(name=name, description=description), customer=customer(name=name))
    refused = None
    try:
        assert printed(shown, template=template).pages
    except ValidationFailed as refusal:
        refused = refusal.details["characters"]
    text = unicodedata.normalize("NFC", f"{name}\n{description}")
    assert refused is None or all(each in text or "\\" in each for each in refused)


def test_the_watermark_stands_on_every_page_and_not_in_the_text() -> None:
    rows = [line(position) for position in range(1, 60)]
    plain, marked = printed(document(*rows)), printed(document(*rows, watermark="DRAFT"))
    assert not any("DRAFT" in page for page in pages(plain))
    assert len(plain.pages) == len(marked.pages)
    assert all("DRAFT" in page for page in pages(marked))


def test_whoever_approved_is_named_beside_the_signature() -> None:
    approval = Signature(name="John Smith", role="Sales manager", decided=PRICED_AT.date())
    text = "".join(pages(printed(document(approvals=[approval], watermark="APPROVED"))))
    assert "Approved by John Smith, Sales manager, on February 26, 2026." in text


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_pricing_trace_is_printed_where_it_was_asked_for(template: Template) -> None:
    step = TraceStep(subject="1. Pro Plan", rules=["150 × 6.00 × 12 months = 10800.00."], result=Decimal("10800.00"))
    assert "150 × 6.00 × 12 months" in "".join(pages(printed(document(trace=[step]), template=template)))
    assert "How the price was made" not in "".join(pages(printed(document(), template=template)))


def test_the_file_is_archivable_accessible_and_dated_by_its_pricing() -> None:
    pdf = printed(document())
    xmp = str(pdf.xmp_metadata.stream.get_data()) if pdf.xmp_metadata else ""
    assert "<pdfaid:part>2</pdfaid:part>" in xmp
    assert "<pdfuaid:part>1</pdfuaid:part>" in xmp
    assert pdf.metadata is not None
    assert pdf.metadata.title == "Quotation Q-2026-0042"
    assert pdf.metadata.creation_date == PRICED_AT.replace(microsecond=0)


def test_a_layout_that_cannot_be_tagged_is_still_printed_and_still_loses_no_letter(tmp_path: Path) -> None:
    layouts = tmp_path / "pdf"
    shutil.copytree(LAYOUTS, layouts)
    untagged = '#set text(font: "Inter")\n#image("logo.svg")\na picture without words for it'
    (layouts / "standard.typ").write_text(untagged, "utf-8")
    assert "without words" in pages(printed(document(), layouts=layouts))[0]
    (layouts / "standard.typ").write_text(f"{untagged} ბ", "utf-8")
    with pytest.raises(ValidationFailed, match="No font has ბ"):
        printed(document(), layouts=layouts)
