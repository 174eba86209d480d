"""Letters apart from any row: sentences of proven lines, Markdown as it is set, how a language writes figures."""

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import docx
import pytest

from cpq.documents.content import Seller
from cpq.documents.wording import attributes, languages
from cpq.drafts.blocks import Grid, Letter, Note, Opening, Prose
from cpq.drafts.composing import around_table, without_closing
from cpq.drafts.figures import Reader
from cpq.drafts.layout import SetParagraph, SetTable, laid_out
from cpq.drafts.markdown import LetterCopy
from cpq.drafts.proven import ProvenLine, passage
from cpq.drafts.tables import less
from cpq.drafts.typed import told_once
from cpq.drafts.value import DraftArgs, PassageArgs, RequirementArgs, facts_named, things_in
from cpq.drafts.word import WordWriter
from cpq.drafts.wording import customers_units, wording_of
from local.files import ROOT
from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.units import System, preferred, shipped
from quarry.tool.errors import Unavailable

READER = Reader(shipped(), frozenset(("USD", "EUR")))
TEXT = (
    "Base mounted pump, approx. 340 lb. Fill 5.5 qts of oil!\n• Make: Acme, P-100\n"
    "The belt drives are set by Reed Foods people. Your price $4,090.00 each."
)


def line(**fields: Any) -> ProvenLine:
    known: dict[str, Any] = {
        "quote_number": "Q24-0101", "position": 2, "quote_date": date(2024, 3, 5), "customer": "Reed Foods",
        "contact": "Ann Lee", "salesperson": None, "industry": "food", "own": False, "status": "won",
        "reference": False, "manufacturer": "Acme", "model": "P-100", "category": "PUMP", "description": TEXT,
        "quantity": Decimal(1), "unit_price": Decimal(4090), "currency": "USD",
    }  # fmt: skip
    return ProvenLine(**{**known, **fields})


def chosen(*sentences: str, of: ProvenLine | None = None, wording: str | None = None) -> tuple[list[str], list[str]]:
    """(what the customer reads, what is wrong)."""
    asked = PassageArgs(line="Q24-0101/2", sentences=list(sentences), wording=wording)
    made, wrong = passage(asked, of or line(), reader=READER)
    return list(made.texts) if made else [], wrong


def test_a_line_is_parted_at_ends_of_sentences_and_lines_and_at_no_point_of_an_abbreviation_or_figure() -> None:
    assert [each[:12] for each in line().sentences] == [
        "Base mounted", "Fill 5.5 qts", "• Make: Acme", "The belt dri", "Your price $",
    ]  # fmt: skip
    assert line().sentences[0].endswith("approx. 340 lb.")


def test_sentences_are_chosen_by_number_or_first_words_and_lose_the_mark_of_their_list() -> None:
    assert chosen("3", "fill 5.5") == (["Make: Acme, P-100", "Fill 5.5 qts of oil!"], [])


@pytest.mark.parametrize(("sentence", "why"), [("4", "names Reed"), ("5", "tells what somebody paid")])
def test_who_bought_and_what_was_paid_is_for_that_customer_alone(sentence: str, why: str) -> None:
    assert why in chosen(sentence)[1][0]
    assert chosen(sentence, of=line(own=True))[1] == []


def test_a_wording_stands_in_the_letter_in_place_of_the_sentences() -> None:
    assert chosen("2", wording="5,5 qts Öl einfüllen.") == (["5,5 qts Öl einfüllen."], [])


def test_a_draft_names_the_models_and_lines_of_its_facts_and_neither_its_own_quotes_nor_the_house() -> None:
    page = "{{P-100.flow}} {{ Q24-0101/3 }} {{house.validity}} {{Q-2026-1.gross}} {{items}}"
    found = facts_named(DraftArgs(page=page, quote_ids=["Q-2026-1"]))
    assert found == ["P-100.flow", "Q24-0101/3"]


def test_a_fact_may_be_of_a_model_with_dots_the_longest_is_tried_first() -> None:
    assert things_in("SX7.5.flow") == ["SX7.5.flow", "SX7.5", "SX7"]


def test_the_table_stands_at_its_mark_else_behind_the_second_paragraph() -> None:
    assert around_table("a\n\n{{ items }}\n\nb\n\nc") == ("a", "b\n\nc")
    assert around_table("a\n\nb\n\nc\n\nd") == ("a\n\nb", "c\n\nd")


def test_markdown_is_set_as_paragraphs_points_with_their_numbers_and_tables_and_html_stays_text() -> None:
    text = "# T\n\na **b** <b>c</b>\nd\n\n3. one\n4. two\n   - deep\n\n| x | y |\n|---|---|\n| 1 | *2* |"
    head, words, one, two, deep, table = laid_out([Prose(text=text)])
    assert isinstance(head, SetParagraph)
    assert (head.kind, head.level) == ("heading", 1)
    assert isinstance(words, SetParagraph)
    assert "".join(span.text for span in words.spans) == "a b <b>c</b> d"
    assert [span.text for span in words.spans if span.bold] == ["b"]
    points = [each for each in (one, two, deep) if isinstance(each, SetParagraph)]
    assert [(each.kind, each.number, each.level) for each in points] == [
        ("number", 3, 1), ("number", 4, 1), ("bullet", 0, 2),
    ]  # fmt: skip
    assert isinstance(table, SetTable)
    assert [[span.text for cell in row for span in cell] for row in (table.head, *table.rows)] == [
        ["x", "y"],
        ["1", "2"],
    ]


def letter(**fields: Any) -> Letter:
    blocks = [Prose(text="a"), Note(text="ours"), Grid(head=["x"], rows=[["1"]])]
    known: dict[str, Any] = {
        "language": "en", "date": "today", "addressee": [], "number": "", "words": 1, "page": blocks, "annex": [],
        "sheet": [Prose(text="ours alone")], "openings": [],
    }  # fmt: skip
    return Letter(**{**known, **fields})


def test_the_customers_view_has_neither_notes_nor_the_sheet() -> None:
    seen = [(name, [block.kind for block in blocks]) for name, blocks in letter().parts("customer")]
    assert seen == [("page", ["prose", "grid"])]
    assert [name for name, _ in letter().parts("internal")] == ["page", "sheet"]


def test_a_letter_is_the_same_for_its_customer_whatever_the_notes_say() -> None:
    other = letter(page=[Prose(text="a"), Note(text="else"), Grid(head=["x"], rows=[["1"]])], sheet=[])
    assert letter().same_for_customer(other)
    assert not letter().same_for_customer(letter(page=[Prose(text="b")]))


@pytest.mark.parametrize(
    ("number", "openings", "signs"),
    [("Q-1", [], True), ("", [], False), ("Q-1", [Opening(field="a", who="x", accepted=True)], False)],
)
def test_a_quote_that_owes_no_answer_is_there_to_be_accepted(
    number: str, openings: list[Opening], signs: bool
) -> None:
    wording = wording_of(ROOT / "templates/pdf", "en")
    copy = LetterCopy(
        letter=letter(number=number, openings=openings, signed_by="Ann"), view="customer", name="D-1", version=1,
        seller=Seller(name="House", address=[]), wording=wording, layouts=ROOT, house_file=None,
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    assert (wording.say("accepted") in copy.closing) is signs


def test_values_of_the_catalogue_are_told_in_the_language_each_of_several() -> None:
    wording = wording_of(ROOT / "templates/pdf", "de")
    assert wording.value("yes") == "ja"
    assert wording.value("12 months") == "12 Monate"
    assert wording.value("oilless, Sonderfarbe") == "öllos, Sonderfarbe"


@pytest.mark.parametrize(
    ("language", "country", "money", "day"),
    [
        ("en", "", "EUR 1,234.50", "March 5, 2026"),
        ("en", "US", "EUR 1,234.50", "March 5, 2026"),
        ("en", "GB", "EUR 1,234.50", "5 March 2026"),
        ("en", "SE", "EUR 1,234.50", "5 March 2026"),
        ("de", "", "1.234,50 EUR", "05.03.2026"),
        ("de", "CH", "1’234.50 EUR", "05.03.2026"),
        ("es", "MX", "1,234.50 EUR", "05/03/2026"),
        ("fr", "", "1\u202f234,50 EUR", "05/03/2026"),
        ("fr", "CA", "1\u00a0234,50 EUR", "2026-03-05"),
    ],
)
def test_amounts_and_days_are_written_as_the_readers_country_writes_them_in_the_language(
    language: Any, country: str, money: str, day: str
) -> None:
    wording = wording_of(ROOT / "templates/pdf", language, country)
    assert wording.money(Decimal("1234.5"), "EUR") == money
    assert wording.day(date(2026, 3, 5)) == day


@pytest.mark.parametrize(
    ("language", "two", "one", "pieces", "pair"),
    [
        ("en", "2 days", "1 week", "1 pc", "a: b"),
        ("nl", "2 dagen", "1 week", "1 stuk", "a: b"),
        ("pl", "2 dni", "1 tydz.", "1 szt.", "a: b"),
        ("fr", "2 jours", "1 semaine", "1 pièce", "a\u00a0: b"),
    ],
)
def test_a_period_stands_in_the_unit_that_was_stated_in_words_of_the_language(
    language: Any, two: str, one: str, pieces: str, pair: str
) -> None:
    lead, count = (Attribute(name=unit, kind="number", unit=unit) for unit in ("weeks", "pcs"))
    wording = wording_of(ROOT / "templates/pdf", language)
    known = Attributes(by_name={"weeks": lead, "pcs": count})
    metric = preferred()["metric"]
    units = customers_units(READER, known, wording, DraftArgs(), asked=metric, house=metric)
    assert units.told(Value(0.285714, 0.285714, raw="2 d", unit="d"), lead) == two
    assert units.told(Value(1, 1), lead) == one
    assert units.told(Value(1, 1), count) == pieces
    assert wording.pair("a", "b") == pair


COUNTED = ("days", "weeks", "months", "years", "pcs", "users")


@pytest.mark.parametrize("language", languages(ROOT / "templates" / "pdf"))
def test_every_language_has_words_for_units_that_are_words(language: Any) -> None:
    values = wording_of(ROOT / "templates/pdf", language).values
    several = () if language == "en" else (*COUNTED, "rpm")
    assert {*several, *(f"1 {unit}" for unit in COUNTED)} <= values.keys()


@pytest.mark.parametrize(
    ("system", "name", "size"),
    [
        ("metric", "Adapter 4'' 3 CV, 40 mm", "2 in"),
        ("us", "Adapter 4'' 2.96 hp, 40 mm", "2 in"),
    ],
)
def test_a_customer_of_the_houses_system_reads_names_and_declared_units_as_the_house_has_them_and_any_a_names_lengths(
    system: System, name: str, size: str
) -> None:
    attribute = Attribute(name="size", kind="number", unit="in")
    known, wording = Attributes(by_name={"size": attribute}), wording_of(ROOT / "templates/pdf", "en")
    content = DraftArgs(units=system, page="It lifts 38 m at 2.2 kW.", requirements=[RequirementArgs(text="45 m")])
    asked, house = preferred()[system], preferred()["metric"]
    units = customers_units(READER, known, wording, content, asked=asked, house=house)
    assert units.name("Adapter 4'' 3 CV, 40 mm", "") == name
    assert units.told(Value(2, 2), attribute) == size


@pytest.mark.parametrize(
    ("pressure", "told"), [(14, "965 mbar"), (29, "2000 mbar"), (125, "8.62 bar"), (0.1, "6.89 mbar")]
)
def test_the_customers_own_unit_is_for_figures_of_the_size_of_his(pressure: float, told: str) -> None:
    attribute = Attribute(name="pressure", kind="number", unit="psi")
    known, wording = Attributes(by_name={"pressure": attribute}), wording_of(ROOT / "templates/pdf", "en")
    content = DraftArgs(requirements=[RequirementArgs(text="100 mbar")])
    units = customers_units(READER, known, wording, content, asked=preferred()["metric"], house=preferred()["us"])
    assert units.told(Value(pressure, pressure), attribute) == told
    assert units.told(Value(14, 14), attribute, others=[Value(14, 14), None, Value(150, 150)]) == "0.965 bar"


def test_a_size_far_below_what_the_customer_writes_stays_in_its_own_unit() -> None:
    attribute = Attribute(name="bore", kind="number", unit="mm")
    known, wording = Attributes(by_name={"bore": attribute}), wording_of(ROOT / "templates/pdf", "en")
    content = DraftArgs(requirements=[RequirementArgs(text="Discharge hose 50 m")])
    units = customers_units(READER, known, wording, content, asked=preferred()["metric"], house=preferred()["us"])
    assert units.told(Value(150, 150), attribute) == "150 mm"


def test_yes_and_no_are_the_words_that_a_file_of_labels_adds(tmp_path: Path) -> None:
    labels = tmp_path / "pdf" / "labels"
    labels.mkdir(parents=True)
    english = (ROOT / "templates/pdf/labels/en.toml").read_text("utf-8")
    (labels / "pt.toml").write_text(english.replace("[block]", '[block]\nyes = "sim"\nno = "não"'), "utf-8")
    wording = wording_of(tmp_path / "pdf", "pt")
    assert (wording.value("yes"), wording.value("no")) == ("sim", "n\u00e3o")
    assert attributes({"sealed": True}, labels=wording.labels)[0].value == "sim"


@pytest.mark.parametrize(
    ("verdict", "has", "told"),
    [
        ("yes", "450 cfm", "yes (450 cfm)"),
        ("yes", "yes", "yes"),
        ("yes", "no", "yes (no)"),
        ("", "Ours.", "Ours."),
        ("No", "No. 5", "No (No. 5)"),
        ("–", "–", "–"),
        ("no", "No, it is open.", "No, it is open."),
    ],
)
def test_a_verdict_and_what_a_machine_has_are_told_once_where_they_are_the_same(
    verdict: str, has: str, told: str
) -> None:
    assert told_once(verdict, has) == told


def test_a_word_file_runs_from_the_right_where_its_language_or_a_paragraph_does() -> None:
    word = "\u0627\u0644\u0633\u0639\u0629"

    def written(language: str) -> Any:
        page = [Prose(text=f"**{word}** 52 °C"), Prose(text="Dear Sir"), Grid(head=["a", "b"], rows=[[word, "5"]])]
        letter = Letter(
            language=language, date="1", addressee=["Reed"], number="", words=1, page=page, annex=[], openings=[]
        )
        copy = LetterCopy(
            letter=letter, view="customer", name="D", version=1, seller=Seller(name="Reed", address=[]),
            wording=wording_of(ROOT / "templates/pdf", "en"), layouts=ROOT, house_file=None, at=datetime.now(UTC),
        )  # fmt: skip
        return docx.Document(io.BytesIO(WordWriter(copy).written()))

    for language, from_right in (("ar", True), ("en", False)):
        document = written(language)
        own = next(one for one in document.paragraphs if one.text.startswith(word))
        other = next(one for one in document.paragraphs if one.text == "Dear Sir")
        assert [bool(one._p.xpath("w:pPr/w:bidi")) for one in (own, other)] == [True, False]
        first, *_, last = own.runs
        assert (first.font.rtl, first.font.cs_bold, last.font.rtl) == (True, True, None)
        assert bool(document.tables[0]._tbl.xpath("w:tblPr/w:bidiVisual")) is from_right


def test_labels_that_were_taken_away_are_named(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="labels in 'pt'"):
        wording_of(tmp_path / "pdf", "pt")


@pytest.mark.parametrize(
    ("price", "discount", "amount", "each"),
    [
        ("37.05", "10", "96033.60", "33.345"),
        ("217.12", "8", "199.75", "199.75"),
        ("630.70", "5", "599.16", "599.16"),
        ("2.94", "8", "162.29", "2.7048"),
        ("6.00", "100", "0.00", "0.00"),
    ],
)
def test_a_price_less_discount_has_the_digits_that_its_amount_takes(
    price: str, discount: str, amount: str, each: str
) -> None:
    assert str(less(Decimal(price), Decimal(discount), Decimal(amount))) == each


@pytest.mark.parametrize("country", ["", "US", "GB"])
def test_a_page_ends_as_its_language_does_here_or_elsewhere(country: str) -> None:
    closings = wording_of(ROOT / "templates/pdf", "en", country).closings
    assert without_closing("We offer one.\n\nSincerely,\nJohn Smith", closings) == ("We offer one.", "John Smith")
